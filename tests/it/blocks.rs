//! A reader is asked for blocks, but for no byte beyond the item; it gives what a slice gives, and a head that lies costs
//! no memory.

use std::io::{self, Read};

use calibor::{Deserializer, Error, Profile, RawValue, Value, to_vec};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_bytes::ByteBuf;

use crate::support::{Mismatches, brief, bytes, rows, said};

/// Gives at most `step` bytes at a time, and must not be asked for what lies beyond the item it is in.
struct Guarded<'a> {
    bytes: &'a [u8],
    /// Where each item ends.
    ends: &'a [usize],
    at: usize,
    step: usize,
    calls: usize,
}

impl<'a> Guarded<'a> {
    fn new(bytes: &'a [u8], ends: &'a [usize], step: usize) -> Self {
        Guarded { bytes, ends, at: 0, step, calls: 0 }
    }
}

impl Read for Guarded<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        let end = self.ends.iter().copied().find(|&end| end > self.at).unwrap_or(self.at);
        assert!(room.len() <= end - self.at, "{} bytes of {}", room.len(), end - self.at);
        let len = room.len().min(self.step);
        room[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

const STEPS: [usize; 4] = [1, 3, 1000, usize::MAX];

/// A head of definite length, of this major type.
fn head(major: u8, argument: u64) -> Vec<u8> {
    let mut head = to_vec(&argument).unwrap();
    head[0] |= major << 5;
    head
}

/// All containers of these items, twice inside each other.
fn containers(items: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let all = items.concat();
    let count = items.len() as u64;
    let entries: Vec<u8> = (0..count)
        .zip(items)
        .flat_map(|(key, value)| [to_vec(&key.to_string()).unwrap(), value.clone()].concat())
        .collect();
    let inner = [
        [&head(4, count)[..], &all].concat(),
        [&head(5, count)[..], &entries].concat(),
        [&[0x9f][..], &all, &[0xff]].concat(),
        [&[0xbf][..], &entries, &[0xff]].concat(),
        [&head(6, 0x1234)[..], &head(4, count), &all].concat(),
    ];
    let mut outer = vec![
        [&head(4, 5)[..], &inner.concat()].concat(),
        [&[0x9f][..], &inner.concat(), &[0xff]].concat(),
    ];
    // Each as the key and as the value of the only entry.
    outer.extend(inner.iter().flat_map(|item| {
        [
            [&[0xa1, 0x01][..], item].concat(),
            [&[0xa1][..], item, &[0x01]].concat(),
            [&[0xbf][..], item, item, &[0xff]].concat(),
        ]
    }));
    outer.extend(inner);
    outer
}

/// Items of every kind, alone and in each other.
fn items() -> Vec<Vec<u8>> {
    let mut items: Vec<Vec<u8>> = rows("wellformed_seeds")
        .iter()
        .filter(|row| row["depth"].as_u64() < Some(64))
        .map(|row| bytes(row, "hex"))
        .filter(|item| item.len() < 2000 && skips(Profile::WELL_FORMED, item).is_ok())
        .collect();
    for len in [0, 1, 23, 24, 300, 70_000] {
        items.push(to_vec(&"x".repeat(len)).unwrap());
        items.push(to_vec(&ByteBuf::from(vec![7; len])).unwrap());
        items.push([&head(4, len as u64)[..], &vec![0; len]].concat());
    }
    let mut all = containers(&items);
    all.extend(items);
    all
}

fn skips(profile: Profile, input: &[u8]) -> Result<(), Error> {
    profile.decode::<IgnoredAny>(input).map(drop)
}

/// One item for whoever wants it, and how many bytes of the reader were left.
fn read<T: DeserializeOwned>(reader: Guarded<'_>) -> Result<(T, usize), Error> {
    let mut de = Deserializer::from_reader(reader).profile(Profile::WELL_FORMED);
    let value = T::deserialize(&mut de)?;
    let offset = de.byte_offset();
    let reader = de.into_inner();
    assert_eq!(offset, reader.at as u64);
    Ok((value, reader.bytes.len() - reader.at))
}

#[test]
fn no_byte_beyond_the_item_is_asked_for() {
    let mut out = Mismatches::of("items");
    for item in items() {
        let followed = [&item[..], &[0x01]].concat();
        let ends = [item.len()];
        let slice = Profile::WELL_FORMED.decode::<Value>(&item);
        for step in STEPS {
            let reader = || Guarded::new(&followed, &ends, step);
            let ignored = read::<IgnoredAny>(reader()).map(|(_, left)| left);
            let raw = read::<Raw>(reader()).map(|(raw, left)| (raw.0.into_bytes(), left));
            let value = read::<Value>(reader());
            out.expect(ignored.as_ref().is_ok_and(|&left| left == 1), || {
                format!("{} by {step}, ignored: {}", brief(&item), said(&ignored))
            });
            out.expect(
                raw.as_ref().is_ok_and(|(bytes, left)| *bytes == item && *left == 1),
                || format!("{} by {step}, raw: {}", brief(&item), said(&raw)),
            );
            let same = match (&slice, &value) {
                (Ok(slice), Ok((value, left))) => slice == value && *left == 1,
                (Err(slice), Err(reader)) => slice.rule() == reader.rule(),
                _ => false,
            };
            out.expect(same, || {
                format!("{} by {step}: {}, {}", brief(&item), said(&slice), said(&value))
            });
        }
    }
    out.finish();
}

#[derive(Deserialize)]
struct Raw(#[serde(deserialize_with = "RawValue::deserialize_owned")] RawValue<'static>);

/// An item of a sequence is handed out before the reader is asked for the next, whether it was wanted or not.
#[test]
fn no_byte_beyond_the_item_of_a_sequence() {
    let items: Vec<_> = items().into_iter().filter(|item| item.len() < 100_000).collect();
    let bytes = items.concat();
    let ends: Vec<usize> = items
        .iter()
        .scan(0, |end, item| {
            *end += item.len();
            Some(*end)
        })
        .collect();
    fn run<T: DeserializeOwned>(reader: Guarded<'_>, ends: &[usize]) {
        let mut stream =
            Deserializer::from_reader(reader).profile(Profile::WELL_FORMED).into_iter::<T>();
        for &end in ends {
            // Whatever does not fit the type is read over.
            let item = stream.next().expect("an item");
            assert_eq!(stream.byte_offset(), end as u64, "{}", said(&item));
        }
    }
    for step in [7, usize::MAX] {
        run::<IgnoredAny>(Guarded::new(&bytes, &ends, step), &ends);
        run::<Value>(Guarded::new(&bytes, &ends, step), &ends);
        run::<Vec<u8>>(Guarded::new(&bytes, &ends, step), &ends);
        run::<(u64, String)>(Guarded::new(&bytes, &ends, step), &ends);
    }
}

#[derive(Debug, Deserialize, PartialEq)]
struct Record {
    name: String,
    #[serde(default)]
    note: Option<String>,
    numbers: Vec<i64>,
    floats: Vec<f64>,
    kind: Kind,
    raw: ByteBuf,
}

#[derive(Debug, Deserialize, PartialEq)]
enum Kind {
    Plain,
    Pair(u8, u8),
    Named { x: f32 },
}

fn records() -> Vec<u8> {
    let record = |n: usize| {
        calibor::cbor!({
            "name" => "name ".repeat(n % 40),
            "note" => if n % 3 == 0 { Value::from("ü") } else { calibor::cbor!(null) },
            "numbers" => (0..n as u64).map(|i| Value::from(i << (n % 48))).collect::<Vec<_>>(),
            "floats" => [1.5, -0.1, 1e300],
            "kind" => match n % 3 {
                0 => calibor::cbor!("Plain"),
                1 => calibor::cbor!({ "Pair" => [n, 2] }),
                _ => calibor::cbor!({ "Named" => { "x" => 0.5 } }),
            },
            "raw" => Value::Bytes(vec![1; n]),
            "unknown field with a long name" => { "deep" => [[1, [2]], {}] },
        })
    };
    to_vec(&(0..20).map(|n| record(7 * n)).collect::<Vec<_>>()).unwrap()
}

/// Wherever the input ends or changes, a reader of any step tells what a slice tells, at the same offset.
#[test]
fn the_error_of_a_slice_at_every_cut() {
    let mut out = Mismatches::of("cuts");
    let bytes = records();
    fn one<'de, I: calibor::Input<'de>>(mut de: Deserializer<I>) -> Result<Vec<Record>, Error> {
        let records = Vec::deserialize(&mut de)?;
        de.end()?;
        Ok(records)
    }
    assert_eq!(one(Deserializer::from_slice(&bytes)).unwrap().len(), 20);
    let cuts = (0..bytes.len()).map(|at| (bytes[..at].to_vec(), at));
    let changes = (0..bytes.len()).map(|at| {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        (changed, at)
    });
    for (input, at) in cuts.chain(changes) {
        let slice = one(Deserializer::from_slice(&input));
        for step in [1 + at % 9, usize::MAX] {
            let reader = Stepped { bytes: &input, step };
            let reader = one(Deserializer::from_reader(reader));
            let same = match (&slice, &reader) {
                (Ok(a), Ok(b)) => a == b,
                (Err(a), Err(b)) => a.to_string() == b.to_string() && a.offset() == b.offset(),
                _ => false,
            };
            out.expect(same, || format!("{at} by {step}: {}, {}", said(&slice), said(&reader)));
        }
    }
    out.finish();
}

struct Stepped<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl Read for Stepped<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let step = room.len().min(self.step);
        self.bytes.read(&mut room[..step])
    }
}

