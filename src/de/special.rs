//! What serde has no word for: tags, links, simple values, text that is none.

use super::Deserializer;
use crate::error::{Error, Result};
use crate::head::Major;
use crate::input::{Input, Piece};
use crate::profile::Tags;
use crate::tag::Special;
use crate::walk;
use alloc::vec::Vec;
use serde_core::de::{self, DeserializeSeed, IntoDeserializer as _, Visitor};

impl<'de, I: Input<'de>> Deserializer<I> {
    /// Tag 42 for a type that wants the bytes of a CID.
    pub(super) fn link<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
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
    pub(super) fn cid<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
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

    /// An item for a type that takes it in this tag or without. A number that no `usize` holds is given as the
    /// greatest, and looked at by the visitor.
    pub(super) fn maybe_tagged<V: Visitor<'de>>(
        &mut self,
        number: usize,
        visitor: V,
    ) -> Result<V::Value> {
        if self.scan.input.peek()?.is_some_and(|first| first >> 5 == Major::Tag as u8) {
            let at = self.scan.offset();
            self.scan.input.hold();
            let head = self.scan.head()?;
            self.scan.input.release();
            if head.argument == number as u64 || number == usize::MAX {
                return self.tag_pair(head, at, |pair| visitor.visit_seq(pair));
            }
            self.scan.input.rewind(at);
        }
        visitor.visit_some(self)
    }

    /// True where tag 42 is a link and nothing else is a tag.
    pub(super) fn tags_are_links(&self) -> bool {
        matches!(self.scan.rules.tags, Tags::Cid | Tags::DaslCid)
    }

    /// The number of a simple value that is no bool and no null.
    pub(super) fn simple_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let at = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() == Major::Simple && !matches!(head.info(), 25..=27) {
            let number = u8::try_from(head.argument).unwrap_or(u8::MAX);
            return visitor.visit_u8(number).map_err(|e: Error| e.or_at(at));
        }
        Err(self.mismatch(head, at, &visitor))
    }
}

/// Number and content of a tag: a pair, or what a newtype is around.
pub(super) struct TagPair<'a, I> {
    pub(super) de: &'a mut Deserializer<I>,
    pub(super) number: u64,
    pub(super) step: &'a mut u8,
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

    /// A newtype around the pair, so that a buffer can tell it from an array of two. A link of IPLD is the bytes
    /// of its CID, as `ipld-core` and `serde_ipld_dagcbor` have it.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.number == 42 && self.de.tags_are_links() {
            return self.deserialize_bytes(visitor);
        }
        visitor.visit_newtype_struct(Bare(self))
    }

    /// The bytes of a CID, which is all that a tag can be for whoever asks for bytes in a newtype.
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.number == 42 {
            *self.step = 2;
            return self.de.cid(visitor);
        }
        visitor.visit_newtype_struct(Bare(self))
    }

    /// The `cid` crate's identifier, where something has looked for it.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if Special::of(name) == Some(Special::Cid) && self.number == 42 {
            return visitor.visit_newtype_struct(self);
        }
        self.deserialize_any(visitor)
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string byte_buf option unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// What cannot be told by its type, without the newtype around it.
struct Bare<T>(T);

macro_rules! bare {
    ($( [$($generics:tt)*] $ty:ty, $self:ident $visitor:ident => $visit:expr; )*) => { $(
        impl<'de, $($generics)*> de::Deserializer<'de> for Bare<$ty> {
            type Error = Error;

            fn deserialize_any<V: Visitor<'de>>($self, $visitor: V) -> Result<V::Value> {
                $visit
            }

            serde_core::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
                unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
            }
        }
    )* };
}

bare! {
    [I: Input<'de>] TagPair<'_, I>, self visitor => visitor.visit_seq(self.0);
    [] TextContent, self visitor => visitor.visit_byte_buf(self.0.0);
    [] SimpleContent, self visitor => visitor.visit_u16(self.0.0);
}

/// What text that is not UTF-8 is to a visitor that was not asked whether it takes any.
pub(super) struct TextContent(pub(super) Vec<u8>);

/// What a simple value is to a visitor that was not asked whether it knows any.
pub(super) struct SimpleContent(pub(super) u16);

macro_rules! in_a_newtype {
    ($( $ty:ty ),*) => { $(
        impl<'de> de::Deserializer<'de> for $ty {
            type Error = Error;

            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                visitor.visit_newtype_struct(Bare(self))
            }

            serde_core::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
                unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
            }
        }
    )* };
}

in_a_newtype!(TextContent, SimpleContent);
