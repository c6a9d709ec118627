//! What arrays are made of: types of a fixed width, the tags they have in RFC 8746, and how bytes become them.

use crate::array::DType;
use crate::float::{BF16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::convert::identity;
use core::fmt;
use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{self, Serialize, Serializer};

/// Which byte of an element comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ByteOrder {
    /// The most significant byte.
    Big,
    /// The least significant byte.
    Little,
}

impl ByteOrder {
    /// The order of the processor this was built for.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };
}

/// A type of a fixed width that elements of a tensor can have. Sealed.
///
/// Formats below a byte are none: [`Tensor`](super::Tensor) packs and unpacks them.
pub trait Scalar: Sealed + Copy + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;
    /// Bytes of an element.
    const SIZE: usize;
    /// What a [`Tensor`](super::Tensor) of them is called, if it can have them.
    const DTYPE: Option<DType>;
}

/// A type that RFC 8746 has a typed array for. Sealed.
///
/// bf16 and what is narrower than binary16 have none, and are never written as the integers their bits would be:
/// see [`Tensor`](super::Tensor).
///
/// ```
/// use calibor::{array::Element, float::F16};
///
/// assert_eq!((F16::BIG, F16::LITTLE), (80, 84));
/// assert_eq!((u8::BIG, u8::LITTLE), (64, 64)); // one byte has no order
/// ```
pub trait Element: Scalar {
    /// The tag of the array with the most significant byte first.
    const BIG: u64;
    /// The tag of the array with the least significant byte first.
    const LITTLE: u64;
}

/// An unsigned byte that arithmetic clamps to 0..=255, as JavaScript's `Uint8ClampedArray` does: tag 68.
///
/// ```
/// use calibor::array::{Clamped, Packed};
///
/// let pixels = Packed(vec![Clamped(0), Clamped(255)]);
/// assert_eq!(calibor::to_vec(&pixels)?, b"\xd8\x44\x42\x00\xff"); // 68(h'00ff')
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Clamped(pub u8);

impl Serialize for Clamped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

impl<'de> Deserialize<'de> for Clamped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(Clamped)
    }
}

/// The bits of a binary128, most significant byte first whatever the order on the wire: tags 83 and 87.
///
/// Rust has no such float, and CBOR no such item, so the bits are all there is.
///
/// ```
/// use calibor::array::{Binary128, Packed};
///
/// let one = Binary128(0x3fff_u128.wrapping_shl(112).to_be_bytes());
/// let bytes = calibor::to_vec(&Packed(vec![one]))?;
/// // 87(h'0000000000000000000000000000ff3f')
/// assert_eq!(bytes, b"\xd8\x57\x50\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\x3f");
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Binary128(pub [u8; 16]);

/// Outside a typed array it is a byte string, and to a format without any an error: its bytes are no numbers.
impl Serialize for Binary128 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return Err(ser::Error::custom("binary128 has no form that people read"));
        }
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Binary128 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bits;
        impl Visitor<'_> for Bits {
            type Value = Binary128;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the 16 bytes of a binary128")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Binary128, E> {
                let bits = bytes.try_into();
                bits.map(Binary128).map_err(|_| E::invalid_length(bytes.len(), &self))
            }
        }
        deserializer.deserialize_bytes(Bits)
    }
}

pub(super) mod sealed {
    use super::ByteOrder;

    /// Types whose every bit pattern is a value, so that bytes can be looked at as them.
    #[cfg(feature = "bytemuck")]
    pub trait Plain: bytemuck::AnyBitPattern + bytemuck::NoUninit {}
    #[cfg(feature = "bytemuck")]
    impl<T: bytemuck::AnyBitPattern + bytemuck::NoUninit> Plain for T {}

    #[cfg(not(feature = "bytemuck"))]
    pub trait Plain {}
    #[cfg(not(feature = "bytemuck"))]
    impl<T> Plain for T {}

    pub trait Sealed: Sized + Plain {
        type Bytes: Copy + Default + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

        /// The order in which memory has the bytes of an element.
        const MEMORY: ByteOrder = ByteOrder::NATIVE;

        fn from_le(bytes: Self::Bytes) -> Self;
        fn from_be(bytes: Self::Bytes) -> Self;
        fn to_le(self) -> Self::Bytes;
        fn to_be(self) -> Self::Bytes;

