//! Text in, text out.

use calibor::float::*;
use calibor::{bf16, f4e2m1fn, f8e4m3fn, f8e8m0fnu, f16};

#[test]
fn the_grammar_is_that_of_f32() {
    let words = [
        "",
        "+",
        "-",
        ".",
        "e",
        "1",
        "+1",
        "-1",
        "1.",
        ".5",
        "-.5",
        "+.e1",
        "1e",
        "1e+",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1.5e1",
        " 1",
        "1 ",
        "1_0",
        "0x1",
        "inf",
        "-inf",
        "+inf",
        "INF",
        "infinity",
        "Infinity",
        "infinit",
        "nan",
        "NaN",
        "-nan",
        "nan1",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "-0",
        "-0e5",
        "00000.00000",
        "1..5",
        "1.5.",
        "--1",
        "+-1",
        "1f",
        "é",
        "1e5.0",
        "123456789012345678901234567890",
        "0.00000000000000000000000000000000000000000001",
    ];
    for word in words {
        let single: Result<f32, _> = word.parse();
        let half: Result<F16, _> = word.parse();
        match (single, half) {
            (Ok(single), Ok(half)) => {
                assert_eq!(single.is_nan(), half.is_nan(), "{word}");
                assert_eq!(single.is_sign_negative(), half.is_sign_negative(), "{word}");
                if single.is_infinite() {
                    assert!(half.is_infinite(), "{word}");
                }
            }
            (Err(single), Err(half)) => assert_eq!(single.to_string(), half.to_string(), "{word}"),
            other => panic!("{word}: {other:?}"),
        }
    }
    assert_eq!("inf".parse::<F4E2M1FN>(), Ok(F4E2M1FN::MAX));
    assert!("nan".parse::<F4E2M1FN>().is_err());
    assert!("-1".parse::<F8E8M0FNU>().expect("a number").is_nan());
}

#[test]
fn four_digits_are_enough_to_round_twice() {
    // text, f16, bf16: what a detour through f32 gets wrong
    let f16 = [
        ("9.498e-5", 0x0639),
        ("7.9602e-5", 0x0537),
        ("1.0004883", 0x3c01),
        ("2049.0001", 0x6801),
        ("65519.999", 0x7bff),
        ("2.9802323e-8", 0x0001),
    ];
    let bf16 = [
        ("8.6613e-7", 0x3569),
        ("3.17581e-7", 0x34ab),
        ("1.0039063", 0x3f81),
        ("257.00001", 0x4381),
        ("3.39617752923046e38", 0x7f7f),
        ("0.50195315", 0x3f01),
    ];
    for (text, bits) in f16 {
        assert_eq!(text.parse().map(F16::to_bits), Ok(bits), "{text}");
    }
    for (text, bits) in bf16 {
        assert_eq!(text.parse().map(BF16::to_bits), Ok(bits), "{text}");
    }
}

#[test]
fn eight_hundred_digits_and_one_more() {
    // 1 + 2^-11, the tie above 1, with its digits padded by zeros to any length.
    for zeros in [0, 700, 800, 1000, 1020, 2000, 100_000] {
        let tie = format!("1.00048828125{}", "0".repeat(zeros));
        assert_eq!(tie.parse().map(F16::to_bits), Ok(0x3c00), "{zeros}");
        assert_eq!(format!("{tie}1").parse().map(F16::to_bits), Ok(0x3c01), "{zeros}");
        assert_eq!(
            format!("1.00048828124{}", "9".repeat(zeros)).parse().map(F16::to_bits),
            Ok(0x3c00)
        );
        // The same number with its point far away.
        let shifted =
            format!("0.{}100048828125{}1e{}", "0".repeat(zeros), "0".repeat(zeros), zeros + 1);
        assert_eq!(shifted.parse().map(F16::to_bits), Ok(0x3c01), "{zeros}");
    }
}

