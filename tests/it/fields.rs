//! Structs whose fields come in any order. What one encode learns of a type serves the next, so that many types of the
//! same names, orders and lengths are written one after the other.

use calibor::{Profile, RawValue, Rule};
use proptest::prelude::*;
use serde::Serialize;
use serde::ser::SerializeStruct as _;

#[derive(Clone, Debug)]
enum Content {
    Number(u64),
    Text(String),
    Struct(Made),
    Raw(RawValue<'static>),
}

/// A struct as a derived `Serialize` writes it.
#[derive(Clone, Debug)]
struct Made {
    name: &'static str,
    fields: Vec<(&'static str, Content)>,
}

impl Serialize for Content {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Content::Number(number) => number.serialize(serializer),
            Content::Text(text) => text.serialize(serializer),
            Content::Struct(made) => made.serialize(serializer),
            Content::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl Serialize for Made {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct(self.name, self.fields.len())?;
        for (name, content) in &self.fields {
            fields.serialize_field(name, content)?;
        }
        fields.end()
    }
}

/// The encoding put together by hand: RFC 8949 §4.2.1, for names shorter than 24 bytes. None if two names are equal.
fn by_hand(content: &Content) -> Option<Vec<u8>> {
    Some(match content {
        Content::Number(number @ 0..24) => vec![number.to_be_bytes()[7]],
        Content::Number(number @ 24..256) => vec![0x18, number.to_be_bytes()[7]],
        Content::Number(_) => unreachable!("the tests have no larger ones"),
        Content::Text(text) if text.len() < 24 => {
            [&[0x60 | text.len().to_le_bytes()[0]], text.as_bytes()].concat()
        }
        Content::Text(text) => [&[0x78, text.len().to_le_bytes()[0]], text.as_bytes()].concat(),
        Content::Raw(raw) => raw.as_bytes().to_vec(),
        Content::Struct(made) => {
            let mut entries = Vec::new();
            for (name, content) in &made.fields {
                entries.push((by_hand(&Content::Text((*name).to_owned()))?, by_hand(content)?));
            }
            entries.sort();
            if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return None;
            }
            let mut bytes = match entries.len() {
                len @ 0..24 => vec![0xa0 | len.to_le_bytes()[0]],
                len => vec![0xb8, len.to_le_bytes()[0]],
            };
            bytes.extend(entries.into_iter().flat_map(|(key, value)| [key, value].concat()));
            bytes
        }
    })
}

fn assert_written(made: &Made) {
    let content = Content::Struct(made.clone());
    let Some(bytes) = by_hand(&content) else {
        let error = Profile::CORE.encode(&content).unwrap_err();
        assert_eq!(error.rule(), Some(Rule::DuplicateKey), "{content:?}");
        return;
    };
    for profile in
        [Profile::CORE, Profile::LENGTH_FIRST, Profile::CTAP2.max_depth(64), Profile::DAG_CBOR]
    {
        assert_eq!(profile.encode(&content).unwrap(), bytes, "{content:?}");
    }
}

const TYPES: [&str; 2] = ["Type", "Kind"];

/// Names of which some share their first eight bytes.
const LONG: &str = "identity of the sender";
const NAMES: [&str; 8] =
    ["b", "a", "zz", "size", "", LONG, "identity of the target", "identity of a receiver"];

fn content() -> impl Strategy<Value = Content> {
    let leaf = prop_oneof![
        (0..256_u64).prop_map(Content::Number),
        "[a-z]{0,70}".prop_map(Content::Text),
        Just(Content::Raw(RawValue::new(&b"\x82\x61a\xa1\x60\x01"[..]).unwrap())),
    ];
    leaf.prop_recursive(3, 20, 6, |inner| made(inner).prop_map(Content::Struct))
}

fn made(inner: impl Strategy<Value = Content>) -> impl Strategy<Value = Made> {
    let field = (proptest::sample::select(&NAMES[..]), inner);
    (proptest::sample::select(&TYPES[..]), proptest::collection::vec(field, 0..6)).prop_map(
        |(name, mut fields)| {
            // Mostly without equal names.
            if fields.len() != 5 {
                let mut seen = Vec::new();
                fields.retain(|(name, _)| {
                    let new = !seen.contains(name);
                    seen.push(*name);
                    new
                });
            }
            Made { name, fields }
        },
    )
}

proptest! {
    #[test]
    fn of_any_order_and_in_any_sequence(all in proptest::collection::vec(made(content()), 1..8)) {
        all.iter().for_each(assert_written);
        all.iter().rev().for_each(assert_written);
    }
}

/// Fewer, as many and more fields than anything is kept of, written twice each.
#[test]
fn of_any_length() {
    for len in [0, 1, 2, 3, 8, 9, 23, 24, 25, 64, 255] {
        let fields = (0..len)
            .map(|i: u64| {
                let name: &'static str = format!("{:x}", i * 7919 % 251 + i * 256).leak();
                (name, Content::Number(i))
            })
            .collect();
        let made = Made { name: "Long", fields };
        assert_written(&made);
        assert_written(&made);
    }
}

/// Two types that agree in all that a type is told by at a glance: its name, its length, its first field.
#[test]
fn of_types_alike() {
    let fields = |names: [&'static str; 3]| {
        names.map(|name| (name, Content::Text(name.repeat(20)))).to_vec()
    };
    let (first, second) = (fields(["m", "c", "b"]), fields(["m", "b", "c"]));
    let in_order = fields(["b", "c", "m"]);
    for fields in [&in_order, &first, &second, &first, &in_order, &second] {
        assert_written(&Made { name: "Same", fields: fields.clone() });
    }
}

/// Two types that are met for the first time, so that nothing is known of their fields before the one out of order: not to
/// be taken for each other.
#[test]
fn of_types_met_first() {
    let made = |name, names: [&'static str; 3]| Made {
        name,
        fields: names.map(|name| (name, Content::Text(name.repeat(9)))).to_vec(),
    };
    let types = [made("First", ["m", "z", "f"]), made("Second", ["b", "z", "f"])];
    // What is learned is of a thread.
    let check = move || types.iter().for_each(assert_written);
    std::thread::spawn(check).join().unwrap();
}

/// Names that are one text from its beginning on, so that they have one address and two lengths.
#[test]
fn of_names_in_names() {
    for ends in [[9, 8], [10, 8], [9, 7], [8, 9]] {
        let fields = ends.map(|end| (&LONG[..end], Content::Number(end as u64)));
        assert_written(&Made { name: "Parts", fields: fields.to_vec() });
    }
}

/// Profiles without an order keep the fields as they come, and find equal names all the same.
#[test]
fn without_an_order() {
    let fields = vec![("b", Content::Number(1)), ("a", Content::Number(2))];
    let made = Made { name: "Unordered", fields };
    for _ in 0..3 {
        assert_eq!(Profile::VALID.encode(&made).unwrap(), b"\xa2\x61b\x01\x61a\x02"); // {"b": 1, "a": 2}
        assert_eq!(Profile::CORE.encode(&made).unwrap(), b"\xa2\x61a\x02\x61b\x01"); // {"a": 2, "b": 1}
    }
    let twice = Made { name: "Unordered", fields: [&made.fields[..], &made.fields[..]].concat() };
    for _ in 0..2 {
        let error = Profile::VALID.encode(&twice).unwrap_err();
        assert_eq!(error.rule(), Some(Rule::DuplicateKey));
    }
}
