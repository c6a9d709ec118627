//! What serde types become and what they are read from: the rows of `vectors/serde-cases.tsv`, by their ids.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::io;
use std::net::IpAddr;

use calibor::{Deserializer, Error, Profile, Rule, Value, from_reader, from_slice, to_vec};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};
use serde_bytes::ByteBuf;

use crate::support::{Mismatches, hex, path, said, to_hex};

/// Rows whose types live in another room, and the test module there that has them.
const ELSEWHERE: [(&str, &str); 30] = [
    ("c06", "float"),
    ("c07", "float"),
    ("c08", "float"),
    ("c09", "float"),
    ("c10", "float"),
    ("c11", "float"),
    ("c12", "float"),
    ("c13", "float"),
    ("c14", "float"),
    ("c15", "float"),
    ("c16", "float"),
    ("c17", "float"),
    ("c26", "float"),
    ("c69", "hostile"),
    ("c70", "hostile"),
    ("c24", "value"),
    ("c82", "value"),
    ("c84", "value"),
    ("c81", "array"),
    ("c78", "edn"),
    ("c79", "edn"),
    ("c80", "edn"),
    // The half of c33 that is RawValue, of c55 that is Value, of c47 that sets is_human_readable, of c85 that is a
    // sequence, of c25 that is the half crate; c43 and c44 with all that is like them.
    ("c33", "raw"),
    ("c55", "value"),
    ("c47", "options"),
    ("c85", "streams"),
    ("c25", "half"),
    ("c43", "tagged"),
    ("c44", "int_keys"),
    ("c83", "tagged"),
];

#[test]
fn every_row_has_a_home() {
    let table = std::fs::read_to_string(path("vectors/serde-cases.tsv")).unwrap();
    let here = include_str!("serde_cases.rs").split("\n#[test]\n").skip(2).collect::<String>();
    let mut out = Mismatches::of("ids of serde-cases.tsv");
    let ids: Vec<&str> =
        table.lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(ids.len(), 85);
    for id in &ids {
        let elsewhere = ELSEWHERE.iter().any(|(there, _)| there == id);
        out.expect(elsewhere || here.contains(&format!("\"{id}")), || {
            format!("{id} is tested nowhere")
        });
    }
    for (id, module) in ELSEWHERE {
        out.expect(ids.contains(&id), || format!("{id} is no row"));
        // A module of many files, or one that is still to come, is not looked into.
        if let Ok(text) = std::fs::read_to_string(path(&format!("tests/it/{module}.rs"))) {
            out.expect(text.contains(id), || format!("{id} is not in {module}"));
        }
    }
    out.finish();
}

/// A table of one test: bytes and what they are read as or written from.
struct Table(Mismatches);

impl Table {
    fn of(what: &'static str) -> Self {
        Self(Mismatches::of(what))
    }

    fn read<T: DeserializeOwned + PartialEq + Debug>(
        &mut self,
        id: &str,
        p: Profile,
        item: &str,
        want: &T,
    ) {
        let got = p.decode::<T>(&hex(item));
        self.0.expect(got.as_ref().is_ok_and(|got| got == want), || {
            let got = got.as_ref().map_or_else(|_| said(&got), |v| format!("{v:?}"));
            format!("{id} {p} {item}: got {got}, want {want:?}")
        });
    }

    fn refuse<T: DeserializeOwned + Debug>(&mut self, id: &str, p: Profile, item: &str) {
        let got = p.decode::<T>(&hex(item));
        self.0.expect(got.is_err(), || format!("{id} {p} {item}: read as {:?}", got.as_ref().ok()));
        self.0.expect(got.is_ok() || got.as_ref().is_err_and(|e| e.offset().is_some()), || {
            format!("{id} {p} {item}: refused without an offset: {}", said(&got))
        });
    }

    fn refuse_by<T: DeserializeOwned + Debug>(
        &mut self,
        id: &str,
        p: Profile,
        item: &str,
        rule: &str,
    ) {
        let got = p.decode::<T>(&hex(item));
        let by = got.as_ref().err().and_then(Error::rule).map(Rule::name);
        self.0.expect(by == Some(rule), || format!("{id} {p} {item}: {}, want {rule}", said(&got)));
    }

