//! What a fuzzer with a checker of its own found, the smallest bytes of each.

use calibor::{Profile, Rule};

use crate::support::{Mismatches, hex, judge, profile, said, to_hex};

/// Keys whose bytes differ and that are equal all the same, where the profile leaves a width open.
#[test]
fn equal_keys_of_other_widths() {
    let rows = [
        // {1.0: 0, 1.0_2: 0}
        ("rfc7049", "a2f93c0000fa3f80000000", false),
        ("ctap2", "a2f93c0000fa3f80000000", false),
        // {[1.0]: 0, [1.0_3]: 0}
        ("rfc7049", "a281f93c000081fb3ff000000000000000", false),
        ("ctap2", "a281f93c000081fb3ff000000000000000", false),
        // {1(0): 0, 1_0(0): 0}
        ("rfc7049", "a2c10000d8010000", false),
        // {1.0: 0, 1.5_2: 0} and {1(0): 0, 1_0(1): 0}
        ("rfc7049", "a2f93c0000fa3fc0000000", true),
        ("ctap2", "a2f93c0000fa3fc0000000", true),
        ("rfc7049", "a2c10000d8010100", true),
        // {"": 0, ""_0: 0}: relaxing widths does not relax duplicates
        ("cbor-core+relaxed", "a26000780000", false),
        ("core+relaxed", "a26000780000", false),
        // {0.0: 0, -0.0_2: 0}
        ("cbor-core+relaxed", "a2f9000000fa8000000000", true),
        ("core+relaxed", "a2f9000000fa8000000000", false),
    ];
    let mut out = Mismatches::of("keys of other widths");
    for (name, bytes, accept) in rows {
        judge(profile(name), &hex(bytes), accept, "keys", &mut out);
    }
    out.finish();
}

/// The way to the one form: what comes out passes, and what passes is all that comes out.
#[test]
fn canonicalize_gives_what_is_written() {
    let rows = [
        // A relaxed profile reads more and writes the same.
        ("core+relaxed", "a260001600", "a216006000"),
        ("core+relaxed", "1800", "00"),
        ("dag-cbor+relaxed", "f93c00", "fb3ff0000000000000"),
        ("valid+relaxed", "fa7f800000", "f97c00"),
        // Only what is valid is rewritten, whatever else the profile reads: bad UTF-8, {1: 0, 1: 0}, {-1, 3(h'')}.
        ("well-formed", "61ff", "invalid-utf8 at 0"),
        ("well-formed", "a201000100", "duplicate-key at 3"),
        ("well-formed", "a22000c34000", "duplicate-key at 3"),
        // Elements of a set that become one: 258([1, 1.0]), 258([NaN, -NaN]).
        ("dcbor+tags", "81d901028201f93c00", "invalid-tag-content at 1"),
        ("dtrm+tags", "d9010282f97e00f9fe00", "invalid-tag-content at 0"),
        ("core+tags", "d9010282f97e00f9fe00", "d9010282f97e00f9fe00"),
        // Keys that become one: the second is at fault. [{2: 0, 1: 0, 1.0: 0}], {_ (_ "a"): 0, "a": 0}
        ("dcbor", "81a302000100f93c0000", "duplicate-key at 6"),
        ("dcbor", "bf7f616562cc81ff0062c3a900ff", "duplicate-key at 9"),
        ("core", "a2c24101000100", "duplicate-key at 5"),
    ];
    let mut out = Mismatches::of("canonicalize");
    for (name, bytes, want) in rows {
        let profile = profile(name);
        let got = match profile.canonicalize(&hex(bytes)) {
            Ok(bytes) => {
                let check = profile.check(&bytes);
                out.expect(check.is_ok(), || format!("{name} {bytes:02x?}: {}", said(&check)));
                to_hex(&bytes)
            }
            Err(e) => {
                format!("{} at {}", e.rule().map_or("none", Rule::name), e.offset().unwrap_or(99))
            }
        };
        out.equal(format!("{name} {bytes}"), &got.as_str(), &want);
    }
    out.finish();
}

/// A tree is held to tag validity like everything else that is written.
#[test]
fn a_value_is_written_with_valid_tags() {
    let profile = Profile::CORE.tag_validity();
    let value = Profile::CORE.decode::<calibor::Value>(&hex("c0f6")).unwrap();
    for result in [value.encode(profile), profile.encode(&value)] {
        assert_eq!(result.unwrap_err().rule(), Some(Rule::InvalidTagContent));
    }
}

/// However deep it goes on, the limit that is told is the profile's and the level is the first beyond it.
#[test]
fn the_limit_told_is_the_profiles() {
    let mut out = Mismatches::of("depth");
    for levels in [129, 1_025, 100_000] {
        let bytes = [vec![0x81; levels], vec![0]].concat();
        for (profile, limit) in
            [(Profile::CORE, 128), (Profile::WELL_FORMED, 128), (Profile::CTAP2, 4)]
        {
            let check = profile.check(&bytes).unwrap_err();
            let decode = profile.decode::<serde::de::IgnoredAny>(&bytes).unwrap_err();
            for error in [check, decode] {
                out.equal(format!("{levels} {profile} {error}"), &error.offset(), &Some(limit));
            }
        }
    }
    out.finish();
}
