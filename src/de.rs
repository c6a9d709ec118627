//! From CBOR to serde's data model, with every rule of the profile held on the way.

use crate::check::trailing;
use crate::diag;
use crate::error::{Category, Error, Result};
use crate::float::{self, BF16, F16, Integer, Number, SmallFloat};
use crate::head::{Head, Major};
#[cfg(feature = "std")]
use crate::input::Reader;
use crate::input::{Input, Piece, Slice, private::Input as _};
use crate::order::Seen;
use crate::profile::Profile;
use crate::scan::{Frame, Scanner, Text, low16, low32, widen};
use crate::tag::{Special, decimal};
use crate::walk::{self, Keys, Level, Walk};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};
use core::marker::PhantomData;
use serde_core::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Expected, IntoDeserializer as _,
    Unexpected, Visitor,
};

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
        let mut deserializer = Deserializer::from_slice(bytes).profile(self);
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
        let mut deserializer = Deserializer::from_slice(bytes).profile(self);
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
        let mut deserializer = Deserializer::from_reader(reader).profile(self);
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
        Self::new(Slice::new(bytes), bytes.len())
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read> Deserializer<Reader<R>> {
    /// Reads from a reader, in [`Profile::CORE`]. No byte after the item that is asked for is taken from it.
    ///
    /// What lies inside a map is kept until the map ends, since its keys are compared.
    pub fn from_reader(reader: R) -> Self {
        Self::new(Reader::new(reader), READER_PROMISES)
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
    fn new(input: I, promises: usize) -> Self {
        let profile = Profile::CORE;
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

    /// Sets how deep the input may nest; arrays, maps, tags, `Some` and newtypes count.
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

    /// Reads over tags that the type does not ask for, instead of refusing them. Tags 2 and 3 on numbers
    /// keep their meaning.
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
    /// Bytes follow ([`Rule::TrailingBytes`]), or the reader fails.
    pub fn end(&mut self) -> Result<()> {
        if self.scan.input.peek()?.is_none() {
            return Ok(());
        }
        Err(trailing(self.scan.offset(), self.scan.input.left()))
    }

    /// Reads the items as a CBOR sequence (RFC 8742), each into a `T`.
    #[must_use]
    pub fn into_iter<T: Deserialize<'de>>(self) -> StreamDeserializer<'de, I, T> {
        StreamDeserializer { deserializer: self, done: false, target: PhantomData }
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

    pub(crate) fn small<T: SmallFloat>(&mut self, expected: &dyn Expected) -> Result<T> {
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        let exact_only = self.exact_floats;
        match self.number(head, at, |number| number.round::<T>())? {
            Some((value, exact)) if exact || !exact_only => Ok(value),
            Some(_) => Err(inexact(at, T::NAME)),
            None => Err(self.mismatch(head, at, expected)),
        }
    }

    /// The error of an item that is of another type than wanted.
    #[cold]
    fn mismatch(&mut self, head: Head, at: u64, expected: &dyn Expected) -> Error {
        let wanted = Wanted(expected);
        match self.any(head, at, wanted) {
            Ok(()) => Error::data("item of the wrong type").or_at(at),
            Err(error) => error,
        }
    }

    /// Reads over tags before the item, where that was asked for.
    #[inline(always)]
    fn untag(&mut self) -> Result<()> {
        if self.skip_tags { self.skip_tags(false) } else { Ok(()) }
    }

    #[inline(always)]
    fn untag_numbers(&mut self) -> Result<()> {
        if self.skip_tags { self.skip_tags(true) } else { Ok(()) }
    }

    #[cold]
    fn skip_tags(&mut self, numbers: bool) -> Result<()> {
        while let Some(first) = self.scan.input.peek()? {
            if first >> 5 != Major::Tag as u8 || numbers && matches!(first, 0xc2..=0xc5) {
                break;
            }
            let at = self.scan.offset();
            let head = self.scan.head()?;
            walk::tag_content(&mut self.scan, head.argument, at)?;
        }
        Ok(())
    }

    /// Hands the item of this head to a visitor, as what it is.
    fn any<V: Visitor<'de>>(&mut self, head: Head, at: u64, visitor: V) -> Result<V::Value> {
        match head.major() {
            Major::Unsigned => visitor.visit_u64(head.argument).map_err(|e: Error| e.or_at(at)),
            Major::Negative => negative(head, visitor).map_err(|e| e.or_at(at)),
            Major::Bytes => self.bytes(head, at, visitor),
            Major::Text => self.text(head, at, visitor),
            Major::Array => self.array(head, at, None, visitor),
            Major::Map => self.map(head, at, Names::Any, visitor),
            Major::Tag => self.tag_pair(head, at, |pair| visitor.visit_newtype_struct(pair)),
            Major::Simple => self.simple(head, at, visitor),
        }
    }

    #[inline]
    fn simple<V: Visitor<'de>>(&mut self, head: Head, at: u64, visitor: V) -> Result<V::Value> {
        let result: Result<V::Value> = match (head.info(), head.argument) {
            (25..=27, _) => visitor.visit_f64(f64::from_bits(widen(head))),
            (_, 20) => visitor.visit_bool(false),
            (_, 21) => visitor.visit_bool(true),
            (_, 22) => visitor.visit_unit(),
            (_, value) => visitor.visit_newtype_struct(SimpleContent(low16(value))),
        };
        result.map_err(|e| e.or_at(at))
    }

    #[inline(always)]
    fn text<V: Visitor<'de>>(&mut self, head: Head, at: u64, visitor: V) -> Result<V::Value> {
        if head.is_indefinite() {
            let text = self.chunked_text(head)?;
            return visitor.visit_string(text).map_err(|e: Error| e.or_at(at));
        }
        match self.scan.text(head, at)? {
            Text::Borrowed(text) => visitor.visit_borrowed_str(text),
            Text::Passing(text) => visitor.visit_str(text),
        }
        .map_err(|e: Error| e.or_at(at))
    }

    #[cold]
    fn chunked_text(&mut self, head: Head) -> Result<String> {
        let mut all = String::new();
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            match self.scan.text(chunk, at)? {
                Text::Borrowed(text) => all.push_str(text),
                Text::Passing(text) => all.push_str(text),
            }
        }
        Ok(all)
    }

    #[inline(always)]
    fn bytes<V: Visitor<'de>>(&mut self, head: Head, at: u64, visitor: V) -> Result<V::Value> {
        if head.is_indefinite() {
            let bytes = self.chunked_bytes(head)?;
            return visitor.visit_byte_buf(bytes).map_err(|e: Error| e.or_at(at));
        }
        match self.scan.content(head, at)? {
            Piece::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
            Piece::Passing(bytes) => visitor.visit_bytes(bytes),
        }
        .map_err(|e: Error| e.or_at(at))
    }

    #[cold]
    fn chunked_bytes(&mut self, head: Head) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            all.extend_from_slice(self.scan.chunk_content(chunk, at)?.bytes());
        }
        Ok(all)
    }

    /// An array, which has to be read to its end; `len` is what the type fixes.
    #[inline]
    fn array<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        len: Option<usize>,
        visitor: V,
    ) -> Result<V::Value> {
        self.scan.enter(at)?;
        let mut frame = Frame::new(head);
        let hint = self.promise(frame);
        let elements = Elements { de: self, frame: &mut frame, hint };
        let value = visitor.visit_seq(elements).map_err(|e: Error| e.or_at(at))?;
        if frame.more(&mut self.scan)? {
            return Err(too_long(at, "array", head.length(), len));
        }
        self.scan.leave();
        Ok(value)
    }

    #[inline]
    fn map<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        names: Names,
        visitor: V,
    ) -> Result<V::Value> {
        self.scan.enter(at)?;
        let mut frame = Frame::new(head);
        let mut keys = Keys::open(&mut self.scan, &mut self.seen);
        let hint = self.promise(frame);
        let entries = Entries { de: self, frame: &mut frame, keys: &mut keys, names, hint };
        let value = visitor.visit_map(entries).map_err(|e: Error| e.or_at(at))?;
        if frame.more(&mut self.scan)? {
            return Err(too_long(at, "map", head.length(), None));
        }
        keys.close(&mut self.scan, &mut self.seen)?;
        self.scan.leave();
        Ok(value)
    }

    /// A tagged item for a type that wants an integer.
    fn tagged_integer<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
        let bytes_next = self.scan.input.peek()?.is_some_and(|b| b >> 5 == Major::Bytes as u8);
        if matches!(head.argument, 2 | 3) && bytes_next {
            return self.bignum(head, at, visitor);
        }
        self.any(head, at, visitor)
    }

    fn bignum<V: Visitor<'de>>(&mut self, tag: Head, at: u64, visitor: V) -> Result<V::Value> {
        let from = self.scan.offset();
        let head = self.scan.head()?;
        let magnitude = self.bignum_bytes(head, from)?;
        let negative = tag.argument == 3;
        let significant = {
            let zeros = magnitude.iter().take_while(|&&byte| byte == 0).count();
            &magnitude[zeros..]
        };
        if significant.len() <= 16 {
            let value = significant.iter().fold(0_u128, |n, &byte| n << 8 | u128::from(byte));
            let visited: Option<Result<V::Value>> = match (negative, i128::try_from(value)) {
                (false, _) => Some(match u64::try_from(value) {
                    Ok(value) => visitor.visit_u64(value),
                    Err(_) => visitor.visit_u128(value),
                }),
                (true, Ok(value)) => Some(match i64::try_from(!value) {
                    Ok(value) => visitor.visit_i64(value),
                    Err(_) => visitor.visit_i128(!value),
                }),
                (true, Err(_)) => None,
            };
            if let Some(visited) = visited {
                return visited.map_err(|e| e.or_at(at));
            }
        }
        Err(Error::data(format!("bignum of {} bytes fits no integer type", significant.len()))
            .or_at(at))
    }

    fn bignum_bytes(&mut self, head: Head, at: u64) -> Result<Vec<u8>> {
        if head.is_indefinite() {
            return self.chunked_bytes(head);
        }
        Ok(self.scan.content(head, at)?.bytes().to_vec())
    }

    /// Number and content of a tag as a pair.
    fn tag_pair<R>(
        &mut self,
        head: Head,
        at: u64,
        visit: impl FnOnce(TagPair<'_, I>) -> Result<R>,
    ) -> Result<R> {
        self.scan.enter(at)?;
        walk::tag_content(&mut self.scan, head.argument, at)?;
        let behind = self.scan.is_validated_later();
        if behind {
            self.scan.input.hold();
        }
        let from = self.scan.offset();
        let mut step = 0;
        let pair = TagPair { de: self, number: head.argument, step: &mut step };
        let value = visit(pair).map_err(|e| e.or_at(at))?;
        if step != 2 {
            return Err(
                Error::data(format!("tag {} is not expected here", head.argument)).or_at(at)
            );
        }
        if behind {
            walk::held_tag_content(&mut self.scan, head.argument, from)?;
        }
        self.scan.leave();
        Ok(value)
    }

    /// Reads an exact number, of whatever form, and hands it on; none for what is no number. The head was read.
    fn number<R>(
        &mut self,
        head: Head,
        at: u64,
        use_number: impl FnOnce(&Number<'_>) -> R,
    ) -> Result<Option<R>> {
        let whole = |integer| Number::binary(integer, 0);
        let result = match (head.major(), head.info(), head.argument) {
            (Major::Unsigned, _, n) => use_number(&whole(Integer::new(false, n.into()))),
            (Major::Negative, _, n) => use_number(&whole(Integer::new(true, u128::from(n) + 1))),
            (Major::Simple, 25..=27, _) => use_number(&Number::from_f64_bits(widen(head))),
            (Major::Tag, _, tag @ 2..=5) => {
                return self.tagged_number(tag, at, use_number).map(Some);
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    fn tagged_number<R>(
        &mut self,
        tag: u64,
        at: u64,
        use_number: impl FnOnce(&Number<'_>) -> R,
    ) -> Result<R> {
        self.scan.enter(at)?;
        walk::tag_content(&mut self.scan, tag, at)?;
        let result = if tag < 4 {
            let magnitude = self.tag_bytes(tag, at)?;
            use_number(&Number::binary(big_integer(tag, &magnitude), 0))
        } else {
            self.fraction(tag, at, use_number)?
        };
        self.scan.leave();
        Ok(result)
    }

    /// The byte string of a bignum.
    fn tag_bytes(&mut self, tag: u64, at: u64) -> Result<Vec<u8>> {
        let from = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() == Major::Bytes {
            return self.bignum_bytes(head, from);
        }
        Err(Error::data(format!("tag {tag} does not hold a byte string")).or_at(at))
    }

    /// Exponent and mantissa of a decimal fraction or a bigfloat (RFC 8949 §3.4.4).
    fn fraction<R>(
        &mut self,
        tag: u64,
        at: u64,
        use_number: impl FnOnce(&Number<'_>) -> R,
    ) -> Result<R> {
        let wrong =
            || Error::data(format!("tag {tag} does not hold an exponent and a mantissa")).or_at(at);
        let from = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() != Major::Array {
            return Err(wrong());
        }
        self.scan.enter(from)?;
        let mut frame = Frame::new(head);
        if !frame.more(&mut self.scan)? {
            return Err(wrong());
        }
        let head = self.scan.head()?;
        let exponent = match head.major() {
            Major::Unsigned => i128::from(head.argument),
            Major::Negative => !i128::from(head.argument),
            _ => return Err(wrong()),
        };
        if !frame.more(&mut self.scan)? {
            return Err(wrong());
        }
        let mantissa_at = self.scan.offset();
        let head = self.scan.head()?;
        let magnitude;
        let mantissa = match (head.major(), head.argument) {
            (Major::Unsigned, n) => Integer::new(false, n.into()),
            (Major::Negative, n) => Integer::new(true, u128::from(n) + 1),
            (Major::Tag, tag @ (2 | 3)) => {
                magnitude = self.tag_bytes(tag, mantissa_at)?;
                big_integer(tag, &magnitude)
            }
            _ => return Err(wrong()),
        };
        if frame.more(&mut self.scan)? {
            return Err(wrong());
        }
        self.scan.leave();
        Ok(use_number(&match tag {
            4 => Number::decimal(mantissa, exponent),
            _ => Number::binary(mantissa, exponent),
        }))
    }

    /// Reads over an item that nobody wants, which is held to every rule all the same.
    fn skip(&mut self) -> Result<()> {
        self.levels.clear();
        let mut levels = core::mem::take(&mut self.levels);
        let walked = Walk { scan: &mut self.scan, seen: &mut self.seen, open: &mut levels }.item();
        self.levels = levels;
        walked
    }

    /// The bytes of one item, held to every rule.
    pub(crate) fn raw_item(&mut self) -> Result<Piece<'de, '_>> {
        self.scan.input.hold();
        let from = self.scan.offset();
        self.skip()?;
        self.scan.input.release();
        Ok(self.scan.input.held_piece(from, self.scan.offset()))
    }

    /// How many children to announce. The promises of all containers together are never more than the input
    /// has bytes, so that nested heads cannot each make a type reserve for all of it.
    fn promise(&mut self, frame: Frame) -> Option<usize> {
        if frame.indefinite {
            return None;
        }
        let left = self.scan.input.left().unwrap_or(READER_AHEAD).min(self.promises);
        let hint = usize::try_from(frame.left).map_or(left, |n| n.min(left));
        self.promises -= hint;
        Some(hint)
    }

    #[inline]
    fn named_map<V: Visitor<'de>>(&mut self, names: Names, visitor: V) -> Result<V::Value> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Map => self.map(head, at, names, visitor),
            _ => self.any(head, at, visitor),
        }
    }

    #[inline(always)]
    fn is_special(&self, special: Special) -> bool {
        self.special_at == self.scan.offset() && self.special == special
    }
}

/// Elements announced ahead of a reader in one container.
const READER_AHEAD: usize = 256;

const fn big_integer(tag: u64, magnitude: &[u8]) -> Integer<'_> {
    if tag == 3 {
        Integer::minus_one_minus(magnitude)
    } else {
        Integer::from_be_bytes(false, magnitude)
    }
}

#[inline(always)]
fn negative<'de, V: Visitor<'de>>(head: Head, visitor: V) -> Result<V::Value> {
    match i64::try_from(head.argument) {
        Ok(argument) => visitor.visit_i64(!argument),
        Err(_) => visitor.visit_i128(!i128::from(head.argument)),
    }
}

#[cold]
#[inline(never)]
fn inexact(at: u64, target: &str) -> Error {
    Error::data(format!("number is not exactly representable as {target}")).or_at(at)
}

#[cold]
#[inline(never)]
fn too_long(at: u64, what: &str, found: Option<u64>, wanted: Option<usize>) -> Error {
    let mut words = match found {
        Some(found) => format!("{what} of {found}"),
        None => format!("{what} of indefinite length"),
    };
    match wanted {
        Some(wanted) => words.push_str(&format!(" where {wanted} are expected")),
        None => words.push_str(" has more than the type takes"),
    }
    Error::data(words).or_at(at)
}

/// Visits nothing, so that serde words the mismatch.
struct Wanted<'a>(&'a dyn Expected);

impl Visitor<'_> for Wanted<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Expected::fmt(self.0, f)
    }
}

