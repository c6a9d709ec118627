//! The small floats in serde: written as the float they are, read with one rounding from any number.

use crate::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
    Integer, Number, SmallFloat,
};
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// Hands the ten formats, each with the private name it is asked for by, to another macro.
macro_rules! small_floats {
    ($callback:ident) => {
        $callback! {
            F16 "$calibor::f16"
            BF16 "$calibor::bf16"
            F8E4M3FN "$calibor::f8e4m3fn"
            F8E5M2 "$calibor::f8e5m2"
            F8E4M3FNUZ "$calibor::f8e4m3fnuz"
            F8E5M2FNUZ "$calibor::f8e5m2fnuz"
            F6E2M3FN "$calibor::f6e2m3fn"
            F6E3M2FN "$calibor::f6e3m2fn"
            F4E2M1FN "$calibor::f4e2m1fn"
            F8E8M0FNU "$calibor::f8e8m0fnu"
        }
    };
}

pub(crate) use small_floats;

macro_rules! implement {
    ($( $ty:ident $name:literal )*) => { $(
        impl Serialize for $ty {
            /// Writes the value as a float, widened exactly: a profile that keeps widths (CTAP2) writes binary32, the
            /// narrowest that serde knows.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f32(self.to_f32())
            }
        }

        impl<'de> Deserialize<'de> for $ty {
            /// Reads a number with one rounding; from CBOR straight from the item, from other formats from what
            /// they hand over.
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_newtype_struct($name, SmallVisitor(PhantomData))
            }
        }
    )* };
}

small_floats!(implement);

struct SmallVisitor<T>(PhantomData<T>);

impl<'de, T: SmallFloat> Visitor<'de> for SmallVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number for {}", T::NAME)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        Ok(Number::from_f64_bits(value.to_bits()).round().0)
    }

    fn visit_f32<E: de::Error>(self, value: f32) -> Result<T, E> {
        let bits = crate::float::f32_to_f64_bits(value.to_bits());
        Ok(Number::from_f64_bits(bits).round().0)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        self.visit_u128(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        self.visit_i128(value.into())
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<T, E> {
        Ok(Number::binary(Integer::new(false, value), 0).round().0)
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<T, E> {
        Ok(Number::binary(Integer::new(value < 0, value.unsigned_abs()), 0).round().0)
    }

    /// Text formats may hand over the decimal itself.
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
