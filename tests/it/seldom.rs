//! What is seldom asked: structs of many fields, refusals of odd numbers, other formats' ways to hand a value over, and
//! the small methods of the types.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fmt::Debug;
use std::io;

use calibor::array::{Binary128, ByteOrder, Elements, MultiDim, Order, Packed, TypedArray};
use calibor::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
    Integer, SmallFloat,
};
use calibor::{
    Accepted, Category, Deserializer, IntKeys, Link, Profile, RawValue, Required, Rule, Serializer,
    Tagged, Value, from_slice, to_vec,
};
use serde::de::value::{
    Error as Plain, F32Deserializer, I64Deserializer, I128Deserializer, StrDeserializer,
    U64Deserializer, U128Deserializer, UnitDeserializer,
};
use serde::de::{DeserializeOwned, IgnoredAny, IntoDeserializer};
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Serialize};

use crate::support::{Mismatches, hex, said, to_hex};

/// A struct of any number of fields, in any order, and of a length that may be a lie.
struct Wide {
    names: Vec<&'static str>,
    len: usize,
    /// The field whose `Serialize` fails.
    fails: Option<usize>,
}

impl Serialize for Wide {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Wide", self.len)?;
        for (at, &name) in self.names.iter().enumerate() {
            if self.fails == Some(at) {
                fields.serialize_field(name, &Refuses)?;
            } else {
                fields.serialize_field(name, &[at])?;
            }
        }
        fields.end()
    }
}

struct Refuses;

impl Serialize for Refuses {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("not this one"))
    }
}

/// Names of one to three letters; the orders of lengths and of bytes differ.
fn name(at: usize) -> &'static str {
    let letters = ["k", "b", "zz", "a", "mmm", "c", "yy", "x"];
    Box::leak(format!("{}{}", letters[at % letters.len()], at / letters.len()).into_boxed_str())
}

fn wide(names: Vec<&'static str>) -> Wide {
    Wide { len: names.len(), names, fails: None }
}

#[test]
fn structs_of_many_fields_are_sorted() {
    let mut out = Mismatches::of("structs of many fields");
    for profile in [Profile::CORE, Profile::LENGTH_FIRST, Profile::VALID, Profile::CTAP2] {
        for count in [1, 7, 8, 9, 23, 24, 25, 26, 60, 300] {
            for turn in [0, 1, count / 2] {
                let mut names: Vec<_> = (0..count).map(name).collect();
                names.rotate_left(turn);
                // In the order as declared where there is none, else sorted.
                let map = names
                    .iter()
                    .enumerate()
                    .map(|(at, &name)| (name.into(), Value::from(vec![Value::from(at)])));
                let want = profile.encode(&Value::Map(map.collect())).unwrap();
                let got = profile.encode(&wide(names.clone())).unwrap();
                out.equal(format!("{profile} {count} {turn}"), &to_hex(&got), &to_hex(&want));
                let check = profile.check(&got);
                out.expect(check.is_ok(), || format!("{profile} {count} {turn}: {}", said(&check)));

                // One in another, and one after the other: what is known of the fields is not mixed up.
                let both = (wide(names.clone()), BTreeMap::from([("in", wide(names))]));
                let got = profile.encode(&both).unwrap();
                out.expect(got.len() == 2 * want.len() + 5, || {
                    format!("{profile} {count} in another")
                });
                let check = profile.check(&got);
                out.expect(check.is_ok(), || format!("{profile} {count} twice: {}", said(&check)));
            }
        }
    }
    out.finish();
}

#[test]
fn structs_of_many_fields_are_refused() {
    for count in [5, 24, 25, 100] {
        let names = || (0..count).map(name);
        let twice: Vec<_> = names().chain([name(count / 2)]).collect();
        for order in [twice.clone(), twice.into_iter().rev().collect()] {
            let error = to_vec(&wide(order.clone())).unwrap_err();
            assert_eq!(error.rule(), Some(Rule::DuplicateKey), "{count}: {error}");
            assert!(error.to_string().contains(&format!("{:?} twice", name(count / 2))), "{error}");
            // Where keys may be equal, nothing is lost.
            let bytes = Profile::WELL_FORMED.encode(&wide(order)).unwrap();
            assert_eq!(
                Profile::WELL_FORMED.decode::<Value>(&bytes).unwrap().as_map().unwrap().len(),
                count + 1
            );
        }
        for len in [count - 1, count + 1] {
            let error = to_vec(&Wide { len, ..wide(names().collect()) }).unwrap_err();
            assert_eq!(error.category(), Category::Data, "{count}: {error}");
            assert!(error.to_string().contains("struct"), "{error}");
        }
        let fails = Wide { fails: Some(count - 1), ..wide(names().collect()) };
        assert_eq!(to_vec(&fails).unwrap_err().to_string(), "not this one");
    }
}

