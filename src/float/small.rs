//! What the small formats have in common: the trait, the error of an inexact conversion, and the key.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use super::decimal::ParseError;
use super::exact::Number;
use super::ladder::f32_to_f64_bits;
use super::round::{Format, Overflow, Rounded, low_u16, low_u32};

/// What the formats have in common, for code that is generic over them.
///
/// The trait is sealed: a format is a description inside this crate. All formats are
/// storage, without arithmetic on their bits; feature `arith` adds operators that round once.
///
/// ```
/// use calibor::float::{F4E2M1FN, F8E5M2, SmallFloat};
///
/// fn largest<T: SmallFloat>() -> (&'static str, f64) {
///     (T::NAME, T::MAX.to_f64())
/// }
/// assert_eq!(largest::<F8E5M2>(), ("f8e5m2", 57344.0));
/// assert_eq!(largest::<F4E2M1FN>(), ("f4e2m1fn", 6.0));
/// ```
pub trait SmallFloat:
    sealed::Sealed
    + Copy
    + fmt::Debug
    + fmt::Display
    + fmt::LowerExp
    + FromStr<Err = ParseError>
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
{
    /// LLVM's name of the format, in lower case: `"f8e4m3fn"`.
    const NAME: &'static str;
    /// Width of a code in bits: 4, 6, 8 or 16.
    const BITS: u32 = Self::FORMAT.bits;
    /// Whether any code is a NaN.
    const HAS_NAN: bool = Self::FORMAT.has_nan();
    /// Whether the format has infinities.
    const HAS_INFINITY: bool = Self::FORMAT.has_infinity();
    /// The largest finite value.
    const MAX: Self;

    /// The code, in the low bits.
    ///
    /// ```
    /// use calibor::float::{F8E5M2, SmallFloat};
    ///
    /// assert_eq!(F8E5M2::EPSILON.to_bits_u16(), 0x34);
    /// ```
    #[must_use]
    fn to_bits_u16(self) -> u16 {
        low_u16(self.code())
    }

    /// The value of a code; bits above [`BITS`](Self::BITS) are ignored.
    ///
    /// ```
    /// use calibor::float::{F4E2M1FN, SmallFloat};
    ///
    /// assert_eq!(F4E2M1FN::from_bits_u16(0xf7), F4E2M1FN::MAX);
    /// ```
    #[must_use]
    fn from_bits_u16(bits: u16) -> Self {
        Self::from_code(u64::from(bits) & Self::FORMAT.mask())
    }

    /// The value as binary32, exactly.
    #[must_use]
    fn to_f32(self) -> f32 {
        f32::from_bits(self.widen())
    }

    /// The value as binary64, exactly.
    #[must_use]
    fn to_f64(self) -> f64 {
        f64::from_bits(f32_to_f64_bits(self.widen()))
    }

    /// The nearest to a binary32, with one rounding.
    #[must_use]
    fn from_f32_with(value: f32, overflow: Overflow) -> Self {
        Self::from_code(Self::FORMAT.round_f32(value.to_bits(), overflow))
    }

    /// The nearest to a binary64, with one rounding.
    #[must_use]
    fn from_f64_with(value: f64, overflow: Overflow) -> Self {
        Self::from_code(Self::FORMAT.round_f64(value.to_bits(), overflow))
    }

    /// The nearest of another format, with one rounding. NaN, infinities and the sign of zero go the
    /// way a binary64 of that value would.
    ///
    /// ```
    /// use calibor::float::{F8E4M3FN, F8E5M2, Overflow, SmallFloat};
    ///
    /// let inf: F8E4M3FN = F8E5M2::INFINITY.convert(Overflow::Saturate);
    /// assert_eq!(inf, F8E4M3FN::MAX);
    /// ```
    #[must_use]
    fn convert<T: SmallFloat>(self, overflow: Overflow) -> T {
        T::from_code(Self::FORMAT.convert(self.code(), &T::FORMAT, overflow).code)
    }

    /// The nearest to a decimal, with one rounding whatever its length, in the grammar of `f32::from_str`.
    ///
    /// # Errors
    ///
    /// Text that `f32::from_str` would refuse, and NaN where the format has none.
    ///
    /// ```
    /// use calibor::float::{F16, Overflow, SmallFloat};
    ///
    /// fn read<T: SmallFloat>(text: &str) -> Option<T> {
    ///     T::parse_with(text, Overflow::Saturate).ok()
    /// }
    /// assert_eq!(read("1e9"), Some(F16::MAX));
    /// ```
    fn parse_with(text: &str, overflow: Overflow) -> Result<Self, ParseError> {
        Self::FORMAT.parse(text, overflow).map(|rounded| Self::from_code(rounded.code))
    }

    /// The nearest to an exact number, and whether it is that number.
    ///
    /// ```
    /// use calibor::float::{BF16, Integer, Number, Overflow, SmallFloat};
    ///
    /// let number = Number::binary(Integer::from(257_u64), -8);
    /// assert_eq!(BF16::from_number(&number, Overflow::Ieee), (BF16::from_f32(1.0), false));
    /// ```
    #[must_use]
    fn from_number(number: &Number<'_>, overflow: Overflow) -> (Self, bool) {
        number.round_with(overflow)
    }

    /// Whether it is a NaN.
    #[must_use]
    fn is_nan(self) -> bool {
        Self::FORMAT.is_nan(self.code())
    }
}

