//! The one rounding core: every conversion of this module is `to.pack(from.unpack(code))`.
//!
//! A binary format is data ([`Format`]); a value on its way into one is a [`Scaled`] integer. Both are
//! integers throughout, so neither the rounding mode of the processor nor its treatment of
//! subnormals can change a result.

use core::num::FpCategory;

/// What happens to a value past the largest finite one.
///
/// Formats without infinities and without NaN (fp6, fp4) clamp either way, because nothing else is
/// left to them.
///
/// ```
/// use calibor::float::{F8E4M3FN, F8E5M2, Overflow};
///
/// assert_eq!(F8E5M2::from_f32_with(1e9, Overflow::Ieee), F8E5M2::INFINITY);
/// assert!(F8E4M3FN::from_f32_with(1e9, Overflow::Ieee).is_nan());
/// assert_eq!(F8E4M3FN::from_f32_with(1e9, Overflow::Saturate), F8E4M3FN::MAX);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// Infinity where the format has one, else NaN where it has one, else the largest finite value.
    #[default]
    Ieee,
    /// The largest finite value of that sign, for infinities too (ONNX `saturate=1`, NVIDIA `satfinite`).
    Saturate,
}

/// How a positive number becomes a power of two, in [`F8E8M0FNU`](crate::float::F8E8M0FNU).
///
/// A significand of one bit is always odd, so "ties to even" says nothing here, and every library
/// that was measured does something else; hence the choice is spelled out. Whatever the rule,
/// positive values below 2^-127 become 2^-127, and results above 2^127, zero, negative numbers,
/// infinities and NaN become NaN.
///
/// ```
/// use calibor::float::{F8E8M0FNU, ScaleRounding};
///
/// let code = |rounding| F8E8M0FNU::from_f64_rounded(3.0, rounding).to_f64();
/// assert_eq!(code(ScaleRounding::Floor), 2.0);
/// assert_eq!(code(ScaleRounding::Ceil), 4.0);
/// assert_eq!(code(ScaleRounding::NearestUp), 4.0);
/// assert_eq!(code(ScaleRounding::NearestEvenCode), 2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScaleRounding {
    /// The power of two at or below (OCP MX scale choice, oneDNN).
    Floor,
    /// The power of two at or above (ONNX `Cast`, its default).
    Ceil,
    /// The nearer power of two, 1.5 * 2^k going up (`ml_dtypes`); what `from_f64` and its kin use.
    #[default]
    NearestUp,
    /// The nearer power of two, 1.5 * 2^k going to the even code.
    NearestEvenCode,
}

/// What a format does with the codes that are no ordinary number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// The top exponent holds the infinities and NaNs, as IEEE 754 has it.
    Ieee,
    /// No infinity; all ones is NaN, of either sign (`FN`).
    AllOnes,
    /// No infinity and no -0: the code of -0 is the one NaN (`FNUZ`).
    MinusZero,
    /// Every code is a finite number.
    None,
    /// No sign, no zero, no significand: powers of two, and all ones is NaN.
    Scale,
}

/// One binary format: all that tells it from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Width of a code.
    pub bits: u32,
    /// Stored bits of the significand.
    pub fraction: u32,
    /// What the exponent field of 1.0 holds.
    pub bias: i32,
    /// Infinities and NaNs.
    pub specials: Specials,
}

/// `(-1)^negative * (significand + f) * 2^exponent`, where `f` is 0, or with `sticky` somewhere strictly
/// between 0 and 1.
///
/// `sticky` goes with at least 63 significant bits, so that no target (f64 has 53) has to look below them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    pub(super) negative: bool,
    pub(super) significand: u64,
    pub(super) exponent: i32,
    pub(super) sticky: bool,
}

/// A number of any format, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unpacked {
    /// `payload` is the significand field of a binary64 NaN.
    Nan {
        negative: bool,
        payload: u64,
    },
    Infinite {
        negative: bool,
    },
    Finite(Scaled),
}

