//! Every code of every format: value, class, limits, order, and the conversions that lose nothing.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::num::FpCategory;

use calibor::float::*;

use super::oracle::Spec;

fn codes<T: SmallFloat>() -> impl Iterator<Item = (u16, T)> {
    (0..=u16::MAX >> (16 - T::BITS)).map(|code| (code, T::from_bits_u16(code)))
}

#[test]
fn widening_gives_the_value_of_the_code() {
    fn check<T: SmallFloat>() {
        let spec = Spec::of::<T>();
        for (code, x) in codes::<T>() {
            let magnitude = code & ((1 << (T::BITS - 1)) - 1);
            if spec.is_nan(code) {
                assert!(x.is_nan() && x.to_f64().is_nan() && x.to_f32().is_nan(), "{code:x}");
            } else if spec.infinity() == Some(magnitude) {
                assert_eq!(x.to_f64().abs(), f64::INFINITY, "{code:x}");
            } else {
                assert_eq!(
                    x.to_f64().to_bits(),
                    spec.value(code).to_bits(),
                    "{} {code:x}",
                    T::NAME
                );
                assert_eq!(f64::from(x.to_f32()).to_bits(), x.to_f64().to_bits(), "{code:x}");
            }
        }
    }
    for_signed!(check);
}

#[test]
fn what_is_widened_comes_back_bit_for_bit() {
    fn check<T: SmallFloat>() {
        for (code, x) in codes::<T>() {
            for overflow in [Overflow::Ieee, Overflow::Saturate] {
                if overflow == Overflow::Saturate && x.to_f64().is_infinite() {
                    continue;
                }
                assert_eq!(T::from_f64_with(x.to_f64(), overflow).to_bits_u16(), code, "{code:x}");
                assert_eq!(T::from_f32_with(x.to_f32(), overflow).to_bits_u16(), code, "{code:x}");
            }
            let (same, exact) = Number::from_f64_bits(x.to_f64().to_bits()).round::<T>();
            assert_eq!((same.to_bits_u16(), exact), (code, true), "{} {code:x}", T::NAME);
        }
    }
    for_all!(check);
}

#[test]
fn a_nan_that_does_not_fit_is_the_quiet_one_of_its_sign() {
    // input, f16, bf16, e5m2, e4m3fn
    let rows = [
        (0x7ff8_0000_0000_0000, 0x7e00, 0x7fc0, 0x7e, 0x7f),
        (0x7ff0_0000_0000_0001, 0x7e00, 0x7fc0, 0x7e, 0x7f),
        (0xfff7_ffff_ffff_ffff, 0xfe00, 0xffc0, 0xfe, 0xff),
        (0x7ff0_0400_0000_0000, 0x7c01, 0x7fc0, 0x7e, 0x7f),
        (0xfff4_0000_0000_0000, 0xfd00, 0xffa0, 0xfd, 0xff),
    ];
    for (bits, f16, bf16, e5m2, e4m3fn) in rows {
        let x = f64::from_bits(bits);
        assert_eq!(F16::from_f64(x).to_bits(), f16);
        assert_eq!(BF16::from_f64(x).to_bits(), bf16);
        assert_eq!(F8E5M2::from_f64(x).to_bits(), e5m2);
        assert_eq!(F8E4M3FN::from_f64(x).to_bits(), e4m3fn);
        assert_eq!(F8E4M3FNUZ::from_f64(x).to_bits(), 0x80);
        assert_eq!(F8E8M0FNU::from_f64(x).to_bits(), 0xff);
        assert_eq!(F4E2M1FN::from_f64(x), F4E2M1FN::MAX);
        assert!(F16::try_from(x).is_ok() && F4E2M1FN::try_from(x).is_err());
    }
}

/// Powers of two have no sign: an infinity is past the largest of them, or what no rounding makes positive.
#[test]
fn an_infinity_becomes_a_scale_only_if_it_is_positive() {
    let rows = [
        (f64::INFINITY, Overflow::Ieee, F8E8M0FNU::NAN),
        (f64::INFINITY, Overflow::Saturate, F8E8M0FNU::MAX),
        (f64::NEG_INFINITY, Overflow::Ieee, F8E8M0FNU::NAN),
        (f64::NEG_INFINITY, Overflow::Saturate, F8E8M0FNU::NAN),
    ];
    for (value, overflow, want) in rows {
        let got = F8E8M0FNU::from_f64_with(value, overflow);
        assert_eq!(got.to_bits(), want.to_bits(), "{value} {overflow:?}");
    }
}