/// What came is looked at before more is waited for, though more was asked for.
#[test]
fn a_fault_is_told_before_the_reader_is_asked_again() {
    struct Pieces<'a>(std::slice::Iter<'a, &'a [u8]>);
    impl Read for Pieces<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let mut piece = *self.0.next().expect("asked again");
            piece.read(room)
        }
    }
    // [1, 1_0, ...] of a thousand elements; {"b": 1, "a": ...} of a thousand entries.
    let arrays: &[&[u8]] = &[b"\x99", b"\x03", b"\xe8", b"\x01\x18\x01"];
    let maps: &[&[u8]] = &[b"\xb9", b"\x03\xe8", b"\x61b\x01\x61a"];
    for pieces in [arrays, maps] {
        let reader = Pieces(pieces.iter());
        let error = Profile::CORE.decode_from::<_, Value>(reader).unwrap_err();
        assert!(error.rule().is_some(), "{error}");
    }
}

/// Blocks, once a head has told that they have to come.
#[test]
fn few_calls() {
    let rows: [(Vec<u8>, usize); 4] = [
        ([&head(4, 8000)[..], &[0; 8000]].concat(), 8),
        ([&head(4, 4000)[..], &[0x18, 0x64].repeat(4000)].concat(), 40),
        ([&head(5, 2000)[..], &numbered(2000)].concat(), 40),
        ([&head(4, 300)[..], &[0x67, 97, 97, 97, 97, 97, 97, 97].repeat(300)].concat(), 100),
    ];
    for (item, most) in rows {
        let ends = [item.len()];
        let mut de = Deserializer::from_reader(Guarded::new(&item, &ends, usize::MAX));
        Value::deserialize(&mut de).unwrap();
        let calls = de.into_inner().calls;
        assert!(calls <= most, "{calls} calls, at most {most}: {}", brief(&item));
    }
}

