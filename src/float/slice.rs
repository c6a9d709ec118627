//! Conversion in bulk, tests of exactness, and tensors as bytes.
//!
//! The loops are safe and have no branch in them, so the compiler vectorises them for whatever
//! processor it is told to build for. Feature `simd` looks at the processor it runs on, once for each slice, and
//! takes its vectors of 256 bits and its conversions of binary16. Either way each element is what the scalar
//! conversion gives, bit for bit.

use alloc::vec::Vec;
use core::fmt;

use super::round::Overflow;
use super::simd::{self, Block, Exact, ExactF32, Narrow, Widen};
use super::small::SmallFloat;

/// Two slices, or a slice and its bytes, that do not go together.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// let error = slice::from_le_bytes::<F16>(&[0, 60, 0]).unwrap_err();
/// assert_eq!(error.to_string(), "3 bytes are no whole number of f16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError(Mismatch);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mismatch {
    Bytes(usize, &'static str),
    Elements(usize, usize),
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Mismatch::Bytes(bytes, name) => {
                write!(f, "{bytes} bytes are no whole number of {name}")
            }
            Mismatch::Elements(from, to) => write!(f, "{from} elements do not fill {to}"),
        }
    }
}

impl core::error::Error for LengthError {}

/// Each to the nearest, as [`SmallFloat::from_f32_with`].
///
/// ```
/// use calibor::float::{BF16, Overflow, slice};
///
/// let halves: Vec<BF16> = slice::from_f32(&[1.0, 0.1], Overflow::Ieee);
/// assert_eq!(halves, [BF16::from_f32(1.0), BF16::from_f32(0.1)]);
/// ```
#[must_use]
pub fn from_f32<T: SmallFloat>(values: &[f32], overflow: Overflow) -> Vec<T> {
    simd::collect(Narrow::<f32, T>::new(overflow), values)
}

/// [`from_f32`] into a slice of the same length.
///
/// # Errors
///
/// [`LengthError`] where the lengths differ; nothing is written then.
///
/// ```
/// use calibor::float::{F8E4M3FN, Overflow, slice};
///
/// let mut codes = [F8E4M3FN::default(); 2];
/// slice::from_f32_into(&[1.0, 1e9], &mut codes, Overflow::Saturate)?;
/// assert_eq!(codes, [F8E4M3FN::from_f32(1.0), F8E4M3FN::MAX]);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn from_f32_into<T: SmallFloat>(
    values: &[f32],
    out: &mut [T],
    overflow: Overflow,
) -> Result<(), LengthError> {
    each(Narrow::<f32, T>::new(overflow), values, out)
}

/// Each to the nearest, with one rounding straight from binary64.
///
/// ```
/// use calibor::float::{F16, Overflow, slice};
///
/// let halves: Vec<F16> = slice::from_f64(&[65519.99999999999], Overflow::Ieee);
/// assert_eq!(halves, [F16::MAX]);
/// ```
#[must_use]
pub fn from_f64<T: SmallFloat>(values: &[f64], overflow: Overflow) -> Vec<T> {
    simd::collect(Narrow::<f64, T>::new(overflow), values)
}

/// [`from_f64`] into a slice of the same length.
///
/// # Errors
///
/// [`LengthError`] where the lengths differ; nothing is written then.
///
/// ```
/// use calibor::float::{F16, Overflow, slice};
///
/// let mut halves = [F16::default()];
/// slice::from_f64_into(&[1e-9], &mut halves, Overflow::Ieee)?;
/// assert_eq!(halves[0].to_bits(), 0);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn from_f64_into<T: SmallFloat>(
    values: &[f64],
    out: &mut [T],
    overflow: Overflow,
) -> Result<(), LengthError> {
    each(Narrow::<f64, T>::new(overflow), values, out)
}

/// Each as binary32, exactly.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// assert_eq!(slice::to_f32(&[F16::MAX, F16::EPSILON]), [65504.0, 0.0009765625]);
/// ```
#[must_use]
pub fn to_f32<T: SmallFloat>(values: &[T]) -> Vec<f32> {
    simd::collect(Widen::<T, f32>::new(), values)
}

