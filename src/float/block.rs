//! Packing of formats below 8 bits, and the blocks of OCP MX: 32 elements under one power of two.

use alloc::vec::Vec;

use super::round::{Format, Overflow, Scaled, Unpacked, low_u8, low_u32};
use super::small::SmallFloat;
use super::types::{F4E2M1FN, F8E8M0FNU};

/// Two codes to a byte, the first in the low nibble (ONNX, `safetensors`, the pairs of `float4_e2m1fn_x2`).
///
/// The last high nibble of an odd number is 0.
///
/// ```
/// use calibor::float::{F4E2M1FN, block};
///
/// let codes = [1, 2, 3].map(F4E2M1FN::from_bits);
/// assert_eq!(block::f4_to_pairs(&codes), [0x21, 0x03]);
/// assert_eq!(block::f4_from_pairs(&[0x21, 0x03], 3).as_deref(), Some(&codes[..]));
/// ```
#[must_use]
pub fn f4_to_pairs(codes: &[F4E2M1FN]) -> Vec<u8> {
    let byte =
        |pair: &[F4E2M1FN]| pair.iter().rev().fold(0, |byte, code| (byte << 4) | code.to_bits());
    codes.chunks(2).map(byte).collect()
}

/// The first `len` codes of what [`f4_to_pairs`] wrote, or none if the bytes are not as many as it writes.
#[must_use]
pub fn f4_from_pairs(bytes: &[u8], len: usize) -> Option<Vec<F4E2M1FN>> {
    let codes = |&byte: &u8| [byte, byte >> 4].map(F4E2M1FN::from_bits);
    (bytes.len() == len.div_ceil(2)).then(|| bytes.iter().flat_map(codes).take(len).collect())
}

/// 32 codes in 16 bytes, the low nibbles first and then the high ones (GGUF's MXFP4).
///
/// ```
/// use calibor::float::{F4E2M1FN, block};
///
/// let mut codes = [F4E2M1FN::default(); 32];
/// codes[0] = F4E2M1FN::from_bits(1);
/// codes[16] = F4E2M1FN::from_bits(2);
/// let bytes = block::f4_to_halves(&codes);
/// assert_eq!(bytes[0], 0x21);
/// assert_eq!(block::f4_from_halves(&bytes), codes);
/// ```
#[must_use]
pub fn f4_to_halves(codes: &[F4E2M1FN; 32]) -> [u8; 16] {
    core::array::from_fn(|i| codes[i].to_bits() | (codes[i + 16].to_bits() << 4))
}

/// The 32 codes of 16 bytes, the low nibbles first and then the high ones.
#[must_use]
pub fn f4_from_halves(bytes: &[u8; 16]) -> [F4E2M1FN; 32] {
    core::array::from_fn(|i| F4E2M1FN::from_bits(bytes[i % 16] >> (i / 16 * 4)))
}

/// Four codes in three bytes, from the lowest bit on (ONNX); `ceil(6 n / 8)` bytes for n codes.
///
/// ```
/// use calibor::float::{F6E2M3FN, block};
///
/// let codes = [0x3f, 0, 0x3f, 0].map(F6E2M3FN::from_bits);
/// assert_eq!(block::f6_to_bytes(&codes), [0x3f, 0xf0, 0x03]);
/// assert_eq!(block::f6_from_bytes(&[0x3f, 0xf0, 0x03], 4).as_deref(), Some(&codes[..]));
/// ```
#[must_use]
pub fn f6_to_bytes<T: SmallFloat>(codes: &[T]) -> Vec<u8> {
    const { assert!(T::BITS == 6, "only fp6 is packed in six bits") };
    let mut bytes = Vec::with_capacity((codes.len() * 6).div_ceil(8));
    for four in codes.chunks(4) {
        let word = four.iter().rev().fold(0, |word, code| (word << 6) | code.code());
        let used = (four.len() * 6).div_ceil(8);
        bytes.extend(word.to_le_bytes().iter().take(used));
    }
    bytes
}

/// The first `len` codes of what [`f6_to_bytes`] wrote, or none if the bytes are not as many as it writes.
#[must_use]
pub fn f6_from_bytes<T: SmallFloat>(bytes: &[u8], len: usize) -> Option<Vec<T>> {
    const { assert!(T::BITS == 6, "only fp6 is packed in six bits") };
    if bytes.len() as u128 != (6 * len as u128).div_ceil(8) {
        return None;
    }
    let codes = |three: &[u8]| {
        let word = three.iter().rev().fold(0, |word, &byte| (word << 8) | u64::from(byte));
        [0, 6, 12, 18].map(|shift| T::from_code((word >> shift) & 0x3f))
    };
    Some(bytes.chunks(3).flat_map(codes).take(len).collect())
}

