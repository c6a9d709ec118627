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
    /// The fields of the struct, and the one that was read last.
    pub(super) fields: &'static [&'static str],
    pub(super) last: usize,
}

impl<'de, I: Input<'de>> Entries<'_, I> {
    /// The field whose name comes next, byte for byte, so that it need not be found to be UTF-8. Which field follows which
    /// is remembered, since structs of one type come with their fields in the same order.
    #[inline(always)]
    fn known_name(&mut self) -> Option<&'static str> {
        if self.de.scan.rules.nfc {
            return None;
        }
        let key = self.de.scan.input.short_string()?;
        // Names lie in memory one after the other, and those of no two types in the same place.
        let slot = (self.fields.as_ptr().addr() / size_of::<&str>() + self.last) % FOLLOWERS;
        let guess = usize::from(self.de.followers.0[slot]);
        let field = match self.fields.get(guess) {
            Some(name) if name.as_bytes() == key => guess,
            _ => self.find_name(key, slot)?,
        };
        self.last = field + 1;
        self.de.scan.input.advance(1 + key.len());
        self.fields.get(field).copied()
    }

    #[inline(never)]
    fn find_name(&mut self, key: &[u8], slot: usize) -> Option<usize> {
        // Names of one type are often of one length; few begin with the same byte.
        let first = key.first();
        let is = |name: &&str| name.as_bytes().first() == first && name.as_bytes() == key;
        let field = self.fields.iter().position(is)?;
        self.de.followers.0[slot] = u8::try_from(field).unwrap_or(0);
        Some(field)
    }
}

/// How many pairs of fields that follow each other are remembered.
const FOLLOWERS: usize = 64;

/// Which field of a struct came after which; a guess, compared before it is believed.
pub(super) struct Followers([u8; FOLLOWERS]);

#[cfg(not(feature = "std"))]
impl Default for Followers {
    fn default() -> Self {
        Followers([0; FOLLOWERS])
    }
}

#[cfg(feature = "std")]
std::thread_local! {
    /// What was learned from one message serves the next, since messages are short and many.
    static LAST: core::cell::Cell<[u8; FOLLOWERS]> = const { core::cell::Cell::new([0; FOLLOWERS]) };
}

#[cfg(feature = "std")]
impl Default for Followers {
    #[inline]
    fn default() -> Self {
        Followers(LAST.get())
    }
}

#[cfg(feature = "std")]
impl Drop for Followers {
    #[inline]
    fn drop(&mut self) {
        LAST.set(self.0);
    }
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
        let mut known = None;
        if self.names == Names::Text {
            known = match self.known_name() {
                Some(name) => Some(name),
                None => self.de.scan.quick_text(),
            };
        }
        let plain = known.is_some();
        if !plain {
            self.keys.before(&mut self.de.scan);
        }
        let key = if self.names == Names::Any {
            self.de.key_at = from;
            seed.deserialize(&mut *self.de)?
        } else {
            let name = Name { de: &mut *self.de, names: self.names, known };
            seed.deserialize(name).map_err(|e: Error| e.or_at(from))?
        };
        let (scan, seen) = (&mut self.de.scan, &mut self.de.seen);
        if plain {
            self.keys.after_text(scan, seen, from)?;
        } else {
            self.keys.after(scan, seen, from)?;
        }
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
