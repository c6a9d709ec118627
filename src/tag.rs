//! Tags, and the private names by which this crate's own types are known to its `Serializer` and `Deserializer`.
//!
//! Each is the name of a newtype struct, so that other formats see only what is inside.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{
    self, Deserialize, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor, value,
};
use serde_core::ser::{Serialize, Serializer};

/// A pair of tag number and content.
pub(crate) const TAGGED: &str = "$calibor::Tagged";
/// The bytes of one encoded item.
pub(crate) const RAW: &str = "$calibor::RawValue";
/// A struct or map whose decimal keys travel as integers.
pub(crate) const INT_KEYS: &str = "$calibor::IntKeys";
/// The number of a simple value.
pub(crate) const SIMPLE: &str = "$calibor::Simple";
/// The bytes of a text string that is not UTF-8.
pub(crate) const TEXT: &str = "$calibor::Text";

/// A pair of tag number and content, or the content alone.
pub(crate) const MAYBE_TAGGED: &str = "$calibor::MaybeTagged";
/// The `cid` crate's own private name.
pub(crate) const CID: &str = "$__private__serde__identifier__for__cid";

/// What the content of one of these names is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Tagged,
    MaybeTagged,
    Raw,
    IntKeys,
    Simple,
    Text,
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
            TEXT => Some(Special::Text),
            "f16" => Some(Special::F16),
            "bf16" => Some(Special::Bf16),
            CID => Some(Special::Cid),
            MAYBE_TAGGED => Some(Special::MaybeTagged),
            _ => None,
        }
    }
}

/// How many `Some`s and newtypes may be open at a time where items may nest so deep.
pub(crate) const fn wrappers(levels: u32) -> u32 {
    if levels < 128 { 256 } else { levels.saturating_mul(2) }
}

/// The integer of -2^64..2^64-1 that a text spells in its one decimal form.
pub(crate) fn decimal(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let canonical = match digits.as_bytes() {
        [b'0'] => text == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let value = canonical.then(|| text.parse::<i128>().ok()).flatten()?;
    (-(1 << 64)..1 << 64).contains(&value).then_some(value)
}

/// A tag number and the content it qualifies (RFC 8949 §3.4).
///
/// Any tag is accepted on reading; its number is in [`tag`](Self::tag). Survives the buffers of untagged and
/// internally tagged enums and of `flatten`. Other formats are given a pair, which they cannot give back: an array
/// of two is no tag.
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
        inner.deserialize_any(Buffered(self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let value = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok(Tagged { tag, value })
    }
}

/// Finds the pair of a tag that went through a buffer, where it is a newtype in a newtype.
///
/// One newtype would not do. A buffer hands out what it holds with one taken off, if there is one, and an array
/// of two would be a tag; or a tag would be an array of two for somebody else's newtype around a `Vec`.
pub(crate) struct Buffered<V>(pub(crate) V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Buffered<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        inner.deserialize_any(Pair(self.0))
    }
}

/// Takes a pair and nothing else.
pub(crate) struct Pair<V>(pub(crate) V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Pair<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(seq)
    }
}

/// A value that always stands in tag `N`.
///
/// ```
/// use calibor::{Profile, Required};
///
/// /// Seconds since 1970 (RFC 8949 §3.4.2).
/// type Time = Required<u64, 1>;
///
/// assert_eq!(Profile::CORE.encode(&Time::new(5))?, b"\xc1\x05"); // 1(5)
/// assert_eq!(Profile::CORE.decode::<Time>(b"\xc1\x05")?.0, 5);
/// assert!(Profile::CORE.decode::<Time>(b"\xc0\x05").is_err()); // 0(5)
/// assert!(Profile::CORE.decode::<Time>(b"\x05").is_err()); // 5
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Required<T, const N: u64>(pub T);

impl<T, const N: u64> Required<T, N> {
    /// Puts the tag on a value.
    pub const fn new(value: T) -> Self {
        Required(value)
    }
}

impl<T: Serialize, const N: u64> Serialize for Required<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Tagged::new(N, &self.0).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const N: u64> Deserialize<'de> for Required<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_newtype_struct(TAGGED, RequiredVisitor::<T, N>(PhantomData))
            .map(Required)
    }
}

struct RequiredVisitor<T, const N: u64>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: u64> Visitor<'de> for RequiredVisitor<T, N> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an item in tag {N}")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        inner.deserialize_any(Buffered(self))
    }

    /// The number is looked at before the content is read, so that the error is about the tag.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<T, A::Error> {
        let tag: u64 = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        if tag != N {
            return Err(de::Error::custom(format_args!("invalid tag: {tag}, expected {N}")));
        }
        seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))
    }
}

/// A value that is written in tag `N` and read with it or without; whether another tag may stand there is the
/// value's own matter.
///
/// ```
/// use calibor::{Accepted, Profile};
///
/// type Message = Accepted<u8, 18>;
///
/// assert_eq!(Profile::CORE.encode(&Message::new(5))?, b"\xd2\x05"); // 18(5)
/// assert_eq!(Profile::CORE.decode::<Message>(b"\xd2\x05")?.0, 5);
/// assert_eq!(Profile::CORE.decode::<Message>(b"\x05")?.0, 5);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Accepted<T, const N: u64>(pub T);

impl<T, const N: u64> Accepted<T, N> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Accepted(value)
    }
}

