//! All pairs, all operators, against exact rational results.

use std::ops::{Add, Div, Mul, Neg, Sub};

use calibor::float::*;
use num_bigint::{BigInt, BigUint, Sign};

use super::Random;
use super::oracle::{Rational, Spec};

trait Operators:
    SmallFloat
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
}

impl<T> Operators for T where
    T: SmallFloat
        + Add<Output = T>
        + Sub<Output = T>
        + Mul<Output = T>
        + Div<Output = T>
        + Neg<Output = T>
{
}

fn rational(sum: BigInt, denominator: BigUint) -> Rational {
    Rational(sum, denominator)
}

/// What must come out: by exact fractions, and by binary64 where only signs and specials are asked.
fn check<T: Operators>(x: T, y: T) {
    let spec = Spec::of::<T>();
    let (a, b) = (x.to_f64(), y.to_f64());
    let results =
        [('+', x + y, a + b), ('-', x - y, a - b), ('*', x * y, a * b), ('/', x / y, a / b)];
    for (operator, got, wide) in results {
        let context = format!("{} {a} {operator} {b}", T::NAME);
        if wide.is_nan() {
            assert!(got.is_nan() || !T::HAS_NAN, "{context}");
            continue;
        }
        if !a.is_finite() || !b.is_finite() || (operator == '/' && b == 0.0) {
            assert_eq!(
                got.to_bits_u16(),
                T::from_f64_with(wide, Overflow::Ieee).to_bits_u16(),
                "{context}"
            );
            continue;
        }
        let (p, q) = (Rational::from_f64(a), Rational::from_f64(b));
        let (Rational(n, d), Rational(m, e)) = (p, q);
        let exact = match operator {
            '+' => rational(n + m, d),
            '-' => rational(n - m, d),
            '*' => rational(n * m, d * e),
            _ => {
                let sign = if m.sign() == Sign::Minus { -1 } else { 1 };
                rational(n * sign, m.magnitude().clone())
            }
        };
        let want = spec.round(&exact, wide.is_sign_negative(), Overflow::Ieee);
        assert_eq!(got.to_bits_u16(), want, "{context}");
    }
}

#[test]
fn all_pairs_of_all_narrow_formats() {
    fn pairs<T: Operators>() {
        let codes = 0..1 << T::BITS;
        // An unoptimised build takes every third pair, and still each code with each other's neighbour.
        let step = if cfg!(debug_assertions) { 7 } else { 1 };
        for a in codes.clone() {
            for b in codes.clone().skip(usize::from(a) % step).step_by(step) {
                check(T::from_bits_u16(a), T::from_bits_u16(b));
            }
        }
    }
    for_narrow!(pairs);
}

#[test]
fn random_pairs_of_the_wide_formats() {
    for bits in Random(11).take(10_000 * super::EFFORT) {
        check(F16::from_bits(bits as u16), F16::from_bits((bits >> 16) as u16));
        check(BF16::from_bits(bits as u16), BF16::from_bits((bits >> 16) as u16));
        // Exponents near enough for the significands to meet.
        let near = (bits as u16 & 0x7fff).wrapping_add((bits >> 32) as u16 % 0x1000);
        check(BF16::from_bits(bits as u16), BF16::from_bits(near ^ (bits >> 48) as u16 & 0x8000));
        check(F16::from_bits(bits as u16), F16::from_bits(near ^ (bits >> 48) as u16 & 0x8000));
    }
}

#[test]
fn negation_is_of_the_sign_alone() {
    fn check<T: Operators>() {
        for code in 0..=u16::MAX >> (16 - T::BITS) {
            let x = T::from_bits_u16(code);
            let flipped = code ^ (1 << (T::BITS - 1));
            let want = if T::NAME.ends_with("uz") && flipped & 0x7f == 0 { code } else { flipped };
            assert_eq!((-x).to_bits_u16(), want, "{} {code:x}", T::NAME);
        }
    }
    for_signed!(check);
}

#[test]
fn operators_assign() {
    let mut x = F16::from_f32(1.5);
    x += x;
    x *= F16::from_f32(2.0);
    x -= F16::from_f32(1.0);
    x /= F16::from_f32(2.0);
    assert_eq!(x.to_f32(), 2.5);
    assert_eq!(F4E2M1FN::from_f32(6.0) + F4E2M1FN::from_f32(6.0), F4E2M1FN::MAX);
    assert!((F8E4M3FN::from_f32(448.0) * F8E4M3FN::from_f32(2.0)).is_nan());
}
