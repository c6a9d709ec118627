//! The CBOR document of a checkpoint: written from a file, and made a file again.

use super::header::{self, Header};
use super::source::{self, Source};
use super::{Checkpoint, Entry, LENGTH, Metadata};
use crate::array::DType;
use crate::array::multi::{ROW_MAJOR, beyond, product};
use crate::array::tensor;
use crate::array::wire::{self, DATA, DTYPE, SHAPE};
use crate::error::{Error, Result, Rule};
use crate::head::{self, Major};
use crate::write::push_string;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use std::io::{Read, Seek, SeekFrom, Write};

const HEADER: &str = "header";
const TENSORS: &str = "tensors";
const METADATA: &str = "metadata";

pub(super) fn write<R: Read + Seek, W: Write>(
    file: &mut Checkpoint<R>,
    mut writer: W,
) -> Result<()> {
    writer.write_all(&before(file)).map_err(Error::io)?;
    for index in in_key_order(&file.entries) {
        let entry = &file.entries[index];
        let (ahead, behind) = around(entry);
        writer.write_all(&ahead).map_err(Error::io)?;
        file.reader.seek(SeekFrom::Start(entry.offset)).map_err(Error::io)?;
        source::copy(&mut file.reader, entry.len, &mut writer)?;
        writer.write_all(&behind).map_err(Error::io)?;
    }
    writer.write_all(&after(file)).map_err(Error::io)?;
    writer.flush().map_err(Error::io)
}

pub(super) fn len<R>(file: &Checkpoint<R>) -> u64 {
    let heads = |entry: &Entry| {
        let (ahead, behind) = around(entry);
        ahead.len() as u64 + behind.len() as u64 + entry.len
    };
    let tensors: u64 = file.entries.iter().map(heads).sum();
    before(file).len() as u64 + tensors + after(file).len() as u64
}

/// What stands before the first tensor.
fn before<R>(file: &Checkpoint<R>) -> Vec<u8> {
    let mut out = Vec::new();
    let keys = 1 + u64::from(file.header.is_some()) + u64::from(file.metadata.is_some());
    head::push(&mut out, Major::Map, keys);
    if let Some(header) = &file.header {
        push_text(&mut out, HEADER);
        push_string(&mut out, Major::Bytes, header);
    }
    push_text(&mut out, TENSORS);
    head::push(&mut out, Major::Map, file.entries.len() as u64);
    out
}

/// What stands behind the last tensor.
fn after<R>(file: &Checkpoint<R>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(metadata) = &file.metadata {
        push_text(&mut out, METADATA);
        head::push(&mut out, Major::Map, metadata.len() as u64);
        let mut pairs: Vec<_> = metadata.iter().collect();
        pairs.sort_by(|(a, _), (b, _)| key_order(a, b));
        for (key, value) in pairs {
            push_text(&mut out, key);
            push_text(&mut out, value);
        }
    }
    out
}

/// What stands around the bytes of a tensor: the name and the heads, and the rest of the map where it is one.
fn around(entry: &Entry) -> (Vec<u8>, Vec<u8>) {
    let (mut ahead, mut behind) = (Vec::new(), Vec::new());
    push_text(&mut ahead, &entry.name);
    if let Some(tag) = wire::typed_array(entry.dtype, &entry.shape) {
        head::push(&mut ahead, Major::Tag, ROW_MAJOR);
        head::push(&mut ahead, Major::Array, 2);
        push_shape(&mut ahead, &entry.shape);
        head::push(&mut ahead, Major::Tag, tag);
    } else {
        head::push(&mut ahead, Major::Map, 3);
        push_text(&mut ahead, DATA);
        push_text(&mut behind, DTYPE);
        push_text(&mut behind, entry.dtype.name());
        push_text(&mut behind, SHAPE);
        push_shape(&mut behind, &entry.shape);
    }
    head::push(&mut ahead, Major::Bytes, entry.len);
    (ahead, behind)
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    push_string(out, Major::Text, text.as_bytes());
}

fn push_shape(out: &mut Vec<u8>, shape: &[u64]) {
    head::push(out, Major::Array, shape.len() as u64);
    for &dim in shape {
        head::push(out, Major::Unsigned, dim);
    }
}

/// The order of two text keys by their encoded bytes, of which the length comes first.
fn key_order(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn in_key_order(entries: &[Entry]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| key_order(&entries[a].name, &entries[b].name));
    order
}

