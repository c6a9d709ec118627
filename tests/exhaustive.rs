//! What takes minutes: all 2^32 values of binary32, and a megabyte of digits beside a tie.
//!
//! `cargo test --release --features arith --test exhaustive -- --ignored`, about 12 minutes of processor time. Without
//! `--ignored` each test walks the same way with a stride.
#![allow(
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::float_cmp,
    clippy::std_instead_of_core,
    clippy::wildcard_imports,
    reason = "tests fail by panicking, and take numbers apart on purpose"
)]

use std::fs;
use std::path::PathBuf;

use calibor::float::*;
use oracle::Spec;

#[allow(dead_code, reason = "the walks need the values of the codes, not the search among them")]
#[path = "it/float/oracle.rs"]
mod oracle;

/// A prime, so that a strided walk meets every pattern of low bits.
const STRIDE: usize = 65_521;

fn lines(name: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors/smallfloats").join(name);
    let text = fs::read_to_string(path).expect("vectors are there");
    text.lines().map(str::to_owned).collect()
}

/// Calls a generic function with a stride for each format, two at a time.
macro_rules! for_formats {
    ($function:ident($stride:expr) $($name:ident)*) => {
        let jobs: Vec<fn(usize)> = vec![$($function::<$name>),*];
        let (left, right) = jobs.split_at(jobs.len() / 2);
        std::thread::scope(|scope| {
            for half in [left, right] {
                scope.spawn(|| half.iter().for_each(|job| job($stride)));
            }
        });
    };
}

/// The least magnitude of binary32 that rounds to each magnitude code, overflow last: the midpoints of the format's
/// values, which binary32 has all of, with a tie going to the even code.
fn starts(spec: &Spec) -> Vec<u32> {
    let max = spec.max();
    let mut starts = vec![0];
    for code in 1..=max + 1 {
        let below = spec.value(code - 1);
        // Past the largest number they go on as they went up to it.
        let above = if code > max { 2.0 * below - spec.value(max - 1) } else { spec.value(code) };
        let midpoint = f64::midpoint(below, above) as f32;
        assert!(f64::from(midpoint) * 2.0 == below + above, "{} {code:x}", spec.name);
        starts.push(midpoint.to_bits() + u32::from(code) % 2);
    }
    starts
}

/// A NaN keeps its bits where they fit, and otherwise is the quiet one of its sign.
fn nan_of(spec: &Spec, bits: u32) -> u16 {
    let sign = (bits >> 31 << (spec.bits - 1)) as u16;
    let Some(infinity) = spec.infinity() else {
        // E4M3FN has one of each sign, FNUZ has one, the others none.
        return match (spec.is_nan(spec.max() + 1), spec.max() + 1) {
            (true, minus_zero) if minus_zero >> (spec.bits - 1) == 1 => minus_zero,
            (true, all_ones) => sign | all_ones,
            (false, _) => spec.max(),
        };
    };
    let stored = infinity.trailing_zeros();
    let payload = bits & 0x7f_ffff;
    let kept = payload >> (23 - stored);
    let kept = if kept << (23 - stored) == payload { kept } else { 1 << (stored - 1) };
    sign | infinity | kept as u16
}

/// Every narrowing there is of one binary32 gives these codes.
fn narrows<T: SmallFloat>(bits: u32, ieee: u16, saturated: u16, with_core: bool) {
    let value = f32::from_bits(bits);
    // The number is the same and so the result; a cast would quiet a NaN on some processors.
    let double = f64::from_bits(f32_to_f64_bits(bits));
    for (overflow, want) in [(Overflow::Ieee, ieee), (Overflow::Saturate, saturated)] {
        let got = T::from_f32_with(value, overflow).to_bits_u16();
        assert_eq!(got, want, "{} {bits:08x} {overflow:?}", T::NAME);
        let got = T::from_f64_with(double, overflow).to_bits_u16();
        assert_eq!(got, want, "{} {bits:08x} {overflow:?} from binary64", T::NAME);
        if with_core {
            let got = Number::from(value).round_with::<T>(overflow).0.to_bits_u16();
            assert_eq!(got, want, "{} {bits:08x} {overflow:?} by the core", T::NAME);
        }
    }
}

/// The core of exact numbers takes ten times as long, and is asked at every so many.
const CORE: usize = 61;