macro_rules! integers {
    ($( $method:ident ),*) => { $(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.untag_numbers()?;
            let at = self.scan.offset();
            let head = self.scan.head()?;
            match head.major() {
                Major::Unsigned => visitor.visit_u64(head.argument).map_err(|e: Error| e.or_at(at)),
                Major::Negative => negative(head, visitor).map_err(|e| e.or_at(at)),
                Major::Tag => self.tagged_integer(head, at, visitor),
                _ => self.any(head, at, visitor),
            }
        }
    )* };
}

impl<'de, I: Input<'de>> de::Deserializer<'de> for &mut Deserializer<I> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.human_readable
    }

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        self.any(head, at, visitor)
    }

    integers! {
        deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64, deserialize_i128,
        deserialize_u8, deserialize_u32, deserialize_u64, deserialize_u128
    }

    #[inline]
    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        if self.special_at == at {
            if self.is_special(Special::F16) {
                let bits = self.small::<F16>(&visitor)?.to_bits();
                return visitor.visit_u16(bits).map_err(|e: Error| e.or_at(at));
            }
            if self.is_special(Special::Bf16) {
                let bits = self.small::<BF16>(&visitor)?.to_bits();
                return visitor.visit_u16(bits).map_err(|e: Error| e.or_at(at));
            }
        }
        self.deserialize_u32(visitor)
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag()?;
        self.deserialize_any(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        // What is a binary32 already keeps its bits, those of a NaN above all.
        let exact = match (head.major(), head.info()) {
            (Major::Simple, 26) => Some(low32(head.argument)),
            (Major::Simple, 25) => Some(float::f16_to_f32_bits(low16(head.argument))),
            (Major::Simple, 27) => float::f64_bits_to_f32_bits(head.argument),
            _ => None,
        };
        if let Some(bits) = exact {
            return visitor.visit_f32(f32::from_bits(bits)).map_err(|e: Error| e.or_at(at));
        }
        match self.number(head, at, |number| number.to_f32())? {
            Some((_, false)) if self.exact_floats => Err(inexact(at, "f32")),
            Some((value, _)) => visitor.visit_f32(value).map_err(|e: Error| e.or_at(at)),
            None => self.any(head, at, visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if let (Major::Simple, 25..=27) = (head.major(), head.info()) {
            let value = f64::from_bits(widen(head));
            return visitor.visit_f64(value).map_err(|e: Error| e.or_at(at));
        }
        match self.number(head, at, |number| number.to_f64())? {
            Some((_, false)) => Err(inexact(at, "f64")),
            Some((value, true)) => visitor.visit_f64(value).map_err(|e: Error| e.or_at(at)),
            None => self.any(head, at, visitor),
        }
    }

    #[inline]
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Text => self.text(head, at, visitor),
            _ => self.any(head, at, visitor),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.special_at == self.scan.offset() {
            if self.is_special(Special::Cid) {
                return self.link(visitor);
            }
        }
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Bytes => self.bytes(head, at, visitor),
            _ => self.any(head, at, visitor),
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        if self.scan.input.peek()? == Some(0xf6) {
            self.scan.input.bump();
            return visitor.visit_none().map_err(|e: Error| e.or_at(at));
        }
        self.scan.enter(at)?;
        let value = visitor.visit_some(&mut *self)?;
        self.scan.leave();
        Ok(value)
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag()?;
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        let at = self.scan.offset();
        if let Some(special) = Special::of(name) {
            if special == Special::Tagged {
                let head = self.scan.head()?;
                if head.major() == Major::Tag {
                    return self.tag_pair(head, at, |pair| visitor.visit_seq(pair));
                }
                return Err(self.mismatch(head, at, &visitor));
            }
            match special {
                Special::Simple => return self.simple_number(visitor),
                Special::MaybeTagged => return self.maybe_tagged(visitor),
                Special::Raw => {
                    return match self.raw_item()? {
                        Piece::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
                        Piece::Passing(bytes) => visitor.visit_bytes(bytes),
                    };
                }
                _ => {}
            }
            self.special = special;
            self.special_at = at;
            return visitor.visit_newtype_struct(self);
        }
        if let Some(visited) = crate::small::round(self, name, &visitor) {
            let value = visited?;
            return visitor.visit_f64(value).map_err(|e: Error| e.or_at(at));
        }
        self.scan.enter(at)?;
        let value = visitor.visit_newtype_struct(&mut *self)?;
        self.scan.leave();
        Ok(value)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Array => self.array(head, at, None, visitor),
            _ => self.any(head, at, visitor),
        }
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Array => self.array(head, at, Some(len), visitor),
            _ => self.any(head, at, visitor),
        }
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_tuple(len, visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let integers = self.is_special(Special::IntKeys);
        self.named_map(if integers { Names::Integers } else { Names::Any }, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let integers = self.is_special(Special::IntKeys);
        self.named_map(if integers { Names::Integers } else { Names::Text }, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.untag()?;
        let at = self.scan.offset();
        let first = self.scan.input.peek()?;
        if first.is_some_and(|first| first >> 5 == Major::Map as u8) {
            let head = self.scan.head()?;
            self.scan.enter(at)?;
            let mut frame = Frame::new(head);
            if head.length().is_some_and(|pairs| pairs != 1) || !frame.more(&mut self.scan)? {
                return Err(no_variant(at));
            }
            let value = visitor.visit_enum(Variant { de: &mut *self, content: true })?;
            if frame.more(&mut self.scan)? {
                return Err(no_variant(at));
            }
            self.scan.leave();
            return Ok(value);
        }
        if first.is_some_and(|first| first >> 5 == Major::Text as u8) {
            return visitor.visit_enum(Variant { de: self, content: false });
        }
        let head = self.scan.head()?;
        Err(self.mismatch(head, at, &visitor))
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }
}

#[cold]
fn no_variant(at: u64) -> Error {
    Error::data("enum variant with content is not a map of one entry").or_at(at)
}

impl<'de, I: Input<'de>> Deserializer<I> {
    /// Tag 42 for a type that wants the bytes of a CID.
    fn link<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.special_at = u64::MAX;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() != Major::Tag || head.argument != 42 {
            return Err(self.mismatch(head, at, &visitor));
        }
        self.scan.enter(at)?;
        walk::tag_content(&mut self.scan, 42, at)?;
        let value = self.cid(visitor)?;
        self.scan.leave();
        Ok(value)
    }

    /// The byte string in tag 42, without the zero byte before the CID.
    fn cid<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() != Major::Bytes || head.is_indefinite() {
            return Err(self.mismatch(head, at, &"a CID behind a zero byte"));
        }
        match self.scan.content(head, at)? {
            Piece::Borrowed([0, cid @ ..]) => visitor.visit_borrowed_bytes(cid),
            Piece::Passing([0, cid @ ..]) => visitor.visit_bytes(cid),
            _ => Err(Error::data("tag 42 does not hold a CID behind a zero byte")),
        }
        .map_err(|e: Error| e.or_at(at))
    }

    /// An item for a type that takes it in a tag or without.
    fn maybe_tagged<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        if self.scan.input.peek()?.is_some_and(|first| first >> 5 == Major::Tag as u8) {
            let at = self.scan.offset();
            let head = self.scan.head()?;
            return self.tag_pair(head, at, |pair| visitor.visit_seq(pair));
        }
        visitor.visit_newtype_struct(self)
    }

    /// The number of a simple value that is no bool and no null.
    fn simple_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() == Major::Simple && !matches!(head.info(), 25..=27) {
            let number = u8::try_from(head.argument).unwrap_or(u8::MAX);
            return visitor.visit_u8(number).map_err(|e: Error| e.or_at(at));
        }
        Err(self.mismatch(head, at, &visitor))
    }
}