    fn write<T: Serialize + ?Sized>(&mut self, id: &str, p: Profile, value: &T, want: &str) {
        let got = p.encode(value).map(|bytes| to_hex(&bytes));
        self.0.expect(got.as_ref().is_ok_and(|got| got == want), || {
            let got = got.as_ref().map_or_else(|_| said(&got), Clone::clone);
            format!("{id} {p}: wrote {got}, want {want}")
        });
    }

    fn refuse_to_write<T: Serialize + ?Sized>(&mut self, id: &str, p: Profile, value: &T) {
        let got = p.encode(value).map(|bytes| to_hex(&bytes));
        self.0.expect(got.is_err(), || format!("{id} {p}: wrote {got:?}"));
    }

    fn both<T>(&mut self, id: &str, p: Profile, value: &T, item: &str)
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        self.write(id, p, value, item);
        self.read(id, p, item, value);
    }
}

const CORE: Profile = Profile::CORE;
const VALID: Profile = Profile::VALID;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum E {
    A,
    B(u8),
}

#[test]
fn floats_of_any_width() {
    let mut t = Table::of("floats");
    t.read("c01", CORE, "f93c00", &1.0f64);
    t.read("c02", VALID, "fa3fc00000", &1.5f64);
    t.read("c03", VALID, "fb3ff8000000000000", &1.5f32);
    t.read("c04", CORE, "fb3ff199999999999a", &f32::from_bits(0x3f8ccccd));
    t.read("c05", CORE, "fb7e37e43c8800759c", &f32::INFINITY);
    for (id, item) in [("c04", "fb3ff199999999999a"), ("c05", "fb7e37e43c8800759c")] {
        let input = hex(item);
        let mut exact = Deserializer::from_slice(&input).exact_floats(true);
        let got = f32::deserialize(&mut exact);
        t.0.expect(got.is_err(), || format!("{id} exact: read as {got:?}"));
    }
    for (value, item) in [
        (65504.0, "f97bff"),
        (65520.0, "fa477ff000"),
        (5.960_464_477_539_063e-8, "f90001"),
        (2.980_232_238_769_531_3e-8, "fa33000000"),
        (6.103_515_625e-5, "f90400"),
    ] {
        t.both("c18", CORE, &value, item);
    }
    t.write("c19", CORE, &f64::from_bits(0xfff8000000000000), "f9fe00");
    t.write("c19", Profile::DTRM, &f64::from_bits(0xfff8000000000000), "f97e00");
    t.write("c20", CORE, &f32::from_bits(0x7f800001), "fa7f800001");
    t.write("c21", CORE, &f32::from_bits(0x7fa00000), "f97d00");
    t.write("c22", CORE, &f64::from_bits(0x7ff4000000000000), "f97d00");
    t.write("c23", CORE, &f64::from_bits(0x7ff0000020000000), "fa7f800001");
    t.0.finish();
}

/// `half::f16` as serde sees it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "f16")]
struct Half(u16);

#[test]
fn a_half_newtype_is_a_float() {
    let mut t = Table::of("half");
    t.both("c25", CORE, &Half(0x3c00), "f93c00");
    t.read("c25", CORE, "01", &Half(0x3c00));
    t.0.finish();
}

/// Hands over one byte at a time.
struct Drip<'a>(&'a [u8]);