#[test]
fn bytes_after_the_item_are_counted() {
    for (bytes, words) in [
        ("0001", "1 byte after the item"),
        ("81010203", "2 bytes after the item"),
        ("6161000000000000000000", "9 bytes after the item"),
    ] {
        let error = Profile::CORE.check(&hex(bytes)).unwrap_err();
        assert!(error.to_string().starts_with(words), "{bytes}: {error}");
    }
}

#[test]
fn errors_are_errors_of_io() {
    let gone = || calibor::from_reader::<_, Value>(Gone).unwrap_err();
    assert_eq!(gone().source().unwrap().to_string(), "gone");
    assert_eq!(io::Error::from(gone()).kind(), io::ErrorKind::BrokenPipe);
    for (bytes, kind) in [
        ("6361", io::ErrorKind::UnexpectedEof),
        ("ff", io::ErrorKind::InvalidData),
        ("1800", io::ErrorKind::InvalidData),
        ("01", io::ErrorKind::InvalidData),
    ] {
        let error = from_slice::<String>(&hex(bytes)).unwrap_err();
        assert!(error.source().is_none(), "{error}");
        let words = error.to_string();
        let error = io::Error::from(error);
        assert_eq!((error.kind(), error.to_string()), (kind, words));
    }
}

struct Gone;

impl io::Read for Gone {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::BrokenPipe, "gone"))
    }
}

/// A wrong item for a type, and words of the refusal: what is wanted is told.
#[test]
fn what_a_type_wants_is_told() {
    type Read = fn(&[u8]) -> Option<calibor::Error>;
    fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<calibor::Error> {
        Profile::VALID.decode::<T>(bytes).err()
    }
    let cases: [(&str, Read, &str, u64); 28] = [
        // Numbers: 4([1]), 4([]), 4(1), 4(["a", 1]), 4([1, 1.5]), 4([1, 2, 3]), 5([0, 2(0)]), 2("")
        ("c48101", read::<F16>, "tag 4 does not hold an exponent and a mantissa", 0),
        ("c480", read::<F16>, "tag 4 does not hold an exponent and a mantissa", 0),
        ("c401", read::<F16>, "tag 4 does not hold an exponent and a mantissa", 0),
        ("c482616101", read::<F16>, "tag 4 does not hold an exponent and a mantissa", 0),
        ("c48201f93e00", read::<F16>, "tag 4 does not hold an exponent and a mantissa", 0),
        ("c483010203", read::<F16>, "tag 4 does not hold an exponent and a mantissa", 0),
        ("c58200c200", read::<F16>, "tag 2 does not hold a byte string", 3),
        ("c260", read::<F16>, "tag 2 does not hold a byte string", 0),
        ("6161", read::<F16>, "expected a number for f16", 0),
        ("f5", read::<BF16>, "expected a number for bf16", 0),
        ("a0", read::<F8E4M3FN>, "expected a number for f8e4m3fn", 0),
        // Tags
        ("01", read::<Tagged<u8>>, "expected a tag", 0),
        ("820102", read::<Tagged<u8>>, "expected a tag", 0),
        ("01", read::<Required<u8, 6>>, "tag 6", 0),
        ("c701", read::<Required<u8, 6>>, "invalid tag: 7, expected 6", 0),
        ("c76161", read::<Accepted<u8, 7>>, "expected u8", 1),
        ("c801", read::<Accepted<u8, 7>>, "expected u8", 0),
        ("01", read::<Link>, "tag 42", 0),
        ("d82a4101", read::<Link>, "expected a CID in tag 42", 0),
        ("d82a6100", read::<Link>, "expected a byte string", 2),
        ("d82a01", read::<Link>, "expected a byte string", 2),
        // Bits of a binary128, typed arrays, arrays of dimensions
        ("4101", read::<Binary128>, "expected the 16 bytes of a binary128", 0),
        ("01", read::<Binary128>, "expected the 16 bytes of a binary128", 0),
        ("01", read::<Packed<u16>>, "expected", 0),
        ("01", read::<MultiDim<Vec<u8>>>, "expected", 0),
        ("d8288101", read::<MultiDim<Vec<u8>>>, "expected an array of dimensions", 3),
        ("01", read::<IntKeys<BTreeMap<i8, u8>>>, "expected a map", 0),
        ("9f01ff", read::<[u8; 0]>, "array of indefinite length", 0),
    ];
    let mut out = Mismatches::of("what a type wants");
    for (bytes, read, words, at) in cases {
        match read(&hex(bytes)) {
            None => out.expect(false, || format!("{bytes} is read")),
            Some(error) => {
                let said = error.to_string();
                out.expect(said.contains(words), || format!("{bytes}: {said}, want {words}"));
                out.equal(format!("{bytes}: {said}"), &error.offset(), &Some(at));
            }
        }
    }
    out.finish();
}

