//! Tags on types: asked for, required, accepted, and kept through the buffers of serde.

use std::collections::BTreeMap;

use calibor::{
    Accepted, Category, Deserializer, Link, Profile, Required, Rule, Tagged, Value, cbor, to_vec,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::support::{hex, to_hex};

const CORE: Profile = Profile::CORE;

fn both<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, item: &str) {
    let bytes = hex(item);
    assert_eq!(to_hex(&CORE.encode(value).unwrap()), item);
    assert_eq!(&CORE.decode::<T>(&bytes).unwrap(), value, "{item}");
    assert_eq!(&CORE.decode_from::<_, T>(&bytes[..]).unwrap(), value, "{item} from a reader");
}

#[test]
fn any_number_on_any_content() {
    for (tag, head) in [
        (0, "c0"),
        (23, "d7"),
        (24, "d818"),
        (255, "d8ff"),
        (256, "d90100"),
        (65535, "d9ffff"),
        (65536, "da00010000"),
        (4_294_967_296, "db0000000100000000"),
        (u64::MAX, "dbffffffffffffffff"),
    ] {
        both(&Tagged::new(tag, String::from("a")), &format!("{head}6161"));
        both(&Tagged::new(tag, Tagged::new(tag, cbor!(null))), &format!("{head}{head}f6"));
        both(&vec![Tagged::new(tag, 1.5)], &format!("81{head}f93e00"));
    }
    both(&Some(Tagged::new(6, true)), "c6f5");
    both(&None::<Tagged<bool>>, "f6");
    both(&Tagged::new(6, None::<u8>), "c6f6");
    both(&Tagged::new(6, (1_u8, [2_u8, 3])), "c68201820203");
    both(&BTreeMap::from([(Tagged::new(6, 1_u8), 2_u8)]), "a1c60102");
    both(&Tagged::new(6, BTreeMap::from([("a".to_owned(), 1_u8)])), "c6a1616101");
}

#[test]
fn a_tag_nobody_asked_for() {
    // c83
    for item in ["c101", "d818", "c16161", "c180", "c1a0", "c1f5", "c1f6", "c14101"] {
        let bytes = hex(item);
        assert!(CORE.decode::<u8>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<String>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<Vec<u8>>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<BTreeMap<u8, u8>>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<bool>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<()>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<Option<u8>>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<ByteBuf>(&bytes).is_err(), "{item}");
    }
    let error = CORE.decode::<(u8, u8)>(&hex("8201c101")).unwrap_err();
    assert_eq!((error.category(), error.offset()), (Category::Data, Some(2)), "{error}");
    assert!(error.to_string().contains("tag"), "{error}");
}

#[test]
fn no_tag_where_one_is_asked_for() {
    for item in ["01", "820105", "80", "f6", "a10105", "6161"] {
        let bytes = hex(item);
        assert!(CORE.decode::<Tagged<Value>>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<Required<Value, 1>>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<Link>(&bytes).is_err(), "{item}");
        assert!(CORE.decode::<Accepted<Value, 1>>(&bytes).is_ok(), "{item}");
    }
}

#[test]
fn the_wrong_tag_is_an_error_at_its_place() {
    let top = CORE.decode::<Required<u64, 1>>(&hex("c005")).unwrap_err();
    assert_eq!(top.to_string(), "invalid tag: 0, expected 1, at byte 0");
    let top = CORE.decode::<Accepted<u64, 1>>(&hex("c005")).unwrap_err();
    assert_eq!((top.category(), top.offset()), (Category::Data, Some(0)), "{top}");
    let inner = CORE.decode::<(u8, Required<u64, 1>)>(&hex("8201d8640a")).unwrap_err();
    assert_eq!((inner.category(), inner.offset()), (Category::Data, Some(2)), "{inner}");
    let inner = CORE.decode::<(u8, Accepted<u64, 1>)>(&hex("8201d8640a")).unwrap_err();
    assert_eq!((inner.category(), inner.offset()), (Category::Data, Some(2)), "{inner}");
    // The tag is looked at before what is in it.
    let content = CORE.decode::<Required<u64, 1>>(&hex("c06161")).unwrap_err();
    assert!(content.to_string().contains("tag: 0"), "{content}");
    let content = CORE.decode::<Required<u64, 1>>(&hex("c16161")).unwrap_err();
    assert_eq!(content.offset(), Some(1), "{content}");
    let none = CORE.decode::<(u8, Required<u64, 1>)>(&hex("820105")).unwrap_err();
    assert_eq!(none.offset(), Some(2), "{none}");
}

