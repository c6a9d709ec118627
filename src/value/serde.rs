//! Values in serde.

use super::Value;
use crate::tag::{Bytes, SIMPLE, TEXT, Tagged};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{
    self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
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
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::Null;
        Slot(&mut value).deserialize(deserializer)?;
        Ok(value)
    }
}

/// Where a value belongs. Each is made in its place: to hand it on from call to call costs more than to read it, since
/// what was only just written in parts is slow to move as a whole.
struct Slot<'a>(&'a mut Value);

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Slot<'_> {
    #[allow(clippy::unnecessary_wraps, reason = "this is what every method of a visitor returns")]
    #[inline]
    fn put<E>(self, value: Value) -> Result<(), E> {
        *self.0 = value;
        Ok(())
    }
}

impl<'de> Visitor<'de> for Slot<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any item")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.put(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.put(Value::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.put(Value::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.put(Value::Integer(value))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<(), E> {
        self.put(value.into())
    }

    /// Widened on bits: a cast may quiet a NaN.
    fn visit_f32<E>(self, value: f32) -> Result<(), E> {
        self.put(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.put(Value::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.put(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<(), E> {
        self.put(Value::Text(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<(), E> {
        self.put(Value::Bytes(bytes.to_owned()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<(), E> {
        self.put(Value::Bytes(bytes))
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.put(Value::Null)
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.put(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        self.deserialize(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        self.put(inner.deserialize_any(MarkedVisitor)?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut items = Vec::with_capacity(bounded(seq.size_hint()));
        while seq.next_element_seed(Element(&mut items))?.is_some() {}
        self.put(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut entries = Vec::with_capacity(bounded(map.size_hint()));
        while map.next_key_seed(Key(&mut entries))?.is_some() {
            if let Some((_, value)) = entries.last_mut() {
                map.next_value_seed(Slot(value))?;
            }
        }
        self.put(Value::Map(entries))
    }
}

/// Adds an element to an array.
struct Element<'a>(&'a mut Vec<Value>);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let at = self.0.len();
        self.0.resize_with(at + 1, || Value::Null);
        Slot(&mut self.0[at]).deserialize(deserializer)
    }
}

/// Adds an entry to a map, whose value is still to come.
struct Key<'a>(&'a mut Vec<(Value, Value)>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let at = self.0.len();
        self.0.resize_with(at + 1, || (Value::Null, Value::Null));
        Slot(&mut self.0[at].0).deserialize(deserializer)
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