/// The elements of an array.
struct Elements<'a, I> {
    de: &'a mut Deserializer<I>,
    frame: &'a mut Frame,
    hint: Option<usize>,
}

impl<'de, I: Input<'de>> de::SeqAccess<'de> for Elements<'_, I> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.frame.more(&mut self.de.scan)? {
            seed.deserialize(&mut *self.de).map(Some)
        } else {
            Ok(None)
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.hint
    }
}

/// The entries of a map.
struct Entries<'a, I> {
    de: &'a mut Deserializer<I>,
    frame: &'a mut Frame,
    keys: &'a mut Keys,
    names: Names,
    hint: Option<usize>,
}

impl<'de, I: Input<'de>> de::MapAccess<'de> for Entries<'_, I> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.frame.more(&mut self.de.scan)? {
            return Ok(None);
        }
        let from = self.de.scan.offset();
        self.keys.before(&mut self.de.scan);
        let key = if self.names == Names::Any {
            seed.deserialize(&mut *self.de)?
        } else {
            seed.deserialize(Name { de: &mut *self.de, names: self.names })?
        };
        self.keys.after(&mut self.de.scan, &mut self.de.seen, from)?;
        Ok(Some(key))
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.frame.value(&mut self.de.scan)?;
        seed.deserialize(&mut *self.de)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.hint
    }
}

