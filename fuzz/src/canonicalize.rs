//! Bytes to deterministic bytes: once is enough, the result is accepted, and a tree in between makes no difference.

use crate::{PROFILES, Target, hex, said, same_but_for_width, seeds};
use calibor::{Profile, Value};

pub const TARGET: Target =
    Target { name: "canonicalize", steps: |_| 2 * PROFILES.len(), ask, seeds: seeds::cbor };

fn ask(step: usize, data: &[u8]) {
    let profile = PROFILES[step / 2];
    let once = profile.canonicalize(data);
    if step % 2 == 0 {
        // Tag validity is a matter of the bytes: 1(2(h'05')) is not valid, and a tree has 1(5) for it.
        let tags = [Profile::VALID.tag_validity(), Profile::CORE.tag_validity()].contains(&profile);
        let reading = if tags { Profile::VALID.tag_validity() } else { Profile::VALID };
        through_a_value(profile, data, &reading.decode::<Value>(data), &once);
    } else if let Ok(once) = once {
        at_rest(profile, data, &once);
    }
}

fn at_rest(profile: Profile, data: &[u8], once: &[u8]) {
    let check = profile.check(once);
    assert!(check.is_ok(), "{profile} {} becomes {}: {}", hex(data), hex(once), said(&check));
    let twice = profile.canonicalize(once);
    assert!(
        twice.as_ref().is_ok_and(|twice| twice == once),
        "{profile} {} becomes {}, then {}",
        hex(data),
        hex(once),
        twice.map_or_else(|e| e.to_string(), |twice| hex(&twice))
    );
}

fn through_a_value(
    profile: Profile,
    data: &[u8],
    value: &calibor::Result<Value>,
    once: &calibor::Result<Vec<u8>>,
) {
    // It takes 0.0 and -0.0 as two keys, which are no valid map to any other profile.
    let by_bytes = profile == Profile::CBOR_CORE;
    match value {
        Err(_) => assert!(
            once.is_err() || by_bytes,
            "{profile} {} is not valid, and becomes {}",
            hex(data),
            said(once)
        ),
        Ok(value) => {
            // The keys 1 and 2(h'01') are two, and become one. A profile that takes equal keys would write both.
            let own = if profile == Profile::WELL_FORMED { Profile::VALID } else { profile };
            let through = own.encode(value).and_then(|_| profile.encode(value));
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