        /// Bytes that are elements already, where that takes no cast.
        fn view(_: &[u8]) -> Option<&[Self]> {
            None
        }
    }
}

use sealed::Sealed;

/// Types that go by the bits of a primitive integer.
macro_rules! scalars {
    ($( $ty:ty, $bits:ty, $dtype:expr, $name:literal, $from:expr, $to:expr $(, $extra:item)?; )*) => { $(
        impl Sealed for $ty {
            type Bytes = [u8; size_of::<$bits>()];

            #[inline(always)]
            fn from_le(bytes: Self::Bytes) -> Self {
                $from(<$bits>::from_le_bytes(bytes))
            }

            #[inline(always)]
            fn from_be(bytes: Self::Bytes) -> Self {
                $from(<$bits>::from_be_bytes(bytes))
            }

            #[inline(always)]
            fn to_le(self) -> Self::Bytes {
                $to(self).to_le_bytes()
            }

            #[inline(always)]
            fn to_be(self) -> Self::Bytes {
                $to(self).to_be_bytes()
            }

            $($extra)?
        }

        impl Scalar for $ty {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$bits>();
            const DTYPE: Option<DType> = $dtype;
        }
    )* };
}

scalars! {
    u8, u8, Some(DType::U8), "u8", identity, identity, fn view(bytes: &[u8]) -> Option<&[u8]> { Some(bytes) };
    Clamped, u8, None, "clamped u8", Clamped, |value: Clamped| value.0;
    u16, u16, Some(DType::U16), "u16", identity, identity;
    u32, u32, Some(DType::U32), "u32", identity, identity;
    u64, u64, Some(DType::U64), "u64", identity, identity;
    i8, i8, Some(DType::I8), "i8", identity, identity;
    i16, i16, Some(DType::I16), "i16", identity, identity;
    i32, i32, Some(DType::I32), "i32", identity, identity;
    i64, i64, Some(DType::I64), "i64", identity, identity;
    F16, u16, Some(DType::F16), "f16", F16::from_bits, F16::to_bits;
    f32, u32, Some(DType::F32), "f32", f32::from_bits, f32::to_bits;
    f64, u64, Some(DType::F64), "f64", f64::from_bits, f64::to_bits;
    Binary128, u128, None, "binary128", binary128, |value: Binary128| u128::from_be_bytes(value.0), const MEMORY: ByteOrder = ByteOrder::Big;;
    BF16, u16, Some(DType::BF16), "bf16", BF16::from_bits, BF16::to_bits;
    F8E4M3FN, u8, Some(DType::F8E4M3), "f8e4m3fn", F8E4M3FN::from_bits, F8E4M3FN::to_bits;
    F8E5M2, u8, Some(DType::F8E5M2), "f8e5m2", F8E5M2::from_bits, F8E5M2::to_bits;
    F8E4M3FNUZ, u8, Some(DType::F8E4M3Fnuz), "f8e4m3fnuz", F8E4M3FNUZ::from_bits, F8E4M3FNUZ::to_bits;
    F8E5M2FNUZ, u8, Some(DType::F8E5M2Fnuz), "f8e5m2fnuz", F8E5M2FNUZ::from_bits, F8E5M2FNUZ::to_bits;
    F8E8M0FNU, u8, Some(DType::F8E8M0), "f8e8m0fnu", F8E8M0FNU::from_bits, F8E8M0FNU::to_bits;
}

const fn binary128(bits: u128) -> Binary128 {
    Binary128(bits.to_be_bytes())
}

/// The tags of RFC 8746 §2.1, by element; a byte has one for both orders.
macro_rules! elements {
    ($( $ty:ty: $big:literal $little:literal; )*) => { $(
        impl Element for $ty {
            const BIG: u64 = $big;
            const LITTLE: u64 = $little;
        }
    )*
        /// What the elements of the array in this tag are called, and their byte order; none for tags of
        /// something else, 76 among them, which must not be used.
        pub(super) fn described(tag: u64) -> Option<(&'static str, ByteOrder)> {
            Some(match tag {
                $(
                    <$ty as Element>::LITTLE => (<$ty as Scalar>::NAME, ByteOrder::Little),
                    #[allow(unreachable_patterns, reason = "a byte has one tag for both orders")]
                    <$ty as Element>::BIG => (<$ty as Scalar>::NAME, ByteOrder::Big),
                )*
                _ => return None,
            })
        }
    };
}

