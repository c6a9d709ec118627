//! Values to bytes without the stack that serde needs.

use super::Value;
use crate::error::Result;
use crate::float;
use crate::head::{self, Major};
use crate::profile::Profile;
use crate::rewrite;
use crate::ser::{OpenMap, OpenTag, Serializer};
use crate::write;
use alloc::vec::Vec;
use core::slice;
use serde_core::ser::Serialize as _;

impl Value {
    /// Encodes the value in a profile, without a stack that grows with its depth.
    ///
    /// # Errors
    ///
    /// Two map keys are equal, the profile has no form for some item, or the value nests deeper than its limit.
    ///
    /// ```
    /// use calibor::{Profile, cbor};
    ///
    /// let map = cbor!({ "b" => 1, "a" => 2 });
    /// assert_eq!(map.encode(Profile::CORE)?, b"\xa2\x61a\x02\x61b\x01"); // {"a": 2, "b": 1}
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn encode(&self, profile: Profile) -> Result<Vec<u8>> {
        let mut serializer = Serializer::new().profile(profile);
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = self;
        loop {
            match next {
                Value::Array(items) => {
                    serializer.open_array(items.len())?;
                    open.push(Open::Array(items.iter()));
                }
                Value::Map(entries) => {
                    let map = serializer.open_map(Some(entries.len()))?;
                    open.push(Open::Map { entries: entries.iter(), map, value: None });
                }
                Value::Tag(number, content) => {
                    let tag = serializer.open_tag(*number)?;
                    open.push(Open::Tag { tag, content: Some(&**content) });
                }
                scalar => scalar.serialize(&mut serializer)?,
            }
            next = loop {
                let Some(innermost) = open.last_mut() else { return serializer.finish() };
                match innermost.next(&mut serializer)? {
                    Some(child) => break child,
                    None => open.pop(),
                };
            };
        }
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

/// A container whose children are being written.
enum Open<'v> {
    Array(slice::Iter<'v, Value>),
    Map { entries: slice::Iter<'v, (Value, Value)>, map: OpenMap, value: Option<&'v Value> },
    Tag { tag: OpenTag, content: Option<&'v Value> },
}

impl<'v> Open<'v> {
    /// The next child to write, or none when the container is complete.
    #[inline]
    fn next(&mut self, serializer: &mut Serializer) -> Result<Option<&'v Value>> {
        match self {
            Open::Array(items) => {
                let next = items.next();
                if next.is_none() {
                    serializer.leave();
                }
                Ok(next)
            }
            Open::Map { entries, map, value } => {
                if let Some(value) = value.take() {
                    map.key_written(serializer)?;
                    return Ok(Some(value));
                }
                if map.owes_value() {
                    map.value_written(serializer);
                }
                let Some((key, of_key)) = entries.next() else {
                    map.close(serializer)?;
                    return Ok(None);
                };
                map.begin_key(serializer);
                *value = Some(of_key);
                Ok(Some(key))
            }
            Open::Tag { tag, content } => {
                let next = content.take();
                if next.is_none() {
                    tag.close(serializer)?;
                }
                Ok(next)
            }
        }
    }
}
