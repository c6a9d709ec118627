//! One rounding from anything, against both oracles.

use calibor::float::*;
use num_bigint::{BigInt, BigUint, Sign};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::oracle::{Rational, Spec};
use super::{EFFORT, Random};

/// A format that `rustc_apfloat` has too.
trait Known {
    type Peer: Float;
    fn of(number: &Number<'_>) -> (u128, bool);
}

macro_rules! known {
    ($($name:ident => $peer:ident;)*) => { $(
        impl Known for $name {
            type Peer = $peer;
            fn of(number: &Number<'_>) -> (u128, bool) {
                let (x, exact) = number.round::<$name>();
                (x.to_bits().into(), exact)
            }
        }
    )* };
}

known! { F16 => Half; BF16 => BFloat; F8E5M2 => Float8E5M2; F8E4M3FN => Float8E4M3FN; }

impl Known for f32 {
    type Peer = Single;
    fn of(number: &Number<'_>) -> (u128, bool) {
        let (x, exact) = number.to_f32();
        (x.to_bits().into(), exact)
    }
}

impl Known for f64 {
    type Peer = Double;
    fn of(number: &Number<'_>) -> (u128, bool) {
        let (x, exact) = number.to_f64();
        (x.to_bits().into(), exact)
    }
}

macro_rules! for_known {
    ($function:ident($($argument:expr),*)) => {
        $function::<F16>($($argument),*);
        $function::<BF16>($($argument),*);
        $function::<F8E5M2>($($argument),*);
        $function::<F8E4M3FN>($($argument),*);
        $function::<f32>($($argument),*);
        $function::<f64>($($argument),*);
    };
}

/// Doubles within a few units, or a random distance, of the midpoints of a format of `bits` significant bits.
fn near_midpoints(random: &mut Random, bits: u32) -> u64 {
    let mut next = || random.next().expect("endless");
    let exponent = 1023 - 160 + next() % 320;
    let midpoint = (next() | 1) << (52 - bits) & ((1 << 52) - 1);
    let offset = match next() % 4 {
        0 => 0,
        1 => next() % 4,
        2 => (next() % 4).wrapping_neg(),
        _ => (1 << (next() % 40)) | 1,
    };
    (next() << 63) | (exponent << 52 | midpoint).wrapping_add(offset) & (u64::MAX >> 1)
}

#[test]
fn binary64_against_apfloat() {
    fn check<T: Known>(bits: u64)
    where
        Double: FloatConvert<T::Peer>,
    {
        let peer = Double::from_bits(bits.into()).convert_r(Round::NearestTiesToEven, &mut false);
        let exact = !peer.status.intersects(Status::INEXACT);
        let got = T::of(&Number::from_f64_bits(bits));
        assert_eq!(got, (peer.value.to_bits(), exact), "{bits:016x}");
    }
    let mut random = Random(2);
    for _ in 0..20_000 * EFFORT {
        for significant in [3, 4, 8, 11, 24] {
            for_known!(check(near_midpoints(&mut random, significant)));
        }
    }
}

#[test]
fn integers_against_apfloat() {
    fn check<T: Known>(magnitude: u128, negative: bool) {
        let peer = T::Peer::from_u128_r(magnitude, Round::NearestTiesToEven);
        let value = if negative && magnitude != 0 { -peer.value } else { peer.value };
        let got = T::of(&Number::from(Integer::new(negative, magnitude))).0;
        assert_eq!(got, value.to_bits(), "{magnitude}");
    }
    let mut random = Random(3);
    for _ in 0..20_000 * EFFORT {
        let mut next = || random.next().expect("endless");
        let wide = u128::from(next()) << 64 | u128::from(next());
        // A run of leading bits and, far below, perhaps one more: the integers that lie beside a tie.
        let top = wide >> 64 << 64 >> (next() % 60) << (next() % 60);
        for integer in [wide >> (next() % 128), top, top + 1, top.wrapping_sub(1)] {
            for_known!(check(integer, next() % 2 == 0));
        }
    }
}

#[test]
fn inherent_integers_are_the_exact_ones() {
    fn check<T: SmallFloat>(number: Integer<'_>, got: T) {
        assert_eq!(Number::from(number).round::<T>().0.to_bits_u16(), got.to_bits_u16());
    }
    for bits in Random(4).take(100_000) {
        let bits = bits >> (bits % 60);
        let wide = i128::from(bits as i64) << (bits % 70);
        check(bits.into(), F16::from_u64(bits));
        check((bits as i64).into(), BF16::from_i64(bits as i64));
        check(wide.into(), BF16::from_i128(wide));
        check(wide.unsigned_abs().into(), F8E5M2::from_u128(wide.unsigned_abs()));
        check(wide.into(), F8E8M0FNU::from_i128(wide));
    }
    assert_eq!(F16::from_i64(-65520), F16::NEG_INFINITY);
    assert_eq!(F16::from_i64(0).to_bits(), 0);
}

#[test]
fn decimals_against_apfloat() {
    fn check<T: Known>(digits: u64, exponent: i32) {
        let peer = T::Peer::from_str_r(&format!("{digits}e{exponent}"), Round::NearestTiesToEven);
        let peer = peer.expect("a number");
        let number = Number::decimal(Integer::from(digits), exponent.into());
        let exact = !peer.status.intersects(Status::INEXACT);
        assert_eq!(T::of(&number), (peer.value.to_bits(), exact), "{digits}e{exponent}");
    }
    fn parsed<T: Known + std::str::FromStr>(text: &str, bits: impl Fn(T) -> u128) {
        let peer = T::Peer::from_str_r(text, Round::NearestTiesToEven).expect("a number").value;
        assert_eq!(text.parse().map(bits).ok(), Some(peer.to_bits()), "{text}");
    }
    let mut random = Random(5);
    for _ in 0..20_000 * EFFORT {
        let mut next = || random.next().expect("endless");
        let digits = next() >> (next() % 64);
        let exponent = (next() % 100) as i32 - 60;
        for_known!(check(digits, exponent));
        check::<f64>(digits, (next() % 700) as i32 - 360);
    }
    // Beside the ties of binary64 numbers, which have decimals of every length.
    for _ in 0..3_000 * EFFORT {
        let tie = f64::from_bits(near_midpoints(&mut random, 11));
        for text in [format!("{tie:e}"), format!("{tie:.60e}"), format!("{tie}0000001")] {
            parsed::<F16>(&text, |x| x.to_bits().into());
            parsed::<BF16>(&text, |x| x.to_bits().into());
            parsed::<F8E5M2>(&text, |x| x.to_bits().into());
            parsed::<F8E4M3FN>(&text, |x| x.to_bits().into());
        }
    }
}

#[test]
fn every_format_against_the_slow_oracle() {
    fn check<T: SmallFloat>() {
        let spec = Spec::of::<T>();
        let mut random = Random(6);
        // Every midpoint of the narrow formats, a sample of the others, and a unit to either side.
        let step = if T::BITS == 16 { 97 } else { 1 };
        for code in (0..=spec.max()).step_by(step) {
            let next = if code == spec.max() {
                2.0 * spec.value(code) - spec.value(code - 1)
            } else {
                spec.value(code + 1)
            };
            let midpoint = f64::midpoint(spec.value(code), next).to_bits();
            let beyond = random.next().expect("endless");
            for bits in [midpoint - 1, midpoint, midpoint + 1, midpoint + (beyond >> 20)] {
                for value in [f64::from_bits(bits), -f64::from_bits(bits)] {
                    for overflow in [Overflow::Ieee, Overflow::Saturate] {
                        let negative = value.is_sign_negative();
                        let want = if value.is_finite() {
                            spec.round(&Rational::from_f64(value), negative, overflow)
                        } else {
                            spec.beyond(negative, overflow)
                        };
                        let got = T::from_f64_with(value, overflow).to_bits_u16();
                        assert_eq!(got, want, "{} {value:e} {overflow:?}", T::NAME);
                    }
                }
            }
        }
    }
    for_signed!(check);
}

/// The oracle's answer for `mantissa * base^exponent`.
fn scaled(spec: &Spec, mantissa: &BigInt, base: u32, exponent: i32) -> u16 {
    let power = BigUint::from(base).pow(exponent.unsigned_abs());
    let number = if exponent < 0 {
        Rational(mantissa.clone(), power)
    } else {
        Rational(mantissa * BigInt::from(power), BigUint::from(1_u8))
    };
    spec.round(&number, mantissa.sign() == Sign::Minus, Overflow::Ieee)
}

#[test]
fn long_mantissas_beside_a_tie() {
    fn check<T: SmallFloat>() {
        let spec = Spec::of::<T>();
        for digits in [1, 20, 40, 300, 1000, 1022, 1023, 1024, 1025, 1026, 1100, 1300, 3000] {
            // 1 + half a unit of the last place, as an integer of so many digits, and its neighbours.
            let tie = 1.0 + half_unit::<T>();
            let exact = Rational::from_f64(tie);
            let ten = BigInt::from(10).pow(digits);
            let mantissa: BigInt = exact.0 * &ten / BigInt::from(exact.1);
            for offset in [-1, 0, 1] {
                let mantissa: BigInt = &mantissa + offset;
                let (sign, bytes) = mantissa.to_bytes_be();
                let want = scaled(spec, &mantissa, 10, -(digits as i32));
                let integer = Integer::from_be_bytes(sign == Sign::Minus, &bytes);
                let (got, _) = Number::decimal(integer, -i128::from(digits)).round::<T>();
                assert_eq!(got.to_bits_u16(), want, "{} {digits} {offset}", T::NAME);
                let text = format!("{mantissa}e-{digits}");
                let parsed = T::parse_with(&text, Overflow::Ieee).map(T::to_bits_u16);
                assert_eq!(parsed, Ok(want), "{} {digits} {offset}", T::NAME);
                // -1 - n for n one less is the same number with the other sign.
                let (_, less) = (&mantissa - 1_i32).to_bytes_be();
                let (minus, _) =
                    Number::decimal(Integer::minus_one_minus(&less), -i128::from(digits))
                        .round::<T>();
                assert_eq!(minus.to_f64(), -got.to_f64());
            }
        }
    }
    check::<F16>();
    check::<BF16>();
    check::<F8E4M3FN>();
    check::<F6E2M3FN>();
}

/// Half of what separates 1 from the next number.
fn half_unit<T: SmallFloat>() -> f64 {
    let one = T::from_f64_with(1.0, Overflow::Ieee);
    (T::from_bits_u16(one.to_bits_u16() + 1).to_f64() - 1.0) / 2.0
}

#[test]
fn integers_of_any_length() {
    let spec = Spec::of::<BF16>();
    let mut random = Random(7);
    for length in 0..40_usize {
        for pattern in 0..200 {
            let mut bytes: Vec<u8> = random.by_ref().take(length).map(|x| x as u8).collect();
            if pattern % 2 == 0 {
                bytes
                    .iter_mut()
                    .skip(1 + pattern / 2 % 3)
                    .for_each(|byte| *byte = [0, 255, 128][pattern % 3]);
            }
            let integer = BigInt::from_bytes_be(Sign::Plus, &bytes);
            let want = scaled(spec, &integer, 2, 0);
            let (got, _) = Number::from(Integer::from_be_bytes(false, &bytes)).round::<BF16>();
            assert_eq!(got.to_bits(), want, "{integer}");
            let minus: BigInt = -integer - 1_i32;
            let want = scaled(spec, &minus, 2, 0);
            let (got, _) = Number::from(Integer::minus_one_minus(&bytes)).round::<BF16>();
            assert_eq!(got.to_bits(), want, "{minus}");
            let exponent = random.next().expect("endless") as i32 % 200;
            let want = scaled(spec, &minus, 2, exponent);
            let number = Number::binary(Integer::minus_one_minus(&bytes), exponent.into());
            assert_eq!(number.round::<BF16>().0.to_bits(), want, "{minus} {exponent}");
        }
    }
}

/// Mantissas of every length and kind, times the powers of ten that bring them to both ends of binary64, against the
/// standard library.
#[test]
fn decimals_to_the_ends_of_binary64() {
    let mut random = Random(8);
    for digits in [1, 2, 5, 18, 19, 20, 25, 30, 38, 39, 45, 100, 400, 1000, 1100] {
        for round in 0..40 {
            let mut text = String::from(["1", "4", "9"][round % 3]);
            let digit = |x: u64| char::from(b'0' + (x % 10) as u8);
            let more = random.by_ref().take(digits - 1);
            text.extend(more.map(|x| if round < 20 { '0' } else { digit(x) }));
            let integer: BigUint = text.parse().expect("digits");
            let bytes = integer.to_bytes_be();
            for last in [
                -330, -326, -325, -324, -323, -320, -308, -40, -1, 0, 1, 40, 300, 306, 307, 308,
                309,
            ] {
                let exponent = last - digits as i32 + 1;
                let want: f64 = format!("{text}e{exponent}").parse().expect("a number");
                let mut doors = vec![Integer::from_be_bytes(false, &bytes)];
                doors.extend(text.parse::<u128>().ok().map(Integer::from));
                for integer in doors {
                    let (got, _) = Number::decimal(integer, exponent.into()).to_f64();
                    assert_eq!(got, want, "{text}e{exponent}");
                }
            }
        }
    }
}

/// 1 + 2^-8 is the tie above 1 in bfloat16, and any bit far below it decides.
#[test]
fn a_tie_is_broken_by_the_last_byte() {
    for zeros in 0..60 {
        let tie = [&[0x80, 0x80][..], &vec![0; zeros]].concat();
        let round = |bytes: &[u8], plus_one| {
            let integer = if plus_one {
                Integer::minus_one_minus(bytes)
            } else {
                Integer::from_be_bytes(true, bytes)
            };
            let number = Number::binary(integer, -15 - 8 * zeros as i128);
            -number.round::<BF16>().0.to_f64()
        };
        assert_eq!(round(&tie, false), 1.0, "{zeros}");
        assert_eq!(round(&tie, true), 1.0078125, "{zeros}");
        for at in 2..tie.len() {
            let mut above = tie.clone();
            above[at] = 1;
            assert_eq!(round(&above, false), 1.0078125, "{zeros} {at}");
            // One less than the tie, to which one is added, and one less than that.
            let mut below = [&[0x80, 0x7f][..], &vec![0xff; zeros]].concat();
            assert_eq!(round(&below, true), 1.0, "{zeros} {at}");
            below[at] = 0xfe;
            assert_eq!(round(&below, true), 1.0, "{zeros} {at}");
        }
    }
}

#[test]
fn exponents_without_bound_cost_nothing() {
    let one = Integer::from(1_u64);
    let minus = Integer::from(-1_i64);
    for far in [1 << 20, 1 << 64, i128::MAX] {
        for number in [Number::decimal(one, far), Number::binary(one, far)] {
            assert_eq!(number.to_f64(), (f64::INFINITY, false));
            assert_eq!(number.round::<F16>(), (F16::INFINITY, false));
        }
        for number in [Number::decimal(minus, -far), Number::binary(minus, -far)] {
            let (zero, exact) = number.to_f64();
            assert!(zero == 0.0 && zero.is_sign_negative() && !exact);
        }
        for number in [
            Number::decimal(Integer::from(0_u64), far),
            Number::binary(Integer::minus_one_minus(&[]), -far),
        ] {
            assert!(!number.to_f32().0.is_nan());
        }
        let zero = Number::decimal(Integer::from_be_bytes(true, &[0, 0]), far);
        assert_eq!(zero.to_f64().0.to_bits(), 0, "an integer has no negative zero");
    }
    // A megabyte: 0xab.. is 2.8597... * 10^2525222.
    let long = vec![0xab; 1 << 20];
    let number = Number::decimal(Integer::from_be_bytes(false, &long), -2_525_222);
    assert_eq!(number.to_f64().0, 2.859_715_095_798_742_3);
    let number = Number::decimal(Integer::minus_one_minus(&long), -2_525_222 - 330);
    assert_eq!(number.to_f64().0.to_bits(), (-0.0_f64).to_bits());
}
