//! `vectors/smallfloats` and `vectors/rounding`, row by row.

use std::fs;
use std::path::PathBuf;

use calibor::float::{BF16, F8E8M0FNU, F16, Integer, Number, Overflow, ScaleRounding, SmallFloat};
use num_bigint::BigInt;
use serde_json::Value;

use super::{for_all, for_narrow, for_signed};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name)
}

fn json(name: &str) -> Value {
    let text = fs::read_to_string(path(name)).expect("vectors are there");
    serde_json::from_str(&text).expect("vectors are JSON")
}

fn hex(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().expect("a string of hex digits"), 16).expect("hex digits")
}

fn rows<T: SmallFloat>(table: &str) -> Vec<Vec<Value>> {
    let file = json(&format!("smallfloats/{}.json", T::NAME));
    let rows = file[table].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| row.as_array().expect("a row").clone()).collect()
}

#[test]
fn every_code_has_its_value() {
    fn check<T: SmallFloat>() {
        for row in rows::<T>("codes") {
            let value = T::from_bits_u16(hex(&row[0]) as u16);
            match &row[2] {
                Value::Null => assert!(value.is_nan() || value.to_f64().is_infinite(), "{row:?}"),
                bits => assert_eq!(value.to_f64().to_bits(), hex(bits), "{} {row:?}", T::NAME),
            }
            assert_eq!(value.is_nan(), row[1] == "nan", "{} {row:?}", T::NAME);
        }
    }
    for_narrow!(check);
    check::<F8E8M0FNU>();
}

#[test]
fn binary64_is_rounded_once() {
    fn check<T: SmallFloat>() {
        for row in rows::<T>("round") {
            let value = f64::from_bits(hex(&row[0]));
            for (column, overflow) in [(1, Overflow::Ieee), (2, Overflow::Saturate)] {
                if row[column].is_null() {
                    assert!(value.is_nan() && !T::HAS_NAN, "{row:?}");
                    continue;
                }
                let code = hex(&row[column]);
                let got = T::from_f64_with(value, overflow).to_bits_u16();
                assert_eq!(u64::from(got), code, "{} {row:?}", T::NAME);
                let (number, _) = Number::from(value).round_with::<T>(overflow);
                assert_eq!(u64::from(number.to_bits_u16()), code, "{} {row:?}", T::NAME);
                if f64::from(value as f32) == value {
                    let single = T::from_f32_with(value as f32, overflow).to_bits_u16();
                    assert_eq!(u64::from(single), code, "{} {row:?}", T::NAME);
                }
            }
        }
    }
    for_signed!(check);
}

#[test]
fn scales_round_by_the_rule_that_is_named() {
    use ScaleRounding::{Ceil, Floor, NearestEvenCode, NearestUp};
    for row in rows::<F8E8M0FNU>("round") {
        let value = f64::from_bits(hex(&row[0]));
        for (column, rule) in [(1, Floor), (2, Ceil), (3, NearestUp), (4, NearestEvenCode)] {
            let got = F8E8M0FNU::from_f64_rounded(value, rule).to_bits();
            assert_eq!(u64::from(got), hex(&row[column]), "{rule:?} {row:?}");
        }
        assert_eq!(u64::from(F8E8M0FNU::from_f64(value).to_bits()), hex(&row[3]), "{row:?}");
    }
}

#[test]
fn decimals_are_rounded_once() {
    fn check<T: SmallFloat>() {
        for row in rows::<T>("parse") {
            let text = row[0].as_str().expect("a decimal");
            let parsed: T = text.parse().expect("a decimal");
            assert_eq!(u64::from(parsed.to_bits_u16()), hex(&row[1]), "{} {row:?}", T::NAME);
            let saturated = T::parse_with(text, Overflow::Saturate).expect("a decimal");
            assert_eq!(u64::from(saturated.to_bits_u16()), hex(&row[2]), "{} {row:?}", T::NAME);
        }
    }
    for_all!(check);
}

#[test]
fn integers_are_rounded_once() {
    fn check<T: SmallFloat>() {
        for row in rows::<T>("ints") {
            let integer: BigInt = row[0].as_str().expect("an integer").parse().expect("an integer");
            let (_, bytes) = integer.to_bytes_be();
            let negative = integer.sign() == num_bigint::Sign::Minus;
            let (got, _) = Number::from(Integer::from_be_bytes(negative, &bytes)).round::<T>();
            assert_eq!(u64::from(got.to_bits_u16()), hex(&row[1]), "{} {row:?}", T::NAME);
        }
    }
    check::<F16>();
    check::<BF16>();
}