/// What the keys of a map can be for the type that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Keys of a map.
    Any,
    /// Fields of a struct: text. serde would take an integer for the index of a field.
    Text,
    /// Fields of a struct, some named by decimal integers.
    Integers,
}

/// A key that names a field.
struct Name<'a, I> {
    de: &'a mut Deserializer<I>,
    names: Names,
}

impl<'de, I: Input<'de>> de::Deserializer<'de> for Name<'_, I> {
    type Error = Error;

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let first = self.de.scan.input.peek()?;
        let text = first.is_some_and(|first| first >> 5 == Major::Text as u8);
        if text && self.names == Names::Text {
            return self.de.deserialize_str(visitor);
        }
        self.unusual(text, visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        (&mut *self.de).deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        (&mut *self.de).deserialize_ignored_any(visitor)
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum
    }
}

impl<I> Name<'_, I> {
    /// A key that is no text, or one of a struct with integer names.
    fn unusual<'de, V: Visitor<'de>>(self, text: bool, visitor: V) -> Result<V::Value>
    where
        I: Input<'de>,
    {
        let de = self.de;
        let at = de.scan.offset();
        if text {
            let head = de.scan.head()?;
            return if head.is_indefinite() {
                let text = de.chunked_text(head)?;
                not_an_integer(&text).and_then(|()| visitor.visit_string(text))
            } else {
                match de.scan.text(head, at)? {
                    Text::Borrowed(text) => {
                        not_an_integer(text).and_then(|()| visitor.visit_borrowed_str(text))
                    }
                    Text::Passing(text) => {
                        not_an_integer(text).and_then(|()| visitor.visit_str(text))
                    }
                }
            }
            .map_err(|e| e.or_at(at));
        }
        let mut name = String::new();
        diag::write_key(&mut name, de.raw_item()?.bytes());
        if self.names == Names::Text || decimal(&name).is_none() {
            // No field can have this name, so that the key is as unknown as it is.
            name.insert_str(0, "\0");
        }
        visitor.visit_str(&name).map_err(|e: Error| e.or_at(at))
    }
}