/// A number of another format, with one rounding.
#[test]
fn small_floats_from_other_formats() {
    fn f16<'de, D: serde::Deserializer<'de, Error = Plain>>(
        deserializer: D,
    ) -> Result<F16, String> {
        F16::deserialize(deserializer).map_err(|error| error.to_string())
    }
    let half = |value: f64| Ok(F16::from_f64(value));
    assert_eq!(f16(F32Deserializer::new(0.1)), half(f64::from(0.1_f32)));
    assert_eq!(f16(U64Deserializer::new(2049)), half(2048.0));
    assert_eq!(f16(I64Deserializer::new(-2051)), half(-2052.0));
    assert_eq!(f16(U128Deserializer::new(u128::MAX)), half(f64::INFINITY));
    assert_eq!(f16(I128Deserializer::new(i128::MIN)), half(f64::NEG_INFINITY));
    // Of two roundings, by binary32 or binary64, the first would end at the tie.
    assert_eq!(
        f16(StrDeserializer::new("1.00048828125000000000000000001")),
        Ok(F16::from_bits(0x3c01))
    );
    assert_eq!(f16(StrDeserializer::new("1.00048828125")), Ok(F16::from_bits(0x3c00)));
    assert_eq!(
        f16(StrDeserializer::new("one")),
        Err("invalid value: string \"one\", expected a number for f16".into())
    );
    let mut de = Deserializer::from_slice(b"\xf9\x3c\x01").exact_floats(true);
    assert!(de.deserialize_bf16().unwrap_err().to_string().contains("bf16"));
    let mut de = Deserializer::from_slice(b"\xf9\x3c\x01");
    assert_eq!(de.deserialize_bf16().unwrap(), BF16::from_f32(1.0));
}

#[test]
fn values_from_other_formats() {
    fn value<'de, D: serde::Deserializer<'de, Error = Plain>>(deserializer: D) -> Value {
        Value::deserialize(deserializer).unwrap()
    }
    assert_eq!(value(U128Deserializer::new(u128::from(u64::MAX))), Value::Integer(u64::MAX.into()));
    assert_eq!(
        to_vec(&value(U128Deserializer::new(1 << 64))).unwrap(),
        hex("c249010000000000000000")
    );
    assert_eq!(value(F32Deserializer::new(1.5)), Value::Float(1.5));
    let nan = value(F32Deserializer::new(f32::from_bits(0x7f80_0001)));
    assert_eq!(to_vec(&nan).unwrap(), hex("fa7f800001"));
    assert_eq!(value(UnitDeserializer::new()), Value::Null);
    assert_eq!(
        serde_json::from_str::<Value>("[null, -1, \"a\"]").unwrap(),
        from_slice(&hex("83f6206161")).unwrap()
    );
    let some: Option<Value> = serde_json::from_str("1").unwrap();
    assert_eq!(some, Some(Value::Integer(1)));
    let words: Value = Value::deserialize(
        "a".to_owned().into_deserializer() as serde::de::value::StringDeserializer<Plain>
    )
    .unwrap();
    assert_eq!(words, Value::Text("a".into()));
}

/// What is no map goes through `IntKeys` as it is, wherever serde keeps it in between.
#[test]
fn items_that_are_no_maps_through_int_keys() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    #[serde(untagged)]
    enum Any {
        Bool(bool),
        Whole(i64),
        Float(f64),
        Text(String),
        List(Vec<u8>),
        Map(BTreeMap<String, u8>),
        Nothing(()),
    }
    for (bytes, want) in [
        ("f5", Any::Bool(true)),
        ("26", Any::Whole(-7)),
        ("f93e00", Any::Float(1.5)),
        ("6161", Any::Text("a".into())),
        ("820102", Any::List(vec![1, 2])),
        ("a10102", Any::Map(BTreeMap::from([("1".into(), 2)]))),
        ("f6", Any::Nothing(())),
    ] {
        let bytes = hex(bytes);
        let IntKeys(got) = from_slice::<IntKeys<Any>>(&bytes).unwrap();
        assert_eq!(got, want, "{}", to_hex(&bytes));
        assert_eq!(to_vec(&IntKeys(got)).unwrap(), bytes);
        let maybe: IntKeys<Option<Any>> = from_slice(&bytes).unwrap();
        assert_eq!(maybe.0, (want != Any::Nothing(())).then_some(want));
    }
}

/// A link, and tags, behind a buffer of serde.
#[test]
fn tags_behind_a_buffer() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Either {
        Two(Accepted<Vec<u8>, 7>),
        One(Accepted<BTreeMap<String, u8>, 7>),
        None(Accepted<(), 7>),
    }
    for (bytes, want) in [
        ("820102", Either::Two(Accepted(vec![1, 2]))),
        ("c7820102", Either::Two(Accepted(vec![1, 2]))),
        ("a1616101", Either::One(Accepted::new(BTreeMap::from([("a".into(), 1)])))),
        ("f6", Either::None(Accepted(()))),
    ] {
        assert_eq!(from_slice::<Either>(&hex(bytes)).unwrap(), want, "{bytes}");
    }
    assert_eq!(Required::<_, 6>::new(1_u8), Required(1));
    let cid = [1, 0x71, 0x12, 1, 7];
    assert_eq!(Link::new(cid).into_bytes(), cid);
}

