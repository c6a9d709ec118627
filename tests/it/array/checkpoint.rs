//! `safetensors` files to canonical CBOR and back, byte for byte.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Cursor, Read};

use calibor::array::checkpoint::{Checkpoint, Extreme, Manifest, from_cbor};
use calibor::array::{DType, Tensor};
use calibor::{Profile, Value};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::{SHAPES, tensor_bytes};
use crate::support::to_hex;

/// The crate's own type of this name.
fn dtype(dtype: DType) -> Dtype {
    serde_json::from_value(dtype.name().into()).unwrap()
}

/// Tensors of every dtype and shape that a file can have, as the `safetensors` crate writes them.
fn every_dtype(metadata: &[(&str, &str)], seed: u8) -> Vec<u8> {
    let mut tensors = Vec::new();
    for &of in DType::ALL {
        for shape in SHAPES {
            if shape.iter().product::<u64>() * of.bits() % 8 == 0 {
                let name = format!("{of}/{}é\"\\{}", shape.len(), shape.iter().sum::<u64>());
                tensors.push((name, of, shape, tensor_bytes(of, shape, seed)));
            }
        }
    }
    let views = tensors.iter().map(|(name, of, shape, data)| {
        let shape = shape.iter().map(|&dim| usize::try_from(dim).unwrap()).collect();
        (name.clone(), TensorView::new(dtype(*of), shape, data).unwrap())
    });
    let metadata: HashMap<String, String> =
        metadata.iter().map(|&(k, v)| (k.into(), v.into())).collect();
    let metadata = (!metadata.is_empty()).then_some(metadata);
    safetensors::serialize(views, metadata).unwrap()
}

/// A file of this header, which is filled up to `pad`, and bytes.
fn file(header: &str, pad: usize, data: &[u8]) -> Vec<u8> {
    let mut header = header.as_bytes().to_vec();
    header.resize(header.len().max(pad), b' ');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(data);
    file
}

fn to_document(file: &[u8]) -> Vec<u8> {
    let mut checkpoint = Checkpoint::open(Cursor::new(file)).unwrap();
    let mut document = Vec::new();
    checkpoint.to_cbor(&mut document).unwrap();
    assert_eq!(checkpoint.cbor_len(), document.len() as u64);
    document
}

fn to_file(document: &[u8]) -> Result<Vec<u8>, calibor::Error> {
    let mut file = Vec::new();
    from_cbor(Cursor::new(document), &mut file)?;
    Ok(file)
}

/// There and back, and what lies between is canonical; says whether the header was carried.
fn round_trip(file: &[u8]) -> (Vec<u8>, bool) {
    let document = to_document(file);
    Profile::CORE.tag_validity().check(&document).unwrap();
    assert!(to_file(&document).unwrap() == file, "the file came back as another");
    let tree: BTreeMap<String, Value> = calibor::from_slice(&document).unwrap();
    let carried = tree.contains_key("header");
    assert_eq!(calibor::to_vec(&tree).unwrap(), document);
    (document, carried)
}

#[derive(serde::Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    tensors: BTreeMap<String, Tensor<'a>>,
    metadata: BTreeMap<String, String>,
}

#[test]
fn every_dtype_and_shape_comes_back() {
    let file = every_dtype(&[("format", "pt")], 5);
    let (document, carried) = round_trip(&file);
    assert!(!carried, "the crate's own header is made from the rest");

    // The tensors are those that the crate sees, and each is written as it would be alone.
    let theirs = SafeTensors::deserialize(&file).unwrap();
    let ours: Document<'_> = calibor::from_slice(&document).unwrap();
    assert_eq!(ours.metadata["format"], "pt");
    assert_eq!(ours.tensors.len(), theirs.len());
    for (name, view) in theirs.tensors() {
        let tensor = &ours.tensors[&name];
        assert_eq!(tensor.dtype().name(), view.dtype().to_string());
        assert_eq!(tensor.data(), view.data(), "{name}");
    }
}