fn not_an_integer(name: &str) -> Result<()> {
    match decimal(name) {
        Some(_) => Err(Error::data(format!("map key {name:?} is text that spells an integer"))),
        None => Ok(()),
    }
}

/// An enum variant, alone or as the key of its content.
struct Variant<'a, I> {
    de: &'a mut Deserializer<I>,
    content: bool,
}

impl<'de, I: Input<'de>> de::EnumAccess<'de> for Variant<'_, I> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let text = |first: u8| first >> 5 == Major::Text as u8;
        if !self.de.scan.input.peek()?.is_some_and(text) {
            let at = self.de.scan.offset();
            let head = self.de.scan.head()?;
            return Err(self.de.mismatch(head, at, &"an enum variant's name"));
        }
        let variant = seed.deserialize(&mut *self.de)?;
        Ok((variant, self))
    }
}

impl<'de, I: Input<'de>> Variant<'_, I> {
    fn with_content(self, expected: &str) -> Result<Self> {
        if self.content {
            return Ok(self);
        }
        let at = self.de.scan.offset();
        let error: Error = de::Error::invalid_type(Unexpected::UnitVariant, &expected);
        Err(error.or_at(at))
    }
}

impl<'de, I: Input<'de>> de::VariantAccess<'de> for Variant<'_, I> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        if self.content { Deserialize::deserialize(self.de) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.with_content("newtype variant")?.de)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_tuple(self.with_content("tuple variant")?.de, len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let de = self.with_content("struct variant")?.de;
        de::Deserializer::deserialize_struct(de, "", fields, visitor)
    }
}

