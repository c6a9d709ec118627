//! Enum variants.

use super::Deserializer;
use crate::error::{Error, Result};
use crate::head::Major;
use crate::input::Input;
use serde_core::de::{self, Deserialize, DeserializeSeed, Unexpected, Visitor};

/// An enum variant, alone or as the key of its content.
pub(super) struct Variant<'a, I> {
    pub(super) de: &'a mut Deserializer<I>,
    pub(super) content: bool,
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