/// So many entries of a map: numbers in order.
fn numbered(count: u16) -> Vec<u8> {
    (0..count).flat_map(|key| [to_vec(&key).unwrap(), vec![0xf4]].concat()).collect()
}

/// A head that claims more than there is makes nobody reserve for it.
#[test]
fn heads_that_claim_too_much_cost_no_memory() {
    let mut out = Mismatches::of("claims");
    for claim in [1 << 16, 1 << 32, 1 << 60, u64::MAX] {
        for major in 2..=5 {
            for there in [0, 10, 1000, 20_000, 1_000_000_usize] {
                let content = match major {
                    5 => numbered(u16::try_from(there / 3).unwrap_or(u16::MAX)),
                    _ => vec![0; there],
                };
                let input = [&head(major, claim)[..], &content].concat();
                for nested in [false, true] {
                    let nest =
                        if nested { [&head(4, claim)[..], &input].concat() } else { input.clone() };
                    for step in [100, usize::MAX] {
                        if nest.len() as u64 > claim {
                            continue;
                        }
                        let mut read = Ok(());
                        let used = allocation_counter::measure(|| {
                            let reader = Stepped { bytes: &nest, step };
                            read = Profile::CORE.decode_from::<_, IgnoredAny>(reader).map(drop);
                        });
                        // Twice what came and the room to which that is moved; what is asked for at first; an error.
                        let bound = 6 * nest.len() as u64 + (17 << 10);
                        let held = used.bytes_max <= bound && read.is_err();
                        out.expect(held, || {
                            let (used, said) = (used.bytes_max, said(&read));
                            format!("{} by {step}: {used} of {bound} bytes, {said}", brief(&nest))
                        });
                    }
                }
            }
        }
    }
    out.finish();
}