/// Number and content of a tag: a pair, or what a newtype is around.
pub(crate) struct TagPair<'a, I> {
    de: &'a mut Deserializer<I>,
    number: u64,
    step: &'a mut u8,
}

impl<'de, I: Input<'de>> de::SeqAccess<'de> for TagPair<'_, I> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        *self.step += 1;
        match self.step {
            1 => seed.deserialize(self.number.into_deserializer()).map(Some),
            2 => seed.deserialize(&mut *self.de).map(Some),
            _ => {
                *self.step = 2;
                Ok(None)
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(2 - usize::from(*self.step).min(2))
    }
}

impl<'de, I: Input<'de>> de::Deserializer<'de> for TagPair<'_, I> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self)
    }

    /// The `cid` crate's identifier, where something like `ipld-core` has looked for it.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if Special::of(name) == Some(Special::Cid) && self.number == 42 {
            return visitor.visit_newtype_struct(CidContent(self));
        }
        visitor.visit_seq(self)
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The content of tag 42 as the bytes of a CID.
struct CidContent<'a, I>(TagPair<'a, I>);

impl<'de, I: Input<'de>> de::Deserializer<'de> for CidContent<'_, I> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        *self.0.step = 2;
        self.0.de.cid(visitor)
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// What a simple value is to a visitor that was not asked whether it knows any.
struct SimpleContent(u16);

