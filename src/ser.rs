//! From serde's data model to deterministic bytes.
//!
//! Everything goes into one buffer. The entries of a map are ranges of it; maps that were not given in order are
//! put in order when they end, in place, with one scratch buffer for the whole encode.

use crate::diag;
use crate::error::{Error, Result, Rule};
use crate::float;
use crate::head::{self, Major};
use crate::order::{Entry, Sorter, compare_text};
use crate::profile::{Profile, Rules, Tags};
use crate::rewrite;
use crate::scan::{cid_fault, source};
use crate::tag::{Special, decimal};
use crate::validity;
use crate::write;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Write as _};
use serde_core::ser::{self, Serialize};

/// Encodes a value in [`Profile::CORE`].
///
/// # Errors
///
/// The value has two equal map keys, or its `Serialize` does not keep to the order or the length it announced.
///
/// ```
/// // {"a": 1.5, "b": [1, -1]}
/// let value = std::collections::BTreeMap::from([("a", 1.5), ("b", 65504.0)]);
/// assert_eq!(calibor::to_vec(&value)?, b"\xa2\x61a\xf9\x3e\x00\x61b\xf9\x7b\xff");
/// # Ok::<(), calibor::Error>(())
/// ```
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    Profile::CORE.encode(value)
}

/// Encodes a value in [`Profile::CORE`] and writes it, all at once.
///
/// # Errors
///
/// As [`to_vec`], and what the writer fails with.
#[cfg(feature = "std")]
pub fn to_writer<W: std::io::Write, T: Serialize + ?Sized>(writer: W, value: &T) -> Result<()> {
    Profile::CORE.encode_to(writer, value)
}

impl Profile {
    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// Two map keys are equal, the profile has no form for some item, the value nests deeper than the limit, or
    /// its `Serialize` does not keep to the order or the length it announced.
    ///
    /// ```
    /// use calibor::{Profile, Rule};
    ///
    /// assert_eq!(Profile::DCBOR.encode(&[2.0, 2.5])?, b"\x82\x02\xf9\x41\x00"); // [2, 2.5]
    /// let error = Profile::DAG_CBOR.encode(&f64::NAN).unwrap_err();
    /// assert_eq!(error.rule(), Some(Rule::ForbiddenNan));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn encode<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<u8>> {
        let mut serializer = Serializer::new().profile(self);
        value.serialize(&mut serializer)?;
        serializer.finish()
    }

    /// Encodes a value and writes it, all at once: nothing is written of a value that cannot be encoded.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode), and what the writer fails with.
    #[cfg(feature = "std")]
    pub fn encode_to<W: std::io::Write, T: Serialize + ?Sized>(
        self,
        mut writer: W,
        value: &T,
    ) -> Result<()> {
        writer.write_all(&self.encode(value)?).map_err(Error::io)
    }
}

impl ser::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        Error::data(message.to_string())
    }
}

/// Encodes values one after the other into one buffer, a CBOR sequence (RFC 8742).
///
/// ```
/// use calibor::{Profile, Serializer};
/// use serde::Serialize;
///
/// let mut serializer = Serializer::new().profile(Profile::LENGTH_FIRST);
/// 1.serialize(&mut serializer)?;
/// "a".serialize(&mut serializer)?;
/// assert_eq!(serializer.finish()?, b"\x01\x61a"); // 1, "a"
/// # Ok::<(), calibor::Error>(())
/// ```
pub struct Serializer {
    out: Vec<u8>,
    profile: Profile,
    rules: Rules,
    depth: u32,
    limit: u32,
    sorter: Sorter,
    human_readable: bool,
    /// An element failed; whoever ignores that may not go on.
    failed: bool,
    /// A float zero was written: two keys with one may be equal though their bytes are not.
    zero: bool,
    /// The next item, if it begins here, is the content of a newtype that this crate knows.
    special: Special,
    special_at: usize,
}

impl Default for Serializer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Serializer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serializer").field("profile", &self.profile).finish_non_exhaustive()
    }
}

