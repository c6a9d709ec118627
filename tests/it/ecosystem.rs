//! Crates that people use with serde, each with the one thing it is known to trip a format over.

use std::collections::BTreeMap;
use std::net::IpAddr;

use calibor::{Deserializer, Link, Profile, Serializer, Tagged, Value, cbor, from_slice, to_vec};
use cid::Cid;
use ipld_core::ipld::Ipld;
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteArray, ByteBuf, Bytes};
use serde_with::{As, DisplayFromStr};

use crate::support::{hex, to_hex};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u8,
    lines: Vec<Line>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    price: f64,
}

#[test]
fn path_to_error() {
    let bytes =
        to_vec(&cbor!({ "id" => 1, "lines" => [{ "price" => 1.5 }, { "price" => "x" }] })).unwrap();
    let mut deserializer = Deserializer::from_slice(&bytes);
    let error = serde_path_to_error::deserialize::<_, Order>(&mut deserializer).unwrap_err();
    assert_eq!(error.path().to_string(), "lines[1].price");
    assert!(error.into_inner().offset().is_some());
    let good = to_vec(&cbor!({ "id" => 1, "lines" => [] })).unwrap();
    let order: Order =
        serde_path_to_error::deserialize(&mut Deserializer::from_slice(&good)).unwrap();
    assert_eq!(order, Order { id: 1, lines: vec![] });
    // And for writing.
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    let mut track = serde_path_to_error::Track::new();
    let mut serializer = Serializer::new();
    let tracked = serde_path_to_error::Serializer::new(&mut serializer, &mut track);
    assert!(BTreeMap::from([("k", [(1, Fails)])]).serialize(tracked).is_err());
    assert_eq!(track.path().to_string(), "k[0][1]");
}

#[test]
fn with_other_forms() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Forms {
        #[serde(with = "As::<DisplayFromStr>")]
        ip: IpAddr,
        #[serde(with = "As::<Vec<(DisplayFromStr, serde_with::Same)>>")]
        map: BTreeMap<u64, bool>,
        #[serde(with = "As::<Option<serde_with::Bytes>>")]
        bytes: Option<Vec<u8>>,
        #[serde(with = "As::<serde_with::DefaultOnNull>", default)]
        count: u8,
    }
    let forms = Forms {
        ip: [127, 0, 0, 1].into(),
        map: BTreeMap::from([(5, true)]),
        bytes: Some(vec![1]),
        count: 0,
    };
    let bytes = to_vec(&forms).unwrap();
    assert_eq!(
        from_slice::<Value>(&bytes).unwrap(),
        cbor!({ "ip" => "127.0.0.1", "map" => [["5", true]], "bytes" => b"\x01", "count" => 0 })
    );
    assert_eq!(from_slice::<Forms>(&bytes).unwrap(), forms);
}

#[test]
fn byte_strings() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Strings<'a> {
        #[serde(with = "serde_bytes")]
        vec: Vec<u8>,
        #[serde(borrow)]
        slice: &'a Bytes,
        array: ByteArray<3>,
        buf: Option<ByteBuf>,
        #[serde(borrow, with = "serde_bytes")]
        cow: std::borrow::Cow<'a, [u8]>,
        plain: Vec<u8>,
    }
    let strings = Strings {
        vec: vec![1],
        slice: Bytes::new(b"\x02"),
        array: ByteArray::new([3, 4, 5]),
        buf: Some(ByteBuf::from([6])),
        cow: std::borrow::Cow::Borrowed(b"\x07"),
        plain: vec![8],
    };
    let bytes = to_vec(&strings).unwrap();
    assert_eq!(
        from_slice::<Value>(&bytes).unwrap(),
        cbor!({
            "vec" => b"\x01", "slice" => b"\x02", "array" => b"\x03\x04\x05", "buf" => b"\x06", "cow" => b"\x07",
            "plain" => [8]
        })
    );
    assert_eq!(from_slice::<Strings<'_>>(&bytes).unwrap(), strings);
    assert!(from_slice::<ByteArray<3>>(&hex("420102")).is_err());
    assert!(from_slice::<Vec<u8>>(&hex("420102")).is_err());
}

