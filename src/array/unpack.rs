//! Tensors as numbers: what is packed below a byte, binary32, blocks under a scale. Each only when asked for by name.

use super::dtype::DType;
use super::element::Scalar;
use super::tensor::Tensor;
use crate::error::{Error, Result};
use crate::float::block::{self, Block};
use crate::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
    SmallFloat, slice,
};
use alloc::format;
use alloc::vec::Vec;

/// Elements under one scale (OCP MX 1.0 §5.3.1).
const BLOCK: usize = 32;

impl Tensor<'_> {
    /// Packs fp4, two to a byte, the first in the low nibble.
    ///
    /// # Errors
    ///
    /// The elements are not as many as the shape wants.
    ///
    /// ```
    /// use calibor::{array::Tensor, float::F4E2M1FN};
    ///
    /// let codes = [1, 2, 3].map(F4E2M1FN::from_bits);
    /// let packed = Tensor::pack_f4([3], &codes)?;
    /// assert_eq!(packed.data(), b"\x21\x03");
    /// assert_eq!(packed.unpack_f4()?, codes);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn pack_f4(shape: impl Into<Vec<u64>>, codes: &[F4E2M1FN]) -> Result<Self> {
        Self::packed(DType::F4, shape.into(), codes.len(), block::f4_to_pairs(codes))
    }

    /// The codes of an fp4 tensor.
    ///
    /// # Errors
    ///
    /// The elements are something else.
    pub fn unpack_f4(&self) -> Result<Vec<F4E2M1FN>> {
        let codes = self.len().and_then(|len| block::f4_from_pairs(&self.data, len));
        codes.filter(|_| self.dtype == DType::F4).ok_or_else(|| self.not("f4e2m1fn"))
    }

    /// Packs fp6, four in three bytes, the first in the lowest bits.
    ///
    /// # Errors
    ///
    /// The elements are not as many as the shape wants.
    ///
    /// ```
    /// use calibor::{array::Tensor, float::F6E2M3FN};
    ///
    /// let codes = [0x3f, 0, 0x3f].map(F6E2M3FN::from_bits);
    /// let packed = Tensor::pack_f6([3, 1], &codes)?;
    /// assert_eq!(packed.data(), b"\x3f\xf0\x03");
    /// assert_eq!(packed.unpack_f6::<F6E2M3FN>()?, codes);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn pack_f6<T: SmallFloat>(shape: impl Into<Vec<u64>>, codes: &[T]) -> Result<Self> {
        const { assert!(T::BITS == 6, "only fp6 is packed in six bits") };
        Self::packed(f6::<T>(), shape.into(), codes.len(), block::f6_to_bytes(codes))
    }

    /// The codes of an fp6 tensor.
    ///
    /// # Errors
    ///
    /// The elements are something else.
    pub fn unpack_f6<T: SmallFloat>(&self) -> Result<Vec<T>> {
        const { assert!(T::BITS == 6, "only fp6 is packed in six bits") };
        let codes = self.len().and_then(|len| block::f6_from_bytes(&self.data, len));
        codes.filter(|_| self.dtype == f6::<T>()).ok_or_else(|| self.not(T::NAME))
    }

    /// Each element as binary32, exactly.
    ///
    /// # Errors
    ///
    /// The elements are none that binary32 has every value of: wider than 16 bits and no binary32, bool, complex.
    ///
    /// ```
    /// use calibor::array::{DType, Tensor};
    ///
    /// let codes = Tensor::new(DType::F8E4M3, [2], &b"\x38\xb8"[..])?;
    /// assert_eq!(codes.to_f32()?, [1.0, -1.0]);
    /// let error = Tensor::new(DType::F64, [], &[0; 8][..])?.to_f32().unwrap_err();
    /// assert_eq!(error.to_string(), "binary32 does not have every value of F64");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn to_f32(&self) -> Result<Vec<f32>> {
        Ok(match self.dtype {
            DType::F4 => slice::to_f32(&self.unpack_f4()?),
            DType::F6E2M3 => slice::to_f32(&self.unpack_f6::<F6E2M3FN>()?),
            DType::F6E3M2 => slice::to_f32(&self.unpack_f6::<F6E3M2FN>()?),
            DType::U8 => self.elements::<u8>()?.widen(),
            DType::I8 => self.elements::<i8>()?.widen(),
            DType::I16 => self.elements::<i16>()?.widen(),
            DType::U16 => self.elements::<u16>()?.widen(),
            DType::F32 => self.elements::<f32>()?.to_vec(),
            DType::F8E5M2 => self.elements::<F8E5M2>()?.to_f32(),
            DType::F8E4M3 => self.elements::<F8E4M3FN>()?.to_f32(),
            DType::F8E8M0 => self.elements::<F8E8M0FNU>()?.to_f32(),
            DType::F8E4M3Fnuz => self.elements::<F8E4M3FNUZ>()?.to_f32(),
            DType::F8E5M2Fnuz => self.elements::<F8E5M2FNUZ>()?.to_f32(),
            DType::F16 => self.elements::<F16>()?.to_f32(),
            DType::BF16 => self.elements::<BF16>()?.to_f32(),
            DType::Bool
            | DType::I32
            | DType::U32
            | DType::C64
            | DType::F64
            | DType::I64
            | DType::U64 => {
                let words = format!("binary32 does not have every value of {}", self.dtype);
                return Err(Error::data(words));
            }
        })
    }

    /// Each element times the scale of its block (OCP MX 1.0): the elements fp8, fp6 or fp4, 32 to a block along the
    /// last dimension, and for each block one `F8_E8M0`.
    ///
    /// # Errors
    ///
    /// The elements or the scales are something else, the last dimension is no whole number of blocks, or the scales
    /// are not one for each.
    ///
    /// ```
    /// use calibor::array::{DType, Tensor};
    /// use calibor::float::F4E2M1FN;
    ///
    /// let elements = Tensor::pack_f4([1, 32], &[F4E2M1FN::from_f32(1.5); 32])?;
    /// let scales = Tensor::new(DType::F8E8M0, [1, 1], &b"\x81"[..])?; // 2^2
    /// assert_eq!(elements.dequantize_mx(&scales)?, [6.0; 32]);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn dequantize_mx(&self, scales: &Tensor<'_>) -> Result<Vec<f32>> {
        let size = BLOCK as u64;
        let blocks = match self.shape.split_last() {
            Some((last, rest)) if last % size == 0 => Some((rest, last / size)),
            _ => None,
        };
        let wanted = blocks.map(|(rest, last)| {
            let mut shape = rest.to_vec();
            shape.push(last);
            shape
        });
        if wanted.as_deref() != Some(&scales.shape[..]) {
            let words = format!("scales {:?} are not one for 32 of {:?}", scales.shape, self.shape);
            return Err(Error::data(words));
        }
        let scales = scales.elements::<F8E8M0FNU>()?.to_cow();
        match self.dtype {
            DType::F4 => Ok(scaled(&self.unpack_f4()?, &scales)),
            DType::F6E2M3 => Ok(scaled(&self.unpack_f6::<F6E2M3FN>()?, &scales)),
            DType::F6E3M2 => Ok(scaled(&self.unpack_f6::<F6E3M2FN>()?, &scales)),
            DType::F8E4M3 => self.scaled::<F8E4M3FN>(&scales),
            DType::F8E5M2 => self.scaled::<F8E5M2>(&scales),
            _ => Err(Error::data(format!("no block of OCP MX has elements of {}", self.dtype))),
        }
    }

    fn scaled<T: Scalar + SmallFloat>(&self, scales: &[F8E8M0FNU]) -> Result<Vec<f32>> {
        Ok(scaled(&self.elements::<T>()?.to_cow(), scales))
    }

    fn packed(dtype: DType, shape: Vec<u64>, len: usize, data: Vec<u8>) -> Result<Self> {
        let tensor = Self::new(dtype, shape, data)?;
        if tensor.count() == len as u64 {
            return Ok(tensor);
        }
        let words = format!("{dtype} of shape {:?} has not {len} elements", tensor.shape);
        Err(Error::data(words))
    }

    fn len(&self) -> Option<usize> {
        usize::try_from(self.count()).ok()
    }

    fn not(&self, name: &str) -> Error {
        Error::data(format!("elements are {}, not {name}", self.dtype))
    }
}

fn f6<T: SmallFloat>() -> DType {
    if T::NAME == F6E2M3FN::NAME { DType::F6E2M3 } else { DType::F6E3M2 }
}

fn scaled<T: SmallFloat>(codes: &[T], scales: &[F8E8M0FNU]) -> Vec<f32> {
    let mut out = Vec::with_capacity(codes.len());
    for (codes, &scale) in codes.chunks_exact(BLOCK).zip(scales) {
        let elements = core::array::from_fn(|i| codes[i]);
        out.extend_from_slice(&Block { scale, elements }.dequantize());
    }
    out
}
