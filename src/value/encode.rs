//! Values to bytes without the stack that serde needs.

use super::Value;
use crate::error::{Error, Result, Rule};
use crate::float;
use crate::head::{self, Major};
use crate::profile::Profile;
use crate::rewrite;
use crate::write::{self, push_float};
use alloc::format;
use alloc::vec::Vec;

impl Value {
    /// Encodes the value in a profile, however deep it is.
    ///
    /// # Errors
    ///
    /// Two map keys are equal, or the profile has no form for some item.
    ///
    /// ```
    /// use calibor::{Profile, cbor};
    ///
    /// let map = cbor!({ "b" => 1, "a" => 2 });
    /// assert_eq!(map.encode(Profile::CORE)?, b"\xa2\x61a\x02\x61b\x01"); // {"a": 2, "b": 1}
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn encode(&self, profile: Profile) -> Result<Vec<u8>> {
        let (mut plain, rules) = (Vec::new(), profile.writing());
        self.each(|value| match value {
            // In the width that the profile wants; one that it refuses is found below.
            Value::Float(value) if push_float(&mut plain, &rules, value.to_bits(), 27).is_ok() => {}
            value => value.write_one(&mut plain),
        });
        self.writable(profile)?;
        let mut out = Vec::with_capacity(plain.len());
        rewrite::rewrite(&plain, &mut out, profile)?;
        Ok(out)
    }

    /// The encoding that equality and order are about.
    pub(super) fn key(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        self.write(&mut plain);
        if !self.has_children() {
            return plain;
        }
        let mut out = Vec::with_capacity(plain.len());
        rewrite::value_form(&plain, &mut out);
        out
    }

    /// Appends preferred serialization, maps as they are.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.each(|value| value.write_one(out));
    }

    /// Finds what a tree can hold and no encoding can.
    fn writable(&self, profile: Profile) -> Result<()> {
        let mut fault = Ok(());
        self.each(|value| match value {
            Value::InvalidText(_) if profile.rules.utf8 => {
                let source = profile.sources().text;
                let words = "text string is not UTF-8";
                fault = Err(Error::broken(Rule::InvalidUtf8, source, None, words));
            }
            Value::Simple(value @ 24..=31) => fault = Err(no_simple(*value)),
            _ => {}
        });
        fault
    }

    /// Visits the tree in the order of its encoding.
    fn each(&self, mut visit: impl FnMut(&Value)) {
        let mut pending = Vec::new();
        let mut next = Some(self);
        while let Some(value) = next {
            visit(value);
            match value {
                Value::Array(items) => pending.extend(items.iter().rev()),
                Value::Map(entries) => {
                    pending.extend(entries.iter().rev().flat_map(|(key, value)| [value, key]));
                }
                Value::Tag(_, content) => pending.push(content),
                _ => {}
            }
            next = pending.pop();
        }
    }

    /// Appends a scalar, or the head of a container.
    fn write_one(&self, out: &mut Vec<u8>) {
        match self {
            Value::Integer(value) => {
                if !head::push_integer(out, *value) {
                    let magnitude = if *value < 0 { !*value } else { *value };
                    head::push_bignum(out, *value < 0, &magnitude.to_be_bytes());
                }
            }
            Value::Bytes(bytes) => write::push_string(out, Major::Bytes, bytes),
            Value::Text(text) => write::push_string(out, Major::Text, text.as_bytes()),
            Value::InvalidText(bytes) => write::push_string(out, Major::Text, bytes),
            Value::Array(items) => head::push(out, Major::Array, items.len() as u64),
            Value::Map(entries) => head::push(out, Major::Map, entries.len() as u64),
            Value::Tag(tag, _) => head::push(out, Major::Tag, *tag),
            Value::Bool(value) => out.push(if *value { 0xf5 } else { 0xf4 }),
            Value::Null => out.push(0xf6),
            // 24 to 31 do not exist; whoever made one is shown `undefined`, and cannot encode it.
            Value::Simple(24..=31) => out.push(0xf7),
            Value::Simple(value) => head::push(out, Major::Simple, (*value).into()),
            Value::Float(value) => {
                write::push_shortest(out, float::shortest_bits(value.to_bits()));
            }
        }
    }
}

/// The error of a simple value that cannot be.
#[cold]
fn no_simple(value: u8) -> Error {
    Error::data(format!("simple value {value} does not exist"))
}
