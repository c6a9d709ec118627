//! Writers and readers that fail at every offset, take or give a little at a time, are interrupted, or lie: nothing is
//! lost, nothing doubled, and no part of a message passes for the whole.

use std::io::{self, ErrorKind, Read, Write};

use calibor::{Category, Deserializer, Error, Profile, Value, cbor, to_vec, to_writer};
use serde::de::IgnoredAny;

use crate::support::{Mismatches, hex, rows, said, to_hex};

/// How a writer or a reader behaves. Before each call it is interrupted if `interrupts`.
#[derive(Clone, Copy, Debug)]
struct Manner {
    step: usize,
    interrupts: bool,
    end: End,
}

/// What happens once its bytes are used up.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Fails,
    /// Nothing more is taken or given, and no error told.
    Stops,
    /// More is said to be taken or given than there was room for.
    Lies,
}

const MANNERS: [Manner; 6] = {
    const fn of(step: usize, interrupts: bool, end: End) -> Manner {
        Manner { step, interrupts, end }
    }
    [
        of(1, true, End::Fails),
        of(3, false, End::Fails),
        of(usize::MAX, true, End::Fails),
        of(1, false, End::Stops),
        of(usize::MAX, false, End::Stops),
        of(2, true, End::Lies),
    ]
};

/// A disk or a wire of `left` bytes.
struct Narrow<'a> {
    manner: Manner,
    left: usize,
    interrupted: bool,
    taken: Vec<u8>,
    given: &'a [u8],
}

impl<'a> Narrow<'a> {
    fn new(manner: Manner, left: usize, given: &'a [u8]) -> Self {
        Narrow { manner, left, interrupted: false, taken: Vec::new(), given }
    }

    /// How many of `room` bytes the next call moves.
    fn call(&mut self, room: usize) -> io::Result<usize> {
        self.interrupted = self.manner.interrupts && !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.left > 0 || room == 0 {
            let len = room.min(self.left).min(self.manner.step);
            self.left -= len;
            return Ok(len);
        }
        match self.manner.end {
            End::Fails => Err(io::Error::other("unplugged")),
            End::Stops => Ok(0),
            End::Lies => Ok(room + 1),
        }
    }
}

impl Write for Narrow<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.call(bytes.len())?;
        self.taken.extend_from_slice(bytes.get(..len).unwrap_or_default());
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Narrow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.call(into.len())?;
        if len <= into.len() {
            let (now, later) = self.given.split_at(len);
            into[..len].copy_from_slice(now);
            self.given = later;
        }
        Ok(len)
    }
}

/// One of each kind of item, and each place where a call could end.
fn values() -> Vec<Value> {
    vec![
        cbor!(0),
        cbor!(-70_000),
        cbor!(1.1),
        cbor!("text"),
        Value::Bytes(vec![7; 300]),
        cbor!([1, [2, [3, []]], ""]),
        cbor!({ "b" => 1, "a" => { "z" => [true, null], "y" => 1.5 }, 10 => 2 }),
        cbor!(tag(40, [[2, 2], [1, 2, 3, 4]])),
    ]
}

#[test]
fn writers_get_all_or_a_beginning() {
    let mut out = Mismatches::of("writers");
    for profile in [Profile::CORE, Profile::RFC7049, Profile::VALID] {
        for value in values() {
            let Ok(whole) = profile.encode(&value) else { continue };
            // `Write::write_all` trusts what it is told, so a writer that lies is not ours to find out.
            for manner in MANNERS.into_iter().filter(|manner| manner.end != End::Lies) {
                for left in 0..=whole.len() {
                    let mut writer = Narrow::new(manner, left, &[]);
                    let wrote = profile.encode_to(&mut writer, &value);
                    let label = || format!("{profile} {value} {manner:?} {left}: {}", said(&wrote));
                    out.expect(writer.taken == whole[..left], || {
                        format!("{}, taken {}", label(), to_hex(&writer.taken))
                    });
                    let as_it_should = match &wrote {
                        Ok(()) => left == whole.len(),
                        Err(error) => left < whole.len() && error.category() == Category::Io,
                    };
                    out.expect(as_it_should, label);
                }
            }
        }
    }
    out.finish();
}

/// One message after another to a writer that is replaced whenever it fails: the whole messages arrive, each once.
#[test]
fn what_failed_can_be_written_again() {
    for left in 0..40 {
        let mut received = Vec::new();
        let values = values();
        let mut left = left;
        for value in &values {
            loop {
                let manner = Manner { step: 5, interrupts: true, end: End::Fails };
                let mut writer = Narrow::new(manner, left, &[]);
                left += 1;
                if to_writer(&mut writer, value).is_ok() {
                    received.extend(writer.taken);
                    break;
                }
            }
        }
        let want: Vec<u8> = values.iter().flat_map(|value| to_vec(value).unwrap()).collect();
        assert_eq!(to_hex(&received), to_hex(&want));
    }
}