/// A block of OCP MX: 32 elements, each to be multiplied by one power of two.
///
/// MXFP8, MXFP6 and MXFP4 by the type of the element.
///
/// ```
/// use calibor::float::{F4E2M1FN, block::Block};
///
/// let mut values = [0.0; 32];
/// values[..3].copy_from_slice(&[1.0, 6.0, 100.0]);
/// let block: Block<F4E2M1FN> = Block::quantize(&values);
/// assert_eq!(block.scale.to_f32(), 16.0); // 100 = 1.5625 * 2^6, and the largest element is 1.5 * 2^2
/// assert_eq!(block.dequantize()[..3], [0.0, 8.0, 96.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block<T> {
    /// What every element is to be multiplied by; NaN makes all of them NaN.
    pub scale: F8E8M0FNU,
    /// The elements before that.
    pub elements: [T; 32],
}

impl<T: SmallFloat> Block<T> {
    /// Chooses the scale by the rule of OCP MX 1.0 §6.3, `floor(log2(largest)) - emax`, and rounds each
    /// element once, to nearest even, what is too large to the largest.
    ///
    /// A block with a NaN or an infinity in it becomes a NaN: the elements may have neither.
    #[must_use]
    pub fn quantize(values: &[f32; 32]) -> Self {
        let unpacked = values.map(|value| Format::F32.unpack(value.to_bits().into()));
        // binary32's exponent field of the largest magnitude says floor(log2) of all but subnormals.
        let mut largest = None;
        for number in &unpacked {
            let Unpacked::Finite(value) = number else {
                return Self { scale: F8E8M0FNU::NAN, elements: [T::from_code(0); 32] };
            };
            largest = largest.max(floor_log2(*value));
        }
        let exponent = largest.map_or(-127, |log| log - T::FORMAT.max_exponent()).clamp(-127, 127);
        let scale = F8E8M0FNU::from_bits(low_u8(u64::from((exponent + 127).unsigned_abs())));
        let element = |number| {
            let scaled = match number {
                Unpacked::Finite(value) => {
                    Unpacked::Finite(Scaled { exponent: value.exponent - exponent, ..value })
                }
                other => other,
            };
            T::from_code(T::FORMAT.pack(scaled, Overflow::Saturate).code)
        };
        Self { scale, elements: unpacked.map(element) }
    }

    /// Each element times the scale: exact, but for products past binary32's largest, which are infinite.
    #[must_use]
    pub fn dequantize(&self) -> [f32; 32] {
        let scale = Format::F8E8M0FNU.unpack(self.scale.to_bits().into());
        self.elements.map(|element| {
            let number = match (scale, T::FORMAT.unpack(element.code())) {
                (Unpacked::Finite(scale), Unpacked::Finite(value)) => {
                    let exponent = value.exponent + scale.exponent;
                    Unpacked::Finite(Scaled { exponent, ..value })
                }
                (Unpacked::Finite(_), other) => other,
                (nan, _) => nan,
            };
            f32::from_bits(low_u32(Format::F32.pack(number, Overflow::Ieee).code))
        })
    }
}

impl Block<F4E2M1FN> {
    /// 17 bytes: the scale, then the elements [in halves](f4_to_halves), as GGUF stores MXFP4.
    ///
    /// ```
    /// use calibor::float::{F4E2M1FN, block::Block};
    ///
    /// let block = Block::<F4E2M1FN>::quantize(&[1.0; 32]);
    /// assert_eq!(Block::from_gguf(&block.to_gguf()), block);
    /// ```
    #[must_use]
    pub fn to_gguf(&self) -> [u8; 17] {
        let mut bytes = [self.scale.to_bits(); 17];
        bytes[1..].copy_from_slice(&f4_to_halves(&self.elements));
        bytes
    }

    /// What [`to_gguf`](Self::to_gguf) wrote.
    #[must_use]
    pub fn from_gguf(bytes: &[u8; 17]) -> Self {
        let [scale, halves @ ..] = bytes;
        Self { scale: F8E8M0FNU::from_bits(*scale), elements: f4_from_halves(halves) }
    }
}

/// A tensor in blocks of 32, the last of them filled up with zeros.
///
/// ```
/// use calibor::float::{F8E4M3FN, block};
///
/// let blocks = block::quantize::<F8E4M3FN>(&[1.0; 40]);
/// assert_eq!(blocks.len(), 2);
/// assert_eq!(block::dequantize(&blocks)[..40], [1.0; 40]);
/// ```
#[must_use]
pub fn quantize<T: SmallFloat>(values: &[f32]) -> Vec<Block<T>> {
    let block = |piece: &[f32]| {
        let mut values = [0.0; 32];
        values[..piece.len()].copy_from_slice(piece);
        Block::quantize(&values)
    };
    values.chunks(32).map(block).collect()
}

/// All elements of all blocks, each times its scale.
#[must_use]
pub fn dequantize<T: SmallFloat>(blocks: &[Block<T>]) -> Vec<f32> {
    blocks.iter().flat_map(Block::dequantize).collect()
}

/// The exponent of the leading bit, none for zero.
fn floor_log2(value: Scaled) -> Option<i32> {
    let log = value.significand.checked_ilog2()?;
    Some(value.exponent + super::round::signed(log))
}
