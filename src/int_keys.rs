//! Structs whose field names are integers on the wire: COSE headers, CWT and EAT claims.

use crate::tag::{INT_KEYS, Special, decimal, wrappers};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess,
    Visitor,
};
use serde_core::ser::{Serialize, Serializer};

/// Wraps a struct or map whose decimal keys travel as integers.
///
/// Serde field names are text; those that spell an integer in decimal (`#[serde(rename = "-1")]`) are written
/// as that integer and read from it. Others stay text. It holds for the one map, not for what is nested in it,
/// which can be wrapped itself.
///
/// A text key that spells an integer cannot be told from the integer any more, so it is refused on reading.
/// Whoever takes keys of any type, such as a `BTreeMap<String, _>`, an untagged enum of structs, or
/// `serde_json::Value`, is given the integers spelled out.
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
        T::deserialize(Labelled(inner))
    }
}

/// A deserializer whose map has labels for keys.
struct Labelled<D>(D);

macro_rules! forward {
    ($( $method:ident ( $( $arg:ident : $ty:ty ),* ) )*) => { $(
        fn $method<V: Visitor<'de>>(self $(, $arg: $ty)*, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($( $arg, )* visitor)
        }
    )* };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Labelled<D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    /// A buffer, which will be asked for fields: labels are spelled out.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(Labels { visitor, spelled: true })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(name, fields, Labels { visitor, spelled: true })
    }

    /// A map, or the pieces of a struct with `flatten`.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Labels { visitor, spelled: false })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_option(Inside(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        match Special::of(name) {
            Some(_) => self.0.deserialize_newtype_struct(name, visitor),
            None => self.0.deserialize_newtype_struct(name, Inside(visitor)),
        }
    }

    forward! {
        deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char() deserialize_str()
        deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_unit() deserialize_seq()
        deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }
}

/// Goes on inside an option or a newtype.
struct Inside<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Inside<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Labelled(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Labelled(inner))
    }
}

/// Visits a map by its labels; what is no map is visited as it is.
struct Labels<V> {
    visitor: V,
    /// Whoever takes any key is given text.
    spelled: bool,
}

macro_rules! as_it_is {
    ($( $method:ident: $ty:ty; )*) => { $(
        fn $method<E: de::Error>(self, value: $ty) -> Result<V::Value, E> {
            self.visitor.$method(value)
        }
    )* };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Labels<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(LabelAccess { map, spelled: self.spelled })
    }

    as_it_is! {
        visit_bool: bool;
        visit_i64: i64;
        visit_i128: i128;
        visit_u64: u64;
        visit_u128: u128;
        visit_f64: f64;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(seq)
    }
}

struct LabelAccess<A> {
    map: A,
    spelled: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for LabelAccess<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.map.next_key_seed(KeySeed { seed, spelled: self.spelled })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.map.size_hint()
    }
}

struct KeySeed<K> {
    seed: K,
    spelled: bool,
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<K> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K::Value, D::Error> {
        let key = Key { inner: deserializer, spelled: self.spelled, newtypes: wrappers(0) };
        self.seed.deserialize(key)
    }
}

/// A key that is an integer, or text that spells one: `flatten` buffers the name of every field it does not know.
struct Key<D> {
    inner: D,
    spelled: bool,
    /// How many newtypes may still be around it: a type that is a newtype around itself has no end.
    newtypes: u32,
}

macro_rules! keys_as {
    ($visitor:ident: $( $method:ident )*) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.deserialize_any($visitor(visitor))
        }
    )* };
}

macro_rules! forward_key {
    ($( $method:ident ( $( $arg:ident : $ty:ty ),* ) )*) => { $(
        fn $method<V: Visitor<'de>>(self $(, $arg: $ty)*, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($( $arg, )* visitor)
        }
    )* };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Key<D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        if self.spelled {
            self.inner.deserialize_any(Spell(visitor))
        } else {
            self.inner.deserialize_any(Read(visitor))
        }
    }

    keys_as! { Spell: deserialize_identifier deserialize_str deserialize_string }

    /// What is in a newtype is a label as it would be without.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        match self.newtypes.checked_sub(1).filter(|_| Special::of(name).is_none()) {
            Some(newtypes) => visitor.visit_newtype_struct(Key { newtypes, ..self }),
            None => self.inner.deserialize_newtype_struct(name, visitor),
        }
    }

    /// A variant is written as its name, which may spell an integer.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Spell(Variant(visitor)))
    }

    keys_as! {
        Read:
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    forward_key! {
        deserialize_bool() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit() deserialize_seq()
        deserialize_ignored_any() deserialize_map()
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
    }
}

/// Spells integers out.
struct Spell<V>(V);

impl<V> Spell<V> {
    fn spell<'de, E: de::Error>(self, integer: i128) -> Result<V::Value, E>
    where
        V: Visitor<'de>,
    {
        self.0.visit_string(integer.to_string())
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Spell<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_i64<E: de::Error>(self, key: i64) -> Result<V::Value, E> {
        self.spell(key.into())
    }

    fn visit_i128<E: de::Error>(self, key: i128) -> Result<V::Value, E> {
        self.spell(key)
    }

    fn visit_u64<E: de::Error>(self, key: u64) -> Result<V::Value, E> {
        self.spell(key.into())
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<V::Value, E> {
        self.0.visit_str(key)
    }

    fn visit_borrowed_str<E: de::Error>(self, key: &'de str) -> Result<V::Value, E> {
        self.0.visit_borrowed_str(key)
    }

    fn visit_string<E: de::Error>(self, key: String) -> Result<V::Value, E> {
        self.0.visit_string(key)
    }
}

/// Reads the name of a variant without content.
struct Variant<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Variant<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<V::Value, E> {
        self.0.visit_enum(name.into_deserializer())
    }
}

/// Reads integers that are spelled out.
struct Read<V>(V);

macro_rules! keys_as_they_are {
    ($( $method:ident: $ty:ty; )*) => { $(
        fn $method<E: de::Error>(self, key: $ty) -> Result<V::Value, E> {
            self.0.$method(key)
        }
    )* };
}

impl<V> Read<V> {
    fn read<'de, E: de::Error>(self, integer: i128) -> Result<V::Value, E>
    where
        V: Visitor<'de>,
    {
        match (u64::try_from(integer), i64::try_from(integer)) {
            (_, Ok(integer)) => self.0.visit_i64(integer),
            (Ok(integer), _) => self.0.visit_u64(integer),
            _ => self.0.visit_i128(integer),
        }
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Read<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<V::Value, E> {
        match decimal(key) {
            Some(integer) => self.read(integer),
            None => self.0.visit_str(key),
        }
    }

    fn visit_borrowed_str<E: de::Error>(self, key: &'de str) -> Result<V::Value, E> {
        match decimal(key) {
            Some(integer) => self.read(integer),
            None => self.0.visit_borrowed_str(key),
        }
    }

    fn visit_string<E: de::Error>(self, key: String) -> Result<V::Value, E> {
        match decimal(&key) {
            Some(integer) => self.read(integer),
            None => self.0.visit_string(key),
        }
    }

    keys_as_they_are! {
        visit_bool: bool;
        visit_i64: i64;
        visit_i128: i128;
        visit_u64: u64;
        visit_u128: u128;
        visit_f64: f64;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }
}
