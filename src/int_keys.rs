//! Structs whose field names are integers on the wire: COSE headers, CWT and EAT claims.

use crate::tag::INT_KEYS;
use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// Wraps a struct or map whose decimal keys travel as integers.
///
/// Serde field names are text; those that spell an integer in decimal (`#[serde(rename = "-1")]`) are written
/// as that integer and read from it. Others stay text. It holds for the one map, not for what is nested in it,
/// which can be wrapped itself.
///
/// A text key that spells an integer cannot be told from the integer any more, so it is refused on reading.
///
/// Unknown keys can be collected by a flattened map with the same `with` module; its keys may be integers or an
/// untagged enum of integers and text:
///
/// ```
/// use calibor::{IntKeys, Profile};
/// use serde::{Deserialize, Serialize};
/// use std::collections::BTreeMap;
///
/// #[derive(Serialize, Deserialize, Debug, PartialEq)]
/// struct Claims {
///     #[serde(rename = "1")]
///     issuer: String,
///     #[serde(rename = "4")]
///     expires: u64,
///     #[serde(flatten, with = "calibor::int_keys")]
///     rest: BTreeMap<i64, u8>,
/// }
///
/// let claims = Claims { issuer: "a".into(), expires: 5, rest: BTreeMap::from([(-70, 1)]) };
/// // {1: "a", 4: 5, -70: 1}
/// let bytes = Profile::CORE.encode(&IntKeys(&claims))?;
/// assert_eq!(bytes, b"\xa3\x01\x61a\x04\x05\x38\x45\x01");
/// assert_eq!(Profile::CORE.decode::<IntKeys<Claims>>(&bytes)?.0, claims);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntKeys<T>(pub T);

impl<T: Serialize> Serialize for IntKeys<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for IntKeys<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(IntKeys)
    }
}

/// For `#[serde(with = "calibor::int_keys")]`: writes a field as [`IntKeys`] would.
///
/// # Errors
///
/// What the serializer fails with.
pub fn serialize<T: Serialize + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(INT_KEYS, value)
}

/// For `#[serde(with = "calibor::int_keys")]`: reads a field as [`IntKeys`] would.
///
/// # Errors
///
/// What the deserializer fails with.
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(INT_KEYS, IntKeysVisitor(PhantomData))
}

struct IntKeysVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for IntKeysVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with integer keys")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        T::deserialize(Spelled(inner))
    }
}

/// A deserializer whose map keys may be spelled out: `flatten` buffers the name of every field it does not know.
struct Spelled<D>(D);

macro_rules! forward {
    ($( $method:ident ( $( $arg:ident : $ty:ty ),* ) )*) => { $(
        fn $method<V: Visitor<'de>>(self $(, $arg: $ty)*, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($( $arg, )* visitor)
        }
    )* };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Spelled<D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(SpelledMap(visitor))
    }

    forward! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32()
        deserialize_i64() deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32()
        deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf()
        deserialize_option() deserialize_unit() deserialize_seq() deserialize_identifier()
        deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }
}

struct SpelledMap<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for SpelledMap<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(SpelledAccess(map))
    }
}

struct SpelledAccess<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for SpelledAccess<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(SpelledKey(seed))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct SpelledKey<K>(K);

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for SpelledKey<K> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K::Value, D::Error> {
        self.0.deserialize(Key(deserializer))
    }
}

/// A key that is asked for as an integer, or as whatever it is.
struct Key<D>(D);

macro_rules! forward_integers {
    ($( $method:ident )*) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.deserialize_any(KeyVisitor(visitor))
        }
    )* };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Key<D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    forward_integers! {
        deserialize_any deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    forward! {
        deserialize_bool() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf()
        deserialize_option() deserialize_unit() deserialize_seq() deserialize_identifier()
        deserialize_ignored_any() deserialize_map()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }
}

struct KeyVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for KeyVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<V::Value, E> {
        match crate::tag::decimal(text) {
            Some(integer) => match (u64::try_from(integer), i64::try_from(integer)) {
                (Ok(integer), _) => self.0.visit_u64(integer),
                (_, Ok(integer)) => self.0.visit_i64(integer),
                _ => self.0.visit_i128(integer),
            },
            None => self.0.visit_str(text),
        }
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<V::Value, E> {
        if crate::tag::decimal(&text).is_some() {
            self.visit_str(&text)
        } else {
            self.0.visit_string(text)
        }
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<V::Value, E> {
        self.0.visit_u64(value)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<V::Value, E> {
        self.0.visit_i64(value)
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<V::Value, E> {
        self.0.visit_i128(value)
    }

    fn visit_bytes<E: de::Error>(self, value: &[u8]) -> Result<V::Value, E> {
        self.0.visit_bytes(value)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<V::Value, E> {
        self.0.visit_bool(value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<V::Value, E> {
        self.0.visit_f64(value)
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(inner)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }
}