/// A code, and whether it is the value that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounded {
    pub(super) code: u64,
    pub(super) exact: bool,
}

/// Exponents past this are beyond every format, whatever 64-bit significand goes with them.
pub(super) const FAR: i32 = 1 << 20;

/// The significand of a quiet NaN without payload, in binary64.
pub(super) const QUIET: u64 = 1 << 51;

/// Half a unit of the last place, when the bits below that place are left-aligned in 64.
const HALF: u64 = 1 << 63;

impl Scaled {
    /// Any magnitude of up to 128 bits.
    pub(super) const fn from_u128(
        negative: bool,
        magnitude: u128,
        exponent: i32,
        sticky: bool,
    ) -> Self {
        let lead = magnitude.leading_zeros();
        if lead >= 64 {
            return Self { negative, significand: low_u64(magnitude), exponent, sticky };
        }
        let aligned = magnitude << lead;
        Self {
            negative,
            significand: low_u64(aligned >> 64),
            exponent: exponent + 64 - signed(lead),
            sticky: sticky || low_u64(aligned) != 0,
        }
    }
}

impl Format {
    pub(super) const F16: Self = Self::ieee(16, 10);
    pub(super) const BF16: Self = Self::ieee(16, 7);
    pub(super) const F32: Self = Self::ieee(32, 23);
    pub(super) const F64: Self = Self::ieee(64, 52);
    pub(super) const F8E4M3FN: Self = Self::new(8, 3, 7, Specials::AllOnes);
    pub(super) const F8E5M2: Self = Self::ieee(8, 2);
    pub(super) const F8E4M3FNUZ: Self = Self::new(8, 3, 8, Specials::MinusZero);
    pub(super) const F8E5M2FNUZ: Self = Self::new(8, 2, 16, Specials::MinusZero);
    pub(super) const F6E2M3FN: Self = Self::new(6, 3, 1, Specials::None);
    pub(super) const F6E3M2FN: Self = Self::new(6, 2, 3, Specials::None);
    pub(super) const F4E2M1FN: Self = Self::new(4, 1, 1, Specials::None);
    pub(super) const F8E8M0FNU: Self = Self::new(8, 0, 127, Specials::Scale);

    const fn new(bits: u32, fraction: u32, bias: i32, specials: Specials) -> Self {
        Self { bits, fraction, bias, specials }
    }

    const fn ieee(bits: u32, fraction: u32) -> Self {
        Self::new(bits, fraction, (1 << (bits - fraction - 2)) - 1, Specials::Ieee)
    }

    /// The bits a code may have set.
    pub(super) const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The sign bit, or 0 in the one format without.
    pub(super) const fn sign(&self) -> u64 {
        match self.specials {
            Specials::Scale => 0,
            _ => 1 << (self.bits - 1),
        }
    }

    /// The code of the largest finite value.
    pub(super) const fn max(&self) -> u64 {
        let magnitudes = self.mask() ^ self.sign();
        match self.specials {
            Specials::Ieee => self.infinity() - 1,
            Specials::AllOnes | Specials::Scale => magnitudes - 1,
            Specials::MinusZero | Specials::None => magnitudes,
        }
    }

    /// The magnitude code all exponent bits make; infinity in the formats of IEEE's shape.
    pub(super) const fn infinity(&self) -> u64 {
        (self.mask() ^ self.sign()) >> self.fraction << self.fraction
    }

    /// The exponent of the smallest normal number.
    pub(super) const fn min_exponent(&self) -> i32 {
        match self.specials {
            Specials::Scale => -self.bias,
            _ => 1 - self.bias,
        }
    }

    /// The exponent of the largest finite number.
    pub(super) const fn max_exponent(&self) -> i32 {
        signed(low_u32(self.max() >> self.fraction)) - self.bias
    }