/// The limits of one format as the codes themselves have them.
macro_rules! limits {
    ($($name:ident)*) => { $({
        let finite = || codes::<$name>().map(|(_, x)| x).filter(|x| x.is_finite());
        let value = |x: Option<$name>| x.expect("some").to_f64();
        let by_value = |a: &$name, b: &$name| a.to_f64().total_cmp(&b.to_f64());
        let normal = || finite().filter(|x| x.is_normal() && !x.is_sign_negative());
        let above = |bound: f64| finite().filter(move |x| x.to_f64() > bound).min_by(by_value);
        let least = value(normal().min_by(by_value));
        assert_eq!($name::MAX.to_f64(), value(finite().max_by(by_value)));
        assert_eq!($name::MIN_POSITIVE.to_f64(), least);
        assert_eq!($name::EPSILON.to_f64(), value(above(1.0)) - 1.0);
        assert_eq!($name::MIN_EXP, least.log2() as i32 + 1);
        assert_eq!($name::MAX_EXP, $name::MAX.to_f64().log2().floor() as i32 + 1);
        assert_eq!(2.0_f64.powi(1 - $name::MANTISSA_DIGITS as i32), $name::EPSILON.to_f64());
        let ten = |power: i32| format!("1e{power}").parse::<f64>().expect("a number");
        assert!(ten($name::MIN_10_EXP) >= least && ten($name::MIN_10_EXP - 1) < least);
        assert!(ten($name::MAX_10_EXP) <= $name::MAX.to_f64());
        assert!(ten($name::MAX_10_EXP + 1) > $name::MAX.to_f64());
    })* };
}

#[test]
fn limits_are_what_the_codes_say() {
    limits!(F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN F8E8M0FNU);
    assert_eq!([F16::DIGITS, BF16::DIGITS, F8E4M3FN::DIGITS], [3, 2, 0]);
    assert_eq!([F16::MIN.to_f64(), F4E2M1FN::MIN.to_f64()], [-65504.0, -6.0]);
    assert_eq!(BF16::MIN_POSITIVE_SUBNORMAL.to_f64(), 2.0_f64.powi(-133));
    assert_eq!([F16::INFINITY.to_bits(), F16::NEG_INFINITY.to_bits()], [0x7c00, 0xfc00]);
    assert_eq!(F8E5M2::NEG_INFINITY.to_bits(), 0xfc);
    assert_eq!([F16::NAN.to_bits(), BF16::NAN.to_bits()], [0x7e00, 0x7fc0]);
}

#[test]
fn classes_are_those_of_the_value() {
    for (code, x) in codes::<F16>() {
        let expected = match (code & 0x7c00, code & 0x03ff) {
            (0, 0) => FpCategory::Zero,
            (0, _) => FpCategory::Subnormal,
            (0x7c00, 0) => FpCategory::Infinite,
            (0x7c00, _) => FpCategory::Nan,
            _ => FpCategory::Normal,
        };
        assert_eq!(x.classify(), expected, "{code:x}");
        assert_eq!(x.is_sign_negative(), code >= 0x8000, "{code:x}");
    }
    for (code, x) in codes::<F8E8M0FNU>() {
        assert_eq!(x.is_normal(), code < 255);
    }
}

#[test]
fn order_is_that_of_the_widened_values() {
    fn check<T: SmallFloat>() {
        // All pairs of the narrow formats, and of every 61st code of the wide ones.
        let step = if T::BITS == 16 { 61 } else { 1 };
        let all: Vec<T> = codes().map(|(_, x)| x).step_by(step).collect();
        for &x in &all {
            for &y in &all {
                let (a, b) = (x.to_f64(), y.to_f64());
                assert_eq!(x == y, a == b, "{a} {b}");
                assert_eq!(x.partial_cmp(&y), a.partial_cmp(&b), "{a} {b}");
                assert_eq!(Total(x).cmp(&Total(y)), a.total_cmp(&b), "{a} {b}");
                assert_eq!(Total(x).partial_cmp(&Total(y)), Some(a.total_cmp(&b)), "{a} {b}");
                assert_eq!(Total(x) == Total(y), a.total_cmp(&b).is_eq(), "{a} {b}");
            }
        }
        let keys: BTreeSet<_> = all.iter().map(|&x| Total(x)).collect();
        let hashed: HashSet<_> = all.iter().chain(&all).map(|&x| Total(x)).collect();
        assert_eq!(hashed.len(), keys.len());
        assert_eq!(keys.len(), all.len());
        // As many hashes as there are keys: none of so few has to meet another.
        let hashes: BTreeSet<_> =
            keys.iter().map(|x| BuildHasherDefault::<DefaultHasher>::new().hash_one(x)).collect();
        assert_eq!(hashes.len(), all.len());
    }
    for_all!(check);
}

/// `From` for each of these pairs, over every code.
macro_rules! from {
    ($($from:ident => $($to:ident)*;)*) => { $( $(
        for (code, x) in codes::<$from>() {
            let bits = f64::from(x).to_bits();
            assert_eq!(f64::from($to::from(x)).to_bits(), bits, "{code:x} to {}", $to::NAME);
        }
    )* )* };
}

