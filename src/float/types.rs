//! The ten storage formats, each a newtype around its bits, stamped out of its [`Format`].

use core::cmp::Ordering;
use core::num::FpCategory;

use super::exact::{Integer, Number};
use super::ladder::{f16_to_f32_bits, f32_to_f64_bits};
use super::round::{Format, Overflow, Rounded, ScaleRounding, Unpacked, low_u8, low_u16, signed};
use super::small::sealed::Sealed;
use super::small::{Inexact, SmallFloat, Total, try_from};

/// One format: its type, and all that every type has.
macro_rules! small_float {
    ($(#[$doc:meta])* $name:ident($repr:ident, $low:ident), $text:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($repr);

        impl $name {
            const FORMAT: Format = Format::$name;

            /// The largest finite value.
            pub const MAX: Self = Self($low(Self::FORMAT.max()));
            /// The smallest positive normal value.
            pub const MIN_POSITIVE: Self =
                Self($low(Self::FORMAT.power_of_two(Self::FORMAT.min_exponent())));
            /// The difference between 1.0 and the next larger value.
            pub const EPSILON: Self =
                Self($low(Self::FORMAT.power_of_two(-signed(Self::FORMAT.fraction))));
            /// The base of the exponent.
            pub const RADIX: u32 = 2;
            /// Significant binary digits, the implicit one included.
            pub const MANTISSA_DIGITS: u32 = Self::FORMAT.fraction + 1;
            /// Decimal digits that survive a round trip through the format.
            pub const DIGITS: u32 = (1_u32 << Self::FORMAT.fraction).ilog10();
            /// One more than the exponent of the smallest normal value.
            pub const MIN_EXP: i32 = Self::FORMAT.min_exponent() + 1;
            /// One more than the exponent of the largest finite value.
            pub const MAX_EXP: i32 = Self::FORMAT.max_exponent() + 1;
            /// The least x for which 10^x is in the normal range.
            pub const MIN_10_EXP: i32 = -Self::FORMAT.decimal_exponents().1;
            /// The largest x for which 10^x is in the normal range.
            pub const MAX_10_EXP: i32 = Self::FORMAT.decimal_exponents().0;

            /// The code.
            #[inline]
            #[must_use]
            pub const fn to_bits(self) -> $repr {
                self.0
            }

            /// The value of a code. Where a code is narrower than the integer, bits above it are ignored.
            #[inline]
            #[must_use]
            pub const fn from_bits(bits: $repr) -> Self {
                Self($low(bits as u64 & Self::FORMAT.mask()))
            }

            /// The value of a code, or none if bits are set above it.
            #[inline]
            #[must_use]
            pub const fn try_from_bits(bits: $repr) -> Option<Self> {
                if bits as u64 > Self::FORMAT.mask() { None } else { Some(Self(bits)) }
            }

            /// The value at the start of a file or of a packet: its code, low byte first.
            #[inline]
            #[must_use]
            pub const fn from_le_bytes(bytes: [u8; size_of::<$repr>()]) -> Self {
                Self::from_bits($repr::from_le_bytes(bytes))
            }

            /// The value whose code has its high byte first.
            #[inline]
            #[must_use]
            pub const fn from_be_bytes(bytes: [u8; size_of::<$repr>()]) -> Self {
                Self::from_bits($repr::from_be_bytes(bytes))
            }

            /// The code, low byte first.
            #[inline]
            #[must_use]
            pub const fn to_le_bytes(self) -> [u8; size_of::<$repr>()] {
                self.0.to_le_bytes()
            }

            /// The code, high byte first.
            #[inline]
            #[must_use]
            pub const fn to_be_bytes(self) -> [u8; size_of::<$repr>()] {
                self.0.to_be_bytes()
            }

            /// The nearest value, ties to even, past the largest as [`Overflow::Ieee`] has it.
            #[inline]
            #[must_use]
            pub const fn from_f32(value: f32) -> Self {
                Self::from_f32_with(value, Overflow::Ieee)
            }

            /// [`from_f32`](Self::from_f32), with a say in what happens past the largest value.
            #[inline]
            #[must_use]
            pub const fn from_f32_with(value: f32, overflow: Overflow) -> Self {
                Self($low(Self::FORMAT.round_f32(value.to_bits(), overflow)))
            }

            /// The nearest value, ties to even, with one rounding straight from the binary64.
            #[inline]
            #[must_use]
            pub const fn from_f64(value: f64) -> Self {
                Self::from_f64_with(value, Overflow::Ieee)
            }

            /// [`from_f64`](Self::from_f64), with a say in what happens past the largest value.
            #[inline]
            #[must_use]
            pub const fn from_f64_with(value: f64, overflow: Overflow) -> Self {
                Self($low(Self::FORMAT.round_f64(value.to_bits(), overflow)))
            }

            /// The nearest to an integer.
            #[inline]
            #[must_use]
            pub const fn from_u64(value: u64) -> Self {
                Self::from_u128(value as u128)
            }

            /// The nearest to an integer.
            #[inline]
            #[must_use]
            pub const fn from_i64(value: i64) -> Self {
                Self::from_i128(value as i128)
            }

            /// The nearest to an integer.
            #[inline]
            #[must_use]
            pub const fn from_u128(value: u128) -> Self {
                Self::of(Self::FORMAT.pack_integer(false, value, Overflow::Ieee))
            }

            /// The nearest to an integer.
            #[inline]
            #[must_use]
            pub const fn from_i128(value: i128) -> Self {
                Self::of(Self::FORMAT.pack_integer(value < 0, value.unsigned_abs(), Overflow::Ieee))
            }

            /// The nearest to an integer of any length.
            #[must_use]
            pub fn from_integer(value: Integer<'_>) -> Self {
                Number::from(value).round().0
            }

            /// The nearest to a number of any other kind, with one rounding, and whether it is that number.
            #[must_use]
            pub fn from_number(number: &Number<'_>, overflow: Overflow) -> (Self, bool) {
                number.round_with(overflow)
            }

            /// The value as binary32, exactly.
            #[inline]
            #[must_use]
            pub const fn to_f32(self) -> f32 {
                f32::from_bits(self.wide())
            }

            /// The value as binary64, exactly.
            #[inline]
            #[must_use]
            pub const fn to_f64(self) -> f64 {
                f64::from_bits(f32_to_f64_bits(self.wide()))
            }

            /// Whether it is a NaN.
            #[inline]
            #[must_use]
            pub const fn is_nan(self) -> bool {
                Self::FORMAT.is_nan(self.0 as u64)
            }

            /// Whether it is an infinity.
            #[inline]
            #[must_use]
            pub const fn is_infinite(self) -> bool {
                Self::FORMAT.is_infinite(self.0 as u64)
            }

            /// Whether it is neither an infinity nor a NaN.
            #[inline]
            #[must_use]
            pub const fn is_finite(self) -> bool {
                !self.is_nan() && !self.is_infinite()
            }

            /// Whether it is a number that is neither zero, subnormal, infinite nor NaN.
            #[inline]
            #[must_use]
            pub const fn is_normal(self) -> bool {
                matches!(self.classify(), FpCategory::Normal)
            }

            /// Whether it is too small for the implicit bit.
            #[inline]
            #[must_use]
            pub const fn is_subnormal(self) -> bool {
                matches!(self.classify(), FpCategory::Subnormal)
            }

            /// Whether the sign bit is set, which -0 and some NaNs have too.
            #[inline]
            #[must_use]
            pub const fn is_sign_negative(self) -> bool {
                self.0 as u64 & Self::FORMAT.sign() != 0
            }

            /// Whether the sign bit is clear.
            #[inline]
            #[must_use]
            pub const fn is_sign_positive(self) -> bool {
                !self.is_sign_negative()
            }

            /// What kind of value it is.
            #[inline]
            #[must_use]
            pub const fn classify(self) -> FpCategory {
                Self::FORMAT.classify(self.0 as u64)
            }

            /// The order of `f64::total_cmp`: -NaN, -∞, negative, -0, +0, positive, +∞, NaN.
            #[must_use]
            pub fn total_cmp(&self, other: &Self) -> Ordering {
                Total(*self).cmp(&Total(*other))
            }

            /// The bits of the same value as binary32.
            #[inline]
            const fn wide(self) -> u32 {
                match (Self::FORMAT.bits, Self::FORMAT.fraction) {
                    (16, 7) => (self.0 as u32) << 16,
                    (16, _) => f16_to_f32_bits(self.0 as u16),
                    _ => Self::WIDE[(self.0 & 0xff) as usize],
                }
            }

            pub(super) const fn of(rounded: Rounded) -> Self {
                Self($low(rounded.code))
            }
        }

        impl Sealed for $name {
            const FORMAT: Format = Format::$name;

            #[inline]
            fn from_code(code: u64) -> Self {
                Self($low(code))
            }

            #[inline]
            fn code(self) -> u64 {
                self.0.into()
            }

            #[inline]
            fn widen(self) -> u32 {
                self.wide()
            }
        }

        impl SmallFloat for $name {
            const NAME: &'static str = $text;
            const MAX: Self = Self::MAX;
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.partial_cmp(other) == Some(Ordering::Equal)
            }
        }

        impl PartialOrd for $name {
            /// As IEEE 754 has it: NaN is unordered, and the zeros are equal.
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                let zeros = |x: &Self| matches!(x.classify(), FpCategory::Zero);
                match (self.is_nan() || other.is_nan(), zeros(self) && zeros(other)) {
                    (true, _) => None,
                    (_, true) => Some(Ordering::Equal),
                    _ => Some(self.total_cmp(other)),
                }
            }
        }

        impl TryFrom<f32> for $name {
            type Error = Inexact;

            /// The same value, the sign of zero included; any NaN is one where the format has one.
            ///
            /// # Errors
            ///
            /// [`Inexact`] where the value would change.
            fn try_from(value: f32) -> Result<Self, Inexact> {
                let bits = u64::from(value.to_bits());
                try_from(Format::F32.convert(bits, &Self::FORMAT, Overflow::Ieee), value.is_nan())
            }
        }

        impl TryFrom<f64> for $name {
            type Error = Inexact;

            /// The same value, the sign of zero included; any NaN is one where the format has one.
            ///
            /// # Errors
            ///
            /// [`Inexact`] where the value would change.
            fn try_from(value: f64) -> Result<Self, Inexact> {
                let bits = value.to_bits();
                try_from(Format::F64.convert(bits, &Self::FORMAT, Overflow::Ieee), value.is_nan())
            }
        }

        impl From<$name> for f32 {
            #[inline]
            fn from(value: $name) -> Self {
                value.to_f32()
            }
        }

        impl From<$name> for f64 {
            #[inline]
            fn from(value: $name) -> Self {
                value.to_f64()
            }
        }

        impl From<$name> for Number<'_> {
            fn from(value: $name) -> Self {
                let wide = Format::$name.convert(value.code(), &Format::F64, Overflow::Ieee);
                Self::from_f64_bits(wide.code)
            }
        }
    };
}

