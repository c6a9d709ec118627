//! What a tensor is in CBOR: a typed array in tag 40, or a map that names the format.

use super::dtype::DType;
use super::element::ByteOrder;
use super::multi::{self, Dimensions, ROW_MAJOR};
use super::tensor::Tensor;
use super::typed::{ByteString, not_whole};
use crate::tag::{Buffered, Bytes, MAYBE_TAGGED, Pair, TAGGED};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{
    self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use serde_core::ser::{Serialize, SerializeStruct, Serializer};

pub(super) const DATA: &str = "data";
pub(super) const DTYPE: &str = "dtype";
pub(super) const SHAPE: &str = "shape";
const FIELDS: &[&str] = &[DATA, DTYPE, SHAPE];

/// The tag of the typed array that a tensor of this shape is; none for one that is a map.
pub(super) fn typed_array(dtype: DType, shape: &[u64]) -> Option<u64> {
    dtype.tag().filter(|_| !shape.contains(&0))
}

/// A value with a tag before it.
struct Tag<T>(u64, T);

impl<T: Serialize> Serialize for Tag<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(TAGGED, &(self.0, &self.1))
    }
}

/// Other formats are given the same maps and pairs, with the bytes as they write bytes; a pair they cannot give back.
impl Serialize for Tensor<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(tag) = typed_array(self.dtype, &self.shape) {
            let array = Tag(tag, Bytes(&self.data));
            return Tag(ROW_MAJOR, (&self.shape, array)).serialize(serializer);
        }
        let mut map = serializer.serialize_struct("Tensor", FIELDS.len())?;
        map.serialize_field(DATA, &Bytes(&self.data))?;
        map.serialize_field(DTYPE, &self.dtype)?;
        map.serialize_field(SHAPE, &self.shape)?;
        map.end()
    }
}

/// Reads what [`Serialize`] wrote, and typed arrays with the most significant byte first, which are put the other way
/// round in one pass.
impl<'de: 'a, 'a> Deserialize<'de> for Tensor<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(MAYBE_TAGGED, TensorVisitor { asked: false })
    }
}

/// Sees this crate's `Deserializer` twice: to ask it whether a tag comes, and to read what has none.
struct TensorVisitor {
    asked: bool,
}

impl<'de> Visitor<'de> for TensorVisitor {
    type Value = Tensor<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tensor: a typed array in tag 40, or a map of data, dtype and shape")
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        if self.asked {
            return inner.deserialize_struct("Tensor", FIELDS, self);
        }
        inner.deserialize_tuple_struct(MAYBE_TAGGED, usize::MAX, TensorVisitor { asked: true })
    }

    /// A buffer, or another format.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_any(Handed(self))
    }

    /// Tag 40 and its content.
    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        match seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))? {
            ROW_MAJOR => {}
            1040 => return Err(de::Error::custom("a tensor is in row-major order, tag 40")),
            tag => return Err(de::Error::custom(multi::not_dimensional(tag))),
        }
        let (shape, array) = seq
            .next_element_seed(Dimensional)?
            .ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Tensor::new(array.dtype, shape, array.data)
            .map_err(|error| de::Error::custom(format_args!("tag 40: {error}")))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let (mut data, mut dtype, mut shape) = (None, None, None);
        while let Some(field) = map.next_key_seed(Field)? {
            match field {
                DATA => once(&mut data, map.next_value_seed(ByteString)?, DATA)?,
                DTYPE => once(&mut dtype, map.next_value::<DType>()?, DTYPE)?,
                _ => once(&mut shape, map.next_value::<Vec<u64>>()?, SHAPE)?,
            }
        }
        let data = data.ok_or_else(|| de::Error::missing_field(DATA))?;
        let dtype = dtype.ok_or_else(|| de::Error::missing_field(DTYPE))?;
        let shape = shape.ok_or_else(|| de::Error::missing_field(SHAPE))?;
        if let Some(tag) = typed_array(dtype, &shape) {
            let words = format!("a tensor of {dtype} is tag {tag} in tag 40, not a map");
            return Err(de::Error::custom(words));
        }
        Tensor::new(dtype, shape, data).map_err(|error| de::Error::custom(error.detail()))
    }
}

/// What says itself whether it is a tag.
struct Handed(TensorVisitor);

impl<'de> Visitor<'de> for Handed {
    type Value = Tensor<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_any(Pair(self.0))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        self.0.visit_map(map)
    }
}

fn once<T, E: de::Error>(slot: &mut Option<T>, value: T, name: &'static str) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

/// A key of the map.
struct Field;

impl<'de> DeserializeSeed<'de> for Field {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Field {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("data, dtype or shape")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<&'static str, E> {
        let found = FIELDS.iter().find(|field| **field == name);
        found.copied().ok_or_else(|| E::unknown_field(name, FIELDS))
    }
}

/// The pair in tag 40: dimensions and a typed array.
struct Dimensional;

impl<'de> DeserializeSeed<'de> for Dimensional {
    type Value = (Vec<u64>, Array<'de>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(2, self)
    }
}

impl<'de> Visitor<'de> for Dimensional {
    type Value = (Vec<u64>, Array<'de>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dimensions and a typed array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let shape = seq
            .next_element_seed(Dimensions)?
            .ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let array = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok((shape, array))
    }
}

/// A typed array of any type that tensors have, the least significant byte first.
struct Array<'a> {
    dtype: DType,
    data: Cow<'a, [u8]>,
}

impl<'de> Deserialize<'de> for Array<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TAGGED, ArrayVisitor)
    }
}

struct ArrayVisitor;

impl<'de> Visitor<'de> for ArrayVisitor {
    type Value = Array<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a typed array")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_any(Buffered(self))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Array<'de>, S::Error> {
        let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let Some((dtype, order)) = DType::of_tag(tag) else {
            let words = format!("tag {tag} is no typed array that a tensor can have");
            return Err(de::Error::custom(words));
        };
        let bytes = seq.next_element_seed(ByteString)?;
        let bytes = bytes.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        let data = little(tag, dtype, order, bytes).map_err(de::Error::custom)?;
        Ok(Array { dtype, data })
    }
}

/// Puts the least significant byte of each element first.
fn little(
    tag: u64,
    dtype: DType,
    order: ByteOrder,
    bytes: Cow<'_, [u8]>,
) -> Result<Cow<'_, [u8]>, String> {
    let (len, size) = (bytes.len() as u64, dtype.bits() / 8);
    if len % size != 0 {
        return Err(format!("tag {tag}: {}", not_whole(len, dtype.name(), size)));
    }
    if order == ByteOrder::Little {
        return Ok(bytes);
    }
    let mut bytes = bytes.into_owned();
    match size {
        2 => reverse::<2>(&mut bytes),
        4 => reverse::<4>(&mut bytes),
        8 => reverse::<8>(&mut bytes),
        _ => {}
    }
    Ok(Cow::Owned(bytes))
}

fn reverse<const N: usize>(bytes: &mut [u8]) {
    // A length that the compiler knows makes this a shuffle of whole vectors.
    bytes.chunks_exact_mut(N).for_each(<[u8]>::reverse);
}
