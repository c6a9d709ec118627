//! Typed arrays, tensors and checkpoints.

mod buffers;
#[cfg(feature = "safetensors")]
mod checkpoint;
mod hostile;
mod rows;
mod tensors;

use calibor::array::DType;

/// Bytes for any dtype: every byte value comes up, and with them NaNs of both kinds.
pub(crate) fn payload(len: usize, seed: u8) -> Vec<u8> {
    let step = |i: usize| (i.wrapping_mul(181) ^ (i >> 7) ^ usize::from(seed)) & 0xff;
    let mut bytes: Vec<u8> = (0..len).map(|i| u8::try_from(step(i)).unwrap()).collect();
    // A signalling NaN of binary16, bfloat16 and binary32, in front.
    let signals = [0x01, 0x7c, 0x81, 0x7f, 0x01, 0x00, 0x80, 0x7f];
    for (byte, signal) in bytes.iter_mut().zip(signals) {
        *byte = signal;
    }
    bytes
}

/// Shapes of every kind: of one element, odd, empty, and of several dimensions.
pub(crate) const SHAPES: [&[u64]; 8] =
    [&[], &[1], &[8], &[3, 5, 7], &[0], &[2, 0, 3], &[1, 1, 4], &[64, 33]];

/// How many bytes a tensor has, bits left over included.
pub(crate) fn len(dtype: DType, shape: &[u64]) -> usize {
    let bits = shape.iter().product::<u64>() * dtype.bits();
    usize::try_from(bits.div_ceil(8)).unwrap()
}

/// Bytes that are a tensor of this shape.
pub(crate) fn tensor_bytes(dtype: DType, shape: &[u64], seed: u8) -> Vec<u8> {
    let mut bytes = payload(len(dtype, shape), seed);
    let used = shape.iter().product::<u64>() * dtype.bits() % 8;
    if used != 0 {
        if let Some(last) = bytes.last_mut() {
            *last &= (1 << used) - 1;
        }
    }
    bytes
}
