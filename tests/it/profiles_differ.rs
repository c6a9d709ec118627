//! No two profiles are the same: for each pair an item that one accepts and the other refuses.

use std::collections::BTreeSet;

use calibor::Profile;

use crate::support::{Mismatches, hex, judge, profile};

/// Accepted by, refused by, item.
#[rustfmt::skip]
const DIFFER: [(&str, &str, &str); 66] = [
    ("well-formed", "valid", "61ff"),
    ("well-formed", "preferred", "1800"),
    ("well-formed", "core", "1800"),
    ("well-formed", "dtrm", "1800"),
    ("well-formed", "length-first", "1800"),
    ("well-formed", "rfc7049", "1800"),
    ("well-formed", "ctap2", "1800"),
    ("well-formed", "dcbor", "f7"),
    ("well-formed", "dag-cbor", "f7"),
    ("well-formed", "drisl", "f7"),
    ("well-formed", "cbor-core", "1800"),
    ("valid", "preferred", "1800"),
    ("valid", "core", "1800"),
    ("valid", "dtrm", "1800"),
    ("valid", "length-first", "1800"),
    ("valid", "rfc7049", "1800"),
    ("valid", "ctap2", "1800"),
    ("valid", "dcbor", "f7"),
    ("valid", "dag-cbor", "f7"),
    ("valid", "drisl", "f7"),
    ("valid", "cbor-core", "1800"),
    ("preferred", "core", "5fff"),
    ("preferred", "dtrm", "5fff"),
    ("preferred", "length-first", "5fff"),
    ("preferred", "rfc7049", "5fff"),
    ("preferred", "ctap2", "5fff"),
    ("preferred", "dcbor", "f7"),
    ("preferred", "dag-cbor", "f7"),
    ("preferred", "drisl", "f7"),
    ("preferred", "cbor-core", "5fff"),
    ("core", "dtrm", "f97d00"),
    ("core", "length-first", "a21864002001"),
    ("core", "rfc7049", "f97d00"),
    ("core", "ctap2", "c16131"),
    ("core", "dcbor", "f7"),
    ("core", "dag-cbor", "f7"),
    ("core", "drisl", "f7"),
    ("cbor-core", "core", "a2f9000000f9800001"),
    ("length-first", "dtrm", "f97d00"),
    ("rfc7049", "dtrm", "fa3fc00000"),
    ("dtrm", "ctap2", "c16131"),
    ("dtrm", "dcbor", "f7"),
    ("dtrm", "dag-cbor", "f7"),
    ("dtrm", "drisl", "f7"),
    ("cbor-core", "dtrm", "f97d00"),
    ("length-first", "rfc7049", "f97d00"),
    ("length-first", "ctap2", "c16131"),
    ("length-first", "dcbor", "f7"),
    ("length-first", "dag-cbor", "f7"),
    ("length-first", "drisl", "f7"),
    ("cbor-core", "length-first", "a21864002001"),
    ("rfc7049", "ctap2", "c16131"),
    ("rfc7049", "dcbor", "f7"),
    ("rfc7049", "dag-cbor", "f7"),
    ("rfc7049", "drisl", "f7"),
    ("cbor-core", "rfc7049", "f97d00"),
    ("ctap2", "dcbor", "f7"),
    ("ctap2", "dag-cbor", "f7"),
    ("ctap2", "drisl", "f7"),
    ("cbor-core", "ctap2", "c16131"),
    ("dcbor", "dag-cbor", "c16131"),
    ("dcbor", "drisl", "c16131"),
    ("cbor-core", "dcbor", "f7"),
    ("dag-cbor", "drisl", "d82a58190001551114f572d396fae9206628714fb2ce00f72e94f2258f"),
    ("cbor-core", "dag-cbor", "f7"),
    ("cbor-core", "drisl", "f7"),
];

#[test]
fn each_pair_has_an_item_that_tells_them_apart() {
    let mut out = Mismatches::of("pairs of profiles");
    for (accepts, refuses, item) in DIFFER {
        let label = format!("{accepts} and not {refuses}");
        judge(profile(accepts), &hex(item), true, &label, &mut out);
        judge(profile(refuses), &hex(item), false, &label, &mut out);
    }
    out.finish();
}

#[test]
fn no_pair_is_left_out() {
    let pair = |a: &str, b: &str| BTreeSet::from([a.to_owned(), b.to_owned()]);
    let told: BTreeSet<_> = DIFFER.iter().map(|(a, b, _)| pair(a, b)).collect();
    let mut out = Mismatches::of("pairs told apart");
    for (i, a) in Profile::ALL.iter().enumerate() {
        for b in &Profile::ALL[i + 1..] {
            let (a, b) = (a.to_string(), b.to_string());
            out.expect(told.contains(&pair(&a, &b)), || format!("{a} and {b}"));
        }
    }
    out.finish();
}
