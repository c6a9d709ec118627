//! From CBOR to serde's data model, with every rule of the profile held on the way.

mod container;
mod field;
mod number;
mod read;
mod special;
mod stream;
mod string;
mod variant;

pub use stream::StreamDeserializer;

use crate::check::trailing;
use crate::error::{Category, Error, Result};
use crate::float::{BF16, F16, Number, SmallFloat};
#[cfg(feature = "std")]
use crate::input::Reader;
use crate::input::{Input, Slice, private::Input as _};
use crate::order::Seen;
use crate::profile::Profile;
use crate::scan::Scanner;
use crate::tag::Special;
use crate::walk::Level;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use container::Followers;
use core::fmt::{self, Display};
use number::inexact;
#[cfg(feature = "std")]
use serde_core::de::DeserializeOwned;
use serde_core::de::{self, Deserialize, Expected, Unexpected};

const HINT: &str = "Profile::VALID.decode(bytes) reads it anyway";

/// Decodes exactly one item that is canonical by [`Profile::CORE`]; strings can be borrowed from it.
///
/// # Errors
///
/// The bytes are malformed, break a rule of the profile, do not fit the type, or go on after the item. Where
/// they are valid CBOR and only not canonical, the message names the call that reads them.
///
/// ```
/// use std::collections::BTreeMap;
///
/// // {"a": 1}
/// let map: BTreeMap<&str, u8> = calibor::from_slice(b"\xa1\x61a\x01")?;
/// assert_eq!(map["a"], 1);
///
/// // {"a": 1_0}
/// let error = calibor::from_slice::<BTreeMap<&str, u8>>(b"\xa1\x61a\x18\x01").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "head 1801 is longer than it has to be, 01 is wanted, RFC 8949 §4.2.1 \
///      (Profile::VALID.decode(bytes) reads it anyway), at byte 3"
/// );
/// # Ok::<(), calibor::Error>(())
/// ```
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    Profile::CORE.decode(bytes).map_err(|error| {
        let canonical = error.category() == Category::Profile;
        if canonical && Profile::VALID.check(bytes).is_ok() { error.with_hint(HINT) } else { error }
    })
}

/// Decodes exactly one item from a reader, canonical by [`Profile::CORE`].
///
/// Reads to the end of the input, to make sure that nothing follows; to stop after the item use
/// [`Deserializer::from_reader`]. Wrap what is slow to read byte by byte in a `BufReader`.
///
/// # Errors
///
/// As [`from_slice`], and what the reader fails with.
#[cfg(feature = "std")]
pub fn from_reader<R: std::io::Read, T: DeserializeOwned>(reader: R) -> Result<T> {
    Profile::CORE.decode_from(reader).map_err(|error| {
        if error.category() == Category::Profile { error.with_hint(READER_HINT) } else { error }
    })
}

#[cfg(feature = "std")]
const READER_HINT: &str = "Profile::VALID.decode_from(reader) is less strict";

impl Profile {
    /// Decodes exactly one item that obeys every rule of the profile; strings can be borrowed from it.
    ///
    /// # Errors
    ///
    /// The bytes are malformed, break a rule of the profile, do not fit the type, or go on after the item.
    ///
    /// ```
    /// use calibor::{Profile, Rule};
    ///
    /// // [_ 1, 2]
    /// assert_eq!(Profile::VALID.decode::<Vec<u8>>(b"\x9f\x01\x02\xff")?, [1, 2]);
    /// let error = Profile::CTAP2.decode::<Vec<u8>>(b"\x9f\x01\x02\xff").unwrap_err();
    /// assert_eq!(error.rule(), Some(Rule::IndefiniteLength));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn decode<'de, T: Deserialize<'de>>(self, bytes: &'de [u8]) -> Result<T> {
        let mut deserializer = Deserializer::new(Slice::new(bytes), bytes.len(), self);
        let value = T::deserialize(&mut deserializer).and_then(|value| {
            deserializer.end()?;
            Ok(value)
        });
        value.map_err(|error| match error.rule() {
            Some(_) => self.explain(bytes, error),
            None => error,
        })
    }

    /// Decodes the first item of `bytes` and returns what follows it.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), but for what follows.
    ///
    /// ```
    /// use calibor::Profile;
    ///
    /// let (first, rest): (u8, _) = Profile::CORE.decode_first(b"\x01\x61a")?;
    /// assert_eq!((first, rest), (1, &b"\x61a"[..]));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn decode_first<'de, T: Deserialize<'de>>(
        self,
        bytes: &'de [u8],
    ) -> Result<(T, &'de [u8])> {
        let mut deserializer = Deserializer::new(Slice::new(bytes), bytes.len(), self);
        let value = T::deserialize(&mut deserializer)?;
        Ok((value, deserializer.scan.input.rest().unwrap_or_default()))
    }

    /// Decodes exactly one item from a reader, as [`from_reader`] does.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), and what the reader fails with.
    #[cfg(feature = "std")]
    pub fn decode_from<R: std::io::Read, T: DeserializeOwned>(self, reader: R) -> Result<T> {
        let mut deserializer = Deserializer::new(Reader::new(reader), READER_PROMISES, self);
        let value = T::deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    }
}