impl Serializer {
    /// A serializer for [`Profile::CORE`] with an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::with_buffer(Vec::new())
    }

    /// A serializer that appends to `buffer`.
    #[must_use]
    pub fn with_buffer(buffer: Vec<u8>) -> Self {
        let profile = Profile::CORE;
        Serializer {
            out: buffer,
            profile,
            rules: profile.writing(),
            depth: 0,
            limit: profile.max_depth,
            sorter: Sorter::default(),
            human_readable: false,
            failed: false,
            zero: false,
            special: Special::Simple,
            special_at: usize::MAX,
        }
    }

    /// Sets the profile, and with it the depth limit.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self.rules = profile.writing();
        self.limit = profile.max_depth;
        self
    }

    /// Sets what [`is_human_readable`](ser::Serializer::is_human_readable) tells types that ask, such as IP
    /// addresses: false unless set.
    #[must_use]
    pub fn human_readable(mut self, yes: bool) -> Self {
        self.human_readable = yes;
        self
    }

    /// Sets how deep a value may nest; arrays, maps, tags, `Some` and newtypes count.
    #[must_use]
    pub fn max_depth(mut self, levels: u32) -> Self {
        self.limit = levels;
        self
    }

    /// The buffer with all that was encoded.
    ///
    /// # Errors
    ///
    /// An item was left unfinished.
    pub fn finish(self) -> Result<Vec<u8>> {
        if self.failed || self.depth != 0 {
            return Err(unfinished());
        }
        Ok(self.out)
    }

    #[inline(always)]
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > self.limit { Err(self.too_deep()) } else { Ok(()) }
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&mut self) -> Error {
        self.failed = true;
        self.broken(Rule::TooDeep, format!("nested deeper than {} levels", self.limit))
    }

    #[cold]
    #[inline(never)]
    fn broken(&self, rule: Rule, detail: impl Into<String>) -> Error {
        let detail: String = detail.into();
        Error::broken(rule, source(self.profile.sources(), rule), None, detail)
    }

    /// True if the next item is the content of a known newtype; asked once.
    #[inline(always)]
    fn take_special(&mut self, special: Special) -> bool {
        let found = self.special_at == self.out.len() && self.special == special;
        if found {
            self.special_at = usize::MAX;
        }
        found
    }

    #[inline(always)]
    fn integer(&mut self, value: i64) -> Result<()> {
        if value < 0 {
            head::push(&mut self.out, Major::Negative, !value.cast_unsigned());
        } else {
            head::push(&mut self.out, Major::Unsigned, value.cast_unsigned());
        }
        Ok(())
    }

    fn wide_integer(&mut self, negative: bool, argument: u128) -> Result<()> {
        if let Ok(argument) = u64::try_from(argument) {
            let major = if negative { Major::Negative } else { Major::Unsigned };
            if self.rules.reduced && negative && i64::try_from(argument).is_err() {
                let value = format!("integer -1 - {argument} is below -2^63");
                return Err(self.broken(Rule::IntOutOfRange, value));
            }
            head::push(&mut self.out, major, argument);
            return Ok(());
        }
        if self.rules.tags != Tags::Any {
            let value =
                format!("integer beyond 64 bits needs tag {}", if negative { 3 } else { 2 });
            return Err(self.broken(Rule::ForbiddenTag, value));
        }
        head::push_bignum(&mut self.out, negative, &argument.to_be_bytes());
        Ok(())
    }

    #[inline(always)]
    fn float(&mut self, bits: u64, info: u8) -> Result<()> {
        if bits << 1 == 0 {
            self.zero = true;
        }
        write::push_float(&mut self.out, &self.rules, bits, info)
            .map_err(|rule| self.broken(rule, format!("{:?} has no form", f64::from_bits(bits))))
    }

    #[inline(always)]
    fn text(&mut self, text: &str) -> Result<()> {
        write::push_text(&mut self.out, &self.rules, text)
            .map_err(|words| self.broken(Rule::NotNfc, words))
    }

    fn simple(&mut self, value: u8) -> Result<()> {
        if matches!(value, 24..32) {
            return Err(Error::data(format!("simple value {value} does not exist")));
        }
        if self.rules.basic_simple && !matches!(value, 20..=22) {
            let detail = format!("simple value {value} is not false, true or null");
            return Err(self.broken(Rule::ForbiddenSimple, detail));
        }
        head::push(&mut self.out, Major::Simple, value.into());
        Ok(())
    }

    /// Bytes of one item, which are held to the profile and then kept as they are.
    fn raw(&mut self, item: &[u8]) -> Result<()> {
        let profile = self.profile.max_depth(self.limit.saturating_sub(self.depth));
        match profile.first_item(item) {
            Ok(len) if len == item.len() => {
                self.out.extend_from_slice(item);
                Ok(())
            }
            Ok(_) => Err(Error::data("raw value is more than one item")),
            Err(error) => Err(profile.explain(item, error)),
        }
    }

    #[inline]
    fn begin_seq(&mut self, len: Option<usize>) -> Result<Seq<'_>> {
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Array, len.map_or(0, |len| len as u64));
        Ok(Seq { ser: self, at, len, count: 0, wrapped: false })
    }

    #[inline]
    fn begin_map(&mut self, len: Option<usize>) -> Result<Map<'_>> {
        let int_keys = self.take_special(Special::IntKeys);
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Map, len.map_or(0, |len| len as u64));
        let base = self.sorter.entries.len();
        Ok(Map { ser: self, at, len, count: 0, base, key: None, zero: false, int_keys })
    }

    #[inline]
    fn begin_struct(&mut self, len: usize) -> Result<Struct<'_>> {
        let Map { ser, at, base, int_keys, .. } = self.begin_map(Some(len))?;
        Ok(Struct {
            ser,
            at,
            len,
            count: 0,
            base,
            last: "",
            sorted: !int_keys,
            int_keys,
            wrapped: false,
        })
    }

    /// The map of one that an enum variant with content is.
    #[inline]
    fn begin_variant(&mut self, variant: &str) -> Result<()> {
        self.enter()?;
        self.out.push(0xa1);
        self.text(variant)
    }
}

