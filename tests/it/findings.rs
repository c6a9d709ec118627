//! What fuzzing found, smallest input first: one row for each, so that it stays found.

use calibor::Profile;

use crate::support::{Mismatches, hex, said, to_hex};

/// Profile, input, what `canonicalize` must say of it, and why. `None` is a refusal.
const CANONICALIZE: [(Profile, &str, Option<&str>, &str); 6] = [
    (
        Profile::WELL_FORMED,
        "6180",
        None,
        "text that is not UTF-8 came back as it was, and was refused with a head one byte longer",
    ),
    (Profile::WELL_FORMED, "780180", None, "the same with the longer head"),
    (Profile::WELL_FORMED, "a200000000", None, "equal keys came back as they were"),
    (
        Profile::DAG_CBOR.relaxed(),
        "a2613304613102",
        Some("a2613102613304"),
        "keys out of order came back as they were, since `relaxed` reads any order",
    ),
    (
        Profile::DAG_CBOR.relaxed(),
        "f94100",
        Some("fb4004000000000000"),
        "a short float came back as it was, since `relaxed` reads any width",
    ),
    (
        Profile::CORE.relaxed(),
        "a201000000",
        Some("a200000100"),
        "the same order in another profile",
    ),
];

#[test]
fn canonicalize_writes_the_one_form() {
    let mut out = Mismatches::of("findings of canonicalize");
    for (profile, input, want, why) in CANONICALIZE {
        let got = profile.canonicalize(&hex(input));
        let holds = got.as_ref().ok().map(|bytes| to_hex(bytes)).as_deref() == want;
        out.expect(holds, || {
            let got = got.as_ref().map_or_else(|_| said(&got), |bytes| to_hex(bytes));
            format!("{profile} {input}: {got}, want {want:?} ({why})")
        });
    }
    out.finish();
}