#[test]
fn from_is_exact() {
    from! {
        F8E4M3FN => F16 BF16;
        F8E5M2 => F16 BF16;
        F8E4M3FNUZ => F16 BF16;
        F8E5M2FNUZ => F16 BF16;
        F6E2M3FN => F16 BF16 F8E4M3FN;
        F6E3M2FN => F16 BF16 F8E4M3FN F8E5M2;
        F4E2M1FN => F16 BF16 F8E4M3FN F8E5M2 F6E2M3FN F6E3M2FN;
        F8E8M0FNU => BF16;
    }
}

#[test]
fn conversions_between_formats_are_those_of_the_widened_value() {
    fn check_from<S: SmallFloat>() {
        fn check<S: SmallFloat, T: SmallFloat>() {
            for (code, x) in codes::<S>() {
                for overflow in [Overflow::Ieee, Overflow::Saturate] {
                    let direct: T = x.convert(overflow);
                    let wide = T::from_f64_with(x.to_f64(), overflow);
                    assert_eq!(direct.to_bits_u16(), wide.to_bits_u16(), "{code:x} {overflow:?}");
                }
            }
        }
        check::<S, F8E4M3FN>();
        check::<S, F8E5M2>();
        check::<S, F8E4M3FNUZ>();
        check::<S, F8E5M2FNUZ>();
        check::<S, F4E2M1FN>();
        check::<S, F8E8M0FNU>();
    }
    for_all!(check_from);
    // One row for each thing that a pair may disagree about.
    let (ieee, saturate) = (Overflow::Ieee, Overflow::Saturate);
    assert_eq!(F8E5M2::INFINITY.to_f8e4m3fn(ieee).to_bits(), 0x7f);
    assert_eq!(F8E5M2::NEG_INFINITY.to_f8e4m3fn(saturate), F8E4M3FN::MIN);
    assert_eq!(F8E5M2::NEG_INFINITY.to_f8e4m3fnuz(ieee).to_bits(), 0x80);
    assert_eq!(F8E4M3FN::from_f32(-0.0).to_f8e5m2fnuz(ieee).to_bits(), 0x00);
    assert_eq!(F8E4M3FNUZ::NAN.to_f8e5m2(saturate).to_bits(), 0x7e);
    assert_eq!(F8E4M3FN::from_f32(1.125).to_f8e5m2(ieee).to_f32(), 1.0);
}

#[test]
fn unused_bits_are_ignored_or_refused() {
    for bits in 0..=u8::MAX {
        assert_eq!(F4E2M1FN::from_bits(bits).to_bits(), bits & 0x0f);
        assert_eq!(F6E2M3FN::from_bits(bits).to_bits(), bits & 0x3f);
        assert_eq!(F4E2M1FN::try_from_bits(bits).is_some(), bits < 16);
        assert_eq!(F6E3M2FN::try_from_bits(bits).is_some(), bits < 64);
        assert_eq!(F8E5M2::try_from_bits(bits).map(F8E5M2::to_bits), Some(bits));
    }
    assert_eq!(F16::from_be_bytes([0x3c, 0]), F16::from_le_bytes([0, 0x3c]));
    assert_eq!(size_of::<[F16; 3]>(), 6);
    assert_eq!(size_of::<[F4E2M1FN; 3]>(), 3);
}

/// `try_from` answers for a value what its number answers when it is rounded.
macro_rules! try_from {
    ($value:expr => $($name:ident)*) => { $({
        let value: f64 = $value;
        let (want, exact) = Number::from(value).round::<$name>();
        let accepted = exact || value.is_nan() && $name::HAS_NAN;
        let got = $name::try_from(value).map(SmallFloat::to_bits_u16).ok();
        assert_eq!(got, accepted.then(|| want.to_bits_u16()), "{} {value:e}", $name::NAME);
        let single = value as f32;
        if f64::from(single).to_bits() == value.to_bits() {
            let got = $name::try_from(single).map(SmallFloat::to_bits_u16).ok();
            assert_eq!(got, accepted.then(|| want.to_bits_u16()), "{} {single:e}", $name::NAME);
        }
    })* };
}

#[test]
fn try_from_accepts_what_survives() {
    let codes = (0..=u16::MAX).map(f16_to_f64_bits);
    let brains = (0..=u16::MAX).map(|code| BF16::from_bits(code).to_f64().to_bits());
    for bits in codes.chain(brains).flat_map(|bits| [bits, bits ^ 1, bits ^ 1 << 41]) {
        try_from!(f64::from_bits(bits) => F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN F8E8M0FNU);
    }
    assert!(F16::try_from(-0.0).is_ok() && F8E4M3FNUZ::try_from(-0.0).is_err());
    assert!(F8E8M0FNU::try_from(0.0).is_err() && F8E8M0FNU::try_from(f64::NAN).is_ok());
    assert!(F8E5M2::try_from(f64::INFINITY).is_ok() && F8E4M3FN::try_from(f64::INFINITY).is_err());
}
