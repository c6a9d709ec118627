//! The types of elements by the names `safetensors` gives them.

use super::element::{ByteOrder, Element};
use crate::float::F16;
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;
use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{Serialize, Serializer};

macro_rules! dtypes {
    ($( $(#[$doc:meta])* $variant:ident $name:literal $bits:literal $tag:expr; )*) => {
        /// The type of a tensor's elements.
        ///
        /// In CBOR and as text it is its name, never a number. The order is that of `safetensors`, by which it
        /// lays out a file: from the narrowest to the widest.
        ///
        /// ```
        /// use calibor::array::DType;
        ///
        /// assert_eq!(DType::F8E4M3.to_string(), "F8_E4M3");
        /// assert_eq!("BF16".parse(), Ok(DType::BF16));
        /// assert_eq!(calibor::to_vec(&DType::BF16)?, b"\x64BF16");
        /// # Ok::<(), calibor::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DType { $( $(#[$doc])* $variant, )* }

        impl DType {
            /// Every type, from the narrowest to the widest.
            pub const ALL: &'static [DType] = &[$( DType::$variant, )*];

            /// The name that `safetensors` has for it.
            ///
            /// ```
            /// assert_eq!(calibor::array::DType::F8E5M2Fnuz.name(), "F8_E5M2FNUZ");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( DType::$variant => $name, )* }
            }

            /// Bits of an element.
            ///
            /// ```
            /// assert_eq!(calibor::array::DType::F6E2M3.bits(), 6);
            /// ```
            #[must_use]
            pub const fn bits(self) -> u64 {
                match self { $( DType::$variant => $bits, )* }
            }

            /// The tag of its typed array, the least significant byte first; none where RFC 8746 has none.
            ///
            /// ```
            /// use calibor::array::DType;
            ///
            /// assert_eq!((DType::F16.tag(), DType::BF16.tag()), (Some(84), None));
            /// ```
            #[must_use]
            pub const fn tag(self) -> Option<u64> {
                match self { $( DType::$variant => $tag, )* }
            }
        }
    };
}

dtypes! {
    /// A byte that is 0 or 1.
    Bool "BOOL" 8 None;
    /// [`F4E2M1FN`](crate::float::F4E2M1FN), two to a byte, the first in the low nibble.
    F4 "F4" 4 None;
    /// [`F6E2M3FN`](crate::float::F6E2M3FN), four in three bytes, the first in the lowest bits.
    F6E2M3 "F6_E2M3" 6 None;
    /// [`F6E3M2FN`](crate::float::F6E3M2FN), four in three bytes, the first in the lowest bits.
    F6E3M2 "F6_E3M2" 6 None;
    /// Unsigned, 8 bits.
    U8 "U8" 8 Some(u8::LITTLE);
    /// Signed, 8 bits.
    I8 "I8" 8 Some(i8::LITTLE);
    /// [`F8E5M2`](crate::float::F8E5M2).
    F8E5M2 "F8_E5M2" 8 None;
    /// [`F8E4M3FN`](crate::float::F8E4M3FN).
    F8E4M3 "F8_E4M3" 8 None;
    /// [`F8E8M0FNU`](crate::float::F8E8M0FNU), the scales of blocks.
    F8E8M0 "F8_E8M0" 8 None;
    /// [`F8E4M3FNUZ`](crate::float::F8E4M3FNUZ).
    F8E4M3Fnuz "F8_E4M3FNUZ" 8 None;
    /// [`F8E5M2FNUZ`](crate::float::F8E5M2FNUZ).
    F8E5M2Fnuz "F8_E5M2FNUZ" 8 None;
    /// Signed, 16 bits.
    I16 "I16" 16 Some(i16::LITTLE);
    /// Unsigned, 16 bits.
    U16 "U16" 16 Some(u16::LITTLE);
    /// [`F16`](crate::float::F16).
    F16 "F16" 16 Some(F16::LITTLE);
    /// [`BF16`](crate::float::BF16).
    BF16 "BF16" 16 None;
    /// Signed, 32 bits.
    I32 "I32" 32 Some(i32::LITTLE);
    /// Unsigned, 32 bits.
    U32 "U32" 32 Some(u32::LITTLE);
    /// binary32.
    F32 "F32" 32 Some(f32::LITTLE);
    /// Two binary32, the real part first.
    C64 "C64" 64 None;
    /// binary64.
    F64 "F64" 64 Some(f64::LITTLE);
    /// Signed, 64 bits.
    I64 "I64" 64 Some(i64::LITTLE);
    /// Unsigned, 64 bits.
    U64 "U64" 64 Some(u64::LITTLE);
}

impl DType {
    /// Bytes of so many elements; none where that is more than there can be.
    pub(super) const fn bytes(self, elements: u64) -> Option<u64> {
        match elements.checked_mul(self.bits()) {
            Some(bits) => Some(bits.div_ceil(8)),
            None => None,
        }
    }

    /// The type whose typed array has this tag, and the byte order.
    pub(super) fn of_tag(tag: u64) -> Option<(Self, ByteOrder)> {
        // RFC 8746 §2.1: the tag is 0b010_f_s_e_ll, where e tells the orders apart.
        const LITTLE: u64 = 4;
        let of = |tag| DType::ALL.iter().copied().find(|dtype| dtype.tag() == Some(tag));
        if let Some(dtype) = of(tag) {
            return Some((dtype, ByteOrder::Little));
        }
        let dtype = of(tag | LITTLE).filter(|dtype| dtype.bits() > 8)?;
        Some((dtype, ByteOrder::Big))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no [`DType`] has.
///
/// ```
/// use calibor::array::DType;
///
/// let error = "F128".parse::<DType>().unwrap_err();
/// assert_eq!(error.to_string(), r#"unknown dtype "F128""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDType(String);

impl fmt::Display for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown dtype {:?}", self.0)
    }
}

impl core::error::Error for UnknownDType {}

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(name: &str) -> Result<Self, UnknownDType> {
        let found = DType::ALL.iter().find(|dtype| dtype.name() == name);
        found.copied().ok_or_else(|| UnknownDType(name.to_owned()))
    }
}

impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = DType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dtype")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<DType, E> {
                name.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Name)
    }
}
