//! CBOR sequences, out of slices and readers that behave badly.

use std::io::{self, Read};

use calibor::{
    Category, Deserializer, Profile, Rule, Serializer, Value, cbor, from_reader, to_vec, to_writer,
};
use serde::{Deserialize, Serialize};

use crate::support::{hex, rows, text, to_hex};

/// Hands over a few bytes at a time, is interrupted before each, and counts what was taken.
struct Bad<'a> {
    bytes: &'a [u8],
    step: usize,
    interrupt: bool,
    interrupted: bool,
    /// Fails once all bytes are taken, where a good reader would end.
    fails: bool,
}

impl<'a> Bad<'a> {
    fn new(bytes: &'a [u8], step: usize, interrupt: bool) -> Self {
        Bad { bytes, step, interrupt, interrupted: false, fails: false }
    }
}

impl Read for Bad<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.interrupt && !self.interrupted {
            self.interrupted = true;
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.interrupted = false;
        if self.fails && self.bytes.is_empty() {
            return Err(io::Error::other("the disk is on fire"));
        }
        let n = self.bytes.len().min(buf.len()).min(self.step);
        buf[..n].copy_from_slice(&self.bytes[..n]);
        self.bytes = &self.bytes[n..];
        Ok(n)
    }
}

fn sequence() -> (Vec<Value>, Vec<u8>) {
    let items = vec![
        cbor!(1),
        cbor!({ "a" => [1, 2, { "b" => b"xyz" }], "bb" => "text" }),
        cbor!(""),
        cbor!("ボ".repeat(3000)),
        Value::Bytes(vec![7; 70_000]),
        cbor!(tag(1, [1.5, undefined])),
        cbor!({}),
        cbor!(u64::MAX),
    ];
    let bytes = items.iter().flat_map(|item| to_vec(item).unwrap()).collect();
    (items, bytes)
}

#[test]
fn the_same_from_any_reader() {
    let (items, bytes) = sequence();
    let from_slice: Vec<Value> =
        Deserializer::from_slice(&bytes).into_iter().collect::<Result<_, _>>().unwrap();
    assert_eq!(from_slice, items);
    for step in [1, 2, 3, 7, 4096, usize::MAX] {
        for interrupt in [false, true] {
            let mut stream =
                Deserializer::from_reader(Bad::new(&bytes, step, interrupt)).into_iter::<Value>();
            let mut offset = 0;
            for item in &items {
                assert_eq!(&stream.next().unwrap().unwrap(), item);
                offset += to_vec(item).unwrap().len() as u64;
                assert_eq!(stream.byte_offset(), offset);
            }
            assert!(stream.next().is_none());
            assert!(stream.next().is_none());
            assert_eq!(stream.byte_offset(), bytes.len() as u64);
        }
    }
}

#[test]
fn sequences_of_the_tables() {
    let mut looked_at = 0;
    for row in rows("tags/sequences") {
        let Some(digits) = row["hex"].as_str() else { continue };
        let bytes = hex(digits);
        let loose = Profile::WELL_FORMED;
        let a: Vec<bool> = Deserializer::from_slice(&bytes)
            .profile(loose)
            .into_iter::<Value>()
            .map(|i| i.is_ok())
            .collect();
        let reader = Bad::new(&bytes, 1, true);
        let b: Vec<bool> = Deserializer::from_reader(reader)
            .profile(loose)
            .into_iter::<Value>()
            .map(|i| i.is_ok())
            .collect();
        assert_eq!(a, b, "{digits} {}", text(&row, "why"));
        looked_at += 1;
    }
    assert!(looked_at > 5, "{looked_at} rows");
}

/// Reads a sequence as type `T`: the values, and the category of each error.
fn outcomes<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Vec<Result<T, Category>> {
    let p = Profile::CORE;
    let categories = |item: calibor::Result<T>| item.map_err(|e| e.category());
    let slice: Vec<_> =
        Deserializer::from_slice(bytes).profile(p).into_iter().map(categories).collect();
    let reader = Bad::new(bytes, 1, true);
    let read: Vec<_> =
        Deserializer::from_reader(reader).profile(p).into_iter().map(categories).collect();
    assert_eq!(slice.len(), read.len());
    for (a, b) in slice.iter().zip(&read) {
        assert_eq!(a.as_ref().err(), b.as_ref().err());
    }
    slice
}

