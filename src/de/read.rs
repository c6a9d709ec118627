//! Handing items to visitors: serde's `Deserializer`.

use super::Deserializer;
use super::container::{Elements, Entries};
use super::field::Names;
use super::number::{Whole, inexact, round};
use super::special::{SimpleContent, TagPair};
use super::variant::Variant;
use crate::error::{Error, Result, Rule};
use crate::float::{self, BF16, F16, Number};
use crate::head::{Head, Major};
use crate::input::{Input, Piece};
use crate::scan::{Frame, low16, low32, source, widen};
use crate::tag::{MAYBE_TAGGED, Special, wrappers};
use crate::walk::{self, Keys, Walk};
use alloc::format;
use core::fmt::{self, Write as _};
use serde_core::de::{self, Expected, Visitor};

impl<'de, I: Input<'de>> Deserializer<I> {
    /// The error of an item that is of another type than wanted.
    #[cold]
    pub(super) fn mismatch(&mut self, head: Head, at: u64, expected: &dyn Expected) -> Error {
        let wanted = Wanted(expected);
        match self.any(head, at, wanted) {
            Ok(()) => Error::data("item of the wrong type").or_at(at),
            Err(error) => error,
        }
    }

    /// Reads over tags before the item, where that was asked for.
    #[inline(always)]
    pub(super) fn untag(&mut self) -> Result<()> {
        if self.skip_tags { self.skip_tags(false) } else { Ok(()) }
    }

    #[inline(always)]
    pub(super) fn untag_numbers(&mut self) -> Result<()> {
        if self.skip_tags { self.skip_tags(true) } else { Ok(()) }
    }

    #[cold]
    fn skip_tags(&mut self, numbers: bool) -> Result<()> {
        while let Some(first) = self.scan.input.peek()? {
            if first >> 5 != Major::Tag as u8 || numbers && matches!(first, 0xc2..=0xc5) {
                break;
            }
            let at = self.scan.offset();
            self.scan.input.hold();
            let head = self.scan.head()?;
            self.scan.input.release();
            if numbers && head.argument == LINK {
                self.scan.input.rewind(at);
                break;
            }
            walk::tag_content(&mut self.scan, head.argument, at)?;
        }
        Ok(())
    }

