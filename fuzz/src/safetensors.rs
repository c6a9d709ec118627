//! Checkpoints: no header and no document stops us, and what is taken comes back byte for byte.

use crate::{Target, hex, said, sane, seeds};
use calibor::array::checkpoint::{Checkpoint, Manifest, from_cbor};
use calibor::{Error, Profile};
use safetensors::SafeTensors;
use std::io::Cursor;

pub const TARGET: Target =
    Target { name: "safetensors", steps: |_| 7, ask, seeds: safetensors_seeds };

fn ask(step: usize, data: &[u8]) {
    if step == 6 {
        return document(data);
    }
    // A fuzzer keeps no length in step with what it counts. So half of the files say a true one, which hides no header
    // from the parser, and the others what they like.
    let file = if step % 2 == 0 { data.to_vec() } else { with_length(data) };
    match step / 2 {
        0 => there_and_back(&file),
        1 => tensors(&file),
        _ => same_as_the_crate(&file),
    }
}

/// A header that ends with the last brace and the spaces behind it, its length in front.
fn with_length(data: &[u8]) -> Vec<u8> {
    let brace = data.iter().rposition(|&byte| byte == b'}').map_or(0, |at| at + 1);
    let spaces = data[brace..].iter().take_while(|&&byte| byte == b' ').count();
    [&((brace + spaces) as u64).to_le_bytes(), data].concat()
}

fn open(file: &[u8]) -> Result<Checkpoint<Cursor<&[u8]>>, Error> {
    let opened = Checkpoint::open(Cursor::new(file));
    if let Err(error) = &opened {
        sane(error, file.len());
    }
    opened
}

fn there_and_back(file: &[u8]) {
    let Ok(mut checkpoint) = open(file) else { return };
    let mut document = Vec::new();
    checkpoint.to_cbor(&mut document).expect("a vector takes it");
    assert_eq!(checkpoint.cbor_len(), document.len() as u64, "{}", hex(file));
    let check = Profile::CORE.tag_validity().check(&document);
    assert!(check.is_ok(), "{} becomes {}: {}", hex(file), hex(&document), said(&check));
    let mut back = Vec::new();
    let result = from_cbor(Cursor::new(&document), &mut back);
    assert!(
        result.is_ok() && back == file,
        "{} becomes {}, then {}: {}",
        hex(file),
        hex(&document),
        hex(&back),
        said(&result)
    );
}

/// Each tensor is where the header says, and can be looked at.
fn tensors(file: &[u8]) {
    let Ok(mut checkpoint) = open(file) else { return };
    for entry in checkpoint.entries().to_vec() {
        assert!(entry.offset + entry.len <= file.len() as u64, "{}: {entry:?}", hex(file));
        let bits = entry.shape.iter().product::<u64>() * entry.dtype.bits();
        assert_eq!(bits, 8 * entry.len, "{}: {entry:?}", hex(file));
        let summary = checkpoint.summary(&entry).expect("bytes that are there");
        assert!(summary.nans <= 8 * entry.len, "{}: {entry:?}", hex(file));
    }
    let mut manifest = Manifest::default();
    manifest.add(&mut checkpoint).expect("names that differ");
    assert_eq!(manifest.tensors.len(), checkpoint.entries().len());
}

/// What we take, the `safetensors` crate does, and has the same bytes in it.
fn same_as_the_crate(file: &[u8]) {
    let (ours, theirs) = (open(file), SafeTensors::deserialize(file));
    let Ok(ours) = ours else { return };
    let theirs = theirs.unwrap_or_else(|error| panic!("{}: the crate says {error}", hex(file)));
    assert_eq!(theirs.len(), ours.entries().len(), "{}", hex(file));
    for entry in ours.entries() {
        let view = theirs.tensor(&entry.name).expect("a tensor of that name");
        assert_eq!(view.dtype().to_string(), entry.dtype.name(), "{}", hex(file));
        let at = entry.offset as usize..(entry.offset + entry.len) as usize;
        assert_eq!(view.data(), &file[at], "{}: {entry:?}", hex(file));
    }
}

/// A document that is taken is the one that its file becomes.
fn document(data: &[u8]) {
    let mut file = Vec::new();
    if let Err(error) = from_cbor(Cursor::new(data), &mut file) {
        sane(&error, data.len());
        assert!(file.is_empty(), "{}: refused with {} bytes written", hex(data), file.len());
        return;
    }
    let check = Profile::CORE.tag_validity().check(data);
    assert!(check.is_ok(), "{} is taken: {}", hex(data), said(&check));
    let checkpoint = open(&file);
    let mut checkpoint = checkpoint.unwrap_or_else(|error| panic!("{}: {error}", hex(data)));
    let mut again = Vec::new();
    checkpoint.to_cbor(&mut again).expect("a vector takes it");
    assert_eq!(hex(&again), hex(data), "the document of {}", hex(&file));
}

/// Small files with and without their length, what is made of them, and the items of the tables.
fn safetensors_seeds() -> Vec<Vec<u8>> {
    let tensor = |dtype: &str, shape: &str, from: u32, to: u32| {
        format!(r#"{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{from},{to}]}}"#)
    };
    let headers = [
        "{}".to_owned(),
        "{}      ".to_owned(),
        r#"{"__metadata__":{"format":"pt","a":"\u00e9"}}"#.to_owned(),
        format!(r#"{{"w":{}}}"#, tensor("F16", "2", 0, 4)),
        format!(r#"{{"w":{}}}   "#, tensor("F4", "2,2", 0, 2)),
        format!(r#"{{"w":{}}}"#, tensor("F6_E2M3", "4", 0, 3)),
        format!(r#"{{"w":{}}}"#, tensor("F8_E8M0", "", 0, 1)),
        format!(r#"{{"w":{}}}"#, tensor("C64", "1", 0, 8)),
        format!(r#"{{"w":{}}}"#, tensor("U8", "0,4294967296,4294967296", 0, 0)),
        format!(r#"{{"b":{},"a":{}}}"#, tensor("U8", "1", 1, 2), tensor("I8", "1", 0, 1)),
        format!(r#"{{"__metadata__":{{}},"b":{}}}"#, tensor("BOOL", "1", 0, 1)),
        format!(r#"{{ "a" : {}, "a" : {} }}"#, tensor("I64", "0", 0, 0), tensor("F64", "0", 0, 0)),
    ];
    let mut seeds = seeds::cbor();
    for header in headers {
        for len in [0, 1, 2, 3, 4, 8] {
            let file = [header.as_bytes(), &[0x3f; 8][..len]].concat();
            let whole = with_length(&file);
            let mut document = Vec::new();
            if open(&whole).is_ok_and(|mut file| file.to_cbor(&mut document).is_ok()) {
                seeds.extend([file, whole, document]);
            }
        }
    }
    seeds
}
