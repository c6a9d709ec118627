//! Any item as a tree.

mod access;
#[cfg(feature = "arbitrary")]
mod arbitrary;
mod convert;
mod encode;
#[macro_use]
mod macros;
mod serde;

use crate::error::Result;
use crate::profile::Profile;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use serde_core::de::DeserializeOwned;
use serde_core::ser::Serialize;

/// Any well-formed item, without loss: every simple value, integers of -2^64..2^64-1, bignums and other tags, the bits
/// of a NaN, the order of a map. What is lost is how it was encoded.
///
/// Equality, order and hash are those of the [`Profile::CORE`] encoding, so that a value is a key: `1` and `1.0`
/// differ, as do `0.0` and `-0.0`; maps are equal in whatever order, and 2(h'01') is the integer 1.
///
/// Drop, clone, comparison, printing and [`encode`](Value::encode) take no stack, however deep the tree.
/// [`Display`](fmt::Display) is diagnostic notation.
///
/// ```
/// use calibor::{Profile, Value, cbor};
///
/// // {"a": [1, -1.5], 2: 1(3)}
/// let bytes = b"\xa2\x02\xc1\x03\x61a\x82\x01\xf9\xbe\x00";
/// let value: Value = calibor::from_slice(bytes)?;
/// assert_eq!(value, cbor!({ "a" => [1, -1.5], 2 => tag(1, 3) }));
/// assert_eq!(value["a"][1], Value::Float(-1.5));
/// assert_eq!(value.to_string(), r#"{2: 1(3), "a": [1, -1.5]}"#);
/// assert_eq!(calibor::to_vec(&value)?, bytes);
/// # Ok::<(), calibor::Error>(())
/// ```
pub enum Value {
    /// Major types 0 and 1; a bignum when encoded, where it is beyond -2^64..2^64-1.
    Integer(i128),
    /// A byte string.
    Bytes(Vec<u8>),
    /// A text string.
    Text(String),
    /// A text string that is not UTF-8, as only [`Profile::WELL_FORMED`] reads and writes one.
    InvalidText(Vec<u8>),
    /// An array.
    Array(Vec<Value>),
    /// A map, in the order it was read or built.
    Map(Vec<(Value, Value)>),
    /// A tag number and its content.
    Tag(u64, Box<Value>),
    /// `false` or `true`.
    Bool(bool),
    /// `null`.
    Null,
    /// Any other simple value; 23 is `undefined`.
    Simple(u8),
    /// A float of any width.
    Float(f64),
}

/// Turns anything serializable into a value.
///
/// # Errors
///
/// As [`Profile::encode`] in [`Profile::VALID`].
///
/// ```
/// use calibor::cbor;
///
/// assert_eq!(calibor::to_value(&("a", 1.5))?, cbor!(["a", 1.5]));
/// # Ok::<(), calibor::Error>(())
/// ```
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    Profile::VALID.decode(&Profile::VALID.encode(value)?)
}

/// Turns a value into anything deserializable.
///
/// # Errors
///
/// As [`Profile::decode`] in [`Profile::VALID`].
///
/// ```
/// use calibor::cbor;
///
/// let (name, size): (String, f64) = calibor::from_value(&cbor!(["a", 1.5]))?;
/// assert_eq!((name.as_str(), size), ("a", 1.5));
/// # Ok::<(), calibor::Error>(())
/// ```
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T> {
    Profile::VALID.decode(&value.encode(Profile::VALID)?)
}

impl Value {
    /// The simple value `undefined`.
    pub const UNDEFINED: Value = Value::Simple(23);

    /// True for a container that has something in it.
    #[inline]
    fn has_children(&self) -> bool {
        match self {
            Value::Array(items) => !items.is_empty(),
            Value::Map(entries) => !entries.is_empty(),
            Value::Tag(..) => true,
            _ => false,
        }
    }

    /// True if the compiler's own drop would go on to what is in the children.
    #[inline]
    fn is_deep(&self) -> bool {
        match self {
            Value::Array(items) => !items.is_empty(),
            Value::Map(entries) => !entries.is_empty(),
            Value::Tag(_, content) => {
                matches!(**content, Value::Array(_) | Value::Map(_) | Value::Tag(..))
            }
            _ => false,
        }
    }
}

impl Drop for Value {
    /// Takes a deep tree apart, where the compiler's own drop would call itself for each level.
    #[inline]
    fn drop(&mut self) {
        if self.is_deep() {
            self.take_apart();
        }
    }
}

/// How many levels are taken apart by calls that are inside each other.
const NESTED: u32 = 16;