    /// Hands the item of this head to a visitor, as what it is.
    pub(super) fn any<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
        match head.major() {
            Major::Unsigned | Major::Negative => Whole::of(head).visit(at, visitor),
            Major::Bytes => self.bytes(head, at, visitor),
            Major::Text => self.text(head, at, visitor),
            Major::Array => self.array(head, at, None, visitor),
            Major::Map => self.map(head, at, Names::Any, &[], visitor),
            Major::Tag => self.tag_pair(head, at, |pair| visitor.visit_newtype_struct(pair)),
            Major::Simple => Self::simple(head, at, visitor),
        }
    }

    #[inline]
    fn simple<V: Visitor<'de>>(head: Head, at: u64, visitor: V) -> Result<V::Value> {
        let result: Result<V::Value> = match (head.info(), head.argument) {
            (25..=27, _) => visitor.visit_f64(f64::from_bits(widen(head))),
            (_, 20) => visitor.visit_bool(false),
            (_, 21) => visitor.visit_bool(true),
            (_, 22) => visitor.visit_unit(),
            (_, value) => visitor.visit_newtype_struct(SimpleContent(low16(value))),
        };
        result.map_err(|e| e.or_at(at))
    }

    /// An array, which has to be read to its end; `len` is what the type fixes.
    #[inline]
    pub(super) fn array<V: Visitor<'de>>(
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
    pub(super) fn map<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        names: Names,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.scan.enter(at)?;
        let mut frame = Frame::new(head);
        let mut keys = Keys::open(&mut self.scan, &mut self.seen);
        let hint = self.promise(frame);
        let entries = Entries {
            de: self,
            frame: &mut frame,
            keys: &mut keys,
            names,
            hint,
            owed: false,
            fields,
            last: 0,
        };
        let value = visitor.visit_map(entries).map_err(|e: Error| e.or_at(at))?;
        if frame.more(&mut self.scan)? {
            return Err(too_long(at, "map", head.length(), None));
        }
        keys.close(&mut self.scan, &mut self.seen)?;
        self.scan.leave();
        Ok(value)
    }

    /// Number and content of a tag as a pair.
    pub(super) fn tag_pair<R>(
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
            walk::held_tag_content(&mut self.scan, head.argument, at, from)?;
        }
        self.scan.leave();
        Ok(value)
    }

    /// Reads over an item that nobody wants, which is held to every rule all the same.
    pub(super) fn skip(&mut self) -> Result<()> {
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
    pub(super) fn promise(&mut self, frame: Frame) -> Option<usize> {
        if frame.indefinite {
            return None;
        }
        let left = self.scan.input.left().unwrap_or(READER_AHEAD).min(self.promises);
        let hint = usize::try_from(frame.left).map_or(left, |n| n.min(left));
        self.promises -= hint;
        Some(hint)
    }

    /// A key, from 0, for whoever takes anything. serde takes unsigned integers for indices of fields, also those
    /// that come back from a buffer, so it is given a signed one.
    #[inline]
    fn integer_key<V: Visitor<'de>>(head: Head, at: u64, visitor: V) -> Result<V::Value> {
        match i64::try_from(head.argument) {
            Ok(key) => visitor.visit_i64(key),
            Err(_) => visitor.visit_u64(head.argument),
        }
        .map_err(|e: Error| e.or_at(at))
    }

    /// A key for a type that keeps those it does not know for another: any scalar.
    #[inline(never)]
    fn key<V: Visitor<'de>>(&mut self, at: u64, visitor: V) -> Result<V::Value> {
        let head = self.scan.head()?;
        match head.major() {
            Major::Unsigned => Self::integer_key(head, at, visitor),
            Major::Negative => Whole::of(head).visit(at, visitor),
            Major::Bytes => self.bytes(head, at, visitor),
            Major::Text => self.text(head, at, visitor),
            Major::Simple => Self::simple(head, at, visitor),
            _ => Err(self.mismatch(head, at, &visitor)),
        }
    }

    #[inline]
    pub(super) fn named_map<V: Visitor<'de>>(
        &mut self,
        names: Names,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let (at, head) = self.wanted_container(Major::Map, &visitor)?;
        self.map(head, at, names, fields, visitor)
    }

    /// Goes into a `Some` or a newtype. No limit of a profile is about these, so they have their own, without which
    /// a type that is a newtype around itself would take all the stack.
    #[inline(always)]
    pub(super) fn wrap(&mut self, at: u64) -> Result<()> {
        // What is inside one of these is no longer the bits that `half` has in its newtype.
        if self.special_at == at && matches!(self.special, Special::F16 | Special::Bf16) {
            self.special_at = u64::MAX;
        }
        self.wrapped += 1;
        if self.wrapped > wrappers(self.scan.limit()) { Err(self.too_wrapped(at)) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn too_wrapped(&self, at: u64) -> Error {
        let source = source(self.profile.sources(), Rule::TooDeep);
        let words = format!("more than {} options and newtypes", wrappers(self.scan.limit()));
        Error::broken(Rule::TooDeep, source, Some(at), words)
    }

    #[inline(always)]
    pub(super) fn is_special(&self, special: Special) -> bool {
        self.special_at == self.scan.offset() && self.special == special
    }
}

/// The tag of a link of IPLD.
const LINK: u64 = 42;

/// Elements announced ahead of a reader in one container.
pub(super) const READER_AHEAD: usize = 256;

#[cold]
#[inline(never)]
fn too_long(at: u64, what: &str, found: Option<u64>, wanted: Option<usize>) -> Error {
    let mut words = match found {
        Some(found) => format!("{what} of {found}"),
        None => format!("{what} of indefinite length"),
    };
    match wanted {
        Some(wanted) => {
            let _ = write!(words, " where {wanted} are expected");
        }
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
    ($long:ident: $( $method:ident ),*) => { $(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let at = self.scan.offset();
            // The smallest integers are the most frequent, and little enough code for a loop over an array.
            if let Some(small @ 0..24) = self.scan.input.peek()? {
                self.scan.input.advance(1);
                return visitor.visit_u64(small.into()).map_err(|e: Error| e.or_at(at));
            }
            self.$long(at, visitor)
        }
    )* };
}

// What a visitor is for decides only here: everything behind it is compiled once, not for each visitor.
impl<'de, I: Input<'de>> Deserializer<I> {
    /// An integer of any size, next and at `at`.
    #[inline(never)]
    fn integer<V: Visitor<'de>>(&mut self, at: u64, visitor: V) -> Result<V::Value> {
        if let Some(head) = self.scan.quick_integer() {
            return Whole::of(head).visit(at, visitor);
        }
        let (at, whole) = self.wanted_integer(&visitor)?;
        whole.visit(at, visitor)
    }

    /// The same for a type that takes integers of either sign, without a jump that random signs would make a guess.
    #[inline(never)]
    fn signed<V: Visitor<'de>>(&mut self, at: u64, visitor: V) -> Result<V::Value> {
        let Some(head) = self.scan.quick_integer() else { return self.integer(at, visitor) };
        match i64::try_from(head.argument) {
            Ok(argument) => {
                // All ones for a negative value, which is -1 - argument.
                let sign = i64::from(head.first >> 5).wrapping_neg();
                visitor.visit_i64(argument ^ sign).map_err(|e: Error| e.or_at(at))
            }
            Err(_) => Whole::of(head).visit(at, visitor),
        }
    }

    /// A binary64 from whatever comes.
    #[inline(never)]
    fn double(&mut self, expected: &dyn Expected) -> Result<(u64, f64)> {
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if let (Major::Simple, 25..=27) = (head.major(), head.info()) {
            return Ok((at, f64::from_bits(widen(head))));
        }
        match self.number(head, at, |number: &Number<'_>| number.to_f64())? {
            Some((_, false)) => Err(inexact(at, "f64")),
            Some((value, true)) => Ok((at, value)),
            None => Err(self.mismatch(head, at, expected)),
        }
    }

    /// A binary32 from whatever comes, with one rounding.
    #[inline(never)]
    fn single(&mut self, expected: &dyn Expected) -> Result<(u64, f32)> {
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
            return Ok((at, f32::from_bits(bits)));
        }
        match self.number(head, at, |number: &Number<'_>| number.to_f32())? {
            Some((_, false)) if self.exact_floats => Err(inexact(at, "f32")),
            Some((value, _)) => Ok((at, value)),
            None => Err(self.mismatch(head, at, expected)),
        }
    }

    /// The head of the next item, which has to be of this type; and where it began.
    #[inline(never)]
    fn wanted(&mut self, major: Major, expected: &dyn Expected) -> Result<(u64, Head)> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() == major { Ok((at, head)) } else { Err(self.mismatch(head, at, expected)) }
    }

    /// The same for an array or a map; most are short.
    #[inline(always)]
    fn wanted_container(&mut self, major: Major, expected: &dyn Expected) -> Result<(u64, Head)> {
        let at = self.scan.offset();
        match self.scan.quick_container(major)? {
            Some(head) => Ok((at, head)),
            None => self.wanted(major, expected),
        }
    }

    /// A simple value that has to be one of those that `is` takes.
    #[inline(never)]
    fn wanted_simple(
        &mut self,
        is: fn(u64) -> bool,
        expected: &dyn Expected,
    ) -> Result<(u64, u64)> {
        let (at, head) = self.wanted(Major::Simple, expected)?;
        if head.info() < 24 && is(head.argument) {
            Ok((at, head.argument))
        } else {
            Err(self.mismatch(head, at, expected))
        }
    }
}

