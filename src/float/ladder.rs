//! The ladder of binary64, binary32 and binary16: which is the narrowest that keeps a value.
//!
//! One lookup by the exponent answers it: how many low bits of the significand have to be 0, and what to
//! add once they are shifted out. There is nothing for the processor to guess, so every mix of values
//! takes the same time, and no floating-point instruction, and so no setting of the floating-point unit,
//! has a say in it.

use super::round::{Format, low_u8, low_u16, low_u32, signed};

/// The bits of a float in the narrowest format that keeps it.
///
/// ```
/// use calibor::float::{Shortest, shortest};
///
/// assert_eq!(shortest(1.5), Shortest::F16(0x3e00));
/// assert_eq!(shortest(1e-45_f32.into()), Shortest::F32(0x0000_0001));
/// assert_eq!(shortest(0.1), Shortest::F64(0x3fb9_9999_9999_999a));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shortest {
    /// IEEE binary16.
    F16(u16),
    /// IEEE binary32.
    F32(u32),
    /// IEEE binary64.
    F64(u64),
}

impl Shortest {
    /// The value as binary64 bits: what was put in.
    ///
    /// ```
    /// use calibor::float::shortest;
    ///
    /// assert_eq!(shortest(-0.0).to_f64_bits(), (-0.0_f64).to_bits());
    /// ```
    #[must_use]
    pub const fn to_f64_bits(self) -> u64 {
        match self {
            Self::F16(bits) => f16_to_f64_bits(bits),
            Self::F32(bits) => f32_to_f64_bits(bits),
            Self::F64(bits) => bits,
        }
    }
}

/// The narrowest of binary16, binary32 and binary64 that holds `value` without any loss
/// (RFC 8949 §4.1): the sign of zero, subnormals of the narrower format, infinities, and a NaN's sign,
/// quiet bit and payload are all kept.
///
/// ```
/// use calibor::float::{Shortest, shortest};
///
/// assert_eq!(shortest(-0.0), Shortest::F16(0x8000));
/// assert_eq!(shortest(65504.0), Shortest::F16(0x7bff));
/// assert_eq!(shortest(65505.0), Shortest::F32(0x477f_e100));
/// ```
#[inline]
#[must_use]
pub const fn shortest(value: f64) -> Shortest {
    shortest_bits(value.to_bits())
}

/// [`shortest`] for a value that is binary32 to begin with.
///
/// ```
/// use calibor::float::{Shortest, shortest_f32};
///
/// assert_eq!(shortest_f32(0.5), Shortest::F16(0x3800));
/// assert_eq!(shortest_f32(0.1), Shortest::F32(0x3dcc_cccd));
/// ```
#[inline]
#[must_use]
pub const fn shortest_f32(value: f32) -> Shortest {
    let bits = value.to_bits();
    if !f32_is_exact_f16(bits) {
        return Shortest::F32(bits);
    }
    let rung = RUNGS_F32[(bits >> 23) as usize & 0xff];
    let magnitude = ((bits & 0x007f_ffff) >> rung.shift) + rung.base;
    Shortest::F16(low_u16((((bits >> 16) & 0x8000) | magnitude) as u64))
}

/// [`shortest`] on the bits of a binary64, for those who must not let a signalling NaN through a register.
///
/// ```
/// use calibor::float::{Shortest, shortest_bits};
///
/// assert_eq!(shortest_bits(0x7ff0_0400_0000_0000), Shortest::F16(0x7c01));
/// assert_eq!(shortest_bits(0x7ff0_0000_0000_0001), Shortest::F64(0x7ff0_0000_0000_0001));
/// ```
#[inline]
#[must_use]
pub const fn shortest_bits(bits: u64) -> Shortest {
    match narrowest(bits) {
        (1, half) => Shortest::F16(low_u16(half)),
        (2, single) => Shortest::F32(low_u32(single)),
        (_, double) => Shortest::F64(double),
    }
}

/// The same answer as [`shortest_bits`] without a branch: the width as the power of two of its bytes
/// (1 for binary16, 2 for binary32, 3 for binary64), and the bits of that width.
///
/// A writer that stores eight bytes and then advances by `1 << width` never has to guess.
///
/// ```
/// use calibor::float::narrowest;
///
/// assert_eq!(narrowest(1.5_f64.to_bits()), (1, 0x3e00));
/// assert_eq!(narrowest(0.1_f64.to_bits()), (3, 0.1_f64.to_bits()));
/// ```
#[inline]
#[must_use]
pub const fn narrowest(bits: u64) -> (u32, u64) {
    let rung = RUNGS[exponent(bits)];
    let zeros = trailing_zeros(bits);
    let in_half = (zeros >= rung.half_shift as u32) as u32;
    let in_single = (zeros >= rung.single_shift as u32) as u32;
    // Masks choose, because a conditional would be free to become a jump.
    let mask = 0_u32.wrapping_sub(in_half);
    let shift = choose(mask, rung.half_shift as u32, rung.single_shift as u32) & 63;
    let base = choose(mask, rung.half_base as u32, rung.single_base);
    let sign = ((bits >> 32) & 0x8000_0000) >> (in_half << 4);
    let shorter = sign | (((bits & STORED) >> shift) + base as u64);
    let keep = (in_single as u64).wrapping_sub(1);
    (3 - in_single - in_half, shorter ^ ((shorter ^ bits) & keep))
}