/// Every binary32 becomes the nearest code, found by going up the codes as the magnitudes go up.
fn narrowing<T: SmallFloat>(stride: usize) {
    let spec = Spec::of::<T>();
    let starts = starts(spec);
    let mut at = 0;
    for (count, magnitude) in (0..=u32::MAX >> 1).step_by(stride).enumerate() {
        let with_core = count % CORE == 0 || stride > 1;
        if magnitude > f32::INFINITY.to_bits() {
            for bits in [magnitude, magnitude | 1 << 31] {
                let nan = nan_of(spec, bits);
                narrows::<T>(bits, nan, nan, with_core);
            }
            continue;
        }
        while starts.get(at + 1).is_some_and(|&start| start <= magnitude) {
            at += 1;
        }
        let code = at as u16;
        for negative in [false, true] {
            let (ieee, saturated) = if code > spec.max() {
                (spec.beyond(negative, Overflow::Ieee), spec.beyond(negative, Overflow::Saturate))
            } else {
                let code = spec.signed(code, negative);
                (code, code)
            };
            let bits = magnitude | u32::from(negative) << 31;
            narrows::<T>(bits, ieee, saturated, with_core);
        }
    }
    assert_eq!(at, starts.len() - 1, "the last is overflow, where infinity is");
}

/// The same for powers of two, where a tie goes up.
fn scales(stride: usize) {
    const NAN: u16 = 0xff;
    const MAX: u16 = 0xfe;
    for (count, bits) in (0..=u32::MAX).step_by(stride).enumerate() {
        let (ieee, saturated) = match bits {
            0 | 0x8000_0000 => (NAN, 0),
            // Below 2^-127 there is nothing, and 2^-126 is the least that binary32 has in its normal form.
            1..0x60_0000 => (0, 0),
            0x60_0000..0x80_0000 => (1, 1),
            0x80_0000..0x7f40_0000 => {
                let code = ((bits + 0x40_0000) >> 23) as u16;
                (code, code)
            }
            0x7f40_0000..=0x7f80_0000 => (NAN, MAX),
            _ => (NAN, NAN),
        };
        narrows::<F8E8M0FNU>(bits, ieee, saturated, count % CORE == 0 || stride > 1);
    }
}

#[test]
fn narrowing_strided() {
    for_formats!(narrowing(STRIDE) F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN);
    scales(STRIDE);
}

#[test]
#[ignore = "takes minutes"]
fn narrowing_of_every_binary32() {
    for_formats!(narrowing(1) F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN);
}

#[test]
#[ignore = "takes a minute"]
fn scales_of_every_binary32() {
    scales(1);
}

/// The loops over slices are the scalar conversions, and the tests of exactness find what survives.
fn slices<T: SmallFloat>(stride: usize) {
    // An odd factor goes once through all 2^32 and puts all kinds of values side by side.
    let value = |i: u32| f32::from_bits(i.wrapping_mul(0x9e37_79b1));
    let mut codes = vec![T::MAX; 1 << 16];
    for start in (0..=u32::MAX).step_by(1 << 16).step_by(stride) {
        let values: Vec<f32> = (start..=start | 0xffff).map(value).collect();
        for overflow in [Overflow::Ieee, Overflow::Saturate] {
            slice::from_f32_into(&values, &mut codes, overflow).expect("as long");
            for (value, code) in values.iter().zip(&codes) {
                let want = T::from_f32_with(*value, overflow).to_bits_u16();
                assert_eq!(code.to_bits_u16(), want, "{} {:08x}", T::NAME, value.to_bits());
            }
        }
        let exact =
            |x: &f32| T::from_f32_with(*x, Overflow::Ieee).to_f32().to_bits() == x.to_bits();
        for values in values.chunks(32) {
            let survive = values.iter().all(exact);
            assert_eq!(slice::all_exact::<T>(values), survive, "{} {start:08x}", T::NAME);
        }
        let double: Vec<f64> =
            values.iter().map(|x| f64::from_bits(f32_to_f64_bits(x.to_bits()))).collect();
        slice::from_f64_into(&double, &mut codes, Overflow::Saturate).expect("as long");
        for (value, code) in double.iter().zip(&codes) {
            let want = T::from_f64_with(*value, Overflow::Saturate).to_bits_u16();
            assert_eq!(code.to_bits_u16(), want, "{} {:016x}", T::NAME, value.to_bits());
        }
    }
}

#[test]
fn slices_strided() {
    for_formats!(slices(251) F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN F8E8M0FNU);
}

#[test]
#[ignore = "takes minutes"]
fn slices_of_every_binary32() {
    for_formats!(slices(1) F16 BF16);
}