#[test]
fn erased() {
    let order = Order { id: 1, lines: vec![Line { price: 1.5 }] };
    let want = to_vec(&order).unwrap();
    let erased: Box<dyn erased_serde::Serialize> = Box::new(order);
    assert_eq!(to_vec(&erased).unwrap(), want);
    let mut serializer = Serializer::new();
    erased.erased_serialize(&mut <dyn erased_serde::Serializer>::erase(&mut serializer)).unwrap();
    assert_eq!(serializer.finish().unwrap(), want);
    let mut deserializer = Deserializer::from_slice(&want);
    let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(&mut deserializer);
    let order: Order = erased_serde::deserialize(&mut erased).unwrap();
    assert_eq!(order.lines, [Line { price: 1.5 }]);
    // Tags, simple values and values pass through as well.
    for value in [cbor!([tag(1, 5), undefined, { 1 => b"x" }]), cbor!(u64::MAX), cbor!(-1.5)] {
        let bytes = to_vec(&value).unwrap();
        let erased: Box<dyn erased_serde::Serialize> = Box::new(value.clone());
        assert_eq!(to_vec(&erased).unwrap(), bytes);
        let mut deserializer = Deserializer::from_slice(&bytes);
        let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(&mut deserializer);
        assert_eq!(erased_serde::deserialize::<Value>(&mut erased).unwrap(), value);
    }
}

