//! Typed arrays (RFC 8746 §2): one byte string for many numbers, in a tag that says what they are.

use super::element::{self, ByteOrder, Element};
use super::view::Elements;
use crate::error::{Error, Result};
use crate::tag::{Buffered, Bytes, TAGGED};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{self, Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// A typed array as it stands in CBOR: its bytes, borrowed from the input where they can be.
///
/// Either byte order is read, and kept, so that the array is written as it was. Nothing is converted before it is
/// asked for: to read one of any length takes as long as to read its head.
///
/// ```
/// use calibor::array::{ByteOrder, TypedArray};
/// use calibor::float::F16;
///
/// let bytes = b"\xd8\x54\x48\x00\x00\x00\x3c\x00\xc1\xff\x7b"; // 84(h'0000003c00c1ff7b')
/// let array: TypedArray<'_, F16> = calibor::from_slice(bytes)?;
/// assert_eq!(array.elements().to_f32(), [0.0, 1.0, -2.5, 65504.0]);
/// assert_eq!(calibor::to_vec(&array)?, bytes);
///
/// let array = TypedArray::from_elements(&[1_u16, 256], ByteOrder::Big);
/// assert_eq!(calibor::to_vec(&array)?, b"\xd8\x41\x44\x00\x01\x01\x00"); // 65(h'00010100')
/// # Ok::<(), calibor::Error>(())
/// ```
pub struct TypedArray<'a, T> {
    bytes: Cow<'a, [u8]>,
    order: ByteOrder,
    element: PhantomData<T>,
}

impl<'a, T: Element> TypedArray<'a, T> {
    /// Takes bytes that are elements already.
    ///
    /// # Errors
    ///
    /// They are no whole number of elements.
    ///
    /// ```
    /// use calibor::array::{ByteOrder, TypedArray};
    ///
    /// let error = TypedArray::<u32>::new(&b"\x00\x00\x01"[..], ByteOrder::Big).unwrap_err();
    /// assert_eq!(error.to_string(), "3 bytes are no whole number of u32, which has 4");
    /// ```
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>, order: ByteOrder) -> Result<Self> {
        Self::checked(bytes.into(), order).map_err(Error::data)
    }

    fn checked(bytes: Cow<'a, [u8]>, order: ByteOrder) -> Result<Self, String> {
        if bytes.len() % T::SIZE != 0 {
            return Err(not_whole(bytes.len() as u64, T::NAME, T::SIZE as u64));
        }
        Ok(Self::of(bytes, order))
    }

    fn of(bytes: Cow<'a, [u8]>, order: ByteOrder) -> Self {
        // One byte has no order, and so its arrays do not differ in it.
        let order = if T::SIZE == 1 { ByteOrder::Little } else { order };
        TypedArray { bytes, order, element: PhantomData }
    }

    /// The bytes of elements, in one pass; with feature `bytemuck` without one where they are in that order.
    #[must_use]
    pub fn from_elements(elements: &'a [T], order: ByteOrder) -> Self {
        Self::of(element::encode(elements, order), order)
    }

    /// The tag it is written in.
    ///
    /// ```
    /// use calibor::array::{ByteOrder, Clamped, TypedArray};
    ///
    /// assert_eq!(TypedArray::from_elements(&[Clamped(7)], ByteOrder::Big).tag(), 68);
    /// ```
    #[must_use]
    pub fn tag(&self) -> u64 {
        match self.order {
            ByteOrder::Big => T::BIG,
            ByteOrder::Little => T::LITTLE,
        }
    }

    /// The elements, still in these bytes.
    #[must_use]
    pub fn elements(&self) -> Elements<'_, T> {
        self.as_elements(&self.bytes)
    }

    fn as_elements<'s>(&self, bytes: &'s [u8]) -> Elements<'s, T> {
        // The length was tested when this was made, so that there is something to look at.
        Elements::new(bytes, self.order).unwrap_or(Elements::EMPTY)
    }

    /// The order of the bytes of each element.
    #[must_use]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / T::SIZE
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements, borrowed from the input itself where [`Elements::as_slice`] has them there.
    ///
    /// ```
    /// use calibor::array::TypedArray;
    /// use std::borrow::Cow;
    ///
    /// let array: TypedArray<'_, u8> = calibor::from_slice(b"\xd8\x40\x42\x01\x02")?; // 64(h'0102')
    /// assert!(matches!(array.into_cow(), Cow::Borrowed([1, 2])));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn into_cow(self) -> Cow<'a, [T]> {
        match &self.bytes {
            Cow::Borrowed(bytes) => self.as_elements(bytes).to_cow(),
            Cow::Owned(_) => Cow::Owned(self.elements().to_vec()),
        }
    }

    /// The same array, independent of the input.
    #[must_use]
    pub fn into_owned(self) -> TypedArray<'static, T> {
        let Self { bytes, order, element } = self;
        TypedArray { bytes: Cow::Owned(bytes.into_owned()), order, element }
    }
}