/// Whether a binary64 keeps its value, or its NaN bits, in binary16.
///
/// ```
/// use calibor::float::is_exact_f16;
///
/// assert!(is_exact_f16(2.0_f64.powi(-24).to_bits()));
/// assert!(!is_exact_f16(65520.0_f64.to_bits()));
/// ```
#[inline]
#[must_use]
pub const fn is_exact_f16(bits: u64) -> bool {
    trailing_zeros(bits) >= RUNGS[exponent(bits)].half_shift as u32
}

/// Whether a binary64 keeps its value, or its NaN bits, in binary32: whether it is longer than needed.
///
/// ```
/// use calibor::float::is_exact_f32;
///
/// assert!(is_exact_f32(2.0_f64.powi(-149).to_bits()));
/// assert!(!is_exact_f32(0.1_f64.to_bits()));
/// ```
#[inline]
#[must_use]
pub const fn is_exact_f32(bits: u64) -> bool {
    // The low 29 bits have no place whatever the exponent; most that are not exact have some.
    bits << 35 == 0 && trailing_zeros(bits) >= RUNGS[exponent(bits)].single_shift as u32
}

/// Whether a binary32 keeps its value, or its NaN bits, in binary16: whether it is longer than needed.
///
/// ```
/// use calibor::float::f32_is_exact_f16;
///
/// assert!(f32_is_exact_f16(0.5_f32.to_bits()));
/// assert!(!f32_is_exact_f16(0x7f80_0001)); // a signalling NaN, whose payload binary16 cannot hold
/// ```
#[inline]
#[must_use]
pub const fn f32_is_exact_f16(bits: u32) -> bool {
    // The low 13 bits have no place whatever the exponent.
    let zeros = ((bits & 0x007f_ffff) | (1 << 23)).trailing_zeros();
    bits << 19 == 0 && zeros >= RUNGS_F32[(bits >> 23) as usize & 0xff].shift
}

/// The binary16 with the value of a binary64, if there is one.
///
/// ```
/// use calibor::float::f64_bits_to_f16_bits;
///
/// assert_eq!(f64_bits_to_f16_bits(1.0_f64.to_bits()), Some(0x3c00));
/// assert_eq!(f64_bits_to_f16_bits(0.1_f64.to_bits()), None);
/// ```
#[inline]
#[must_use]
pub const fn f64_bits_to_f16_bits(bits: u64) -> Option<u16> {
    match narrowest(bits) {
        (1, half) => Some(low_u16(half)),
        _ => None,
    }
}

/// The binary32 with the value of a binary64, if there is one.
///
/// ```
/// use calibor::float::f64_bits_to_f32_bits;
///
/// assert_eq!(f64_bits_to_f32_bits(1.0_f64.to_bits()), Some(0x3f80_0000));
/// assert_eq!(f64_bits_to_f32_bits(0.1_f64.to_bits()), None);
/// ```
#[inline]
#[must_use]
pub const fn f64_bits_to_f32_bits(bits: u64) -> Option<u32> {
    if !is_exact_f32(bits) {
        return None;
    }
    let rung = RUNGS[exponent(bits)];
    let magnitude = low_u32((bits & STORED) >> rung.single_shift) + rung.single_base;
    Some((low_u32(bits >> 32) & 0x8000_0000) | magnitude)
}

/// Widens binary16 to binary64, NaN bits included.
///
/// ```
/// use calibor::float::f16_to_f64_bits;
///
/// assert_eq!(f16_to_f64_bits(0x0001), 2.0_f64.powi(-24).to_bits());
/// ```
#[inline]
#[must_use]
pub const fn f16_to_f64_bits(bits: u16) -> u64 {
    widen(bits as u64, 5, 10)
}

/// Widens binary32 to binary64, NaN bits included (a cast would quieten a signalling one).
///
/// ```
/// use calibor::float::f32_to_f64_bits;
///
/// assert_eq!(f32_to_f64_bits(0x7f80_0001), 0x7ff0_0000_2000_0000);
/// ```
#[inline]
#[must_use]
pub const fn f32_to_f64_bits(bits: u32) -> u64 {
    widen(bits as u64, 8, 23)
}

