//! Strings of either length, borrowed where they can be.

use super::Deserializer;
use super::special::TextContent;
use crate::error::{Error, Result};
use crate::head::{Head, Major};
use crate::input::{Input, Piece, Text};
use alloc::string::String;
use alloc::vec::Vec;
use serde_core::de::{Expected, Visitor};

/// A string as it was found.
pub(super) enum Found<'de, 's> {
    Text(Text<'de, 's>),
    OwnedText(String),
    /// Text that is not UTF-8, of a profile that does not ask for it.
    NoText(Vec<u8>),
    Bytes(Piece<'de, 's>),
    OwnedBytes(Vec<u8>),
}

impl<'de> Text<'de, '_> {
    #[inline(always)]
    pub(super) fn visit<V: Visitor<'de>>(self, at: u64, visitor: V) -> Result<V::Value> {
        match self {
            Text::Borrowed(text) => visitor.visit_borrowed_str(text),
            Text::Passing(text) => visitor.visit_str(text),
        }
        .map_err(|e: Error| e.or_at(at))
    }
}

impl<'de> Piece<'de, '_> {
    #[inline(always)]
    pub(super) fn visit<V: Visitor<'de>>(self, at: u64, visitor: V) -> Result<V::Value> {
        match self {
            Piece::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
            Piece::Passing(bytes) => visitor.visit_bytes(bytes),
        }
        .map_err(|e: Error| e.or_at(at))
    }
}

impl<'de> Found<'de, '_> {
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(self, at: u64, visitor: V) -> Result<V::Value> {
        match self {
            Found::Text(text) => return text.visit(at, visitor),
            Found::OwnedText(text) => visitor.visit_string(text),
            Found::NoText(bytes) => visitor.visit_newtype_struct(TextContent(bytes)),
            Found::Bytes(bytes) => return bytes.visit(at, visitor),
            Found::OwnedBytes(bytes) => visitor.visit_byte_buf(bytes),
        }
        .map_err(|e: Error| e.or_at(at))
    }
}

impl<'de, I: Input<'de>> Deserializer<I> {
    #[inline(always)]
    pub(super) fn text<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
        self.found_text(head, at)?.visit(at, visitor)
    }

    #[inline(always)]
    pub(super) fn bytes<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
        self.found_bytes(head, at)?.visit(at, visitor)
    }

    /// The next item, which has to be text.
    #[inline(never)]
    pub(super) fn wanted_text(&mut self, expected: &dyn Expected) -> Result<(u64, Found<'de, '_>)> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Text => Ok((at, self.found_text(head, at)?)),
            _ => Err(self.mismatch(head, at, expected)),
        }
    }

    /// The next item, which has to be a byte string.
    #[inline(never)]
    pub(super) fn wanted_bytes(
        &mut self,
        expected: &dyn Expected,
    ) -> Result<(u64, Found<'de, '_>)> {
        self.untag()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Bytes => Ok((at, self.found_bytes(head, at)?)),
            _ => Err(self.mismatch(head, at, expected)),
        }
    }

    #[inline]
    fn found_text(&mut self, head: Head, at: u64) -> Result<Found<'de, '_>> {
        if !self.scan.rules.utf8 {
            return self.any_text(head, at);
        }
        if head.is_indefinite() {
            return self.chunked_text(head).map(Found::OwnedText);
        }
        self.scan.text(head, at).map(Found::Text)
    }

    #[inline]
    fn found_bytes(&mut self, head: Head, at: u64) -> Result<Found<'de, '_>> {
        if head.is_indefinite() {
            return self.chunked_bytes(head).map(Found::OwnedBytes);
        }
        self.scan.content(head, at).map(Found::Bytes)
    }

    /// Text of a profile that does not ask for UTF-8.
    #[cold]
    fn any_text(&mut self, head: Head, at: u64) -> Result<Found<'de, '_>> {
        let mut all = Vec::new();
        let mut utf8 = true;
        let mut take = |piece: &[u8]| {
            utf8 &= core::str::from_utf8(piece).is_ok();
            all.extend_from_slice(piece);
        };
        if head.is_indefinite() {
            while let Some((chunk, at)) = self.scan.chunk(head.major())? {
                take(self.scan.content(chunk, at)?.bytes());
            }
        } else {
            take(self.scan.content(head, at)?.bytes());
        }
        Ok(match String::from_utf8(all) {
            Ok(text) if utf8 => Found::OwnedText(text),
            Ok(text) => Found::NoText(text.into_bytes()),
            Err(error) => Found::NoText(error.into_bytes()),
        })
    }

    #[cold]
    pub(super) fn chunked_text(&mut self, head: Head) -> Result<String> {
        let mut all = String::new();
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            match self.scan.text(chunk, at)? {
                Text::Borrowed(text) => all.push_str(text),
                Text::Passing(text) => all.push_str(text),
            }
        }
        Ok(all)
    }

    #[cold]
    pub(super) fn chunked_bytes(&mut self, head: Head) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            all.extend_from_slice(self.scan.chunk_content(chunk, at)?.bytes());
        }
        Ok(all)
    }

    pub(super) fn string_bytes(&mut self, head: Head, at: u64) -> Result<Vec<u8>> {
        if head.is_indefinite() {
            return self.chunked_bytes(head);
        }
        Ok(self.scan.content(head, at)?.bytes().to_vec())
    }
}
