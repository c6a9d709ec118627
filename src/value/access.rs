//! Looking into values.

use super::Value;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Index;

impl Value {
    /// The value of a key of a map; none where there is no such key or no map.
    ///
    /// ```
    /// use calibor::cbor;
    ///
    /// let map = cbor!({ "a" => 1, -1 => 2 });
    /// assert_eq!(map.get(&cbor!(-1)), Some(&cbor!(2)));
    /// assert_eq!(map.get(&cbor!("b")), None);
    /// ```
    #[must_use]
    pub fn get(&self, key: &Value) -> Option<&Value> {
        match self {
            Value::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    fn get_text(&self, key: &str) -> Option<&Value> {
        let is_key = |k: &Value| matches!(k, Value::Text(text) if text == key);
        self.as_map()?.iter().find(|(k, _)| is_key(k)).map(|(_, value)| value)
    }

    /// The integer, if it is one; a bignum of up to 127 bits counts.
    #[must_use]
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Value::Integer(value) => Some(*value),
            Value::Tag(tag @ (2 | 3), content) => {
                let bytes = content.as_bytes()?;
                let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                let bytes = bytes.get(zeros..).filter(|bytes| bytes.len() <= 16)?;
                let value = bytes.iter().fold(0_u128, |n, &byte| n << 8 | u128::from(byte));
                let value = i128::try_from(value).ok()?;
                Some(if *tag == 3 { !value } else { value })
            }
            _ => None,
        }
    }

    /// The float, if it is one.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The bool, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The text, if it is some.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The bytes, if they are a byte string.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if it is a map.
    #[must_use]
    pub fn as_map(&self) -> Option<&[(Value, Value)]> {
        match self {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Tag number and content, if it is tagged.
    #[must_use]
    pub fn as_tag(&self) -> Option<(u64, &Value)> {
        match self {
            Value::Tag(tag, content) => Some((*tag, content)),
            _ => None,
        }
    }

    /// True for `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The text, taken out.
    ///
    /// # Errors
    ///
    /// Gives the value back if it is something else.
    pub fn into_text(mut self) -> Result<String, Value> {
        match &mut self {
            Value::Text(text) => Ok(core::mem::take(text)),
            _ => Err(self),
        }
    }

    /// The byte string, taken out.
    ///
    /// # Errors
    ///
    /// Gives the value back if it is something else.
    pub fn into_bytes(mut self) -> Result<Vec<u8>, Value> {
        match &mut self {
            Value::Bytes(bytes) => Ok(core::mem::take(bytes)),
            _ => Err(self),
        }
    }

    /// The elements of an array, taken out.
    ///
    /// # Errors
    ///
    /// Gives the value back if it is something else.
    pub fn into_array(mut self) -> Result<Vec<Value>, Value> {
        match &mut self {
            Value::Array(items) => Ok(core::mem::take(items)),
            _ => Err(self),
        }
    }

    /// The entries of a map, taken out.
    ///
    /// # Errors
    ///
    /// Gives the value back if it is something else.
    pub fn into_map(mut self) -> Result<Vec<(Value, Value)>, Value> {
        match &mut self {
            Value::Map(entries) => Ok(core::mem::take(entries)),
            _ => Err(self),
        }
    }
}

static NULL: Value = Value::Null;

impl Index<&str> for Value {
    type Output = Value;

    /// The value of a text key; `null` where there is none.
    fn index(&self, key: &str) -> &Value {
        self.get_text(key).unwrap_or(&NULL)
    }
}

impl Index<&Value> for Value {
    type Output = Value;

    /// The value of a key; `null` where there is none.
    fn index(&self, key: &Value) -> &Value {
        self.get(key).unwrap_or(&NULL)
    }
}

impl Index<usize> for Value {
    type Output = Value;

    /// An element of an array; `null` where there is none.
    fn index(&self, index: usize) -> &Value {
        self.as_array().and_then(|items| items.get(index)).unwrap_or(&NULL)
    }
}