#[test]
fn codes_and_kinds_of_the_formats() {
    fn of<T: SmallFloat + Debug + Into<f64> + Into<f32>>(
        code: u16,
        value: f64,
        subnormal: bool,
        kinds: fn(T) -> (bool, bool, u16, u16),
    ) {
        let x = T::from_bits_u16(code);
        assert_eq!(
            (Into::<f64>::into(x), f64::from(Into::<f32>::into(x))),
            (value, value),
            "{x:?}"
        );
        let (is_subnormal, is_positive, le, be) = kinds(x);
        assert_eq!((is_subnormal, is_positive), (subnormal, value.is_sign_positive()), "{x:?}");
        assert_eq!((le, be), (code, code), "{x:?}");
    }
    macro_rules! each {
        ($($ty:ident $code:literal $value:literal $subnormal:literal;)*) => { $(
            of::<$ty>($code, $value, $subnormal, |x| {
                let widen = |bytes: &[u8]| bytes.iter().fold(0, |n, &byte| n << 8 | u16::from(byte));
                let mut little = x.to_le_bytes();
                little.reverse();
                (x.is_subnormal(), x.is_sign_positive(), widen(&little), widen(&x.to_be_bytes()))
            });
            // An integer of any length, rounded once.
            let wide = $ty::from_integer(Integer::new(false, 3));
            assert_eq!(wide, $ty::from_i128(3));
        )* };
    }
    each! {
        F16 0x0001 5.960464477539063e-8 true;
        F16 0xc100 -2.5 false;
        BF16 0x0001 9.183549615799121e-41 true;
        BF16 0xbfc0 -1.5 false;
        F8E4M3FN 0x01 0.001953125 true;
        F8E5M2 0x81 -0.0000152587890625 true;
        F8E4M3FNUZ 0x40 1.0 false;
        F8E5M2FNUZ 0x40 1.0 false;
        F6E2M3FN 0x01 0.125 true;
        F6E3M2FN 0x3f -28.0 false;
        F4E2M1FN 0x1 0.5 true;
        F8E8M0FNU 0x80 2.0 false;
    }
}

#[test]
fn views_of_arrays() {
    let bytes = [1, 2, 3, 4, 5, 6];
    let big = Elements::<u16>::new(&bytes, ByteOrder::Big).unwrap();
    assert_eq!((big.order(), big.is_empty(), big.len()), (ByteOrder::Big, false, 3));
    assert_eq!(format!("{big:?}"), "[258, 772, 1286]");
    assert_eq!((big.iter().nth(1), big.iter().nth(3)), (Some(772), None));
    // The same elements, whatever the order of their bytes.
    let turned = [2, 1, 4, 3, 6, 5];
    let little = Elements::<u16>::new(&turned, ByteOrder::Little).unwrap();
    assert!(big == little && little != Elements::new(&bytes, ByteOrder::Little).unwrap());
    assert!(Elements::<u32>::new(&bytes, ByteOrder::Big).is_none());
    assert!(Elements::<u32>::new(&[], ByteOrder::Big).unwrap().is_empty());

    // 65(h'010203040506')
    let wire = hex("d84146010203040506");
    let array: TypedArray<'_, u16> = from_slice(&wire).unwrap();
    assert_eq!((array.order(), array.is_empty()), (ByteOrder::Big, false));
    assert_eq!(format!("{array:?}"), "TypedArray(Big, [258, 772, 1286])");
    let owned = array.clone().into_owned();
    assert_eq!(owned, array);
    assert_eq!(owned.into_cow().into_owned(), [258, 772, 1286]);

    let matrix = MultiDim::new(Order::ColumnMajor, [1, 3], Packed(vec![1_u8, 2, 3])).unwrap();
    assert_eq!((matrix.order(), matrix.position(&[0])), (Order::ColumnMajor, None));
    assert_eq!(matrix.into_data(), Packed(vec![1, 2, 3]));
}

#[test]
fn debug_forms() {
    let raw: RawValue<'_> = from_slice(b"\x82\x01\xf6").unwrap();
    assert_eq!(format!("{raw:?}"), "RawValue([1, null])");
    let profile = Profile::CORE.max_depth(3);
    assert_eq!(format!("{profile:?}"), format!("Profile({profile})"));
    let error = Profile::CORE.check(b"\x18\x00").unwrap_err();
    assert_eq!(format!("{error:?}"), format!("Error({:?})", error.to_string()));
    let de = Deserializer::from_slice(b"").profile(Profile::DCBOR);
    assert_eq!(format!("{de:?}"), "Deserializer { profile: Profile(dcbor), .. }");
    assert_eq!(format!("{:?}", de.into_iter::<u8>()), "StreamDeserializer { done: false, .. }");
    let ser = Serializer::default().profile(Profile::DRISL);
    assert_eq!(format!("{ser:?}"), "Serializer { profile: Profile(drisl), .. }");
    assert_eq!(ser.finish().unwrap(), b"");
}

