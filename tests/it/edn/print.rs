//! Printing: what is printed reads back to the same bytes, in every layout.

use super::{all_right, real_files};
use crate::support::{hex, rows, text, to_hex};
use calibor::edn::{self, ByteFormat, Parser, Printer};
use calibor::{Profile, Rule};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const DEEP: u32 = 600;

fn layouts() -> Vec<Printer> {
    let printer = Printer::new().max_depth(DEEP);
    let mut all = Vec::new();
    for format in [ByteFormat::Hex, ByteFormat::Base64Url, ByteFormat::Text] {
        for (pretty, embedded, offsets) in
            [(false, false, false), (true, true, true), (true, false, false)]
        {
            let printer = printer.clone().bytes(format).pretty(pretty).embedded(embedded);
            all.push(printer.clone().offsets(offsets).width(30));
            all.push(printer);
        }
    }
    all
}

fn wrong_round_trips(layouts: &[Printer], bytes: &[u8], wrong: &mut Vec<String>) {
    let parser = Parser::new().max_depth(DEEP).any_text(true);
    for printer in layouts {
        let printed = printer.print_seq(bytes).unwrap();
        let read = parser.parse_seq(&printed);
        if read.as_deref().ok() != Some(bytes) {
            let read = read.map(|bytes| to_hex(&bytes));
            wrong.push(format!("{printed}: {read:?}, wanted {}", to_hex(bytes)));
        }
    }
}

#[test]
fn print_and_parse_is_the_identity() {
    let mut wrong = Vec::new();
    let rows = rows("wellformed_seeds");
    let layouts = layouts();
    for row in &rows {
        let bytes = hex(text(row, "hex"));
        wrong_round_trips(&layouts, &bytes, &mut wrong);
        // Without options too, but for what is not valid or too deep.
        if row["depth"].as_u64() <= Some(128) {
            let printed = edn::to_string(&bytes).unwrap();
            match edn::parse(&printed) {
                Ok(read) if read == bytes => {}
                Err(_) if printed.contains("\"\" + h'") => {}
                read => wrong.push(format!("{printed}: {read:?}")),
            }
        }
    }
    assert!(rows.len() > 1900);
    all_right(&wrong);
}

#[test]
fn real_files_too() {
    let mut wrong = Vec::new();
    let layouts: Vec<_> = layouts().into_iter().step_by(5).collect();
    for path in real_files(&["cbor", "dag-cbor", "cose", "cborseq"]) {
        let mut bytes = std::fs::read(&path).unwrap();
        if path.ends_with("common__2DCode__raw__CBO2.cose.cbor") {
            // One item, and what is no CBOR after it.
            let trailing = Profile::WELL_FORMED.check(&bytes).unwrap_err();
            assert_eq!(trailing.rule(), Some(Rule::TrailingBytes));
            bytes.truncate(trailing.offset().unwrap().try_into().unwrap());
        }
        wrong_round_trips(&layouts, &bytes, &mut wrong);
    }
    all_right(&wrong);
}

#[test]
fn every_scalar_of_three_bytes() {
    let mut wrong = Vec::new();
    let parser = Parser::new();
    for first in 0..=0xffff_u32 {
        let [.., a, b] = first.to_be_bytes();
        for bytes in [
            vec![a, b],
            vec![0xf9, a, b],
            vec![0x19, a, b],
            vec![0xd9, a, b, 0x00],
            vec![0xfa, a, b, 0, 1],
        ] {
            let Ok(printed) = edn::to_string(&bytes) else { continue };
            let read = parser.parse(&printed);
            if read.as_deref().ok() != Some(&bytes) && !printed.contains(" + ") {
                wrong.push(format!("{printed}: {read:?}, wanted {}", to_hex(&bytes)));
            }
        }
    }
    all_right(&wrong);
}