impl io::Read for Drip<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.0.len().min(buf.len()).min(1);
        buf[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn long_strings_from_slices_and_readers() {
    let mut t = Table::of("strings");
    let text = "a".repeat(5000);
    let katakana = "ボ".repeat(1366);
    t.both("c27", CORE, &text, &format!("791388{}", "61".repeat(5000)));
    t.both("c27", CORE, &ByteBuf::from(vec![7; 5000]), &format!("591388{}", "07".repeat(5000)));
    t.both("c28", CORE, &katakana, &format!("791002{}", "e3839c".repeat(1366)));
    for (id, want) in [("c27", text.as_str()), ("c28", &katakana), ("c29", "a"), ("c29", "ボ")] {
        let bytes = to_vec(want).unwrap();
        for got in [from_reader::<_, String>(Drip(&bytes)), from_reader::<_, String>(&bytes[..])] {
            t.0.expect(got.as_ref().is_ok_and(|got| got == want), || {
                format!("{id}: {}", said(&got))
            });
        }
        let borrowed = from_slice::<&str>(&bytes);
        t.0.expect(borrowed.as_ref().is_ok_and(|got| *got == want), || {
            format!("{id} borrowed: {}", said(&borrowed))
        });
    }
    let bytes = to_vec(&ByteBuf::from(vec![7; 5000])).unwrap();
    let got = from_reader::<_, ByteBuf>(Drip(&bytes));
    t.0.expect(got.as_ref().is_ok_and(|b| b.len() == 5000), || format!("c27: {}", said(&got)));
    t.0.finish();
}

#[test]
fn malformed_whatever_the_type() {
    let mut t = Table::of("malformed");
    for profile in Profile::ALL {
        for item in ["f814", "f816", "f818", "f81f", "f800"] {
            t.refuse::<IgnoredAny>("c30", profile, item);
            t.refuse::<Value>("c30", profile, item);
            t.refuse::<bool>("c30", profile, item);
        }
        t.refuse::<ByteBuf>("c31", profile, "5f5f4100ffff");
        t.refuse::<String>("c32", profile, "7f61c361bcff");
        for item in ["5f01ff", "8201ff", "bf01ff", "c1ff", "ff", "9f"] {
            t.refuse::<IgnoredAny>("c33", profile, item);
        }
        t.refuse::<u32>("c85", profile, "1a0000");
        t.refuse::<IgnoredAny>("c85", profile, "1a0000");
    }
    t.refuse_by::<IgnoredAny>("c33", CORE, "61ff", "invalid-utf8");
    t.refuse_by::<IgnoredAny>("c33", VALID, "61ff", "invalid-utf8");
    t.refuse_by::<u8>("c72", CORE, "0102", "trailing-bytes");
    let trailing = from_slice::<u8>(&hex("0102"));
    t.0.expect(trailing.as_ref().is_err_and(|e| e.offset() == Some(1)), || {
        format!("c72: {}", said(&trailing))
    });
    let stream: Vec<_> = Deserializer::from_slice(&hex("1a0000"))
        .into_iter::<u32>()
        .map(|item| item.is_ok())
        .collect();
    t.0.equal("c85 as a sequence", &stream, &vec![false]);
    t.0.finish();
}

#[test]
fn lengths_of_tuples_and_arrays() {
    let mut t = Table::of("tuples");
    t.refuse::<(u8, u8)>("c34", CORE, "83010203");
    t.refuse::<[u8; 2]>("c34", CORE, "83010203");
    t.refuse::<(u8, u8)>("c34", CORE, "8101");
    t.refuse::<Vec<(u8, u8)>>("c35", CORE, "8283010203820405");
    t.both("c35", CORE, &vec![(1u8, 2u8), (4, 5)], "82820102820405");
    t.refuse::<Vec<()>>("c71", CORE, "9bffffffffffffffff");
    t.0.finish();
}

#[test]
fn enums_of_every_shape() {
    let mut t = Table::of("enums");
    t.refuse::<(E, u32)>("c36", CORE, "8361420507");
    t.refuse::<E>("c37", CORE, "614205");
    t.refuse::<E>("c37", CORE, "6142");
    t.refuse::<Vec<E>>("c38", CORE, "82a161416141");
    t.refuse::<E>("c39", CORE, "a16141");
    t.read("c40", CORE, "a16141f6", &E::A);
    t.refuse::<E>("c40", CORE, "a1614105");
    t.read("c41", VALID, "bf614205ff", &E::B(5));
    t.refuse_by::<E>("c41", CORE, "bf614205ff", "indefinite-length");
    t.refuse::<E>("c42", CORE, "a2614205614100");
    t.refuse::<E>("c42", VALID, "a2614205614100");
    t.both("c40", CORE, &E::A, "6141");
    t.both("c41", CORE, &E::B(5), "a1614205");
    t.0.finish();
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Thing {
    Thing1,
    Thing2 { name: String },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    rest: HashMap<u8, String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event")]
enum Event {
    Message { value: f64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Numbered {
    Two { value: f32 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Addressed {
    Host { ip: IpAddr },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Loose {
    Null,
    List(Vec<u8>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Letter {
    Char(char),
    Number(u8),
}

#[test]
fn what_serde_buffers() {
    let mut t = Table::of("tagged, untagged, flattened");
    let thing = "a36474797065667468696e6732646e616d6561786464617461d8404401020304";
    t.read("c43", VALID, thing, &Thing::Thing2 { name: "x".into() });
    t.both("c43", CORE, &Thing::Thing1, "a16474797065667468696e6731");
    let flat = Flat { rest: HashMap::from([(42, "bar".into())]) };
    t.both("c44", CORE, &flat, "a1182a63626172");
    let event = "a2656576656e74674d6573736167656576616c7565f94200";
    t.both("c45", CORE, &Event::Message { value: 3.0 }, event);
    t.read("c46", CORE, "a264747970656354776f6576616c756501", &Numbered::Two { value: 1.0 });
    t.read("c46", CORE, "01", &1.0f32);
    // The compact form of an address is an enum, which serde cannot find again in what it buffered.
    let address = Addressed::Host { ip: IpAddr::from([127, 0, 0, 1]) };
    let own = CORE.encode(&address).unwrap();
    let back = CORE.decode::<Addressed>(&own);
    t.0.expect(
        back.as_ref().map_or_else(|e| !e.to_string().is_empty(), |got| *got == address),
        || format!("c47: {}", said(&back)),
    );
    t.both("c47", CORE, &IpAddr::from([127, 0, 0, 1]), "a162563484187f000001");
    t.both("c57", CORE, &Loose::Null, "f6");
    t.both("c57", CORE, &Loose::List(vec![]), "80");
    t.both("c58", CORE, &serde_json::Value::Null, "f6");
    t.both("c59", CORE, &Letter::Char('x'), "6178");
    t.both("c59", CORE, &Letter::Number(1), "01");
    t.0.finish();
}

#[test]
fn nothing_and_options() {
    let mut t = Table::of("unit and option");
    t.both("c60", CORE, &(), "f6");
    t.both("c60", CORE, &vec![(), ()], "82f6f6");
    t.both("c60", CORE, &None::<()>, "f6");
    t.both("c60", CORE, &Some(E::A), "6141");
    t.both("c60", CORE, &Some(E::B(5)), "a1614205");
    t.both("c60", CORE, &None::<E>, "f6");
    t.0.finish();
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct S {
    a: String,
}

#[test]
fn duplicate_and_ignored_members() {
    let mut t = Table::of("duplicates and ignored data");
    let twice = "a20142616101426262";
    t.refuse_by::<BTreeMap<u8, ByteBuf>>("c48", VALID, twice, "duplicate-key");
    t.refuse_by::<BTreeMap<u8, ByteBuf>>("c48", CORE, twice, "duplicate-key");
    t.refuse_by::<Value>("c49", Profile::DAG_CBOR, "a263616263016361626302", "duplicate-key");
    t.refuse_by::<Value>("c49", Profile::DAG_CBOR, "a263646566016361626302", "unsorted-key");
    t.refuse::<Value>("c49", Profile::DAG_CBOR, "a26161016161617802");
    for (ignored, core) in [
        ("1b0000000000000001", false),
        ("c101", true),
        ("61ff", false),
        ("5f01ff", false),
        ("9f01ff", false),
        ("fa3f800000", false),
        ("fb7ff8000000000000", false),
        ("f7", true),
        ("a2616201616102", false),
        ("a10102", true),
    ] {
        let item = format!("a261616178617a{ignored}");
        t.refuse::<S>("c50", Profile::DAG_CBOR, &item);
        if core {
            t.read("c50", CORE, &item, &S { a: "x".into() });
        } else {
            t.refuse::<S>("c50", CORE, &item);
        }
    }
    t.refuse_by::<String>("c51", CORE, "7f61616162ff", "indefinite-length");
    t.refuse_by::<ByteBuf>("c51", CORE, "5f41014102ff", "indefinite-length");
    t.read("c51", VALID, "7f61616162ff", &"ab".to_owned());
    t.read("c51", VALID, "5f41014102ff", &ByteBuf::from([1, 2]));
    t.0.finish();
}

#[test]
fn integers_of_every_width() {
    let mut t = Table::of("integers");
    t.refuse::<i64>("c52", CORE, "3b8000000000000000");
    t.refuse::<i64>("c52", CORE, "3bffffffffffffffff");
    t.both("c53", CORE, &-18_446_744_073_709_551_616i128, "3bffffffffffffffff");
    t.both("c54", CORE, &-18_446_744_073_709_551_617i128, "c349010000000000000000");
    for (item, value) in [("c240", 0i128), ("c340", -1), ("c35fff", -1), ("c25f41014102ff", 258)] {
        t.read("c55", VALID, item, &value);
        t.refuse::<i128>("c55", CORE, item);
    }
    let padded = "c25100ffffffffffffffffffffffffffffffff";
    t.read("c56", VALID, padded, &u128::MAX);
    t.refuse_by::<u128>("c56", CORE, padded, "long-bignum");
    t.refuse_by::<u8>("c56", CORE, "c24101", "long-bignum");
    t.both("c56", CORE, &u128::MAX, "c250ffffffffffffffffffffffffffffffff");
    t.refuse::<u128>("c56", VALID, "c2510100000000000000000000000000000000");
    t.refuse::<u8>("c76", CORE, "24");
    t.refuse::<u64>("c76", CORE, "24");
    t.refuse::<u16>("c76", CORE, "39012b");
    t.refuse::<f64>("c77", CORE, "3b0020000000000000");
    t.read("c77", CORE, "3b001fffffffffffff", &-9_007_199_254_740_992.0f64);
    t.read("c77", CORE, "24", &-5.0f32);
    t.refuse::<u8>("c83", CORE, "c101");
    t.0.finish();
}

/// Says two and gives one.
struct ShortSeq;

impl Serialize for ShortSeq {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(3))?;
        seq.serialize_element(&1)?;
        seq.end()
    }
}

/// Says one entry and gives two.
struct LongMap;

impl Serialize for LongMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("a", &1)?;
        map.serialize_entry("b", &2)?;
        map.end()
    }
}

/// A key, and the end.
struct KeyOnly(Option<usize>);

impl Serialize for KeyOnly {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(self.0)?;
        map.serialize_key("a")?;
        map.end()
    }
}

/// A value where its key is missing.
struct ValueFirst;

impl Serialize for ValueFirst {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_value(&1)?;
        map.end()
    }
}

/// Two keys in a row.
struct TwoKeys;

impl Serialize for TwoKeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_key("a")?;
        map.serialize_key("b")?;
        map.serialize_value(&1)?;
        map.end()
    }
}

/// Another answer each time it is asked.
struct Fickle(Cell<u8>);

impl Serialize for Fickle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.set(self.0.get() + 1);
        serializer.serialize_u8(self.0.get())
    }
}

#[derive(Serialize)]
struct Twice {
    id: u8,
    #[serde(flatten)]
    rest: BTreeMap<&'static str, u8>,
}

#[test]
fn a_serialize_that_lies() {
    let mut t = Table::of("lies");
    for profile in [CORE, VALID, Profile::DAG_CBOR, Profile::RFC7049] {
        t.refuse_to_write("c61", profile, &ShortSeq);
        t.refuse_to_write("c61", profile, &LongMap);
        t.refuse_to_write("c61", profile, &KeyOnly(None));
        t.refuse_to_write("c61", profile, &KeyOnly(Some(1)));
        t.refuse_to_write("c61", profile, &ValueFirst);
        t.refuse_to_write("c61", profile, &TwoKeys);
        t.refuse_to_write("c61", profile, &vec![ShortSeq, ShortSeq, ShortSeq]);
        t.refuse_to_write("c62", profile, &Twice { id: 1, rest: BTreeMap::from([("id", 2)]) });
    }
    t.write("c61", CORE, &Fickle(Cell::new(0)), "01");
    t.write("c62", CORE, &Twice { id: 1, rest: BTreeMap::from([("a", 2)]) }, "a261610262696401");
    t.0.finish();
}

#[derive(Clone, Serialize)]
#[serde(untagged)]
enum Key {
    Int(i64),
    Text(&'static str),
    List([i64; 1]),
    Bool(bool),
}

struct Keys(Vec<Key>);

impl Serialize for Keys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for key in &self.0 {
            map.serialize_entry(key, &0)?;
        }
        map.end()
    }
}