/// What `arbitrary` makes of bytes can be written, and reads back.
#[cfg(feature = "arbitrary")]
#[test]
fn arbitrary_values() {
    use arbitrary::{Arbitrary, Unstructured};
    let mut kinds = [0; 16];
    let mut bytes = vec![0_u8; 512];
    for seed in 0..2_000_u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        for byte in &mut bytes {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (state >> 24) as u8;
        }
        let Ok(value) = Value::arbitrary(&mut Unstructured::new(&bytes)) else { continue };
        let Ok(wire) = Profile::CORE.encode(&value) else { continue };
        kinds[usize::from(wire[0] >> 5)] += 1;
        assert_eq!(from_slice::<Value>(&wire).unwrap(), value, "{}", to_hex(&wire));
    }
    assert!(kinds[..8].iter().all(|&count| count > 0), "{kinds:?}");
}

/// Tags 4 and 5 with mantissas of each kind: `-1.5` and `3` in every way to write them.
#[test]
fn mantissas_of_each_kind() {
    for (bytes, value) in [
        ("c482200f", 1.5),
        ("c482202e", -1.5),
        ("c48220c2410f", 1.5),
        ("c48220c3410e", -1.5),
        ("c5822022", -1.5),
        ("c5820003", 3.0),
        ("c58200c24103", 3.0),
        ("c58200c34102", -3.0),
        ("c48200c340", -1.0),
        ("c24103", 3.0),
        ("c34102", -3.0),
        ("3bffffffffffffffff", f64::NEG_INFINITY),
    ] {
        let bytes = hex(bytes);
        let half: F16 = Profile::VALID.decode(&bytes).unwrap();
        assert_eq!(half, F16::from_f64(value), "{}", to_hex(&bytes));
        let read: F16 = Profile::VALID.decode_from(&bytes[..]).unwrap();
        assert_eq!(read.to_bits(), half.to_bits(), "{}", to_hex(&bytes));
    }
}

/// Keys of a map by type, as labels of `IntKeys` and as they are.
#[test]
fn keys_of_many_types() {
    #[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
    struct Label(i8);
    fn same<K>(bytes: &str, keys: Vec<K>)
    where
        K: Ord + Debug + Serialize + DeserializeOwned,
    {
        let bytes = hex(bytes);
        let map: BTreeMap<K, u8> = keys.into_iter().zip(1..).collect();
        let IntKeys(labels) = from_slice::<IntKeys<BTreeMap<K, u8>>>(&bytes).unwrap();
        assert_eq!(labels, map, "{}", to_hex(&bytes));
        assert_eq!(to_vec(&IntKeys(labels)).unwrap(), bytes);
        let plain: BTreeMap<K, u8> = from_slice(&bytes).unwrap();
        assert_eq!(plain, map, "{}", to_hex(&bytes));
        let read: IntKeys<BTreeMap<K, u8>> = Profile::CORE.decode_from(&bytes[..]).unwrap();
        assert_eq!(read.0, map, "{}", to_hex(&bytes));
    }
    same("a2000118ff02", vec![0_u8, 255]);
    same("a12001", vec![-1_i8]);
    same("a11bffffffffffffffff01", vec![u64::MAX]);
    same("a13bffffffffffffffff01", vec![-1 - i128::from(u64::MAX)]);
    same("a2616101616202", vec!["a".to_owned(), "b".to_owned()]);
    same("a2f401f502", vec![false, true]);
    same("a12001", vec![Label(-1)]);
    same("a162c3a901", vec!['é']);
    let error = from_slice::<IntKeys<BTreeMap<bool, u8>>>(&hex("a10102")).unwrap_err();
    assert!(error.to_string().contains("expected a boolean"), "{error}");
}

/// `IntKeys` in a format of text keys: the same names, spelled out.
#[test]
fn int_keys_in_json() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Inner {
        #[serde(rename = "1")]
        one: Option<u8>,
        #[serde(rename = "-2")]
        two: Vec<u8>,
    }
    let inner = || Inner { one: Some(1), two: vec![2] };
    let json = r#"{"1":1,"-2":[2]}"#;
    assert_eq!(serde_json::to_string(&IntKeys(inner())).unwrap(), json);
    assert_eq!(serde_json::from_str::<IntKeys<Inner>>(json).unwrap().0, inner());
    let some: IntKeys<Option<Inner>> = serde_json::from_str(json).unwrap();
    assert_eq!(some.0, Some(inner()));
    assert_eq!(serde_json::from_str::<IntKeys<Option<Inner>>>("null").unwrap().0, None);
    let map: IntKeys<BTreeMap<i64, Value>> =
        serde_json::from_str(r#"{"-9":null,"7":"a"}"#).unwrap();
    assert_eq!(map.0, BTreeMap::from([(-9, Value::Null), (7, Value::Text("a".into()))]));
    let wrong = serde_json::from_str::<IntKeys<Inner>>("5").unwrap_err();
    assert!(wrong.to_string().starts_with("invalid type: integer `5`, expected"), "{wrong}");
}