#[cold]
#[inline(never)]
fn unfinished() -> Error {
    Error::data("an item was left unfinished")
}

#[cold]
#[inline(never)]
fn wrong_length(what: &str, announced: usize, count: usize) -> Error {
    Error::data(format!("{what} announced {announced} and has {count}"))
}

impl<'a> ser::Serializer for &'a mut Serializer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Seq<'a>;
    type SerializeTuple = Tuple<'a>;
    type SerializeTupleStruct = Seq<'a>;
    type SerializeTupleVariant = Seq<'a>;
    type SerializeMap = Map<'a>;
    type SerializeStruct = Struct<'a>;
    type SerializeStructVariant = Struct<'a>;

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.human_readable
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.out.push(if value { 0xf5 } else { 0xf4 });
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.integer(value)
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        if value < 0 {
            self.wide_integer(true, !value.cast_unsigned())
        } else {
            self.wide_integer(false, value.cast_unsigned())
        }
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        if self.take_special(Special::Simple) {
            return self.simple(value);
        }
        head::push(&mut self.out, Major::Unsigned, value.into());
        Ok(())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        if self.special_at == self.out.len() {
            if self.take_special(Special::F16) {
                return self.float(float::f16_to_f64_bits(value), 25);
            }
            if self.take_special(Special::Bf16) {
                let single = u32::from(value) << 16;
                return self.float(float::f32_to_f64_bits(single), 26);
            }
        }
        head::push(&mut self.out, Major::Unsigned, value.into());
        Ok(())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        head::push(&mut self.out, Major::Unsigned, value.into());
        Ok(())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        if self.special_at == self.out.len() && self.take_special(Special::Float) {
            return self.float(value, 27);
        }
        head::push(&mut self.out, Major::Unsigned, value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.wide_integer(false, value)
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.float(float::f32_to_f64_bits(value.to_bits()), 26)
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.float(value.to_bits(), 27)
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<()> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value)
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        if self.special_at == self.out.len() {
            if self.take_special(Special::Raw) {
                return self.raw(value);
            }
            if self.take_special(Special::Cid) {
                let mut link = Vec::with_capacity(value.len() + 1);
                link.push(0);
                link.extend_from_slice(value);
                return self.link(&link);
            }
        }
        write::push_string(&mut self.out, Major::Bytes, value);
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.enter()?;
        value.serialize(&mut *self)?;
        self.leave();
        Ok(())
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.out.push(0xf6);
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<()> {
        self.text(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if let Some(special) = Special::of(name) {
            self.special = special;
            self.special_at = self.out.len();
            // A name of our own adds no level: the tag or the map it stands for counts itself.
            return value.serialize(self);
        }
        self.enter()?;
        value.serialize(&mut *self)?;
        self.leave();
        Ok(())
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.begin_variant(variant)?;
        value.serialize(&mut *self)?;
        self.leave();
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Seq<'a>> {
        self.begin_seq(len)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Tuple<'a>> {
        if self.special_at == self.out.len() && self.take_special(Special::Tagged) {
            self.enter()?;
            let at = self.out.len();
            return Ok(Tuple::Tagged(Tag { ser: self, at, content: at, count: 0 }));
        }
        self.begin_seq(Some(len)).map(Tuple::Array)
    }

    #[inline]
    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Seq<'a>> {
        self.begin_seq(Some(len))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Seq<'a>> {
        self.begin_variant(variant)?;
        let fields = self.begin_seq(Some(len))?;
        Ok(Seq { wrapped: true, ..fields })
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Map<'a>> {
        self.begin_map(len)
    }

    #[inline]
    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Struct<'a>> {
        self.begin_struct(len)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Struct<'a>> {
        self.begin_variant(variant)?;
        let fields = self.begin_struct(len)?;
        Ok(Struct { wrapped: true, ..fields })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        let at = self.out.len();
        self.out.push(0x60);
        let mut text = Text(&mut self.out);
        if write!(text, "{value}").is_err() {
            self.out.truncate(at);
            return Err(Error::data("a Display implementation returned an error"));
        }
        if self.rules.nfc {
            let text = self.out.split_off(at + 1);
            self.out.truncate(at);
            return self.text(core::str::from_utf8(&text).unwrap_or_default());
        }
        let len = self.out.len() - at - 1;
        write::set_head(&mut self.out, at, Major::Text, len as u64);
        Ok(())
    }
}