#[test]
fn required_and_accepted() {
    both(&Required::<_, 1>(5_u8), "c105");
    both(&Accepted::<_, 1>(5_u8), "c105");
    both(&Required::<_, 55799>(Required::<_, 18>(vec![1_u8])), "d9d9f7d28101");
    for item in ["05", "c105"] {
        assert_eq!(CORE.decode::<Accepted<u8, 1>>(&hex(item)).unwrap().0, 5);
    }
    // Twice is not once.
    assert!(CORE.decode::<Accepted<u8, 1>>(&hex("c1c105")).is_err());
    // Another tag is for the content to judge: a CWT is a COSE message in its own tag, in tag 61 or not.
    type Token = Accepted<Required<u8, 18>, 61>;
    for item in ["d205", "d83dd205"] {
        assert_eq!(CORE.decode::<Token>(&hex(item)).unwrap().0.0, 5);
        assert_eq!(CORE.decode_from::<_, Token>(&hex(item)[..]).unwrap().0.0, 5);
    }
    assert!(
        CORE.decode::<Token>(&hex("d83d05")).is_err()
            && CORE.decode::<Token>(&hex("d105")).is_err()
    );
    both(&Accepted::<_, 61>(cbor!(tag(18, 5))), "d83dd205");
    assert_eq!(CORE.decode::<Accepted<Value, 61>>(&hex("d205")).unwrap().0, cbor!(tag(18, 5)));
    assert_eq!(
        CORE.decode::<Accepted<u128, 61>>(&hex("c249010000000000000000")).unwrap().0,
        1 << 64
    );
    // Self-described CBOR (RFC 8949 §3.4.6) around any item, or not.
    type File = Accepted<Value, 55799>;
    assert_eq!(CORE.decode::<File>(&hex("d9d9f78101")).unwrap().0, cbor!([1]));
    assert_eq!(CORE.decode::<File>(&hex("8101")).unwrap().0, cbor!([1]));
    assert_eq!(CORE.decode::<Accepted<Option<u8>, 6>>(&hex("f6")).unwrap().0, None);
    assert_eq!(CORE.decode::<Option<Accepted<u8, 6>>>(&hex("c601")).unwrap().unwrap().0, 1);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    List(Vec<u64>),
    Pair(Wrapper),
    Time(Required<u64, 1>),
    Tagged(Tagged<u64>),
    Maybe(Accepted<String, 32>),
    Struct { at: Tagged<u64>, uri: Accepted<String, 32>, when: Option<Required<u64, 1>> },
    Deep(Tagged<Tagged<Vec<Tagged<bool>>>>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrapper((u64, u64));

#[test]
fn through_untagged_enums() {
    both(&Untagged::List(vec![1, 5]), "820105");
    both(&Untagged::Time(Required(5)), "c105");
    both(&Untagged::Tagged(Tagged::new(6, 5)), "c605");
    both(&Untagged::Tagged(Tagged::new(u64::MAX, 5)), "dbffffffffffffffff05");
    both(&Untagged::Maybe(Accepted("a".into())), "d8206161");
    assert_eq!(
        CORE.decode::<Untagged>(&hex("6161")).unwrap(),
        Untagged::Maybe(Accepted("a".into()))
    );
    both(
        &Untagged::Struct {
            at: Tagged::new(7, 8),
            uri: Accepted("u".into()),
            when: Some(Required(1)),
        },
        "a3626174c70863757269d820617564 7768656ec101".replace(' ', "").as_str(),
    );
    both(
        &Untagged::Deep(Tagged::new(1, Tagged::new(2000, vec![Tagged::new(7, true)]))),
        "c1d907d081c7f5",
    );
    for item in ["d820f5", "c16161", "c181f5"] {
        assert!(CORE.decode::<Untagged>(&hex(item)).is_err(), "{item}");
    }
}

/// An array of two is no tag for whoever reads out of a buffer, and a tag no array.
#[test]
fn a_tag_is_not_an_array_of_two() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Tag(Tagged<u64>),
        Named(Named),
        Pair(u64, u64),
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Named(Vec<u64>);
    assert_eq!(CORE.decode::<Either>(&hex("c105")).unwrap(), Either::Tag(Tagged::new(1, 5)));
    assert_eq!(CORE.decode::<Either>(&hex("820105")).unwrap(), Either::Named(Named(vec![1, 5])));
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Arrays {
        Named(Named),
        Pair(u64, u64),
        Wrapped(Wrapper),
    }
    assert!(CORE.decode::<Arrays>(&hex("c105")).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Internal {
    Thing2 { name: String },
    Meeting { at: Required<u64, 1>, link: Accepted<String, 32>, any: Tagged<Value> },
    Holder(Holder),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Holder {
    at: Option<Tagged<u64>>,
    #[serde(flatten)]
    rest: BTreeMap<String, Tagged<Value>>,
}

#[test]
fn through_internally_tagged_enums() {
    // c43
    let thing = "a36474797065667468696e6732646e616d6561786464617461d8404401020304";
    assert_eq!(
        Profile::VALID.decode::<Internal>(&hex(thing)).unwrap(),
        Internal::Thing2 { name: "x".into() }
    );
    let meeting = Internal::Meeting {
        at: Required(5),
        link: Accepted("u".into()),
        any: Tagged::new(99, cbor!([tag(1, undefined), [1, 5]])),
    };
    let bytes = CORE.encode(&meeting).unwrap();
    assert_eq!(CORE.decode::<Internal>(&bytes).unwrap(), meeting);
    for at in [None, Some(Tagged::new(1, 5))] {
        let rest =
            BTreeMap::from([("r".to_owned(), Tagged::new(2, cbor!(b"\x01\0\0\0\0\0\0\0\0")))]);
        let holder = Internal::Holder(Holder { at, rest });
        let bytes = CORE.encode(&holder).unwrap();
        assert_eq!(CORE.decode::<Internal>(&bytes).unwrap(), holder);
    }
}

#[test]
fn tags_skipped_where_the_caller_says_so() {
    fn skipping<T: DeserializeOwned>(item: &str) -> calibor::Result<T> {
        let bytes = hex(item);
        let mut de =
            Deserializer::from_slice(&bytes).profile(Profile::VALID).skip_unknown_tags(true);
        let value = T::deserialize(&mut de)?;
        de.end()?;
        Ok(value)
    }
    assert_eq!(skipping::<u8>("c101").unwrap(), 1);
    assert_eq!(skipping::<u8>("c1c6d9d9f701").unwrap(), 1);
    assert_eq!(skipping::<String>("c06161").unwrap(), "a");
    assert_eq!(skipping::<f64>("c1f93e00").unwrap(), 1.5);
    assert_eq!(skipping::<f32>("c101").unwrap(), 1.0);
    assert_eq!(skipping::<Vec<u8>>("c682c10102").unwrap(), [1, 2]);
    assert_eq!(
        skipping::<BTreeMap<u8, bool>>("c6a1c601c7f5").unwrap(),
        BTreeMap::from([(1, true)])
    );
    assert_eq!(skipping::<(u8, ByteBuf)>("c682c101d8184101").unwrap(), (1, ByteBuf::from([1])));
    assert_eq!(skipping::<Option<u8>>("c101").unwrap(), Some(1));
    // Tags that are part of a number are that still.
    assert_eq!(skipping::<u128>("c1c249010000000000000000").unwrap(), 1 << 64);
    assert_eq!(skipping::<f64>("c1c48221196ab3").unwrap_err().category(), Category::Data);
    assert_eq!(skipping::<f32>("c1c482211903e8").unwrap(), 10.0);
    // And those that are asked for.
    assert_eq!(skipping::<Tagged<u8>>("c101").unwrap(), Tagged::new(1, 1));
    assert_eq!(skipping::<Required<u8, 1>>("c1c601").unwrap().0, 1);
    assert_eq!(
        skipping::<(Link, u8)>("82d82a4200 01c101".replace(' ', "").as_str()).unwrap().0.as_bytes(),
        [1]
    );
    assert_eq!(
        skipping::<Internal>("a2c06474797065c6667468696e6732c0646e616d65c06178").unwrap(),
        Internal::Thing2 { name: "x".into() }
    );
    // Nothing else is let through.
    assert!(skipping::<u8>("c16161").is_err());
    assert!(skipping::<u8>("c1").is_err());
}

#[test]
fn depth_counts_tags_and_not_options() {
    let nested = |levels: usize| [vec![0xc6; levels], vec![0x01]].concat();
    assert!(CORE.decode::<Value>(&nested(128)).is_ok());
    assert_eq!(CORE.decode::<Value>(&nested(129)).unwrap_err().rule(), Some(Rule::TooDeep));
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Id(Inner);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner(Option<[Option<[Level; 1]>; 1]>);
    type Level = Option<[Option<u8>; 1]>;
    let four = Id(Inner(Some([Some([Some([Some(1)])])])));
    let ctap = Profile::CTAP2.encode(&[&four]).unwrap();
    assert_eq!(to_hex(&ctap), "8181818101");
    assert_eq!(Profile::CTAP2.decode::<[Id; 1]>(&ctap).unwrap(), [four]);
    assert!(Profile::CTAP2.encode(&[[Some([Some([Some([1])])])]]).is_err());
}

/// A type that is a newtype or an option around itself takes stack without taking a byte.
#[test]
fn newtypes_without_end() {
    #[derive(Debug)]
    struct Endless;
    impl<'de> Deserialize<'de> for Endless {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Again;
            impl<'de> serde::de::Visitor<'de> for Again {
                type Value = Endless;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("more")
                }
                fn visit_newtype_struct<D: serde::Deserializer<'de>>(
                    self,
                    d: D,
                ) -> Result<Endless, D::Error> {
                    Endless::deserialize(d)
                }
                fn visit_some<D: serde::Deserializer<'de>>(
                    self,
                    d: D,
                ) -> Result<Endless, D::Error> {
                    d.deserialize_newtype_struct("Endless", Self)
                }
            }
            deserializer.deserialize_option(Again)
        }
    }
    impl Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_newtype_struct("Endless", &Some(Self))
        }
    }
    assert_eq!(CORE.decode::<Endless>(b"\x01").unwrap_err().rule(), Some(Rule::TooDeep));
    assert_eq!(to_vec(&Endless).unwrap_err().rule(), Some(Rule::TooDeep));
    // A list of as many levels as there may be, each an option around a newtype.
    #[derive(Serialize, Deserialize)]
    struct Node(Option<Box<Level>>);
    #[derive(Serialize, Deserialize)]
    struct Level(Node, [u8; 0]);
    let mut list = Node(None);
    for _ in 0..127 {
        list = Node(Some(Box::new(Level(list, []))));
    }
    let bytes = to_vec(&list).unwrap();
    assert!(CORE.decode::<Node>(&bytes).is_ok());
}
