//! Bytes to deterministic bytes: once is enough, the result is accepted, and a tree in between makes no difference.

use crate::{hex, profiles, said, same_but_for_width};
use calibor::{Profile, Value};

pub fn run(data: &[u8]) {
    let value = Profile::VALID.decode::<Value>(data);
    for profile in profiles() {
        let once = profile.canonicalize(data);
        if let Ok(once) = &once {
            let check = profile.check(once);
            assert!(
                check.is_ok(),
                "{profile} {} becomes {}: {}",
                hex(data),
                hex(once),
                said(&check)
            );
            let twice = profile.canonicalize(once);
            assert!(
                twice.as_ref().is_ok_and(|twice| twice == once),
                "{profile} {} becomes {}, then {}",
                hex(data),
                hex(once),
                twice.map_or_else(|e| e.to_string(), |twice| hex(&twice))
            );
        }
        through_a_value(profile, data, &value, &once);
    }
}

fn through_a_value(
    profile: Profile,
    data: &[u8],
    value: &calibor::Result<Value>,
    once: &calibor::Result<Vec<u8>>,
) {
    // These take bytes apart that the least strict tree has no place for: equal keys that are equal by number only.
    let by_bytes = profile == Profile::CBOR_CORE;
    match value {
        Err(_) => assert!(
            once.is_err() || by_bytes,
            "{profile} {} is not valid, and becomes {}",
            hex(data),
            said(once)
        ),
        Ok(value) => {
            let through = profile.encode(value);
            let same = match (once, &through) {
                (Ok(a), Ok(b)) => same_but_for_width(profile, a, b),
                (Err(_), Err(_)) => true,
                _ => false,
            };
            assert!(
                same,
                "{profile} {}: canonicalize {}, through a value {}",
                hex(data),
                once.as_ref().map_or_else(|e| e.to_string(), |bytes| hex(bytes)),
                through.as_ref().map_or_else(|e| e.to_string(), |bytes| hex(bytes))
            );
        }
    }
}
