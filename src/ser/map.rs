//! Maps and structs that are being written.

use super::{Serializer, unfinished, wrong_length};
use crate::diag;
use crate::error::{Error, Result, Rule};
use crate::head::{self, Major};
use crate::order::{self, Entry, compare_text};
use crate::profile::{Order, Profile};
use crate::rewrite;
use crate::tag::{Special, decimal};
use crate::write;
use alloc::string::String;
use alloc::vec::Vec;
use serde_core::ser::{self, Serialize};

/// A map that is being written, of whoever has the serializer.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four facts that have nothing to do with each other"
)]
pub(crate) struct OpenMap {
    at: usize,
    /// How many entries were announced.
    len: Option<usize>,
    count: usize,
    /// The first of the map's entries in the sorter.
    base: usize,
    /// Where the key of the entry being written begins and ends.
    key: usize,
    value: usize,
    /// A key was written whose value was not.
    owes: bool,
    /// Some key holds a float zero.
    zero: bool,
    zero_before: bool,
    int_keys: bool,
}

impl OpenMap {
    #[inline(always)]
    pub(crate) fn begin_key(&mut self, ser: &mut Serializer) {
        self.key = ser.out.len();
        self.zero_before = core::mem::take(&mut ser.zero);
    }

    #[inline(always)]
    pub(crate) fn key_written(&mut self, ser: &mut Serializer) -> Result<()> {
        self.zero |= ser.zero;
        ser.zero |= self.zero_before;
        ser.sorter.settle(self.key, &mut ser.out);
        if self.int_keys {
            integer_key(&mut ser.out, self.key);
        }
        if ser.rules.text_keys && ser.out[self.key] >> 5 != Major::Text as u8 {
            ser.failed = true;
            return Err(not_text(ser));
        }
        self.value = ser.out.len();
        self.owes = true;
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn value_written(&mut self, ser: &mut Serializer) {
        self.owes = false;
        ser.sorter.push(self.key, self.value, ser.out.len());
        self.count += 1;
    }

    #[inline(always)]
    pub(crate) fn owes_value(&self) -> bool {
        self.owes
    }

    #[inline(always)]
    pub(crate) fn close(&self, ser: &mut Serializer) -> Result<()> {
        if ser.failed {
            return Err(unfinished());
        }
        if self.owes {
            return Err(Error::data("map ends after a key without a value"));
        }
        if let Some(len) = self.len.filter(|&len| len != self.count) {
            return Err(wrong_length("map", len, self.count));
        }
        ser.sort_map(self.base, self.zero)?;
        if self.len.is_none() {
            ser.set_head(self.at, Major::Map, self.count as u64);
        }
        ser.leave();
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn not_text(ser: &Serializer) -> Error {
    ser.broken(Rule::ForbiddenKey, "map key is not a text string")
}

/// A map that is being written.
#[derive(Debug)]
pub struct Map<'a> {
    pub(super) ser: &'a mut Serializer,
    pub(super) map: OpenMap,
}

impl ser::SerializeMap for Map<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        if self.map.owes {
            self.ser.failed = true;
            return Err(Error::data("map key follows a key without a value"));
        }
        self.map.begin_key(self.ser);
        if let Err(error) = key.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        self.map.key_written(self.ser)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if !self.map.owes {
            self.ser.failed = true;
            return Err(Error::data("map value comes without a key"));
        }
        if let Err(error) = value.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        self.map.value_written(self.ser);
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.map.close(self.ser)
    }
}

