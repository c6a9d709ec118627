//! Whatever the bytes, every way of asking a profile about them gives the same answer, and none panics.

use crate::reference::{self, Refused};
use crate::{DETERMINISTIC, has_no_text, hex, profiles, rule, said, same_but_for_width, sane};
use calibor::{Category, Profile, RawValue, Rule, Value};
use serde::de::IgnoredAny;

pub fn run(data: &[u8]) {
    for profile in profiles() {
        doors(profile, data);
    }
    grammar(data);
    subsets(data);
    for profile in DETERMINISTIC {
        one_form(profile, data);
    }
}

fn doors(profile: Profile, data: &[u8]) {
    let check = profile.check(data);
    let violations: Vec<_> = profile.violations(data).collect();
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
    let value = profile.decode::<Value>(data).map(drop);
    let ignored = profile.decode::<IgnoredAny>(data).map(drop);
    let raw = profile.decode::<RawValue<'_>>(data).map(|raw| assert_eq!(raw.as_bytes(), data));
    for (door, got) in [
        ("violations", violations.into_iter().next().map_or(Ok(()), Err)),
        ("decode::<Value>", value),
        ("decode::<IgnoredAny>", ignored),
        ("decode::<RawValue>", raw),
    ] {
        if let Err(error) = &got {
            sane(error, data.len());
        }
        assert!(
            got.is_ok() == check.is_ok() || has_no_text(profile, &got),
            "{profile} {}: check {}, {door} {}",
            hex(data),
            said(&check),
            said(&got)
        );
        // What a slice is refused for is the first fault of all, through whichever door.
        assert!(
            door == "violations" || rule(&got) == rule(&check) || has_no_text(profile, &got),
            "{profile} {}: check {}, {door} {}",
            hex(data),
            said(&check),
            said(&got)
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

/// What a stricter profile accepts, the laxer one does.
fn subsets(data: &[u8]) {
    for (strict, lax) in [
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
    ] {
        let (inner, outer) = (strict.check(data), lax.check(data));
        assert!(
            inner.is_err() || outer.is_ok(),
            "{}: {strict} accepts, {lax} says {}",
            hex(data),
            said(&outer)
        );
    }
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