/// What a slice of the bytes gives is all that any reader gives.
#[test]
fn readers_give_all_or_an_error() {
    let mut out = Mismatches::of("readers");
    let mut inputs: Vec<Vec<u8>> = values().iter().map(|value| to_vec(value).unwrap()).collect();
    inputs.extend(
        ["wellformed_seeds", "malformed"]
            .iter()
            .flat_map(|name| rows(name))
            .filter_map(|row| row["hex"].as_str().map(hex))
            .filter(|bytes| bytes.len() < 40),
    );
    type Way = fn(Profile, Narrow<'_>) -> Result<Option<Value>, Error>;
    let ways: [Way; 2] = [
        |profile, reader| profile.decode_from::<_, Value>(reader).map(Some),
        |profile, reader| profile.decode_from::<_, IgnoredAny>(reader).map(|_| None),
    ];
    for (profile, input) in [Profile::CORE, Profile::VALID]
        .into_iter()
        .flat_map(|profile| inputs.iter().map(move |input| (profile, input)))
    {
        for manner in MANNERS {
            for left in 0..=input.len() {
                let slice = profile.decode::<Value>(&input[..left]);
                for way in ways {
                    let read = way(profile, Narrow::new(manner, left, input));
                    let as_it_should = match (&slice, &read) {
                        (Ok(a), Ok(b)) => {
                            manner.end == End::Stops && b.as_ref().is_none_or(|b| a == b)
                        }
                        // Bytes in front of the end can be at fault, and are found out first.
                        (Err(_), Err(e)) => {
                            manner.end == End::Stops || e.category() != Category::Eof
                        }
                        // A reader is asked for the end, which is where this one fails.
                        (Ok(_), Err(e)) => manner.end != End::Stops && e.category() == Category::Io,
                        (Err(_), Ok(_)) => false,
                    };
                    out.expect(as_it_should, || {
                        let (slice, read) = (said(&slice), said(&read));
                        let input = to_hex(input);
                        format!("{profile} {input} {manner:?} {left}: slice {slice}, reader {read}")
                    });
                }
            }
        }
    }
    out.finish();
}

/// A sequence that breaks off: every item before the break, one error, the end.
#[test]
fn sequences_give_what_is_whole() {
    let items = values();
    let bytes: Vec<u8> = items.iter().flat_map(|item| to_vec(item).unwrap()).collect();
    let mut ends = vec![0];
    for item in &items {
        ends.push(ends[ends.len() - 1] + to_vec(item).unwrap().len());
    }
    for manner in MANNERS {
        for left in 0..=bytes.len() {
            let whole = ends.iter().filter(|&&end| end <= left).count() - 1;
            let reader = Narrow::new(manner, left, &bytes);
            let mut stream = Deserializer::from_reader(reader).into_iter::<Value>();
            for item in &items[..whole] {
                assert_eq!(&stream.next().unwrap().unwrap(), item, "{manner:?} {left}");
            }
            assert_eq!(stream.byte_offset(), ends[whole] as u64, "{manner:?} {left}");
            if manner.end == End::Stops && ends[whole] == left {
                assert!(stream.next().is_none(), "{manner:?} {left}");
                continue;
            }
            let error = stream.next().unwrap().unwrap_err();
            let category = if manner.end == End::Stops { Category::Eof } else { Category::Io };
            assert_eq!(error.category(), category, "{manner:?} {left}: {error}");
            assert!(stream.next().is_none(), "{manner:?} {left}");
        }
    }
}

/// Checkpoints are written as they are read, a piece at a time.
#[cfg(feature = "safetensors")]
#[test]
fn checkpoints_are_written_whole_or_refused() {
    use calibor::array::checkpoint::{Checkpoint, from_cbor};
    use std::io::Cursor;

    let header = br#"{"b":{"dtype":"U8","shape":[3],"data_offsets":[2,5]},"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}"#;
    let file = [&(header.len() as u64).to_le_bytes()[..], header, b"\0\x3cabc"].concat();
    let mut document = Vec::new();
    Checkpoint::open(Cursor::new(&file)).unwrap().to_cbor(&mut document).unwrap();
    for manner in MANNERS.into_iter().filter(|manner| manner.end != End::Lies) {
        for left in 0..=file.len().max(document.len()) {
            let mut writer = Narrow::new(manner, left, &[]);
            let wrote =
                Checkpoint::open(Cursor::new(&file)).and_then(|mut file| file.to_cbor(&mut writer));
            assert!(document.starts_with(&writer.taken), "{manner:?} {left}");
            assert_eq!(wrote.is_ok(), left >= document.len(), "{manner:?} {left}");
            assert_eq!(wrote.is_ok(), writer.taken == document, "{manner:?} {left}");

            let mut writer = Narrow::new(manner, left, &[]);
            let wrote = from_cbor(Cursor::new(&document), &mut writer);
            assert!(file.starts_with(&writer.taken), "{manner:?} {left}");
            assert_eq!(wrote.is_ok(), left >= file.len(), "{manner:?} {left}");
            assert_eq!(wrote.is_ok(), writer.taken == file, "{manner:?} {left}");
        }
    }
}
