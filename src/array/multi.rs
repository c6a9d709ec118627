//! Arrays of several dimensions (RFC 8746 §3.1) and of one type (§3.2).

use super::element::Element;
use super::typed::TypedArray;
use super::view::Elements;
use crate::error::{Error, Result};
use crate::tag::{Buffered, Required, TAGGED};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{self, Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

pub(super) const ROW_MAJOR: u64 = 40;
const COLUMN_MAJOR: u64 = 1040;
pub(super) const HOMOGENEOUS: u64 = 41;

/// A plain array whose elements all have one type: tag 41.
///
/// ```
/// use calibor::array::Homogeneous;
///
/// let flags = Homogeneous::new(vec![true, false]);
/// assert_eq!(calibor::to_vec(&flags)?, b"\xd8\x29\x82\xf5\xf4"); // 41([true, false])
/// # Ok::<(), calibor::Error>(())
/// ```
pub type Homogeneous<T> = Required<Vec<T>, HOMOGENEOUS>;

/// Which index of an array of several dimensions changes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// The last, as in C: tag 40.
    RowMajor,
    /// The first, as in Fortran: tag 1040.
    ColumnMajor,
}

impl Order {
    const fn tag(self) -> u64 {
        match self {
            Order::RowMajor => ROW_MAJOR,
            Order::ColumnMajor => COLUMN_MAJOR,
        }
    }
}

/// What can stand in an array of several dimensions: a plain array, a typed array, a [`Homogeneous`] one. Sealed.
pub trait Data: data::Sealed {}

mod data {
    pub trait Sealed {
        fn count(&self) -> usize;
    }
}

impl<T> Data for Vec<T> {}
impl<T> data::Sealed for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<T> Data for Homogeneous<T> {}
impl<T> data::Sealed for Homogeneous<T> {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<T: Element> Data for TypedArray<'_, T> {}
impl<T: Element> data::Sealed for TypedArray<'_, T> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<T: Element> Data for super::Packed<T> {}
impl<T: Element> data::Sealed for super::Packed<T> {
    fn count(&self) -> usize {
        self.0.len()
    }
}

/// An array of several dimensions, none of which is zero.
///
/// ```
/// use calibor::array::{MultiDim, Order, TypedArray};
///
/// let matrix = MultiDim::new(Order::RowMajor, [2, 3], vec![2, 4, 8, 4, 16, 256])?;
/// let bytes = b"\xd8\x28\x82\x82\x02\x03\x86\x02\x04\x08\x04\x10\x19\x01\x00";
/// assert_eq!(calibor::to_vec(&matrix)?, bytes); // 40([[2, 3], [2, 4, 8, 4, 16, 256]])
///
/// let bytes = b"\xd9\x04\x10\x82\x82\x01\x02\xd8\x40\x42\x07\x08"; // 1040([[1, 2], 64(h'0708')])
/// let matrix: MultiDim<TypedArray<'_, u8>> = calibor::from_slice(bytes)?;
/// assert_eq!((matrix.shape(), matrix.data().as_bytes()), (&[1, 2][..], &[7, 8][..]));
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiDim<A> {
    order: Order,
    shape: Vec<u64>,
    data: A,
}

impl<A: Data> MultiDim<A> {
    /// Gives dimensions to elements.
    ///
    /// # Errors
    ///
    /// A dimension is zero, or they do not make up the number of elements.
    ///
    /// ```
    /// use calibor::array::{MultiDim, Order};
    ///
    /// let error = MultiDim::new(Order::RowMajor, [2, 3], vec![1, 2, 3]).unwrap_err();
    /// assert_eq!(error.to_string(), "array of 3 elements for dimensions of 6");
    /// ```
    pub fn new(order: Order, shape: impl Into<Vec<u64>>, data: A) -> Result<Self> {
        let shape = shape.into();
        let wanted = product_without_zero(&shape).map_err(Error::data)?;
        fits(wanted, data.count()).map_err(Error::data)?;
        Ok(MultiDim { order, shape, data })
    }

    /// Which index changes first.
    pub const fn order(&self) -> Order {
        self.order
    }

    /// The dimensions.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The elements.
    pub const fn data(&self) -> &A {
        &self.data
    }

    /// The elements, without the dimensions.
    pub fn into_data(self) -> A {
        self.data
    }

