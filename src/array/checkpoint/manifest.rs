//! Hashes of tensors: what a checkpoint is, whatever file it is in.

use super::{Checkpoint, Entry};
use crate::array::DType;
use crate::error::{Error, Result};
use crate::tag::Bytes;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde_core::ser::{Serialize, SerializeStruct, Serializer};
use sha2::{Digest as _, Sha256};
use std::io::{Read, Seek};

/// What a tensor is, without its bytes: in CBOR a map of `"dtype"`, `"shape"` and `"sha256"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Digest {
    /// What the elements are.
    pub dtype: DType,
    /// The dimensions.
    pub shape: Vec<u64>,
    /// SHA-256 of the bytes as `safetensors` has them, the least significant first.
    pub sha256: [u8; 32],
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Digest", 3)?;
        map.serialize_field("dtype", &self.dtype)?;
        map.serialize_field("shape", &self.shape)?;
        map.serialize_field("sha256", &Bytes(&self.sha256))?;
        map.end()
    }
}

/// The hashes of all tensors of a checkpoint, by name; in CBOR a map of `"tensors"`.
///
/// It has nothing of how files are laid out: neither their order, nor the metadata, nor how tensors are divided among
/// several. So its CBOR, or the hash of that, is the identity of the weights.
///
/// ```
/// use calibor::array::checkpoint::{Checkpoint, Manifest};
/// use std::io::Cursor;
///
/// let file = b"\x38\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}   abc";
/// let mut manifest = Manifest::default();
/// manifest.add(&mut Checkpoint::open(Cursor::new(file))?)?;
/// assert_eq!(manifest.tensors["w"].sha256[..4], [0xba, 0x78, 0x16, 0xbf]);
/// // {"tensors": {"w": {"dtype": "U8", "shape": [3], "sha256": h'ba7816bf...'}}}
/// let bytes = calibor::to_vec(&manifest)?;
/// assert_eq!(bytes[..25], *b"\xa1\x67tensors\xa1\x61w\xa3\x65dtype\x62U8\x65sh");
/// # Ok::<(), calibor::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// By name.
    pub tensors: BTreeMap<String, Digest>,
}

impl Manifest {
    /// Adds the tensors of a file, which may be one of several.
    ///
    /// # Errors
    ///
    /// The reader fails, or a name is taken; nothing is added then.
    pub fn add<R: Read + Seek>(&mut self, file: &mut Checkpoint<R>) -> Result<()> {
        let entries = file.entries().to_vec();
        if let Some(twice) = entries.iter().find(|entry| self.tensors.contains_key(&entry.name)) {
            return Err(Error::data(format!("two tensors are called {:?}", twice.name)));
        }
        let digests = entries.into_iter().map(|entry| {
            let sha256 = file.sha256(&entry)?;
            let Entry { name, dtype, shape, .. } = entry;
            Ok((name, Digest { dtype, shape, sha256 }))
        });
        let digests = digests.collect::<Result<Vec<_>>>()?;
        self.tensors.extend(digests);
        Ok(())
    }
}

impl Serialize for Manifest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Manifest", 1)?;
        map.serialize_field("tensors", &self.tensors)?;
        map.end()
    }
}

impl<R: Read + Seek> Checkpoint<R> {
    /// SHA-256 of the bytes of one tensor.
    ///
    /// # Errors
    ///
    /// The reader fails.
    pub fn sha256(&mut self, entry: &Entry) -> Result<[u8; 32]> {
        let mut hash = Sha256::new();
        super::summary::each_piece(&mut self.read(entry)?, entry.len, |piece| {
            hash.update(piece);
            Ok(())
        })?;
        Ok(hash.finalize().into())
    }
}
