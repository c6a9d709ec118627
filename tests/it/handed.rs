//! What other formats hand over, in each way that serde has: what is taken, and what is said of the rest.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::IpAddr;

use calibor::array::{Binary128, Clamped, DType, MultiDim, Packed, Tensor, TypedArray};
use calibor::float::F16;
use calibor::{Accepted, IntKeys, Link, Profile, RawValue, Required, Tagged, Value, to_vec};
use serde::Deserialize;
use serde::de::value::{Error as Plain, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, IntoDeserializer, Visitor};

use crate::support::{Mismatches, to_hex};

/// A format that hands its item over in one way, whatever it was asked for; around a newtype it sees nothing.
#[derive(Clone, Debug)]
enum Says {
    Bool(bool),
    I64(i64),
    I128(i128),
    U64(u64),
    U128(u128),
    F64(f64),
    Char(char),
    /// In a buffer that is gone afterwards.
    Str(&'static str),
    Borrowed(&'static str),
    String(&'static str),
    Bytes(&'static [u8]),
    BorrowedBytes(&'static [u8]),
    ByteBuf(&'static [u8]),
    None,
    Some(Box<Says>),
    Unit,
    Newtype(Box<Says>),
    Seq(Vec<Says>),
    Map(Vec<(Says, Says)>),
    Variant(&'static str),
}

use Says::{Bool, Newtype, Seq, Str, U64, Unit};

fn newtype(inner: Says) -> Says {
    Newtype(Box::new(inner))
}

impl<'de> de::Deserializer<'de> for Says {
    type Error = Plain;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Plain> {
        match self {
            Bool(value) => visitor.visit_bool(value),
            Says::I64(value) => visitor.visit_i64(value),
            Says::I128(value) => visitor.visit_i128(value),
            U64(value) => visitor.visit_u64(value),
            Says::U128(value) => visitor.visit_u128(value),
            Says::F64(value) => visitor.visit_f64(value),
            Says::Char(value) => visitor.visit_char(value),
            Str(text) => visitor.visit_str(text),
            Says::Borrowed(text) => visitor.visit_borrowed_str(text),
            Says::String(text) => visitor.visit_string(text.into()),
            Says::Bytes(bytes) => visitor.visit_bytes(bytes),
            Says::BorrowedBytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Says::ByteBuf(bytes) => visitor.visit_byte_buf(bytes.into()),
            Says::None => visitor.visit_none(),
            Says::Some(inner) => visitor.visit_some(*inner),
            Unit => visitor.visit_unit(),
            Newtype(inner) => visitor.visit_newtype_struct(*inner),
            Seq(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter())),
            Says::Map(entries) => visitor.visit_map(MapDeserializer::new(entries.into_iter())),
            Says::Variant(name) => visitor.visit_enum(StrDeserializer::new(name)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Plain> {
        match self {
            Newtype(inner) => visitor.visit_newtype_struct(*inner),
            other => visitor.visit_newtype_struct(other),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl IntoDeserializer<'_, Plain> for Says {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A format that does not know what a newtype is.
struct Flat(Says);

impl<'de> de::Deserializer<'de> for Flat {
    type Error = Plain;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Plain> {
        self.0.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

fn read<T: for<'de> Deserialize<'de>>(says: Says) -> Result<T, String> {
    T::deserialize(says).map_err(|error| error.to_string())
}

/// One entry, of the value 1.
fn entry(key: Says) -> Says {
    Says::Map(vec![(key, U64(1))])
}

#[test]
fn values() {
    let pair = || Seq(vec![U64(1), Str("a")]);
    let mut out = Mismatches::of("values from other formats");
    for (says, wire) in [
        (Bool(true), "f5"),
        (Says::I64(-1), "20"),
        (Says::I128(-1 - i128::from(u64::MAX)), "3bffffffffffffffff"),
        (U64(1), "01"),
        (Says::U128(u128::MAX), "c250ffffffffffffffffffffffffffffffff"),
        (Says::F64(0.5), "f93800"),
        (Says::Char('é'), "62c3a9"),
        (Str("a"), "6161"),
        (Says::String("a"), "6161"),
        (Says::Bytes(b"a"), "4161"),
        (Says::ByteBuf(b"a"), "4161"),
        (Says::None, "f6"),
        (Unit, "f6"),
        (Says::Some(Box::new(pair())), "82016161"),
        (entry(Says::None), "a1f601"),
        // What this crate's tags, links, simple values and texts that are none are behind a buffer.
        (newtype(newtype(pair())), "c16161"),
        (newtype(pair()), "c16161"),
        (newtype(newtype(U64(99))), "f863"),
        (newtype(U64(99)), "f863"),
        (newtype(Says::Bytes(&[1, 0x55, 0, 1, 7])), "d82a46000155000107"),
        (newtype(newtype(Says::Bytes(b"\xff"))), "61ff"),
        (newtype(newtype(Says::ByteBuf(b"\xff"))), "61ff"),
    ] {
        let value = read::<Value>(says.clone()).and_then(|value| {
            Profile::WELL_FORMED.encode(&value).map_err(|error| error.to_string())
        });
        out.equal(format!("{says:?}"), &value.map(|bytes| to_hex(&bytes)), &Ok(wire.into()));
    }
    for (says, words) in [
        (Says::Variant("a"), "invalid type: enum, expected any item"),
        (newtype(Bool(true)), "invalid type: boolean `true`, expected a tag or a simple value"),
        (
            newtype(newtype(Bool(true))),
            "invalid type: boolean `true`, expected a tag or a simple value",
        ),
        (
            newtype(newtype(U64(256))),
            "invalid value: integer `256`, expected a tag or a simple value",
        ),
        (newtype(Seq(vec![])), "invalid length 0, expected a tag or a simple value"),
        (newtype(Seq(vec![U64(1)])), "invalid length 1, expected a tag or a simple value"),
    ] {
        out.equal(format!("{says:?}"), &read::<Value>(says).err(), &Some(words.into()));
    }
    out.finish();
}

/// Whoever wants a tag takes it as a buffer holds it, and nothing that only looks like one.
#[test]
fn tags() {
    let pair = || Seq(vec![U64(7), U64(1)]);
    assert_eq!(read(newtype(newtype(pair()))), Ok(Tagged::new(7, 1_u8)));
    assert_eq!(read(newtype(newtype(pair()))), Ok(Required::<u8, 7>(1)));
    assert_eq!(read(newtype(newtype(pair()))), Ok(Accepted::<u8, 7>(1)));

    fn refused<T: for<'de> Deserialize<'de> + Debug>(says: Says, wanted: &str) {
        let said = format!("{says:?}");
        let words = read::<T>(says).unwrap_err();
        assert!(words.ends_with(&format!(", expected {wanted}")), "{said}: {words}");
    }
    for says in [
        pair(),
        newtype(pair()),
        U64(1),
        newtype(U64(1)),
        newtype(newtype(U64(1))),
        newtype(newtype(Seq(vec![]))),
    ] {
        refused::<Tagged<u8>>(says.clone(), "a tagged item");
        refused::<Required<u8, 7>>(says.clone(), "an item in tag 7");
        refused::<MultiDim<Vec<u8>>>(says, "an array of several dimensions");
    }
    let without_content = |tag| newtype(newtype(Seq(vec![U64(tag)])));
    refused::<Tagged<u8>>(without_content(7), "a tagged item");
    refused::<Required<u8, 7>>(without_content(7), "an item in tag 7");
    refused::<MultiDim<Vec<u8>>>(without_content(40), "an array of several dimensions");
    refused::<Accepted<u8, 7>>(Says::Variant("a"), "an item, in tag 7 or in none");
    for says in [U64(1), Seq(vec![]), Says::Some(Box::new(U64(1)))] {
        let words = Accepted::<u8, 7>::deserialize(Flat(says)).unwrap_err().to_string();
        assert!(words.ends_with(", expected an item, in tag 7 or in none"), "{words}");
    }

    // A link is bytes in a newtype, or tag 42 around them and a zero.
    let link = |says| read::<Link>(says).map(Link::into_bytes);
    assert_eq!(link(newtype(Says::Bytes(b"\x01\x55"))), Ok(vec![1, 0x55]));
    let tagged = |content| newtype(newtype(Seq(vec![U64(42), Says::Bytes(content)])));
    assert_eq!(link(tagged(b"\0\x01\x55")), Ok(vec![1, 0x55]));
    for says in [U64(1), newtype(U64(1)), newtype(newtype(U64(1))), tagged(b"\x01"), tagged(b"")] {
        refused::<Link>(says, "a CID in tag 42");
    }
}

/// What stands in tag 7 or in none is taken in every way in which there is no tag.
#[test]
fn items_that_may_be_tagged() {
    for says in [
        Bool(true),
        Says::I64(-1),
        Says::I128(-1),
        U64(1),
        Says::U128(1),
        Says::F64(0.5),
        Says::Char('a'),
        Str("a"),
        Says::String("a"),
        Says::Borrowed("a"),
        Says::Bytes(b"a"),
        Says::BorrowedBytes(b"a"),
        Says::ByteBuf(b"a"),
        Unit,
        Seq(vec![U64(1)]),
        entry(Str("a")),
    ] {
        let plain = read::<Value>(says.clone());
        assert!(plain.is_ok(), "{plain:?}");
        let accepted = read::<Accepted<Value, 7>>(says).map(|accepted| accepted.0);
        assert_eq!(accepted, plain);
    }
}

/// `IntKeys` changes the keys of one map and nothing else, in whatever way the rest is handed over.
#[test]
fn what_is_in_int_keys() {
    for says in [
        Bool(true),
        Says::I64(-1),
        Says::I128(-1),
        U64(1),
        Says::U128(1),
        Says::F64(0.5),
        Says::Char('a'),
        Str("1"),
        Says::String("1"),
        Says::Borrowed("1"),
        Says::Bytes(b"1"),
        Says::BorrowedBytes(b"1"),
        Says::ByteBuf(b"1"),
        Says::None,
        Says::Some(Box::new(entry(U64(1)))),
        Unit,
        Seq(vec![entry(U64(1))]),
    ] {
        let plain = read::<Value>(says.clone()).unwrap();
        assert_eq!(read::<IntKeys<Value>>(says).unwrap().0, plain);
    }
    let tagged = newtype(newtype(newtype(Seq(vec![U64(1), U64(2)]))));
    assert_eq!(read::<IntKeys<Value>>(tagged).unwrap().0, Value::Tag(1, Box::new(2.into())));

    let words = IntKeys::<BTreeMap<i8, u8>>::deserialize(Flat(Str("a"))).unwrap_err();
    assert_eq!(words.to_string(), "invalid type: string \"a\", expected a map with integer keys");
    let words = read::<IntKeys<BTreeMap<i8, u8>>>(U64(5)).unwrap_err();
    assert_eq!(words, "invalid type: integer `5`, expected a map");
    let words = read::<IntKeys<BTreeMap<i8, u8>>>(Says::Variant("a")).unwrap_err();
    assert_eq!(words, "invalid type: enum, expected a map");

    type Maybe = IntKeys<Option<BTreeMap<i8, u8>>>;
    assert_eq!(read::<Maybe>(Unit).unwrap().0, None);
    assert_eq!(read::<Maybe>(Says::None).unwrap().0, None);
    let some = Says::Some(Box::new(entry(Str("-7"))));
    assert_eq!(read::<Maybe>(some).unwrap().0, Some(BTreeMap::from([(-7, 1)])));
    let words = read::<Maybe>(U64(5)).unwrap_err();
    assert_eq!(words, "invalid type: integer `5`, expected option");

    #[derive(Debug, Deserialize, PartialEq)]
    struct Wrapper(BTreeMap<i8, u8>);
    let wrapped = newtype(newtype(entry(Str("-7"))));
    assert_eq!(read::<IntKeys<Wrapper>>(wrapped).unwrap().0, Wrapper(BTreeMap::from([(-7, 1)])));
}

#[derive(Debug, Deserialize, PartialEq)]
struct Fields {
    #[serde(rename = "-18446744073709551616", default)]
    least: u8,
    #[serde(rename = "-1", default)]
    negative: u8,
    #[serde(rename = "1", default)]
    one: u8,
    #[serde(default)]
    text: u8,
}

/// The name of a field is spelled out, in whatever way it is handed over.
#[test]
fn names_of_fields_in_int_keys() {
    let none = || Fields { least: 0, negative: 0, one: 0, text: 0 };
    for (key, want) in [
        (Says::I128(-1 - i128::from(u64::MAX)), Fields { least: 1, ..none() }),
        (Says::I64(-1), Fields { negative: 1, ..none() }),
        (U64(1), Fields { one: 1, ..none() }),
        (Str("1"), Fields { one: 1, ..none() }),
        (Says::Borrowed("-1"), Fields { negative: 1, ..none() }),
        (Says::String("text"), Fields { text: 1, ..none() }),
        (U64(2), none()),
    ] {
        assert_eq!(read::<IntKeys<Fields>>(entry(key.clone())).map(|x| x.0), Ok(want), "{key:?}");
    }
    let words = read::<IntKeys<Fields>>(entry(Bool(true))).unwrap_err();
    assert_eq!(words, "invalid type: boolean `true`, expected field identifier");
}

/// A key of a type that says nothing of text is the integer that it spells.
#[test]
fn keys_in_int_keys() {
    let mut out = Mismatches::of("keys");
    for (key, wire) in [
        (Str("5"), "05"),
        (Says::Borrowed("-5"), "24"),
        (Says::String("18446744073709551615"), "1bffffffffffffffff"),
        (Says::String("-18446744073709551616"), "3bffffffffffffffff"),
        // More than an integer of CBOR holds, or not its one spelling.
        (Says::String("18446744073709551616"), "743138343436373434303733373039353531363136"),
        (Says::Borrowed("05"), "623035"),
        (Str("-0"), "622d30"),
        (Bool(true), "f5"),
        (Says::I64(-5), "24"),
        (Says::I128(-5), "24"),
        (U64(5), "05"),
        (Says::F64(5.5), "f94580"),
        (Says::Bytes(b"5"), "4135"),
        (Says::BorrowedBytes(b"5"), "4135"),
        (Says::ByteBuf(b"5"), "4135"),
        (Unit, "f6"),
        (Seq(vec![Str("5")]), "816135"),
        (entry(Str("5")), "a1613501"),
        (newtype(newtype(Seq(vec![U64(1), Str("5")]))), "c16135"),
    ] {
        let map = read::<IntKeys<BTreeMap<Value, u8>>>(entry(key.clone()));
        let wires: Result<Vec<_>, _> =
            map.map(|map| map.0.keys().map(|key| to_hex(&to_vec(key).unwrap())).collect());
        out.equal(format!("{key:?}"), &wires, &Ok(vec![wire.to_owned()]));
    }
    out.finish();
    for (key, words) in [
        (Says::None, "invalid type: Option value, expected i8"),
        (Says::Variant("a"), "invalid type: enum, expected i8"),
        (Str("a"), "invalid type: string \"a\", expected i8"),
        (Str("128"), "invalid value: integer `128`, expected i8"),
    ] {
        assert_eq!(read::<IntKeys<BTreeMap<i8, u8>>>(entry(key)).unwrap_err(), words);
    }
}

/// Types that have one form for people and another for machines have that of the format, also inside `IntKeys`.
#[test]
fn forms_for_people_in_int_keys() {
    let address: IpAddr = [127, 0, 0, 1].into();
    let json = serde_json::to_string(&IntKeys(address)).unwrap();
    assert_eq!(json, "\"127.0.0.1\"");
    assert_eq!(serde_json::from_str::<IntKeys<IpAddr>>(&json).unwrap().0, address);
    let keys: IntKeys<BTreeMap<IpAddr, u8>> = serde_json::from_str(r#"{"127.0.0.1":1}"#).unwrap();
    assert_eq!(keys.0, BTreeMap::from([(address, 1)]));

    let wire = to_vec(&IntKeys(address)).unwrap();
    assert_eq!(to_hex(&wire), "a1625634847f000001".replace("847f", "84187f"));
    assert_eq!(calibor::from_slice::<IntKeys<IpAddr>>(&wire).unwrap().0, address);
}

/// Other types of this crate say what they want when they are handed something else.
#[test]
fn what_is_wanted() {
    macro_rules! wanted {
        ($( $ty:ty, $says:expr => $want:literal; )*) => { $(
            let says = $says;
            let words = <$ty>::deserialize(says.clone()).unwrap_err().to_string();
            assert!(words.ends_with(concat!(", expected ", $want)), "{says:?}: {words}");
        )* };
    }
    wanted! {
        RawValue<'_>, U64(1) => "an item read directly by this crate's Deserializer";
        F16, Bool(true) => "a number for f16";
        Clamped, Says::I64(-1) => "u8";
        Binary128, U64(1) => "the 16 bytes of a binary128";
        Binary128, Says::Bytes(b"a") => "the 16 bytes of a binary128";
        DType, U64(1) => "the name of a dtype";
        Packed<u8>, U64(1) => "an array of u8, typed or plain";
        TypedArray<'_, u16>, newtype(newtype(U64(1))) => "a typed array of u16";
        Tensor<'_>, U64(1) => "a tensor: a typed array in tag 40, or a map of data, dtype and shape";
        Tensor<'_>, newtype(newtype(U64(1))) =>
            "a tensor: a typed array in tag 40, or a map of data, dtype and shape";
        Tensor<'_>, entry(Bool(true)) => "data, dtype or shape";
        Tensor<'_>, newtype(newtype(Seq(vec![U64(40), U64(1)]))) =>
            "dimensions and a typed array";
        MultiDim<Vec<u8>>, newtype(newtype(Seq(vec![U64(40), U64(1)]))) =>
            "dimensions and an array";
    }
}
