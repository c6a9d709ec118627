//! The state of the floating-point unit has no say.
#![allow(unsafe_code, reason = "there is no safe way to set MXCSR")]

use core::arch::asm;
use std::thread;

use calibor::float::{block::Block, *};

use super::Random;

/// Flush to zero, denormals are zero, and the two bits of the rounding mode.
const FLUSH: u32 = 1 << 15;
const DENORMALS: u32 = 1 << 6;
const DOWN: u32 = 1 << 13;
const UP: u32 = 2 << 13;
const TOWARD_ZERO: u32 = 3 << 13;

/// Runs a function in a thread of its own under another MXCSR.
fn under<R: Send>(flags: u32, f: impl FnOnce() -> R + Send) -> R {
    let set = |mxcsr: u32| {
        // SAFETY: writes a register from a local; all exceptions stay masked.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr) };
    };
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            set(0x1f80 | flags);
            let result = f();
            set(0x1f80);
            result
        });
        thread.join().expect("the tests' own functions do not panic")
    })
}

/// Something of everything, as one number.
fn everything() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bits: u64| hash = (hash ^ bits).wrapping_mul(0x100_0000_01b3);
    for bits in Random(12).take(20_000) {
        // Mostly where the shorter formats have their subnormals and their ties.
        let bits =
            bits & !0 << (bits % 53) & 0x800f_ffff_ffff_ffff | (860 + (bits >> 52) % 200) << 52;
        let (width, payload) = narrowest(bits);
        mix(payload ^ u64::from(width));
        mix(u64::from(F16::from_f64(f64::from_bits(bits)).to_bits()));
        mix(u64::from(BF16::from_f64(f64::from_bits(bits)).to_bits()));
        mix(u64::from(F8E4M3FN::from_f64(f64::from_bits(bits)).to_bits()));
        mix(Number::from_f64_bits(bits).to_f32().0.to_bits().into());
        let decimal = Number::decimal(Integer::from(bits), -i128::from(bits % 400));
        mix(decimal.to_f64().0.to_bits());
        mix(decimal.to_f32().0.to_bits().into());
    }
    for code in 0..=u16::MAX {
        mix(F16::from_bits(code).to_f64().to_bits());
        mix(BF16::from_bits(code).to_f64().to_bits());
        if code % 16 == 1 {
            let text = BF16::from_bits(code).to_string();
            mix(text.parse().map_or(0, BF16::to_bits).into());
            for byte in text.bytes() {
                mix(byte.into());
            }
        }
    }
    let all: Vec<F16> = (0..=u16::MAX).map(F16::from_bits).collect();
    let wide = slice::to_f32(&all);
    for (x, y) in wide.iter().zip(slice::from_f32::<BF16>(&wide, Overflow::Ieee)) {
        mix(u64::from(x.to_bits()) << 16 | u64::from(y.to_bits()));
    }
    let double: Vec<f64> = Random(13)
        .take(4_096)
        .map(|bits| f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (860 + (bits >> 52) % 200) << 52))
        .collect();
    let single: Vec<f32> = Random(14)
        .take(4_096)
        .map(|bits| f32::from_bits(bits as u32 & !0 << (bits >> 32) % 24))
        // NaNs have ways of their own, so there are blocks with and without.
        .filter(|x| !x.is_nan() || x.to_bits() & 0x1f_0000 == 0)
        .collect();
    slices::<F16>(&single, &double, &mut mix);
    slices::<BF16>(&single, &double, &mut mix);
    slices::<F8E4M3FN>(&single, &double, &mut mix);
    slices::<F8E5M2>(&single, &double, &mut mix);
    let tiny = [f32::from_bits(77); 32];
    for x in Block::<F8E5M2>::quantize(&tiny).dequantize() {
        mix(x.to_bits().into());
    }
    hash
}

/// The loops over slices.
fn slices<T: SmallFloat>(single: &[f32], double: &[f64], mix: &mut impl FnMut(u64)) {
    let codes = slice::from_f32::<T>(single, Overflow::Ieee);
    let doubles = slice::from_f64::<T>(double, Overflow::Saturate);
    for x in codes.iter().chain(&doubles) {
        mix(x.to_bits_u16().into());
    }
    let (wide, wider) = (slice::to_f32(&codes), slice::to_f64(&codes));
    for (x, y) in wide.iter().zip(&wider) {
        mix(u64::from(x.to_bits()) ^ y.to_bits());
    }
    for values in single.chunks(32).chain(wide.chunks(32)) {
        mix(slice::all_exact::<T>(values).into());
    }
    for values in double.chunks(32).chain(wider.chunks(32)) {
        mix(slice::all_exact_f64::<T>(values).into());
        mix(slice::all_exact_f32(values).into());
    }
}

#[test]
fn no_setting_of_the_unit_changes_a_bit() {
    let expected = everything();
    for rounding in [0, DOWN, UP, TOWARD_ZERO] {
        for flush in [0, FLUSH, DENORMALS, FLUSH | DENORMALS] {
            assert_eq!(under(rounding | flush, everything), expected, "{rounding:x} {flush:x}");
        }
    }
    // The settings are really in force: this is what a ladder of casts would stumble over.
    let cast = || std::hint::black_box(f64::from_bits(0x37d0_0000_0000_0000)) as f32;
    assert_eq!(under(0, cast).to_bits(), 0x0008_0000);
    assert_eq!(under(FLUSH | DENORMALS, cast).to_bits(), 0);
}