    pub(super) const fn has_infinity(&self) -> bool {
        matches!(self.specials, Specials::Ieee)
    }

    pub(super) const fn has_nan(&self) -> bool {
        !matches!(self.specials, Specials::None)
    }

    /// Takes a code apart. Exact in every format.
    #[inline]
    pub(super) const fn unpack(&self, code: u64) -> Unpacked {
        let negative = code & self.sign() != 0;
        let magnitude = code & (self.mask() ^ self.sign());
        let all_ones = magnitude == (self.mask() ^ self.sign());
        let payload = match self.specials {
            Specials::Ieee if magnitude == self.infinity() => {
                return Unpacked::Infinite { negative };
            }
            Specials::Ieee if magnitude > self.infinity() => {
                (magnitude - self.infinity()) << (52 - self.fraction)
            }
            Specials::AllOnes | Specials::Scale if all_ones => QUIET,
            // The sign bit is what makes it a NaN, so it is not the NaN's sign.
            Specials::MinusZero if negative && magnitude == 0 => {
                return Unpacked::Nan { negative: false, payload: QUIET };
            }
            _ => return Unpacked::Finite(self.unpack_finite(negative, magnitude)),
        };
        Unpacked::Nan { negative, payload }
    }

    const fn unpack_finite(&self, negative: bool, magnitude: u64) -> Scaled {
        let field = signed(low_u32(magnitude >> self.fraction));
        let stored = magnitude & ((1 << self.fraction) - 1);
        let (significand, field) = match (self.specials, field) {
            (Specials::Scale, _) => (1, field),
            (_, 0) => (stored, 1),
            _ => (stored | 1 << self.fraction, field),
        };
        let exponent = field - self.bias - signed(self.fraction);
        Scaled { negative, significand, exponent, sticky: false }
    }

    /// Rounds once, to nearest and ties to even (powers of two: see [`ScaleRounding::NearestUp`]).
    ///
    /// A NaN is kept bit for bit when its payload fits, signalling or not; otherwise it becomes the
    /// quiet NaN of its sign. Where the format has no NaN the largest finite value stands in and
    /// the result is not exact.
    #[inline]
    pub(super) const fn pack(&self, number: Unpacked, overflow: Overflow) -> Rounded {
        match number {
            Unpacked::Nan { negative, payload } => self.pack_nan(negative, payload),
            Unpacked::Infinite { negative } => Rounded {
                code: self.beyond(negative, overflow),
                exact: self.has_infinity() && matches!(overflow, Overflow::Ieee),
            },
            Unpacked::Finite(value) if matches!(self.specials, Specials::Scale) => {
                self.pack_scale(value, ScaleRounding::NearestUp, overflow)
            }
            Unpacked::Finite(value) => self.pack_finite(value, overflow),
        }
    }

    const fn pack_nan(&self, negative: bool, payload: u64) -> Rounded {
        let plain = payload == QUIET;
        let sign = if negative { self.sign() } else { 0 };
        match self.specials {
            Specials::Ieee => {
                let dropped = 52 - self.fraction;
                let kept = payload >> dropped;
                let exact = kept << dropped == payload;
                let kept = if exact { kept } else { QUIET >> dropped };
                Rounded { code: sign | self.infinity() | kept, exact }
            }
            Specials::AllOnes => Rounded { code: sign | (self.sign() - 1), exact: plain },
            Specials::MinusZero => Rounded { code: self.sign(), exact: plain && !negative },
            Specials::Scale => Rounded { code: self.mask(), exact: plain && !negative },
            Specials::None => Rounded { code: self.max(), exact: false },
        }
    }

    #[inline]
    const fn pack_finite(&self, value: Scaled, overflow: Overflow) -> Rounded {
        let Rounded { code, exact } = self.nearest(value);
        if code > self.max() {
            return Rounded { code: self.beyond(value.negative, overflow), exact: false };
        }
        let no_minus_zero = matches!(self.specials, Specials::MinusZero) && code == 0;
        if !value.negative {
            Rounded { code, exact }
        } else if no_minus_zero {
            Rounded { code, exact: false }
        } else {
            Rounded { code: self.sign() | code, exact }
        }
    }

