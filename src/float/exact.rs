//! Exact numbers: integers of any length, floats, `m * 10^e` and `m * 2^e`, each rounded once into a format.

use super::ladder::f32_to_f64_bits;
use super::natural::Natural;
use super::power::{Limbs, MAX_BITS, scale, scale_long, scale_word};
use super::round::{FAR, Format, Overflow, Rounded, Scaled, Unpacked, low_u32, low_u64};
use super::small::SmallFloat;

/// An integer of any length, borrowed from its big-endian bytes where it has any.
///
/// ```
/// use calibor::float::{Integer, Number};
///
/// let bytes = [0xff; 16];
/// assert_eq!(Number::from(Integer::from_be_bytes(false, &bytes)).to_f64(), (2.0_f64.powi(128), false));
/// assert_eq!(Number::from(Integer::minus_one_minus(&bytes)).to_f64(), (-2.0_f64.powi(128), true));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Integer<'a> {
    negative: bool,
    magnitude: Magnitude<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Magnitude<'a> {
    Word(u128),
    /// Big-endian without leading zeros, and how much is to be added to it: 0 or 1.
    Bytes(&'a [u8], bool),
}

impl<'a> Integer<'a> {
    /// `magnitude`, or `-magnitude`. There is no negative zero among the integers.
    ///
    /// ```
    /// use calibor::float::{BF16, Integer, Number};
    ///
    /// let tie = Number::from(Integer::new(true, 257));
    /// assert_eq!(tie.round::<BF16>(), (BF16::from_f32(-256.0), false));
    /// ```
    #[must_use]
    pub const fn new(negative: bool, magnitude: u128) -> Self {
        Self { negative, magnitude: Magnitude::Word(magnitude) }
    }

    /// A big-endian magnitude of any length, leading zeros allowed, and its sign: CBOR's tag 2.
    ///
    /// ```
    /// use calibor::float::{Integer, Number};
    ///
    /// assert_eq!(Number::from(Integer::from_be_bytes(false, &[1, 0])).to_f32(), (256.0, true));
    /// ```
    #[must_use]
    pub const fn from_be_bytes(negative: bool, bytes: &'a [u8]) -> Self {
        Self { negative, magnitude: Magnitude::Bytes(strip(bytes), false) }
    }

    /// `-1 - n` for a big-endian `n` of any length: CBOR's tag 3. No carry is ever written out.
    ///
    /// ```
    /// use calibor::float::{Integer, Number};
    ///
    /// assert_eq!(Number::from(Integer::minus_one_minus(&[0xff, 0xff])).to_f32(), (-65536.0, true));
    /// ```
    #[must_use]
    pub const fn minus_one_minus(n: &'a [u8]) -> Self {
        Self { negative: true, magnitude: Magnitude::Bytes(strip(n), true) }
    }

    /// Whether it is 0.
    const fn is_zero(&self) -> bool {
        match self.magnitude {
            Magnitude::Word(magnitude) => magnitude == 0,
            Magnitude::Bytes(bytes, plus_one) => bytes.is_empty() && !plus_one,
        }
    }

    /// Bits of the magnitude, or one fewer where adding one carries all the way.
    const fn bits(&self) -> u64 {
        match self.magnitude {
            Magnitude::Word(magnitude) => 128 - magnitude.leading_zeros() as u64,
            Magnitude::Bytes([], plus_one) => plus_one as u64,
            Magnitude::Bytes([first, rest @ ..], _) => {
                8 * rest.len() as u64 + 8 - first.leading_zeros() as u64
            }
        }
    }

    /// The leading 64 bits and what follows them, times 2^power.
    fn scaled(&self, power: i128) -> Scaled {
        let (top, follows, dropped) = match self.magnitude {
            Magnitude::Word(magnitude) => (magnitude, false, 0),
            Magnitude::Bytes(bytes, plus_one) => {
                let (head, rest) = bytes.split_at(bytes.len().min(15));
                let top = head.iter().fold(0, |top, &byte| top << 8 | u128::from(byte));
                // One more either carries through all of the rest, or makes the rest anything but 0.
                let carries = plus_one && rest.iter().all(|&byte| byte == 0xff);
                let follows = !carries && (plus_one || rest.iter().any(|&byte| byte != 0));
                (top + u128::from(carries), follows, 8 * rest.len() as i128)
            }
        };
        let scaled = Scaled::from_u128(self.negative && !self.is_zero(), top, 0, follows);
        let exponent = power.saturating_add(dropped).saturating_add(i128::from(scaled.exponent));
        Scaled { exponent: clamp(exponent), ..scaled }
    }