#[test]
fn transcoded_to_json_and_back() {
    let json = r#"{"b":[1,-1,1.5,null,true,"text",{"a":{}}],"a":18446744073709551615,"c":-9223372036854775808}"#;
    let mut serializer = Serializer::new();
    serde_transcode::transcode(&mut serde_json::Deserializer::from_str(json), &mut serializer)
        .unwrap();
    let bytes = serializer.finish().unwrap();
    Profile::CORE.check(&bytes).unwrap();
    let mut out = Vec::new();
    serde_transcode::transcode(
        &mut Deserializer::from_slice(&bytes),
        &mut serde_json::Serializer::new(&mut out),
    )
    .unwrap();
    let (there, back): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(json).unwrap(), serde_json::from_slice(&out).unwrap());
    assert_eq!(there, back);
    assert!(std::str::from_utf8(&out).unwrap().starts_with(r#"{"a":18446744073709551615,"b""#));
    // From CBOR to CBOR of another profile.
    let mut serializer = Serializer::new().profile(Profile::DAG_CBOR);
    serde_transcode::transcode(&mut Deserializer::from_slice(&bytes), &mut serializer).unwrap();
    Profile::DAG_CBOR.check(&serializer.finish().unwrap()).unwrap();
}

#[test]
fn times_and_identifiers() {
    let at: jiff::Timestamp = "2013-03-21T20:04:00Z".parse().unwrap();
    let bytes = to_vec(&at).unwrap();
    assert_eq!(bytes[1..], *b"2013-03-21T20:04:00Z");
    assert_eq!(from_slice::<jiff::Timestamp>(&bytes).unwrap(), at);
    assert_eq!(Profile::CORE.decode_from::<_, jiff::Timestamp>(&bytes[..]).unwrap(), at);
    // RFC 8949 §3.4.1.
    let tagged = Tagged::new(0, at);
    let bytes = to_vec(&tagged).unwrap();
    assert_eq!(bytes[..2], [0xc0, 0x74]);
    assert_eq!(from_slice::<Tagged<jiff::Timestamp>>(&bytes).unwrap(), tagged);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Seconds {
        #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
        at: jiff::Timestamp,
    }
    let bytes = to_vec(&Seconds { at }).unwrap();
    assert_eq!(to_hex(&bytes), "a16261741a514b67b0");
    assert_eq!(from_slice::<Seconds>(&bytes).unwrap(), Seconds { at });

    let id = uuid::Uuid::from_u128(0x936da01f_9abd_4d9d_80c7_02af85c822a8);
    let bytes = to_vec(&id).unwrap();
    assert_eq!(to_hex(&bytes), "50936da01f9abd4d9d80c702af85c822a8");
    assert_eq!(from_slice::<uuid::Uuid>(&bytes).unwrap(), id);
    // As tag 37, and as text for people.
    assert_eq!(
        from_slice::<Tagged<uuid::Uuid>>(&to_vec(&Tagged::new(37, id)).unwrap()).unwrap().value,
        id
    );
    let mut serializer = Serializer::new().human_readable(true);
    id.serialize(&mut serializer).unwrap();
    let text = serializer.finish().unwrap();
    assert_eq!(text[2..], *b"936da01f-9abd-4d9d-80c7-02af85c822a8");
    let mut deserializer = Deserializer::from_slice(&text).human_readable(true);
    assert_eq!(uuid::Uuid::deserialize(&mut deserializer).unwrap(), id);
}

const CID: &str = "bafyreidj5idub6mapiupjwjsyyxhyhedxycv4vihfsicm2vt46o7morwlm";

#[test]
fn links_of_other_crates() {
    let cid: Cid = CID.parse().unwrap();
    let link = Link::new(cid.to_bytes());
    for p in [Profile::DAG_CBOR, Profile::DRISL, Profile::CORE, Profile::VALID] {
        let bytes = p.encode(&link).unwrap();
        assert_eq!(bytes[..5], [0xd8, 0x2a, 0x58, 0x25, 0x00]);
        assert_eq!(p.encode(&cid).unwrap(), bytes);
        assert_eq!(p.encode(&Ipld::Link(cid)).unwrap(), bytes);
        assert_eq!(p.decode::<Link>(&bytes).unwrap(), link, "{p}");
        assert_eq!(p.decode::<Cid>(&bytes).unwrap(), cid, "{p}");
        assert_eq!(p.decode::<Ipld>(&bytes).unwrap(), Ipld::Link(cid), "{p}");
        assert_eq!(p.decode_from::<_, Link>(&bytes[..]).unwrap(), link, "{p}");
        assert_eq!(p.decode_from::<_, Cid>(&bytes[..]).unwrap(), cid, "{p}");
        assert_eq!(p.decode_from::<_, Ipld>(&bytes[..]).unwrap(), Ipld::Link(cid), "{p}");
        let value: Value = p.decode(&bytes).unwrap();
        assert_eq!(value.as_tag().map(|(tag, _)| tag), Some(42));
        assert_eq!(p.encode(&value).unwrap(), bytes);
        // Bytes that are no link are none for any of them.
        let plain = p.encode(Bytes::new(&cid.to_bytes())).unwrap();
        assert!(p.decode::<Link>(&plain).is_err() && p.decode::<Cid>(&plain).is_err());
        assert_eq!(p.decode::<Ipld>(&plain).unwrap(), Ipld::Bytes(cid.to_bytes()));
    }
    for item in ["d82a4101", "d82a40", "d82a6100", "d82a820001", "d82b420001"] {
        assert!(Profile::VALID.decode::<Link>(&hex(item)).is_err(), "{item}");
    }
}

#[test]
fn ipld_of_every_kind() {
    let cid: Cid = CID.parse().unwrap();
    let ipld = Ipld::Map(BTreeMap::from([
        (
            "list".into(),
            Ipld::List(vec![Ipld::Null, Ipld::Bool(true), Ipld::Integer(-5), Ipld::Float(1.5)]),
        ),
        ("link".into(), Ipld::Link(cid)),
        ("bytes".into(), Ipld::Bytes(vec![1, 2])),
        ("text".into(), Ipld::String("x".into())),
        ("big".into(), Ipld::Integer(u64::MAX.into())),
        ("small".into(), Ipld::Integer(-(1 << 64))),
    ]));
    let bytes = Profile::DAG_CBOR.encode(&ipld).unwrap();
    Profile::DAG_CBOR.check(&bytes).unwrap();
    assert_eq!(Profile::DAG_CBOR.decode::<Ipld>(&bytes).unwrap(), ipld);
    let value: Value = Profile::DAG_CBOR.decode(&bytes).unwrap();
    assert_eq!(Profile::DAG_CBOR.encode(&value).unwrap(), bytes);
}

/// The records of `ATProto` are internally tagged unions with links in them.
#[test]
fn links_through_the_buffers_of_serde() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "$type")]
    enum Record {
        #[serde(rename = "blob")]
        Blob { r#ref: Cid, also: Link, list: Vec<Cid>, any: Ipld, value: Value },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Node {
        Link(Link),
        Bytes(ByteBuf),
        Pair(u8, ByteBuf),
    }
    let cid: Cid = CID.parse().unwrap();
    let link = Link::new(cid.to_bytes());
    let value: Value = Profile::DAG_CBOR.decode(&Profile::DAG_CBOR.encode(&link).unwrap()).unwrap();
    let record = Record::Blob {
        r#ref: cid,
        also: link.clone(),
        list: vec![cid, cid],
        any: Ipld::List(vec![Ipld::Link(cid), Ipld::Bytes(vec![1])]),
        value,
    };
    for p in [Profile::DAG_CBOR, Profile::DRISL] {
        let bytes = p.encode(&record).unwrap();
        assert_eq!(p.decode::<Record>(&bytes).unwrap(), record, "{p}");
        assert_eq!(p.decode_from::<_, Record>(&bytes[..]).unwrap(), record, "{p}");
    }
    for p in [Profile::DAG_CBOR, Profile::DRISL, Profile::CORE, Profile::VALID] {
        for node in [Node::Link(link.clone()), Node::Bytes(ByteBuf::from(cid.to_bytes()))] {
            let bytes = p.encode(&node).unwrap();
            assert_eq!(p.decode::<Node>(&bytes).unwrap(), node, "{p}");
        }
    }
    let pair = Node::Pair(42, ByteBuf::from([0, 1]));
    assert_eq!(Profile::CORE.decode::<Node>(&Profile::CORE.encode(&pair).unwrap()).unwrap(), pair);
}

