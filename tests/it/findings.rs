//! What fuzzing and attacks found, smallest input first: one row for each, so that it stays found.

use calibor::{IntKeys, Profile, RawValue, Rule, Value};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

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

/// A raw item is written only if it is what the profile writes, also where the profile reads more.
#[test]
fn raw_items_are_what_the_profile_writes() {
    let short = RawValue::new(hex("f93c00")).unwrap();
    let unsorted = RawValue::new(hex("a2616201616102")).unwrap();
    let rows = [
        (Profile::DAG_CBOR.relaxed(), &short, Rule::ShortFloat),
        (Profile::CORE.relaxed(), &unsorted, Rule::UnsortedKey),
        (Profile::CORE, &unsorted, Rule::UnsortedKey),
    ];
    for (profile, raw, rule) in rows {
        let error = profile.encode(raw).unwrap_err();
        assert_eq!(error.rule(), Some(rule), "{profile}: {error}");
    }
}

/// What a tree is too deep for, its encoding is too.
#[test]
fn a_tree_keeps_to_the_depth_of_the_profile() {
    let levels = |n: usize| (0..n).fold(Value::Integer(1), |v, _| Value::Array(vec![v]));
    for (profile, most) in [(Profile::CTAP2, 4), (Profile::CORE.max_depth(7), 7)] {
        assert_eq!(levels(most).encode(profile).unwrap(), profile.encode(&levels(most)).unwrap());
        for error in [
            levels(most + 1).encode(profile).unwrap_err(),
            profile.encode(&levels(most + 1)).unwrap_err(),
        ] {
            assert_eq!(error.rule(), Some(Rule::TooDeep), "{profile}");
        }
    }
}

/// A tag whose content is wrong is found at its own offset, from a slice and from a reader.
#[test]
fn wrong_content_is_told_at_the_tag() {
    let profile = Profile::CORE.tag_validity();
    for (input, at) in [("8201c06161", 2), ("a10082c06161c11901f4", 3)] {
        let bytes = hex(input);
        let slice = profile.decode::<Value>(&bytes).unwrap_err();
        let reader = profile.decode_from::<_, Value>(&bytes[..]).unwrap_err();
        let skipped = profile.decode_from::<_, IgnoredAny>(&bytes[..]).unwrap_err();
        for error in [slice, reader, skipped] {
            assert_eq!(
                (error.rule(), error.offset()),
                (Some(Rule::InvalidTagContent), Some(at)),
                "{input}: {error}"
            );
        }
    }
}

/// Asks for two keys in a row, or for a value before any key.
struct OutOfTurn<const KEYS: usize>;

impl<'de, const KEYS: usize> Deserialize<'de> for OutOfTurn<KEYS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<const KEYS: usize>;
        impl<'de, const KEYS: usize> Visitor<'de> for Pairs<KEYS> {
            type Value = OutOfTurn<KEYS>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                for _ in 0..KEYS {
                    map.next_key::<u8>()?;
                }
                if KEYS == 0 {
                    map.next_value::<u8>()?;
                }
                Ok(OutOfTurn)
            }
        }
        deserializer.deserialize_map(Pairs::<KEYS>)
    }
}

#[test]
fn keys_and_values_are_asked_for_in_turn() {
    let bytes = hex("a201020304");
    for error in [
        Profile::CORE.decode::<OutOfTurn<2>>(&bytes).err(),
        Profile::CORE.decode::<OutOfTurn<0>>(&bytes).err(),
    ] {
        assert!(error.unwrap().to_string().contains("in turn"));
    }
}

/// Only a name that spells an integer is one, and only that one is refused where keys are text.
#[test]
fn integer_names_where_keys_are_text() {
    #[derive(Serialize)]
    struct Texts {
        b: u8,
        a: u8,
    }
    #[derive(Serialize)]
    struct Mixed {
        a: u8,
        #[serde(rename = "1")]
        one: u8,
    }
    let texts = Profile::DAG_CBOR.encode(&IntKeys(Texts { b: 1, a: 2 })).unwrap();
    assert_eq!(to_hex(&texts), "a2616102616201");
    let error = Profile::DAG_CBOR.encode(&IntKeys(Mixed { a: 1, one: 2 })).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::ForbiddenKey));
}