    /// Times 10^power, where no power is computed that the result does not need.
    fn scaled_by_ten(&self, power: i128) -> Scaled {
        if power == 0 || self.is_zero() {
            return self.scaled(0);
        }
        // Rational bounds of log10(2), so that both err to the safe side.
        let bits = i128::from(self.bits());
        let (least, most) = ((bits - 1) * 30102 / 100_000, (bits + 1) * 30103 / 100_000 + 1);
        let far = Scaled { negative: self.negative, significand: 1, exponent: FAR, sticky: false };
        if power.saturating_add(least) > 310 {
            return far;
        }
        if power.saturating_add(most) < -330 {
            return Scaled { exponent: -FAR, ..far };
        }
        let power = clamp_to(power, i32::MAX);
        if let Magnitude::Word(word @ 0..=0xffff_ffff_ffff_ffff) = self.magnitude {
            return scale_word(self.negative, low_u64(word), power);
        }
        match self.limbs() {
            Some(limbs) => scale(self.negative, &limbs, false, power),
            None => scale_long(self.negative, &self.natural(), power),
        }
    }

    /// As a fixed array, if it is short enough for one.
    fn limbs(&self) -> Option<Limbs> {
        let short = self.bits() < MAX_BITS;
        match self.magnitude {
            Magnitude::Word(word) => {
                let high = Limbs::new(low_u64(word >> 64));
                // Twice 2^32, as 2^64 is no factor that fits.
                let shifted = high.multiply_add(1 << 32, 0).multiply_add(1 << 32, 0);
                Some(shifted.multiply_add(1, low_u64(word)))
            }
            Magnitude::Bytes(bytes, plus_one) if short => {
                let append = |limbs: Limbs, &byte| limbs.multiply_add(256, u64::from(byte));
                let limbs = bytes.iter().fold(Limbs::new(0), append);
                Some(limbs.multiply_add(1, u64::from(plus_one)))
            }
            Magnitude::Bytes(..) => None,
        }
    }

    fn natural(&self) -> Natural {
        match self.magnitude {
            Magnitude::Word(word) => Natural::from_be_bytes(&word.to_be_bytes(), false),
            Magnitude::Bytes(bytes, plus_one) => Natural::from_be_bytes(bytes, plus_one),
        }
    }
}

impl From<u64> for Integer<'_> {
    fn from(value: u64) -> Self {
        Self::new(false, value.into())
    }
}

impl From<i64> for Integer<'_> {
    fn from(value: i64) -> Self {
        Self::new(value < 0, value.unsigned_abs().into())
    }
}

impl From<u128> for Integer<'_> {
    fn from(value: u128) -> Self {
        Self::new(false, value)
    }
}

impl From<i128> for Integer<'_> {
    fn from(value: i128) -> Self {
        Self::new(value < 0, value.unsigned_abs())
    }
}