elements! {
    u8: 64 64;
    Clamped: 68 68;
    u16: 65 69;
    u32: 66 70;
    u64: 67 71;
    i8: 72 72;
    i16: 73 77;
    i32: 74 78;
    i64: 75 79;
    F16: 80 84;
    f32: 81 85;
    f64: 82 86;
    Binary128: 83 87;
}

/// The two halves of a `C64`, real and imaginary. Each is in the order asked for, and the real one comes first.
impl Sealed for [f32; 2] {
    type Bytes = [u8; 8];

    fn from_le([a, b, c, d, e, f, g, h]: [u8; 8]) -> Self {
        [f32::from_le_bytes([a, b, c, d]), f32::from_le_bytes([e, f, g, h])]
    }

    fn from_be([a, b, c, d, e, f, g, h]: [u8; 8]) -> Self {
        [f32::from_be_bytes([a, b, c, d]), f32::from_be_bytes([e, f, g, h])]
    }

    fn to_le(self) -> [u8; 8] {
        let [[a, b, c, d], [e, f, g, h]] = self.map(f32::to_le_bytes);
        [a, b, c, d, e, f, g, h]
    }

    fn to_be(self) -> [u8; 8] {
        let [[a, b, c, d], [e, f, g, h]] = self.map(f32::to_be_bytes);
        [a, b, c, d, e, f, g, h]
    }
}

impl Scalar for [f32; 2] {
    const NAME: &'static str = "complex of f32";
    const SIZE: usize = 8;
    const DTYPE: Option<DType> = Some(DType::C64);
}

/// An element from its `SIZE` bytes.
#[inline(always)]
pub(super) fn read<T: Scalar>(bytes: &[u8], order: ByteOrder) -> T {
    // All callers hand over as many bytes as an element has, so that this is one load.
    let own = T::Bytes::try_from(bytes).unwrap_or_default();
    match order {
        ByteOrder::Big => T::from_be(own),
        ByteOrder::Little => T::from_le(own),
    }
}

/// All elements, in one pass.
pub(super) fn decode<T: Scalar>(bytes: &[u8], order: ByteOrder) -> Vec<T> {
    let mut elements = Vec::with_capacity(bytes.len() / T::SIZE);
    decode_into(bytes, order, &mut elements);
    elements
}

/// All elements in place of what was there before.
pub(super) fn decode_into<T: Scalar>(bytes: &[u8], order: ByteOrder, out: &mut Vec<T>) {
    out.clear();
    let elements = bytes.chunks_exact(T::SIZE);
    // The order is asked for once and not in the loop, which then is one that can be vectorised.
    match order {
        ByteOrder::Big => out.extend(elements.map(|bytes| read::<T>(bytes, ByteOrder::Big))),
        ByteOrder::Little => out.extend(elements.map(|bytes| read::<T>(bytes, ByteOrder::Little))),
    }
}

/// The bytes of elements: their own where they are in this order already and a cast is to be had.
pub(super) fn encode<T: Scalar>(values: &[T], order: ByteOrder) -> Cow<'_, [u8]> {
    #[cfg(feature = "bytemuck")]
    if order == T::MEMORY || T::SIZE == 1 {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    let mut bytes = alloc::vec![0; size_of_val(values)];
    let room = bytes.chunks_exact_mut(T::SIZE).zip(values);
    match order {
        ByteOrder::Big => room.for_each(|(to, value)| to.copy_from_slice(value.to_be().as_ref())),
        ByteOrder::Little => {
            room.for_each(|(to, value)| to.copy_from_slice(value.to_le().as_ref()));
        }
    }
    Cow::Owned(bytes)
}

/// Bytes as the elements they are, where order and alignment allow it and a cast is to be had.
pub(super) fn view<T: Scalar>(bytes: &[u8], order: ByteOrder) -> Option<&[T]> {
    if bytes.is_empty() {
        return Some(&[]);
    }
    if order != T::MEMORY && T::SIZE > 1 {
        return None;
    }
    #[cfg(feature = "bytemuck")]
    if let Ok(elements) = bytemuck::try_cast_slice(bytes) {
        return Some(elements);
    }
    T::view(bytes)
}