/// What the formats with a sign have.
macro_rules! signed_float {
    ($($name:ident)*) => { $(
        impl $name {
            /// The least finite value, `-MAX`.
            pub const MIN: Self =
                Self::from_bits(Self::MAX.0 | (1 << (Self::FORMAT.bits - 1)));
            /// The smallest positive value.
            pub const MIN_POSITIVE_SUBNORMAL: Self = Self(1);
        }

        impl Default for $name {
            /// Zero.
            fn default() -> Self {
                Self(0)
            }
        }
    )* };
}

/// What the formats with infinities have.
macro_rules! infinite_float {
    ($($name:ident, $low:ident;)*) => { $(
        impl $name {
            /// Infinity.
            pub const INFINITY: Self = Self($low(Self::FORMAT.infinity()));
            /// Negative infinity.
            pub const NEG_INFINITY: Self =
                Self($low(Self::FORMAT.infinity() | Self::FORMAT.sign()));
        }
    )* };
}

/// What the formats with NaN have.
macro_rules! nan_float {
    ($($name:ident)*) => { $(
        impl $name {
            /// The quiet NaN that conversions make.
            pub const NAN: Self = Self::from_f64(f64::NAN);
        }
    )* };
}

small_float! {
    /// IEEE 754 binary16: 5 bits of exponent, 10 of significand.
    ///
    /// ```
    /// use calibor::float::F16;
    ///
    /// assert_eq!(F16::from_f32(0.1).to_bits(), 0x2e66);
    /// assert_eq!(F16::from_f64(65519.99999999999), F16::MAX); // half says infinity, by way of f32
    /// assert_eq!(F16::from_f64(0.1).to_string(), "0.1");
    /// assert!(F16::try_from(0.1).is_err());
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    F16(u16, low_u16), "f16"
}