/// Appends what is formatted.
struct Text<'a>(&'a mut Vec<u8>);

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl Serializer {
    /// Tag 42 and the bytes of a CID behind a zero byte.
    fn link(&mut self, content: &[u8]) -> Result<()> {
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Tag, 42);
        let content_at = self.out.len();
        write::push_string(&mut self.out, Major::Bytes, content);
        self.end_tag(at, content_at)
    }

    /// Holds a written tag to the profile.
    fn end_tag(&mut self, at: usize, content: usize) -> Result<()> {
        let number = written_argument(&self.out[at..content]);
        let link = matches!(self.rules.tags, Tags::Cid | Tags::DaslCid);
        if self.rules.tags == Tags::None || link && number != 42 {
            return Err(
                self.broken(Rule::ForbiddenTag, format!("tag {number} is not in the profile"))
            );
        }
        let bytes = match self.out.get(content) {
            Some(first) if first >> 5 == Major::Bytes as u8 => {
                Some(content + 1 + head::argument_len(first & 31))
            }
            _ => None,
        };
        if link {
            let fault = match bytes {
                Some(bytes) => cid_fault(&self.out[bytes..], self.rules.tags == Tags::DaslCid),
                None => Some("tag 42 does not hold a byte string"),
            };
            if let Some(words) = fault {
                return Err(self.broken(Rule::InvalidTagContent, words));
            }
        }
        if matches!(number, 2 | 3) {
            match bytes {
                Some(bytes) if self.rules.shortest_bignums => {
                    let magnitude = self.out.split_off(bytes);
                    self.out.truncate(at);
                    self.bignum(number == 3, &magnitude)?;
                }
                None if self.rules.bignum_content => {
                    let words = format!("tag {number} does not hold a byte string");
                    return Err(self.broken(Rule::InvalidTagContent, words));
                }
                _ => {}
            }
        } else if self.rules.tag_validity {
            if let Some(words) = validity::fault(number, &self.out[content..]) {
                return Err(self.broken(Rule::InvalidTagContent, words));
            }
        }
        self.leave();
        Ok(())
    }

    fn bignum(&mut self, negative: bool, magnitude: &[u8]) -> Result<()> {
        let start = self.out.len();
        head::push_bignum(&mut self.out, negative, magnitude);
        let first = self.out.get(start).copied().unwrap_or(0);
        if self.rules.reduced && first == 0x3b && self.out[start + 1] >= 0x80 {
            return Err(self.broken(Rule::IntOutOfRange, "integer is below -2^63"));
        }
        Ok(())
    }
}

/// The argument of a head that was written.
fn written_argument(head: &[u8]) -> u64 {
    match head {
        [first, rest @ ..] if first & 31 >= 24 => {
            rest.iter().fold(0, |n, &byte| n << 8 | u64::from(byte))
        }
        [first, ..] => u64::from(first & 31),
        [] => 0,
    }
}

