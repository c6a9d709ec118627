//! Maps and structs that are being written.

use super::{Serializer, unfinished, wrong_length};
use crate::diag;
use crate::error::{Error, Result, Rule};
use crate::head::{self, Major};
use crate::order::{Entry, compare_text};
use crate::rewrite;
use crate::tag::decimal;
use crate::write;
use alloc::string::String;
use alloc::vec::Vec;
use serde_core::ser::{self, Serialize};

/// A map that is being written.
#[derive(Debug)]
pub struct Map<'a> {
    pub(super) ser: &'a mut Serializer,
    pub(super) at: usize,
    /// How many entries were announced.
    pub(super) len: Option<usize>,
    pub(super) count: usize,
    /// The first of the map's entries in the sorter.
    pub(super) base: usize,
    /// A key whose value has to come: where it begins and ends.
    pub(super) key: Option<(usize, usize)>,
    /// Some key holds a float zero.
    pub(super) zero: bool,
    pub(super) int_keys: bool,
}

impl ser::SerializeMap for Map<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        if self.key.is_some() {
            self.ser.failed = true;
            return Err(Error::data("map key follows a key without a value"));
        }
        let start = self.ser.out.len();
        let outer_zero = core::mem::take(&mut self.ser.zero);
        if let Err(error) = key.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        self.zero |= self.ser.zero;
        self.ser.zero |= outer_zero;
        if self.int_keys {
            integer_key(&mut self.ser.out, start);
        }
        if self.ser.rules.text_keys && self.ser.out[start] >> 5 != Major::Text as u8 {
            self.ser.failed = true;
            return Err(self.ser.broken(Rule::ForbiddenKey, "map key is not a text string"));
        }
        self.key = Some((start, self.ser.out.len()));
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let Some((start, value_at)) = self.key.take() else {
            self.ser.failed = true;
            return Err(Error::data("map value comes without a key"));
        };
        if let Err(error) = value.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        self.ser.sorter.entries.push(Entry::new(&self.ser.out, start, value_at));
        self.count += 1;
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<()> {
        if self.ser.failed {
            return Err(unfinished());
        }
        if self.key.is_some() {
            return Err(Error::data("map ends after a key without a value"));
        }
        if let Some(len) = self.len.filter(|&len| len != self.count) {
            return Err(wrong_length("map", len, self.count));
        }
        if self.zero && self.ser.rules.unique_keys && !self.ser.rules.keys_by_bytes {
            self.ser.find_equal_keys(self.base)?;
        }
        self.ser.close_map(self.base)?;
        if self.len.is_none() {
            write::set_head(&mut self.ser.out, self.at, Major::Map, self.count as u64);
        }
        self.ser.leave();
        Ok(())
    }
}

impl Serializer {
    #[inline]
    fn close_map(&mut self, base: usize) -> Result<()> {
        let (order, unique) = (self.rules.order, self.rules.unique_keys);
        match self.sorter.close(base, &mut self.out, order, unique) {
            Ok(()) => Ok(()),
            Err(key) => Err(self.duplicate(key)),
        }
    }

    #[cold]
    #[inline(never)]
    fn duplicate(&mut self, key: core::ops::Range<usize>) -> Error {
        self.failed = true;
        let mut words = String::from("map has the key ");
        diag::write_key(&mut words, &self.out[key]);
        words.push_str(" twice");
        self.broken(Rule::DuplicateKey, words)
    }

    /// 0.0 and -0.0 are one key, also inside arrays (RFC 8949 §5.6.1).
    #[cold]
    fn find_equal_keys(&mut self, base: usize) -> Result<()> {
        let entries = &self.sorter.entries[base..];
        let mut forms: Vec<(Vec<u8>, &Entry)> = entries
            .iter()
            .map(|entry| {
                let mut form = Vec::new();
                rewrite::key_form(&self.out[entry.start..entry.value], &mut form);
                (form, entry)
            })
            .collect();
        forms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        match forms.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => {
                let key = pair[1].1.start..pair[1].1.value;
                Err(self.duplicate(key))
            }
            None => Ok(()),
        }
    }
}

/// Turns a text key written at `start` into the integer it spells, if it spells one.
fn integer_key(out: &mut Vec<u8>, start: usize) {
    let head_len = match out.get(start) {
        Some(0x61..=0x74) => 1,
        _ => return,
    };
    let text = core::str::from_utf8(&out[start + head_len..]).unwrap_or_default();
    if let Some(integer) = decimal(text) {
        out.truncate(start);
        head::push_integer(out, integer);
    }
}

/// A struct that is being written.
#[derive(Debug)]
pub struct Struct<'a> {
    pub(super) ser: &'a mut Serializer,
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) count: usize,
    pub(super) base: usize,
    /// The field before; fields in canonical order need no sorting, which is known from the names alone.
    pub(super) last: &'static str,
    pub(super) sorted: bool,
    pub(super) int_keys: bool,
    /// The struct is the content of an enum variant.
    pub(super) wrapped: bool,
}

impl Struct<'_> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let start = self.ser.out.len();
        let written = if self.int_keys {
            match decimal(name) {
                Some(integer) => {
                    head::push_integer(&mut self.ser.out, integer);
                    Ok(())
                }
                None => self.ser.text(name),
            }
        } else {
            self.ser.text(name)
        };
        let plain = !self.ser.rules.nfc || name.is_ascii();
        self.sorted &= plain && (self.count == 0 || compare_text(self.last, name).is_lt());
        self.last = name;
        let value_at = self.ser.out.len();
        if let Err(error) = written.and_then(|()| value.serialize(&mut *self.ser)) {
            self.ser.failed = true;
            return Err(error);
        }
        self.ser.sorter.entries.push(Entry::new(&self.ser.out, start, value_at));
        self.count += 1;
        Ok(())
    }

    #[inline(always)]
    fn close(self) -> Result<()> {
        let ser = self.ser;
        if ser.failed {
            return Err(unfinished());
        }
        if self.len != self.count {
            return Err(wrong_length("struct", self.len, self.count));
        }
        if self.sorted {
            ser.sorter.entries.truncate(self.base);
        } else {
            ser.close_map(self.base)?;
        }
        if self.int_keys && ser.rules.text_keys && ser.out.len() > self.at + 1 {
            return Err(ser.broken(Rule::ForbiddenKey, "map key is not a text string"));
        }
        ser.leave();
        if self.wrapped {
            ser.leave();
        }
        Ok(())
    }
}

macro_rules! structs {
    ($( $name:ident ),*) => { $(
        impl ser::$name for Struct<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<()> {
                self.field(key, value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}

structs!(SerializeStruct, SerializeStructVariant);