impl Value {
    #[inline(never)]
    fn take_apart(&mut self) {
        let mut pending = Vec::new();
        self.empty(NESTED, &mut pending);
        while let Some(mut value) = pending.pop() {
            value.empty(NESTED, &mut pending);
        }
    }

    /// Drops what is in the containers of so many levels, from the inside, and moves out what lies deeper.
    fn empty(&mut self, levels: u32, pending: &mut Vec<Value>) {
        let mut each = |child: &mut Value| {
            if child.is_deep() {
                match levels.checked_sub(1) {
                    Some(levels) => child.empty(levels, pending),
                    None => pending.push(core::mem::replace(child, Value::Null)),
                }
            }
        };
        match self {
            Value::Array(items) => {
                items.iter_mut().for_each(each);
                items.clear();
            }
            Value::Map(entries) => {
                for (key, value) in entries.iter_mut() {
                    each(key);
                    each(value);
                }
                entries.clear();
            }
            Value::Tag(_, content) => {
                each(content);
                **content = Value::Null;
            }
            _ => {}
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        /// A container whose first children are cloned.
        struct Open<'a> {
            of: &'a Value,
            done: Vec<Value>,
        }

        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = self;
        loop {
            let mut cloned = if next.has_children() {
                open.push(Open { of: next, done: Vec::new() });
                None
            } else {
                Some(next.clone_leaf())
            };
            loop {
                let Some(top) = open.last_mut() else {
                    return cloned.unwrap_or(Value::Null);
                };
                top.done.extend(cloned.take());
                match top.of.child(top.done.len()) {
                    Some(child) => {
                        next = child;
                        break;
                    }
                    None => cloned = open.pop().map(|top| top.of.with_children(top.done)),
                }
            }
        }
    }
}

impl Value {
    /// The child at an index, keys and values of a map counted one by one.
    fn child(&self, index: usize) -> Option<&Value> {
        match self {
            Value::Array(items) => items.get(index),
            Value::Map(entries) => {
                entries.get(index / 2).map(|(key, value)| if index % 2 == 0 { key } else { value })
            }
            Value::Tag(_, content) if index == 0 => Some(content),
            _ => None,
        }
    }

    fn clone_leaf(&self) -> Value {
        match self {
            Value::Integer(value) => Value::Integer(*value),
            Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
            Value::Text(text) => Value::Text(text.clone()),
            Value::InvalidText(bytes) => Value::InvalidText(bytes.clone()),
            Value::Array(_) => Value::Array(Vec::new()),
            Value::Map(_) => Value::Map(Vec::new()),
            Value::Tag(tag, _) => Value::Tag(*tag, Box::new(Value::Null)),
            Value::Bool(value) => Value::Bool(*value),
            Value::Null => Value::Null,
            Value::Simple(value) => Value::Simple(*value),
            Value::Float(value) => Value::Float(*value),
        }
    }

    /// A container of the same kind around other children.
    fn with_children(&self, children: Vec<Value>) -> Value {
        let mut children = children.into_iter();
        match self {
            Value::Map(entries) => {
                let mut map = Vec::with_capacity(entries.len());
                while let (Some(key), Some(value)) = (children.next(), children.next()) {
                    map.push((key, value));
                }
                Value::Map(map)
            }
            Value::Tag(tag, _) => {
                Value::Tag(*tag, Box::new(children.next().unwrap_or(Value::Null)))
            }
            _ => Value::Array(children.collect()),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    /// The bytewise order of the deterministic encodings, RFC 8949 §4.2.1.
    ///
    /// ```
    /// use calibor::cbor;
    ///
    /// let mut keys = [cbor!(false), cbor!(-1), cbor!("aa"), cbor!("z"), cbor!(100), cbor!(10)];
    /// keys.sort();
    /// // 10, 100, -1, "z", "aa", false
    /// assert_eq!(keys, [cbor!(10), cbor!(100), cbor!(-1), cbor!("z"), cbor!("aa"), cbor!(false)]);
    /// ```
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => crate::order::compare_text(a, b),
            (Value::Bytes(a), Value::Bytes(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
            (Value::Integer(a), Value::Integer(b)) if in_order(*a) && in_order(*b) => a.cmp(b),
            _ => self.key().cmp(&other.key()),
        }
    }
}

/// True for integers whose encodings are in their own order: those of major type 0.
fn in_order(value: i128) -> bool {
    (0..1 << 64).contains(&value)
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        let mut out = String::new();
        crate::diag::write_item(&mut out, &bytes).map_err(|_| fmt::Error)?;
        f.write_str(&out)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({self})")
    }
}
