//! `IntKeys`: COSE headers, CWT and EAT claims as structs with integer names.

use std::collections::{BTreeMap, HashMap};

use calibor::{IntKeys, Profile, Required, Rule, Value, cbor, from_slice, to_vec};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::support::{hex, to_hex};

/// A label of COSE and CWT: RFC 9052 §1.5.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum Label {
    Int(i64),
    Text(String),
}

/// RFC 9052 §3.1.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "1", skip_serializing_if = "Option::is_none")]
    algorithm: Option<i32>,
    #[serde(rename = "2", skip_serializing_if = "Option::is_none")]
    critical: Option<Vec<Label>>,
    #[serde(rename = "4", with = "serde_bytes", default, skip_serializing_if = "Vec::is_empty")]
    key_id: Vec<u8>,
    #[serde(flatten, with = "calibor::int_keys")]
    rest: BTreeMap<Label, Value>,
}

#[test]
fn headers_of_cose() {
    let header = Header {
        algorithm: Some(-7),
        critical: Some(vec![Label::Text("reserved".into()), Label::Int(-65537)]),
        key_id: b"11".to_vec(),
        rest: BTreeMap::from([
            (Label::Text("reserved".into()), cbor!(false)),
            (Label::Int(-65537), cbor!({ 1 => "x", "1" => 2 })),
            (Label::Int(5), cbor!(b"iv")),
            (Label::Int(i64::MAX), cbor!(tag(1, 5))),
            (Label::Int(i64::MIN), cbor!(null)),
        ]),
    };
    let bytes = to_vec(&IntKeys(&header)).unwrap();
    assert_eq!(
        Profile::CORE.decode::<Value>(&bytes).unwrap().to_string(),
        r#"{1: -7, 2: ["reserved", -65537], 4: h'3131', 5: h'6976', 9223372036854775807: 1(5), -65537: {1: "x", "1": 2}, -9223372036854775808: null, "reserved": false}"#
    );
    assert_eq!(from_slice::<IntKeys<Header>>(&bytes).unwrap().0, header);
    assert_eq!(Profile::CORE.decode_from::<_, IntKeys<Header>>(&bytes[..]).unwrap().0, header);
    let empty = to_vec(&IntKeys(Header::default())).unwrap();
    assert_eq!(to_hex(&empty), "a0");
    assert_eq!(from_slice::<IntKeys<Header>>(&empty).unwrap().0, Header::default());
    // Length-first is another order for the same labels.
    assert!(Profile::LENGTH_FIRST.encode(&IntKeys(&header)).unwrap().len() == bytes.len());
    // A profile of text keys has none of this.
    assert!(Profile::DAG_CBOR.encode(&IntKeys(BTreeMap::from([("1", 1)]))).is_err());
}

/// RFC 8392 §3.1.1 and the claims of EAT, RFC 9711: integers of both signs and of any width.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    #[serde(rename = "1")]
    issuer: String,
    #[serde(rename = "4")]
    expires: u64,
    #[serde(rename = "-75000")]
    private: Option<bool>,
    #[serde(rename = "18446744073709551615")]
    large: u8,
    #[serde(rename = "-18446744073709551616")]
    small: u8,
    text: u8,
    /// A map of its own labels inside.
    #[serde(rename = "8", with = "calibor::int_keys")]
    confirmation: Confirmation,
    #[serde(rename = "266")]
    submodules: BTreeMap<String, IntKeys<BTreeMap<i64, u8>>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Confirmation {
    #[serde(rename = "1")]
    key: IntKeys<BTreeMap<i8, u8>>,
    #[serde(rename = "3")]
    key_id: ByteBuf,
}

fn claims() -> Claims {
    Claims {
        issuer: "coap://as".into(),
        expires: 1_444_064_944,
        private: Some(true),
        large: 1,
        small: 2,
        text: 3,
        confirmation: Confirmation {
            key: IntKeys(BTreeMap::from([(1, 2), (-1, 1)])),
            key_id: ByteBuf::from(*b"k"),
        },
        submodules: BTreeMap::from([("sub".into(), IntKeys(BTreeMap::from([(-5, 5), (5, 5)])))]),
    }
}