/// Makes the `safetensors` file again that a document was written from, byte for byte.
///
/// The document has to be the one that [`Checkpoint::to_cbor`] writes: canonical, each tensor in its one form, and
/// with the file's own header only where that is needed and says the same as the rest.
///
/// # Errors
///
/// The reader or the writer fails, or the document is another one. Nothing is written before all of it but the bytes
/// of the tensors was read.
///
/// ```
/// use calibor::array::checkpoint::from_cbor;
/// use std::io::Cursor;
///
/// let mut file = Vec::new();
/// from_cbor(Cursor::new(b"\xa1\x67tensors\xa0"), &mut file)?; // {"tensors": {}}
/// assert_eq!(file, b"\x08\0\0\0\0\0\0\0{}      ");
/// # Ok::<(), calibor::Error>(())
/// ```
pub fn from_cbor<R: Read + Seek, W: Write>(reader: R, mut writer: W) -> Result<()> {
    let mut source = Source::new(reader)?;
    let document = Document::read(&mut source)?;
    let mut entries = document.entries;
    let made = header::make(document.metadata.as_ref(), &entries);
    let header = match document.header {
        None => made,
        Some((header, at)) if header == made => {
            let words = "the header is the one made without it, and may not be there";
            return Err(Error::data(words).or_at(at));
        }
        Some((header, at)) => {
            entries = described(&header, document.metadata.as_ref(), entries)
                .map_err(|words| Error::data(words).or_at(at))?;
            header
        }
    };
    if header.len() as u64 > super::LONGEST {
        return Err(Error::data("the tensors need a longer header than safetensors has"));
    }
    in_file_order(&mut entries, &header).map_err(Error::data)?;
    writer.write_all(&(header.len() as u64).to_le_bytes()).map_err(Error::io)?;
    writer.write_all(&header).map_err(Error::io)?;
    for entry in &entries {
        source.copy(entry.offset, entry.len, &mut writer)?;
    }
    writer.flush().map_err(Error::io)
}

/// Holds a header that was carried to what the document says.
fn described(
    header: &[u8],
    metadata: Option<&Metadata>,
    mut entries: Vec<Entry>,
) -> Result<Vec<Entry>, String> {
    let said = Header::parse(header).map_err(|words| format!("safetensors header: {words}"))?;
    if said.metadata.as_ref() != metadata {
        return Err("the header and the document differ in their metadata".into());
    }
    let mut listed = said.entries(LENGTH);
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let same = |(a, b): (&Entry, &Entry)| {
        a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.len == b.len
    };
    if listed.len() == entries.len() && listed.iter().zip(&entries).all(same) {
        return Ok(entries);
    }
    Err("the header and the document differ in their tensors".into())
}

/// Puts tensors in the order in which a header has their bytes.
fn in_file_order(entries: &mut Vec<Entry>, header: &[u8]) -> Result<(), String> {
    let listed = Header::parse(header)?.entries(0);
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let place = |entry: &Entry| {
        let found = entries.binary_search_by(|other| other.name.cmp(&entry.name));
        found.ok().and_then(|at| entries.get(at)).cloned()
    };
    let ordered: Option<Vec<Entry>> = listed.iter().map(place).collect();
    *entries = ordered.ok_or("the header names a tensor that is not there")?;
    Ok(())
}

/// A document without the bytes of its tensors; offsets are those of the bytes in it.
struct Document {
    header: Option<(Vec<u8>, u64)>,
    metadata: Option<Metadata>,
    entries: Vec<Entry>,
}

impl Document {
    fn read<R: Read + Seek>(source: &mut Source<R>) -> Result<Self> {
        let keys = source.expect(Major::Map, "a checkpoint, which is a map,")?;
        let mut order = KeyOrder::default();
        let (mut header, mut metadata, mut entries) = (None, None, None);
        for _ in 0..keys {
            let at = source.offset();
            let key = order.next(source)?;
            match key.as_str() {
                HEADER => {
                    let at = source.offset();
                    let len = source.expect(Major::Bytes, "a header, which is a byte string,")?;
                    header = Some((source.bytes(len, at)?, at));
                }
                TENSORS => entries = Some(read_tensors(source)?),
                METADATA => metadata = Some(read_metadata(source)?),
                _ => {
                    let words = format!("a checkpoint has no {key:?}");
                    return Err(Error::data(words).or_at(at));
                }
            }
        }
        if !source.is_at_end() {
            let words = "bytes follow the checkpoint";
            return Err(Error::syntax(Rule::TrailingBytes, source.offset(), words));
        }
        let entries =
            entries.ok_or_else(|| Error::data("a checkpoint has \"tensors\"").or_at(0))?;
        Ok(Document { header, metadata, entries })
    }
}

/// Keys that have to ascend.
#[derive(Default)]
struct KeyOrder(Option<String>);