small_float! {
    /// bfloat16: the upper half of a binary32, so 8 bits of exponent, 7 of significand.
    ///
    /// There is no `From` between it and [`F16`]: either direction loses something.
    ///
    /// ```
    /// use calibor::float::BF16;
    ///
    /// assert_eq!(BF16::from_f32(1e38).to_f32(), 9.969209968386869e37);
    /// assert_eq!(BF16::from_u64((257 << 17) + 1).to_bits(), 0x4c01);
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    BF16(u16, low_u16), "bf16"
}

small_float! {
    /// OCP FP8 E4M3: no infinity, one NaN of either sign, up to 448.
    ///
    /// ```
    /// use calibor::float::F8E4M3FN;
    ///
    /// assert_eq!(F8E4M3FN::from_f32(464.0), F8E4M3FN::MAX); // the tie goes to the even code
    /// assert!(F8E4M3FN::from_f32(465.0).is_nan());
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    F8E4M3FN(u8, low_u8), "f8e4m3fn"
}

small_float! {
    /// OCP FP8 E5M2: IEEE's shape, the upper half of a binary16.
    ///
    /// ```
    /// use calibor::float::{F16, F8E5M2};
    ///
    /// assert_eq!(F16::from(F8E5M2::from_f32(-1.25)).to_f32(), -1.25);
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    F8E5M2(u8, low_u8), "f8e5m2"
}

