//! From bytes to diagnostic notation.

use crate::diag::{self, Style, write_hex};
use crate::error::Result;
use crate::{check, profile::Profile};
use alloc::string::String;
use core::fmt::Write as _;
use data_encoding::BASE64URL_NOPAD;

/// One item in diagnostic notation, on one line and without loss: [`parse`](fn@super::parse) gives the same
/// bytes back.
///
/// What is not in its preferred form has an encoding indicator, an indefinite length its `_`, and a NaN other
/// than `f97e00` its bits as `float'…'`. Everything else is notation that RFC 8949, RFC 8610 and the drafts
/// agree on. Text that is not UTF-8 has no notation; see [`Parser::any_text`](super::Parser::any_text).
///
/// # Errors
///
/// The bytes are not one well-formed item, or nest deeper than 128 levels.
///
/// ```
/// use calibor::edn;
///
/// let bytes = b"\xa1\x61a\x9f\x18\x01\xf9\x7e\x01\x41\xff\xff";
/// assert_eq!(edn::to_string(bytes)?, "{\"a\": [_ 1_0, float'7e01', h'ff']}");
/// # Ok::<(), calibor::Error>(())
/// ```
pub fn to_string(bytes: &[u8]) -> Result<String> {
    Printer::new().print(bytes)
}

/// How a byte string is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteFormat {
    /// `h'666f6f'`.
    #[default]
    Hex,
    /// `b64'Zm9v'`, in the alphabet that is safe in URLs, without padding.
    Base64Url,
    /// `'foo'` where all of it is printable text, `h'…'` else.
    Text,
}

/// How bytes are printed. Every choice but [`elide`](Printer::elide) is without loss.
///
/// ```
/// use calibor::edn::{ByteFormat, Printer};
///
/// // 24(<<{1: "a"}>>), and a list that has no room on a line of 20 characters
/// let bytes = b"\x82\xd8\x18\x44\xa1\x01\x61a\x83\x43foo\x19\x03\xe8\x19\x03\xe9";
/// let printer = Printer::new().pretty(true).width(20).embedded(true).bytes(ByteFormat::Text);
/// assert_eq!(
///     printer.print(bytes)?,
///     "[
///   24(<<{1: \"a\"}>>),
///   [
///     'foo',
///     1000,
///     1001
///   ]
/// ]"
/// );
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Printer {
    style: Style,
    pretty: bool,
    width: usize,
}

impl Default for Printer {
    fn default() -> Self {
        Self::new()
    }
}

impl Printer {
    /// One line, bytes in hex, 128 levels.
    #[must_use]
    pub const fn new() -> Self {
        let mut style = Style::ONE_LINE;
        style.max_depth = 128;
        Printer { style, pretty: false, width: 80 }
    }

    /// Breaks arrays and maps that are too long for a line, one child to a line.
    #[must_use]
    pub const fn pretty(mut self, on: bool) -> Self {
        self.pretty = on;
        self
    }

    /// The characters of a line, 80 at first; a scalar may be longer.
    #[must_use]
    pub const fn width(mut self, characters: usize) -> Self {
        self.width = characters;
        self
    }

    /// Opens byte strings that hold CBOR: under tags 24, 63 and 505 to 508, and in COSE messages (tagged or by
    /// their shape) the protected headers, payloads, and what header parameters hold.
    #[must_use]
    pub const fn embedded(mut self, on: bool) -> Self {
        self.style.embedded = on;
        self
    }

    /// How byte strings are written.
    #[must_use]
    pub fn bytes(mut self, format: ByteFormat) -> Self {
        self.style.bytes = match format {
            ByteFormat::Hex => write_hex,
            ByteFormat::Base64Url => write_base64url,
            ByteFormat::Text => write_bytes_as_text,
        };
        self
    }

    /// Puts the byte offset of each child before it, in a comment.
    #[must_use]
    pub const fn offsets(mut self, on: bool) -> Self {
        self.style.offsets = on;
        self
    }

    /// Cuts strings of more than `limit` bytes and containers of more than `limit` children, with `...` in place
    /// of the rest. The parser reads that as tag 888, so this is for reading only.
    ///
    /// ```
    /// use calibor::edn::Printer;
    ///
    /// assert_eq!(Printer::new().elide(2).print(b"\x83\x43abc\x01\x02")?, "[h'6162...', 1, ...]");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn elide(mut self, limit: usize) -> Self {
        self.style.limit = u64::try_from(limit).unwrap_or(u64::MAX);
        self
    }

    /// The most levels of containers and tags.
    #[must_use]
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.style.max_depth = levels;
        self
    }

    /// Prints one item.
    ///
    /// # Errors
    ///
    /// The bytes are not one well-formed item, or nest too deep.
    pub fn print(&self, bytes: &[u8]) -> Result<String> {
        let mut out = String::new();
        let mut printer = diag::Printer::new(&mut out, bytes, &self.style());
        printer.item().map_err(|error| Profile::WELL_FORMED.explain(bytes, error))?;
        let end = printer.offset();
        match usize::try_from(end).ok().and_then(|end| bytes.len().checked_sub(end)) {
            None | Some(0) => Ok(out),
            left => Err(check::trailing(end, left)),
        }
    }

    /// Prints the items of a sequence (RFC 8742), with commas between them.
    ///
    /// # Errors
    ///
    /// The bytes are not well-formed items, or nest too deep.
    ///
    /// ```
    /// assert_eq!(calibor::edn::Printer::new().print_seq(b"\x01\x61b")?, "1, \"b\"");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn print_seq(&self, bytes: &[u8]) -> Result<String> {
        let mut out = String::new();
        let mut printer = diag::Printer::new(&mut out, bytes, &self.style());
        while printer.offset() < bytes.len() as u64 {
            if printer.offset() > 0 {
                printer.separate();
            }
            printer.item()?;
        }
        Ok(out)
    }

    fn style(&self) -> Style {
        Style { width: self.pretty.then_some(self.width), ..self.style }
    }
}

fn write_base64url(out: &mut String, content: &[u8]) {
    out.push_str("b64'");
    BASE64URL_NOPAD.encode_append(content, out);
    out.push('\'');
}

fn write_bytes_as_text(out: &mut String, content: &[u8]) {
    let text = core::str::from_utf8(content).ok();
    match text.filter(|text| text.chars().all(is_printable)) {
        None => write_hex(out, content),
        Some(text) => {
            out.push('\'');
            for c in text.chars() {
                let _ = match c {
                    '\'' | '\\' => write!(out, "\\{c}"),
                    c => out.write_char(c),
                };
            }
            out.push('\'');
        }
    }
}

/// Printable without an escape: no control characters, no marks that show as nothing.
fn is_printable(c: char) -> bool {
    !matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}
