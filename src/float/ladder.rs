//! The ladder of binary64, binary32 and binary16: which is the narrowest that keeps a value.
//!
//! Everything here works on bits and without a branch on them, so it takes the same time for
//! every mix of values, and no floating-point instruction, and so no setting of the floating-point
//! unit, has a say in the result.

use super::round::{low_u16, low_u32};

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
    let (half, exact) = narrow_f32(bits);
    if exact { Shortest::F16(half) } else { Shortest::F32(bits) }
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
    let (half, in_half) = narrow::<HALF>(bits);
    let (single, in_single) = narrow::<SINGLE>(bits);
    // Masks of all ones or none choose where a conditional would be free to jump.
    let take_half = 0_u64.wrapping_sub(in_half as u64);
    let take_single = 0_u64.wrapping_sub(in_single as u64);
    let wide = bits ^ ((bits ^ single) & take_single);
    let shortest = wide ^ ((wide ^ half) & take_half);
    (3 - in_single as u32 - in_half as u32, shortest)
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
    narrow::<HALF>(bits).1
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
    narrow::<SINGLE>(bits).1
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
    narrow_f32(bits).1
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
    let (half, exact) = narrow::<HALF>(bits);
    if exact { Some(low_u16(half)) } else { None }
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
    let (single, exact) = narrow::<SINGLE>(bits);
    if exact { Some(low_u32(single)) } else { None }
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

/// binary16 as a narrower format for [`narrow`]: the bits of the significand.
const HALF: u32 = 10;
/// binary32 as a narrower format for [`narrow`]: the bits of the significand.
const SINGLE: u32 = 23;

/// Narrows binary64; the code is meaningful only where the flag says that nothing is lost.
///
/// `shift` is how many low bits of the significand the narrower format lacks: a constant for its
/// normal numbers, infinities and NaNs, one more per step below. In a value too small for its
/// subnormals the implicit bit is itself among the lost, so no separate lower limit is needed; zero
/// has no implicit bit and loses nothing.
#[inline]
const fn narrow<const FRACTION: u32>(bits: u64) -> (u64, bool) {
    // The two differ in the exponent field of their smallest normal number, and in their top one.
    let (first, top, sign) = match FRACTION {
        HALF => (1009_u32, 30_u32, 15_u32),
        _ => (897, 254, 31),
    };
    let field = low_u32(bits >> 52) & 0x7ff;
    let implicit = ((field != 0) as u64) << 52;
    let significand = (bits & 0x000f_ffff_ffff_ffff) | implicit;
    let below = first.saturating_sub(field);
    let shift = 52 - FRACTION + if below > FRACTION { FRACTION + 1 } else { below };
    let kept = significand >> shift;
    let lost = kept << shift != significand;
    // Fields between the narrower format's top and binary64's own top are its overflow.
    let overflow = field.wrapping_sub(first + top) < 0x7ff - (first + top);
    let rebased = field.saturating_sub(first);
    let rebased = if rebased > top { top } else { rebased };
    let code = kept + ((rebased as u64) << FRACTION);
    (code | ((bits >> 63) << sign), !(lost | overflow))
}

/// Narrows binary32 to binary16, in the manner of [`narrow`].
#[inline]
const fn narrow_f32(bits: u32) -> (u16, bool) {
    let field = (bits >> 23) & 0xff;
    let significand = (bits & 0x007f_ffff) | (((field != 0) as u32) << 23);
    let below = 113_u32.saturating_sub(field);
    let shift = 13 + if below > HALF { HALF + 1 } else { below };
    let kept = significand >> shift;
    let lost = kept << shift != significand;
    let overflow = field.wrapping_sub(143) < 255 - 143;
    let rebased = field.saturating_sub(113);
    let rebased = if rebased > 30 { 30 } else { rebased };
    let code = (kept + (rebased << 10)) | ((bits >> 31) << 15);
    (low_u16(code as u64), !(lost | overflow))
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