/// Widens binary16 to binary32, NaN bits included.
///
/// ```
/// use calibor::float::f16_to_f32_bits;
///
/// assert_eq!(f16_to_f32_bits(0x3c00), 1.0_f32.to_bits());
/// ```
#[inline]
#[must_use]
pub const fn f16_to_f32_bits(bits: u16) -> u32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let magnitude = bits as u32 & 0x7fff;
    match magnitude {
        0 => sign,
        1..0x0400 => {
            // The leading one, wherever it stands, becomes the implicit bit of binary32.
            let lead = magnitude.leading_zeros() - 21;
            sign | (((112 - lead) << 23) + ((magnitude << lead) << 13))
        }
        0x0400..0x7c00 => sign | ((magnitude << 13) + (112 << 23)),
        _ => sign | 0x7f80_0000 | (magnitude << 13),
    }
}

/// The stored bits of binary64's significand.
const STORED: u64 = (1 << 52) - 1;

/// How one exponent of binary64 fares in the narrower formats: how many low bits of the stored
/// significand have to be 0, and what is added to the others once those are shifted out.
#[derive(Clone, Copy)]
struct Rungs {
    single_base: u32,
    half_base: u16,
    single_shift: u8,
    half_shift: u8,
}

/// By binary64's exponent field.
static RUNGS: [Rungs; 2048] = {
    let mut table = [Rungs { single_base: 0, half_base: 0, single_shift: 0, half_shift: 0 }; 2048];
    let mut field = 0;
    while field < 2048 {
        let half = Rung::new(&Format::F64, &Format::F16, field);
        let single = Rung::new(&Format::F64, &Format::F32, field);
        table[field as usize] = Rungs {
            single_base: single.base,
            half_base: low_u16(half.base as u64),
            single_shift: low_u8(single.shift as u64),
            half_shift: low_u8(half.shift as u64),
        };
        field += 1;
    }
    table
};

/// How one exponent of binary32 fares in binary16.
static RUNGS_F32: [Rung; 256] = {
    let mut table = [Rung { shift: 0, base: 0 }; 256];
    let mut field = 0;
    while field < 256 {
        table[field as usize] = Rung::new(&Format::F32, &Format::F16, field);
        field += 1;
    }
    table
};

/// One entry of [`RUNGS`].
#[derive(Clone, Copy)]
struct Rung {
    shift: u32,
    base: u32,
}

impl Rung {
    /// More zeros than there are.
    const NEVER: Self = Self { shift: 255, base: 0 };

    /// How an exponent field of one format fares in another.
    const fn new(from: &Format, to: &Format, field: u32) -> Self {
        let top = low_u32(from.infinity() >> from.fraction);
        let missing = from.fraction - to.fraction;
        let exponent = signed(field) - from.bias;
        let below = to.min_exponent() - exponent;
        if field == 0 {
            // Zero alone: the stored bits of a subnormal have fewer trailing zeros than there are bits.
            Self { shift: from.fraction, base: 0 }
        } else if field == top {
            Self { shift: missing, base: low_u32(to.infinity()) }
        } else if exponent > to.max_exponent() {
            Self::NEVER
        } else if below <= 0 {
            let field = 1 + below.unsigned_abs();
            Self { shift: missing, base: field << to.fraction }
        } else if below.unsigned_abs() <= to.fraction {
            // A subnormal, where the implicit bit becomes one of the others.
            let below = below.unsigned_abs();
            Self { shift: missing + below, base: 1 << (to.fraction - below) }
        } else {
            Self::NEVER
        }
    }
}

/// binary64's exponent field.
#[inline]
const fn exponent(bits: u64) -> usize {
    (bits >> 52) as usize & 0x7ff
}

/// Trailing zeros of the stored significand: 52 if there is nothing else.
#[inline]
const fn trailing_zeros(bits: u64) -> u32 {
    ((bits & STORED) | (1 << 52)).trailing_zeros()
}

/// `yes` under a mask of ones, `no` under zeros.
#[inline]
const fn choose(mask: u32, yes: u32, no: u32) -> u32 {
    no ^ ((no ^ yes) & mask)
}

/// Widens an IEEE code of `exponent` and `fraction` bits to binary64.
#[inline]
const fn widen(code: u64, exponent: u32, fraction: u32) -> u64 {
    let sign = (code >> (exponent + fraction)) << 63;
    let magnitude = code & ((1 << (exponent + fraction)) - 1);
    let rebias = 1024 - (1 << (exponent - 1));
    let top = ((1 << exponent) - 1) << fraction;
    let aligned = magnitude << (52 - fraction);
    if magnitude >= top {
        sign | (0x7ff << 52) | aligned
    } else if magnitude >= 1 << fraction {
        sign | (aligned + (rebias << 52))
    } else if magnitude == 0 {
        sign
    } else {
        // The leading one, wherever it stands, becomes the implicit bit of binary64.
        let lead = magnitude.leading_zeros() - (63 - fraction);
        sign | (((rebias - lead as u64) << 52) + (aligned << lead))
    }
}

