//! The conversions that run in loops: [`Format::convert`] for two sources and the formats with a sign, written so
//! that nothing branches on a value and a loop over them can be vectorised.
//!
//! They add no rule of their own. The tests hold them to the core, for binary32 over all 2^32 inputs.

use super::ladder::f32_to_f64_bits;
use super::round::{Format, Overflow, QUIET, Rounded, Specials, low_u16, low_u32};

/// Narrows one IEEE format to any format with a sign and a shorter significand.
///
/// Adding half a unit, less one where the last kept bit is 0, and shifting is rounding to nearest even.
/// A value below half of the least subnormal has its leading one shifted out by two places or more, which
/// is as good as any number of them.
macro_rules! narrowing {
    ($name:ident, $bits:ident, $from:expr) => {
        #[inline(always)]
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
    #[inline(always)]
    pub(super) const fn round_f32(&self, bits: u32, overflow: Overflow) -> u64 {
        match self.specials {
            Specials::Scale => Self::F32.convert(bits as u64, self, overflow).code,
            _ => narrow_f32(bits, self, overflow) as u64,
        }
    }

    /// A binary64 into this format.
    #[inline(always)]
    pub(super) const fn round_f64(&self, bits: u64, overflow: Overflow) -> u64 {
        match self.specials {
            Specials::Scale => Self::F64.convert(bits, self, overflow).code,
            _ => narrow_f64(bits, self, overflow),
        }
    }

    /// [`round_f32`](Self::round_f32) in a loop over many. `beyond` is [`beyond`](Self::beyond) without its sign, looked
    /// up before the loop.
    #[inline(always)]
    pub(super) fn round_f32_of_many(&self, bits: u32, beyond: u64) -> u64 {
        if matches!(self.specials, Specials::Scale) {
            return Self::F32.convert(bits.into(), self, self.mode(beyond)).code;
        }
        let magnitude = bits & (u32::MAX >> 1);
        self.nearest_of_many(magnitude, magnitude, 0, bits >> 31, beyond).into()
    }

    /// [`round_f64`](Self::round_f64) in a loop over many.
    ///
    /// A last bit for all that was lost leaves a number on its side of every tie.
    #[inline(always)]
    pub(super) fn round_f64_of_many(&self, bits: u64, beyond: u64) -> u64 {
        if matches!(self.specials, Specials::Scale) {
            return Self::F64.convert(bits, self, self.mode(beyond)).code;
        }
        // Where the format has subnormals as small as binary32's, they are looked at through a glass.
        let lift = if self.bias == Self::F32.bias { 64 } else { 0 };
        let (high, low) = (low_u32(bits >> 32), low_u32(bits));
        let (odd, lifted) = (odd_f32(high, low, 0), odd_f32(high, low, lift));
        self.nearest_of_many(odd, lifted, lift, high >> 31, beyond).into()
    }

    /// What `beyond` was made of, for the format that asks again.
    fn mode(&self, beyond: u64) -> Overflow {
        if beyond == self.max() { Overflow::Saturate } else { Overflow::Ieee }
    }

    /// A code from a binary32's magnitude, and from the same times 2^lift if the result is subnormal.
    #[inline(always)]
    fn nearest_of_many(
        &self,
        magnitude: u32,
        lifted: u32,
        lift: u32,
        sign: u32,
        beyond: u64,
    ) -> u32 {
        let least = (self.min_exponent() + Self::F32.bias).unsigned_abs();
        let missing = 23 - self.fraction;
        let even =
            |all: u32, shift: u32| (all + ((1 << (shift - 1)) - 1) + ((all >> shift) & 1)) >> shift;
        let normal = even(magnitude.saturating_sub((least - 1) << 23), missing);
        let code = if least == 1 && lift == 0 {
            normal
        } else {
            let field = lifted >> 23;
            let significand = (lifted & ((1 << 23) - 1)) | (1 << 23);
            let below = (least + lift).saturating_sub(field).min(self.fraction + 2);
            let subnormal = even(significand, missing + below);
            if field < least + lift { subnormal } else { normal }
        };

        let infinity = low_u32(Self::F32.infinity());
        let sign = sign << (self.bits - 1);
        let finite = match self.specials {
            Specials::MinusZero if code == 0 => 0,
            _ => sign | code,
        };
        let beyond = sign | low_u32(beyond);
        let number = if code > low_u32(self.max()) { beyond } else { finite };
        let stored = magnitude & ((1 << 23) - 1);
        let kept = stored >> missing;
        let quiet = 1 << (self.fraction - 1);
        let nan = match self.specials {
            Specials::Ieee => {
                let kept = if kept << missing == stored { kept } else { quiet };
                sign | low_u32(self.infinity()) | kept
            }
            Specials::None => low_u32(self.max()),
            _ => sign | low_u32(self.beyond(false, Overflow::Ieee)),
        };
        if magnitude > infinity { nan } else { number }
    }

    /// Whether a binary64, NaNs too, has a code.
    #[inline(always)]
    pub(super) fn has_f64(&self, bits: u64) -> bool {
        if matches!(self.specials, Specials::Scale) {
            let Rounded { exact, .. } = Self::F64.convert(bits, self, Overflow::Ieee);
            return exact;
        }
        let (high, low) = (low_u32(bits >> 32), low_u32(bits));
        let odd = odd_f32(high, low, 0) | (high & (1 << 31));
        let code = self.round_f32_of_many(odd, self.beyond(false, Overflow::Ieee));
        // No format has the last bit of what was not exact before.
        let same = self.wide_to_f32(low_u16(code)) == odd;
        if self.bias != Self::F32.bias {
            return same;
        }
        let high = high & 0x7fff_ffff;
        // The field of the least subnormal, and as many more as there are of them.
        let first = (Self::F64.bias + self.min_exponent()).unsigned_abs() - self.fraction;
        let field = high >> 20;
        let spare = (1 << (20 - field.saturating_sub(first).min(self.fraction))) - 1;
        let subnormal = field >= first && low == 0 && high & spare == 0;
        if field < first + self.fraction && (high | low) != 0 { subnormal } else { same }
    }

    /// The binary64 bits of a code that is in binary32 already, in a loop over many.
    #[inline(always)]
    pub(super) fn single_to_f64(&self, bits: u32) -> u64 {
        if self.bias == Self::F32.bias {
            return f32_to_f64_bits(bits);
        }
        // No subnormals are left in binary32.
        let (magnitude, infinity) = (u64::from(bits & 0x7fff_ffff), Self::F32.infinity());
        let number = (magnitude << 29) + (896 << 52);
        let wide = if magnitude >= infinity { number + (896 << 52) } else { number };
        let wide = if magnitude == 0 { 0 } else { wide };
        (u64::from(bits >> 31) << 63) | wide
    }

    /// The binary32 bits of a code, in a loop over many.
    #[inline(always)]
    pub(super) fn wide_to_f32(&self, code: u16) -> u32 {
        let all = u32::from(code);
        if self.bias == Self::F32.bias && self.bits == 16 {
            return all << 16;
        }
        let top = low_u32(self.mask() ^ self.sign());
        let nan = 0x7fc0_0000;
        if matches!(self.specials, Specials::Scale) {
            let least = if all == 0 { 1 << 22 } else { all << 23 };
            return if all == top { nan } else { least };
        }
        let magnitude = all & top;
        let sign = (all ^ magnitude) << (32 - self.bits);
        let lift = (Self::F32.bias - self.bias).unsigned_abs();
        let normal = (magnitude << (23 - self.fraction)) + (lift << 23);
        // Infinities and NaNs are as far below the top of binary32 as all were lifted.
        let special =
            matches!(self.specials, Specials::Ieee) && all & top >= low_u32(self.infinity());
        let normal = if special { normal + (lift << 23) } else { normal };
        // This float instruction finds the leading one, as few vector units can otherwise.
        // An integer of ten bits has its own value in any floating-point environment.
        let stored = code & ((1 << self.fraction) - 1);
        let below = self.bias.unsigned_abs() + self.fraction - 1;
        let subnormal = f32::from(stored).to_bits().saturating_sub(below << 23);
        let number = sign | if magnitude >> self.fraction == 0 { subnormal } else { normal };
        match self.specials {
            Specials::AllOnes if magnitude == top => sign | nan,
            Specials::MinusZero if all == low_u32(self.sign()) => nan,
            _ => number,
        }
    }
}

/// The magnitude of a binary64 times 2^lift as a binary32 of 20 bits and a last one, which is set if anything was lost
/// below them. NaNs too, so that a payload that does not fit a shorter format still does not.
///
/// What is below binary32's normal numbers comes out below them, and what is above them as the largest.
///
/// It takes the halves, because vectors of 64-bit integers lack half the operations.
#[inline(always)]
pub(super) fn odd_f32(high: u32, low: u32, lift: u32) -> u32 {
    let high = high & 0x7fff_ffff;
    let least = (896 - lift) << 20;
    let largest = least + (255 << 20) - 1;
    let below = if high < least + (1 << 20) { high } else { 0 };
    let lost = u32::from(low | below != 0);
    let number = ((high.max(least).min(largest) - least) << 3) | lost;
    let special = (0xff << 23) | ((high & 0x000f_ffff) << 3) | lost;
    if high >= 0x7ff0_0000 { special } else { number }
}
