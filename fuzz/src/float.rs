//! The ladder by its definition, and one rounding against two exact oracles.

use crate::{Target, seeds};
use calibor::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, Integer,
    Number, Overflow, Shortest, SmallFloat, f16_to_f64_bits, f32_to_f64_bits, f64_bits_to_f16_bits,
    f64_bits_to_f32_bits, is_exact_f16, is_exact_f32, shortest_bits,
};
use calibor::{Deserializer, Profile, Value, to_vec};
use num_bigint::{BigInt, BigUint, Sign};
use oracle::{Rational, Spec};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use serde::Deserialize;

/// The oracle of the crate's own tests, which knows every format.
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/it/float/oracle.rs"]
mod oracle;

pub const TARGET: Target = Target {
    name: "float",
    steps: |data| if data.len() < 8 { 0 } else { STEPS },
    ask,
    seeds: float_seeds,
};

const STEPS: usize = 3 + 2 * FORMATS.len() + 1 + 4 * (FORMATS.len() + 1);

/// What is asked of one format.
struct Format {
    by_search: fn(u64),
    of_rational: fn(&Number<'_>, &Rational, bool),
    text: fn(&str),
}

/// Every format with a sign.
const FORMATS: [Format; 9] = {
    const fn of<T: SmallFloat>() -> Format {
        Format {
            by_search: by_search::<T>,
            of_rational: by_search_of_rational::<T>,
            text: text_never_panics::<T>,
        }
    }
    [
        of::<F16>(),
        of::<BF16>(),
        of::<F8E4M3FN>(),
        of::<F8E5M2>(),
        of::<F8E4M3FNUZ>(),
        of::<F8E5M2FNUZ>(),
        of::<F6E2M3FN>(),
        of::<F6E3M2FN>(),
        of::<F4E2M1FN>(),
    ]
};

/// Eight bytes are a binary64. Behind them stand an exponent and the digits of an integer, or text.
fn ask(step: usize, data: &[u8]) {
    let Some((bits, rest)) = data.split_first_chunk() else { return };
    let bits = u64::from_be_bytes(*bits);
    match step {
        0 => return ladder(bits),
        1 => return rounded(bits),
        2 => return through_the_wire(bits),
        _ => {}
    }
    if let Some(format) = FORMATS.get(step - 3) {
        return (format.by_search)(bits);
    }
    let Some((&exponent, rest)) = rest.split_first() else { return };
    let exponent = i8::from_be_bytes([exponent]);
    let digits = &rest[..rest.len().min(24)];
    let step = step - 3 - FORMATS.len();
    if let Some(format) = FORMATS.get(step) {
        return std::str::from_utf8(rest).map_or((), format.text);
    }
    match step - FORMATS.len() {
        0 => large_formats(digits, exponent),
        step => integer(step - 1, digits, exponent),
    }
}

/// The shortest form is the first whose widening gives the same bits back.
fn ladder(bits: u64) {
    let got = shortest_bits(bits);
    assert_eq!(got.to_f64_bits(), bits, "{bits:016x}");
    let magnitude = bits & (u64::MAX >> 1);
    let (half, single) = if magnitude > 0x7ff << 52 {
        // A NaN is kept whole: sign, quiet bit and payload.
        (bits << 22 == 0, bits << 35 == 0)
    } else {
        let exact = |status: Status| !status.intersects(Status::INEXACT | Status::OVERFLOW);
        let (half, single) = (convert::<Half>(bits), convert::<Single>(bits));
        (exact(half.1), exact(single.1))
    };
    let want = match (half, single) {
        (true, _) => 16,
        (_, true) => 32,
        _ => 64,
    };
    let width = match got {
        Shortest::F16(_) => 16,
        Shortest::F32(_) => 32,
        Shortest::F64(_) => 64,
    };
    assert_eq!(width, want, "{bits:016x}");
    assert_eq!((is_exact_f16(bits), is_exact_f32(bits)), (half, single), "{bits:016x}");
    assert_eq!(f64_bits_to_f16_bits(bits).map(f16_to_f64_bits), half.then_some(bits));
    assert_eq!(f64_bits_to_f32_bits(bits).map(f32_to_f64_bits), single.then_some(bits));
}

fn convert<T: Float>(bits: u64) -> (u128, Status)
where
    Double: FloatConvert<T>,
{
    let peer = Double::from_bits(bits.into()).convert_r(Round::NearestTiesToEven, &mut false);
    (peer.value.to_bits(), peer.status)
}

fn rounded(bits: u64) {
    let number = Number::from_f64_bits(bits);
    if f64::from_bits(bits).is_nan() {
        assert!(number.round::<F16>().0.is_nan() && number.to_f32().0.is_nan());
        return;
    }
    let same = |(code, exact): (u128, bool), (want, status): (u128, Status)| {
        assert_eq!((code, exact), (want, !status.intersects(Status::INEXACT)), "{bits:016x}");
    };
    fn code<T: SmallFloat>((x, exact): (T, bool)) -> (u128, bool) {
        (x.to_bits_u16().into(), exact)
    }
    same(code(number.round::<F16>()), convert::<Half>(bits));
    same(code(number.round::<BF16>()), convert::<BFloat>(bits));
    same(code(number.round::<F8E5M2>()), convert::<Float8E5M2>(bits));
    same(code(number.round::<F8E4M3FN>()), convert::<Float8E4M3FN>(bits));
    let (single, exact) = number.to_f32();
    same((single.to_bits().into(), exact), convert::<Single>(bits));
    let (double, exact) = number.to_f64();
    assert_eq!((double.to_bits(), exact), (bits, true));
}

fn by_search<T: SmallFloat>(bits: u64) {
    let value = f64::from_bits(bits);
    if !value.is_finite() {
        return;
    }
    let spec = Spec::of::<T>();
    for overflow in [Overflow::Ieee, Overflow::Saturate] {
        let got = Number::from_f64_bits(bits).round_with::<T>(overflow).0.to_bits_u16();
        let want = spec.round(&Rational::from_f64(value), value.is_sign_negative(), overflow);
        assert_eq!(got, want, "{} {bits:016x}", T::NAME);
        assert_eq!(T::from_f64_with(value, overflow).to_bits_u16(), want, "{}", T::NAME);
    }
}

/// What the codec writes of a float, and how it reads it into another.
fn through_the_wire(bits: u64) {
    let value = f64::from_bits(bits);
    let bytes = to_vec(&value).expect("a float has a form");
    assert_eq!(calibor::from_slice::<f64>(&bytes).map(f64::to_bits).ok(), Some(bits));
    let wide = Profile::DAG_CBOR.encode(&value);
    assert_eq!(wide.is_ok(), value.is_finite());
    for bytes in wide.iter().chain([&bytes]) {
        let small = Profile::VALID.decode::<F16>(bytes).map(F16::to_bits);
        assert_eq!(small.ok(), Some(F16::from_f64(value).to_bits()), "{bits:016x}");
        let single = Profile::VALID.decode::<f32>(bytes).map(f32::to_bits);
        assert_eq!(single.ok(), Some(Number::from_f64_bits(bits).to_f32().0.to_bits()));
        let exact = f32::deserialize(
            &mut Deserializer::from_slice(bytes).profile(Profile::VALID).exact_floats(true),
        );
        assert_eq!(exact.is_ok(), is_exact_f32(bits), "{bits:016x}");
    }
}

/// Integers of any length, of either sign, as the mantissa of tags 4 and 5.
fn integer(step: usize, magnitude: &[u8], exponent: i8) {
    let wide = BigInt::from_bytes_be(Sign::Plus, magnitude);
    let (integer, wide) = match step % 2 {
        0 => (Integer::from_be_bytes(false, magnitude), wide),
        _ => (Integer::minus_one_minus(magnitude), -wide - 1),
    };
    let (number, base) = match step / 2 % 2 {
        0 => (Number::binary(integer, exponent.into()), 2_u8),
        _ => (Number::decimal(integer, exponent.into()), 10),
    };
    let Some(format) = FORMATS.get(step / 4) else {
        return decoded(&number, &wide, base, exponent);
    };
    let negative = wide.sign() == Sign::Minus;
    let power = BigUint::from(base).pow(exponent.unsigned_abs().into());
    let exact = if exponent < 0 {
        Rational(wide, power)
    } else {
        Rational(wide * BigInt::from(power), BigUint::from(1_u8))
    };
    (format.of_rational)(&number, &exact, negative);
}

/// A decimal as binary64, binary32 and binary16.
fn large_formats(magnitude: &[u8], exponent: i8) {
    let wide = BigInt::from_bytes_be(Sign::Plus, magnitude);
    // What the oracle says of exactness is wrong for some decimals of 40 digits and more, so that is asked of the
    // fractions.
    let decimal = Number::decimal(Integer::from_be_bytes(false, magnitude), exponent.into());
    let text = format!("{wide}e{exponent}");
    let (up, down) = (exponent.max(0).unsigned_abs(), exponent.min(0).unsigned_abs());
    let power = |by: u8| BigInt::from(10).pow(by.into());
    let is_exact = |value: f64| {
        value.is_finite() && {
            let Rational(numerator, denominator) = Rational::from_f64(value);
            numerator * power(down) == &wide * power(up) * BigInt::from(denominator)
        }
    };
    let (double, exact) = decimal.to_f64();
    let peer = Double::from_str_r(&text, Round::NearestTiesToEven).expect("a number").value;
    assert_eq!(u128::from(double.to_bits()), peer.to_bits(), "{text}");
    assert_eq!(exact, is_exact(double), "{text}");
    let (single, exact) = decimal.to_f32();
    let peer = Single::from_str_r(&text, Round::NearestTiesToEven).expect("a number").value;
    assert_eq!(u128::from(single.to_bits()), peer.to_bits(), "{text}");
    assert_eq!(exact, is_exact(single.into()), "{text}");
    let parsed = F16::parse_with(&text, Overflow::Ieee).map(|half| half.to_bits().into());
    let peer = Half::from_str_r(&text, Round::NearestTiesToEven).expect("a number").value;
    assert_eq!(parsed.ok(), Some(peer.to_bits()), "{text}");
}

fn by_search_of_rational<T: SmallFloat>(number: &Number<'_>, exact: &Rational, negative: bool) {
    for overflow in [Overflow::Ieee, Overflow::Saturate] {
        let got = number.round_with::<T>(overflow).0.to_bits_u16();
        let want = Spec::of::<T>().round(exact, negative, overflow);
        assert_eq!(got, want, "{} {exact:?}", T::NAME);
    }
}

/// The same number as tag 4 or 5 in CBOR.
fn decoded(number: &Number<'_>, integer: &BigInt, base: u8, exponent: i8) {
    let Ok(mantissa) = i128::try_from(integer.clone()) else { return };
    let pair = Value::Array(vec![Value::Integer(exponent.into()), Value::Integer(mantissa)]);
    let tag = if base == 10 { 4 } else { 5 };
    let bytes = to_vec(&Value::Tag(tag, Box::new(pair))).expect("a fraction has a form");
    let half = calibor::from_slice::<F16>(&bytes).map(F16::to_bits);
    assert_eq!(half.ok(), Some(number.round::<F16>().0.to_bits()), "{integer} {base}^{exponent}");
    let single = calibor::from_slice::<f32>(&bytes).map(f32::to_bits);
    assert_eq!(single.ok(), Some(number.to_f32().0.to_bits()), "{integer} {base}^{exponent}");
}

fn text_never_panics<T: SmallFloat>(text: &str) {
    for overflow in [Overflow::Ieee, Overflow::Saturate] {
        if let Ok(number) = T::parse_with(text, overflow) {
            let again = T::parse_with(&number.to_string(), overflow).map(T::to_bits_u16);
            assert!(number.is_nan() || again == Ok(number.to_bits_u16()), "{} {text:?}", T::NAME);
        }
    }
}

/// The floats of the tables, and what lies beside the edges of the formats.
fn float_seeds() -> Vec<Vec<u8>> {
    let mut doubles: Vec<u64> = (0..=u16::MAX).step_by(61).map(f16_to_f64_bits).collect();
    for seed in seeds::cbor() {
        match seed[..] {
            [0xf9, a, b] => doubles.push(f16_to_f64_bits(u16::from_be_bytes([a, b]))),
            [0xfa, a, b, c, d] => doubles.push(f32_to_f64_bits(u32::from_be_bytes([a, b, c, d]))),
            [0xfb, a, b, c, d, e, f, g, h] => {
                doubles.push(u64::from_be_bytes([a, b, c, d, e, f, g, h]));
            }
            _ => {}
        }
    }
    doubles
        .into_iter()
        .flat_map(|bits| [bits, bits.wrapping_add(1), bits.wrapping_sub(1)])
        .enumerate()
        .map(|(n, bits)| {
            let tail = [n as u8, (n / 3) as u8, 0x80, 0, 1];
            [&bits.to_be_bytes()[..], &tail[..n % 6]].concat()
        })
        .chain(
            ["1.5e-3", "-0x1.8p3", "NaN", "-inf"].map(|text| [&[0; 9], text.as_bytes()].concat()),
        )
        .collect()
}