    /// Where in the elements the one at these indexes is; none outside.
    ///
    /// ```
    /// use calibor::array::{MultiDim, Order};
    ///
    /// let data = vec!['a', 'b', 'c', 'd', 'e', 'f'];
    /// let rows = MultiDim::new(Order::RowMajor, [2, 3], data.clone())?;
    /// assert_eq!(rows.position(&[1, 0]), Some(3));
    /// let columns = MultiDim::new(Order::ColumnMajor, [2, 3], data)?;
    /// assert_eq!(columns.position(&[1, 0]), Some(1));
    /// assert_eq!(columns.position(&[2, 0]), None);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn position(&self, indexes: &[u64]) -> Option<usize> {
        if indexes.len() != self.shape.len() {
            return None;
        }
        let step = |at: u64, (&index, &dim): (&u64, &u64)| {
            (index < dim).then(|| at.checked_mul(dim)?.checked_add(index))?
        };
        let mut pairs = indexes.iter().zip(&self.shape);
        let at = match self.order {
            Order::RowMajor => pairs.try_fold(0, step),
            Order::ColumnMajor => pairs.rev().try_fold(0, step),
        };
        usize::try_from(at?).ok()
    }
}

impl<T: Element> MultiDim<TypedArray<'_, T>> {
    /// The elements of the typed array.
    ///
    /// ```
    /// use calibor::array::{MultiDim, TypedArray};
    ///
    /// let bytes = b"\xd8\x28\x82\x82\x01\x02\xd8\x41\x44\x00\x07\x00\x08"; // 40([[1, 2], 65(h'00070008')])
    /// let matrix: MultiDim<TypedArray<'_, u16>> = calibor::from_slice(bytes)?;
    /// assert_eq!(matrix.elements().to_vec(), [7, 8]);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn elements(&self) -> Elements<'_, T> {
        self.data.elements()
    }
}

/// The number of elements of a shape; none where no number of elements is as large.
pub(super) fn product(shape: &[u64]) -> Option<u64> {
    // From the left, as `safetensors` does: what it takes has to be taken here.
    shape.iter().try_fold(1_u64, |product, &dim| product.checked_mul(dim))
}

pub(super) fn product_without_zero(shape: &[u64]) -> Result<u64, String> {
    if let Some(at) = shape.iter().position(|&dim| dim == 0) {
        return Err(format!("dimension {at} is 0, which tags 40 and 1040 do not have"));
    }
    product(shape).ok_or_else(|| beyond(shape))
}

pub(super) fn beyond(shape: &[u64]) -> String {
    format!("dimensions {shape:?} make more elements than there can be")
}

fn fits(wanted: u64, count: usize) -> Result<(), String> {
    if wanted == count as u64 {
        return Ok(());
    }
    Err(format!("array of {count} elements for dimensions of {wanted}"))
}

impl<A: Serialize> Serialize for MultiDim<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let content = (&self.shape, &self.data);
        serializer.serialize_newtype_struct(TAGGED, &(self.order.tag(), content))
    }
}

impl<'de, A: Data + Deserialize<'de>> Deserialize<'de> for MultiDim<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MultiDimVisitor<A>(PhantomData<A>);

        impl<'de, A: Data + Deserialize<'de>> Visitor<'de> for MultiDimVisitor<A> {
            type Value = MultiDim<A>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of several dimensions")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                inner: D,
            ) -> Result<Self::Value, D::Error> {
                inner.deserialize_any(Buffered(self))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
                let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                let order = match tag {
                    ROW_MAJOR => Order::RowMajor,
                    COLUMN_MAJOR => Order::ColumnMajor,
                    _ => return Err(de::Error::custom(not_dimensional(tag))),
                };
                let content = seq.next_element_seed(Content(PhantomData))?;
                let (shape, data): (Vec<u64>, A) =
                    content.ok_or_else(|| de::Error::invalid_length(1, &self))?;
                MultiDim::new(order, shape, data)
                    .map_err(|error| de::Error::custom(format_args!("tag {tag}: {error}")))
            }
        }

        deserializer.deserialize_newtype_struct(TAGGED, MultiDimVisitor(PhantomData))
    }
}

pub(super) fn not_dimensional(tag: u64) -> String {
    format!("tag {tag} is no array of several dimensions, which has tag 40 or 1040")
}

/// Dimensions and elements; what the dimensions say is tested before an element is read.
struct Content<A>(PhantomData<A>);

impl<'de, A: Data + Deserialize<'de>> DeserializeSeed<'de> for Content<A> {
    type Value = (Vec<u64>, A);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(2, self)
    }
}

impl<'de, A: Data + Deserialize<'de>> Visitor<'de> for Content<A> {
    type Value = (Vec<u64>, A);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dimensions and an array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let shape = seq.next_element_seed(Dimensions)?;
        let shape = shape.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let data = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok((shape, data))
    }
}

/// Dimensions that are not zero and whose product is a number.
pub(super) struct Dimensions;

impl<'de> DeserializeSeed<'de> for Dimensions {
    type Value = Vec<u64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u64>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Dimensions {
    type Value = Vec<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of dimensions")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Vec<u64>, S::Error> {
        let mut shape = Vec::new();
        while let Some(dim) = seq.next_element()? {
            shape.push(dim);
        }
        product_without_zero(&shape).map_err(de::Error::custom)?;
        Ok(shape)
    }
}
