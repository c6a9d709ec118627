//! Whatever the bytes, every way of asking a profile about them gives the same answer, and none panics.

use crate::reference::{self, Refused};
use crate::{
    DETERMINISTIC, PROFILES, Target, has_no_text, hex, rule, said, same_but_for_width, sane, seeds,
};
use calibor::{Category, Profile, RawValue, Result, Rule, Value};
use serde::de::IgnoredAny;

pub const TARGET: Target = Target { name: "check", steps: |_| STEPS, ask, seeds: seeds::cbor };

const STEPS: usize = 1 + SUBSETS.len() + DETERMINISTIC.len() + PROFILES.len() * (1 + DOORS.len());

fn ask(step: usize, data: &[u8]) {
    grammar(data);
    let Some(step) = step.checked_sub(1) else { return };
    if let Some(&(strict, lax)) = SUBSETS.get(step) {
        return subset(strict, lax, data);
    }
    let step = step - SUBSETS.len();
    if let Some(&profile) = DETERMINISTIC.get(step) {
        return one_form(profile, data);
    }
    let step = step - DETERMINISTIC.len();
    let profile = PROFILES[step % PROFILES.len()];
    match (step / PROFILES.len()).checked_sub(1) {
        None => violations(profile, data),
        Some(door) => same_door(profile, DOORS[door], data),
    }
}

/// A way to read, and its name.
type Door = (&'static str, fn(Profile, &[u8]) -> Result<()>);

const DOORS: [Door; 3] = [
    ("decode::<Value>", |profile, data| profile.decode::<Value>(data).map(drop)),
    ("decode::<IgnoredAny>", |profile, data| profile.decode::<IgnoredAny>(data).map(drop)),
    ("decode::<RawValue>", |profile, data| {
        let raw = profile.decode::<RawValue<'_>>(data)?;
        assert_eq!(raw.as_bytes(), data);
        Ok(())
    }),
];

/// What a slice is refused for is the first fault of all, through whichever door.
fn same_door(profile: Profile, (name, door): Door, data: &[u8]) {
    let (check, got) = (profile.check(data), door(profile, data));
    if let Err(error) = &got {
        sane(error, data.len());
    }
    assert!(
        got.is_ok() == check.is_ok() && rule(&got) == rule(&check) || has_no_text(profile, &got),
        "{profile} {}: check {}, {name} {}",
        hex(data),
        said(&check),
        said(&got)
    );
}

fn violations(profile: Profile, data: &[u8]) {
    let check = profile.check(data);
    let violations: Vec<_> = profile.violations(data).collect();
    assert_eq!(check.is_ok(), violations.is_empty(), "{profile} {}: {violations:?}", hex(data));
    assert!(violations.len() <= 1 + 8 * data.len(), "{} violations", violations.len());
    for (error, next) in violations.iter().zip(violations.iter().skip(1)) {
        assert!(
            error.offset() <= next.offset(),
            "{profile} {}: {error} is told before {next}",
            hex(data)
        );
    }
    for error in check.as_ref().err().into_iter().chain(&violations) {
        sane(error, data.len());
    }
    // The grammar comes first: what is no CBOR is told before what is only not canonical. Below a limit of depth
    // `check` looks for it too, and `violations` does not.
    if let Err(error) = &check {
        let of_grammar = matches!(error.category(), Category::Eof | Category::Syntax);
        let told = |other: &calibor::Error| {
            (other.offset(), other.rule()) == (error.offset(), error.rule())
        };
        let deep = |error: &calibor::Error| error.rule() == Some(Rule::TooDeep);
        assert!(
            violations.iter().any(deep)
                || if of_grammar {
                    violations.last().is_some_and(told)
                } else {
                    violations.first().is_some_and(told)
                },
            "{profile} {}: check says {error}, the violations are {violations:?}",
            hex(data),
        );
    }
}

/// Against the pseudocode of RFC 8949 Appendix C.
fn grammar(data: &[u8]) {
    let ours = Profile::WELL_FORMED.max_depth(300).check(data);
    match reference::first(data) {
        Ok(facts) => {
            let whole = facts.len == data.len() && facts.depth <= 300;
            assert_eq!(ours.is_ok(), whole, "{}: {}, {facts:?}", hex(data), said(&ours));
            if facts.bad_text && whole {
                let valid = Profile::VALID.max_depth(300).check(data);
                assert!(valid.is_err(), "{}: text is not UTF-8", hex(data));
            }
        }
        Err(Refused::Malformed) => assert!(ours.is_err(), "{} is malformed", hex(data)),
        Err(Refused::TooDeep) => {}
    }
}

/// What the first accepts, the second does.
const SUBSETS: [(Profile, Profile); 13] = [
    (Profile::VALID, Profile::WELL_FORMED),
    (Profile::PREFERRED, Profile::VALID),
    (Profile::CORE, Profile::PREFERRED),
    (Profile::CORE, Profile::CBOR_CORE),
    (Profile::DTRM, Profile::CORE),
    (Profile::DCBOR, Profile::DTRM),
    (Profile::LENGTH_FIRST, Profile::PREFERRED),
    (Profile::LENGTH_FIRST.canonical_nan(), Profile::RFC7049),
    (Profile::CTAP2, Profile::VALID),
    (Profile::DRISL, Profile::DAG_CBOR),
    (Profile::DAG_CBOR, Profile::DAG_CBOR.relaxed()),
    (Profile::DAG_CBOR, Profile::VALID),
    (Profile::CORE.tag_validity(), Profile::CORE),
];

fn subset(strict: Profile, lax: Profile, data: &[u8]) {
    let (inner, outer) = (strict.check(data), lax.check(data));
    assert!(
        inner.is_err() || outer.is_ok(),
        "{}: {strict} accepts, {lax} says {}",
        hex(data),
        said(&outer)
    );
}

/// A deterministic profile accepts nothing but what it writes.
fn one_form(profile: Profile, data: &[u8]) {
    let accepted = profile.check(data).is_ok();
    let canonical = profile.canonicalize(data);
    match &canonical {
        Ok(bytes) if bytes == data => assert!(accepted, "{profile} {} refuses its own", hex(data)),
        // RFC 7049 reads any width of floats and tags, and writes one.
        _ if profile == Profile::RFC7049 => {}
        _ => assert!(
            !accepted,
            "{profile} accepts {} and writes {:?}",
            hex(data),
            canonical.map(|bytes| hex(&bytes))
        ),
    }
    if accepted {
        let value: Value = profile.decode(data).expect("accepted");
        let again = profile.encode(&value).expect("a value that was read can be written");
        assert!(
            profile == Profile::RFC7049 || same_but_for_width(profile, &again, data),
            "{profile} reads {} and writes {}",
            hex(data),
            hex(&again)
        );
    }
}