#[test]
fn every_code_prints_and_parses_back() {
    fn check<T: SmallFloat>() {
        for code in 0..=u16::MAX >> (16 - T::BITS) {
            let x = T::from_bits_u16(code);
            for text in [x.to_string(), format!("{x:e}"), format!("{x:?}"), format!("{x:+}")] {
                let back: T = text.parse().expect("what was printed");
                let same = back.to_bits_u16() == code || back.is_nan() && x.is_nan();
                assert!(same, "{} {code:x} {text}", T::NAME);
            }
        }
    }
    for_all!(check);
}

#[test]
fn what_is_printed_is_the_shortest_and_nearest() {
    fn check<T: SmallFloat>() {
        let step = if T::BITS == 16 { 7 } else { 1 };
        for code in (0..=T::MAX.to_bits_u16()).step_by(step) {
            let x = T::from_bits_u16(code);
            let text = format!("{x:e}");
            let (mantissa, exponent) = text.split_once('e').expect("an exponent");
            let digits = mantissa.replace('.', "");
            // No text with one digit less comes back, not even the one on the other side.
            let exponent: i32 = exponent.parse().expect("an exponent");
            let len = digits.len() as i32;
            if len > 1 {
                let short: u64 = digits[..digits.len() - 1].parse().expect("digits");
                for short in [short, short + 1] {
                    let text = format!("{short}e{}", exponent - len + 2);
                    let back: T = text.parse().expect("a number");
                    let clamped = back.to_bits_u16() == T::MAX.to_bits_u16();
                    assert!(back.to_bits_u16() != code || clamped, "{} {code:x} {text}", T::NAME);
                }
            }
        }
    }
    for_all!(check);
}

/// Of the decimals of one length that come back, the nearest is printed: the one above and the one below are no nearer.
#[test]
fn no_other_decimal_of_that_length_is_nearer() {
    fn check<T: SmallFloat>() {
        for code in 1..=T::MAX.to_bits_u16() {
            let x = T::from_bits_u16(code);
            let text = format!("{x:e}");
            let (mantissa, exponent) = text.split_once('e').expect("an exponent");
            let digits: u64 = mantissa.replace('.', "").parse().expect("digits");
            let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len());
            let exponent = exponent.parse::<i32>().expect("an exponent") - places as i32;
            let far = |digits: u64| {
                let decimal = format!("{digits}e{exponent}");
                let back: T = decimal.parse().expect("a number");
                let value: f64 = decimal.parse().expect("a number");
                // Far more digits than a difference between two decimals of five has to have.
                (back.to_bits_u16() == code).then_some((value - x.to_f64()).abs() * (1.0 - 1e-9))
            };
            let printed = far(digits).expect("what was printed");
            for other in [digits - 1, digits + 1].map(far).into_iter().flatten() {
                assert!(printed <= other / (1.0 - 1e-9), "{} {code:x} {text}", T::NAME);
            }
        }
    }
    for_all!(check);
}

/// Nothing is too far from 1 to be told from it, whichever bits of an exponent are looked at.
#[test]
fn exponents_of_any_length_are_read() {
    for text in ["1e-331", "1e-400", "1e-4294967296", "1e-18446744073709551616", "0.1e-4294967295"]
    {
        assert_eq!(text.parse().map(F16::to_bits), Ok(0), "{text}");
        assert_eq!(text.parse().map(BF16::to_bits), Ok(0), "{text}");
    }
    for text in ["1e312", "1e400", "1e4294967296", "1e18446744073709551616"] {
        assert_eq!(text.parse(), Ok(F16::INFINITY), "{text}");
    }
    // Zeros before the point, or behind it, that take back what the exponent says.
    let zeros = "0".repeat(400);
    assert_eq!(format!("1{zeros}e-400").parse().map(F16::to_bits), Ok(0x3c00));
    assert_eq!(format!("0.{zeros}1e401").parse().map(F16::to_bits), Ok(0x3c00));
}