#[test]
fn three_orders_of_keys() {
    let mut t = Table::of("orders");
    let mut keys = vec![
        Key::Int(10),
        Key::Int(100),
        Key::Int(-1),
        Key::Text("z"),
        Key::Text("aa"),
        Key::List([100]),
        Key::List([-1]),
        Key::Bool(false),
    ];
    for _ in 0..keys.len() {
        keys.rotate_left(1);
        let keys = Keys(keys.clone());
        let item = |keys: &str| format!("a8{}00", keys.replace(' ', "00"));
        t.write("c63", CORE, &keys, &item("0a 1864 20 617a 626161 811864 8120 f4"));
        t.write(
            "c64",
            Profile::LENGTH_FIRST,
            &keys,
            &item("0a 20 f4 1864 617a 8120 626161 811864"),
        );
        t.write("c64", Profile::RFC7049, &keys, &item("0a 20 f4 1864 617a 8120 626161 811864"));
        t.write("c65", Profile::CTAP2, &keys, &item("0a 1864 20 617a 626161 8120 811864 f4"));
    }
    // Keys of two integers or two tags, the one that comes first length-first.
    for (id, first, second) in [
        ("c66", "38c7", "1903e8"),
        ("c66", "3880", "190100"),
        ("c66", "399c3f", "1a00011170"),
        ("c66", "3ab2d05dff", "1b0000000200000000"),
        ("c66", "1b0000010000000000", "3b00000001ffffffff"),
        ("c66", "0a", "20"),
        ("c67", "c10a", "c120"),
        ("c67", "c1617a", "c1626161"),
        // The row has tag 2 here, whose content must be a byte string.
        ("c67", "c601", "c11903e8"),
    ] {
        let p = Profile::LENGTH_FIRST;
        t.read(id, p, &format!("a2{first}00{second}00"), &IgnoredOk);
        t.refuse_by::<IgnoredAny>(id, p, &format!("a2{second}00{first}00"), "unsorted-key");
    }
    t.0.finish();
}

