//! One error for the whole crate, one word wide, and the rules it can name.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why some bytes or some value were refused.
///
/// [`Display`](fmt::Display) is one lower-case line that says what was found and where; the same facts are
/// available one by one: [`category`](Error::category), [`rule`](Error::rule), [`offset`](Error::offset) and,
/// from [`Profile::check`](crate::Profile::check) and [`Profile::violations`](crate::Profile::violations),
/// [`path`](Error::path).
///
/// ```
/// use calibor::{Category, Profile, Rule};
///
/// // {"b": 1, "a": 2}
/// let error = Profile::CORE.check(b"\xa2\x61b\x01\x61a\x02").unwrap_err();
/// assert_eq!(error.category(), Category::Profile);
/// assert_eq!(error.rule(), Some(Rule::UnsortedKey));
/// assert_eq!(error.offset(), Some(4));
/// assert_eq!(error.path(), Some("/a"));
/// assert_eq!(
///     error.to_string(),
///     r#"map key "a" comes after "b" but sorts before it, RFC 8949 §4.2.1, at byte 4"#
/// );
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    cause: Cause,
    offset: Option<u64>,
    path: Option<Box<str>>,
    hint: Option<&'static str>,
}

enum Cause {
    #[cfg(feature = "std")]
    Io(std::io::Error),
    Rule {
        rule: Rule,
        detail: Box<str>,
        reference: &'static str,
    },
    Data(Box<str>),
}

/// The kind of fault, for callers that decide by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// The reader or the writer failed.
    Io,
    /// The input ended inside an item, or before one.
    Eof,
    /// The input is not well-formed CBOR (RFC 8949 §3), or nests deeper than the limit.
    Syntax,
    /// The input is well-formed, but breaks a rule of the profile.
    Profile,
    /// The input or value does not fit the type, or the other way round.
    Data,
}

macro_rules! rules {
    ($( $(#[$doc:meta])* $variant:ident $name:literal $category:ident $reference:literal; )*) => {
        /// A rule that some bytes can break.
        ///
        /// Which rules hold is the [`Profile`](crate::Profile)'s choice. The names are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule { $( $(#[$doc])* $variant, )* }

        impl Rule {
            /// Every rule, in the order of this page.
            pub const ALL: &'static [Rule] = &[$( Rule::$variant, )*];

            /// The name in kebab-case, as the command line prints it.
            ///
            /// ```
            /// assert_eq!(calibor::Rule::LongHead.name(), "long-head");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Rule::$variant => $name, )* }
            }

            /// Where the rule is written. An [`Error`] names its own profile's document instead, where that
            /// has one: see [`Error::reference`].
            ///
            /// ```
            /// assert_eq!(calibor::Rule::UnsortedKey.reference(), "RFC 8949 §4.2.1");
            /// ```
            #[must_use]
            pub const fn reference(self) -> &'static str {
                match self { $( Rule::$variant => $reference, )* }
            }

            /// The category of an error that names this rule.
            #[must_use]
            pub const fn category(self) -> Category {
                match self { $( Rule::$variant => Category::$category, )* }
            }
        }
    };
}