#[test]
fn every_specifier_is_honoured_as_f32_does() {
    let tenth = F16::from_f32(0.1);
    assert_eq!(format!("{tenth}"), "0.1");
    assert_eq!(format!("{tenth:?}"), "1e-1");
    assert_eq!(
        format!("{tenth:8}|{tenth:<8}|{tenth:^+9}|{tenth:08}"),
        "     0.1|0.1     |  +0.1   |000000.1"
    );
    assert_eq!(format!("{:E}", F16::from_f32(1500.0)), "1.5E3");
    assert_eq!(format!("{} {} {}", F16::INFINITY, F16::NEG_INFINITY, F16::NAN), "inf -inf NaN");
    assert_eq!(format!("{}", F16::from_f32(-0.0)), "-0");
    assert_eq!(F16::MAX.to_string(), "65500");
    assert_eq!(format!("{:.0}", F16::MAX), "65504");
    for code in 0..=u16::MAX {
        let (half, single) = (F16::from_bits(code), F16::from_bits(code).to_f32());
        assert_eq!(format!("{half:.3}"), format!("{single:.3}"), "{code:x}");
        assert_eq!(format!("{half:+12.2e}"), format!("{single:+12.2e}"), "{code:x}");
        assert_eq!(format!("{half:010.0}"), format!("{single:010.0}"), "{code:x}");
    }
}

#[test]
fn literals_are_constants() {
    const HALF: F16 = f16!(65519.999);
    const LONG: BF16 = bf16!(1.003906250000000000000000000000000000000001);
    const TABLE: [F8E4M3FN; 3] = [f8e4m3fn!(-1.5), f8e4m3fn!(464), f8e4m3fn!(1_0.5e0)];
    assert_eq!(HALF, F16::MAX);
    assert_eq!(LONG.to_bits(), 0x3f81);
    assert_eq!(TABLE.map(F8E4M3FN::to_f32), [-1.5, 448.0, 10.0]);
    assert_eq!(f4e2m1fn!(6.9).to_f32(), 6.0);
    assert_eq!(f8e8m0fnu!(0.5).to_f32(), 0.5);
    // 2^127, the largest of the scales, and the last decimal that is not past it: 1.5 * 2^127 would round up.
    assert_eq!(f8e8m0fnu!(170141183460469231731687303715884105728.0), F8E8M0FNU::MAX);
    assert_eq!(F8E8M0FNU::literal("1.7014118346046923e38"), F8E8M0FNU::MAX);
    assert_eq!(F8E8M0FNU::literal("2.5521177519070384e38"), F8E8M0FNU::MAX);
}

/// What the compiler says of a literal is what it says when it is asked at run time.
#[test]
fn literals_at_run_time() {
    assert_eq!(F16::literal("0.1"), f16!(0.1));
    assert_eq!(F8E4M3FN::literal("448"), f8e4m3fn!(448));
    assert_eq!(F8E8M0FNU::literal("0.5"), f8e8m0fnu!(0.5));
    let said = |literal: fn() -> u16| {
        let words = std::panic::catch_unwind(literal).unwrap_err();
        *words.downcast::<&str>().unwrap()
    };
    let (form, sign, past) = (
        "not a decimal literal without suffix",
        "the literal is not positive, and the format has only positive values",
        "the literal is past the largest finite value of the format",
    );
    assert_eq!(said(|| F16::literal("1f32").to_bits()), form);
    assert_eq!(said(|| F16::literal("inf").to_bits()), form);
    assert_eq!(said(|| F16::literal("65520.0").to_bits()), past);
    assert_eq!(said(|| F8E8M0FNU::literal("0").to_bits().into()), sign);
    assert_eq!(said(|| F8E8M0FNU::literal("-1.0").to_bits().into()), sign);
}

/// Underscores stand where Rust lets them, and what is no literal says so.
#[test]
fn the_grammar_of_a_literal_is_that_of_rust() {
    for literal in ["1f16", "nan", "1._5", "_1", "1e", ""] {
        let panic = std::panic::catch_unwind(|| F16::literal(literal)).expect_err(literal);
        let words = panic.downcast_ref::<&str>();
        assert_eq!(words, Some(&"not a decimal literal without suffix"), "{literal}");
    }
    for (literal, value) in
        [("1_0.2_5e0_1", 102.5), ("1_000", 1000.0), ("2_.0_", 2.0), ("5e-_1", 0.5)]
    {
        assert_eq!(F16::literal(literal).to_f64(), value, "{literal}");
    }
}
