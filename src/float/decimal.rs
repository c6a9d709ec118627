//! Text: an exact decimal rounded once, and the shortest decimal that comes back.

use core::fmt;
use core::str::FromStr;

use super::power::{Limbs, MAX_DIGITS, scale, scale_word};
use super::round::{
    FAR, Format, Overflow, QUIET, Rounded, Scaled, Specials, Unpacked, low_u8, low_u16, low_u64,
    signed,
};
use super::types::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
};

/// Text that is no number, or none that the format could have.
///
/// ```
/// use calibor::float::{F4E2M1FN, F16};
///
/// assert_eq!("1,5".parse::<F16>().unwrap_err().to_string(), "invalid float literal");
/// assert_eq!("nan".parse::<F4E2M1FN>().unwrap_err().to_string(), "NaN in a format without one");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError(Problem);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Empty,
    Invalid,
    NoNan,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Problem::Empty => "cannot parse float from empty string",
            Problem::Invalid => "invalid float literal",
            Problem::NoNan => "NaN in a format without one",
        })
    }
}

impl core::error::Error for ParseError {}

impl Format {
    /// Reads what `f32::from_str` reads.
    pub(super) const fn parse(
        &self,
        text: &str,
        overflow: Overflow,
    ) -> Result<Rounded, ParseError> {
        match Reader::new(text.as_bytes(), false).number() {
            Ok(Unpacked::Nan { .. }) if !self.has_nan() => Err(ParseError(Problem::NoNan)),
            Ok(number) => Ok(self.pack(number, overflow)),
            Err(problem) => Err(ParseError(problem)),
        }
    }

    /// Reads a literal of Rust, at compile time.
    #[allow(clippy::panic, reason = "this is how constant evaluation refuses a literal")]
    pub(super) const fn literal(&self, text: &str) -> u64 {
        let Ok(Unpacked::Finite(value)) = Reader::new(text.as_bytes(), true).number() else {
            panic!("not a decimal literal without suffix")
        };
        let in_range = match self.specials {
            Specials::Scale => value.significand != 0 && !value.negative,
            _ => true,
        };
        assert!(in_range, "the literal is not positive, and the format has only positive values");
        assert!(
            self.magnitude(value).code <= self.max(),
            "the literal is past the largest finite value of the format"
        );
        self.pack(Unpacked::Finite(value), Overflow::Ieee).code
    }
}

/// A cursor over text that is a number.
struct Reader<'a> {
    text: &'a [u8],
    /// Whether underscores may stand between digits, and words may not stand for numbers.
    literal: bool,
    at: usize,
}

/// The significant digits of a decimal: `(number + f) * 10^exponent`, where f is below 1 and 0 unless `more`.
struct Digits {
    /// The first 19 of them, which fit a word and are nearly always all.
    word: u64,
    /// Where the first of them stands.
    start: usize,
    /// How many there are, up to [`MAX_DIGITS`].
    len: u32,
    exponent: i64,
    more: bool,
}

/// Digits of which every number fits a `u64`.
const WORD_DIGITS: u32 = 19;

impl<'a> Reader<'a> {
    const fn new(text: &'a [u8], literal: bool) -> Self {
        Self { text, literal, at: 0 }
    }

    const fn number(mut self) -> Result<Unpacked, Problem> {
        let negative = match self.peek() {
            None => return Err(Problem::Empty),
            Some(sign @ (b'+' | b'-')) => {
                self.at += 1;
                sign == b'-'
            }
            Some(_) => false,
        };
        if !self.literal {
            if self.rest_is(b"inf") || self.rest_is(b"infinity") {
                return Ok(Unpacked::Infinite { negative });
            }
            if self.rest_is(b"nan") {
                return Ok(Unpacked::Nan { negative, payload: QUIET });
            }
        }
        let mut digits = Digits::NONE;
        let mut seen = self.digits(&mut digits, false);
        if let Some(b'.') = self.peek() {
            self.at += 1;
            seen |= self.digits(&mut digits, true);
        }
        if !seen {
            return Err(Problem::Invalid);
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            match self.exponent() {
                Some(exponent) => digits.exponent += exponent,
                None => return Err(Problem::Invalid),
            }
        }
        if self.at < self.text.len() {
            return Err(Problem::Invalid);
        }
        Ok(Unpacked::Finite(digits.scaled(negative, self.text)))
    }

    /// Reads digits on one side of the point, and says whether there were any.
    const fn digits(&mut self, digits: &mut Digits, fraction: bool) -> bool {
        let mut seen = false;
        while let Some(byte @ (b'0'..=b'9' | b'_')) = self.peek() {
            if byte == b'_' {
                // No underscore follows the point itself.
                if !self.literal || !seen {
                    break;
                }
            } else {
                digits.push(byte - b'0', fraction, self.at);
                seen = true;
            }
            self.at += 1;
        }
        seen
    }

