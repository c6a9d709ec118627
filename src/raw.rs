//! Items that are kept as they were written.

use crate::error::Error;
use crate::profile::Profile;
use crate::tag::{Bytes, RAW};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// The bytes of one item, verbatim.
///
/// For what was signed or hashed as it was sent: the digests of an mdoc are over the received bytes of its
/// items, and a Cardano transaction is named by the hash of its body's bytes, canonical or not. On reading, the
/// item is held to the profile like any other; on writing too, so that a deterministic profile takes only what
/// is in its own form ([`Profile::WELL_FORMED`] takes anything).
///
/// Borrows from a slice, owns what comes from a reader. Cannot be read through serde's buffers: inside untagged
/// and internally tagged enums and below `flatten` the bytes are gone.
///
/// ```
/// use calibor::{Profile, RawValue};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Signed<'a> {
///     #[serde(borrow)]
///     body: RawValue<'a>,
/// }
///
/// // {"body": [_ 1]}
/// let bytes = b"\xa1\x64body\x9f\x01\xff";
/// let signed: Signed = Profile::VALID.decode(bytes)?;
/// assert_eq!(signed.body.as_bytes(), b"\x9f\x01\xff");
/// assert_eq!(signed.body.decode::<Vec<u8>>()?, [1]);
/// assert!(signed.body.check(Profile::CORE).is_err());
/// assert_eq!(Profile::VALID.encode(&signed)?, bytes);
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawValue<'a>(Cow<'a, [u8]>);

impl<'a> RawValue<'a> {
    /// Takes bytes that are one well-formed item.
    ///
    /// # Errors
    ///
    /// They are not, or nest deeper than 128 levels.
    pub fn new(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, Error> {
        let bytes = bytes.into();
        Profile::WELL_FORMED.check(&bytes)?;
        Ok(RawValue(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, copied where they were borrowed.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_owned()
    }

    /// The same item, independent of the input.
    #[must_use]
    pub fn into_owned(self) -> RawValue<'static> {
        RawValue(Cow::Owned(self.0.into_owned()))
    }

    /// For fields of types that borrow nothing, where serde wants the item to own its bytes.
    ///
    /// # Errors
    ///
    /// What the deserializer fails with.
    ///
    /// ```
    /// use calibor::RawValue;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Signed {
    ///     #[serde(deserialize_with = "RawValue::deserialize_owned")]
    ///     body: RawValue<'static>,
    /// }
    ///
    /// // {"body": [1]}
    /// let signed: Signed = calibor::from_reader(&b"\xa1\x64body\x81\x01"[..])?;
    /// assert_eq!(signed.body.as_bytes(), b"\x81\x01");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn deserialize_owned<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RawValue<'static>, D::Error> {
        RawValue::deserialize(deserializer).map(RawValue::into_owned)
    }

    /// Tells whether the item obeys a profile.
    ///
    /// # Errors
    ///
    /// As [`Profile::check`]; offsets count from the beginning of the item.
    pub fn check(&self, profile: Profile) -> Result<(), Error> {
        profile.check(&self.0)
    }

    /// Decodes the item, leniently: [`Profile::VALID`].
    ///
    /// # Errors
    ///
    /// As [`Profile::decode`].
    pub fn decode<'s, T: Deserialize<'s>>(&'s self) -> Result<T, Error> {
        Profile::VALID.decode(&self.0)
    }
}

impl fmt::Debug for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawValue({self})")
    }
}

/// Diagnostic notation.
impl fmt::Display for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        crate::diag::write_item(&mut out, &self.0).map_err(|_| fmt::Error)?;
        f.write_str(&out)
    }
}

impl TryFrom<Vec<u8>> for RawValue<'_> {
    type Error = Error;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Error> {
        Self::new(bytes)
    }
}

impl Serialize for RawValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW, &Bytes(&self.0))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, RawVisitor).map(RawValue)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item read directly by this crate's Deserializer")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_tuple_struct(RAW, 0, self)
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.into()))
    }
}