    /// The magnitude code nearest to a value; anything above `max()` is overflow.
    ///
    /// Codes of one sign are ordered as their values are, so a carry out of the significand walks into
    /// the exponent, from subnormal to normal and from the largest number to overflow, by itself.
    #[inline]
    const fn nearest(&self, value: Scaled) -> Rounded {
        if value.significand == 0 {
            return Rounded { code: 0, exact: true };
        }
        let lead = value.significand.leading_zeros();
        let aligned = value.significand << lead;
        let exponent = value.exponent + 63 - signed(lead);
        if exponent > self.max_exponent() {
            return Rounded { code: self.max() + 1, exact: false };
        }
        let above = exponent - self.min_exponent();
        let (base, below) =
            if above < 0 { (0, above.unsigned_abs()) } else { (above.unsigned_abs(), 0) };
        let shift = 63 - self.fraction + below;
        let (kept, rest) = match shift {
            0..64 => (aligned >> shift, aligned << (64 - shift)),
            64 => (0, aligned),
            // Less than half of the smallest number; any remainder below half says so.
            _ => (0, 1),
        };
        let up = rest > HALF || (rest == HALF && (value.sticky || kept & 1 == 1));
        Rounded {
            code: ((base as u64) << self.fraction) + kept + up as u64,
            exact: rest == 0 && !value.sticky,
        }
    }

    /// Rounds a number into [`Specials::Scale`].
    pub(super) const fn pack_scale(
        &self,
        value: Scaled,
        rounding: ScaleRounding,
        overflow: Overflow,
    ) -> Rounded {
        let saturate = matches!(overflow, Overflow::Saturate);
        if value.significand == 0 {
            return Rounded { code: if saturate { 0 } else { self.mask() }, exact: false };
        }
        if value.negative {
            return Rounded { code: self.mask(), exact: false };
        }
        let lead = value.significand.leading_zeros();
        let exponent = value.exponent + 63 - signed(lead);
        if exponent < self.min_exponent() {
            return Rounded { code: 0, exact: false };
        }
        if exponent > self.max_exponent() {
            return Rounded { code: self.beyond(false, overflow), exact: false };
        }
        let floor = (exponent - self.min_exponent()).unsigned_abs() as u64;
        let rest = value.significand << lead << 1;
        let exact = rest == 0 && !value.sticky;
        let up = match rounding {
            ScaleRounding::Floor => false,
            ScaleRounding::Ceil => !exact,
            ScaleRounding::NearestUp => rest >= HALF,
            ScaleRounding::NearestEvenCode => {
                rest > HALF || (rest == HALF && (value.sticky || floor & 1 == 1))
            }
        };
        let code = floor + up as u64;
        if code > self.max() {
            return Rounded { code: self.beyond(false, overflow), exact: false };
        }
        Rounded { code, exact }
    }

    /// The code for what is past the largest finite value.
    #[inline]
    pub(super) const fn beyond(&self, negative: bool, overflow: Overflow) -> u64 {
        let sign = if negative { self.sign() } else { 0 };
        match (overflow, self.specials) {
            (_, Specials::Scale) if negative => self.mask(),
            (Overflow::Saturate, _) | (_, Specials::None) => sign | self.max(),
            (Overflow::Ieee, Specials::Ieee) => sign | self.infinity(),
            (Overflow::Ieee, Specials::AllOnes) => sign | (self.sign() - 1),
            (Overflow::Ieee, Specials::MinusZero) => self.sign(),
            (Overflow::Ieee, Specials::Scale) => self.mask(),
        }
    }

