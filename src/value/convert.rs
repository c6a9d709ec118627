//! Rust's types into values and back.

use super::Value;
use crate::error::{Error, Result};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

macro_rules! integers {
    ($( $ty:ident )*) => { $(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Value::Integer(value.into())
            }
        }

        impl TryFrom<&Value> for $ty {
            type Error = Error;

            fn try_from(value: &Value) -> Result<Self> {
                value.as_integer().and_then(|i| i.try_into().ok()).ok_or_else(|| wrong(value, stringify!($ty)))
            }
        }
    )* };
}

integers! { i8 i16 i32 i64 i128 u8 u16 u32 u64 }

impl From<u128> for Value {
    /// A bignum, where it is one.
    fn from(value: u128) -> Self {
        match i128::try_from(value) {
            Ok(value) => Value::Integer(value),
            Err(_) => Value::Tag(2, Box::new(Value::Bytes(value.to_be_bytes().to_vec()))),
        }
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Value::from(value as u64)
    }
}

impl TryFrom<&Value> for usize {
    type Error = Error;

    fn try_from(value: &Value) -> Result<Self> {
        value.as_integer().and_then(|i| i.try_into().ok()).ok_or_else(|| wrong(value, "usize"))
    }
}

#[cold]
fn wrong(value: &Value, wanted: &str) -> Error {
    Error::data(format!("{value} is not of type {wanted}"))
}

macro_rules! scalars {
    ($( $ty:ty, $variant:ident, $as:ident; )*) => { $(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Value::$variant(value.into())
            }
        }

        impl TryFrom<&Value> for $ty {
            type Error = Error;

            fn try_from(value: &Value) -> Result<Self> {
                value.$as().map(Into::into).ok_or_else(|| wrong(value, stringify!($ty)))
            }
        }
    )* };
}

scalars! {
    bool, Bool, as_bool;
    f64, Float, as_float;
    String, Text, as_text;
    Vec<u8>, Bytes, as_bytes;
}

impl From<f32> for Value {
    /// Widened on bits, so that a NaN stays the one it is.
    fn from(value: f32) -> Self {
        Value::Float(f64::from_bits(crate::float::f32_to_f64_bits(value.to_bits())))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<char> for Value {
    fn from(c: char) -> Self {
        Value::Text(c.into())
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Value::Bytes(bytes.to_owned())
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(bytes: &[u8; N]) -> Self {
        Value::Bytes(bytes.to_vec())
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value::Array(items)
    }
}

impl From<Vec<(Value, Value)>> for Value {
    fn from(entries: Vec<(Value, Value)>) -> Self {
        Value::Map(entries)
    }
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Value::Null
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<T: Into<Value>> From<crate::Tagged<T>> for Value {
    fn from(tagged: crate::Tagged<T>) -> Self {
        Value::Tag(tagged.tag, Box::new(tagged.value.into()))
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    /// An array.
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<Value>, V: Into<Value>> FromIterator<(K, V)> for Value {
    /// A map.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Value::Map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}
