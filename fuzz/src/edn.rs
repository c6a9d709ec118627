//! Diagnostic notation: no text makes the parser panic, what it makes is well-formed, and print and parse are inverse.

use crate::{Target, hex, seeds};
use calibor::Profile;
use calibor::edn::{ByteFormat, Dialect, Dump, Parser, Printer, dump, parse_hex, to_string};

pub const TARGET: Target =
    Target { name: "edn", steps: |_| 6 + 9 + 2, ask, seeds: seeds::cbor_and_edn };

fn ask(step: usize, data: &[u8]) {
    match step {
        0..6 => {
            let Ok(text) = std::str::from_utf8(data) else { return };
            let parser = Parser::new();
            match step {
                0 => parse(text, &parser.dialect(Dialect::Draft25)),
                1 => parse(text, &parser.dialect(Dialect::Draft26)),
                2 => parse(text, &parser.base32(true).any_text(true).max_depth(4)),
                3 => parse(text, &parser.profile(Profile::CORE)),
                4 => parse(text, &parser.profile(Profile::DCBOR)),
                _ => drop(parse_hex(text)),
            }
        }
        6..15 => {
            let (format, layout) = ((step - 6) / 3, (step - 6) % 3);
            let printer = Printer::new()
                .bytes([ByteFormat::Hex, ByteFormat::Base64Url, ByteFormat::Text][format]);
            print(
                data,
                &match layout {
                    0 => printer,
                    1 => printer.embedded(true),
                    _ => printer.pretty(true).width(format * 20).embedded(format == 1),
                },
            );
        }
        15 => dumped(data, &dump(data)),
        _ => dumped(
            data,
            &Dump::new().offsets(true).embedded(true).profile(Profile::CORE).print(data),
        ),
    }
}

fn parse(text: &str, parser: &Parser) {
    match parser.parse(text) {
        Ok(bytes) => {
            let check = Profile::WELL_FORMED.check(&bytes);
            assert!(check.is_ok(), "{text:?} becomes {}: {}", hex(&bytes), crate::said(&check));
            let printed = to_string(&bytes).expect("well-formed");
            let again = Parser::new().any_text(true).parse(&printed);
            assert!(
                again.as_ref().is_ok_and(|again| *again == bytes),
                "{text:?} becomes {}, printed {printed:?}, which is {again:?}",
                hex(&bytes)
            );
            assert_eq!(parser.parse_seq(text).ok().as_ref(), Some(&bytes), "{text:?}");
        }
        Err(error) => {
            let span = error.span();
            assert!(
                span.start <= span.end && span.end <= text.len(),
                "{text:?}: {error} at {span:?}"
            );
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            assert!(error.line() >= 1 && error.column() >= 1 && !error.to_string().is_empty());
        }
    }
    if let Ok(bytes) = parser.parse_seq(text) {
        let printed = Printer::new().print_seq(&bytes).expect("a sequence");
        let again = Parser::new().any_text(true).parse_seq(&printed);
        assert!(
            again.as_ref().is_ok_and(|again| *again == bytes),
            "{text:?} becomes {}, printed {printed:?}, which is {again:?}",
            hex(&bytes)
        );
    }
}

fn print(data: &[u8], printer: &Printer) {
    let printed = printer.print(data);
    let well_formed = Profile::WELL_FORMED.check(data);
    assert_eq!(printed.is_ok(), well_formed.is_ok(), "{}", hex(data));
    let Ok(printed) = printed else { return };
    // Text that is not UTF-8 is joined from bytes by `+`, which draft 26 has no more.
    let any_text = Profile::VALID.check(data).is_err();
    for dialect in [Dialect::Draft25, Dialect::Draft26] {
        if any_text && dialect == Dialect::Draft26 {
            continue;
        }
        // What is embedded adds its levels to those around it.
        let parser = Parser::new().dialect(dialect).any_text(true).max_depth(1000);
        let parsed = parser.parse(&printed);
        assert!(
            parsed.as_ref().is_ok_and(|parsed| parsed == data),
            "{} printed {printed:?}, parsed {parsed:?}",
            hex(data)
        );
    }
}

/// Annotated hex takes damaged bytes too, and leaves out most of what follows the damage.
fn dumped(data: &[u8], text: &str) {
    let back = parse_hex(text);
    let whole = Profile::WELL_FORMED.check(data).is_ok();
    assert!(
        back.as_ref().is_ok_and(|back| back == data || !whole && data.starts_with(back)),
        "{} dumped {text:?}, read {back:?}",
        hex(data)
    );
}