pub(super) mod sealed {
    use super::{Format, Overflow, low_u32};

    /// Closed to other crates, and the way from a type to its description.
    pub trait Sealed: Sized {
        const FORMAT: Format;

        /// A code within the format's mask.
        fn from_code(code: u64) -> Self;

        fn code(self) -> u64;

        /// The bits of the same value as binary32, which has every value of every format.
        fn widen(self) -> u32;

        /// binary32 for each code of up to 8 bits.
        const WIDE: &'static [u32; 256] = &{
            let mut wide = [0; 256];
            let mut code = 0;
            while code < wide.len() {
                let value = Self::FORMAT.convert(
                    code as u64 & Self::FORMAT.mask(),
                    &Format::F32,
                    Overflow::Ieee,
                );
                wide[code] = low_u32(value.code);
                code += 1;
            }
            wide
        };
    }
}

/// A value that the narrower format does not have.
///
/// ```
/// use calibor::float::F16;
///
/// let error = F16::try_from(0.1_f64).unwrap_err();
/// assert_eq!(error.to_string(), "the value is not exact in f16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inexact {
    format: &'static str,
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the value is not exact in {}", self.format)
    }
}

impl core::error::Error for Inexact {}

/// A float as a key: the total order of `f64::total_cmp`, in which -0 is below +0 and equal NaNs are equal.
///
/// ```
/// use std::collections::BTreeSet;
/// use calibor::float::{F16, Total};
///
/// let keys: BTreeSet<_> = [1.0, -0.0, 0.0, f32::NAN, 1.0].map(|x| Total(F16::from_f32(x))).into();
/// assert_eq!(keys.len(), 4);
/// assert!(Total(F16::INFINITY) < Total(F16::NAN));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Total<T>(pub T);

impl<T: SmallFloat> Total<T> {
    fn key(self) -> u64 {
        T::FORMAT.total_key(self.0.code())
    }
}

impl<T: SmallFloat> PartialEq for Total<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.code() == other.0.code()
    }
}

impl<T: SmallFloat> Eq for Total<T> {}

impl<T: SmallFloat> Ord for Total<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T: SmallFloat> PartialOrd for Total<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: SmallFloat> Hash for Total<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.code().hash(state);
    }
}

/// The result of a conversion that must not change the value; any NaN is as good as another.
pub(super) fn try_from<T: SmallFloat>(rounded: Rounded, nan: bool) -> Result<T, Inexact> {
    if rounded.exact || (nan && T::HAS_NAN) {
        Ok(T::from_code(rounded.code))
    } else {
        Err(Inexact { format: T::NAME })
    }
}
