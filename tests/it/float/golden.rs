//! `vectors/smallfloats` and `vectors/rounding`, row by row.

use std::fs;
use std::path::PathBuf;

use calibor::float::*;
use num_bigint::BigInt;
use serde_json::Value;

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

/// One item of `rounding.json`: integers, floats, bignums and tags 4 and 5 of them.
struct Item<'a>(&'a [u8]);

impl<'a> Item<'a> {
    fn take(&mut self, len: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(len);
        self.0 = rest;
        head
    }

    fn head(&mut self) -> (u8, u8, u64) {
        let first = self.take(1)[0];
        let len = match first & 31 {
            small @ 0..24 => return (first >> 5, small, small.into()),
            info => 1 << (info - 24),
        };
        let argument = self.take(len).iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
        (first >> 5, first & 31, argument)
    }

    fn integer(&mut self) -> Integer<'a> {
        match self.head() {
            (0, _, n) => Integer::from(n),
            (1, _, n) => Integer::new(true, u128::from(n) + 1),
            (6, _, tag) => {
                let (_, _, len) = self.head();
                let bytes = self.take(len as usize);
                if tag == 2 {
                    Integer::from_be_bytes(false, bytes)
                } else {
                    Integer::minus_one_minus(bytes)
                }
            }
            other => panic!("{other:?} is no integer"),
        }
    }

    fn exponent(&mut self) -> i128 {
        match self.head() {
            (0, _, n) => n.into(),
            (_, _, n) => -1 - i128::from(n),
        }
    }

    fn number(&mut self) -> Number<'a> {
        let start = self.0;
        match self.head() {
            (7, 25, half) => Number::from_f64_bits(f16_to_f64_bits(half as u16)),
            (7, 26, single) => Number::from_f64_bits(f32_to_f64_bits(single as u32)),
            (7, _, double) => Number::from_f64_bits(double),
            (6, _, tag @ (4 | 5)) => {
                self.head();
                let exponent = self.exponent();
                let mantissa = self.integer();
                if tag == 4 {
                    Number::decimal(mantissa, exponent)
                } else {
                    Number::binary(mantissa, exponent)
                }
            }
            _ => {
                self.0 = start;
                Number::from(self.integer())
            }
        }
    }
}

#[test]
fn any_item_is_rounded_once() {
    for row in json("rounding/rounding.json").as_array().expect("rows") {
        let text = row["hex"].as_str().expect("hex");
        let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex");
        let bytes: Vec<u8> = (0..text.len()).step_by(2).map(byte).collect();
        let number = Item(&bytes).number();
        let got = [
            number.round::<F16>().0.to_bits().into(),
            number.round::<BF16>().0.to_bits().into(),
            number.to_f32().0.to_bits().into(),
            number.to_f64().0.to_bits(),
        ];
        if row.get("nan_keep").is_some() {
            // A NaN that fits is kept as it is; one that does not is the quiet one of its sign.
            let expected = match text {
                "f9fe00" => [0xfe00, 0xffc0, 0xffc00000, 0xfff8000000000000],
                "f97e01" => [0x7e01, 0x7fc0, 0x7fc02000, 0x7ff8040000000000],
                "faffbfffff" => [0xfe00, 0xffc0, 0xffbfffff, 0xfff7ffffe0000000],
                "fb7ff0000000000001" => [0x7e00, 0x7fc0, 0x7fc00000, 0x7ff0000000000001],
                _ => [0x7e00, 0x7fc0, 0x7f800001, 0x7ff0000020000000],
            };
            assert_eq!(got, expected, "{row}");
            continue;
        }
        let columns = ["f16_bits", "bf16_bits", "f32_bits", "f64_bits"];
        assert_eq!(got, columns.map(|column| hex(&row[column])), "{row}");
    }
}

/// `bounds.tsv` for one format: magnitude code, binary32 and binary64 that first round to it.
pub(super) fn bounds<T: SmallFloat>() -> Vec<(u16, u32, u64)> {
    let text = fs::read_to_string(path("smallfloats/bounds.tsv")).expect("vectors are there");
    let row = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        let number = |at: usize| u64::from_str_radix(columns[at], 16).expect("hex");
        (columns[0] == T::NAME).then(|| (number(1) as u16, number(2) as u32, number(3)))
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

#[test]
fn a_code_begins_where_the_bounds_say() {
    fn check<T: SmallFloat>() {
        let bounds = bounds::<T>();
        assert!(!bounds.is_empty(), "{}", T::NAME);
        for &(code, single, double) in &bounds {
            // The last row is overflow, which the largest code is the limit of.
            let magnitude = |x: T| {
                if x.is_nan() || x > T::MAX { T::MAX.to_bits_u16() + 1 } else { x.to_bits_u16() }
            };
            let clamps = !T::HAS_NAN && code > T::MAX.to_bits_u16();
            let code = if clamps { code - 1 } else { code };
            let f32 = |bits| magnitude(T::from_f32_with(f32::from_bits(bits), Overflow::Ieee));
            let f64 = |bits| magnitude(T::from_f64_with(f64::from_bits(bits), Overflow::Ieee));
            assert!(f32(single) >= code && f64(double) >= code, "{} {code:x}", T::NAME);
            assert!(
                clamps || (f32(single - 1) < code && f64(double - 1) < code),
                "{} {code:x}",
                T::NAME
            );
        }
    }
    for_narrow!(check);
}

#[test]
fn digests_of_all_halves_agree() {
    fn digest<S: SmallFloat, T: SmallFloat>(overflow: Overflow) -> u64 {
        let all = (0..=u16::MAX).map(S::from_bits_u16).filter(|x| !x.is_nan());
        all.fold(0xcbf2_9ce4_8422_2325, |hash, x| {
            let code: T = x.convert(overflow);
            (hash ^ u64::from(code.to_bits_u16())).wrapping_mul(0x100_0000_01b3)
        })
    }
    fn check<S: SmallFloat, T: SmallFloat>(text: &str) {
        let start = format!("digest_{} {} ", S::NAME, T::NAME);
        let line = text.lines().find(|line| line.starts_with(&start)).expect("a line");
        let (ieee, saturate) = (digest::<S, T>(Overflow::Ieee), digest::<S, T>(Overflow::Saturate));
        assert_eq!(line, format!("{start}nonsat {ieee:016x} sat {saturate:016x}"));
    }
    let text = fs::read_to_string(path("smallfloats/digests.txt")).expect("vectors are there");
    check::<F16, F16>(&text);
    check::<BF16, F16>(&text);
    check::<F16, BF16>(&text);
    check::<BF16, BF16>(&text);
    check::<F16, F8E4M3FN>(&text);
    check::<BF16, F8E4M3FN>(&text);
}