/// How many bytes there are is not what their number allows.
pub(super) fn not_whole(bytes: u64, name: &str, size: u64) -> String {
    format!("{bytes} bytes are no whole number of {name}, which has {size}")
}

impl<T> Clone for TypedArray<'_, T> {
    fn clone(&self) -> Self {
        TypedArray { bytes: self.bytes.clone(), order: self.order, element: PhantomData }
    }
}

/// The same bytes in the same order, and so the same CBOR.
impl<T> PartialEq for TypedArray<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order && self.bytes == other.bytes
    }
}

impl<T> Eq for TypedArray<'_, T> {}

impl<T: Element> fmt::Debug for TypedArray<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedArray").field(&self.order).field(&self.elements()).finish()
    }
}

/// Other formats are given the tag and the bytes, as a pair that they cannot give back; [`le`](super::le) is for what
/// has to go through them.
impl<T: Element> Serialize for TypedArray<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(TAGGED, &(self.tag(), Bytes(&self.bytes)))
    }
}

impl<'de: 'a, 'a, T: Element> Deserialize<'de> for TypedArray<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TAGGED, ArrayVisitor(PhantomData))
    }
}

struct ArrayVisitor<T>(PhantomData<T>);

impl<'de, T: Element> Visitor<'de> for ArrayVisitor<T> {
    type Value = TypedArray<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a typed array of {}", T::NAME)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_any(Buffered(self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        content(tag, &mut seq)
    }
}

/// The array in a tag whose number was read.
pub(super) fn content<'de, T: Element, A: SeqAccess<'de>>(
    tag: u64,
    seq: &mut A,
) -> Result<TypedArray<'de, T>, A::Error> {
    let order = match tag {
        tag if tag == T::LITTLE => ByteOrder::Little,
        tag if tag == T::BIG => ByteOrder::Big,
        _ => return Err(de::Error::custom(wrong_tag::<T>(tag))),
    };
    let bytes = seq.next_element_seed(ByteString)?;
    let bytes = bytes.ok_or_else(|| de::Error::invalid_length(1, &"a tag and its content"))?;
    TypedArray::checked(bytes, order)
        .map_err(|words| de::Error::custom(format_args!("tag {tag}: {words}")))
}

fn wrong_tag<T: Element>(tag: u64) -> String {
    let wanted = match (T::BIG, T::LITTLE) {
        (big, little) if big == little => format!("{big}"),
        (big, little) => format!("{big} or {little}"),
    };
    let is = match element::described(tag) {
        Some((name, _)) => format!("an array of {name}"),
        None if tag == 76 => "reserved and must not be used (RFC 8746 §2.1)".into(),
        None => "no typed array".into(),
    };
    format!("tag {tag} is {is}, where {wanted} is wanted, an array of {}", T::NAME)
}

/// A byte string, borrowed where it can be.
pub(super) struct ByteString;

impl<'de> DeserializeSeed<'de> for ByteString {
    type Value = Cow<'de, [u8]>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for ByteString {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a byte string of elements")
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.into()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes))
    }
}