impl Serializer {
    #[inline]
    pub(crate) fn open_map(&mut self, len: Option<usize>) -> Result<OpenMap> {
        let int_keys = self.take_special(Special::IntKeys);
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Map, len.map_or(0, |len| len as u64));
        Ok(OpenMap {
            at,
            len,
            count: 0,
            base: self.sorter.mark(),
            key: at,
            value: at,
            owes: false,
            zero: false,
            zero_before: false,
            int_keys,
        })
    }

    /// Sorts the entries of a map, and finds keys that are equal.
    #[inline(never)]
    fn sort_map(&mut self, base: usize, zero: bool) -> Result<()> {
        let (order, unique) = (self.rules.order, self.rules.unique_keys);
        if unique && (order == Order::None || zero && !self.rules.keys_by_bytes) {
            self.find_equal_keys(base)?;
        }
        match self.sorter.close(base, &mut self.out, order, unique) {
            Ok(()) => Ok(()),
            Err(key) => Err(self.duplicate(key)),
        }
    }

    /// A struct turns out to have its fields in another order: finds those that are written, of which nothing was kept.
    #[cold]
    #[inline(never)]
    fn keep_fields(&mut self, at: usize, count: usize, slot: u32) {
        self.sorter.set_unordered(slot);
        let mut start = at + 1 + head::argument_len(self.out[at] & 31);
        for _ in 0..count {
            self.sorter.push_nameless(start);
            for _ in 0..2 {
                let grammar = Profile::WELL_FORMED.max_depth(u32::MAX);
                start += grammar.first_item(&self.out[start..]).unwrap_or(0);
            }
        }
    }

    /// Writes a name that may be an integer, or has to be normalized first.
    #[inline(never)]
    fn name(&mut self, name: &str, int_keys: bool) -> Result<()> {
        let written = match decimal(name).filter(|_| int_keys) {
            Some(_) if self.rules.text_keys => Err(not_text(self)),
            Some(integer) => {
                head::push_integer(&mut self.out, integer);
                Ok(())
            }
            None => self.text(name),
        };
        self.failed |= written.is_err();
        written
    }

    #[inline(never)]
    fn sort_struct(&mut self, base: usize, plain: bool) -> Result<()> {
        if !plain {
            // Names that are normalized or turned into integers may be in another order than they were.
            let entries = self.sorter.mark();
            self.sorter.fields_to_entries(base, &self.out);
            return self.sort_map(entries, false);
        }
        match self.sorter.sort_struct(base, &mut self.out, self.rules.order) {
            Err(key) if self.rules.unique_keys => Err(self.duplicate(key)),
            _ => Ok(()),
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

    /// Keys that are equal though their bytes are not (RFC 8949 §5.6.1): 0.0 and -0.0 are one, also inside arrays,
    /// and so are maps whose entries come in another order.
    #[cold]
    fn find_equal_keys(&mut self, base: usize) -> Result<()> {
        let fold_zero = !self.rules.keys_by_bytes;
        let entries = &*self.sorter.entries(base);
        if entries.iter().all(|entry| order::is_plain(&self.out[entry.start..entry.value])) {
            return Ok(());
        }
        let mut forms: Vec<(Vec<u8>, &Entry)> = entries
            .iter()
            .map(|entry| {
                let mut form = Vec::new();
                rewrite::key_form(&self.out[entry.start..entry.value], &mut form, fold_zero);
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
///
/// Nothing is kept of its fields as long as they come in canonical order, which is known from the names alone. All that
/// is in here is small and never lent, so that it becomes constants where a derived type is compiled.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four facts that have nothing to do with each other"
)]
pub struct Struct<'a> {
    pub(super) ser: &'a mut Serializer,
    /// Where the map's head is.
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) count: usize,
    /// The first of the fields in the sorter.
    pub(super) base: usize,
    /// What the sorter knows the type by.
    pub(super) slot: u32,
    /// The fields are in the sorter.
    pub(super) kept: bool,
    pub(super) sorted: bool,
    /// The name of the field before.
    pub(super) last: &'static str,
    /// Names are written as they are.
    pub(super) plain: bool,
    pub(super) int_keys: bool,
    /// The struct is the content of an enum variant.
    pub(super) wrapped: bool,
}

impl Struct<'_> {
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let follows = self.count == 0 || compare_text(self.last, name).is_lt();
        if !follows && !self.kept {
            self.ser.keep_fields(self.at, self.count, self.slot);
            self.kept = true;
        }
        if self.kept {
            self.ser.sorter.push_field(name, self.ser.out.len());
        }
        if self.plain {
            write::push_name(&mut self.ser.out, name);
        } else {
            self.ser.name(name, self.int_keys)?;
        }
        self.sorted &= follows;
        self.last = name;
        self.count += 1;
        match value.serialize(&mut *self.ser) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.ser.failed = true;
                Err(error)
            }
        }
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
        if self.kept {
            if self.sorted && self.plain {
                ser.sorter.forget_fields(self.base);
            } else {
                ser.sort_struct(self.base, self.plain)?;
            }
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

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<()> {
                self.field(key, value)
            }

            #[inline(always)]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}

structs!(SerializeStruct, SerializeStructVariant);
