//! Checkpoints: `safetensors` files as canonical CBOR, and back byte for byte.
//!
//! One document holds one file, and is written and read as a stream: memory is needed for the list of tensors, never
//! for their bytes.
//!
//! | key | what | when |
//! |---|---|---|
//! | `"header"` | byte string: the JSON header of the file, padding included | it is not the one that is made from the rest |
//! | `"tensors"` | map of name to [`Tensor`](super::Tensor) | always |
//! | `"metadata"` | map of text to text: the file's `__metadata__` | the file has one |
//!
//! Keys are in the order of [`Profile::CORE`](crate::Profile::CORE), so the document is canonical, and the same
//! whoever writes it. The header that is made from the rest is the one the `safetensors` crate writes: JSON without
//! spaces, `__metadata__` first with its keys sorted, then the tensors from the widest [`DType`] to the narrowest and by
//! name, offsets without gaps, spaces up to a multiple of 8 bytes.
//!
//! ```
//! use calibor::array::{Tensor, checkpoint};
//! use std::collections::BTreeMap;
//! use std::io::Cursor;
//!
//! let header = br#"{"w":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}  "#;
//! let mut file = (header.len() as u64).to_le_bytes().to_vec();
//! file.extend(header);
//! file.extend(b"\x00\x3c\x00\xc1");
//!
//! let mut document = Vec::new();
//! checkpoint::Checkpoint::open(Cursor::new(&file))?.to_cbor(&mut document)?;
//! // {"tensors": {"w": 40([[2], 84(h'003c00c1')])}}
//! let bytes = b"\xa1\x67tensors\xa1\x61w\xd8\x28\x82\x81\x02\xd8\x54\x44\x00\x3c\x00\xc1";
//! assert_eq!(document, bytes);
//! // Small enough to be read at once:
//! let read: BTreeMap<&str, BTreeMap<&str, Tensor<'_>>> = calibor::from_slice(&document)?;
//! assert_eq!(read["tensors"]["w"].to_f32()?, [1.0, -2.5]);
//!
//! let mut back = Vec::new();
//! checkpoint::from_cbor(Cursor::new(&document), &mut back)?;
//! assert_eq!(back, file);
//! # Ok::<(), calibor::Error>(())
//! ```

mod document;
mod header;
mod manifest;
mod source;
mod summary;

pub use document::from_cbor;
pub use manifest::{Digest, Manifest};
pub use summary::{Extreme, Summary};

use super::DType;
use crate::error::{Error, Result};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use header::Header;
use std::io::{Read, Seek, SeekFrom, Write};

/// Text beside the tensors: what `safetensors` calls `__metadata__`.
pub type Metadata = BTreeMap<String, String>;

/// A tensor of a file: everything but its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name.
    pub name: String,
    /// What the elements are.
    pub dtype: DType,
    /// The dimensions.
    pub shape: Vec<u64>,
    /// Where in the file the bytes begin.
    pub offset: u64,
    /// How many there are.
    pub len: u64,
}

/// A `safetensors` file whose header was read and found to describe the file.
#[derive(Debug)]
pub struct Checkpoint<R> {
    reader: R,
    /// The header's bytes, where it is not the one made from the rest.
    header: Option<Vec<u8>>,
    metadata: Option<Metadata>,
    entries: Vec<Entry>,
}

impl<R: Read + Seek> Checkpoint<R> {
    /// Reads the header of a file; no tensor is read before it is asked for.
    ///
    /// A `std::fs::File` is as good as anything buffered: tensors are read in large pieces.
    ///
    /// # Errors
    ///
    /// The reader fails, or the header is malformed: too long, no JSON, two tensors of one name, an unknown dtype, a
    /// shape that does not fit its bytes, bytes that belong to no tensor or to two, a file that is too short or too
    /// long.
    ///
    /// ```
    /// use calibor::array::checkpoint::Checkpoint;
    /// use std::io::Cursor;
    ///
    /// let file = b"\x38\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[0,4]}}  \0\0\0\0";
    /// let error = Checkpoint::open(Cursor::new(file)).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "safetensors header: invalid shape, data type, or offset for tensor, at byte 8"
    /// );
    /// ```
    pub fn open(mut reader: R) -> Result<Self> {
        let len = reader.seek(SeekFrom::End(0)).map_err(Error::io)?;
        reader.rewind().map_err(Error::io)?;
        let bytes = read_header(&mut reader, len)?;
        let header = Header::parse(&bytes).map_err(refused)?;
        let start = LENGTH + bytes.len() as u64;
        let entries = header.entries(start);
        let end = entries.iter().map(|entry| entry.offset + entry.len).max().unwrap_or(start);
        if end != len {
            let words = format!("the tensors end at byte {end}, the file at byte {len}");
            return Err(refused(words));
        }
        let made = header::make(header.metadata.as_ref(), &entries);
        let carried = (made != bytes).then_some(bytes);
        Ok(Checkpoint { reader, header: carried, metadata: header.metadata, entries })
    }