rules! {
    /// The input ends inside an item, or where one has to be.
    Truncated "truncated" Eof "RFC 8949 §3";
    /// Bytes follow the one item.
    TrailingBytes "trailing-bytes" Syntax "RFC 8949 §3";
    /// Additional information 28, 29 or 30.
    ReservedInfo "reserved-info" Syntax "RFC 8949 §3";
    /// A simple value below 32 in two bytes.
    BadSimple "bad-simple" Syntax "RFC 8949 §3.3";
    /// A break where no indefinite-length item is open.
    UnexpectedBreak "unexpected-break" Syntax "RFC 8949 §3.2.1";
    /// A chunk that is no definite-length string of the same major type.
    BadChunk "bad-chunk" Syntax "RFC 8949 §3.2.3";
    /// A break between a key and its value.
    OddMap "odd-map" Syntax "RFC 8949 §3.2.2";
    /// Additional information 31 on an integer or a tag.
    BadIndefinite "bad-indefinite" Syntax "RFC 8949 §3";
    /// More levels than the limit allows.
    TooDeep "too-deep" Syntax "RFC 8949 §10";
    /// A text string, or one chunk of it, that is not UTF-8.
    InvalidUtf8 "invalid-utf8" Profile "RFC 8949 §5.3.1";
    /// A map key that the map already has.
    DuplicateKey "duplicate-key" Profile "RFC 8949 §5.6.1";
    /// Tag content that the tag's definition does not allow.
    InvalidTagContent "invalid-tag-content" Profile "RFC 8949 §5.3.2";
    /// An argument in more bytes than it needs.
    LongHead "long-head" Profile "RFC 8949 §4.2.1";
    /// A float in more bytes than its value needs.
    LongFloat "long-float" Profile "RFC 8949 §4.2.1";
    /// A bignum with leading zeros, or one that fits an integer.
    LongBignum "long-bignum" Profile "RFC 8949 §3.4.3";
    /// A map key that comes after one it sorts before.
    UnsortedKey "unsorted-key" Profile "RFC 8949 §4.2.1";
    /// An indefinite length.
    IndefiniteLength "indefinite-length" Profile "RFC 8949 §4.2.1";
    /// A tag that the profile does not have.
    ForbiddenTag "forbidden-tag" Profile "RFC 8949 §4.2.2";
    /// A simple value that the profile does not have.
    ForbiddenSimple "forbidden-simple" Profile "RFC 8949 §4.2.2";
    /// A float in a profile without floats.
    ForbiddenFloat "forbidden-float" Profile "RFC 8949 §4.2.2";
    /// A NaN in a profile without NaN.
    ForbiddenNan "forbidden-nan" Profile "RFC 8949 §4.2.2";
    /// An infinity in a profile without infinities.
    ForbiddenInfinity "forbidden-infinity" Profile "RFC 8949 §4.2.2";
    /// A negative zero in a profile without it.
    ForbiddenNegativeZero "forbidden-negative-zero" Profile "RFC 8949 §4.2.2";
    /// A float with an integer value, where the profile writes an integer.
    IntegralFloat "integral-float" Profile "RFC 8949 §4.2.2";
    /// An integer outside the profile's range.
    IntOutOfRange "int-out-of-range" Profile "RFC 8949 §4.2.2";
    /// A map key of a type that the profile has no keys of.
    ForbiddenKey "forbidden-key" Profile "RFC 8949 §4.2.2";
    /// Text that is not in Unicode normalization form C.
    NotNfc "not-nfc" Profile "RFC 8949 §4.2.2";
    /// A NaN other than `f97e00`.
    NanPayload "nan-payload" Profile "RFC 8949 §4.2.2";
    /// A float in fewer bytes than the profile's one width.
    ShortFloat "short-float" Profile "RFC 8949 §4.2.2";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Error {
    /// The kind of fault.
    #[must_use]
    pub fn category(&self) -> Category {
        match &self.0.cause {
            #[cfg(feature = "std")]
            Cause::Io(_) => Category::Io,
            Cause::Rule { rule, .. } => rule.category(),
            Cause::Data(_) => Category::Data,
        }
    }

    /// The rule that was broken; none for [`Category::Io`] and [`Category::Data`].
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        match &self.0.cause {
            Cause::Rule { rule, .. } => Some(*rule),
            _ => None,
        }
    }

    /// The document and section that the profile takes the rule from, such as `RFC 8949 §4.2.1`.
    #[must_use]
    pub fn reference(&self) -> Option<&'static str> {
        match &self.0.cause {
            Cause::Rule { reference, .. } => Some(reference),
            _ => None,
        }
    }

    /// The byte offset of the item at fault: of its initial byte, or the end of the input where a whole item
    /// is missing. None for errors of encoding.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The way from the outermost item to the one at fault, `/servers/1/port`: array indexes and map keys,
    /// keys in diagnostic notation where they are not plain text; `/` is the outermost item itself.
    ///
    /// [`Profile::check`](crate::Profile::check) and [`Profile::violations`](crate::Profile::violations) know it;
    /// for typed decoding the `serde_path_to_error` crate finds it.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// What was found and what is wanted, without the place: the first part of [`Display`](fmt::Display).
    #[must_use]
    pub fn detail(&self) -> String {
        match &self.0.cause {
            #[cfg(feature = "std")]
            Cause::Io(error) => error.to_string(),
            Cause::Rule { detail, .. } | Cause::Data(detail) => detail.as_ref().to_owned(),
        }
    }

    /// True where the input ended too early: more bytes may help.
    #[must_use]
    pub fn is_eof(&self) -> bool {
        self.category() == Category::Eof
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn broken(
        rule: Rule,
        reference: &'static str,
        offset: Option<u64>,
        detail: impl Into<Box<str>>,
    ) -> Self {
        let cause = Cause::Rule { rule, detail: detail.into(), reference };
        Error(Box::new(Inner { cause, offset, path: None, hint: None }))
    }

    /// A rule of the grammar itself, which no profile changes.
    #[cold]
    #[inline(never)]
    pub(crate) fn syntax(rule: Rule, offset: u64, detail: impl Into<Box<str>>) -> Self {
        Self::broken(rule, rule.reference(), Some(offset), detail)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn data(detail: impl Into<Box<str>>) -> Self {
        let cause = Cause::Data(detail.into());
        Error(Box::new(Inner { cause, offset: None, path: None, hint: None }))
    }

    #[cfg(feature = "std")]
    #[cold]
    #[inline(never)]
    pub(crate) fn io(error: std::io::Error) -> Self {
        Error(Box::new(Inner { cause: Cause::Io(error), offset: None, path: None, hint: None }))
    }

    /// Sets the offset unless a deeper call already did.
    #[must_use]
    #[cold]
    pub(crate) fn or_at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    #[must_use]
    #[cold]
    pub(crate) fn with_path(mut self, path: impl Into<Box<str>>) -> Self {
        self.0.path = Some(path.into());
        self
    }

    #[must_use]
    #[cold]
    pub(crate) fn with_hint(mut self, hint: &'static str) -> Self {
        self.0.hint = Some(hint);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.cause {
            #[cfg(feature = "std")]
            Cause::Io(error) => write!(f, "{error}")?,
            Cause::Rule { detail, reference, .. } => write!(f, "{detail}, {reference}")?,
            Cause::Data(detail) => f.write_str(detail)?,
        }
        if let Some(hint) = self.0.hint {
            write!(f, " ({hint})")?;
        }
        match self.0.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?})", self.to_string())
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0.cause {
            #[cfg(feature = "std")]
            Cause::Io(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    /// Keeps an I/O error as it is; the rest becomes `UnexpectedEof` or `InvalidData`.
    fn from(error: Error) -> Self {
        use std::io::ErrorKind;
        let kind = match error.category() {
            Category::Io => {
                return match error.0.cause {
                    Cause::Io(inner) => inner,
                    _ => ErrorKind::Other.into(),
                };
            }
            Category::Eof => ErrorKind::UnexpectedEof,
            _ => ErrorKind::InvalidData,
        };
        std::io::Error::new(kind, error)
    }
}
