//! Diagnostic notation, printed and read, and annotated hex.
//!
//! - [`to_string`] and [`Printer`]: bytes to notation, without loss.
//! - [`parse`](fn@parse), [`parse_seq`] and [`Parser`]: notation to bytes.
//! - [`dump`](fn@dump) and [`Dump`]: bytes to annotated hex, damaged bytes too; [`parse_hex`] reads it back.
//!
//! The notation is that of RFC 8949 §8 and draft-ietf-cbor-edn-literals, in draft 25 or 26. Printed is only what
//! both and RFC 8610 agree on, with one exception: a NaN other than `f97e00` is `float'7e01'`, which the parser
//! reads in both dialects. Nothing here recurses, and nesting is limited to 128 levels unless asked otherwise.
//!
//! ```
//! use calibor::edn;
//!
//! let bytes = edn::parse("{1: [_ 'a', h'ff 00' / two bytes /], -2: 1.5_2}")?;
//! assert_eq!(bytes, edn::parse_hex("a2 01 9f 4161 42ff00 ff 21 fa3fc00000")?);
//! assert_eq!(edn::to_string(&bytes)?, "{1: [_ h'61', h'ff00'], -2: 1.5_2}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apps;
mod dump;
mod error;
mod hex;
mod lex;
mod names;
mod number;
mod parse;
mod pieces;
mod print;

pub use dump::{Dump, DumpLine, dump};
pub use error::ParseError;
pub use hex::parse_hex;
pub use print::{ByteFormat, Printer, to_string};

use crate::profile::Profile;
use alloc::string::String;
use alloc::vec::Vec;

/// Which draft of the notation is read, where they differ.
///
/// Draft 26 took out `+`, gave raw strings delimiters of equal width and a space to strip inside them, and has
/// `t1<<…>>`, `b1<<…>>` and `same<<…>>`. `float'…'` is read in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// draft-ietf-cbor-edn-literals-25.
    #[default]
    Draft25,
    /// draft-ietf-cbor-edn-literals-26.
    Draft26,
}

/// Reads one item in diagnostic notation. What is written is what is meant: nothing is sorted or shortened.
///
/// Numbers and lengths without an encoding indicator get their preferred form; decimals are rounded once.
///
/// # Errors
///
/// The text is not one item, a value does not fit its indicator, or 128 levels are exceeded.
///
/// ```
/// use calibor::edn;
///
/// assert_eq!(edn::parse("{\"a\": [_ 1_0, h'ff'], 2: 1.5}")?, b"\xa2\x61a\x9f\x18\x01\x41\xff\xff\x02\xf9\x3e\x00");
/// assert_eq!(edn::parse("1(dt'1970-01-01T00:01:00Z') / a minute /")?, b"\xc1\x18\x3c");
/// # Ok::<(), edn::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Vec<u8>, ParseError> {
    Parser::new().parse(text)
}

/// Reads any number of items, none included: a CBOR sequence (RFC 8742).
///
/// # Errors
///
/// As for [`parse`].
///
/// ```
/// assert_eq!(calibor::edn::parse_seq("1, \"b\" []")?, b"\x01\x61b\x80");
/// assert_eq!(calibor::edn::parse_seq("")?, b"");
/// # Ok::<(), calibor::edn::ParseError>(())
/// ```
pub fn parse_seq(text: &str) -> Result<Vec<u8>, ParseError> {
    Parser::new().parse_seq(text)
}

/// One step of a path, as [`Error::path`](crate::Error::path) writes it, for an encoded map key: text as it is where
/// nothing in it could be taken for notation, any other key in notation.
///
/// ```
/// use calibor::edn;
///
/// assert_eq!(edn::path_step(b"\x64port"), "/port");
/// assert_eq!(edn::path_step(b"\x61/"), "/\"/\"");
/// assert_eq!(edn::path_step(b"\x39\x01\x03"), "/-260");
/// ```
#[must_use]
pub fn path_step(key: &[u8]) -> String {
    let mut out = String::new();
    crate::diag::write_step(&mut out, key);
    out
}

/// How diagnostic notation is read.
///
/// ```
/// use calibor::{Profile, edn::{Dialect, Parser}};
///
/// let sorted = Parser::new().profile(Profile::CORE).parse("{_ 2: 1.0_3, 1: 0_1}")?;
/// assert_eq!(sorted, b"\xa2\x01\x00\x02\xf9\x3c\x00");
///
/// let text = Parser::new().dialect(Dialect::Draft26).parse("` `` `")?;
/// assert_eq!(text, b"\x62``");
/// # Ok::<(), calibor::edn::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    dialect: Dialect,
    profile: Option<Profile>,
    max_depth: u32,
    base32: bool,
    any_text: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// Draft 25, no profile, 128 levels.
    #[must_use]
    pub const fn new() -> Self {
        Parser {
            dialect: Dialect::Draft25,
            profile: None,
            max_depth: 128,
            base32: false,
            any_text: false,
        }
    }

    /// Which draft is read.
    #[must_use]
    pub const fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Rewrites every item in the form of a profile, as [`Profile::canonicalize`] does, or refuses it.
    #[must_use]
    pub const fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// The most levels of containers, tags and `<<…>>` that may be open.
    #[must_use]
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// Reads `b32'…'` and `h32'…'` too, which RFC 8949 §8 has and draft 25 has no more.
    ///
    /// ```
    /// use calibor::edn::Parser;
    ///
    /// assert_eq!(Parser::new().base32(true).parse("h32'CPNMU==='")?, b"\x43foo");
    /// assert!(Parser::new().parse("h32'CPNMU==='").is_err());
    /// # Ok::<(), calibor::edn::ParseError>(())
    /// ```
    #[must_use]
    pub const fn base32(mut self, on: bool) -> Self {
        self.base32 = on;
        self
    }

    /// Accepts text joined from bytes that are not UTF-8.
    ///
    /// [`to_string`] writes a text string that is not UTF-8, and so not valid, as `"" + h'ff'`. The drafts make
    /// every reader refuse that; with this option it is read back.
    ///
    /// ```
    /// use calibor::edn::{Parser, to_string};
    ///
    /// let text = to_string(b"\x61\xff")?;
    /// assert_eq!(text, "\"\" + h'ff'");
    /// assert!(Parser::new().parse(&text).is_err());
    /// assert_eq!(Parser::new().any_text(true).parse(&text)?, b"\x61\xff");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub const fn any_text(mut self, on: bool) -> Self {
        self.any_text = on;
        self
    }

    /// Reads one item.
    ///
    /// # Errors
    ///
    /// As for [`parse`](fn@parse); where a profile is set, also what it has no form for.
    pub fn parse(&self, text: &str) -> Result<Vec<u8>, ParseError> {
        parse::read(self, text, true)
    }

    /// Reads any number of items.
    ///
    /// # Errors
    ///
    /// As for [`Parser::parse`].
    pub fn parse_seq(&self, text: &str) -> Result<Vec<u8>, ParseError> {
        parse::read(self, text, false)
    }

    const fn joins_by_name(&self) -> bool {
        matches!(self.dialect, Dialect::Draft26)
    }
}
