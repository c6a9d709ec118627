//! Tensors: bytes, a shape and what the bytes are.

use super::dtype::DType;
use super::element::{self, ByteOrder, Scalar};
use super::multi::{beyond, product};
use super::view::Elements;
use crate::error::{Error, Result};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A tensor: elements in row-major order, the least significant byte first, as `safetensors` has them.
///
/// The bytes are borrowed from the input where they can be, and pass unchanged: what a signalling NaN is, stays one.
///
/// Where RFC 8746 has a tag for the elements, CBOR has a typed array in tag 40. Formats without one (bf16, fp8, fp6,
/// fp4, bool, complex) and tensors without elements, which tag 40 does not have, are a map that names the format.
///
/// ```
/// use calibor::array::{DType, Tensor};
/// use calibor::float::{BF16, F16};
///
/// let values = [1.0, -2.5].map(F16::from_f32);
/// let halves = Tensor::from_elements([1, 2], &values)?;
/// let bytes = b"\xd8\x28\x82\x82\x01\x02\xd8\x54\x44\x00\x3c\x00\xc1"; // 40([[1, 2], 84(h'003c00c1')])
/// assert_eq!(calibor::to_vec(&halves)?, bytes);
///
/// let brain = Tensor::new(DType::BF16, [2], &b"\x80\x3f\x20\xc0"[..])?;
/// // {"data": h'803f20c0', "dtype": "BF16", "shape": [2]}
/// let bytes = b"\xa3\x64data\x44\x80\x3f\x20\xc0\x65dtype\x64BF16\x65shape\x81\x02";
/// assert_eq!(calibor::to_vec(&brain)?, bytes);
///
/// let brain: Tensor<'_> = calibor::from_slice(bytes)?;
/// assert_eq!(brain.elements::<BF16>()?.get(1), Some(BF16::from_f32(-2.5)));
/// assert_eq!(brain.to_f32()?, [1.0, -2.5]);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor<'a> {
    pub(super) dtype: DType,
    pub(super) shape: Vec<u64>,
    pub(super) data: Cow<'a, [u8]>,
}

impl<'a> Tensor<'a> {
    /// Takes bytes that are elements already, the least significant byte of each first.
    ///
    /// No dimensions are those of one element. Elements of less than a byte are packed as [`DType`] says, and the
    /// bits that the last byte has left are zero.
    ///
    /// # Errors
    ///
    /// The bytes are not as many as the shape wants, or bits that no element has are set.
    ///
    /// ```
    /// use calibor::array::{DType, Tensor};
    ///
    /// let error = Tensor::new(DType::F32, [2, 2], &[0; 15][..]).unwrap_err();
    /// assert_eq!(error.to_string(), "F32 of shape [2, 2] has 16 bytes, not 15");
    /// assert!(Tensor::new(DType::F4, [3], &b"\x21\x03"[..]).is_ok());
    /// assert!(Tensor::new(DType::F4, [3], &b"\x21\x43"[..]).is_err());
    /// ```
    pub fn new(
        dtype: DType,
        shape: impl Into<Vec<u64>>,
        data: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Self> {
        let (shape, data) = (shape.into(), data.into());
        check(dtype, &shape, data.len() as u64).map_err(Error::data)?;
        let spare = spare_bits(dtype, &shape);
        if data.last().is_some_and(|last| spare > 0 && last >> (8 - spare) != 0) {
            return Err(Error::data(format!("{dtype} of shape {shape:?} has bits past its end")));
        }
        Ok(Tensor { dtype, shape, data })
    }

    /// Elements of a Rust type, in one pass; with feature `bytemuck` on most processors without one.
    ///
    /// # Errors
    ///
    /// The elements are not as many as the shape wants, or no tensor can have them
    /// ([`Scalar::DTYPE`] is none).
    ///
    /// ```
    /// use calibor::array::{DType, Tensor};
    ///
    /// let complex = Tensor::from_elements([], &[[1.0_f32, -1.0]])?;
    /// assert_eq!(complex.dtype(), DType::C64);
    /// assert_eq!(complex.data(), b"\x00\x00\x80\x3f\x00\x00\x80\xbf");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn from_elements<T: Scalar>(shape: impl Into<Vec<u64>>, elements: &'a [T]) -> Result<Self> {
        let Some(dtype) = T::DTYPE else {
            return Err(Error::data(format!("no tensor has elements of {}", T::NAME)));
        };
        Self::new(dtype, shape, element::encode(elements, ByteOrder::Little))
    }

    /// What the elements are.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The dimensions, the slowest first.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The bytes, without those of the shape and the name.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes, copied where they were borrowed.
    #[must_use]
    pub fn into_data(self) -> Cow<'a, [u8]> {
        self.data
    }

    /// The number of elements.
    ///
    /// ```
    /// use calibor::array::{DType, Tensor};
    ///
    /// assert_eq!(Tensor::new(DType::F4, [1, 3], &b"\x21\x03"[..])?.count(), 3);
    /// assert_eq!(Tensor::new(DType::U8, [4, 0], &[][..])?.count(), 0);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn count(&self) -> u64 {
        // The shape was tested when this was made.
        product(&self.shape).unwrap_or_default()
    }

    /// The elements, still in these bytes: read one by one, copied in one pass, or seen
    /// [as a slice](Elements::as_slice) where byte order and alignment allow it.
    ///
    /// # Errors
    ///
    /// They are of another type. Nothing is converted unasked.
    ///
    /// ```
    /// use calibor::array::{DType, Tensor};
    /// use calibor::float::{BF16, F16};
    ///
    /// let brain = Tensor::new(DType::BF16, [1], &b"\x80\x3f"[..])?;
    /// assert_eq!(brain.elements::<BF16>()?.to_vec(), [BF16::from_f32(1.0)]);
    /// let error = brain.elements::<F16>().unwrap_err();
    /// assert_eq!(error.to_string(), "elements are BF16, not f16");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn elements<T: Scalar>(&self) -> Result<Elements<'_, T>> {
        let elements = Elements::new(&self.data, ByteOrder::Little);
        elements
            .filter(|_| T::DTYPE == Some(self.dtype))
            .ok_or_else(|| Error::data(format!("elements are {}, not {}", self.dtype, T::NAME)))
    }

    /// The same tensor, independent of the input.
    #[must_use]
    pub fn into_owned(self) -> Tensor<'static> {
        let Self { dtype, shape, data } = self;
        Tensor { dtype, shape, data: Cow::Owned(data.into_owned()) }
    }
}

/// Tells whether so many bytes are a tensor, from numbers alone.
pub(super) fn check(dtype: DType, shape: &[u64], bytes: u64) -> Result<(), String> {
    let wanted = product(shape).and_then(|elements| dtype.bytes(elements));
    match wanted.ok_or_else(|| beyond(shape))? {
        wanted if wanted == bytes => Ok(()),
        wanted => Err(format!("{dtype} of shape {shape:?} has {wanted} bytes, not {bytes}")),
    }
}

/// Bits of the last byte that belong to no element: 0 to 7.
fn spare_bits(dtype: DType, shape: &[u64]) -> u64 {
    let used = product(shape).map_or(0, |elements| elements.wrapping_mul(dtype.bits()) % 8);
    (8 - used) % 8
}