impl<'de> de::Deserializer<'de> for SimpleContent {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u16(self.0)
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A CBOR sequence (RFC 8742), item by item.
///
/// Memory is that of one item. After an item that does not fit the type the next one is read; after a fault of
/// the grammar nothing can be, and the iterator ends.
///
/// ```
/// use calibor::Deserializer;
///
/// let mut numbers = Deserializer::from_slice(b"\x01\x61a\x02").into_iter::<u8>(); // 1, "a", 2
/// assert_eq!(numbers.next().unwrap()?, 1);
/// assert!(numbers.next().unwrap().is_err());
/// assert_eq!(numbers.next().unwrap()?, 2);
/// assert!(numbers.next().is_none());
/// assert_eq!(numbers.byte_offset(), 4);
/// # Ok::<(), calibor::Error>(())
/// ```
pub struct StreamDeserializer<'de, I, T> {
    deserializer: Deserializer<I>,
    done: bool,
    target: PhantomData<(&'de (), fn() -> T)>,
}

impl<I, T> fmt::Debug for StreamDeserializer<'_, I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamDeserializer").field("done", &self.done).finish_non_exhaustive()
    }
}

impl<'de, I: Input<'de>, T> StreamDeserializer<'de, I, T> {
    /// Bytes of the items read so far.
    #[must_use]
    pub fn byte_offset(&self) -> u64 {
        self.deserializer.byte_offset()
    }
}