#[test]
fn nested_claims() {
    let bytes = to_vec(&Required::<_, 61>(IntKeys(claims()))).unwrap();
    let value: Value = from_slice(&bytes).unwrap();
    assert_eq!(
        value.to_string(),
        "61({1: \"coap://as\", 4: 1444064944, 8: {1: {1: 2, -1: 1}, 3: h'6b'}, 266: {\"sub\": {5: 5, -5: 5}}, \
         18446744073709551615: 1, -75000: true, -18446744073709551616: 2, \"text\": 3})"
    );
    let back: Required<IntKeys<Claims>, 61> = from_slice(&bytes).unwrap();
    assert_eq!(back.0.0, claims());
}

#[test]
fn unknown_labels_are_named_when_denied() {
    for (label, name) in [("18ff", "255"), ("617a", "z"), ("20", "-1")] {
        let item = format!("a1{label}00");
        let error = from_slice::<IntKeys<Claims>>(&hex(&item)).unwrap_err();
        assert!(error.to_string().contains(&format!("unknown field `{name}`")), "{error}");
        assert_eq!(error.offset(), Some(1), "{error}");
    }
    for label in ["41ff", "80", "f5", "c101", "f93e00", "a0", "f7"] {
        let item = format!("a1{label}00");
        assert!(from_slice::<IntKeys<Claims>>(&hex(&item)).is_err(), "{label}");
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Two {
    #[serde(rename = "1")]
    one: u8,
    #[serde(rename = "b", default)]
    other: u8,
}

#[test]
fn text_that_spells_an_integer() {
    // {"1": 5} is not {1: 5}.
    assert_eq!(from_slice::<IntKeys<Two>>(&hex("a10105")).unwrap().0, Two { one: 5, other: 0 });
    for item in ["a1613105", "a201056132f6", "a20105622d31f6", "a2010561300a"] {
        let error = from_slice::<IntKeys<Two>>(&hex(item)).unwrap_err();
        assert!(error.to_string().contains("text that spells an integer"), "{item}: {error}");
        let error = from_slice::<IntKeys<HashMap<Label, Value>>>(&hex(item)).unwrap_err();
        assert!(error.to_string().contains("text that spells an integer"), "{item}: {error}");
        let error = from_slice::<IntKeys<Header>>(&hex(item)).unwrap_err();
        assert!(error.to_string().contains("text that spells an integer"), "{item}: {error}");
    }
    assert!(Profile::VALID.decode::<IntKeys<Two>>(&hex("bf7f6131ff05ff")).is_err());
    // What looks like one and is not stays text.
    for (text, item) in
        [("01", "623031"), ("-0", "622d30"), ("+1", "622b31"), ("", "60"), ("1.0", "63312e30")]
    {
        let map = BTreeMap::from([(Label::Text(text.into()), 1_u8)]);
        let bytes = to_vec(&IntKeys(&map)).unwrap();
        assert_eq!(to_hex(&bytes), format!("a1{item}01"));
        assert_eq!(from_slice::<IntKeys<BTreeMap<Label, u8>>>(&bytes).unwrap().0, map);
    }
    let long = "18446744073709551616";
    assert_eq!(to_vec(&IntKeys(BTreeMap::from([(long, 1)]))).unwrap()[1], 0x74);
    // Two names of one key are found on writing.
    let twice = BTreeMap::from([(Label::Text("1".into()), 1), (Label::Int(1), 2)]);
    assert_eq!(to_vec(&IntKeys(twice)).unwrap_err().rule(), Some(Rule::DuplicateKey));
}

#[test]
fn exotic_keys_are_unknown_fields() {
    for key in ["4131", "8101", "f5", "c101", "f93c00", "a0", "f7", "c249010000000000000000"] {
        let item = format!("a20105{key}00");
        assert_eq!(
            Profile::VALID.decode::<IntKeys<Two>>(&hex(&item)).unwrap().0,
            Two { one: 5, other: 0 },
            "{key}"
        );
    }
}

/// An unsigned integer is serde's other name of a field, and must never come to it.
#[test]
fn integers_are_not_indices_of_fields() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Plain {
        #[serde(default)]
        first: u8,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Denying {
        #[serde(default)]
        first: u8,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Flat {
        #[serde(default)]
        first: u8,
        #[serde(flatten)]
        rest: BTreeMap<u8, u8>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    enum External {
        Struct {
            #[serde(default)]
            first: u8,
        },
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "t")]
    enum Internal {
        A {
            #[serde(default)]
            first: u8,
        },
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        A {
            #[serde(default)]
            first: u8,
        },
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        A {
            #[serde(default)]
            first: u8,
        },
    }
    let zero = hex("a10005");
    assert_eq!(from_slice::<Plain>(&zero).unwrap(), Plain { first: 0 });
    assert!(from_slice::<Denying>(&zero).unwrap_err().to_string().contains("unknown field"));
    assert_eq!(
        from_slice::<Flat>(&zero).unwrap(),
        Flat { first: 0, rest: BTreeMap::from([(0, 5)]) }
    );
    let nested = hex("a166537472756374a10005");
    assert_eq!(from_slice::<External>(&nested).unwrap(), External::Struct { first: 0 });
    // Out of a buffer it is an error, which is not to guess.
    for item in ["a2000561746141", "a2000961746141"] {
        assert!(from_slice::<Internal>(&hex(item)).is_err(), "{item}");
    }
    assert_ne!(from_slice::<Untagged>(&zero).ok(), Some(Untagged::A { first: 5 }));
    let adjacent = hex("a26174614161 63a10005".replace(' ', "").as_str());
    assert_ne!(Profile::VALID.decode::<Adjacent>(&adjacent).ok(), Some(Adjacent::A { first: 5 }));
    let adjacent = hex("a26163a1000561746141");
    assert_ne!(Profile::VALID.decode::<Adjacent>(&adjacent).ok(), Some(Adjacent::A { first: 5 }));
    // An index is no variant either.
    assert!(from_slice::<External>(&hex("a100a10005")).is_err());
    assert!(from_slice::<External>(&hex("00")).is_err());
    assert!(from_slice::<Adjacent>(&hex("a2616161006163a0")).is_err());
}

#[test]
fn whoever_takes_any_key() {
    let bytes = hex("a301056162072005");
    let text: IntKeys<BTreeMap<String, u8>> = Profile::VALID.decode(&bytes).unwrap();
    assert_eq!(text.0.keys().collect::<Vec<_>>(), ["-1", "1", "b"]);
    assert_eq!(to_hex(&to_vec(&text).unwrap()), "a30105200561 6207".replace(' ', ""));
    let json: IntKeys<serde_json::Value> = Profile::VALID.decode(&bytes).unwrap();
    assert_eq!(json.0.to_string(), r#"{"-1":5,"1":5,"b":7}"#);
    assert_eq!(to_vec(&json).unwrap(), to_vec(&text).unwrap());
    let labels: IntKeys<HashMap<Label, u8>> = Profile::VALID.decode(&bytes).unwrap();
    assert_eq!(labels.0[&Label::Int(-1)], 5);
    assert_eq!(labels.0[&Label::Text("b".into())], 7);
    assert_eq!(
        from_slice::<IntKeys<BTreeMap<u64, u8>>>(&hex("a1182a01")).unwrap().0,
        BTreeMap::from([(42, 1)])
    );
    let bytes = hex("a1616201");
    let borrowed: IntKeys<BTreeMap<&str, u8>> = from_slice(&bytes).unwrap();
    assert_eq!(borrowed.0, BTreeMap::from([("b", 1)]));
}

#[test]
fn behind_options_newtypes_and_buffers() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapper(Two);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Choice {
        Two(Two),
        Three {
            #[serde(rename = "3")]
            three: u8,
            #[serde(rename = "4")]
            inner: IntKeys<Two>,
        },
    }
    let two = Two { one: 5, other: 6 };
    let item = "a20105616206";
    assert_eq!(to_hex(&to_vec(&IntKeys(Some(&two))).unwrap()), item);
    assert_eq!(from_slice::<IntKeys<Option<Two>>>(&hex(item)).unwrap().0.as_ref(), Some(&two));
    assert_eq!(from_slice::<IntKeys<Option<Two>>>(&hex("f6")).unwrap().0, None);
    assert_eq!(from_slice::<Option<IntKeys<Two>>>(&hex(item)).unwrap().unwrap().0, two);
    let wrapped: IntKeys<Wrapper> = from_slice(&hex(item)).unwrap();
    assert_eq!(to_hex(&to_vec(&wrapped).unwrap()), item);
    for choice in
        [Choice::Two(two), Choice::Three { three: 3, inner: IntKeys(Two { one: 1, other: 0 }) }]
    {
        let bytes = to_vec(&IntKeys(&choice)).unwrap();
        assert_eq!(from_slice::<IntKeys<Choice>>(&bytes).unwrap().0, choice, "{}", to_hex(&bytes));
    }
    // Inside something that serde buffers.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t")]
    enum Outer {
        A { header: IntKeys<Two>, list: Vec<IntKeys<Header>> },
    }
    let outer = Outer::A {
        header: IntKeys(Two { one: 1, other: 2 }),
        list: vec![IntKeys(Header {
            algorithm: Some(-7),
            rest: BTreeMap::from([
                (Label::Int(33), cbor!([1])),
                (Label::Text("x".into()), cbor!(2)),
            ]),
            ..Header::default()
        })],
    };
    let bytes = to_vec(&outer).unwrap();
    assert_eq!(from_slice::<Outer>(&bytes).unwrap(), outer, "{}", to_hex(&bytes));
    // The map is wrapped, not what is in it.
    let list: Vec<Two> = vec![];
    assert_eq!(to_hex(&to_vec(&IntKeys(&list)).unwrap()), "80");
    assert!(from_slice::<IntKeys<Vec<Two>>>(&hex("81a20105616206")).is_err());
}

#[test]
fn other_formats_see_the_struct() {
    let header = Header { algorithm: Some(-7), ..Header::default() };
    let json = serde_json::to_string(&IntKeys(&header)).unwrap();
    assert_eq!(json, r#"{"1":-7}"#);
    assert_eq!(serde_json::from_str::<IntKeys<Header>>(&json).unwrap().0, header);
    let two = Two { one: 1, other: 2 };
    let json = serde_json::to_string(&IntKeys(&two)).unwrap();
    assert_eq!(serde_json::from_str::<IntKeys<Two>>(&json).unwrap().0, two);
}

#[test]
fn flattened_integer_keys_without_int_keys() {
    // c44
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        rest: HashMap<u8, String>,
    }
    let flat = Flat { rest: HashMap::from([(42, "bar".into())]) };
    assert_eq!(to_hex(&to_vec(&flat).unwrap()), "a1182a63626172");
    assert_eq!(from_slice::<Flat>(&hex("a1182a63626172")).unwrap(), flat);
    assert_eq!(Profile::VALID.decode::<Flat>(&hex("bf182a63626172ff")).unwrap(), flat);
}

/// Keys may be newtypes, and enums of names, of which some spell integers.
#[test]
fn labels_of_own_types() {
    #[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
    enum Name {
        #[serde(rename = "-7")]
        Es256,
        #[serde(rename = "other")]
        Other,
    }
    #[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
    struct Number(i64);
    #[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
    struct Either(Label2);
    #[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
    struct Label2(Label);

    let names = BTreeMap::from([(Name::Es256, 1), (Name::Other, 2)]);
    let bytes = to_vec(&IntKeys(&names)).unwrap();
    assert_eq!(to_hex(&bytes), "a22601656f7468657202");
    assert_eq!(from_slice::<IntKeys<BTreeMap<Name, u8>>>(&bytes).unwrap().0, names);
    let error = from_slice::<IntKeys<BTreeMap<Name, u8>>>(&hex("a10001")).unwrap_err();
    assert!(
        error.to_string().starts_with("unknown variant `0`, expected `-7` or `other`"),
        "{error}"
    );
    let error = from_slice::<IntKeys<BTreeMap<Name, u8>>>(&hex("a1f501")).unwrap_err();
    assert!(error.to_string().starts_with("invalid type: boolean `true`, expected"), "{error}");

    let numbers = BTreeMap::from([(Number(-7), 1)]);
    let bytes = to_vec(&IntKeys(&numbers)).unwrap();
    assert_eq!(to_hex(&bytes), "a12601");
    assert_eq!(from_slice::<IntKeys<BTreeMap<Number, u8>>>(&bytes).unwrap().0, numbers);
    let json = serde_json::to_string(&IntKeys(&numbers)).unwrap();
    assert_eq!(json, r#"{"-7":1}"#);
    assert_eq!(serde_json::from_str::<IntKeys<BTreeMap<Number, u8>>>(&json).unwrap().0, numbers);

    let either = |label| Either(Label2(label));
    let both = BTreeMap::from([(either(Label::Int(-7)), 1), (either(Label::Text("a".into())), 2)]);
    let bytes = to_vec(&IntKeys(&both)).unwrap();
    assert_eq!(to_hex(&bytes), "a22601616102");
    assert_eq!(from_slice::<IntKeys<BTreeMap<Either, u8>>>(&bytes).unwrap().0, both);
}

/// A newtype around itself has no value, and no end either.
#[test]
fn newtypes_without_end_as_labels() {
    #[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
    struct Endless(Box<Endless>);
    let error = from_slice::<IntKeys<BTreeMap<Endless, u8>>>(&hex("a12601")).unwrap_err();
    assert_eq!(error.offset(), Some(1), "{error}");
}

/// A tag and an item without keys are in `IntKeys` what they are without.
#[test]
fn tags_in_int_keys() {
    use calibor::Tagged;
    let tagged = IntKeys(Tagged::new(5, vec![1_u8]));
    let bytes = to_vec(&tagged).unwrap();
    assert_eq!(to_hex(&bytes), "c58101");
    assert_eq!(from_slice::<IntKeys<Tagged<Vec<u8>>>>(&bytes).unwrap(), tagged);
}

/// A type of key that is not an integer or a text itself, but holds one or is named by one.
#[test]
fn keys_of_other_types() {
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Id(u32);
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Name(String);
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    enum Parameter {
        #[serde(rename = "1")]
        Algorithm,
        #[serde(rename = "-70000")]
        Private,
        #[serde(rename = "reserved")]
        Reserved,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Rest {
        #[serde(flatten, with = "calibor::int_keys")]
        rest: BTreeMap<Name, u8>,
    }

    fn holds<K>(entries: impl IntoIterator<Item = (K, u8)>, digits: &str)
    where
        K: Ord + std::fmt::Debug + Serialize + serde::de::DeserializeOwned,
    {
        let map: BTreeMap<K, u8> = entries.into_iter().collect();
        assert_eq!(to_hex(&to_vec(&IntKeys(&map)).unwrap()), digits);
        assert_eq!(from_slice::<IntKeys<BTreeMap<K, u8>>>(&hex(digits)).unwrap().0, map);
        assert_eq!(
            Profile::CORE.decode_from::<_, IntKeys<BTreeMap<K, u8>>>(&hex(digits)[..]).unwrap().0,
            map
        );
    }
    // {5: 0, null: 1}; {7: 0}; {"a": 0}; {1: 0, -70000: 1, "reserved": 2}
    holds([(Some(5_u32), 0), (None, 1)], "a20500f601");
    holds([(Id(7), 0)], "a10700");
    holds([(Some(Id(7)), 0)], "a10700");
    holds([(Name("a".into()), 0), (Name("-1".into()), 1)], "a22001616100");
    holds(
        [(Parameter::Algorithm, 0), (Parameter::Private, 1), (Parameter::Reserved, 2)],
        "a301003a0001116f0168726573657276656402",
    );

    // The same in a struct in pieces, where a text that spells an integer is no key.
    let bytes = hex("a22001616100");
    let rest = BTreeMap::from([(Name("a".into()), 0), (Name("-1".into()), 1)]);
    assert_eq!(from_slice::<IntKeys<Rest>>(&bytes).unwrap().0, Rest { rest });
    for digits in ["a1613100", "a162313200"] {
        from_slice::<IntKeys<BTreeMap<Parameter, u8>>>(&hex(digits)).unwrap_err();
        from_slice::<IntKeys<BTreeMap<Option<Name>, u8>>>(&hex(digits)).unwrap_err();
    }
    let unknown = from_slice::<IntKeys<BTreeMap<Parameter, u8>>>(&hex("a10200")).unwrap_err();
    assert!(unknown.to_string().contains("unknown variant `2`"), "{unknown}");
}
