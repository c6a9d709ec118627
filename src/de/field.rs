//! Keys that name the fields of a struct.

use super::Deserializer;
use crate::diag;
use crate::error::{Error, Result};
use crate::head::Major;
use crate::input::{Input, Text};
use crate::tag::decimal;
use alloc::format;
use alloc::string::String;
use serde_core::de::{self, Visitor};

/// What the keys of a map can be for the type that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Keys of a map.
    Any,
    /// Fields of a struct: text. serde would take an integer for the index of a field.
    Text,
    /// Fields of a struct, some named by decimal integers; [`crate::IntKeys`] asks for each as what it is.
    Integers,
    /// Keys of a map, or of a struct in pieces, where text may not spell an integer.
    Labels,
}

/// A key that names a field.
pub(super) struct Name<'a, I> {
    pub(super) de: &'a mut Deserializer<I>,
    pub(super) names: Names,
}

impl<'de, I: Input<'de>> de::Deserializer<'de> for Name<'_, I> {
    type Error = Error;

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let first = self.de.scan.input.peek()?;
        if first.is_some_and(|first| first >> 5 == Major::Text as u8) {
            return self.de.deserialize_str(visitor);
        }
        self.nameless(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let first = self.de.scan.input.peek()?.map(|first| first >> 5);
        let integer = |major| major == Major::Unsigned as u8 || major == Major::Negative as u8;
        match first {
            Some(major) if major == Major::Text as u8 && self.names != Names::Text => {
                self.label(visitor)
            }
            Some(major) if self.names == Names::Integers && !integer(major) => {
                self.nameless(visitor)
            }
            _ => (&mut *self.de).deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        (&mut *self.de).deserialize_ignored_any(visitor)
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum
    }
}

impl<'de, I: Input<'de>> Name<'_, I> {
    /// A text key where others are integers.
    fn label<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let de = self.de;
        let at = de.scan.offset();
        let head = de.scan.head()?;
        if head.is_indefinite() {
            let text = de.chunked_text(head)?;
            not_an_integer(&text).and_then(|()| visitor.visit_string(text))
        } else {
            match de.scan.text(head, at)? {
                Text::Borrowed(text) => {
                    not_an_integer(text).and_then(|()| visitor.visit_borrowed_str(text))
                }
                Text::Passing(text) => not_an_integer(text).and_then(|()| visitor.visit_str(text)),
            }
        }
        .map_err(|e| e.or_at(at))
    }

    /// A key that can name no field, and is as unknown as it is. For `deny_unknown_fields`, which prints it, it
    /// has a name that no field can have.
    fn nameless<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let at = self.de.scan.offset();
        let mut name = String::from('\0');
        diag::write_key(&mut name, self.de.raw_item()?.bytes());
        visitor.visit_str(&name).map_err(|e: Error| e.or_at(at))
    }
}

fn not_an_integer(name: &str) -> Result<()> {
    match decimal(name) {
        Some(_) => Err(Error::data(format!("map key {name:?} is text that spells an integer"))),
        None => Ok(()),
    }
}
