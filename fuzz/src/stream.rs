//! A reader gives what a slice gives, however its bytes arrive.

use crate::{Target, has_no_text, hex, said, seeds};
use calibor::{Category, Deserializer, Error, Profile, Value};
use serde::de::IgnoredAny;
use std::io::{ErrorKind, Read};

pub const TARGET: Target = Target {
    name: "stream",
    steps: |data| PROFILES.len() * (10 + 2 * data.len().min(EVERY_SPLIT)),
    ask,
    seeds: seeds::cbor,
};

const PROFILES: [Profile; 4] =
    [Profile::CORE, Profile::VALID, Profile::WELL_FORMED, Profile::DAG_CBOR];

/// Input is not cut at every byte behind it.
const EVERY_SPLIT: usize = 96;

fn ask(step: usize, data: &[u8]) {
    let profile = PROFILES[step % PROFILES.len()];
    match step / PROFILES.len() {
        0 => sequence(profile, data),
        1 => ignored(profile, data),
        way @ 2..10 => {
            let piece = [1, 2, 7, usize::MAX][way % 4];
            same(profile, data, Pieces::new(data, data.len(), piece, way < 6));
        }
        cut if cut % 2 == 0 => {
            same(profile, data, Pieces::new(data, cut / 2 - 5, usize::MAX, false));
        }
        cut => broken(profile, data, cut / 2 - 5),
    }
}

/// A reader that hands out `data` in two parts, each of them `step` bytes at a time.
struct Pieces<'a> {
    parts: [&'a [u8]; 2],
    step: usize,
    interrupted: Option<bool>,
}

impl<'a> Pieces<'a> {
    fn new(data: &'a [u8], at: usize, step: usize, interrupted: bool) -> Self {
        let (a, b) = data.split_at(at);
        Pieces { parts: [a, b], step, interrupted: interrupted.then_some(false) }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if let Some(now) = &mut self.interrupted {
            *now = !*now;
            if *now {
                return Err(ErrorKind::Interrupted.into());
            }
        }
        let part = if self.parts[0].is_empty() { &mut self.parts[1] } else { &mut self.parts[0] };
        let len = part.len().min(into.len()).min(self.step);
        into[..len].copy_from_slice(&part[..len]);
        *part = &part[len..];
        Ok(len)
    }
}

/// A slice is looked at again once it is refused, and the fault told is the first of all; a reader tells the one it met.
fn same(profile: Profile, data: &[u8], reader: Pieces<'_>) {
    let (slice, reader): (_, Result<Value, Error>) =
        (profile.decode::<Value>(data), profile.decode_from(reader));
    let same = match (&slice, &reader) {
        (Ok(a), Ok(b)) => a == b,
        (Err(a), Err(b)) => {
            let grammar = matches!(a.category(), Category::Eof | Category::Syntax);
            b.offset().is_some() && (grammar || a.category() == b.category())
        }
        _ => false,
    };
    assert!(same, "{profile} {}: slice {}, reader {}", hex(data), said(&slice), said(&reader));
}

fn ignored(profile: Profile, data: &[u8]) {
    let slice = profile.check(data);
    let reader = profile.decode_from::<_, IgnoredAny>(Pieces::new(data, data.len(), 1, false));
    assert!(
        slice.is_ok() == reader.is_ok() || has_no_text(profile, &reader),
        "{profile} {}: check {}, reader {}",
        hex(data),
        said(&slice),
        said(&reader)
    );
}

/// A sequence: the same items and refusals at the same places.
fn sequence(profile: Profile, data: &[u8]) {
    let mut slice = Deserializer::from_slice(data).profile(profile).into_iter::<Value>();
    let reader = Pieces::new(data, data.len() / 2, 3, true);
    let mut reader = Deserializer::from_reader(reader).profile(profile).into_iter::<Value>();
    for _ in 0..=data.len() {
        let (a, b) = (slice.next(), reader.next());
        match (&a, &b) {
            (None, None) => return,
            (Some(Ok(a)), Some(Ok(b))) => assert_eq!(a, b, "{profile} {}", hex(data)),
            (Some(Err(a)), Some(Err(b))) => assert_eq!(
                (a.rule(), a.offset()),
                (b.rule(), b.offset()),
                "{profile} {}: slice {a}, reader {b}",
                hex(data)
            ),
            _ => panic!("{profile} {}: slice {a:?}, reader {b:?}", hex(data)),
        }
        assert_eq!(slice.byte_offset(), reader.byte_offset(), "{profile} {}", hex(data));
    }
    panic!("{profile} {}: more items than bytes", hex(data));
}

/// A reader that fails in the middle: never a value, and the error is the reader's unless the bytes were at fault.
fn broken(profile: Profile, data: &[u8], at: usize) {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let got = profile.decode_from::<_, Value>(data[..at].chain(Fails));
    let Err(error) = got else { panic!("{profile} {}: a value of a broken reader", hex(data)) };
    assert!(
        error.category() == Category::Io || profile.check(data).is_err(),
        "{profile} {} fails at {at}: {error}",
        hex(data)
    );
}
