//! Typed arrays as fields that are plain collections of numbers.

use super::element::{ByteOrder, Element, Scalar};
use super::typed::{self, TypedArray};
use crate::tag::{MAYBE_TAGGED, Pair};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde_core::de::value::SeqAccessDeserializer;
use serde_core::de::{self, Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// A collection that the functions of [`le`] and [`be`] read: `Vec<T>`, `Box<[T]>`, `Cow<[T]>`, `[T; N]`. Sealed.
pub trait Collection: collection::Sealed {}

mod collection {
    use alloc::vec::Vec;

    pub trait Sealed: Sized {
        type Element;

        /// None, with the number that is wanted, where there are not as many elements as there have to be.
        fn collect(elements: Vec<Self::Element>) -> Result<Self, usize>;
    }
}

macro_rules! collections {
    ($( [$($generics:tt)*] $ty:ty: $element:ty, |$elements:ident| $collect:expr; )*) => { $(
        impl<$($generics)*> Collection for $ty {}

        impl<$($generics)*> collection::Sealed for $ty {
            type Element = $element;

            fn collect($elements: Vec<$element>) -> Result<Self, usize> {
                $collect
            }
        }
    )* };
}

collections! {
    [T] Vec<T>: T, |elements| Ok(elements);
    [T] Box<[T]>: T, |elements| Ok(elements.into());
    [T: Clone] Cow<'_, [T]>: T, |elements| Ok(Cow::Owned(elements));
    [T, const N: usize] [T; N]: T, |elements| elements.try_into().map_err(|_| N);
}

/// Reads a typed array in either byte order, or a plain array of numbers (in tag 41 or without), each of which is
/// rounded once.
fn read<'de, C, D>(deserializer: D) -> Result<C, D::Error>
where
    C: Collection,
    C::Element: Element + Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_newtype_struct(MAYBE_TAGGED, AnyArray::<C>::NEW)
}

/// Within the visit of the array, so that an error has its place.
fn collect<C: Collection, E: de::Error>(elements: Vec<C::Element>) -> Result<C, E> {
    let found = elements.len();
    C::collect(elements)
        .map_err(|wanted| E::custom(format_args!("array of {found} where {wanted} are expected")))
}

/// Sees this crate's `Deserializer` twice: to ask it whether a tag comes, and to read what has none.
struct AnyArray<C> {
    asked: bool,
    collection: PhantomData<C>,
}

impl<C> AnyArray<C> {
    const NEW: Self = AnyArray { asked: false, collection: PhantomData };
}

