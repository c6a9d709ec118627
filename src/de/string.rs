//! Strings of either length, borrowed where they can be.

use super::Deserializer;
use super::special::TextContent;
use crate::error::{Error, Result};
use crate::head::Head;
use crate::input::{Input, Piece};
use crate::scan::Text;
use alloc::string::String;
use alloc::vec::Vec;
use serde_core::de::Visitor;

impl<'de, I: Input<'de>> Deserializer<I> {
    #[inline(always)]
    pub(super) fn text<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
        if !self.scan.rules.utf8 {
            return self.any_text(head, at, visitor);
        }
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

    /// Text of a profile that does not ask for UTF-8.
    #[cold]
    pub(super) fn any_text<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
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
        match String::from_utf8(all) {
            Ok(text) if utf8 => visitor.visit_string(text),
            Ok(text) => visitor.visit_newtype_struct(TextContent(text.into_bytes())),
            Err(error) => visitor.visit_newtype_struct(TextContent(error.into_bytes())),
        }
        .map_err(|e: Error| e.or_at(at))
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

    #[inline(always)]
    pub(super) fn bytes<V: Visitor<'de>>(
        &mut self,
        head: Head,
        at: u64,
        visitor: V,
    ) -> Result<V::Value> {
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