/// [`to_f32`] into a slice of the same length.
///
/// # Errors
///
/// [`LengthError`] where the lengths differ; nothing is written then.
///
/// ```
/// use calibor::float::{BF16, slice};
///
/// let mut wide = [0.0];
/// slice::to_f32_into(&[BF16::EPSILON], &mut wide)?;
/// assert_eq!(wide, [0.0078125]);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn to_f32_into<T: SmallFloat>(values: &[T], out: &mut [f32]) -> Result<(), LengthError> {
    each(Widen::<T, f32>::new(), values, out)
}

/// Each by `From`, which loses nothing: fp8 as binary16, or with feature `half` that crate's types.
///
/// ```
/// use calibor::float::{F8E5M2, F16, slice};
///
/// let wide: Vec<F16> = slice::widen(&[F8E5M2::MAX]);
/// assert_eq!(wide[0].to_f32(), 57344.0);
/// ```
#[must_use]
pub fn widen<A: Copy, B: From<A>>(values: &[A]) -> Vec<B> {
    values.iter().map(|&value| value.into()).collect()
}

/// Each as binary64, exactly.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// assert_eq!(slice::to_f64(&[F16::MIN_POSITIVE]), [2.0_f64.powi(-14)]);
/// ```
#[must_use]
pub fn to_f64<T: SmallFloat>(values: &[T]) -> Vec<f64> {
    simd::collect(Widen::<T, f64>::new(), values)
}

/// Whether every value, or NaN bit pattern, survives in `T`.
///
/// ```
/// use calibor::float::{BF16, F16, slice};
///
/// assert!(slice::all_exact::<F16>(&[0.5, 65504.0]));
/// assert!(!slice::all_exact::<BF16>(&[0.5, 65504.0]));
/// ```
#[must_use]
pub fn all_exact<T: SmallFloat>(values: &[f32]) -> bool {
    simd::all(Exact::<f32, T>::new(), values)
}

/// [`all_exact`] for binary64.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// assert!(!slice::all_exact_f64::<F16>(&[0.5, 0.1]));
/// ```
#[must_use]
pub fn all_exact_f64<T: SmallFloat>(values: &[f64]) -> bool {
    simd::all(Exact::<f64, T>::new(), values)
}

/// Whether every binary64 survives in binary32.
///
/// ```
/// use calibor::float::slice;
///
/// assert!(slice::all_exact_f32(&[0.5, 0.1_f32.into()]));
/// ```
#[must_use]
pub fn all_exact_f32(values: &[f64]) -> bool {
    simd::all(ExactF32, values)
}

/// A tensor from little-endian bytes, at any alignment; for formats below 8 bits one code to a byte.
///
/// # Errors
///
/// [`LengthError`] where the bytes are no whole number of codes.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// assert_eq!(slice::from_le_bytes::<F16>(&[0x00, 0x3c])?, [F16::from_f32(1.0)]);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn from_le_bytes<T: SmallFloat>(bytes: &[u8]) -> Result<Vec<T>, LengthError> {
    let codes = whole::<T>(bytes)?;
    Ok(codes.map(|code| T::from_bits_u16(little(code))).collect())
}

/// A tensor from big-endian bytes, as CBOR's tag 80 has it.
///
/// # Errors
///
/// [`LengthError`] where the bytes are no whole number of codes.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// assert_eq!(slice::from_be_bytes::<F16>(&[0x3c, 0x00])?, [F16::from_f32(1.0)]);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn from_be_bytes<T: SmallFloat>(bytes: &[u8]) -> Result<Vec<T>, LengthError> {
    let codes = whole::<T>(bytes)?;
    Ok(codes.map(|code| T::from_bits_u16(little(code).swap_bytes() >> spare::<T>())).collect())
}