impl<'de, I: Input<'de>, T: Deserialize<'de>> StreamDeserializer<'de, I, T> {
    fn item(&mut self) -> Result<Option<T>> {
        let de = &mut self.deserializer;
        if de.scan.input.peek()?.is_none() {
            return Ok(None);
        }
        let start = de.scan.offset();
        de.scan.restart();
        de.seen = Seen::default();
        de.promises = de.promises.max(READER_AHEAD);
        de.scan.input.hold();
        let result = T::deserialize(&mut *de);
        if let Err(error) = &result {
            let resumable = matches!(error.category(), Category::Data | Category::Profile);
            self.done = !resumable || de.resume(start).is_err();
        }
        de.scan.input.release();
        result.map(Some)
    }
}

impl<'de, I: Input<'de>> Deserializer<I> {
    /// Goes to the end of the item that begins at `start` and could not be used.
    #[cold]
    fn resume(&mut self, start: u64) -> Result<()> {
        self.scan.input.rewind(start);
        self.scan.restart();
        self.seen = Seen::default();
        let limit = self.scan.limit();
        self.scan.set_profile(Profile::WELL_FORMED.max_depth(limit));
        let skipped = self.skip();
        self.scan.set_profile(self.profile);
        self.scan.set_limit(limit);
        skipped
    }
}

impl<'de, I: Input<'de>, T: Deserialize<'de>> Iterator for StreamDeserializer<'de, I, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.done {
            return None;
        }
        let item = self.item().transpose();
        if item.is_none() {
            self.done = true;
        }
        item
    }
}