#[test]
fn elements_outside_arrays() {
    use calibor::array::Clamped;
    assert_eq!(to_vec(&[Clamped(5), Clamped(255)]).unwrap(), hex("820518ff"));
    assert_eq!(from_slice::<Clamped>(b"\x05").unwrap(), Clamped(5));
    let error = from_slice::<Clamped>(&hex("190100")).unwrap_err();
    assert!(error.to_string().contains("expected u8"), "{error}");
    let bits = Binary128([7; 16]);
    let wire = to_vec(&bits).unwrap();
    assert_eq!(wire, hex("5007070707070707070707070707070707"));
    assert_eq!(from_slice::<Binary128>(&wire).unwrap(), bits);
    assert!(serde_json::to_string(&bits).unwrap_err().to_string().contains("binary128"));

    // A complex number is two floats, each in the order of the whole.
    for (order, bytes) in
        [(ByteOrder::Little, hex("0000803f000000c0")), (ByteOrder::Big, hex("3f800000c0000000"))]
    {
        let view = Elements::<[f32; 2]>::new(&bytes, order).unwrap();
        assert_eq!(view.to_vec(), [[1.0, -2.0]]);
    }
}

#[test]
fn types_without_content() {
    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Unit;
    assert_eq!(to_vec(&(Unit, ())).unwrap(), hex("82f6f6"));
    assert_eq!(from_slice::<(Unit, ())>(&hex("82f6f6")).unwrap(), (Unit, ()));
    let error = from_slice::<Unit>(b"\xf5").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid type: boolean `true`, expected unit struct Unit, at byte 0"
    );
    for number in 24..32 {
        let error = to_vec(&Value::Simple(number)).unwrap_err();
        assert_eq!(error.to_string(), format!("simple value {number} does not exist"));
    }
}

#[test]
fn values_that_are_something_else() {
    let text = Value::Text("a".into());
    let array = Value::from(vec![Value::Null]);
    assert_eq!((text.as_integer(), text.as_float(), text.as_bool()), (None, None, None));
    assert!(text.as_map().is_none() && text.as_array().is_none() && array.as_text().is_none());
    assert_eq!(text.clone().into_bytes(), Err(text));
    let mut bad = hex("8261ffc1c261");
    bad.extend(hex("ff"));
    let (value, rest): (Value, _) = Profile::WELL_FORMED.decode_first(&bad).unwrap();
    assert!(rest.is_empty(), "{value}");
    assert_eq!(value.clone(), value);
    assert_eq!(Profile::WELL_FORMED.encode(&value).unwrap(), bad);
}

#[test]
fn formats_as_numbers() {
    use calibor::float::{Number, Overflow};
    assert_eq!(Number::from(BF16::from_f32(-1.5)).to_f64(), (-1.5, true));
    let tenth = || Number::decimal(Integer::new(false, 1), -1);
    assert_eq!(F8E5M2::from_number(&tenth(), Overflow::Ieee), (F8E5M2::from_f32(0.09375), false));
    assert_eq!(
        <F16 as SmallFloat>::from_number(&tenth(), Overflow::Ieee),
        (F16::from_bits(0x2e66), false)
    );
}

/// Whatever stops a writer of text in the middle, the rest is not written and the error is told.
#[cfg(feature = "edn")]
#[test]
fn dumps_to_writers_that_fail() {
    use calibor::edn::Dump;
    use std::fmt::{self, Write};
    struct Narrow(usize, String);
    impl Write for Narrow {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let room = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
            self.0 = room;
            self.1.push_str(text);
            Ok(())
        }
    }
    for (bytes, damaged) in [("", false), ("8301a2f6f561614161", true), ("7f6161ff", false)] {
        let bytes = hex(bytes);
        let whole = Dump::default().print(&bytes);
        assert_eq!(whole.contains("!! "), damaged, "{whole}");
        for room in 0..=whole.len() {
            let mut out = Narrow(room, String::new());
            let wrote = Dump::new().write(&bytes, &mut out);
            assert_eq!(wrote.is_ok(), room == whole.len(), "{room} of {whole}");
            assert!(whole.starts_with(&out.1));
        }
    }
    let mut met = Vec::new();
    Dump::new()
        .lines(b"", |line| {
            met.push((line.offset, line.meaning.to_owned()));
            Ok(())
        })
        .unwrap();
    assert_eq!(met, [(0, "empty".to_owned())]);
}