/// What a binary64 looks like of which a width is certainly the shortest: a normal number there, with no more bits than the
/// significand has and more than that of the next narrower width has.
#[derive(Debug)]
pub(crate) struct Width {
    /// The smallest magnitude, and how far above it the first is that is too large.
    least: u64,
    span: u64,
    /// Bits of which none is set, and bits of which one is.
    none: u64,
    some: u64,
    /// What moves the magnitude up to stand below the sign, and what the exponent is then short of.
    factor: u64,
    short: u64,
    /// The initial byte, and the bytes of the whole.
    pub(crate) initial: u8,
    pub(crate) len: usize,
}

impl Width {
    const NONE: Self = Self::new(0, 1, 0, 0, 0);
    const HALF: Self = Self { some: u64::MAX, ..Self::new(1, 1009, 30, 42, 6) };
    const SINGLE: Self = Self { some: (1 << 42) - 1, ..Self::new(2, 897, 254, 29, 3) };
    const DOUBLE: Self = Self { some: (1 << 29) - 1, ..Self::new(3, 1, 0x7fe, 0, 0) };

    /// The widths by the power of two of their bytes, of which the first is that of nothing.
    pub(crate) const ALL: [Self; 4] = [Self::NONE, Self::HALF, Self::SINGLE, Self::DOUBLE];

    const fn new(power: u8, first_field: u64, fields: u64, zeros: u32, shift: u32) -> Self {
        Width {
            least: first_field << 52,
            span: fields << 52,
            none: (1 << zeros) - 1,
            some: 0,
            factor: 1 << shift,
            short: 1 << (52 + shift),
            initial: 0xf8 | power,
            len: 1 + (1 << power),
        }
    }

    /// The bits of this width, from the top of a word, if a quick look tells that it is the shortest.
    #[inline(always)]
    pub(crate) const fn look(&self, bits: u64) -> Option<u64> {
        const SIGN: u64 = 1 << 63;
        let above = (bits & !SIGN).wrapping_sub(self.least);
        if above >= self.span || bits & self.none != 0 || bits & self.some == 0 {
            return None;
        }
        Some((above.wrapping_mul(self.factor) + self.short) | bits & SIGN)
    }
}

/// True if a quick look tells that no width but binary32 is the shortest for a binary32.
#[inline(always)]
pub(crate) const fn is_single(bits: u32) -> bool {
    // 13 bits are what its significand has more than that of binary16.
    bits << 19 != 0 && (bits << 1).wrapping_sub(1 << 24) < 254 << 24
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the quick looks take is what is normal, and what no fewer bits could hold: the rest is left to the ladder.
    #[test]
    fn quick_looks_agree_with_the_ladder() {
        let look = |bits: u64| {
            let want = match shortest_bits(bits) {
                Shortest::F16(half) => {
                    let normal = matches!(half >> 10 & 0x1f, 1..=30);
                    [normal.then_some(u64::from(half) << 48), None, None]
                }
                Shortest::F32(single) => {
                    // 13 bits are what the fraction of binary32 has more than that of binary16.
                    let fine = single & 0x1fff != 0;
                    let normal = matches!(single >> 23 & 0xff, 1..=254);
                    assert_eq!(is_single(single), fine && normal, "{single:x}");
                    [None, (fine && normal).then_some(u64::from(single) << 32), None]
                }
                Shortest::F64(double) => {
                    // 29 bits are what it has more than that of binary32.
                    let fine = double & 0x1fff_ffff != 0;
                    let normal = matches!(double >> 52 & 0x7ff, 1..=0x7fe);
                    [None, None, (fine && normal).then_some(double)]
                }
            };
            for (width, want) in Width::ALL.iter().zip([None].into_iter().chain(want)) {
                assert_eq!(width.look(bits), want, "{width:?} {bits:x}");
            }
        };
        for half in 0..=u16::MAX {
            look(f16_to_f64_bits(half));
            assert!(!is_single(f16_to_f32_bits(half)), "{half:x}");
        }
        (0..1 << 20).for_each(|n| look(f32_to_f64_bits(n << 12 | n >> 8)));
        // Every exponent with each number of trailing zeros, and the values beside it.
        for exponent in 0..=0x7ff_u64 {
            for zeros in 0..52 {
                for fraction in [1_u64 << zeros, 3 << zeros, u64::MAX << zeros] {
                    look(exponent << 52 | fraction & ((1 << 52) - 1));
                    look(1 << 63 | exponent << 52 | fraction & ((1 << 52) - 1));
                }
            }
        }
    }
}