/// An exact number, waiting to be rounded once.
///
/// Zero keeps its sign only as a float: an integer, or a mantissa, of 0 is +0, whereas a negative
/// number too small for the format becomes -0.
///
/// A NaN keeps its sign and all its bits where the format can hold them, signalling or not, and else
/// becomes the quiet NaN of its sign. In a format without NaN it becomes the largest finite value;
/// ask [`SmallFloat::HAS_NAN`] first where that would be wrong.
///
/// ```
/// use calibor::float::{F16, Integer, Number};
///
/// // 2050.99999999999999999999 is below the tie at 2051, where a detour through f64 would land.
/// let mantissa = Integer::new(false, 205_099_999_999_999_999_999_999);
/// let number = Number::decimal(mantissa, -20);
/// assert_eq!(number.round::<F16>(), (F16::from_f32(2050.0), false));
/// // Exponents cost nothing, however large.
/// assert_eq!(Number::decimal(Integer::from(-1_i64), i128::MIN).to_f64(), (-0.0, false));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Number<'a>(Kind<'a>);

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Binary64(u64),
    TimesPowerOfTwo(Integer<'a>, i128),
    TimesPowerOfTen(Integer<'a>, i128),
}

impl<'a> Number<'a> {
    /// A binary64, by its bits, so that a signalling NaN stays one.
    ///
    /// ```
    /// use calibor::float::{F16, Number, f16_to_f64_bits};
    ///
    /// let signalling = Number::from_f64_bits(f16_to_f64_bits(0x7c01));
    /// assert_eq!(signalling.round::<F16>().0.to_bits(), 0x7c01);
    /// ```
    #[must_use]
    pub const fn from_f64_bits(bits: u64) -> Self {
        Self(Kind::Binary64(bits))
    }

    /// `mantissa * 10^exponent`: CBOR's tag 4.
    ///
    /// Work grows with the length of the mantissa alone, and but for mantissas of kilobytes that lie
    /// within 2^-40 of where a rounding turns, in proportion to it.
    ///
    /// ```
    /// use calibor::float::{Integer, Number};
    ///
    /// assert_eq!(Number::decimal(Integer::from(27315_u64), -2).to_f64(), (273.15, false));
    /// ```
    #[must_use]
    pub const fn decimal(mantissa: Integer<'a>, exponent: i128) -> Self {
        Self(Kind::TimesPowerOfTen(mantissa, exponent))
    }

    /// `mantissa * 2^exponent`: CBOR's tag 5.
    ///
    /// ```
    /// use calibor::float::{Integer, Number};
    ///
    /// assert_eq!(Number::binary(Integer::from(3_u64), -1).to_f64(), (1.5, true));
    /// ```
    #[must_use]
    pub const fn binary(mantissa: Integer<'a>, exponent: i128) -> Self {
        Self(Kind::TimesPowerOfTwo(mantissa, exponent))
    }

    /// The nearest value of a small format, ties to even, and whether it is the number itself.
    ///
    /// Past the largest finite value it is what [`Overflow::Ieee`] says.
    ///
    /// ```
    /// use calibor::float::{F8E4M3FN, Number};
    ///
    /// assert_eq!(Number::from(0.3).round::<F8E4M3FN>(), (F8E4M3FN::from_f32(0.3125), false));
    /// ```
    #[must_use]
    pub fn round<T: SmallFloat>(&self) -> (T, bool) {
        self.round_with(Overflow::Ieee)
    }

    /// [`round`](Self::round), with a say in what happens past the largest finite value.
    ///
    /// ```
    /// use calibor::float::{F16, Number, Overflow};
    ///
    /// assert_eq!(Number::from(1e6).round_with(Overflow::Saturate), (F16::MAX, false));
    /// ```
    #[must_use]
    pub fn round_with<T: SmallFloat>(&self, overflow: Overflow) -> (T, bool) {
        let Rounded { code, exact } = T::FORMAT.pack(self.unpack(), overflow);
        (T::from_code(code), exact)
    }

    /// The nearest binary32, ties to even, and whether it is the number itself.
    ///
    /// ```
    /// use calibor::float::{Integer, Number};
    ///
    /// assert_eq!(Number::from(Integer::from(16_777_217_u64)).to_f32(), (16_777_216.0, false));
    /// ```
    #[must_use]
    pub fn to_f32(&self) -> (f32, bool) {
        let Rounded { code, exact } = Format::F32.pack(self.unpack(), Overflow::Ieee);
        (f32::from_bits(low_u32(code)), exact)
    }

    /// The nearest binary64, ties to even, and whether it is the number itself.
    ///
    /// ```
    /// use calibor::float::{Integer, Number};
    ///
    /// assert_eq!(Number::decimal(Integer::from(1_u64), -1).to_f64(), (0.1, false));
    /// ```
    #[must_use]
    pub fn to_f64(&self) -> (f64, bool) {
        let Rounded { code, exact } = Format::F64.pack(self.unpack(), Overflow::Ieee);
        (f64::from_bits(code), exact)
    }

    fn unpack(&self) -> Unpacked {
        match self.0 {
            Kind::Binary64(bits) => Format::F64.unpack(bits),
            Kind::TimesPowerOfTwo(mantissa, power) => Unpacked::Finite(mantissa.scaled(power)),
            Kind::TimesPowerOfTen(mantissa, power) => {
                Unpacked::Finite(mantissa.scaled_by_ten(power))
            }
        }
    }
}

impl From<f64> for Number<'_> {
    fn from(value: f64) -> Self {
        Self::from_f64_bits(value.to_bits())
    }
}

impl From<f32> for Number<'_> {
    fn from(value: f32) -> Self {
        Self::from_f64_bits(f32_to_f64_bits(value.to_bits()))
    }
}

impl<'a> From<Integer<'a>> for Number<'a> {
    fn from(value: Integer<'a>) -> Self {
        Self::binary(value, 0)
    }
}

/// Without leading zeros.
const fn strip(mut bytes: &[u8]) -> &[u8] {
    while let [0, rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// An exponent of two, brought to where every format has long given up.
fn clamp(exponent: i128) -> i32 {
    clamp_to(exponent, FAR)
}

#[allow(clippy::cast_possible_truncation, reason = "the value is clamped to the type's own range")]
fn clamp_to(exponent: i128, limit: i32) -> i32 {
    exponent.clamp(-i128::from(limit), i128::from(limit)) as i32
}