    /// What stands beside the tensors, none if the file does not have it at all.
    #[must_use]
    pub fn metadata(&self) -> Option<&Metadata> {
        self.metadata.as_ref()
    }

    /// The tensors in the order of their bytes.
    ///
    /// ```
    /// use calibor::array::checkpoint::Checkpoint;
    /// use std::io::Cursor;
    ///
    /// let file = b"\x38\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}  \0\0\0\0";
    /// let file = Checkpoint::open(Cursor::new(file))?;
    /// let [w] = file.entries() else { panic!() };
    /// assert_eq!((w.name.as_str(), w.dtype.name(), &w.shape[..], w.len), ("w", "F16", &[2][..], 4));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A reader of the bytes of one tensor.
    ///
    /// # Errors
    ///
    /// The reader fails.
    pub fn read(&mut self, entry: &Entry) -> Result<impl Read + use<'_, R>> {
        self.reader.seek(SeekFrom::Start(entry.offset)).map_err(Error::io)?;
        Ok((&mut self.reader).take(entry.len))
    }

    /// Reads one tensor for its least and greatest element and its NaNs.
    ///
    /// # Errors
    ///
    /// The reader fails.
    ///
    /// ```
    /// use calibor::array::checkpoint::{Checkpoint, Extreme};
    /// use std::io::Cursor;
    ///
    /// let file = b"\x38\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}  \x01\x7c\0\xc1";
    /// let mut file = Checkpoint::open(Cursor::new(file))?;
    /// let summary = file.summary(&file.entries()[0].clone())?;
    /// assert_eq!((summary.min, summary.nans), (Some(Extreme::Float(-2.5)), 1));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn summary(&mut self, entry: &Entry) -> Result<Summary> {
        let dtype = entry.dtype;
        summary::of(dtype, &mut self.read(entry)?, entry.len)
    }

    /// Writes the file as one document in [`Profile::CORE`](crate::Profile::CORE).
    ///
    /// From a `File` to a `File` the system copies the tensors itself. To anything else, such as a writer that counts
    /// for a progress bar (up to [`cbor_len`](Self::cbor_len)), put a `BufWriter` of a mebibyte in front.
    ///
    /// # Errors
    ///
    /// The reader or the writer fails.
    pub fn to_cbor<W: Write>(&mut self, writer: W) -> Result<()> {
        document::write(self, writer)
    }

    /// The length of what [`to_cbor`](Self::to_cbor) writes.
    ///
    /// ```
    /// use calibor::array::checkpoint::Checkpoint;
    /// use std::io::Cursor;
    ///
    /// let mut file = Checkpoint::open(Cursor::new(b"\x08\0\0\0\0\0\0\0{}      "))?;
    /// let mut document = Vec::new();
    /// file.to_cbor(&mut document)?;
    /// assert_eq!(document, b"\xa1\x67tensors\xa0"); // {"tensors": {}}
    /// assert_eq!(file.cbor_len(), 10);
    /// # Ok::<(), calibor::Error>(())
    /// ```
    #[must_use]
    pub fn cbor_len(&self) -> u64 {
        document::len(self)
    }

    /// The reader, wherever it was left.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

/// Bytes before the header, which say how long it is.
const LENGTH: u64 = 8;

/// What the `safetensors` crate takes for a header.
const LONGEST: u64 = 100_000_000;

fn read_header(reader: &mut impl Read, file: u64) -> Result<Vec<u8>> {
    let mut len = [0; 8];
    if file < LENGTH {
        let words = format!("the file has {file} bytes, fewer than the header's length");
        return Err(refused_at(0, words));
    }
    reader.read_exact(&mut len).map_err(Error::io)?;
    let len = u64::from_le_bytes(len);
    if len > file - LENGTH {
        let words = format!("{len} bytes of header in a file of {file}");
        return Err(refused_at(0, words));
    }
    if len > LONGEST {
        return Err(refused_at(0, format!("{len} bytes are more than {LONGEST}")));
    }
    let mut header = Vec::new();
    reader.take(len).read_to_end(&mut header).map_err(Error::io)?;
    Ok(header)
}

fn refused(words: impl core::fmt::Display) -> Error {
    refused_at(LENGTH, words)
}

/// Names of tensors stand in the words of other crates as they are; a message is one line all the same.
fn refused_at(at: u64, words: impl core::fmt::Display) -> Error {
    let mut line = String::from("safetensors header: ");
    for c in words.to_string().chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    Error::data(line).or_at(at)
}