small_float! {
    /// FP8 E4M3 with bias 8, without infinities and -0, whose code is the one NaN.
    ///
    /// ```
    /// use calibor::float::F8E4M3FNUZ;
    ///
    /// assert_eq!(F8E4M3FNUZ::NAN.to_bits(), 0x80);
    /// assert!(F8E4M3FNUZ::try_from(-0.0_f32).is_err());
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    F8E4M3FNUZ(u8, low_u8), "f8e4m3fnuz"
}

small_float! {
    /// FP8 E5M2 with bias 16, without infinities and -0, whose code is the one NaN.
    ///
    /// ```
    /// use calibor::float::F8E5M2FNUZ;
    ///
    /// assert_eq!(F8E5M2FNUZ::MIN_POSITIVE_SUBNORMAL.to_f64(), 2.0_f64.powi(-17));
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    F8E5M2FNUZ(u8, low_u8), "f8e5m2fnuz"
}

small_float! {
    /// OCP MX FP6 E2M3: every code is a finite number, so what is too large becomes 7.5, and NaN does too
    /// (as PTX has it); `try_from` refuses it.
    ///
    /// ```
    /// use calibor::float::F6E2M3FN;
    ///
    /// assert_eq!(F6E2M3FN::from_f32(f32::INFINITY).to_f32(), 7.5);
    /// assert_eq!(F6E2M3FN::try_from_bits(0x40), None);
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::NoUninit, bytemuck::Zeroable))]
    F6E2M3FN(u8, low_u8), "f6e2m3fn"
}

