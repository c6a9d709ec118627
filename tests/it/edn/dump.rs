//! The annotated hex, and reading it back.

use super::{all_right, real_files};
use crate::support::{hex, rows, text, to_hex};
use calibor::Profile;
use calibor::edn::{self, Dump};

#[test]
fn a_dump_reads_back() {
    let mut wrong = Vec::new();
    let mut inputs: Vec<Vec<u8>> =
        rows("wellformed_seeds").iter().map(|row| hex(text(row, "hex"))).collect();
    inputs.extend(
        real_files(&["cbor", "dag-cbor", "cose"]).iter().map(|path| std::fs::read(path).unwrap()),
    );
    for bytes in inputs {
        for dump in [
            Dump::new().max_depth(600),
            Dump::new().max_depth(600).offsets(true).embedded(true).profile(Profile::CORE),
        ] {
            let printed = dump.print(&bytes);
            let (read, faulty) = (edn::parse_hex(&printed), printed.contains("more bytes"));
            if !faulty && read.as_ref().ok() != Some(&bytes) {
                wrong.push(format!("{}: {read:?}\n{printed}", to_hex(&bytes)));
            }
            if printed.lines().any(|line| line.ends_with(' ')) {
                wrong.push(format!("blank at the end of a line:\n{printed}"));
            }
        }
    }
    all_right(&wrong);
}

#[test]
fn lines_look_like_this() {
    let bytes = hex(
        "9f1903e8390063fa47c35000fb3ff199999999999a5f4101ff7f6161ff7818c3a9c3a9c3a9c3a9c3a9c3a9c3a9c3a9c3a9c3a9c3a9c3a9f8ffc11a514b67b0ff",
    );
    assert_eq!(
        edn::dump(&bytes),
        "\
9f                                     # array(*)
   19 03e8                             # unsigned(1000)
   39 0063                             # negative(99) = -100
   fa 47c35000                         # float32(100000.0)
   fb 3ff199999999999a                 # float64(1.1 = 0x8cccccccccccdp-51)
   5f                                  # bytes(*)
      41                               # bytes(1)
         01
      ff                               # break
   7f                                  # text(*)
      61                               # text(1)
         61                            # \"a\"
      ff                               # break
   78 18                               # text(24)
      c3a9c3a9c3a9c3a9c3a9c3a9c3a9c3a9 # \"éééééééé\"
      c3a9c3a9c3a9c3a9                 # \"éééé\"
   f8 ff                               # simple(255)
   c1                                  # tag(1): seconds since 1970
      1a 514b67b0                      # unsigned(1363896240)
   ff                                  # break
"
    );
}

#[test]
fn floats_have_their_exact_value() {
    for (bytes, value) in [
        ("f93c00", "float16(1.0)"),
        ("f90001", "float16(5.960464477539063e-8 = 0x1p-24)"),
        ("f97bff", "float16(65504.0)"),
        ("f93001", "float16(0.1251220703125)"),
        ("fa7f7fffff", "float32(3.4028234663852886e38 = 0xffffffp+104)"),
        ("f98000", "float16(-0.0)"),
        ("f9fc00", "float16(-Infinity)"),
        ("f97e01", "float16(NaN, payload 8040000000000)"),
        ("fbbfb999999999999a", "float64(-0.1 = -0xccccccccccccdp-55)"),
        ("fb7e37e43c8800759c", "float64(1e300 = 0x5f90f22001d67p+946)"),
    ] {
        let dump = edn::dump(&hex(bytes));
        assert_eq!(dump.trim_end().split(" # ").nth(1), Some(value), "{dump}");
    }
}

#[test]
fn violations_are_marked() {
    let dump = Dump::new().profile(Profile::CORE).print(&hex("bf616218016161fa3f800000ff"));
    assert_eq!(
        dump,
        "\
bf             # map(*)  !! indefinite-length: map has no definite length, RFC 8949 §4.2.1
   61          # text(1)
      62       # \"b\"
   18 01       # unsigned(1)  !! long-head: head 1801 is longer than it has to be, 01 is wanted, RFC 8949 §4.2.1
   61          # text(1)  !! unsorted-key: map key \"a\" comes after \"b\" but sorts before it, RFC 8949 §4.2.1
      61       # \"a\"
   fa 3f800000 # float32(1.0)  !! long-float: float fa3f800000 is longer than it has to be, f93c00 is wanted, RFC 8949 §4.2.1
   ff          # break
"
    );
    // Each item of a sequence is held to the profile by itself.
    let dump = Dump::new().profile(Profile::CORE).print(&hex("1801011802"));
    assert_eq!(dump.matches("!! long-head").count(), 2, "{dump}");
    assert_eq!(dump.matches("!!").count(), 2, "{dump}");
}