impl de::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::data(message.to_string())
    }

    /// serde's words, but for what a newtype is on its way through serde.
    #[cold]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::data(match unexpected {
            Unexpected::NewtypeStruct => {
                format!("invalid type: tag or simple value, expected {expected}")
            }
            _ => format!("invalid type: {unexpected}, expected {expected}"),
        })
    }
}

/// Reads items one after the other from a slice or a reader.
///
/// ```
/// use calibor::{Deserializer, Profile};
/// use serde::Deserialize;
///
/// let mut deserializer = Deserializer::from_slice(b"\xf9\x3c\0\x01").profile(Profile::VALID);
/// assert_eq!(f32::deserialize(&mut deserializer)?, 1.0); // 1.0
/// assert_eq!(deserializer.byte_offset(), 3);
/// assert_eq!(f32::deserialize(&mut deserializer)?, 1.0); // 1
/// deserializer.end()?;
/// # Ok::<(), calibor::Error>(())
/// ```
pub struct Deserializer<I> {
    scan: Scanner<I>,
    seen: Seen,
    levels: Vec<Level>,
    profile: Profile,
    human_readable: bool,
    exact_floats: bool,
    skip_tags: bool,
    /// The item at this offset, if it is the next, is the content of a newtype that this crate knows.
    special: Special,
    special_at: u64,
    /// Where a key of a map begins, which may be asked for as an identifier or by a buffer.
    key_at: u64,
    /// How many `Some`s and newtypes are open, which take stack but no byte.
    wrapped: u32,
    /// Which field of a struct came after which.
    followers: Followers,
    /// How many elements may still be announced to visitors: each byte of the input can be one, once.
    promises: usize,
}

impl<I> fmt::Debug for Deserializer<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deserializer").field("profile", &self.profile).finish_non_exhaustive()
    }
}

impl<'de> Deserializer<Slice<'de>> {
    /// Reads from a slice, in [`Profile::CORE`].
    #[must_use]
    pub fn from_slice(bytes: &'de [u8]) -> Self {
        Self::new(Slice::new(bytes), bytes.len(), Profile::CORE)
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read> Deserializer<Reader<R>> {
    /// Reads from a reader, in [`Profile::CORE`]. No byte after the item that is asked for is taken from it.
    ///
    /// What lies inside a map is kept until the map ends, since its keys are compared.
    pub fn from_reader(reader: R) -> Self {
        Self::new(Reader::new(reader), READER_PROMISES, Profile::CORE)
    }

    /// The reader, at the byte after what was read.
    pub fn into_inner(self) -> R {
        self.scan.input.into_inner()
    }
}

/// Elements announced ahead of a reader, which cannot tell how much is to come.
#[cfg(feature = "std")]
const READER_PROMISES: usize = 4096;

impl<'de, I: Input<'de>> Deserializer<I> {
    #[inline]
    fn new(input: I, promises: usize, profile: Profile) -> Self {
        Deserializer {
            scan: Scanner::new(input, profile),
            seen: Seen::default(),
            levels: Vec::new(),
            profile,
            human_readable: false,
            exact_floats: false,
            skip_tags: false,
            special: Special::Simple,
            special_at: u64::MAX,
            key_at: u64::MAX,
            wrapped: 0,
            followers: Followers::default(),
            promises,
        }
    }

    /// Sets the profile, and with it the depth limit.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self.scan.set_profile(profile);
        self
    }

    /// Sets how deep the input may nest; arrays, maps and tags count.
    #[must_use]
    pub fn max_depth(mut self, levels: u32) -> Self {
        self.scan.set_limit(levels);
        self
    }

    /// Refuses to round: a number that an `f32` or a small float cannot hold exactly becomes an error.
    ///
    /// ```
    /// use calibor::Deserializer;
    /// use serde::Deserialize;
    ///
    /// let bytes = b"\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a"; // 1.1
    /// assert_eq!(f32::deserialize(&mut Deserializer::from_slice(bytes))?, 1.1);
    /// assert!(f32::deserialize(&mut Deserializer::from_slice(bytes).exact_floats(true)).is_err());
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn exact_floats(mut self, yes: bool) -> Self {
        self.exact_floats = yes;
        self
    }

    /// Sets what [`is_human_readable`](de::Deserializer::is_human_readable) tells types that ask, such as IP
    /// addresses: false unless set.
    #[must_use]
    pub fn human_readable(mut self, yes: bool) -> Self {
        self.human_readable = yes;
        self
    }

    /// Reads over tags that the type does not ask for, instead of refusing them. Tags 2 to 5 keep their meaning
    /// for numbers, and 42 for links.
    ///
    /// What takes anything, such as a [`Value`](crate::Value) or an untagged enum, is not shown the tags either.
    ///
    /// ```
    /// use calibor::Deserializer;
    /// use serde::Deserialize;
    ///
    /// let bytes = b"\xc1\x05"; // 1(5)
    /// assert!(u8::deserialize(&mut Deserializer::from_slice(bytes)).is_err());
    /// assert_eq!(u8::deserialize(&mut Deserializer::from_slice(bytes).skip_unknown_tags(true))?, 5);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn skip_unknown_tags(mut self, yes: bool) -> Self {
        self.skip_tags = yes;
        self
    }