/// Every code begins at its bound, and so covers all up to the next one.
fn bounds<T: SmallFloat>(stride: usize) {
    let mut starts = vec![(0, 0)];
    for line in lines("bounds.tsv") {
        let columns: Vec<_> = line.split('\t').collect();
        if columns[0] == T::NAME {
            let number = |at: usize| u32::from_str_radix(columns[at], 16).expect("hex");
            starts.push((number(2), number(1) as u16));
        }
    }
    let (past, _) = starts.pop().expect("the last row is overflow");
    let overflowed = T::from_f32_with(f32::INFINITY, Overflow::Ieee).to_bits_u16();
    let mut at = 0;
    for magnitude in (0..=f32::INFINITY.to_bits()).step_by(stride) {
        while starts.get(at + 1).is_some_and(|&(start, _)| start <= magnitude) {
            at += 1;
        }
        let want = if magnitude >= past { overflowed } else { starts[at].1 };
        let got = T::from_f32_with(f32::from_bits(magnitude), Overflow::Ieee).to_bits_u16();
        assert_eq!(got, want, "{} {magnitude:08x}", T::NAME);
        let negative = T::from_f32_with(-f32::from_bits(magnitude), Overflow::Ieee).to_bits_u16();
        let sign = 1 << (T::BITS - 1);
        let want = if want == 0 && T::NAME.ends_with("uz") { 0 } else { want | sign };
        assert_eq!(negative, want, "{} -{magnitude:08x}", T::NAME);
    }
}

#[test]
fn bounds_strided() {
    for_formats!(bounds(STRIDE) F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN);
}

#[test]
#[ignore = "takes minutes"]
fn bounds_of_every_binary32() {
    for_formats!(bounds(1) F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN);
}

/// The digest of all results, against the one that was computed elsewhere.
fn digest<T: SmallFloat>(_: usize) {
    let mut hashes = [0xcbf2_9ce4_8422_2325_u64; 2];
    for value in (0..=u32::MAX).map(f32::from_bits).filter(|x| !x.is_nan()) {
        for (hash, overflow) in hashes.iter_mut().zip([Overflow::Ieee, Overflow::Saturate]) {
            let code = T::from_f32_with(value, overflow).to_bits_u16();
            *hash = (*hash ^ u64::from(code)).wrapping_mul(0x100_0000_01b3);
        }
    }
    let [ieee, saturate] = hashes;
    let want = format!("digest_f32 {} nonsat {ieee:016x} sat {saturate:016x}", T::NAME);
    assert!(lines("digests.txt").iter().any(|line| line.starts_with(&want)), "{want}");
}

#[test]
#[ignore = "takes minutes"]
fn digests_of_every_binary32() {
    for_formats!(digest(1) F16 BF16 F8E4M3FN);
}

/// Widening the shorter form gives the bits back, and no value has a shorter form that goes unused.
#[test]
#[ignore = "takes a minute"]
fn ladder_of_every_binary32() {
    let mut halves = 0;
    for bits in 0..=u32::MAX {
        let wide = f32_to_f64_bits(bits);
        assert!(is_exact_f32(wide), "{bits:08x}");
        match shortest_bits(wide) {
            Shortest::F16(half) => {
                assert_eq!(f16_to_f32_bits(half), bits);
                halves += 1;
            }
            Shortest::F32(single) => assert_eq!(single, bits),
            Shortest::F64(_) => unreachable!("{bits:08x}"),
        }
        assert_eq!(shortest_bits(wide), shortest_f32(f32::from_bits(bits)), "{bits:08x}");
    }
    // Each of the 2^16 is the shorter form of one binary32.
    assert_eq!(halves, 1 << 16);
}

/// A megabyte of mantissa on a tie, and one more and one less: the only numbers that are compared in full.
#[test]
#[ignore = "takes seconds"]
fn a_megabyte_beside_a_tie() {
    let digits = 2_500_000;
    // (1 + 2^-11) * 10^digits
    let tie = num_bigint::BigUint::from(100_048_828_125_u64)
        * num_bigint::BigUint::from(10_u8).pow(digits - 11);
    for (offset, want) in [(0_u8, 0x3c00), (1, 0x3c00), (2, 0x3c01)] {
        let bytes = (&tie + offset - 1_u8).to_bytes_be();
        let start = std::time::Instant::now();
        let number = Number::decimal(Integer::from_be_bytes(false, &bytes), -i128::from(digits));
        let got = number.round::<F16>().0.to_bits();
        println!("{} bytes: {:?}", bytes.len(), start.elapsed());
        assert_eq!(got, want, "{offset}");
    }
}