#[test]
fn every_violation_has_its_mark() {
    let mut wrong = Vec::new();
    for row in rows("wellformed_seeds") {
        let bytes = hex(text(&row, "hex"));
        for profile in [Profile::CORE, Profile::DCBOR, Profile::DAG_CBOR, Profile::CTAP2] {
            let dump = Dump::new().max_depth(600).profile(profile).print(&bytes);
            let syntax = |e: &calibor::Error| e.category() == calibor::Category::Profile;
            let expected = profile.violations(&bytes).filter(syntax).count();
            if dump.matches("!! ").count() != expected && !text(&row, "hex").contains("2121") {
                wrong.push(format!("{profile}: {expected} are expected\n{dump}"));
            }
        }
    }
    all_right(&wrong);
}

#[test]
fn embedded_items_are_opened_on_request() {
    let bytes = hex("d28443a10126a0d81843820102f6");
    assert_eq!(
        Dump::new().embedded(true).print(&bytes),
        "\
d2                # tag(18): COSE_Sign1
   84             # array(4)
      43          # bytes(3)
         a1       # map(1)
            01    # unsigned(1)
            26    # negative(6) = -7
      a0          # map(0)
      d8 18       # tag(24): embedded CBOR
         43       # bytes(3)
            82    # array(2)
               01 # unsigned(1)
               02 # unsigned(2)
      f6          # null
"
    );
    assert!(edn::dump(&bytes).contains("         a10126\n"));
}

#[test]
fn faults_come_last() {
    for (bytes, fault) in [
        ("8301", "      # !! truncated: input ends where an item is expected, at byte 2"),
        (
            "8301fe0102",
            "   fe 0102 # !! reserved-info: initial byte fe has reserved additional information, at byte 2",
        ),
        (
            "82016361",
            "   63 61 # !! truncated: string of 3 bytes has only 1 before the end of the input, at byte 2",
        ),
        ("bf01ff", "   ff  # !! odd-map: break between a map key and its value, at byte 2"),
        ("5f410161", "   61 # !! bad-chunk: 61 begins no definite-length byte string, at byte 3"),
        ("1900", "19 00 # !! truncated: input ends inside the head of an item, at byte 0"),
        (
            "ff",
            "ff # !! unexpected-break: break where no indefinite-length item is open, at byte 0",
        ),
    ] {
        let dump = edn::dump(&hex(bytes));
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed(dump.lines().last().unwrap()), squeezed(fault), "{dump}");
        assert_eq!(to_hex(&edn::parse_hex(&dump).unwrap()), bytes, "{dump}");
    }
    assert_eq!(edn::dump(b""), "# empty\n");
    let long = edn::dump(&[&[0xfe][..], &[7; 40]].concat());
    assert!(long.ends_with("at byte 0, and 25 more bytes\n"), "{long}");
}

#[test]
fn hex_as_people_write_it() {
    let bytes = hex("820102");
    for source in [
        "820102",
        "82 01 02",
        "8 2 0102",
        "0x82, 0x01, 0x02",
        "0x820102",
        "{ 0x82, 0x1, 0x2 };",
        "82 # array\n01 // one\n-- two:\n02",
        "82 /* array # // */ 01 02",
        "0000: 82\n0001: 01 02\n",
        "  0: 82 01\n  2:    02   # cafe\n",
    ] {
        assert_eq!(edn::parse_hex(source).unwrap(), bytes, "{source}");
    }
    assert_eq!(edn::parse_hex("").unwrap(), b"");
    for (source, span) in [
        ("8", 0..1),
        ("82 0g", 4..5),
        ("0x", 0..2),
        ("0x123", 0..5),
        ("82 /* 01", 3..5),
        ("8 0x12", 2..6),
    ] {
        assert_eq!(edn::parse_hex(source).unwrap_err().span(), span, "{source}");
    }
}