/// Text that is not UTF-8 is refused, never read as something else.
#[test]
fn text_that_is_no_text() {
    for (bytes, printed) in
        [("61ff", "\"\" + h'ff'"), ("7f6161780180ff", "(_ \"a\", \"\" + h'80'_0)")]
    {
        assert_eq!(edn::to_string(&hex(bytes)).unwrap(), printed);
        assert!(edn::parse(printed).unwrap_err().detail().contains("not UTF-8"));
        assert_eq!(to_hex(&Parser::new().any_text(true).parse(printed).unwrap()), bytes);
    }
}

#[test]
fn layouts_look_like_this() {
    let cose = hex("d28443a10126a10442313154546869732069732074686520636f6e74656e742e40");
    let printer = Printer::new().embedded(true);
    assert_eq!(
        printer.print(&cose).unwrap(),
        "18([<<{1: -7}>>, {4: h'3131'}, h'546869732069732074686520636f6e74656e742e', h''])"
    );
    let printer = printer.pretty(true).width(40).bytes(ByteFormat::Text).offsets(true);
    assert_eq!(
        printer.print(&cose).unwrap(),
        "18([
  / 2 / <</ 3 / {/ 4 / 1: -7}>>,
  / 6 / {/ 7 / 4: '11'},
  / 11 / 'This is the content.',
  / 32 / ''
])"
    );
    let long = hex("9f98020102bf61611a000f4240616201ffff");
    assert_eq!(
        Printer::new().pretty(true).width(20).print(&long).unwrap(),
        "[_
  [_0 1, 2],
  {_
    \"a\": 1000000,
    \"b\": 1
  }
]"
    );
    assert_eq!(
        Printer::new().elide(1).print(&hex("a261616261620102")).unwrap(),
        "{\"a\": \"a\" + ..., ...: ...}"
    );
    assert_eq!(Printer::default().print_seq(&[]).unwrap(), "");
    let printer = Printer::default().embedded(true);
    assert_eq!(printer.print(&hex("d83f420102")).unwrap(), "63(<<1, 2>>)");
    assert_eq!(printer.print(&hex("d83f4118")).unwrap(), "63(h'18')");
    assert_eq!(Printer::new().pretty(true).print_seq(&hex("0102")).unwrap(), "1,\n2");
}

#[test]
fn errors_are_those_of_the_grammar() {
    for (bytes, message) in [
        ("", "input ends where an item is expected, RFC 8949 §3, at byte 0"),
        ("0001", "1 byte after the item, RFC 8949 §3, at byte 1"),
        ("8201", "input ends where an item is expected, RFC 8949 §3, at byte 2"),
        ("8201fe", "initial byte fe has reserved additional information, RFC 8949 §3, at byte 2"),
    ] {
        for printer in [Printer::new(), Printer::new().pretty(true)] {
            assert_eq!(printer.print(&hex(bytes)).unwrap_err().to_string(), message);
        }
    }
    let deep = [&[0x81; 129][..], &[0]].concat();
    assert!(edn::to_string(&deep[1..]).is_ok());
    let error = edn::to_string(&deep).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::TooDeep), "{error}");
}

/// In linear time and bounded stack, in the layouts that look ahead too: 40 MB, or 4 MB without optimization.
#[test]
fn a_large_file() {
    let mut bytes = hex("9f");
    for i in 0..if cfg!(debug_assertions) { 90_000 } else { 900_000_u32 } {
        bytes.extend_from_slice(&hex("a3616182181883f5f6f761624d"));
        bytes.extend_from_slice(b"twelve bytes!");
        let mut text = String::new();
        write!(text, "{i:016}").unwrap();
        bytes.extend_from_slice(&[0x61, b'c', 0x70]);
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes.push(0xff);
    let start = Instant::now();
    for printer in [Printer::new(), Printer::new().pretty(true).embedded(true)] {
        let printed = printer.print(&bytes).unwrap();
        eprintln!("{} bytes, printed after {:?}", bytes.len(), start.elapsed());
        assert!(edn::parse(&printed).unwrap() == bytes);
        eprintln!("{} characters, read after {:?}", printed.len(), start.elapsed());
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
