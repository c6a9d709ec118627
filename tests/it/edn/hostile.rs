//! Text and bytes that mean harm: refused or printed in bounded stack, time and memory.

use calibor::edn::{self, Dialect, Dump, Parser, Printer};
use std::time::{Duration, Instant};

/// Runs on a stack that recursion would use up at once.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let start = Instant::now();
    std::thread::Builder::new().stack_size(128 * 1024).spawn(work).unwrap().join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn nesting_in_text() {
    on_a_small_stack(|| {
        for unit in [
            "[", "{", "{1:", "1(", "<<", "b1<<", "[_ ", "((", "(_ ", "{[]:", "\"a\"+<<", "/",
            "/*/", "'a'+",
        ] {
            let text = unit.repeat(1_000_000);
            for dialect in [Dialect::Draft25, Dialect::Draft26] {
                let error = Parser::new().dialect(dialect).parse(&text).unwrap_err();
                assert!(error.line() == 1 && error.column() < 8_000_001);
            }
        }
        let deep = format!("{}0{}", "[".repeat(100_000), "]".repeat(100_000));
        let read = Parser::new().max_depth(100_000).parse(&deep).unwrap();
        assert_eq!(read.len(), 100_001);
        assert_eq!(edn::parse(&deep).unwrap_err().detail(), "nested deeper than 128 levels");
        let limit = format!("{}0{}", "[".repeat(128), "]".repeat(128));
        assert_eq!(edn::parse(&limit).unwrap().len(), 129);
        assert!(edn::parse(&format!("[{limit}]")).is_err());
    });
}

#[test]
fn long_tokens() {
    on_a_small_stack(|| {
        const LONG: usize = 1_000_000;
        assert!(
            edn::parse(&"9".repeat(LONG)).unwrap_err().detail().contains("16384 decimal digits")
        );
        assert_eq!(edn::parse(&format!("0x{}", "f".repeat(LONG))).unwrap().len(), LONG / 2 + 6);
        assert_eq!(edn::parse(&format!("1.{}", "0".repeat(LONG))).unwrap(), [0xf9, 0x3c, 0]);
        assert_eq!(
            edn::parse(&format!("1.{}e-{}", "0".repeat(LONG), "9".repeat(LONG))).unwrap(),
            [0xf9, 0, 0]
        );
        assert!(edn::parse(&format!("1e{}", "9".repeat(LONG))).is_err());
        assert!(edn::parse(&format!("0x1p{}", "9".repeat(LONG))).is_err());
        assert_eq!(
            edn::parse(&format!("0x0.{}1p-{}", "0".repeat(LONG), "9".repeat(LONG))).unwrap(),
            [0xf9, 0, 0]
        );
        assert_eq!(edn::parse(&format!("h'{}'", "00 ".repeat(LONG))).unwrap().len(), LONG + 5);
        assert!(edn::parse(&"`".repeat(LONG)).is_err());
        assert!(edn::parse(&"a".repeat(LONG)).is_err());
        assert!(edn::parse(&format!("1{}", " ".repeat(LONG))).is_ok());
        assert_eq!(edn::parse(&vec!["'a'"; LONG].join("+")).unwrap().len(), LONG + 5);
        assert_eq!(edn::parse_seq(&"1 ".repeat(LONG)).unwrap().len(), LONG);
        assert_eq!(edn::parse_hex(&"  0:".repeat(LONG)).unwrap_err().line(), 1);
        let numbers = vec!["7".repeat(16_384); 60].join(" ");
        assert!(edn::parse_seq(&numbers).is_ok());
    });
}

#[test]
fn nesting_in_bytes() {
    on_a_small_stack(|| {
        for first in [0x81, 0x9f, 0xa1, 0xc1, 0xbf, 0x5f] {
            let bytes = vec![first; 1_000_000];
            assert!(edn::to_string(&bytes).is_err());
            assert!(Printer::new().pretty(true).embedded(true).print(&bytes).is_err());
            let dump = Dump::new().embedded(true).print(&bytes);
            assert!(dump.len() < 100_000 && dump.contains("!! "), "{}", dump.len());
        }
        // Lengths that lie.
        for bytes in [
            &b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff"[..],
            b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\xbb\x80\0\0\0\0\0\0\0",
        ] {
            assert!(edn::to_string(bytes).is_err());
            assert!(edn::dump(bytes).contains("!! truncated"));
        }
    });
}

/// A byte string that would be opened if it were there is told as what it is.
#[test]
fn embedded_bytes_that_are_missing() {
    for (bytes, levels) in [
        // 63(h'… 2^64 - 1 bytes'), 24(h'… 5 bytes'), 18([h'… 2^63 bytes'
        ("d83f5bffffffffffffffff", 1),
        ("d83f5bffffffffffffffff0102", 1),
        ("d8184501", 1),
        ("d284 5b8000000000000000", 2),
    ] {
        let bytes = crate::support::hex(&bytes.replace(' ', ""));
        let dump = Dump::new().embedded(true).print(&bytes);
        let last = dump.lines().last().unwrap();
        assert!(
            last.starts_with(&"   ".repeat(levels)) && last.contains("!! truncated: "),
            "{dump}"
        );
        assert!(Printer::new().embedded(true).print(&bytes).is_err());
        assert!(bytes.starts_with(&edn::parse_hex(&dump).unwrap()));
    }
}

/// Every beginning of a text, and every text with one character lost, is read or refused.
#[test]
fn damaged_text() {
    let text = "{_ 1_0: [_2 -0x1p-3_3, \"\\u{1f600}\\ud83d\\ude00\" + 'b' + ..., `` raw` ``], 24(<<h'00...ff', b64'AA'>>_1): \
                (_ \"a\", \"b\"_0) / c / , dt'2020-01-01T00:00:00.5+01:00': IP'::/0' # x\n, float'7e01': hash<<'a', -44>>}";
    for dialect in [Dialect::Draft25, Dialect::Draft26] {
        let parser = Parser::new().dialect(dialect);
        for (at, c) in text.char_indices() {
            let _ = parser.parse(&text[..at]);
            let _ = parser.parse(&text[at..]);
            let _ = parser.parse(&[&text[..at], &text[at + c.len_utf8()..]].concat());
            for other in ["\0", "'", "\"", "<<", ">>", "_", "é", "+", "(", "9"] {
                let _ =
                    parser.parse_seq(&[&text[..at], other, &text[at + c.len_utf8()..]].concat());
            }
        }
    }
    let read = edn::parse(text);
    assert!(read.is_ok(), "{read:?}");
}