    /// Reads what follows the `e`, with a limit far above what any number of digits makes up for.
    const fn exponent(&mut self) -> Option<i64> {
        let negative = matches!(self.peek(), Some(b'-'));
        if let Some(b'+' | b'-') = self.peek() {
            self.at += 1;
        }
        let (mut value, mut seen) = (0_i64, false);
        while let Some(byte @ (b'0'..=b'9' | b'_')) = self.peek() {
            if byte != b'_' {
                seen = true;
                if value < 1 << 58 {
                    value = value * 10 + (byte - b'0') as i64;
                }
            } else if !self.literal {
                break;
            }
            self.at += 1;
        }
        match (seen, negative) {
            (false, _) => None,
            (true, false) => Some(value),
            (true, true) => Some(-value),
        }
    }

    const fn peek(&self) -> Option<u8> {
        if self.at < self.text.len() { Some(self.text[self.at]) } else { None }
    }

    const fn rest_is(&self, word: &[u8]) -> bool {
        if self.text.len() - self.at != word.len() {
            return false;
        }
        let mut i = 0;
        while i < word.len() {
            if self.text[self.at + i].to_ascii_lowercase() != word[i] {
                return false;
            }
            i += 1;
        }
        true
    }
}

impl Digits {
    const NONE: Self = Self { word: 0, start: 0, len: 0, exponent: 0, more: false };

    const fn push(&mut self, digit: u8, fraction: bool, at: usize) {
        if self.len == MAX_DIGITS {
            self.more |= digit != 0;
            self.exponent += !fraction as i64;
            return;
        }
        self.exponent -= fraction as i64;
        if self.len == 0 {
            if digit == 0 {
                return;
            }
            self.start = at;
        }
        if self.len < WORD_DIGITS {
            self.word = self.word * 10 + digit as u64;
        }
        self.len += 1;
    }

    #[allow(clippy::cast_possible_truncation, reason = "the range is checked just before")]
    const fn scaled(&self, negative: bool, text: &[u8]) -> Scaled {
        let far = Scaled { negative, significand: 1, exponent: FAR, sticky: false };
        let top = self.exponent + self.len as i64;
        if self.len == 0 {
            Scaled { significand: 0, ..far }
        } else if top > 311 {
            far
        } else if top < -330 {
            Scaled { exponent: -FAR, ..far }
        } else if self.len <= WORD_DIGITS {
            scale_word(negative, self.word, self.exponent as i32)
        } else {
            scale(negative, &self.limbs(text), self.more, self.exponent as i32)
        }
    }

    /// All of the digits, read a second time.
    const fn limbs(&self, text: &[u8]) -> Limbs {
        let mut limbs = Limbs::new(0);
        let (mut at, mut left) = (self.start, self.len);
        while left > 0 {
            let (mut word, mut len) = (0, 0);
            while len < WORD_DIGITS && left > 0 {
                if text[at].is_ascii_digit() {
                    word = word * 10 + (text[at] - b'0') as u64;
                    len += 1;
                    left -= 1;
                }
                at += 1;
            }
            limbs = limbs.multiply_add(10_u64.pow(len), word);
        }
        limbs
    }
}

/// The shortest decimal that [`Format::parse`] brings back to a positive finite code, and the nearest
/// of those: digits and a power of ten.
///
/// Nine digits are more than any of the formats needs. Among the decimals of one length only the two
/// beside the value can be the nearest that comes back.
fn shortest(format: &Format, value: Scaled) -> Scaled {
    let code = format.magnitude(value).code;
    let (digits, power, more) = leading_digits(value);
    let len = digits.checked_ilog10().unwrap_or(0);
    for dropped in (0..=len).rev() {
        let unit = 10_u128.pow(dropped);
        let (below, rest) = (digits / unit, digits % unit);
        let up = rest > unit / 2 || (rest == unit / 2 && more);
        let order = if up { [below + 1, below] } else { [below, below + 1] };
        for candidate in order {
            if candidate == 0 {
                continue;
            }
            let decimal = scale_word(value.negative, low_u64(candidate), power + signed(dropped));
            if format.magnitude(decimal).code == code {
                return decimal;
            }
        }
    }
    value
}

/// A value's digits, ten or so at least, and what power of ten the last one counts.
fn leading_digits(value: Scaled) -> (u128, i32, bool) {
    let significand = u128::from(value.significand);
    if value.exponent >= 0 {
        return (significand << value.exponent, 0, false);
    }
    // bf16 asks for the most: 8 bits and 5^49 are 122 bits.
    let magnitude = value.exponent + signed(significand.ilog2());
    let power = 9 + if magnitude < 0 { magnitude.unsigned_abs() * 30103 / 100_000 } else { 0 };
    let product = significand * 5_u128.pow(power);
    let shift = value.exponent + signed(power);
    let power = -signed(power);
    if shift >= 0 {
        return (product << shift, power, false);
    }
    let shift = shift.unsigned_abs();
    let digits = product >> shift;
    (digits, power, digits << shift != product)
}