#[test]
fn after_data_that_does_not_fit() {
    // 1, "a", 2, [3, {"x": 4}], 3, {"k": [1, "z"]}, 4, 1(5), 5
    let bytes = hex("0161610282 03a161780403a1616b8201617a04c10505".replace(' ', "").as_str());
    let got = outcomes::<u8>(&bytes);
    let data = Err(Category::Data);
    assert_eq!(got, [Ok(1), data, Ok(2), data, Ok(3), data, Ok(4), data, Ok(5)]);
    // An item that is valid and not canonical: the next one is read.
    let got = outcomes::<u8>(&hex("0118 0102a2616201616102 03".replace(' ', "").as_str()));
    assert_eq!(got, [Ok(1), Err(Category::Profile), Ok(2), Err(Category::Data), Ok(3)]);
    // Duplicate keys are found in the second item, not carried over from the first.
    let got = outcomes::<std::collections::BTreeMap<u8, u8>>(&hex("a10101a10101a2010101 02a10101"
        .replace(' ', "")
        .as_str()));
    assert_eq!(got.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
}

#[test]
fn the_end_after_a_fault_of_the_grammar() {
    for (item, category) in [
        ("01ff02", Category::Syntax),
        ("01f81402", Category::Syntax),
        ("011c02", Category::Syntax),
        ("01828201", Category::Eof),
        ("011a0000", Category::Eof), // c85
        ("01626102ff", Category::Syntax),
    ] {
        let got = outcomes::<Value>(&hex(item));
        if item == "01626102ff" {
            assert_eq!(got.len(), 3, "{item}: {got:?}");
            continue;
        }
        assert_eq!(got, [Ok(cbor!(1)), Err(category)], "{item}");
    }
    // A type error first, and then the rest of the same item is malformed.
    assert_eq!(outcomes::<u8>(&hex("0182616101")), [Ok(1), Err(Category::Data)]);
    let got = outcomes::<u8>(&hex("018261611c02"));
    assert_eq!(got, [Ok(1), Err(Category::Data)]);
    assert!(outcomes::<u8>(b"").is_empty());
}

#[test]
fn errors_of_the_reader() {
    let (_, bytes) = sequence();
    for cut in [0, 1, 5, 20, 40, 5000, 20_000, bytes.len()] {
        let mut reader = Bad::new(&bytes[..cut], 3, true);
        reader.fails = true;
        let mut stream = Deserializer::from_reader(reader).into_iter::<Value>();
        let error = stream.find_map(Result::err).unwrap();
        assert_eq!(error.category(), Category::Io, "{cut}: {error}");
        assert!(error.to_string().contains("on fire"), "{error}");
        assert!(stream.next().is_none());
    }
}

/// Options that stand before a sequence hold for each item of it.
#[test]
fn options_hold_for_every_item() {
    let bytes = hex("c101c102fb3ff199999999999a03");
    let read: Vec<_> = Deserializer::from_slice(&bytes)
        .skip_unknown_tags(true)
        .exact_floats(true)
        .into_iter::<f32>()
        .map(Result::ok)
        .collect();
    assert_eq!(read, [Some(1.0), Some(2.0), None, Some(3.0)]);
    let deep = hex("81818101 8101 81818101 01".replace(' ', "").as_str());
    let read: Vec<_> = Deserializer::from_slice(&deep)
        .max_depth(2)
        .into_iter::<Value>()
        .map(|i| i.is_ok())
        .collect();
    assert_eq!(read.first(), Some(&false));
}

#[test]
fn not_one_byte_more_than_the_item() {
    let (items, bytes) = sequence();
    let mut rest = &bytes[..];
    for item in &items {
        let mut de = Deserializer::from_reader(&mut rest);
        assert_eq!(&Value::deserialize(&mut de).unwrap(), item);
        drop(de);
        let taken = bytes.len() - rest.len();
        let upto: usize = items
            .iter()
            .take_while(|i| *i != item)
            .chain([item])
            .map(|i| to_vec(i).unwrap().len())
            .sum();
        assert_eq!(taken, upto, "after {}", item.to_string().chars().take(40).collect::<String>());
    }
    assert!(rest.is_empty());
    // The same without looking at the item, and for a type that gives up on it.
    for item in [
        "83010203",
        "a2616101616202",
        "7f616161 62ff",
        "5f4101ff",
        "9f01ff",
        "bf6161 01ff",
        "c101",
        "f93c00",
        "fb3ff199999999999a",
    ] {
        let item = hex(&item.replace(' ', ""));
        let both = [&item[..], b"\x01"].concat();
        let mut rest = &both[..];
        let mut de = Deserializer::from_reader(&mut rest).profile(Profile::WELL_FORMED);
        serde::de::IgnoredAny::deserialize(&mut de).unwrap();
        assert_eq!(de.byte_offset(), item.len() as u64);
        assert_eq!(**de.into_inner(), b"\x01"[..], "{}", to_hex(&item));
    }
    // from_reader wants the end, and says what is there instead.
    let mut rest = &b"\x01\x02\x03"[..];
    let error = from_reader::<_, u8>(&mut rest).unwrap_err();
    assert_eq!((error.rule(), error.offset()), (Some(Rule::TrailingBytes), Some(1)));
    assert_eq!(rest.len(), 1);
}

#[test]
fn item_and_rest() {
    let bytes = hex("0182020361610a");
    let (one, rest): (u8, _) = Profile::CORE.decode_first(&bytes).unwrap();
    let (two, rest): (Vec<u8>, _) = Profile::CORE.decode_first(rest).unwrap();
    let (three, rest): (&str, _) = Profile::CORE.decode_first(rest).unwrap();
    assert_eq!((one, two, three, rest), (1, vec![2, 3], "a", &b"\x0a"[..]));
    let mut de = Deserializer::from_slice(&bytes);
    assert_eq!(u8::deserialize(&mut de).unwrap(), 1);
    assert_eq!(de.byte_offset(), 1);
    assert_eq!(<(u8, u8)>::deserialize(&mut de).unwrap(), (2, 3));
    assert_eq!(de.end().unwrap_err().offset(), Some(4));
    assert_eq!(String::deserialize(&mut de).unwrap(), "a");
    assert_eq!(u8::deserialize(&mut de).unwrap(), 10);
    de.end().unwrap();
    assert_eq!(u8::deserialize(&mut de).unwrap_err().category(), Category::Eof);
}

#[test]
fn written_one_after_the_other() {
    let (items, bytes) = sequence();
    let mut out = Vec::new();
    for item in &items {
        to_writer(&mut out, item).unwrap();
    }
    assert_eq!(out, bytes);
    let mut serializer = Serializer::with_buffer(vec![0xf6]);
    for item in &items {
        item.serialize(&mut serializer).unwrap();
    }
    assert_eq!(serializer.finish().unwrap(), [&[0xf6][..], &bytes].concat());
}

/// Counts calls; a good format makes one for each item.
#[derive(Default)]
struct Calls(usize, Vec<u8>);

impl io::Write for Calls {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.0 += 1;
        self.1.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn written_at_once_or_not_at_all() {
    let mut calls = Calls::default();
    to_writer(&mut calls, &cbor!({ "a" => [1, 2, 3], "b" => "c" })).unwrap();
    assert_eq!(calls.0, 1);
    let error = to_writer(&mut calls, &cbor!([1, { 1 => 2, 1 => 3 }])).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::DuplicateKey));
    assert_eq!(calls.0, 1);
    let error = to_writer(&mut [0_u8; 1][..], &cbor!([1, 2])).unwrap_err();
    assert_eq!(error.category(), Category::Io, "{error}");
}