#[cfg(feature = "safetensors")]
#[test]
fn parts_of_checkpoints() {
    use calibor::array::checkpoint::{Checkpoint, Extreme};
    use std::io::Cursor;
    let header = br#"{"__metadata__":{"a":"b"},"w":{"dtype":"I16","shape":[2],"data_offsets":[0,4]},"x":{"dtype":"U16","shape":[1],"data_offsets":[4,6]},"y":{"dtype":"I32","shape":[1],"data_offsets":[6,10]},"z":{"dtype":"U32","shape":[1],"data_offsets":[10,14]}}"#;
    let data = hex("feff0100ffff00000080ffffffff");
    let file = [&(header.len() as u64).to_le_bytes()[..], header, &data].concat();
    let mut checkpoint = Checkpoint::open(Cursor::new(&file)).unwrap();
    assert_eq!(checkpoint.metadata().unwrap()["a"], "b");
    let extremes: Vec<_> = checkpoint
        .entries()
        .to_vec()
        .iter()
        .map(|entry| checkpoint.summary(entry).map(|summary| (summary.min, summary.max)).unwrap())
        .collect();
    let of = |min, max| (Some(Extreme::Integer(min)), Some(Extreme::Integer(max)));
    assert_eq!(
        extremes,
        [
            of(-2, 1),
            of(65_535, 65_535),
            of(-2_147_483_648, -2_147_483_648),
            of(4_294_967_295, 4_294_967_295)
        ]
    );
    assert_eq!(checkpoint.into_inner().into_inner(), &file);
}

/// A struct keeps the keys it does not know, of whatever scalar type.
#[test]
fn keys_of_flattened_structs() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Known {
        a: u8,
        #[serde(flatten)]
        rest: BTreeMap<Value, u8>,
    }
    let known: Known =
        from_slice(&hex("a6000020024101036161 09f504f93e0005".replace(' ', "").as_str())).unwrap();
    let rest = BTreeMap::from([
        (Value::Integer(0), 0),
        (Value::Integer(-1), 2),
        (Value::Bytes(vec![1]), 3),
        (Value::Bool(true), 4),
        (Value::Float(1.5), 5),
    ]);
    assert_eq!(known, Known { a: 9, rest });
    let error = from_slice::<Known>(&hex("a26161018001")).unwrap_err();
    assert!(error.to_string().starts_with("invalid type: "), "{error}");
    assert_eq!(error.offset(), Some(4), "{error}");
}

/// The keys of a struct, as what its own `Deserialize` asks for.
#[test]
fn keys_of_structs_as_values() {
    struct Keys<K>(Vec<K>);
    impl<'de, K: Deserialize<'de>> Deserialize<'de> for Keys<K> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor<K>(std::marker::PhantomData<K>);
            impl<'de, K: Deserialize<'de>> serde::de::Visitor<'de> for Visitor<K> {
                type Value = Keys<K>;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("keys")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<Keys<K>, A::Error> {
                    let mut keys = Vec::new();
                    while let Some((key, _)) = map.next_entry::<K, IgnoredAny>()? {
                        keys.push(key);
                    }
                    Ok(Keys(keys))
                }
            }
            let visitor = Visitor(std::marker::PhantomData);
            deserializer.deserialize_struct("Keys", &["alpha", "b"], visitor)
        }
    }
    // Ahead of the end by more than a head, where names are seen at a glance, and at it.
    let bytes = hex("a2616201 65616c706861 8c000102030405060708090a0b".replace(' ', "").as_str());
    for bytes in [&bytes[..], &hex("a2616201 65616c70686100".replace(' ', "").as_str())] {
        let Keys(values) = from_slice::<Keys<Value>>(bytes).unwrap();
        assert_eq!(values, [Value::Text("b".into()), Value::Text("alpha".into())]);
        let Keys(texts) = from_slice::<Keys<String>>(bytes).unwrap();
        assert_eq!(texts, ["b", "alpha"]);
        assert_eq!(from_slice::<Keys<IgnoredAny>>(bytes).unwrap().0.len(), 2);
    }
}

/// A type that takes one entry of a map, and the rest of a struct or an enum that has too many.
#[test]
fn maps_of_more_than_a_type_takes() {
    #[derive(Debug)]
    struct First(u8);
    impl<'de> Deserialize<'de> for First {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = First;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an entry")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<First, A::Error> {
                    let entry = map.next_entry::<IgnoredAny, u8>()?;
                    Ok(First(entry.map_or(0, |(_, value)| value)))
                }
            }
            deserializer.deserialize_map(Visitor)
        }
    }
    assert_eq!(from_slice::<First>(&hex("a10102")).unwrap().0, 2);
    for (bytes, words) in [
        ("a201020304", "map of 2 has more than the type takes, at byte 0"),
        ("bf01020304ff", "map of indefinite length has more than the type takes, at byte 0"),
    ] {
        let error = Profile::VALID.decode::<First>(&hex(bytes)).unwrap_err();
        assert_eq!(error.to_string(), words);
    }
    #[derive(Debug, Deserialize, PartialEq)]
    enum Choice {
        A(u8),
    }
    assert_eq!(Profile::VALID.decode::<Choice>(&hex("bf614101ff")).unwrap(), Choice::A(1));
    for bytes in ["a26141016142 02", "bf61410161 4202ff", "bfff", "a0"] {
        let bytes = hex(&bytes.replace(' ', ""));
        let error = Profile::VALID.decode::<Choice>(&bytes).unwrap_err();
        assert!(
            error.to_string().starts_with("enum variant with content is not a map of one entry"),
            "{error}"
        );
    }
}