/// A binary64 that prints as the shortest text of a code, so that the standard library's own formatting
/// does the rest: width, sign, padding, exponent.
///
/// With a precision the digits are the value's own, rounded once by the standard library, as for f32.
pub(super) fn to_display(format: &Format, code: u64, f: &fmt::Formatter<'_>) -> f64 {
    let number = match format.unpack(code) {
        Unpacked::Finite(value) if value.significand != 0 && f.precision().is_none() => {
            Unpacked::Finite(shortest(format, value))
        }
        number => number,
    };
    f64::from_bits(Format::F64.pack(number, Overflow::Ieee).code)
}

/// Text in and out, and the macro for literals.
macro_rules! text {
    ($d:tt $($name:ident, $low:ident, $literal:ident, $example:literal, $past:literal;)*) => { $(
        impl fmt::Display for $name {
            /// The shortest digits that come back, or as many as the precision says.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&to_display(&Format::$name, self.to_bits().into(), f), f)
            }
        }

        impl fmt::LowerExp for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerExp::fmt(&to_display(&Format::$name, self.to_bits().into(), f), f)
            }
        }

        impl fmt::UpperExp for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::UpperExp::fmt(&to_display(&Format::$name, self.to_bits().into(), f), f)
            }
        }

        impl fmt::Debug for $name {
            /// Exponent form, in which a weight's magnitude reads best.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerExp::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseError;

            /// Rounds the decimal once, whatever its length, to nearest even.
            ///
            /// # Errors
            ///
            /// Whatever is an error to `f32::from_str`, and NaN where the format has none.
            fn from_str(text: &str) -> Result<Self, ParseError> {
                Self::parse(text)
            }
        }

        impl $name {
            /// [`FromStr`] for constants: the decimal is rounded once, whatever its length.
            ///
            /// # Errors
            ///
            /// Whatever is an error to `f32::from_str`, and NaN where the format has none.
            pub const fn parse(text: &str) -> Result<Self, ParseError> {
                Self::parse_with(text, Overflow::Ieee)
            }

            /// [`parse`](Self::parse), with a say in what happens past the largest finite value.
            ///
            /// # Errors
            ///
            /// As [`parse`](Self::parse).
            pub const fn parse_with(text: &str, overflow: Overflow) -> Result<Self, ParseError> {
                match Format::$name.parse(text, overflow) {
                    Ok(rounded) => Ok(Self::from_bits($low(rounded.code))),
                    Err(error) => Err(error),
                }
            }

            #[doc(hidden)]
            #[must_use]
            pub const fn literal(text: &str) -> Self {
                Self::from_bits($low(Format::$name.literal(text)))
            }
        }

        #[doc = concat!("A constant of [`", stringify!($name), "`](crate::float::", stringify!($name), "),")]
        /// rounded once from the decimal text of the literal.
        ///
        /// A literal that the format has no finite value for does not compile.
        ///
        /// ```
        #[doc = concat!("use calibor::float::", stringify!($name), ";")]
        ///
        #[doc = concat!("const X: ", stringify!($name), " = calibor::", stringify!($literal), "!(", $example, ");")]
        #[doc = concat!("assert_eq!(X.to_f64(), ", $example, ");")]
        /// ```
        ///
        /// ```compile_fail
        #[doc = concat!("calibor::", stringify!($literal), "!(", $past, ");")]
        /// ```
        #[macro_export]
        macro_rules! $literal {
            ($d value:literal) => {
                const { $d crate::float::$name::literal(::core::stringify!($d value)) }
            };
        }
    )* };
}

text! { $
    F16, low_u16, f16, "1.5", "65520.0";
    BF16, low_u16, bf16, "-0.25", "-3.4e38";
    F8E4M3FN, low_u8, f8e4m3fn, "448.0", "464.1";
    F8E5M2, low_u8, f8e5m2, "1.75", "61440.0";
    F8E4M3FNUZ, low_u8, f8e4m3fnuz, "-240.0", "-248.0";
    F8E5M2FNUZ, low_u8, f8e5m2fnuz, "0.125", "61440.0";
    F6E2M3FN, low_u8, f6e2m3fn, "7.5", "7.75";
    F6E3M2FN, low_u8, f6e3m2fn, "28.0", "30.0";
    F4E2M1FN, low_u8, f4e2m1fn, "-6.0", "-7.0";
    F8E8M0FNU, low_u8, f8e8m0fnu, "1024.0", "0.0";
}
