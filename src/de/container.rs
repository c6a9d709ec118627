//! The children of arrays and maps.

use super::Deserializer;
use super::field::{Name, Names};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::scan::Frame;
use crate::walk::Keys;
use serde_core::de::{self, DeserializeSeed};

/// The elements of an array.
pub(super) struct Elements<'a, I> {
    pub(super) de: &'a mut Deserializer<I>,
    pub(super) frame: &'a mut Frame,
    pub(super) hint: Option<usize>,
}

impl<'de, I: Input<'de>> de::SeqAccess<'de> for Elements<'_, I> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.frame.more(&mut self.de.scan)? {
            seed.deserialize(&mut *self.de).map(Some)
        } else {
            Ok(None)
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.hint
    }
}

/// The entries of a map.
pub(super) struct Entries<'a, I> {
    pub(super) de: &'a mut Deserializer<I>,
    pub(super) frame: &'a mut Frame,
    pub(super) keys: &'a mut Keys,
    pub(super) names: Names,
    pub(super) hint: Option<usize>,
    /// A key was handed out whose value was not.
    pub(super) owed: bool,
}

impl<'de, I: Input<'de>> de::MapAccess<'de> for Entries<'_, I> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.owed {
            return Err(out_of_turn());
        }
        if !self.frame.more(&mut self.de.scan)? {
            return Ok(None);
        }
        self.owed = true;
        let from = self.de.scan.offset();
        self.keys.before(&mut self.de.scan);
        let key = if self.names == Names::Any {
            self.de.key_at = from;
            seed.deserialize(&mut *self.de)?
        } else {
            let plain = self.names == Names::Text;
            let known = if plain { self.de.scan.input.short_text() } else { None };
            let name = Name { de: &mut *self.de, names: self.names, known };
            seed.deserialize(name).map_err(|e: Error| e.or_at(from))?
        };
        self.keys.after(&mut self.de.scan, &mut self.de.seen, from)?;
        Ok(Some(key))
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if !self.owed {
            return Err(out_of_turn());
        }
        self.owed = false;
        self.frame.value(&mut self.de.scan)?;
        seed.deserialize(&mut *self.de)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.hint
    }
}

/// A type that takes two keys in a row, or a value before its key, would be shown one as the other.
#[cold]
#[inline(never)]
fn out_of_turn() -> Error {
    Error::data("the type does not ask for a map's keys and values in turn")
}
