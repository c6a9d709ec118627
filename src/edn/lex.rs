//! The words of diagnostic notation: blanks, comments, numbers, strings and encoding indicators.

use super::Dialect;
use super::error::{ParseError, Result};
use super::number::{self, Hexfloat};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A place in the text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

/// How wide a head is to be (draft 25 §2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indicator {
    None,
    /// `_i`: the argument in the initial byte.
    Immediate,
    /// `_0` to `_3`: an argument of 1, 2, 4 or 8 bytes.
    Width(u8),
    /// `_`: indefinite length.
    Indefinite,
}

/// A number as it is written.
#[derive(Clone, Copy)]
pub(super) enum Number<'t> {
    /// `plain` where the text may also be a tag number: decimal, no sign, no leading zero.
    Integer { negative: bool, digits: &'t str, bits_per_digit: u32, plain: bool },
    /// The bits of a binary64.
    Float(u64),
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Cursor { text, at: 0 }
    }

    #[cold]
    pub(super) fn error(&self, span: Range<usize>, detail: impl Into<String>) -> ParseError {
        ParseError::new(self.text, span, detail)
    }

    /// An error about the character that comes next.
    #[cold]
    pub(super) fn unexpected(&self, wanted: &str) -> ParseError {
        match self.rest().chars().next() {
            None => self.error(self.at..self.at, format!("text ends where {wanted} is expected")),
            Some(c) => {
                let span = self.at..self.at + c.len_utf8();
                self.error(span, format!("{c:?} where {wanted} is expected"))
            }
        }
    }

    #[inline]
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn starts(&self, word: &str) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    }

    /// Reads `word` if it comes next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.starts(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Reads the bytes that `accept` takes.
    pub(super) fn run(&mut self, accept: impl Fn(u8) -> bool) -> &'t str {
        let from = self.at;
        while self.peek().is_some_and(&accept) {
            self.at += 1;
        }
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// Reads over blanks and comments; true if there were any.
    #[inline]
    pub(super) fn blank(&mut self) -> Result<bool> {
        let from = self.at;
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(b'#' | b'/') => self.comment()?,
                _ => return Ok(self.at > from),
            }
        }
    }

    fn comment(&mut self) -> Result<()> {
        let from = self.at;
        let rest = self.rest();
        let (opening, closing) = if rest.starts_with("/*") {
            (2, "*/")
        } else if rest.starts_with("//") || rest.starts_with('#') {
            (1, "\n")
        } else {
            (1, "/")
        };
        match rest.get(opening..).and_then(|inner| inner.find(closing)) {
            Some(len) => {
                self.at += opening + len + closing.len();
                Ok(())
            }
            None if closing == "\n" => {
                Err(self.error(from..self.text.len(), "comment has no line feed at its end"))
            }
            None => {
                Err(self
                    .error(from..self.text.len(), format!("comment has no {closing} at its end")))
            }
        }
    }

    /// The encoding indicator that may come next.
    pub(super) fn indicator(&mut self) -> Result<Indicator> {
        if self.peek() != Some(b'_') {
            return Ok(Indicator::None);
        }
        let from = self.at;
        self.at += 1;
        let indicator = match self.peek() {
            Some(b'i') => Indicator::Immediate,
            Some(digit @ b'0'..=b'3') => Indicator::Width(digit - b'0'),
            Some(digit @ b'4'..=b'7') => {
                let words = format!("encoding indicator _{} is reserved", char::from(digit));
                return Err(self.error(from..from + 2, words));
            }
            _ => return Ok(Indicator::Indefinite),
        };
        self.at += 1;
        Ok(indicator)
    }

    /// A number, without its encoding indicator.
    pub(super) fn number(&mut self) -> Result<Number<'t>> {
        let from = self.at;
        let sign = self.peek().filter(|b| matches!(b, b'+' | b'-'));
        self.at += usize::from(sign.is_some());
        let negative = sign == Some(b'-');
        if self.peek() == Some(b'I') && self.eat("Infinity") {
            if sign == Some(b'+') {
                return Err(self.error(from..self.at, "Infinity takes no plus sign"));
            }
            return Ok(Number::Float(with_sign(0x7ff << 52, negative)));
        }
        match self.text.as_bytes().get(self.at..self.at + 2) {
            Some(b"0x" | b"0X") => self.hex_number(from, negative),
            Some(b"0o" | b"0O") => self.power_of_two(from, negative, 3),
            Some(b"0b" | b"0B") => self.power_of_two(from, negative, 1),
            _ => self.decimal(from, sign),
        }
    }

    fn power_of_two(&mut self, from: usize, negative: bool, bits: u32) -> Result<Number<'t>> {
        self.at += 2;
        let top = b'0' + (1 << bits) - 1;
        let digits = self.run(|b| (b'0'..=top).contains(&b));
        if digits.is_empty() || self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return Err(self.error(from..self.at, "number has no digits of its base"));
        }
        Ok(Number::Integer { negative, digits, bits_per_digit: bits, plain: false })
    }

    fn hex_number(&mut self, from: usize, negative: bool) -> Result<Number<'t>> {
        self.at += 2;
        let digits = self.run(|b| b.is_ascii_hexdigit());
        let point = self.peek() == Some(b'.');
        let fraction = if point {
            self.at += 1;
            self.run(|b| b.is_ascii_hexdigit())
        } else {
            ""
        };
        if digits.is_empty() && fraction.is_empty() {
            return Err(self.error(from..self.at, "hexadecimal number has no digits"));
        }
        if !matches!(self.peek(), Some(b'p' | b'P')) {
            if point {
                let words = "hexadecimal float has no exponent: p and a power of two";
                return Err(self.error(from..self.at, words));
            }
            return Ok(Number::Integer { negative, digits, bits_per_digit: 4, plain: false });
        }
        self.at += 1;
        let exponent = self.exponent(from)?;
        let float = Hexfloat { digits, fraction, exponent };
        match float.to_bits() {
            Some(bits) => Ok(Number::Float(with_sign(bits, negative))),
            None => Err(self.error(from..self.at, TOO_LARGE)),
        }
    }

    fn exponent(&mut self, from: usize) -> Result<i64> {
        let negative = self.peek() == Some(b'-');
        if negative || self.peek() == Some(b'+') {
            self.at += 1;
        }
        let digits = self.run(|b| b.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.error(from..self.at, "number has no digits in its exponent"));
        }
        let value = number::bounded(digits);
        Ok(if negative { -value } else { value })
    }

    fn decimal(&mut self, from: usize, sign: Option<u8>) -> Result<Number<'t>> {
        let start = self.at;
        let digits = self.run(|b| b.is_ascii_digit());
        let point = self.peek() == Some(b'.');
        let mut fraction = "";
        if point {
            self.at += 1;
            fraction = self.run(|b| b.is_ascii_digit());
        }
        if digits.is_empty() && fraction.is_empty() {
            return Err(self.error(from..self.at, "number has no digits"));
        }
        let scientific = matches!(self.peek(), Some(b'e' | b'E'));
        if scientific {
            self.at += 1;
            self.exponent(from)?;
        }
        let negative = sign == Some(b'-');
        if !point && !scientific {
            let plain = sign.is_none() && (digits == "0" || !digits.starts_with('0'));
            return Ok(Number::Integer { negative, digits, bits_per_digit: 0, plain });
        }
        // The standard library rounds correctly, and once.
        let value = self.text[start..self.at].parse::<f64>().unwrap_or(f64::INFINITY);
        if value.is_infinite() {
            return Err(self.error(from..self.at, TOO_LARGE));
        }
        Ok(Number::Float(with_sign(value.to_bits(), negative)))
    }

    /// Appends the content of a quoted string; its opening quote comes next.
    pub(super) fn quoted(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let from = self.at;
        let Some(quote) = self.peek() else { return Err(self.unexpected("a string")) };
        self.at += 1;
        loop {
            let run = self.run(|b| b >= 0x20 && b != quote && b != b'\\');
            out.extend_from_slice(run.as_bytes());
            match self.peek() {
                None => return Err(self.error(from..self.at, "string has no closing quote")),
                Some(b'\\') => self.escape(quote, out)?,
                Some(b'\n') => {
                    out.push(b'\n');
                    self.at += 1;
                }
                // A line break may be CR LF in the file; in the string it is LF (draft 25 §2.5.1).
                Some(b'\r') => self.at += 1,
                Some(b) if b == quote => break,
                Some(_) => return Err(self.control()),
            }
        }
        self.at += 1;
        Ok(())
    }

    #[cold]
    fn control(&self) -> ParseError {
        let words = "control character in a string has to be escaped";
        self.error(self.at..self.at + 1, words)
    }

    fn escape(&mut self, quote: u8, out: &mut Vec<u8>) -> Result<()> {
        let from = self.at;
        self.at += 1;
        let double = quote == b'"';
        let plain = match self.peek() {
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'/') if double => b'/',
            Some(b) if b == quote => b,
            Some(b'u') => {
                self.at += 1;
                let c = self.unicode(from)?;
                if !double && matches!(c, ' '..='~') {
                    let words = "printable ASCII is not escaped by number in single quotes";
                    return Err(self.error(from..self.at, words));
                }
                let mut utf8 = [0; 4];
                out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
                return Ok(());
            }
            _ => {
                let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
                return Err(self.error(from..end, "no such escape"));
            }
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    /// What follows `\u`.
    fn unicode(&mut self, from: usize) -> Result<char> {
        let code = if self.eat("{") {
            let digits = self.run(|b| b.is_ascii_hexdigit()).trim_start_matches('0');
            let empty = self.text.as_bytes().get(self.at - 1) == Some(&b'{');
            if empty || digits.len() > 6 || !self.eat("}") {
                return Err(self.error(from..self.at, "escape \\u{…} is not one of a character"));
            }
            u32::from_str_radix(digits, 16).unwrap_or(0)
        } else {
            let high = self.four_digits(from)?;
            match high {
                0xd800..0xdc00 if self.eat("\\u") => match self.four_digits(from)? {
                    low @ 0xdc00..0xe000 => 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                    _ => high,
                },
                _ => high,
            }
        };
        char::from_u32(code).ok_or_else(|| {
            self.error(from..self.at, format!("escape of U+{code:04X}, which is no character"))
        })
    }

    fn four_digits(&mut self, from: usize) -> Result<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4).unwrap_or_default();
        let value = digits
            .iter()
            .try_fold(0, |value, &b| char::from(b).to_digit(16).map(|digit| value << 4 | digit));
        match value {
            Some(value) if !digits.is_empty() => {
                self.at += 4;
                Ok(value)
            }
            _ => Err(self.error(from..self.at, "escape \\u has no four hexadecimal digits")),
        }
    }

    /// Appends the content of a raw string; its opening backquotes come next.
    pub(super) fn raw(&mut self, dialect: Dialect, out: &mut Vec<u8>) -> Result<()> {
        let from = self.at;
        let width = self.run(|b| b == b'`').len();
        let start = self.at;
        loop {
            self.run(|b| b >= 0x20 && b != b'`' || b == b'\n' || b == b'\r');
            match self.peek() {
                None => {
                    return Err(self.error(from..self.at, "raw string has no closing backquotes"));
                }
                Some(b'`') => {}
                Some(_) => return Err(self.control()),
            }
            let run = self.run(|b| b == b'`').len();
            let closed = match dialect {
                Dialect::Draft25 => run >= width,
                Dialect::Draft26 => run == width,
            };
            if closed {
                break;
            }
        }
        let content = &self.text[start..self.at - width];
        let trimmed = match (content.strip_prefix("\r\n"), content.strip_prefix('\n')) {
            (Some(rest), _) | (_, Some(rest)) => rest,
            _ if dialect == Dialect::Draft26 => unpadded(content),
            _ => content,
        };
        out.extend(trimmed.bytes().filter(|&b| b != b'\r'));
        Ok(())
    }
}

const TOO_LARGE: &str = "number is too large for a binary64";

const fn with_sign(bits: u64, negative: bool) -> u64 {
    bits | (negative as u64) << 63
}

/// Draft 26: one space inside each delimiter is there so that content may begin or end with a backquote.
fn unpadded(content: &str) -> &str {
    content.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' ')).unwrap_or(content)
}
