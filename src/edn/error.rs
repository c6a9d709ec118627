//! Why a text was refused, and where.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;
use core::ops::Range;

/// Why a text is no diagnostic notation, or no hex, and where in it the fault is.
///
/// ```
/// let error = calibor::edn::parse("[1,\n 2_7]").unwrap_err();
/// assert_eq!(error.to_string(), "encoding indicator _7 is reserved, at line 2, column 3");
/// assert_eq!((error.line(), error.column(), error.span()), (2, 3, 6..8));
/// ```
#[derive(Clone)]
pub struct ParseError(Box<Inner>);

#[derive(Clone)]
struct Inner {
    detail: String,
    span: Range<usize>,
    line: usize,
    column: usize,
}

/// What the readers of this room return.
pub(super) type Result<T> = core::result::Result<T, ParseError>;

impl ParseError {
    /// The line of the fault, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column of the fault in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The bytes of the text that are at fault; empty at the end of the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// What was found and what is wanted, without the place.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    #[cold]
    pub(super) fn new(text: &str, span: Range<usize>, detail: impl Into<String>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ParseError(Box::new(Inner {
            detail: detail.into(),
            span,
            line: before.bytes().filter(|&b| b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }))
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { detail, line, column, .. } = &*self.0;
        write!(f, "{detail}, at line {line}, column {column}")
    }
}

impl fmt::Debug for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParseError({:?})", self.to_string())
    }
}

impl core::error::Error for ParseError {}

impl From<ParseError> for crate::Error {
    /// For callers that read text and bytes alike; the category is [`Category::Data`](crate::Category::Data).
    fn from(error: ParseError) -> Self {
        crate::Error::data(error.to_string())
    }
}