/// `IgnoredAny` that can be compared.
#[derive(Debug, PartialEq)]
struct IgnoredOk;

impl<'de> Deserialize<'de> for IgnoredOk {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

#[test]
fn equal_keys_by_value() {
    let mut t = Table::of("equal keys");
    t.refuse_by::<Value>("c68", VALID, "a2f9000001f9800002", "duplicate-key");
    t.refuse_by::<Value>("c68", CORE, "a2f9000001f9800002", "duplicate-key");
    t.read("c68", CORE, "a20102f93c0003", &IgnoredOk);
    t.read("c68", VALID, "a20102c2410103", &IgnoredOk);
    t.refuse_by::<IgnoredAny>("c68", CORE, "a20102c2410103", "long-bignum");
    t.0.finish();
}

#[test]
fn dcbor_reduces_exactly() {
    let mut t = Table::of("dCBOR numbers");
    let p = Profile::DCBOR;
    t.write("c73", p, &-16_777_218.0f32, "3a01000001");
    t.write("c73", p, &-1_073_741_824.0f32, "3a3fffffff");
    t.write("c73", p, &4_294_967_808.0f32, "1b0000000100000200");
    for item in ["fb43e0000000000001", "fa4f800001", "fa5f000001", "facf000001"] {
        t.refuse_by::<f64>("c74", p, item, "integral-float");
    }
    t.both("c75", p, &-9_223_372_036_854_777_856.0f64, "fbc3e0000000000001");
    // With both signs, at and around every power of two where a rounding shows.
    for (value, item) in [
        (16_777_215.0f32, "1a00ffffff"),
        (16_777_216.0, "1a01000000"),
        (16_777_218.0, "1a01000002"),
        (-16_777_216.0, "3a00ffffff"),
        (2_147_483_648.0, "1a80000000"),
        (-2_147_483_648.0, "3a7fffffff"),
        (-2_147_483_904.0, "3a800000ff"),
        (4_294_967_296.0, "1b0000000100000000"),
        (-4_294_967_296.0, "3affffffff"),
        (-4_294_967_808.0, "3b00000001000001ff"),
        (9_223_372_036_854_775_808.0, "1b8000000000000000"),
        (-9_223_372_036_854_775_808.0, "3b7fffffffffffffff"),
        (-9_223_373_136_366_403_584.0, "fadf000001"),
        (18_446_742_974_197_923_840.0, "1bffffff0000000000"),
        (18_446_744_073_709_551_616.0, "fa5f800000"),
        (-18_446_744_073_709_551_616.0, "fadf800000"),
    ] {
        t.both("c73", p, &value, item);
    }
    t.0.finish();
}

#[test]
fn ids_are_listed_once() {
    let ids: BTreeSet<_> = ELSEWHERE.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), ELSEWHERE.len());
}
