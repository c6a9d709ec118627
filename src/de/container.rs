//! The children of arrays and maps.

use super::Deserializer;
use super::field::{Name, Names};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::scan::Frame;
use crate::walk::Keys;
use serde_core::de::value::BorrowedStrDeserializer;
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
        let Deserializer { scan, followers, .. } = &mut *self.de;
        if scan.rules.nfc {
            return None;
        }
        let key = scan.input.short_string()?;
        // Names lie in memory one after the other, and those of no two types in the same place.
        let slot = (self.fields.as_ptr().addr() / size_of::<&str>() + self.last) % FOLLOWERS;
        let guess = usize::from(followers.0[slot]);
        let field = match self.fields.get(guess) {
            Some(name) if is_same(name.as_bytes(), key) => guess,
            _ => followers.find(self.fields, key, slot)?,
        };
        self.last = field + 1;
        let len = 1 + key.len();
        scan.input.advance(len);
        self.fields.get(field).copied()
    }

    /// A key of a map.
    #[inline(always)]
    fn key<K: DeserializeSeed<'de>>(&mut self, seed: K, from: u64) -> Result<K::Value> {
        self.de.key_at = from;
        let plain = self.before_key()?;
        let key = seed.deserialize(&mut *self.de)?;
        self.after_key(from, plain)?;
        Ok(key)
    }

    /// A key of a struct that is no field's name.
    #[inline(never)]
    fn other_name<K: DeserializeSeed<'de>>(&mut self, seed: K, from: u64) -> Result<K::Value> {
        let plain = self.before_key()?;
        let name = Name { de: &mut *self.de, names: self.names };
        let key = seed.deserialize(name).map_err(|e: Error| e.or_at(from))?;
        self.after_key(from, plain)?;
        Ok(key)
    }

    /// Tells whether the key is text of definite length, which is like no other.
    #[inline(always)]
    fn before_key(&mut self) -> Result<bool> {
        let plain = matches!(self.de.scan.input.peek()?, Some(0x60..=0x78));
        if !plain {
            self.keys.before(&mut self.de.scan);
        }
        Ok(plain)
    }

    #[inline(always)]
    fn after_key(&mut self, from: u64, plain: bool) -> Result<()> {
        let (scan, seen) = (&mut self.de.scan, &mut self.de.seen);
        if plain {
            self.keys.after_text(scan, seen, from)
        } else {
            self.keys.after(scan, seen, from)
        }
    }
}

/// Tells whether two short strings are the same by words that overlap, without a call.
#[inline(always)]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some(first), Some(last)) = (a.first_chunk::<8>(), a.last_chunk::<8>()) {
        return b.first_chunk() == Some(first)
            && b.last_chunk() == Some(last)
            && (a.len() <= 16 || a == b);
    }
    a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// How many pairs of fields that follow each other are remembered.
const FOLLOWERS: usize = 64;

/// Which field of a struct came after which; a guess, compared before it is believed.
pub(super) struct Followers([u8; FOLLOWERS]);

impl Followers {
    #[inline(never)]
    fn find(&mut self, fields: &[&str], key: &[u8], slot: usize) -> Option<usize> {
        // Names of one type are often of one length; few begin with the same byte.
        let first = key.first();
        let is = |name: &&str| name.as_bytes().first() == first && name.as_bytes() == key;
        let field = fields.iter().position(is)?;
        self.0[slot] = u8::try_from(field).unwrap_or(0);
        Some(field)
    }
}

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
        let key = match self.names {
            Names::Any => self.key(seed, from)?,
            Names::Text => match self.known_name() {
                Some(name) => {
                    let name = BorrowedStrDeserializer::new(name);
                    let key = seed.deserialize(name).map_err(|e: Error| e.or_at(from))?;
                    self.after_key(from, true)?;
                    key
                }
                None => self.other_name(seed, from)?,
            },
            Names::Integers | Names::Labels => self.other_name(seed, from)?,
        };
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
