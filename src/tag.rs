//! Tags, and the private names by which this crate's own types are known to its `Serializer` and `Deserializer`.
//!
//! Each is the name of a newtype struct, so that other formats see only what is inside.

use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// A pair of tag number and content.
pub(crate) const TAGGED: &str = "$calibor::Tagged";
/// The bytes of one encoded item.
pub(crate) const RAW: &str = "$calibor::RawValue";
/// A struct or map whose decimal keys travel as integers.
pub(crate) const INT_KEYS: &str = "$calibor::IntKeys";
/// The number of a simple value.
pub(crate) const SIMPLE: &str = "$calibor::Simple";
/// The bits of a binary64.
pub(crate) const FLOAT: &str = "$calibor::Float";

/// What the content of one of these names is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Tagged,
    Raw,
    IntKeys,
    Simple,
    Float,
    /// `half::f16` and `half::bf16`, newtypes around their bits.
    F16,
    Bf16,
    /// The `cid` crate's identifier, bytes that stand in tag 42 behind a zero byte.
    Cid,
}

impl Special {
    #[inline]
    pub(crate) fn of(name: &str) -> Option<Self> {
        // Nearly every newtype is somebody else's; most differ in the first byte or the length.
        match name {
            TAGGED => Some(Special::Tagged),
            RAW => Some(Special::Raw),
            INT_KEYS => Some(Special::IntKeys),
            SIMPLE => Some(Special::Simple),
            FLOAT => Some(Special::Float),
            "f16" => Some(Special::F16),
            "bf16" => Some(Special::Bf16),
            "$__private__serde__identifier__for__cid" => Some(Special::Cid),
            _ => None,
        }
    }
}

/// A tag number and the content it qualifies (RFC 8949 §3.4).
///
/// Any tag is accepted on reading; its number is in [`tag`](Self::tag). In other formats this is a pair.
///
/// ```
/// use calibor::{Profile, Tagged};
///
/// let at = Tagged::new(1, 1363896240_u64);
/// // 1(1363896240)
/// let bytes = Profile::CORE.encode(&at)?;
/// assert_eq!(bytes, b"\xc1\x1a\x51\x4b\x67\xb0");
/// assert_eq!(Profile::CORE.decode::<Tagged<u64>>(&bytes)?, at);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tagged<T> {
    /// The tag number.
    pub tag: u64,
    /// The content.
    pub value: T,
}

impl<T> Tagged<T> {
    /// Puts a tag on a value.
    pub const fn new(tag: u64, value: T) -> Self {
        Tagged { tag, value }
    }
}

impl<T: Serialize> Serialize for Tagged<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(TAGGED, &(self.tag, &self.value))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tagged<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TAGGED, TaggedVisitor(PhantomData))
    }
}

struct TaggedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TaggedVisitor<T> {
    type Value = Tagged<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tagged item")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        // A buffer (untagged and internally tagged enums, flatten) replays what was read as it sees fit.
        inner.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let value = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok(Tagged { tag, value })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        match map.next_entry::<BufferedKey, (u64, T)>()? {
            Some((BufferedKey, (tag, value))) => Ok(Tagged { tag, value }),
            None => Err(de::Error::invalid_type(de::Unexpected::Map, &self)),
        }
    }
}

/// The one key of the map that stands for a tagged item where serde buffers it.
struct BufferedKey;

impl<'de> Deserialize<'de> for BufferedKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Key;
        impl Visitor<'_> for Key {
            type Value = BufferedKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a tagged item")
            }

            fn visit_str<E: de::Error>(self, key: &str) -> Result<BufferedKey, E> {
                if key == TAGGED {
                    Ok(BufferedKey)
                } else {
                    Err(E::invalid_type(de::Unexpected::Map, &self))
                }
            }
        }
        deserializer.deserialize_str(Key)
    }
}