/// [`from_le_bytes`] into a slice that the bytes fill exactly.
///
/// # Errors
///
/// [`LengthError`] where they do not; nothing is written then.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// let mut halves = [F16::default(); 2];
/// assert!(slice::from_le_bytes_into(&[0, 0x3c], &mut halves).is_err());
/// slice::from_le_bytes_into(&[0, 0x3c, 0, 0xbc], &mut halves)?;
/// assert_eq!(halves.map(F16::to_f32), [1.0, -1.0]);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn from_le_bytes_into<T: SmallFloat>(bytes: &[u8], out: &mut [T]) -> Result<(), LengthError> {
    let codes = whole::<T>(bytes)?;
    fill(codes.map(|code| T::from_bits_u16(little(code))), out)
}

/// [`from_be_bytes`] into a slice that the bytes fill exactly.
///
/// # Errors
///
/// [`LengthError`] where they do not; nothing is written then.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// let mut halves = [F16::default(); 1];
/// slice::from_be_bytes_into(&[0x3c, 0], &mut halves)?;
/// assert_eq!(halves[0].to_f32(), 1.0);
/// # Ok::<(), slice::LengthError>(())
/// ```
pub fn from_be_bytes_into<T: SmallFloat>(bytes: &[u8], out: &mut [T]) -> Result<(), LengthError> {
    let codes = whole::<T>(bytes)?;
    fill(codes.map(|code| T::from_bits_u16(little(code).swap_bytes() >> spare::<T>())), out)
}

/// A tensor as little-endian bytes, NaN bits and all.
///
/// ```
/// use calibor::float::{BF16, slice};
///
/// assert_eq!(slice::to_le_bytes(&[BF16::from_f32(1.0)]), [0x80, 0x3f]);
/// ```
#[must_use]
pub fn to_le_bytes<T: SmallFloat>(values: &[T]) -> Vec<u8> {
    let bytes = |value: &T| value.to_bits_u16().to_le_bytes().into_iter().take(size_of::<T>());
    values.iter().flat_map(bytes).collect()
}

/// A tensor as big-endian bytes, NaN bits and all.
///
/// ```
/// use calibor::float::{F16, slice};
///
/// assert_eq!(slice::to_be_bytes(&[F16::from_f32(1.0)]), [0x3c, 0x00]);
/// ```
#[must_use]
pub fn to_be_bytes<T: SmallFloat>(values: &[T]) -> Vec<u8> {
    let bytes = |value: &T| value.to_bits_u16().to_be_bytes().into_iter().skip(2 - size_of::<T>());
    values.iter().flat_map(bytes).collect()
}

/// One to one, where the lengths agree.
fn each<S: Block>(step: S, from: &[S::From], to: &mut [S::To]) -> Result<(), LengthError> {
    same_length(from.len(), to.len())?;
    simd::convert(step, from, to);
    Ok(())
}

fn fill<B>(from: impl ExactSizeIterator<Item = B>, to: &mut [B]) -> Result<(), LengthError> {
    same_length(from.len(), to.len())?;
    for (to, from) in to.iter_mut().zip(from) {
        *to = from;
    }
    Ok(())
}

fn same_length(from: usize, to: usize) -> Result<(), LengthError> {
    if from == to { Ok(()) } else { Err(LengthError(Mismatch::Elements(from, to))) }
}

/// The codes of a tensor, 1 or 2 bytes each.
fn whole<T: SmallFloat>(bytes: &[u8]) -> Result<core::slice::ChunksExact<'_, u8>, LengthError> {
    let codes = bytes.chunks_exact(size_of::<T>());
    match codes.remainder() {
        [] => Ok(codes),
        _ => Err(LengthError(Mismatch::Bytes(bytes.len(), T::NAME))),
    }
}

/// Bits of a `u16` that a code of one byte leaves free.
const fn spare<T>() -> usize {
    16 - 8 * size_of::<T>()
}

/// 1 or 2 bytes, the first of them the lowest.
fn little(code: &[u8]) -> u16 {
    match *code {
        [low, high] => u16::from_le_bytes([low, high]),
        [byte, ..] => byte.into(),
        [] => 0,
    }
}