small_float! {
    /// OCP MX FP6 E3M2: every code is a finite number, so what is too large becomes 28, and NaN does too
    /// (as PTX has it); `try_from` refuses it.
    ///
    /// ```
    /// use calibor::float::F6E3M2FN;
    ///
    /// assert_eq!(F6E3M2FN::from_f32(5.5).to_f32(), 6.0);
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::NoUninit, bytemuck::Zeroable))]
    F6E3M2FN(u8, low_u8), "f6e3m2fn"
}

small_float! {
    /// OCP MX FP4 E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    ///
    /// What is too large becomes 6, and NaN does too (as PTX has it); `try_from` refuses it.
    ///
    /// ```
    /// use calibor::float::F4E2M1FN;
    ///
    /// let values = [0, 1, 2, 3, 4, 5, 6, 7].map(|code| F4E2M1FN::from_bits(code).to_f32());
    /// assert_eq!(values, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::NoUninit, bytemuck::Zeroable))]
    F4E2M1FN(u8, low_u8), "f4e2m1fn"
}

small_float! {
    /// OCP MX E8M0, the scale of a block: 2^-127 to 2^127 and one NaN; no sign and no zero.
    ///
    /// Conversions round as [`ScaleRounding::NearestUp`] unless they are told otherwise. Zero,
    /// negative numbers and whatever rounds past 2^127 become NaN; with [`Overflow::Saturate`] zero
    /// becomes 2^-127 and what is too large 2^127. There is no `From` into [`F16`], which 2^-127 is
    /// too small for.
    ///
    /// ```
    /// use calibor::float::{BF16, F8E8M0FNU};
    ///
    /// assert_eq!(F8E8M0FNU::from_f32(3.0).to_f32(), 4.0);
    /// assert!(F8E8M0FNU::from_f32(0.0).is_nan());
    /// assert_eq!(BF16::from(F8E8M0FNU::MIN_POSITIVE).to_f64(), 2.0_f64.powi(-127));
    /// ```
    #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
    F8E8M0FNU(u8, low_u8), "f8e8m0fnu"
}

signed_float! {
    F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F6E2M3FN F6E3M2FN F4E2M1FN
}

infinite_float! {
    F16, low_u16;
    BF16, low_u16;
    F8E5M2, low_u8;
}

nan_float! {
    F16 BF16 F8E4M3FN F8E5M2 F8E4M3FNUZ F8E5M2FNUZ F8E8M0FNU
}

impl F8E8M0FNU {
    /// A power of two beside `value`, by an explicit rule.
    ///
    /// ```
    /// use calibor::float::{F8E8M0FNU, ScaleRounding};
    ///
    /// assert_eq!(F8E8M0FNU::from_f32_rounded(1.9, ScaleRounding::Floor).to_f32(), 1.0);
    /// ```
    #[must_use]
    pub const fn from_f32_rounded(value: f32, rounding: ScaleRounding) -> Self {
        Self::rounded(Format::F32.unpack(value.to_bits() as u64), rounding)
    }

    /// A power of two beside `value`, by an explicit rule.
    ///
    /// ```
    /// use calibor::float::{F8E8M0FNU, ScaleRounding};
    ///
    /// assert_eq!(F8E8M0FNU::from_f64_rounded(1.1, ScaleRounding::Ceil).to_f32(), 2.0);
    /// ```
    #[must_use]
    pub const fn from_f64_rounded(value: f64, rounding: ScaleRounding) -> Self {
        Self::rounded(Format::F64.unpack(value.to_bits()), rounding)
    }

    const fn rounded(number: Unpacked, rounding: ScaleRounding) -> Self {
        Self::of(match number {
            Unpacked::Finite(value) => Self::FORMAT.pack_scale(value, rounding, Overflow::Ieee),
            other => Self::FORMAT.pack(other, Overflow::Ieee),
        })
    }
}
