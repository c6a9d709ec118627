//! From serde's data model to deterministic bytes.
//!
//! Everything goes into one buffer. The entries of a map are ranges of it; maps that were not given in order are
//! put in order when they end, in place, from a copy of their entries.

mod map;
mod seq;
mod special;

use crate::error::{Error, Result, Rule};
use crate::float;
use crate::head::{self, Major};
use crate::order::Sorter;
use crate::profile::{Profile, Rules, Tags};
use crate::scan::source;
use crate::tag::{Special, wrappers};
use crate::write::{self, Habit};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Write as _};
use core::mem;
pub(crate) use map::OpenMap;
use map::{Map, Struct};
use seq::{Seq, Tag, Tuple};
use serde_core::ser::{self, Serialize};
pub(crate) use special::OpenTag;

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
        let mut serializer = Serializer::of(self, Vec::with_capacity(ROOM));
        drive(value, &mut serializer)?;
        serializer.complete()
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

/// Serializes behind a call, so that all of the serializer is reached through one pointer.
#[inline(never)]
fn drive<T: Serialize + ?Sized>(value: &T, serializer: &mut Serializer) -> Result<()> {
    value.serialize(serializer)
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
    /// How many `Some`s and newtypes are open, which take stack but no byte.
    wrapped: u32,
    sorter: Sorter,
    habit: Habit,
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
        Self::of(Profile::CORE, buffer)
    }

    #[inline]
    fn of(profile: Profile, buffer: Vec<u8>) -> Self {
        Serializer {
            out: buffer,
            profile,
            rules: profile.writing(),
            depth: 0,
            limit: profile.max_depth,
            wrapped: 0,
            sorter: Sorter::default(),
            habit: Habit::default(),
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
        // The floats of another profile are no habit in this one.
        self.habit = Habit::default();
        self
    }

    /// Sets what [`is_human_readable`](ser::Serializer::is_human_readable) tells types that ask, such as IP
    /// addresses: false unless set.
    #[must_use]
    pub fn human_readable(mut self, yes: bool) -> Self {
        self.human_readable = yes;
        self
    }

    /// Sets how deep a value may nest; arrays, maps and tags count.
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
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.complete()
    }

    /// Gives the buffer away where it is not worth to move all of the serializer.
    #[inline]
    fn complete(&mut self) -> Result<Vec<u8>> {
        if self.failed || self.depth != 0 || self.wrapped != 0 {
            return Err(unfinished());
        }
        self.sorter.settle(0, &mut self.out);
        Ok(mem::take(&mut self.out))
    }

    #[inline(always)]
    fn set_head(&mut self, at: usize, major: Major, argument: u64) {
        self.sorter.set_head(&mut self.out, at, major, argument);
    }

    #[inline(always)]
    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > self.limit { Err(self.too_deep()) } else { Ok(()) }
    }

    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Goes into a `Some` or a newtype. No limit of a profile is about these, so they have their own, without which
    /// a value that is a newtype around itself would take all the stack.
    #[inline(always)]
    fn wrap(&mut self) -> Result<()> {
        // What is inside one of these is no longer the bits that `half` has in its newtype.
        if self.special_at == self.out.len() && matches!(self.special, Special::F16 | Special::Bf16)
        {
            self.special_at = usize::MAX;
        }
        self.wrapped += 1;
        if self.wrapped > wrappers(self.limit) { Err(self.too_wrapped()) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&mut self) -> Error {
        self.failed = true;
        self.broken(Rule::TooDeep, format!("nested deeper than {} levels", self.limit))
    }

    #[cold]
    #[inline(never)]
    fn too_wrapped(&mut self) -> Error {
        self.failed = true;
        let words = format!("more than {} options and newtypes", wrappers(self.limit));
        self.broken(Rule::TooDeep, words)
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
        if write::push_usual_float(&mut self.out, bits, &self.habit) {
            return Ok(());
        }
        self.unusual_float(bits, info)
    }

    #[inline(never)]
    fn unusual_float(&mut self, bits: u64, info: u8) -> Result<()> {
        if write::push_normal_float(&mut self.out, &self.rules, bits, &mut self.habit) {
            return Ok(());
        }
        self.ruled_float(bits, info)
    }

    #[inline(never)]
    fn ruled_float(&mut self, bits: u64, info: u8) -> Result<()> {
        if bits << 1 == 0 || self.rules.keep_width {
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
        // What a relaxed profile reads it does not write.
        let profile = self.profile.strict().max_depth(self.limit.saturating_sub(self.depth));
        match profile.first_item(item) {
            Ok(len) if len == item.len() => {
                // What is in it is not known; as a key it is compared by its form.
                self.zero = true;
                self.out.extend_from_slice(item);
                Ok(())
            }
            Ok(_) => Err(Error::data("raw value is more than one item")),
            Err(error) => Err(profile.explain(item, error)),
        }
    }

    /// Begins an array for whoever counts its elements.
    #[inline]
    pub(crate) fn open_array(&mut self, len: usize) -> Result<()> {
        self.enter()?;
        head::push(&mut self.out, Major::Array, len as u64);
        Ok(())
    }

    #[inline]
    fn begin_seq(&mut self, len: Option<usize>) -> Result<Seq<'_>> {
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Array, len.map_or(0, |len| len as u64));
        Ok(Seq { ser: self, at, len, count: 0, wrapped: false })
    }

    #[inline(always)]
    fn begin_struct(&mut self, name: &'static str, len: usize) -> Result<Struct<'_>> {
        let int_keys = self.take_special(Special::IntKeys);
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Map, len as u64);
        let plain = !int_keys && !self.rules.nfc;
        let slot = Sorter::slot(name);
        Ok(Struct {
            at,
            len,
            count: 0,
            base: self.sorter.mark_fields(),
            slot,
            kept: !plain || self.sorter.is_unordered(slot),
            sorted: true,
            last: "",
            plain,
            int_keys,
            wrapped: false,
            ser: self,
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

/// What an encoding is given to begin with: most messages that are signed or hashed fit.
const ROOM: usize = 256;

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
        head::push_signed(&mut self.out, value.into());
        Ok(())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        head::push_signed(&mut self.out, value.into());
        Ok(())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        head::push_signed(&mut self.out, value.into());
        Ok(())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        head::push_signed(&mut self.out, value);
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        if value < 0 {
            self.wide_integer(true, (value + 1).unsigned_abs())
        } else {
            self.wide_integer(false, value.unsigned_abs())
        }
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        if self.take_special(Special::Simple) {
            return self.simple(value);
        }
        head::push_byte(&mut self.out, Major::Unsigned, value);
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
        head::push(&mut self.out, Major::Unsigned, value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.wide_integer(false, value)
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        let bits = value.to_bits();
        if write::push_usual_single(&mut self.out, bits, &self.habit) {
            return Ok(());
        }
        self.float(float::f32_to_f64_bits(bits), 26)
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
            if self.take_special(Special::Text) {
                if self.rules.utf8 {
                    return Err(self.broken(Rule::InvalidUtf8, "text string is not UTF-8"));
                }
                write::push_string(&mut self.out, Major::Text, value);
                return Ok(());
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
        self.wrap()?;
        value.serialize(&mut *self)?;
        self.wrapped -= 1;
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
            self.wrap()?;
            self.special = special;
            self.special_at = self.out.len();
            value.serialize(&mut *self)?;
            self.wrapped -= 1;
            return Ok(());
        }
        self.wrap()?;
        value.serialize(&mut *self)?;
        self.wrapped -= 1;
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
        let map = self.open_map(len)?;
        Ok(Map { ser: self, map })
    }

    #[inline(always)]
    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Struct<'a>> {
        self.begin_struct(name, len)
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
        let fields = self.begin_struct(variant, len)?;
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
        head::set_head(&mut self.out, at, Major::Text, len as u64);
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
