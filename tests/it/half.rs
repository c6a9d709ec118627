//! The `half` crate's types in derived structs, by the names of their newtypes and nothing else.

use std::collections::BTreeMap;

use calibor::{Category, Deserializer, Profile, from_slice, to_vec};
use half::{bf16, f16};
use serde::{Deserialize, Serialize};

use crate::support::{hex, to_hex};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Weights {
    a: f16,
    b: bf16,
    list: Vec<f16>,
    maybe: Option<bf16>,
    none: Option<f16>,
    pair: (f16, [bf16; 2]),
    map: BTreeMap<String, f16>,
    wrapped: Wrapper,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapper(f16);

#[test]
fn floats_wherever_they_stand() {
    let weights = Weights {
        a: f16::from_f32(1.0),
        b: bf16::from_f32(3.140_625),
        list: vec![f16::MAX, f16::NEG_INFINITY, f16::from_bits(1)],
        maybe: Some(bf16::from_f32(-0.0)),
        none: None,
        pair: (f16::ONE, [bf16::MAX, bf16::MIN_POSITIVE_SUBNORMAL]),
        map: BTreeMap::from([("k".into(), f16::from_f32(0.5))]),
        wrapped: Wrapper(f16::from_f32(-2.0)),
    };
    let bytes = to_vec(&weights).unwrap();
    let value: calibor::Value = from_slice(&bytes).unwrap();
    assert_eq!(value["a"], calibor::cbor!(1.0));
    assert_eq!(value["list"][0], calibor::cbor!(65504.0));
    assert_eq!(value["map"]["k"], calibor::cbor!(0.5));
    assert_eq!(from_slice::<Weights>(&bytes).unwrap(), weights);
    assert_eq!(Profile::CORE.decode_from::<_, Weights>(&bytes[..]).unwrap(), weights);
    // c25
    assert_eq!(to_hex(&to_vec(&f16::ONE).unwrap()), "f93c00");
    assert_eq!(from_slice::<f16>(&hex("01")).unwrap(), f16::ONE);
    assert_eq!(to_hex(&Profile::DAG_CBOR.encode(&f16::ONE).unwrap()), "fb3ff0000000000000");
    assert_eq!(to_hex(&Profile::DCBOR.encode(&f16::ONE).unwrap()), "01");
    assert_eq!(Profile::DCBOR.decode::<f16>(&hex("01")).unwrap(), f16::ONE);
}

#[test]
fn every_pattern_there_and_back() {
    for bits in 0..=u16::MAX {
        let half = f16::from_bits(bits);
        let bytes = to_vec(&half).unwrap();
        assert_eq!(bytes, [0xf9, bits.to_be_bytes()[0], bits.to_be_bytes()[1]]);
        assert_eq!(from_slice::<f16>(&bytes).unwrap().to_bits(), bits);
        let brain = bf16::from_bits(bits);
        let bytes = to_vec(&brain).unwrap();
        // bf16 is the upper half of a binary32, and is written as that would be.
        assert_eq!(bytes, to_vec(&f32::from_bits(u32::from(bits) << 16)).unwrap());
        assert_eq!(from_slice::<bf16>(&bytes).unwrap().to_bits(), bits, "{bits:04x}");
    }
}

#[test]
fn one_rounding_from_any_number() {
    // 1 + 2^-11 + 2^-22 and its like are above a tie, where a rounding by way of f32 ends on it.
    for (item, bits) in [
        ("fb3ff0020000400000", 0x3c01),
        ("fb3ff0020040000000", 0x3c01),
        ("fb3ff0020000000000", 0x3c00),
        ("fb3e60000000000001", 0x0001),
        ("fb3e60000000000000", 0x0000),
        ("fb40effdffffffffff", 0x7bff),
        ("fb40effe0000000000", 0x7c00),
        ("fa3f801001", 0x3c01),
        ("190801", 0x6800), // 2049, a tie
        ("190803", 0x6802), // 2051, a tie
        ("1b0008020000000001", 0x7c00),
        ("19ffef", 0x7bff),                 // 65519
        ("19fff0", 0x7c00),                 // 65520
        ("39ffef", 0xfc00),                 // -65520
        ("c249010000000000000000", 0x7c00), // 2^64
        ("c4823819 1a00989680", 0x068e), // 10^7 · 10^-26, far below a double's reach of exactness
        ("c482201a0001869f", 0x70e2),    // 9999.9
        ("c58238181a01000001", 0x3c00),  // (2^24 + 1) · 2^-25 … see below
    ] {
        let bytes = hex(&item.replace(' ', ""));
        let got = Profile::VALID.decode::<f16>(&bytes);
        let want = match item {
            "c4823819 1a00989680" => f16::from_f64(1e7 * 1e-26).to_bits(),
            "c58238181a01000001" => f16::from_f64(16_777_217.0 * 2f64.powi(-25)).to_bits(),
            _ => bits,
        };
        assert_eq!(got.unwrap().to_bits(), want, "{item}");
    }
    for (item, bits) in [
        ("fb3ff0100000000001", 0x3f81_u16),
        ("fb3ff0100000001000", 0x3f81),
        ("fb3ff0100000000000", 0x3f80),
        ("fb47efefffffffffff", 0x7f7f),
        ("fb47eff00000000000", 0x7f80),
        ("190101", 0x4380),
        ("190103", 0x4382),
        ("1b8080000000000001", 0x5f01), // 2^63 + 2^55 + 1: above a tie that a double cannot see
        ("1b8080000000000000", 0x5f00),
        ("c2498080000000000000 01", 0x6301),
        ("c24980800000000000 0000", 0x6300),
    ] {
        let got = Profile::VALID.decode::<bf16>(&hex(&item.replace(' ', "")));
        assert_eq!(got.unwrap().to_bits(), bits, "{item}");
    }
}

#[test]
fn exactly_or_not_at_all() {
    let read = |item: &str| {
        let bytes = hex(item);
        let de = Deserializer::from_slice(&bytes).profile(Profile::VALID);
        f16::deserialize(&mut de.exact_floats(true))
    };
    assert_eq!(read("f93c00").unwrap(), f16::ONE);
    assert_eq!(read("190800").unwrap(), f16::from_f32(2048.0));
    for item in ["190801", "fb3ff0020000000000", "fa3f801001", "1a00010000"] {
        assert_eq!(read(item).unwrap_err().category(), Category::Data, "{item}");
    }
    for item in ["6131", "80", "f5", "f6", "4101"] {
        let error = from_slice::<f16>(&hex(item)).unwrap_err();
        assert_eq!(
            (error.category(), error.offset()),
            (Category::Data, Some(0)),
            "{item}: {error}"
        );
    }
}

/// Newtypes that are called the same and are something else.
mod same_name {
    use super::{Deserialize, Serialize};
    use std::fmt::Debug;

    macro_rules! newtypes {
        ($( $name:ident $inner:ty, $other:ident; )*) => { $(
            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(rename = "f16")]
            pub(super) struct $name(pub(super) $inner);
            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(rename = "bf16")]
            pub(super) struct $other(pub(super) $inner);
        )* };
    }
    newtypes! {
        Byte u8, BByte;
        Word u32, BWord;
        List Vec<u16>, BList;
        Name String, BName;
        Maybe Option<u16>, BMaybe;
        Inner Count, BInner;
        Signed i16, BSigned;
        Unit (), BUnit;
        Pair (u16, u16), BPair;
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    pub(super) struct Count(pub(super) u16);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename = "f16")]
    pub(super) struct Struct {
        pub(super) bits: u16,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename = "f16")]
    pub(super) struct TupleStruct(pub(super) u16, pub(super) u16);
}