    /// Bytes read so far.
    #[must_use]
    pub fn byte_offset(&self) -> u64 {
        self.scan.offset()
    }

    /// Makes sure that nothing follows. On a reader this waits for a byte or for the end.
    ///
    /// # Errors
    ///
    /// Bytes follow ([`Rule::TrailingBytes`](crate::Rule::TrailingBytes)), or the reader fails.
    pub fn end(&mut self) -> Result<()> {
        if self.scan.input.peek()?.is_none() {
            return Ok(());
        }
        Err(trailing(self.scan.offset(), self.scan.input.left()))
    }

    /// Reads the items as a CBOR sequence (RFC 8742), each into a `T`.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "the name that serde formats have for it")]
    pub fn into_iter<T: Deserialize<'de>>(self) -> StreamDeserializer<'de, I, T> {
        StreamDeserializer::new(self)
    }

    /// Reads any number into an [`F16`] with one rounding.
    ///
    /// # Errors
    ///
    /// The item is no number, or [`exact_floats`](Self::exact_floats) is set and it is not an `F16`.
    ///
    /// ```
    /// use calibor::{Deserializer, float::F16};
    ///
    /// let mut deserializer = Deserializer::from_slice(b"\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a"); // 0.1
    /// assert_eq!(deserializer.deserialize_f16()?, F16::from_bits(0x2e66));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn deserialize_f16(&mut self) -> Result<F16> {
        self.deserialize_small()
    }

    /// Reads any number into a [`BF16`] with one rounding.
    ///
    /// # Errors
    ///
    /// As [`deserialize_f16`](Self::deserialize_f16).
    pub fn deserialize_bf16(&mut self) -> Result<BF16> {
        self.deserialize_small()
    }

    /// Reads any number into a small float with one rounding: floats, integers, bignums, decimal fractions
    /// (tag 4) and bigfloats (tag 5).
    ///
    /// # Errors
    ///
    /// As [`deserialize_f16`](Self::deserialize_f16).
    pub fn deserialize_small<T: SmallFloat>(&mut self) -> Result<T> {
        self.small(&T::NAME)
    }

    fn small<T: SmallFloat>(&mut self, expected: &dyn Expected) -> Result<T> {
        let at = self.scan.offset();
        if let Some(bits) = self.scan.quick_float() {
            return match Number::from_f64_bits(bits).round::<T>() {
                (_, false) if self.exact_floats => Err(inexact(at, T::NAME)),
                (value, _) => Ok(value),
            };
        }
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        let exact_only = self.exact_floats;
        match self.number(head, at, |number: &Number<'_>| number.round::<T>())? {
            Some((value, exact)) if exact || !exact_only => Ok(value),
            Some(_) => Err(inexact(at, T::NAME)),
            None => Err(self.mismatch(head, at, expected)),
        }
    }
}