#[test]
fn floats_longer_than_they_have_to_be() {
    // [0.1 as binary32, 0.5, 100000.0, 1.1 as binary64]
    let bytes = hex("83fa3dcccccdf93800fa47c35000");
    assert_eq!(from_slice::<Vec<f32>>(&bytes).unwrap(), [0.1, 0.5, 100_000.0]);
    assert_eq!(from_slice::<Vec<f64>>(&bytes).unwrap(), [f64::from(0.1_f32), 0.5, 100_000.0]);
    for (bytes, value) in [
        ("82fa3f000000fb3ff199999999999a", 0.5),
        ("82fb3ff8000000000000fb3ff199999999999a", 1.5),
        ("82fb3fb99999a0000000fb3ff199999999999a", f64::from(0.1_f32)),
    ] {
        let bytes = hex(bytes);
        for error in [
            from_slice::<Vec<f64>>(&bytes).unwrap_err(),
            from_slice::<Vec<f32>>(&bytes).unwrap_err(),
            calibor::from_reader::<_, Vec<f64>>(&bytes[..]).unwrap_err(),
        ] {
            assert_eq!((error.rule(), error.offset()), (Some(Rule::LongFloat), Some(1)), "{error}");
        }
        assert_eq!(Profile::VALID.decode::<Vec<f64>>(&bytes).unwrap(), [value, 1.1]);
    }
    let mut de = Deserializer::from_slice(b"\xf9\x3c\x01").exact_floats(true);
    let error = F8E4M3FN::deserialize(&mut de).unwrap_err();
    assert!(error.to_string().contains("f8e4m3fn"), "{error}");
}

/// A link that holds no CID behind a zero byte, for the type of another crate.
#[test]
fn links_without_a_cid() {
    for (bytes, words) in [
        ("d82a01", "expected a CID behind a zero byte, at byte 2"),
        ("d82a5f4100ff", "expected a CID behind a zero byte, at byte 2"),
        ("d82a4101", "tag 42 does not hold a CID behind a zero byte, at byte 2"),
        ("d82a40", "tag 42 does not hold a CID behind a zero byte, at byte 2"),
        ("d82b4100", "expected"),
    ] {
        let error = Profile::WELL_FORMED.decode::<cid::Cid>(&hex(bytes)).unwrap_err();
        assert!(error.to_string().contains(words), "{bytes}: {error}");
    }
}

/// What is formatted into the output is text as any other, and no part of it stays if formatting fails.
#[test]
fn texts_that_are_formatted() {
    struct Shown(&'static str);
    impl std::fmt::Display for Shown {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)?;
            if self.0.starts_with('!') { Err(std::fmt::Error) } else { Ok(()) }
        }
    }
    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    let long = "a".repeat(300).leak();
    for text in ["", "a", "\u{e9}", long] {
        for profile in [Profile::CORE, Profile::DCBOR, Profile::DRISL] {
            let bytes = profile.encode(&Shown(text)).unwrap();
            assert_eq!(to_hex(&bytes), to_hex(&profile.encode(text).unwrap()), "{profile}");
        }
    }
    assert_eq!(
        Profile::DCBOR.encode(&Shown("e\u{301}")).map_err(|error| error.rule()),
        Profile::DCBOR.encode("e\u{301}").map_err(|error| error.rule())
    );
    let error = to_vec(&Shown("!")).unwrap_err();
    assert_eq!(error.to_string(), "a Display implementation returned an error");
    let mut serializer = Serializer::default();
    Shown("!").serialize(&mut serializer).unwrap_err();
    5_u8.serialize(&mut serializer).unwrap();
    assert_eq!(serializer.finish().unwrap(), b"\x05");
}

/// Names of fields at each change of the length of their heads.
#[test]
fn long_names_of_fields() {
    for len in [22, 23, 24, 255, 256] {
        let field: &'static str = "n".repeat(len).leak();
        let map = Value::Map(vec![(field.into(), Value::from(vec![Value::from(0_u8)]))]);
        assert_eq!(to_vec(&wide(vec![field])).unwrap(), to_vec(&map).unwrap(), "{len}");
    }
}

#[test]
fn values_of_another_kind_and_from_entries() {
    assert_eq!((Value::Null.as_bytes(), Value::Null.as_tag()), (None, None));
    let entries = vec![(Value::from(1_u8), Value::Null)];
    assert_eq!(Value::from(entries.clone()), Value::Map(entries));
    let gone = calibor::from_reader::<_, Value>(Gone).unwrap_err();
    assert_eq!(gone.detail(), "gone");
}

/// The number of a tag may be that of a bignum, which holds bytes.
#[cfg(feature = "arbitrary")]
#[test]
fn arbitrary_bignums() {
    use arbitrary::{Arbitrary, Unstructured};
    assert_eq!(Value::size_hint(0), (0, None));
    for tag in [2, 3] {
        let mut bytes = vec![10, tag, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend([1; 9]);
        let value = Value::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
        let (number, content) = value.as_tag().unwrap();
        assert!(number == u64::from(tag) && content.as_bytes().is_some(), "{value}");
    }
}
