//! Values in serde.

use super::Value;
use crate::tag::{Bytes, SIMPLE, TEXT, Tagged};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{self, Serialize, SerializeMap as _, Serializer};

impl Serialize for Value {
    // Text and small integers, which most of a tree is, take no call of their own in the loops below.
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) => serializer.serialize_str(text),
            Value::Integer(value) => match i64::try_from(*value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) => self.serialize_other(serializer),
            },
            _ => self.serialize_other(serializer),
        }
    }
}

impl Value {
    #[inline(never)]
    fn serialize_other<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Beyond 63 bits.
            Value::Integer(value) => match u64::try_from(*value) {
                Ok(value) => serializer.serialize_u64(value),
                Err(_) => serializer.serialize_i128(*value),
            },
            Value::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Value::Text(text) => serializer.serialize_str(text),
            Value::InvalidText(bytes) => serializer.serialize_newtype_struct(TEXT, &Bytes(bytes)),
            Value::Array(items) => serializer.collect_seq(items),
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            Value::Tag(tag, content) => Tagged::new(*tag, content.as_ref()).serialize(serializer),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Null => serializer.serialize_unit(),
            Value::Simple(20) => serializer.serialize_bool(false),
            Value::Simple(21) => serializer.serialize_bool(true),
            Value::Simple(22) => serializer.serialize_unit(),
            Value::Simple(value @ 24..=31) => {
                Err(ser::Error::custom(format_args!("simple value {value} does not exist")))
            }
            Value::Simple(value) => serializer.serialize_newtype_struct(SIMPLE, value),
            Value::Float(value) => serializer.serialize_f64(*value),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any item")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        Ok(value.into())
    }

    /// Widened on bits: a cast may quiet a NaN.
    fn visit_f32<E>(self, value: f32) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::Bytes(bytes.to_owned()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Bytes(bytes))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        Value::deserialize(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(MarkedVisitor)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::with_capacity(bounded(seq.size_hint()));
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::with_capacity(bounded(map.size_hint()));
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }
}

/// How much to reserve on the word of another format, which may not have checked it.
fn bounded(hint: Option<usize>) -> usize {
    hint.unwrap_or(0).min(4096)
}

/// The content of a newtype, by which tags and simple values are told from what they look like. There is another
/// newtype inside, unless somebody else's newtype around a value has taken one off a buffer.
struct MarkedVisitor;

impl<'de> Visitor<'de> for MarkedVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag or a simple value")
    }

    /// A link of IPLD, whose first byte is not handed over.
    fn visit_bytes<E>(self, cid: &[u8]) -> Result<Value, E> {
        let mut content = Vec::with_capacity(cid.len() + 1);
        content.push(0);
        content.extend_from_slice(cid);
        Ok(Value::Tag(42, Box::new(Value::Bytes(content))))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(BareVisitor)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Value, A::Error> {
        BareVisitor.visit_seq(seq)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        BareVisitor.visit_u64(value)
    }
}

/// The pair of a tag, the number of a simple value, or the bytes of text that is not UTF-8.
struct BareVisitor;

impl<'de> Visitor<'de> for BareVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MarkedVisitor.expecting(f)
    }

    fn visit_bytes<E>(self, text: &[u8]) -> Result<Value, E> {
        Ok(Value::InvalidText(text.to_owned()))
    }

    fn visit_byte_buf<E>(self, text: Vec<u8>) -> Result<Value, E> {
        Ok(Value::InvalidText(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let content = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok(Value::Tag(tag, Box::new(content)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        let simple = u8::try_from(value)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))?;
        Ok(Value::Simple(simple))
    }
}