impl<'de, I: Input<'de>> de::Deserializer<'de> for &mut Deserializer<I> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.human_readable
    }

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        if let Some(text) = self.scan.quick_text() {
            return text.visit(at, visitor);
        }
        let integers = self.is_special(Special::IntKeys);
        self.untag_numbers()?;
        let at = self.scan.offset();
        let is_key = self.key_at == at;
        let head = self.scan.head()?;
        match head.major() {
            Major::Unsigned if is_key => Deserializer::<I>::integer_key(head, at, visitor),
            Major::Map if integers => self.map(head, at, Names::Labels, &[], visitor),
            _ => self.any(head, at, visitor),
        }
    }

    integers! {
        signed: deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64, deserialize_i128
    }

    integers! {
        integer: deserialize_u8, deserialize_u32, deserialize_u64, deserialize_u128
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
        let (at, value) = self.wanted_simple(|value| matches!(value, 20 | 21), &visitor)?;
        visitor.visit_bool(value == 21).map_err(|e: Error| e.or_at(at))
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        let (at, value) = match self.scan.quick_single() {
            Some(bits) => (at, f32::from_bits(bits)),
            None => self.single(&visitor)?,
        };
        visitor.visit_f32(value).map_err(|e: Error| e.or_at(at))
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        let (at, value) = match self.scan.quick_float() {
            Some(bits) => (at, f64::from_bits(bits)),
            None => self.double(&visitor)?,
        };
        visitor.visit_f64(value).map_err(|e: Error| e.or_at(at))
    }

    #[inline]
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        if let Some(text) = self.scan.quick_text() {
            return text.visit(at, visitor);
        }
        let (at, text) = self.wanted_text(&visitor)?;
        text.visit(at, visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_special(Special::Cid) {
            return self.link(visitor);
        }
        let at = self.scan.offset();
        if let Some(bytes) = self.scan.quick_bytes() {
            return bytes.visit(at, visitor);
        }
        let (at, bytes) = self.wanted_bytes(&visitor)?;
        bytes.visit(at, visitor)
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        if self.scan.input.peek()? == Some(0xf6) {
            self.scan.input.advance(1);
            return visitor.visit_none().map_err(|e: Error| e.or_at(at));
        }
        self.wrap(at)?;
        let value = visitor.visit_some(&mut *self)?;
        self.wrapped -= 1;
        Ok(value)
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (at, _) = self.wanted_simple(|value| value == 22, &visitor)?;
        visitor.visit_unit().map_err(|e: Error| e.or_at(at))
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
                Special::MaybeTagged => return visitor.visit_some(self),
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
        if let Some(visited) = round(self, name, &visitor) {
            let value = visited?;
            return visitor.visit_f64(value).map_err(|e: Error| e.or_at(at));
        }
        self.wrap(at)?;
        let value = visitor.visit_newtype_struct(&mut *self)?;
        self.wrapped -= 1;
        Ok(value)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let (at, head) = self.wanted_container(Major::Array, &visitor)?;
        self.array(head, at, None, visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        let (at, head) = self.wanted_container(Major::Array, &visitor)?;
        self.array(head, at, Some(len), visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        if name == MAYBE_TAGGED {
            return self.maybe_tagged(len, visitor);
        }
        self.deserialize_tuple(len, visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let integers = self.is_special(Special::IntKeys);
        self.named_map(if integers { Names::Labels } else { Names::Any }, &[], visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let integers = self.is_special(Special::IntKeys);
        self.named_map(if integers { Names::Integers } else { Names::Text }, fields, visitor)
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
        let at = self.scan.offset();
        if self.key_at == at {
            return self.key(at, visitor);
        }
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
