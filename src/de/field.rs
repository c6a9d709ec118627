//! Keys that name the fields of a struct.

use super::Deserializer;
use crate::diag;
use crate::error::{Error, Result};
use crate::head::Major;
use crate::input::Input;
use crate::scan::Text;
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
    /// Fields of a struct, some named by decimal integers.
    Integers,
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
            name.insert(0, '\0');
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