/// {{1: 2, 3: 4}: 0, {3: 4, 1: 2}: 1}: the keys are one, which only sorting them shows.
#[test]
fn maps_as_keys_are_compared_as_data() {
    let one = Value::Map(vec![(1.into(), 2.into()), (3.into(), 4.into())]);
    let other = Value::Map(vec![(3.into(), 4.into()), (1.into(), 2.into())]);
    let map = Value::Map(vec![(one, 0.into()), (other, 1.into())]);
    for profile in [Profile::VALID, Profile::PREFERRED, Profile::CORE, Profile::CBOR_CORE] {
        for error in [profile.encode(&map).unwrap_err(), map.encode(profile).unwrap_err()] {
            assert_eq!(error.rule(), Some(Rule::DuplicateKey), "{profile}: {error}");
        }
    }
}

/// {1: 0, 2(h'01'): 0}: two keys to RFC 8949 §5.6.1, which a profile writes as one (§3.4.3); so there is no form to give.
#[test]
fn a_small_bignum_beside_its_integer_has_no_form() {
    let bytes = hex("a20100c2410100");
    assert!(Profile::VALID.check(&bytes).is_ok());
    let value: Value = Profile::VALID.decode(&bytes).unwrap();
    for profile in [Profile::WELL_FORMED, Profile::VALID, Profile::CORE, Profile::LENGTH_FIRST] {
        let error = profile.canonicalize(&bytes).unwrap_err();
        assert_eq!(error.rule(), Some(Rule::DuplicateKey), "{profile}: {error}");
        assert_eq!(error.offset(), Some(3), "{profile}: {error}");
        // A profile that takes equal keys has a form for the tree, in which they are equal.
        let encoded = value.encode(profile);
        assert_eq!(encoded.is_ok(), profile == Profile::WELL_FORMED, "{profile}");
    }
}

/// A map that is put in order later may begin, with the first entry that is out of place, where another one ends.
#[test]
fn maps_put_in_order_later_touch() {
    fn unsorted(b: Value, a: Value) -> Value {
        Value::Map(vec![("b".into(), b), ("a".into(), a)])
    }
    let text = |len: usize| Value::Text("x".repeat(len));
    let outer = Value::Map(vec![
        ("a".into(), unsorted(text(1024), text(0))),
        ("c".into(), text(1022)),
        ("b".into(), Value::Null),
    ]);
    // As keys they are in order only once they are in order themselves; and equal ones are found.
    let key = |b: &str, a: u8| Value::Array(vec![unsorted(b.repeat(1100).into(), a.into())]);
    let keys = Value::Map(vec![(key("x", 2), 0.into()), (key("y", 1), 1.into())]);
    let same = Value::Map(vec![
        (key("x", 1), 0.into()),
        (
            Value::Array(vec![Value::Map(vec![("a".into(), 1.into()), ("b".into(), text(1100))])]),
            1.into(),
        ),
    ]);
    for (last, valid) in [(outer, true), (keys, true), (same, false)] {
        let deep = (0..5).fold(text(8500), |inner, _| unsorted(inner, Value::Null));
        let value = Value::Array(vec![deep, last]);
        let encoded = match value.encode(Profile::CORE) {
            Ok(encoded) => encoded,
            Err(error) => {
                assert!(!valid && error.rule() == Some(Rule::DuplicateKey), "{error}");
                assert!(Profile::CORE.encode(&value).is_err());
                continue;
            }
        };
        assert!(valid);
        Profile::CORE.check(&encoded).unwrap();
        assert_eq!(Profile::CORE.encode(&value).unwrap(), encoded);
        let given = value.encode(Profile::VALID).unwrap();
        assert_eq!(Profile::CORE.canonicalize(&given).unwrap(), encoded);
    }
}

/// What floats were like in one profile says nothing of the next.
#[test]
fn a_serializer_that_changes_its_profile_forgets_its_floats() {
    for (profile, value, want) in [
        (Profile::DAG_CBOR, 1.5, "fb3ff8000000000000"),
        (Profile::DRISL, 1.5, "fb3ff8000000000000"),
        (Profile::CTAP2, 1.5, "fb3ff8000000000000"),
        (Profile::DCBOR, 2.0, "02"),
    ] {
        let mut serializer = calibor::Serializer::with_buffer(Vec::with_capacity(64));
        for _ in 0..12 {
            1.5_f64.serialize(&mut serializer).unwrap();
        }
        let mut serializer = serializer.profile(profile);
        value.serialize(&mut serializer).unwrap();
        assert_eq!(to_hex(&serializer.finish().unwrap()[12 * 3..]), want, "{profile}");
    }
}
