//! Diagnostic notation: no text makes the parser panic, what it makes is well-formed, and print and parse are inverse.

use crate::hex;
use calibor::Profile;
use calibor::edn::{ByteFormat, Dialect, Dump, Parser, Printer, dump, parse_hex, to_string};

pub fn run(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        for dialect in [Dialect::Draft25, Dialect::Draft26] {
            parse(text, &Parser::new().dialect(dialect));
        }
        parse(text, &Parser::new().base32(true).any_text(true).max_depth(4));
        parse(text, &Parser::new().profile(Profile::CORE));
        parse(text, &Parser::new().profile(Profile::DCBOR));
        let _ = parse_hex(text);
    }
    print(data);
    dumped(data);
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

fn print(data: &[u8]) {
    let formats = [ByteFormat::Hex, ByteFormat::Base64Url, ByteFormat::Text];
    for (n, format) in formats.into_iter().enumerate() {
        let plain = Printer::new().bytes(format);
        for printer in [
            plain.clone(),
            plain.clone().embedded(true),
            plain.pretty(true).width(n * 20).embedded(n == 1),
        ] {
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
    }
}

/// Annotated hex takes damaged bytes too, and leaves out most of what follows the damage.
fn dumped(data: &[u8]) {
    for text in
        [dump(data), Dump::new().offsets(true).embedded(true).profile(Profile::CORE).print(data)]
    {
        let back = parse_hex(&text);
        let whole = Profile::WELL_FORMED.check(data).is_ok();
        assert!(
            back.as_ref().is_ok_and(|back| back == data || !whole && data.starts_with(back)),
            "{} dumped {text:?}, read {back:?}",
            hex(data)
        );
    }
}
