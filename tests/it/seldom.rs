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
use serde::de::{DeserializeOwned, IntoDeserializer};
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
