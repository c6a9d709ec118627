//! Keys that name the fields of a struct.

use super::Deserializer;
use crate::diag;
use crate::error::{Error, Result};
use crate::head::Major;
use crate::input::{Input, Text};
use crate::tag::{Special, decimal};
use alloc::format;
use alloc::string::{String, ToString};
use serde_core::de::value::StringDeserializer;
use serde_core::de::{self, Deserialize as _, IntoDeserializer as _, Visitor};

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

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.de.scan.input.peek()? == Some(0xf6) {
            return (&mut *self.de).deserialize_option(visitor);
        }
        self.inside(|name| visitor.visit_some(name))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if Special::of(name).is_some() || name.starts_with("$calibor::") {
            return (&mut *self.de).deserialize_newtype_struct(name, visitor);
        }
        self.inside(|name| visitor.visit_newtype_struct(name))
    }

    /// A variant is written as the integer that its name spells.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let at = self.de.scan.offset();
        let major = self.de.scan.input.peek()?.map(|first| first >> 5);
        let name = match major {
            Some(0 | 1) if self.names != Names::Text => i128::deserialize(self)?.to_string(),
            Some(3) => String::deserialize(self)?,
            _ => return (&mut *self.de).deserialize_enum(name, variants, visitor),
        };
        let variant: StringDeserializer<Error> = name.into_deserializer();
        visitor.visit_enum(variant).map_err(|e| e.or_at(at))
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct
    }
}

impl<'de, I: Input<'de>> Name<'_, I> {
    /// A `Some` or a newtype, with the key in it.
    fn inside<T>(self, read: impl FnOnce(Name<'_, I>) -> Result<T>) -> Result<T> {
        let Name { de, names } = self;
        de.wrap(de.scan.offset())?;
        let value = read(Name { de: &mut *de, names })?;
        de.wrapped -= 1;
        Ok(value)
    }

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