/// An array that is being written.
#[derive(Debug)]
pub struct Seq<'a> {
    ser: &'a mut Serializer,
    at: usize,
    /// How many elements were announced.
    len: Option<usize>,
    count: usize,
    /// The array is the content of an enum variant.
    wrapped: bool,
}

impl Seq<'_> {
    #[inline(always)]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(&mut *self.ser) {
            Ok(()) => {
                self.count += 1;
                Ok(())
            }
            Err(error) => {
                self.ser.failed = true;
                Err(error)
            }
        }
    }

    #[inline(always)]
    fn close(self) -> Result<()> {
        if self.ser.failed {
            return Err(unfinished());
        }
        match self.len {
            Some(len) if len == self.count => {}
            Some(len) => return Err(wrong_length("sequence", len, self.count)),
            None => write::set_head(&mut self.ser.out, self.at, Major::Array, self.count as u64),
        }
        self.ser.leave();
        if self.wrapped {
            self.ser.leave();
        }
        Ok(())
    }
}

macro_rules! sequences {
    ($( $name:ident $method:ident ),*) => { $(
        impl ser::$name for Seq<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}

sequences! {
    SerializeSeq serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}

/// An array of fixed length, or the pair that a tag is.
#[derive(Debug)]
pub enum Tuple<'a> {
    /// An array.
    Array(Seq<'a>),
    /// A tag number, then its content.
    Tagged(Tag<'a>),
}

/// A tag that is being written: first the number, then the content.
#[derive(Debug)]
pub struct Tag<'a> {
    ser: &'a mut Serializer,
    at: usize,
    content: usize,
    count: usize,
}

impl ser::SerializeTuple for Tuple<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self {
            Tuple::Array(seq) => seq.element(value),
            Tuple::Tagged(tag) => tag.element(value),
        }
    }

    #[inline]
    fn end(self) -> Result<()> {
        match self {
            Tuple::Array(seq) => seq.close(),
            Tuple::Tagged(tag) if tag.count == 2 && !tag.ser.failed => {
                tag.ser.end_tag(tag.at, tag.content)
            }
            Tuple::Tagged(_) => Err(unfinished()),
        }
    }
}

impl Tag<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if let Err(error) = value.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        if self.count == 0 {
            match self.ser.out.get_mut(self.at) {
                // An unsigned integer's head and a tag's differ in the major type only.
                Some(first) if *first >> 5 == Major::Unsigned as u8 => {
                    *first |= (Major::Tag as u8) << 5;
                }
                _ => return Err(Error::data("tag number is not an unsigned integer")),
            }
            self.content = self.ser.out.len();
        }
        self.count += 1;
        Ok(())
    }
}

/// A map that is being written.
#[derive(Debug)]
pub struct Map<'a> {
    ser: &'a mut Serializer,
    at: usize,
    /// How many entries were announced.
    len: Option<usize>,
    count: usize,
    /// The first of the map's entries in the sorter.
    base: usize,
    /// A key whose value has to come: where it begins and ends.
    key: Option<(usize, usize)>,
    /// Some key holds a float zero.
    zero: bool,
    int_keys: bool,
}

impl ser::SerializeMap for Map<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        if self.key.is_some() {
            self.ser.failed = true;
            return Err(Error::data("map key follows a key without a value"));
        }
        let start = self.ser.out.len();
        let outer_zero = core::mem::take(&mut self.ser.zero);
        if let Err(error) = key.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        self.zero |= self.ser.zero;
        self.ser.zero |= outer_zero;
        if self.int_keys {
            integer_key(&mut self.ser.out, start);
        }
        if self.ser.rules.text_keys && self.ser.out[start] >> 5 != Major::Text as u8 {
            self.ser.failed = true;
            return Err(self.ser.broken(Rule::ForbiddenKey, "map key is not a text string"));
        }
        self.key = Some((start, self.ser.out.len()));
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let Some((start, value_at)) = self.key.take() else {
            self.ser.failed = true;
            return Err(Error::data("map value comes without a key"));
        };
        if let Err(error) = value.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        let end = self.ser.out.len();
        self.ser.sorter.entries.push(Entry { start, value: value_at, end });
        self.count += 1;
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<()> {
        if self.ser.failed {
            return Err(unfinished());
        }
        if self.key.is_some() {
            return Err(Error::data("map ends after a key without a value"));
        }
        if let Some(len) = self.len.filter(|&len| len != self.count) {
            return Err(wrong_length("map", len, self.count));
        }
        if self.zero && self.ser.rules.unique_keys && !self.ser.rules.keys_by_bytes {
            self.ser.find_equal_keys(self.base)?;
        }
        self.ser.close_map(self.base)?;
        if self.len.is_none() {
            write::set_head(&mut self.ser.out, self.at, Major::Map, self.count as u64);
        }
        self.ser.leave();
        Ok(())
    }
}