#[test]
fn headers_of_others_are_carried() {
    let one = r#"{"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#;
    let meta =
        r#"{"__metadata__":{"a":"1","b":"2"},"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#;
    for (header, pad, data, carried) in [
        (one, 56, &b"abc"[..], false),
        (one, 53, b"abc", true),
        (one, 64, b"abc", true),
        (meta, 88, b"abc", false),
        (
            r#"{"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"__metadata__":{}}"#,
            0,
            b"abc",
            true,
        ),
        (
            r#"{"__metadata__":{},"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#,
            72,
            b"abc",
            false,
        ),
        (
            r#"{"__metadata__":{"b":"2","a":"1"},"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#,
            88,
            b"abc",
            true,
        ),
        (r#"{"w":{"shape":[3],"dtype":"U8","data_offsets":[0,3]}}"#, 56, b"abc", true),
        (r#"{ "w" : {"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#, 56, b"abc", true),
        (r#"{"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3],"more":[{}]}}"#, 0, b"abc", true),
        (r#"{"\u0077":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}"#, 56, b"abc", true),
        // Bytes in another order than that of the widths and names.
        (
            r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#,
            112,
            b"ab",
            true,
        ),
        // Without bytes, in an order of their own.
        (
            r#"{"b":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#,
            112,
            b"",
            true,
        ),
        ("{}", 8, b"", false),
        ("{}", 2, b"", true),
    ] {
        let file = file(header, pad, data);
        assert!(SafeTensors::deserialize(&file).is_ok(), "{header}");
        assert_eq!(round_trip(&file).1, carried, "{header}");
    }
}

#[test]
fn malformed_headers_are_refused_with_a_reason() {
    let refuse = |file: &[u8], words: &str| {
        let error = Checkpoint::open(Cursor::new(file)).unwrap_err();
        assert!(error.offset().is_some_and(|at| at <= file.len() as u64), "{error}");
        let error = error.to_string();
        assert!(error.contains(words), "{error} is not about {words}");
        assert_eq!(error.lines().count(), 1, "{error}");
    };
    refuse(b"\x08\0\0", "the file has 3 bytes");
    refuse(
        b"\xff\xff\xff\xff\xff\xff\xff\xff{}",
        "18446744073709551615 bytes of header in a file of 10",
    );
    refuse(b"\x03\0\0\0\0\0\0\0{}", "3 bytes of header in a file of 10");
    for (header, data, words) in [
        ("", &b""[..], "does not begin with {"),
        (" {}", b"", "does not begin with {"),
        ("[]", b"", "does not begin with {"),
        ("{", b"", "EOF"),
        ("{}x", b"", "trailing"),
        (r#"{"w":3}"#, b"", "invalid type"),
        (r#"{"w":{"dtype":"U9","shape":[],"data_offsets":[0,1]}}"#, b"a", "unknown variant `U9`"),
        (r#"{"w":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}"#, b"a", "invalid value"),
        (r#"{"w":{"dtype":"U8","data_offsets":[0,1]}}"#, b"a", "missing field `shape`"),
        (r#"{"w":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}}"#, b"a", "invalid shape"),
        (
            r#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#,
            b"ab",
            "invalid offset for tensor",
        ),
        (
            r#"{"\n":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#,
            b"ab",
            r"offset for tensor `\n`",
        ),
        (r#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#, b"", "the file at byte 61"),
        (
            r#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#,
            b"ab",
            "the tensors end at byte 62",
        ),
        (
            r#"{"w":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#,
            b"",
            // Where memory has 32 bits, the number itself is too large.
            if cfg!(target_pointer_width = "64") { "overflow" } else { "invalid value" },
        ),
        (r#"{"w":{"dtype":"F4","shape":[1],"data_offsets":[0,1]}}"#, b"a", "byte boundary"),
        (
            r#"{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#,
            b"a",
            "two tensors are called \"w\"",
        ),
        (r#"{"__metadata__":{"a":"1","a":"2"}}"#, b"", "__metadata__ has two values for \"a\""),
        (r#"{"__metadata__":{},"__metadata__":{}}"#, b"", "duplicate field"),
        (r#"{"__metadata__":{"a":1}}"#, b"", "expected a string"),
        (r#"{"__metadata__":5}"#, b"", "expected an object of strings"),
    ] {
        refuse(&file(header, 0, data), words);
    }
    let mut bad = file("{\"\u{fffd}\":0}", 0, b"");
    bad[10] = 0xff;
    refuse(&bad, "utf-8");
}

/// Any other document than the one that is written is refused, whatever byte of a head or a name differs, and no
/// prefix of one is a document.
#[test]
fn documents_of_others_are_refused() {
    let header = r#"{"f":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},"w":{"dtype":"U8","shape":[3],"data_offsets":[2,5]}}"#;
    for (pad, carried) in [(112, false), (113, true)] {
        let file = file(header, pad, b"\x80\x3fabc");
        let document = to_document(&file);
        for end in 0..document.len() {
            let error = to_file(&document[..end]).unwrap_err();
            assert!(error.offset().is_some(), "{error}");
        }
        let mut longer = document.clone();
        longer.push(0xf6);
        assert_eq!(to_file(&longer).unwrap_err().rule().unwrap().name(), "trailing-bytes");
        for at in 0..document.len() {
            for bit in 0..8 {
                let mut other = document.clone();
                other[at] ^= 1 << bit;
                if let Ok(back) = to_file(&other) {
                    // Another checkpoint then, whose document this is.
                    let again = to_document(&back);
                    assert_eq!(to_hex(&again), to_hex(&other), "carried: {carried}");
                }
            }
        }
    }
}

#[test]
fn documents_are_refused_with_their_reason() {
    for (wire, words) in [
        ("a0", "a checkpoint has \"tensors\""),
        ("80", "a checkpoint, which is a map, is wanted"),
        ("bf6774656e736f7273a0ff", "indefinite-length"),
        ("b8016774656e736f7273a0", "long-head"),
        ("a26774656e736f7273a06774656e736f7273a0", "duplicate-key"),
        ("a2686d65746164617461a06774656e736f7273a0", "unsorted-key"),
        ("a2616101 6774656e736f7273a0", "a checkpoint has no \"a\""),
        ("a16774656e736f7273a16177d8288281 02d850440000 0000", "tag 80 is no form of a tensor"),
        ("a16774656e736f7273a16177d828828102d8544300 0000", "F16 of shape [2] has 4 bytes, not 3"),
        ("a16774656e736f7273a16177d828828100d8 5440", "dimension is 0"),
        ("a16774656e736f7273a1 6177d828828102d8545bffffffffffffffff", "past the end of the input"),
        ("a1677465 6e736f7273bbffffffffffffffff", "input ends"),
        (
            "a16774656e736f7273a16177a3 646461746142 0000 656474797065 63463136 6573686170658101",
            "tensor \"w\": F16 is tag 84 in tag 40, not a map",
        ),
        (
            "a16774656e736f7273a16177a3 646461746141 01 656474797065 624634 6573686170658101",
            "no safetensors file has a tensor that ends within a byte",
        ),
        ("a16774656e736f7273a16177d828829bffffffffffffffff", "input ends"),
        (
            "a26668656164657248 7b7d202020202020 6774656e736f7273a0",
            "the header is the one made without it",
        ),
        ("a26668656164657243 7b7d20 6774656e736f7273a0", ""),
        ("a26668656164657241 7b 6774656e736f7273a0", "safetensors header: EOF"),
        (
            "a26668656164657242 7b7d 6774656e736f7273a16177d828828101d8404100",
            "the header and the document differ in their tensors",
        ),
        (
            "a36668656164657242 7b7d 6774656e736f7273a0 686d65746164617461a0",
            "the header and the document differ in their metadata",
        ),
    ] {
        let wire = crate::support::hex(&wire.replace(' ', ""));
        match to_file(&wire) {
            Ok(_) => assert_eq!(words, "", "{}", to_hex(&wire)),
            Err(error) => {
                assert!(!words.is_empty() && error.to_string().contains(words), "{error}");
                assert!(error.offset().is_some(), "{error}");
            }
        }
    }
}

#[test]
fn summaries() {
    let mut data = Vec::new();
    let mut entries = Vec::new();
    let mut add = |name: &str, of: DType, bytes: &[u8]| {
        let from = data.len();
        data.extend(bytes);
        let count = bytes.len() as u64 * 8 / of.bits();
        entries.push(format!(
            r#""{name}":{{"dtype":"{of}","shape":[{count}],"data_offsets":[{from},{}]}}"#,
            data.len()
        ));
    };
    add("a", DType::I64, &[i64::MIN, 5, i64::MAX].map(i64::to_le_bytes).concat());
    add("b", DType::U64, &u64::MAX.to_le_bytes());
    add("c", DType::F64, &[f64::NAN, -0.5, f64::INFINITY].map(f64::to_le_bytes).concat());
    add("d", DType::C64, &[f32::NAN, 1.0, 2.0, 3.0].map(f32::to_le_bytes).concat());
    add("e", DType::BF16, b"\x80\x3f\x81\x7f\x20\xc0");
    add("f", DType::F8E4M3, b"\x7f\xff");
    add("g", DType::F4, b"\x21\xf7");
    add("h", DType::F6E2M3, b"\x3f\xf0\x03");
    add("i", DType::Bool, b"\x01\x00");
    add("j", DType::I8, b"");
    let file = file(&format!("{{{}}}", entries.join(",")), 0, &data);
    let mut checkpoint = Checkpoint::open(Cursor::new(file)).unwrap();
    let said: Vec<String> = checkpoint
        .entries()
        .to_vec()
        .iter()
        .map(|entry| {
            let summary = checkpoint.summary(entry).unwrap();
            let show = |extreme: Option<Extreme>| extreme.map_or("-".into(), |x| x.to_string());
            format!("{} {} {} {}", entry.dtype, show(summary.min), show(summary.max), summary.nans)
        })
        .collect();
    assert_eq!(
        said,
        [
            "I64 -9223372036854775808 9223372036854775807 0",
            "U64 18446744073709551615 18446744073709551615 0",
            "F64 -0.5 inf 1",
            "C64 - - 1",
            "BF16 -2.5 1 1",
            "F8_E4M3 - - 2",
            "F4 -6 6 0",
            "F6_E2M3 -7.5 0 0",
            "BOOL 0 1 0",
            "I8 - - 0",
        ]
    );
}

/// One identity for the same weights in one file, in another order, and in two shards.
#[test]
fn a_manifest_is_of_the_weights() {
    let manifest = |files: &[Vec<u8>]| {
        let mut manifest = Manifest::default();
        for file in files {
            manifest.add(&mut Checkpoint::open(Cursor::new(file)).unwrap()).unwrap();
        }
        calibor::to_vec(&manifest).unwrap()
    };
    let a = r#""a":{"dtype":"U8","shape":[1],"data_offsets":"#;
    let b = r#""b":{"dtype":"BF16","shape":[1],"data_offsets":"#;
    let whole = file(&format!("{{{a}[0,1]}},{b}[1,3]}}}}"), 0, b"x\x80\x3f");
    let other = file(&format!("{{{b}[0,2]}},{a}[2,3]}}}}"), 128, b"\x80\x3fx");
    let shards = [
        file(&format!("{{{a}[0,1]}}}}"), 0, b"x"),
        file(&format!("{{{b}[0,2]}}}}"), 0, b"\x80\x3f"),
    ];
    let identity = manifest(std::slice::from_ref(&whole));
    assert_eq!(manifest(&[other]), identity);
    assert_eq!(manifest(&shards), identity);
    Profile::CORE.check(&identity).unwrap();
    assert_eq!(
        to_hex(&identity[..43]),
        "a16774656e736f7273a26161a365647479706562553865736861706581016673686132353658202d711642"
    );
    let mut twice = Manifest::default();
    twice.add(&mut Checkpoint::open(Cursor::new(&whole)).unwrap()).unwrap();
    let error = twice.add(&mut Checkpoint::open(Cursor::new(&whole)).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "two tensors are called \"a\"");
}

/// A file of half a gigabyte that nobody has: its bytes are made when they are read.
struct Made {
    header: Vec<u8>,
    len: u64,
    at: u64,
}

impl Read for Made {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let from = usize::try_from(self.at).unwrap_or(usize::MAX);
        let head = self.header.get(from..).unwrap_or_default();
        let want = buffer.len().min(usize::try_from(self.len - self.at).unwrap_or(usize::MAX));
        let n = if head.is_empty() { want } else { want.min(head.len()) };
        match head.get(..n) {
            Some(head) if n > 0 => buffer[..n].copy_from_slice(head),
            _ => buffer[..n].fill(0x3f),
        }
        self.at += n as u64;
        Ok(n)
    }
}

impl io::Seek for Made {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.at = match to {
            io::SeekFrom::Start(at) => at,
            io::SeekFrom::End(back) => self.len.checked_add_signed(back).unwrap(),
            io::SeekFrom::Current(by) => self.at.checked_add_signed(by).unwrap(),
        };
        Ok(self.at)
    }
}

#[test]
fn memory_is_needed_for_the_list_only() {
    let half = 0x1000_0000_u64;
    let header = format!(
        r#"{{"a":{{"dtype":"BF16","shape":[{0}],"data_offsets":[0,{half}]}},"b":{{"dtype":"F16","shape":[{0}],"data_offsets":[{half},{1}]}}}}"#,
        half / 2,
        half * 2
    );
    let header = file(&header, 0, b"");
    let len = header.len() as u64 + 2 * half;
    let info = allocation_counter::measure(|| {
        let mut checkpoint = Checkpoint::open(Made { header, len, at: 0 }).unwrap();
        checkpoint.to_cbor(io::sink()).unwrap();
        assert!(checkpoint.cbor_len() > 2 * half);
    });
    assert!(info.bytes_max < 1 << 21, "{} bytes", info.bytes_max);
}

/// A file that is shorter, or worse, when its tensors are read than when it was opened.
struct Lost {
    file: Cursor<Vec<u8>>,
    said: u64,
    broken: bool,
}

impl Read for Lost {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read(buffer)? {
            0 if self.broken && !buffer.is_empty() => Err(io::ErrorKind::BrokenPipe.into()),
            n => Ok(n),
        }
    }
}

impl io::Seek for Lost {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        if to == io::SeekFrom::End(0) { Ok(self.said) } else { self.file.seek(to) }
    }
}

#[test]
fn files_that_end_while_they_are_read() {
    let header = r#"{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}"#;
    let open = |broken| {
        let file = file(header, 0, b"abc");
        let said = file.len() as u64 + 1;
        Checkpoint::open(Lost { file: Cursor::new(file), said, broken }).unwrap()
    };
    let words = "a tensor ended before its last byte";
    let mut short = open(false);
    let entry = short.entries()[0].clone();
    for error in [short.summary(&entry).unwrap_err(), short.to_cbor(io::sink()).unwrap_err()] {
        assert!(error.is_eof() && error.to_string().contains(words), "{error}");
    }
    let mut broken = open(true);
    for error in [broken.summary(&entry).unwrap_err(), broken.to_cbor(io::sink()).unwrap_err()] {
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::BrokenPipe);
    }
}

/// Lengths that no header has, and no memory holds.
#[test]
fn lengths_past_all_files() {
    let header = 100_000_001_u64.to_le_bytes().to_vec();
    let error = Checkpoint::open(Made { header, len: 1 << 32, at: 0 }).map(drop).unwrap_err();
    assert!(error.to_string().contains("100000001 bytes are more than 100000000"), "{error}");
    // {"tensors": {"w": 40([[2^63], 64(…2^63 bytes…)])}}
    let header = crate::support::hex(
        "a16774656e736f7273a16177d82882811b8000000000000000d8405b8000000000000000",
    );
    let len = header.len() as u64 + (1 << 63);
    let error = from_cbor(Made { header, len, at: 0 }, io::sink()).unwrap_err();
    assert!(error.to_string().contains("more elements than there can be"), "{error}");
}
