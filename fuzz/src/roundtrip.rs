//! Values: through every profile that can carry them and back, and the promises of `Eq`, `Ord` and `Hash`.

use crate::{PLAIN_NUMBERS, PROFILES, Target, hex, said, same_but_for_width, seeds};
use arbitrary::{Arbitrary, Unstructured};
use calibor::{Profile, Value, from_value, to_value, to_vec, to_writer};
use std::hash::{DefaultHasher, Hash, Hasher};

pub const TARGET: Target =
    Target { name: "roundtrip", steps: |_| 2 * (PROFILES.len() + 3), ask, seeds: seeds::cbor };

fn ask(step: usize, data: &[u8]) {
    let mut values: [Option<Value>; 3] = if step % 2 == 0 {
        let mut data = Unstructured::new(data);
        [(); 3].map(|()| Value::arbitrary(&mut data).ok())
    } else {
        // A value that no encoder of ours would make is wanted too: equal keys, text that is none.
        let mut data = data;
        [(); 3].map(|()| {
            let (value, rest) = Profile::WELL_FORMED.decode_first(data).ok()?;
            data = rest;
            Some(value)
        })
    };
    let [Some(first), second, third] = &mut values else { return };
    if let Some(&profile) = PROFILES.get(step / 2) {
        return there_and_back(profile, first);
    }
    match step / 2 - PROFILES.len() {
        0 => writers(first),
        1 => {
            if let Ok(again) = to_value(&*first) {
                assert_eq!(again, *first, "through to_value");
                assert_eq!(from_value::<Value>(&again).expect("a value is a value"), *first);
            }
        }
        _ => {
            let [second, third] = [second, third].map(|value| value.take().unwrap_or(Value::Null));
            order(first, &second, &third);
        }
    }
}

fn there_and_back(profile: Profile, value: &Value) {
    let Ok(bytes) = profile.encode(value) else { return };
    let check = profile.check(&bytes);
    assert!(check.is_ok(), "{profile} writes {}: {}", hex(&bytes), said(&check));
    let back = profile.decode::<Value>(&bytes);
    let Ok(back) = back else {
        panic!("{profile} writes {} and reads {}", hex(&bytes), said(&back));
    };
    // dCBOR makes one number of 1 and 1.0, and one NaN has many of; else what comes back is what went in.
    let one_nan =
        [Profile::DTRM, Profile::RFC7049, Profile::DCBOR, PLAIN_NUMBERS].contains(&profile);
    if !one_nan {
        assert_eq!(&back, value, "{profile} {}", hex(&bytes));
    }
    let again = profile.encode(&back).expect("what was written can be written again");
    assert!(
        same_but_for_width(profile, &again, &bytes),
        "{profile} writes {}, then {}",
        hex(&bytes),
        hex(&again)
    );
}

/// A writer that takes a few bytes at a time, and fails after `left`.
struct Narrow {
    taken: Vec<u8>,
    left: usize,
}

impl std::io::Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Err(std::io::Error::other("full"));
        }
        let len = bytes.len().min(3).min(self.left);
        self.taken.extend_from_slice(&bytes[..len]);
        self.left -= len;
        Ok(len)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn writers(value: &Value) {
    let Ok(bytes) = to_vec(value) else { return };
    let mut wide = Narrow { taken: Vec::new(), left: usize::MAX };
    to_writer(&mut wide, value).expect("what a vector takes, a writer takes");
    assert_eq!(wide.taken, bytes);
    let left = bytes.len() / 2;
    let mut full = Narrow { taken: Vec::new(), left };
    let failed = to_writer(&mut full, value).expect_err("half a writer is not enough");
    assert_eq!(failed.category(), calibor::Category::Io);
    assert!(bytes.starts_with(&full.taken), "not a part of what would have been written");
}

fn order(a: &Value, b: &Value, c: &Value) {
    assert_eq!(a.cmp(b), b.cmp(a).reverse(), "{a} and {b}");
    assert_eq!(a == b, a.cmp(b).is_eq(), "{a} and {b}");
    if a <= b && b <= c {
        assert!(a <= c, "{a} and {b} and {c}");
    }
    if a == b {
        let hash = |value: &Value| {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(a), hash(b), "{a} and {b}");
    }
    if let (Ok(x), Ok(y)) = (to_vec(a), to_vec(b)) {
        assert_eq!(a.cmp(b), x.cmp(&y), "{a} and {b}: {} and {}", hex(&x), hex(&y));
    }
}
