//! The conversions that run in loops: [`Format::convert`] for two sources and the formats with a sign, written so
//! that nothing branches on a value and a loop over them can be vectorised.
//!
//! They add no rule of their own. The tests hold them to the core, for binary32 over all 2^32 inputs.

use super::round::{Format, Overflow, QUIET, Specials};

/// Narrows one IEEE format to any format with a sign and a shorter significand.
///
/// Adding half a unit, less one where the last kept bit is 0, and shifting is rounding to nearest even.
/// A value below half of the least subnormal has its leading one shifted out by two places or more, which
/// is as good as any number of them.
macro_rules! narrowing {
    ($name:ident, $bits:ident, $from:expr) => {
        #[inline]
        #[allow(clippy::cast_possible_truncation, reason = "a target's codes fit the source's")]
        const fn $name(bits: $bits, to: &Format, overflow: Overflow) -> $bits {
            const FRACTION: u32 = $from.fraction;
            const STORED: $bits = (1 << FRACTION) - 1;
            const INFINITY: $bits = $from.infinity() as $bits;
            // The field that the target's smallest normal number has here.
            let first = (to.min_exponent() + $from.bias).unsigned_abs() as $bits;
            let missing = FRACTION - to.fraction;

            let magnitude = bits & ($bits::MAX >> 1);
            let stored = magnitude & STORED;
            let field = magnitude >> FRACTION;
            let significand = stored | (((field != 0) as $bits) << FRACTION);
            let field = if field == 0 { 1 } else { field };
            let below = first.saturating_sub(field);
            let most = (to.fraction + 2) as $bits;
            let shift = (if below > most { most } else { below }) + missing as $bits;
            let odd = (significand >> shift) & 1;
            let kept = (significand + ((1 << (shift - 1)) - 1) + odd) >> shift;
            let code = kept + (field.saturating_sub(first) << to.fraction);

            let sign = (bits >> ($bits::BITS - 1)) << (to.bits - 1);
            let sign =
                if matches!(to.specials, Specials::MinusZero) && code == 0 { 0 } else { sign };
            let beyond = to.beyond(false, overflow) as $bits;
            let number = sign | if code > to.max() as $bits { beyond } else { code };

            let kept = stored >> missing;
            let fits = kept << missing == stored;
            let nan = match to.specials {
                Specials::Ieee if fits => sign | to.infinity() as $bits | kept,
                Specials::Ieee => {
                    sign | to.infinity() as $bits | (QUIET >> (52 - to.fraction)) as $bits
                }
                Specials::None => to.max() as $bits,
                _ => sign | to.beyond(false, Overflow::Ieee) as $bits,
            };
            if magnitude > INFINITY { nan } else { number }
        }
    };
}

narrowing! { narrow_f32, u32, Format::F32 }
narrowing! { narrow_f64, u64, Format::F64 }

impl Format {
    /// A binary32 into this format.
    #[inline]
    pub(super) const fn round_f32(&self, bits: u32, overflow: Overflow) -> u64 {
        match self.specials {
            Specials::Scale => Self::F32.convert(bits as u64, self, overflow).code,
            _ => narrow_f32(bits, self, overflow) as u64,
        }
    }

    /// A binary64 into this format.
    #[inline]
    pub(super) const fn round_f64(&self, bits: u64, overflow: Overflow) -> u64 {
        match self.specials {
            Specials::Scale => Self::F64.convert(bits, self, overflow).code,
            _ => narrow_f64(bits, self, overflow),
        }
    }

    /// The binary32 bits of a code of 16 bits, in a loop over many.
    #[inline]
    pub(super) fn wide_to_f32(&self, code: u16) -> u32 {
        if self.bias == Self::F32.bias {
            return u32::from(code) << 16;
        }
        let (sign, magnitude) = (u32::from(code & 0x8000) << 16, u32::from(code & 0x7fff));
        let normal = (magnitude << 13) + (112 << 23);
        // Infinities and NaNs are as far below the top of binary32 as all were lifted.
        let normal = if magnitude >= 0x7c00 { normal + (112 << 23) } else { normal };
        // The one float instruction of the module finds the leading one, as few vector units can otherwise.
        // An integer of ten bits has its own value in any floating-point environment.
        let subnormal = f32::from(code & 0x03ff).to_bits().saturating_sub(24 << 23);
        sign | if magnitude < 0x0400 { subnormal } else { normal }
    }
}