fn back<T: serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(bytes: &[u8], want: &T) {
    assert_eq!(&from_slice::<T>(bytes).unwrap(), want);
}

#[test]
fn others_of_the_same_name() {
    use same_name::*;
    macro_rules! undisturbed {
        ($( $value:expr, $item:literal; )*) => { $(
            let bytes = to_vec(&$value).unwrap();
            assert_eq!(to_hex(&bytes), $item, "{:?}", $value);
            back(&bytes, &$value);
            let list = vec![$value, $value];
            back(&to_vec(&list).unwrap(), &list);
        )* };
    }
    undisturbed! {
        Byte(60), "183c"; BByte(60), "183c";
        Word(15360), "193c00"; BWord(15360), "193c00";
        List(vec![15360, 1]), "82193c0001"; BList(vec![15360]), "81193c00";
        Name("f16".into()), "63663136"; BName(String::new()), "60";
        Maybe(Some(15360)), "193c00"; BMaybe(Some(1)), "01"; Maybe(None), "f6";
        Inner(Count(15360)), "193c00"; BInner(Count(1)), "01";
        Signed(-2), "21"; BSigned(1), "01";
        Unit(()), "f6"; BUnit(()), "f6";
        Pair((15360, 1)), "82193c0001"; BPair((1, 2)), "820102";
        Struct { bits: 15360 }, "a16462697473193c00";
        TupleStruct(15360, 1), "82193c0001";
    }
    // And a u16 that is none stays one, also right behind.
    assert_eq!(to_hex(&to_vec(&(f16::ONE, 15360_u16)).unwrap()), "82f93c00193c00");
    assert_eq!(from_slice::<(f16, u16)>(&hex("82f93c00193c00")).unwrap(), (f16::ONE, 15360));
    assert!(from_slice::<u16>(&hex("f93c00")).is_err());
}