impl<'de, C> Visitor<'de> for AnyArray<C>
where
    C: Collection,
    C::Element: Element + Deserialize<'de>,
{
    type Value = C;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {}, typed or plain", <C::Element as Scalar>::NAME)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<C, D::Error> {
        if self.asked {
            return inner.deserialize_seq(Plain(self));
        }
        let asking = AnyArray { asked: true, ..self };
        inner.deserialize_tuple_struct(MAYBE_TAGGED, usize::MAX, asking)
    }

    /// A buffer, or another format, that says itself whether it has a tag: one that cannot is refused by its own error,
    /// instead of taking the tag for the length of an array.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<C, D::Error> {
        inner.deserialize_any(Plain(self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<C, A::Error> {
        let tag = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        if tag == super::multi::HOMOGENEOUS {
            return seq
                .next_element_seed(Plain(AnyArray::NEW))?
                .ok_or_else(|| de::Error::invalid_length(1, &self));
        }
        collect(typed::content::<C::Element, A>(tag, &mut seq)?.elements().to_vec())
    }
}

/// An array of numbers, or a tag that went through a buffer.
struct Plain<C>(AnyArray<C>);

impl<'de, C> DeserializeSeed<'de> for Plain<C>
where
    C: Collection,
    C::Element: Element + Deserialize<'de>,
{
    type Value = C;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<C, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, C> Visitor<'de> for Plain<C>
where
    C: Collection,
    C::Element: Element + Deserialize<'de>,
{
    type Value = C;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<C, D::Error> {
        inner.deserialize_any(Pair(self.0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<C, A::Error> {
        collect(Vec::deserialize(SeqAccessDeserializer::new(seq))?)
    }
}

/// Writes a typed array, or the numbers themselves to a format for people, which would spell out the bytes.
fn write<T: Element + Serialize, S: Serializer>(
    elements: &[T],
    order: ByteOrder,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return serializer.collect_seq(elements);
    }
    TypedArray::from_elements(elements, order).serialize(serializer)
}

macro_rules! modules {
    ($( $name:ident $order:ident $tag:literal $hex:literal $words:literal; )*) => { $(
        #[doc = concat!("For `#[serde(with = \"calibor::array::", stringify!($name), "\")]`: numbers as a typed array, ", $words, ".")]
        ///
        /// Reads a typed array in either byte order, and a plain array of numbers, each rounded once; through the
        /// buffers of `flatten` and of untagged and internally tagged enums too. Formats that are human-readable, such
        /// as JSON, are given a plain array, and so is a [`Serializer`](crate::Serializer) that says it is.
        ///
        /// ```
        /// use calibor::float::F16;
        /// use serde::{Deserialize, Serialize};
        ///
        /// #[derive(Serialize, Deserialize)]
        /// struct Layer {
        #[doc = concat!("    #[serde(with = \"calibor::array::", stringify!($name), "\")]")]
        ///     weights: Vec<F16>,
        /// }
        ///
        /// let layer = Layer { weights: vec![F16::from_f32(1.0), F16::from_f32(-2.5)] };
        #[doc = concat!("// {\"weights\": ", $tag, "(h'...')}")]
        #[doc = concat!("assert_eq!(calibor::to_vec(&layer)?, b\"\\xa1\\x67weights", $hex, "\");")]
        ///
        /// // {"weights": [1, 1.0, 0.1]}
        /// let plain = b"\xa1\x67weights\x83\x01\xf9\x3c\x00\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a";
        /// let layer: Layer = calibor::from_slice(plain)?;
        /// assert_eq!(layer.weights[2].to_bits(), 0x2e66);
        /// # Ok::<(), calibor::Error>(())
        /// ```
        pub mod $name {
            use super::{ByteOrder, Collection, Deserialize, Deserializer, Element, Serialize};
            use super::Serializer;

            /// Writes a typed array.
            ///
            /// # Errors
            ///
            /// The profile has no tags.
            pub fn serialize<T: Element + Serialize, S: Serializer>(
                elements: &[T],
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                super::write(elements, ByteOrder::$order, serializer)
            }

            /// Reads a typed or a plain array.
            ///
            /// # Errors
            ///
            /// There is none, its elements are of another type, or not as many as the type takes.
            pub fn deserialize<'de, C, D>(deserializer: D) -> Result<C, D::Error>
            where
                C: Collection,
                C::Element: Element + Deserialize<'de>,
                D: Deserializer<'de>,
            {
                super::read(deserializer)
            }
        }
    )* };
}

modules! {
    be Big "80" r"\xd8\x50\x44\x3c\x00\xc1\x00" "the most significant byte first";
    le Little "84" r"\xd8\x54\x44\x00\x3c\x00\xc1" "the least significant byte first";
}

/// Numbers that are written as a typed array, the least significant byte first, and read like [`le`], for places
/// where no `with` can stand.
///
/// ```
/// use calibor::array::Packed;
/// use std::collections::BTreeMap;
///
/// let layers = BTreeMap::from([("a", Packed(vec![1.0_f32]))]);
/// let bytes = b"\xa1\x61a\xd8\x55\x44\x00\x00\x80\x3f"; // {"a": 85(h'0000803f')}
/// assert_eq!(calibor::to_vec(&layers)?, bytes);
/// assert_eq!(calibor::from_slice::<BTreeMap<&str, Packed<f32>>>(bytes)?, layers);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packed<T>(pub Vec<T>);

impl<T: Element + Serialize> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        le::serialize(&self.0, serializer)
    }
}

impl<'de, T: Element + Deserialize<'de>> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        le::deserialize(deserializer).map(Packed)
    }
}