impl KeyOrder {
    fn next<R: Read + Seek>(&mut self, source: &mut Source<R>) -> Result<String> {
        let at = source.offset();
        let key = source.text("a name, which is text,")?;
        let rule = match self.0.as_ref().map(|last| key_order(last, &key)) {
            None | Some(Ordering::Less) => {
                self.0 = Some(key.clone());
                return Ok(key);
            }
            Some(Ordering::Equal) => Rule::DuplicateKey,
            Some(Ordering::Greater) => Rule::UnsortedKey,
        };
        let words = format!("map key {key:?} is {}", rule.name());
        Err(Error::broken(rule, rule.reference(), Some(at), words))
    }
}

fn read_metadata<R: Read + Seek>(source: &mut Source<R>) -> Result<Metadata> {
    let pairs = source.expect(Major::Map, "metadata, which is a map,")?;
    let mut order = KeyOrder::default();
    let mut metadata = Metadata::new();
    for _ in 0..pairs {
        let key = order.next(source)?;
        metadata.insert(key, source.text("metadata, which is text,")?);
    }
    Ok(metadata)
}

fn read_tensors<R: Read + Seek>(source: &mut Source<R>) -> Result<Vec<Entry>> {
    let count = source.expect(Major::Map, "tensors, which are a map,")?;
    let mut order = KeyOrder::default();
    let mut entries = Vec::new();
    for _ in 0..count {
        let name = order.next(source)?;
        entries.push(read_tensor(source, name)?);
    }
    Ok(entries)
}

fn read_tensor<R: Read + Seek>(source: &mut Source<R>, name: String) -> Result<Entry> {
    let at = source.offset();
    let wrong = |words: String| Error::data(format!("tensor {name:?}: {words}")).or_at(at);
    let head = source.head()?;
    let (dtype, shape, offset, len) = match (head.major(), head.argument) {
        (Major::Tag, ROW_MAJOR) => {
            let pair = source.expect(Major::Array, "a shape and elements")?;
            let shape = read_shape(source)?;
            let tag = source.expect(Major::Tag, "a typed array")?;
            // Only what is least significant byte first is a tensor's own form.
            let dtype = DType::ALL.iter().find(|dtype| dtype.tag() == Some(tag));
            let dtype = *dtype.ok_or_else(|| wrong(format!("tag {tag} is no form of a tensor")))?;
            if pair != 2 || shape.contains(&0) {
                return Err(wrong("tag 40 holds no two arrays, or a dimension is 0".into()));
            }
            let (offset, len) = read_over(source)?;
            (dtype, shape, offset, len)
        }
        (Major::Map, 3) => {
            expect_key(source, DATA)?;
            let (offset, len) = read_over(source)?;
            expect_key(source, DTYPE)?;
            let dtype = source.text("a dtype, which is text,")?;
            let dtype: DType = dtype.parse().map_err(|error| wrong(format!("{error}")))?;
            expect_key(source, SHAPE)?;
            let shape = read_shape(source)?;
            if let Some(tag) = wire::typed_array(dtype, &shape) {
                return Err(wrong(format!("{dtype} is tag {tag} in tag 40, not a map")));
            }
            (dtype, shape, offset, len)
        }
        _ => return Err(wrong("neither tag 40 nor a map of data, dtype and shape".into())),
    };
    tensor::check(dtype, &shape, len).map_err(wrong)?;
    let bits = product(&shape).and_then(|elements| elements.checked_mul(dtype.bits()));
    if bits.ok_or_else(|| wrong(beyond(&shape)))? % 8 != 0 {
        return Err(wrong("no safetensors file has a tensor that ends within a byte".into()));
    }
    Ok(Entry { name, dtype, shape, offset, len })
}

/// Reads over a byte string and gives the place of its content.
fn read_over<R: Read + Seek>(source: &mut Source<R>) -> Result<(u64, u64)> {
    let at = source.offset();
    let len = source.expect(Major::Bytes, "the bytes of a tensor")?;
    let offset = source.offset();
    source.skip(len, at)?;
    Ok((offset, len))
}

fn expect_key<R: Read + Seek>(source: &mut Source<R>, key: &str) -> Result<()> {
    let at = source.offset();
    let found = source.text(format!("the key {key:?}"))?;
    if found == key {
        return Ok(());
    }
    Err(Error::data(format!("the key {key:?} is wanted, not {found:?}")).or_at(at))
}

fn read_shape<R: Read + Seek>(source: &mut Source<R>) -> Result<Vec<u64>> {
    let dims = source.expect(Major::Array, "a shape, which is an array,")?;
    (0..dims).map(|_| source.expect(Major::Unsigned, "a dimension")).collect()
}