/// What `docs/migrating.md` says of the crates that people come from.
#[test]
fn what_others_do() {
    use serde_cbor::from_slice as old;
    fn other<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Option<T> {
        ciborium::from_reader(bytes).ok()
    }
    fn written<T: Serialize>(value: &T) -> [Vec<u8>; 2] {
        let mut out = Vec::new();
        ciborium::into_writer(value, &mut out).unwrap();
        [serde_cbor::to_vec(value).unwrap(), out]
    }
    #[derive(Serialize)]
    struct Flat {
        #[serde(flatten)]
        rest: BTreeMap<&'static str, u8>,
    }
    for bytes in written(&Flat { rest: BTreeMap::from([("a", 1)]) }) {
        assert_eq!(to_hex(&bytes), "bf616101ff");
    }
    assert_eq!(to_hex(&to_vec(&Flat { rest: BTreeMap::from([("a", 1)]) }).unwrap()), "a1616101");
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let [serde_cbor, _] = written(&nan);
    assert_eq!(to_hex(&serde_cbor), "f97e00");
    let quiet = f32::from_bits(0x7fa0_0000);
    assert_eq!(to_hex(&written(&quiet)[1]), "f97f00");
    assert_eq!(to_hex(&to_vec(&nan).unwrap()), "fb7ff8000000000001");

    type Map = BTreeMap<String, u8>;
    let twice = hex("a2616101616102");
    assert_eq!(old::<Map>(&twice).unwrap()["a"], 2);
    assert!(other::<Vec<(String, u8)>>(&twice).is_none() && other::<Map>(&twice).is_some());
    assert!(old::<u8>(b"\x01\x02").is_err() && other::<u8>(b"\x01\x02") == Some(1));
    assert_eq!(old::<serde_cbor::Value>(b"\xf7").unwrap(), serde_cbor::Value::Null);
    assert_eq!(other::<Option<u8>>(b"\xf7"), Some(None));
    assert!(from_slice::<Option<u8>>(b"\xf7").is_err() && from_slice::<()>(b"\xf7").is_err());
    assert!(old::<u8>(b"\xc1\x05").is_ok() && other::<u8>(b"\xc1\x05").is_some());
    #[derive(Debug, PartialEq, Deserialize)]
    struct One {
        a: u8,
    }
    assert_eq!(old::<One>(b"\xa1\x00\x05").unwrap(), One { a: 5 });
    assert_eq!(other::<One>(b"\xa1\x00\x05"), None);
}
