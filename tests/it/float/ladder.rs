//! The ladder against the width-by-width definition.

use calibor::float::*;

use super::Random;

/// The definition: the shorter form exists if widening it gives the same bits back.
fn by_definition(bits: u64) -> Shortest {
    let widened = |single: u32| {
        let (sign, magnitude) = (u64::from(single >> 31) << 63, single & 0x7fff_ffff);
        if magnitude > 0x7f80_0000 {
            sign | 0x7ff << 52 | u64::from(magnitude & 0x7f_ffff) << 29
        } else {
            f64::from(f32::from_bits(single)).to_bits()
        }
    };
    let single = if bits << 1 > 0x7ff << 53 {
        (bits >> 32) as u32 & 0x8000_0000 | 0x7f80_0000 | (bits >> 29) as u32 & 0x7f_ffff
    } else {
        (f64::from_bits(bits) as f32).to_bits()
    };
    if widened(single) != bits {
        return Shortest::F64(bits);
    }
    // Every binary16, by an oracle of its own, in the order of its bits.
    let half = HALVES.with(|halves| halves.binary_search_by_key(&single, |&(s, _)| s).ok());
    match half {
        Some(at) => Shortest::F16(HALVES.with(|halves| halves[at].1)),
        None => Shortest::F32(single),
    }
}

thread_local! {
    static HALVES: Vec<(u32, u16)> = {
        let mut all: Vec<_> = (0..=u16::MAX).map(|half| (half_to_single(half), half)).collect();
        all.sort_unstable();
        all
    };
}

/// binary16 by its definition, in arithmetic that is exact.
fn half_to_single(half: u16) -> u32 {
    let sign = u32::from(half >> 15) << 31;
    let (field, stored) = (i32::from(half >> 10 & 31), u32::from(half & 1023));
    let magnitude = match field {
        31 => 0x7f80_0000 | stored << 13,
        0 => (stored as f32 * 2.0_f32.powi(-24)).to_bits(),
        _ => ((1.0 + stored as f32 / 1024.0) * 2.0_f32.powi(field - 15)).to_bits(),
    };
    sign | magnitude
}

fn check(bits: u64) {
    let expected = by_definition(bits);
    assert_eq!(shortest_bits(bits), expected, "{bits:016x}");
    assert_eq!(is_exact_f16(bits), matches!(expected, Shortest::F16(_)), "{bits:016x}");
    assert_eq!(is_exact_f32(bits), !matches!(expected, Shortest::F64(_)), "{bits:016x}");
    assert_eq!(expected.to_f64_bits(), bits, "{bits:016x}");
    let single = f64_bits_to_f32_bits(bits).map(f32_to_f64_bits);
    assert_eq!(single, is_exact_f32(bits).then_some(bits), "{bits:016x}");
}

fn check_f32(single: u32) {
    check(f32_to_f64_bits(single));
    let expected = by_definition(f32_to_f64_bits(single));
    assert_eq!(f32_is_exact_f16(single), matches!(expected, Shortest::F16(_)), "{single:08x}");
    assert_eq!(shortest_f32(f32::from_bits(single)), expected, "{single:08x}");
}

#[test]
fn every_half_is_its_own_shortest_form() {
    for half in 0..=u16::MAX {
        let wide = f16_to_f64_bits(half);
        assert_eq!(f16_to_f32_bits(half), half_to_single(half), "{half:04x}");
        assert_eq!(f32_to_f64_bits(half_to_single(half)), wide, "{half:04x}");
        assert_eq!(shortest_bits(wide), Shortest::F16(half));
        assert_eq!(f64_bits_to_f16_bits(wide), Some(half));
        // One unit of the last place away, nothing shorter is left but by chance.
        for neighbour in [wide.wrapping_sub(1), wide + 1] {
            check(neighbour);
        }
    }
}

#[test]
fn every_exponent_with_every_run_of_low_bits() {
    for top in 0..1 << 9_u32 {
        for run in 0..=23 {
            for low in [0, 1, u32::MAX] {
                check_f32(top << 23 | (low << run) & 0x7f_ffff);
            }
        }
    }
    for top in 0..1 << 12_u64 {
        for run in 0..=52 {
            for low in [0, 1, 3, u64::MAX] {
                check(top << 52 | (low << run) & ((1 << 52) - 1));
            }
        }
    }
}

#[test]
fn random_values_of_every_width() {
    for bits in Random(1).take(1_000_000) {
        check(bits);
        check_f32(bits as u32);
        check(bits & !0 << (bits % 64));
    }
}