    /// The magnitude code of a value that the format has a sign for; anything above `max()` is overflow.
    pub(super) const fn magnitude(&self, value: Scaled) -> Rounded {
        match self.specials {
            Specials::Scale => self.pack_scale(value, ScaleRounding::NearestUp, Overflow::Ieee),
            _ => self.nearest(value),
        }
    }

    /// The nearest to an integer.
    pub(super) const fn pack_integer(
        &self,
        negative: bool,
        magnitude: u128,
        overflow: Overflow,
    ) -> Rounded {
        self.pack(Unpacked::Finite(Scaled::from_u128(negative, magnitude, 0, false)), overflow)
    }

    /// 2^exponent, where the format has it.
    pub(super) const fn power_of_two(&self, exponent: i32) -> u64 {
        let one = Scaled { negative: false, significand: 1, exponent, sticky: false };
        self.pack(Unpacked::Finite(one), Overflow::Ieee).code
    }

    pub(super) const fn is_nan(&self, code: u64) -> bool {
        matches!(self.unpack(code), Unpacked::Nan { .. })
    }

    pub(super) const fn is_infinite(&self, code: u64) -> bool {
        matches!(self.unpack(code), Unpacked::Infinite { .. })
    }

    pub(super) const fn classify(&self, code: u64) -> FpCategory {
        match self.unpack(code) {
            Unpacked::Nan { .. } => FpCategory::Nan,
            Unpacked::Infinite { .. } => FpCategory::Infinite,
            Unpacked::Finite(Scaled { significand: 0, .. }) => FpCategory::Zero,
            Unpacked::Finite(value) if value.significand >> self.fraction == 0 => {
                FpCategory::Subnormal
            }
            Unpacked::Finite(_) => FpCategory::Normal,
        }
    }

    /// Integers in the order of `f64::total_cmp`.
    pub(super) const fn total_key(&self, code: u64) -> u64 {
        match self.specials {
            // The one NaN has no sign of its own: where -0 would be, it stands above all numbers.
            Specials::MinusZero if code <= self.sign() => self.sign() + code,
            _ if code & self.sign() != 0 => self.mask() - code,
            _ => self.sign() | code,
        }
    }

    /// The decimal exponents, rounded toward zero, of the largest number and of 1 / the smallest normal one.
    pub(super) const fn decimal_exponents(&self) -> (i32, i32) {
        let top = self.max_exponent() - signed(self.fraction);
        let significand = match self.unpack(self.max()) {
            Unpacked::Finite(value) => value.significand as u128,
            _ => 0,
        };
        let max = if top < 0 {
            significand >> top.unsigned_abs()
        } else {
            significand << top.unsigned_abs()
        };
        let min = 1_u128 << self.min_exponent().unsigned_abs();
        (signed(max.ilog10()), signed(min.ilog10()))
    }

    /// Any format into any other, with at most one rounding.
    #[inline]
    pub(super) const fn convert(&self, code: u64, to: &Self, overflow: Overflow) -> Rounded {
        to.pack(self.unpack(code), overflow)
    }
}

/// The low half of a wider integer, by intent.
pub(super) const fn low_u64(wide: u128) -> u64 {
    (wide & 0xffff_ffff_ffff_ffff) as u64
}

/// The low half of a wider integer, by intent.
pub(super) const fn low_u32(wide: u64) -> u32 {
    (wide & 0xffff_ffff) as u32
}

/// The low quarter of a wider integer, by intent.
pub(super) const fn low_u16(wide: u64) -> u16 {
    (wide & 0xffff) as u16
}

/// The low eighth of a wider integer, by intent.
pub(super) const fn low_u8(wide: u64) -> u8 {
    (wide & 0xff) as u8
}

/// A count of bits or an exponent field as a signed number.
#[allow(clippy::cast_possible_wrap, reason = "callers hold at most 2047")]
pub(super) const fn signed(count: u32) -> i32 {
    count as i32
}