/// Repeats a piece for ever so long without having it all.
struct Repeat<'a> {
    piece: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Repeat<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            if self.left == 0 {
                return Ok(0);
            }
            self.left -= 1;
            self.at = 0;
        }
        let n = (self.piece.len() - self.at).min(buf.len());
        buf[..n].copy_from_slice(&self.piece[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[test]
fn memory_of_one_item() {
    // A map, so that keys are held; one that fits the type, then ones that do not, at several depths.
    let good = to_vec(&cbor!({ "id" => 5, "list" => [1, 2, 3] })).unwrap();
    let bad = to_vec(&cbor!({ "id" => "x", "list" => [{ "a" => 1 }] })).unwrap();
    let worse = to_vec(&cbor!({ "id" => 5, "list" => [1, { "a" => { "b" => 1 } }] })).unwrap();
    #[derive(Deserialize)]
    struct Item {
        id: u8,
        list: Vec<u8>,
    }
    let run = |piece: &[u8], times: usize| {
        let reader = Repeat { piece, at: 0, left: times - 1 };
        let mut counts = (0, 0);
        let info = allocation_counter::measure(|| {
            for item in Deserializer::from_reader(reader).into_iter::<Item>() {
                match item {
                    Ok(item) => counts.0 += usize::from(item.id) + item.list.len(),
                    Err(_) => counts.1 += 1,
                }
            }
        });
        (info.bytes_max, counts)
    };
    for piece in [&good, &bad, &worse, &[good.clone(), bad.clone(), worse.clone()].concat()] {
        let (few, _) = run(piece, 10);
        let (many, counts) = run(piece, 10_000);
        assert!(counts.0 + counts.1 >= 10_000);
        assert!(many <= few + 4096, "{}: {few} bytes for 10, {many} for 10000", to_hex(piece));
    }
}