impl<T: Serialize, const N: u64> Serialize for Accepted<T, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Tagged::new(N, &self.0).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const N: u64> Deserialize<'de> for Accepted<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_newtype_struct(MAYBE_TAGGED, AcceptedVisitor::<T, N>(PhantomData))
            .map(Accepted)
    }
}

struct AcceptedVisitor<T, const N: u64>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: u64> Visitor<'de> for AcceptedVisitor<T, N> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an item, in tag {N} or in none")
    }

    /// This crate's `Deserializer`, which can look at the tag without reading it.
    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        let number = usize::try_from(N).unwrap_or(usize::MAX);
        inner.deserialize_tuple_struct(MAYBE_TAGGED, number, ItemVisitor::<T, N>(PhantomData))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        inner.deserialize_any(AnyVisitor::<T, N>(PhantomData))
    }
}

/// The pair of tag `N`, or an item that is not in it.
struct ItemVisitor<T, const N: u64>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: u64> Visitor<'de> for ItemVisitor<T, N> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        AcceptedVisitor::<T, N>(PhantomData).expecting(f)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        T::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        RequiredVisitor::<T, N>(PhantomData).visit_seq(seq)
    }
}

/// What a buffer or another format hands over, which says itself whether it is a tag.
struct AnyVisitor<T, const N: u64>(PhantomData<T>);

macro_rules! hand_on {
    ($( $method:ident: $ty:ty => $deserializer:expr; )*) => { $(
        fn $method<E: de::Error>(self, value: $ty) -> Result<T, E> {
            T::deserialize($deserializer(value))
        }
    )* };
}

impl<'de, T: Deserialize<'de>, const N: u64> Visitor<'de> for AnyVisitor<T, N> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        AcceptedVisitor::<T, N>(PhantomData).expecting(f)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        inner.deserialize_any(Pair(RequiredVisitor::<T, N>(PhantomData)))
    }

    hand_on! {
        visit_bool: bool => value::BoolDeserializer::new;
        visit_i64: i64 => value::I64Deserializer::new;
        visit_i128: i128 => value::I128Deserializer::new;
        visit_u64: u64 => value::U64Deserializer::new;
        visit_u128: u128 => value::U128Deserializer::new;
        visit_f64: f64 => value::F64Deserializer::new;
        visit_str: &str => value::StrDeserializer::new;
        visit_borrowed_str: &'de str => value::BorrowedStrDeserializer::new;
        visit_string: String => value::StringDeserializer::new;
        visit_bytes: &[u8] => value::BytesDeserializer::new;
        visit_borrowed_bytes: &'de [u8] => value::BorrowedBytesDeserializer::new;
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        T::deserialize(value::UnitDeserializer::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::deserialize(value::SeqAccessDeserializer::new(seq))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(value::MapAccessDeserializer::new(map))
    }
}

/// A link of IPLD: a CID in tag 42, in [`Profile::DAG_CBOR`](crate::Profile::DAG_CBOR) and
/// [`Profile::DRISL`](crate::Profile::DRISL) the only tag there is.
///
/// Holds the bytes of the CID, without the zero byte that stands before it in CBOR. Travels as the `cid` crate's
/// `Cid` does, so that one can be read where the other was written, here and in `serde_ipld_dagcbor`.
///
/// ```
/// use calibor::{Link, Profile};
///
/// let mut cid = vec![0x01, 0x71, 0x12, 0x20];
/// cid.extend([7; 32]);
/// let bytes = Profile::DRISL.encode(&Link::new(cid.clone()))?;
/// assert_eq!(bytes[..5], *b"\xd8\x2a\x58\x25\x00"); // 42(h'00 01711220 …')
/// assert_eq!(Profile::DRISL.decode::<Link>(&bytes)?.as_bytes(), cid);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link(Vec<u8>);

impl Link {
    /// A link to what the bytes of a CID name. Whether they are a CID is seen when the link is encoded.
    pub fn new(cid: impl Into<Vec<u8>>) -> Self {
        Link(cid.into())
    }

    /// The bytes of the CID.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes of the CID.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Bytes that serialize as a byte string.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl Serialize for Link {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(CID, &Bytes(&self.0))
    }
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not by the name of a newtype: a buffer would hand out plain bytes for it.
        deserializer.deserialize_any(LinkVisitor)
    }
}

struct LinkVisitor;

impl<'de> Visitor<'de> for LinkVisitor {
    type Value = Link;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a CID in tag 42")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Link, D::Error> {
        inner.deserialize_any(CidVisitor)
    }
}

/// The content of a link: the bytes of the CID, or a tag with one byte more.
struct CidVisitor;

impl<'de> Visitor<'de> for CidVisitor {
    type Value = Link;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LinkVisitor.expecting(f)
    }

    fn visit_bytes<E: de::Error>(self, cid: &[u8]) -> Result<Link, E> {
        Ok(Link(cid.into()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Link, D::Error> {
        inner.deserialize_any(Pair(self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Link, A::Error> {
        let content = RequiredVisitor::<Content, 42>(PhantomData).visit_seq(seq)?;
        match content.0.split_first() {
            Some((0, cid)) => Ok(Link(cid.into())),
            _ => Err(de::Error::invalid_value(Unexpected::Bytes(&content.0), &self)),
        }
    }
}

/// The content of tag 42.
struct Content(Vec<u8>);

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl Visitor<'_> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a byte string")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Content, E> {
                Ok(Content(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(ContentVisitor)
    }
}