impl Serializer {
    #[inline]
    fn close_map(&mut self, base: usize) -> Result<()> {
        let (order, unique) = (self.rules.order, self.rules.unique_keys);
        match self.sorter.close(base, &mut self.out, order, unique) {
            Ok(()) => Ok(()),
            Err(key) => Err(self.duplicate(key)),
        }
    }

    #[cold]
    #[inline(never)]
    fn duplicate(&mut self, key: core::ops::Range<usize>) -> Error {
        self.failed = true;
        let mut words = String::from("map has the key ");
        diag::write_key(&mut words, &self.out[key]);
        words.push_str(" twice");
        self.broken(Rule::DuplicateKey, words)
    }

    /// 0.0 and -0.0 are one key, also inside arrays (RFC 8949 §5.6.1).
    #[cold]
    fn find_equal_keys(&mut self, base: usize) -> Result<()> {
        let entries = &self.sorter.entries[base..];
        let mut forms: Vec<(Vec<u8>, &Entry)> = entries
            .iter()
            .map(|entry| {
                let mut form = Vec::new();
                rewrite::key_form(&self.out[entry.start..entry.value], &mut form);
                (form, entry)
            })
            .collect();
        forms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        match forms.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => {
                let key = pair[1].1.start..pair[1].1.value;
                Err(self.duplicate(key))
            }
            None => Ok(()),
        }
    }
}

/// Turns a text key written at `start` into the integer it spells, if it spells one.
fn integer_key(out: &mut Vec<u8>, start: usize) {
    let head_len = match out.get(start) {
        Some(0x61..=0x74) => 1,
        _ => return,
    };
    let text = core::str::from_utf8(&out[start + head_len..]).unwrap_or_default();
    if let Some(integer) = decimal(text) {
        out.truncate(start);
        head::push_integer(out, integer);
    }
}

/// A struct that is being written.
#[derive(Debug)]
pub struct Struct<'a> {
    ser: &'a mut Serializer,
    at: usize,
    len: usize,
    count: usize,
    base: usize,
    /// The field before; fields in canonical order need no sorting, which is known from the names alone.
    last: &'static str,
    sorted: bool,
    int_keys: bool,
    /// The struct is the content of an enum variant.
    wrapped: bool,
}

impl Struct<'_> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let start = self.ser.out.len();
        let written = if self.int_keys {
            match decimal(name) {
                Some(integer) => {
                    head::push_integer(&mut self.ser.out, integer);
                    Ok(())
                }
                None => self.ser.text(name),
            }
        } else {
            self.ser.text(name)
        };
        let plain = !self.ser.rules.nfc || name.is_ascii();
        self.sorted &= plain && (self.count == 0 || compare_text(self.last, name).is_lt());
        self.last = name;
        let value_at = self.ser.out.len();
        if let Err(error) = written.and_then(|()| value.serialize(&mut *self.ser)) {
            self.ser.failed = true;
            return Err(error);
        }
        let end = self.ser.out.len();
        self.ser.sorter.entries.push(Entry { start, value: value_at, end });
        self.count += 1;
        Ok(())
    }

    #[inline(always)]
    fn close(self) -> Result<()> {
        let ser = self.ser;
        if ser.failed {
            return Err(unfinished());
        }
        if self.len != self.count {
            return Err(wrong_length("struct", self.len, self.count));
        }
        if self.sorted {
            ser.sorter.entries.truncate(self.base);
        } else {
            ser.close_map(self.base)?;
        }
        if self.int_keys && ser.rules.text_keys && ser.out.len() > self.at + 1 {
            return Err(ser.broken(Rule::ForbiddenKey, "map key is not a text string"));
        }
        ser.leave();
        if self.wrapped {
            ser.leave();
        }
        Ok(())
    }
}

macro_rules! structs {
    ($( $name:ident ),*) => { $(
        impl ser::$name for Struct<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<()> {
                self.field(key, value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}

structs!(SerializeStruct, SerializeStructVariant);
