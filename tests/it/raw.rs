//! `RawValue`: bytes that were signed or hashed as they are.

use std::collections::BTreeMap;

use calibor::{
    Accepted, Category, Deserializer, Profile, RawValue, Required, Rule, Value, cbor, to_vec,
};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use sha2::{Digest, Sha256};

use crate::support::{hex, path, to_hex};

/// Items of every kind, most of them not canonical.
const ITEMS: [&str; 14] = [
    "00",
    "1b0000000000000000",
    "9f01ff",
    "bf617801ff",
    "a26162016161f6",
    "7f6161ff",
    "5f4101ff",
    "fb3ff0000000000000",
    "c074323031332d30332d32315432303a30343a30305a",
    "c24101",
    "f820",
    "f7",
    "d9d9f780",
    "f97e01",
];

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Signed<'a> {
    #[serde(borrow)]
    body: RawValue<'a>,
    #[serde(borrow)]
    list: Vec<RawValue<'a>>,
    #[serde(borrow)]
    map: BTreeMap<u8, RawValue<'a>>,
    #[serde(borrow)]
    maybe: Option<RawValue<'a>>,
    #[serde(borrow)]
    pair: (u8, RawValue<'a>),
}

#[test]
fn verbatim_wherever_it_stands() {
    let loose = Profile::WELL_FORMED;
    for item in ITEMS {
        let raw = RawValue::new(hex(item)).unwrap();
        assert_eq!(to_hex(&loose.encode(&raw).unwrap()), item);
        let signed = Signed {
            body: raw.clone(),
            list: vec![raw.clone(), raw.clone()],
            map: BTreeMap::from([(1, raw.clone()), (2, raw.clone())]),
            maybe: Some(raw.clone()),
            pair: (7, raw.clone()),
        };
        let bytes = loose.encode(&signed).unwrap();
        assert_eq!(
            to_hex(&bytes),
            format!(
                "a564626f6479{item}646c69737482{item}{item}636d6170a201{item}02{item}656d61796265{item}6470616972{}",
                format_args!("8207{item}")
            )
        );
        let back: Signed<'_> = loose.decode(&bytes).unwrap();
        assert_eq!(back, signed, "{item}");
        // It points into the input.
        let inside = bytes.as_ptr_range();
        assert!(inside.contains(&back.body.as_bytes().as_ptr()), "{item} was copied");
        assert!(inside.contains(&back.list[1].as_bytes().as_ptr()), "{item} was copied");
        // A reader hands over copies, the same ones.
        let mut reader = Deserializer::from_reader(&bytes[..]).profile(loose);
        let owned = Signed::<'static>::deserialize(&mut reader).unwrap();
        assert_eq!(owned, signed, "{item}");
        let pair = [&[0x82][..], &hex(item), &hex(item)].concat();
        let mut reader = Deserializer::from_reader(&pair[..]).profile(loose);
        let owned = Vec::<RawValue<'static>>::deserialize(&mut reader).unwrap();
        assert_eq!(owned, [raw.clone(), raw.clone()], "{item}");
        assert_eq!(raw.clone().into_owned().into_bytes(), hex(item));
    }
}

#[test]
fn as_a_key() {
    let loose = Profile::VALID;
    let bytes = hex("a2180100f90000f6");
    let map: BTreeMap<RawValue<'_>, Value> = loose.decode(&bytes).unwrap();
    assert_eq!(map.keys().map(|k| to_hex(k.as_bytes())).collect::<Vec<_>>(), ["1801", "f90000"]);
    assert_eq!(loose.encode(&map).unwrap(), bytes);
    // Equal keys are found however they are written.
    let error = loose.decode::<BTreeMap<RawValue<'_>, u8>>(&hex("a218010019000100")).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::DuplicateKey), "{error}");
}

#[test]
fn only_one_well_formed_item() {
    // c33, and what else is no item.
    for item in [
        "", "5f01ff", "8201ff", "bf01ff", "c1ff", "ff", "9f", "0102", "f814", "1c", "18", "6161 61",
    ] {
        let bytes = hex(&item.replace(' ', ""));
        let error = RawValue::new(bytes.clone()).unwrap_err();
        assert_ne!(error.category(), Category::Data, "{item}: {error}");
        assert!(Profile::WELL_FORMED.decode::<RawValue<'_>>(&bytes).is_err(), "{item}");
        let nested = [&[0x82, 0x00][..], &bytes].concat();
        assert!(Profile::WELL_FORMED.decode::<(u8, RawValue<'_>)>(&nested).is_err(), "{item}");
    }
    // 61ff is well-formed and not valid.
    assert!(RawValue::new(&b"\x61\xff"[..]).is_ok());
    assert!(Profile::VALID.decode::<RawValue<'_>>(b"\x61\xff").is_err());
    assert!(RawValue::new(vec![0x81; 100_000]).is_err());
}

#[test]
fn held_to_the_profile_both_ways() {
    let raw = RawValue::new(hex("9f01ff")).unwrap();
    assert!(raw.check(Profile::VALID).is_ok());
    assert_eq!(raw.check(Profile::CORE).unwrap_err().rule(), Some(Rule::IndefiniteLength));
    let error = to_vec(&(1, &raw)).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::IndefiniteLength), "{error}");
    let error = Profile::CORE.decode::<(u8, RawValue<'_>)>(&hex("82019f01ff")).unwrap_err();
    assert_eq!((error.rule(), error.offset()), (Some(Rule::IndefiniteLength), Some(2)));
    assert_eq!(Profile::VALID.decode::<(u8, RawValue<'_>)>(&hex("82019f01ff")).unwrap().1, raw);
    // How deep it is counts where it stands.
    let deep = RawValue::new([&[0x81; 3][..], &[0x00]].concat()).unwrap();
    let limit = Profile::VALID.max_depth(4);
    assert!(limit.encode(&[&deep]).is_ok());
    assert_eq!(limit.encode(&[[&deep]]).unwrap_err().rule(), Some(Rule::TooDeep));
    assert!(limit.decode::<[RawValue<'_>; 1]>(&[0x81, 0x81, 0x81, 0x81, 0x00]).is_ok());
    let error = limit.decode::<[RawValue<'_>; 1]>(&[0x81, 0x81, 0x81, 0x81, 0x81, 0]).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::TooDeep));
}

#[test]
fn read_as_a_type_later() {
    let raw = RawValue::new(hex("a16161fb3ff0000000000000")).unwrap();
    assert_eq!(raw.decode::<BTreeMap<&str, f32>>().unwrap(), BTreeMap::from([("a", 1.0)]));
    let error = raw.decode::<BTreeMap<&str, u8>>().unwrap_err();
    assert_eq!(error.offset(), Some(3), "{error}");
    assert_eq!(raw.to_string(), r#"{"a": 1.0_3}"#);
    assert_eq!(raw.decode::<Value>().unwrap(), cbor!({ "a" => 1.0 }));
    assert_eq!(RawValue::try_from(vec![0x01]).unwrap().decode::<u8>().unwrap(), 1);
}

/// Where serde has buffered, the bytes are gone; that is an error, never other bytes.
#[test]
fn not_out_of_a_buffer() {
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Loose<'a> {
        #[serde(borrow)]
        Raw(RawValue<'a>),
    }
    for item in ["01", "4101", "80", "820105", "c101", "a0", "f6"] {
        assert!(Profile::VALID.decode::<Loose<'_>>(&hex(item)).is_err(), "{item}");
    }
    assert!(serde_json::from_str::<RawValue<'_>>("[1,2]").is_err());
}

/// ISO 18013-5: the digest of an item of an mdoc is over its bytes as they were sent, tag 24 and all.
#[test]
fn digests_of_an_mdoc() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Item {
        #[serde(rename = "digestID")]
        digest_id: u64,
        random: ByteBuf,
        element_identifier: String,
        element_value: Value,
    }
    type Embedded = Required<ByteBuf, 24>;

    // An issuer whose encoder neither sorts nor shortens; 24(<<{...}>>) twice.
    let inner = |id: u8| {
        let item = "a4686469676573744944{}6672616e646f6d435f5f5f71656c656d656e744964656e7469666965726b66616d696c795f\
                    6e616d656c656c656d656e7456616c756563446f65";
        hex(&item.replace("{}", &format!("1900{id:02x}")))
    };
    let sent: Vec<Vec<u8>> = (0..2)
        .map(|id| {
            let inner = inner(id);
            [&[0xd8, 24, 0x59, 0x00, u8::try_from(inner.len()).unwrap()][..], &inner].concat()
        })
        .collect();
    let digests: BTreeMap<u64, Vec<u8>> =
        (0..).zip(&sent).map(|(id, item)| (id, Sha256::digest(item).to_vec())).collect();
    let name_spaces = [&[0xa1, 0x61, b'n', 0x82][..], &sent.concat()].concat();

    let received: BTreeMap<String, Vec<RawValue<'_>>> =
        Profile::VALID.decode(&name_spaces).unwrap();
    for raw in &received["n"] {
        let embedded: Embedded = raw.decode().unwrap();
        let item: Item = Profile::VALID.decode(&embedded.0).unwrap();
        assert_eq!(digests[&item.digest_id], Sha256::digest(raw.as_bytes()).to_vec());
        assert_eq!((item.random.len(), item.element_identifier.as_str()), (3, "family_name"));
        assert_eq!(item.element_value, cbor!("Doe"));
        // Written again canonically it is another item with another digest.
        let canonical = Profile::CORE.canonicalize(raw.as_bytes()).unwrap();
        assert_ne!(Sha256::digest(canonical).to_vec(), digests[&item.digest_id]);
    }
    assert_eq!(Profile::VALID.encode(&received).unwrap(), name_spaces);
}

/// Cardano names a transaction by a hash of its body's bytes: so the body has to come out as it came in.
#[test]
fn bodies_of_cardano_transactions() {
    #[derive(Serialize, Deserialize)]
    struct Transaction<'a>(
        #[serde(borrow)] RawValue<'a>,
        #[serde(borrow)] RawValue<'a>,
        #[serde(borrow)] Vec<RawValue<'a>>,
    );
    let dir = path("vectors/realworld/cardano-pallas");
    let mut seen = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let file = entry.unwrap().path();
        let Some(stem) = file.to_str().and_then(|f| f.strip_suffix(".tx.cbor")) else { continue };
        let bytes = std::fs::read(&file).unwrap();
        let parts: Vec<RawValue<'_>> = Profile::VALID.decode(&bytes).unwrap();
        let at = parts[0].as_bytes().as_ptr() as usize - bytes.as_ptr() as usize;
        assert_eq!(at, 1, "{stem}: the body is the first thing in the array");
        let joined: Vec<u8> = parts.iter().flat_map(|p| p.as_bytes().to_vec()).collect();
        assert!(bytes[1..].starts_with(&joined), "{stem}");
        assert_eq!(Profile::VALID.encode(&parts).unwrap()[1..], joined, "{stem}");
        if let Ok(Transaction(body, witnesses, rest)) = Profile::VALID.decode(&bytes) {
            assert!(
                !body.as_bytes().is_empty() && !witnesses.as_bytes().is_empty() && rest.len() < 9
            );
        }
        seen += 1;
    }
    assert!(seen >= 3, "{seen} transactions");
}

/// COSE signs the protected header's bytes, which are a byte string of their own; the payload of tag 18 as well.
#[test]
fn payloads_of_cose() {
    type Message<'a> = Accepted<(ByteBuf, RawValue<'a>, Option<ByteBuf>, RawValue<'a>), 16>;
    let file = path("vectors/realworld/cose-wg-examples/aes-gcm-examples__aes-gcm-enc-01.cbor");
    let bytes = std::fs::read(file).unwrap();
    let parts: Required<Vec<RawValue<'_>>, 16> = Profile::CORE.decode(&bytes).unwrap();
    assert_eq!(Profile::CORE.encode(&parts).unwrap(), bytes);
    let protected: ByteBuf = parts.0[0].decode().unwrap();
    assert_eq!(Profile::CORE.decode::<Value>(&protected).unwrap(), cbor!({ 1 => 1 }));
    // Enc_structure of RFC 9052 §5.3, with the header as it came.
    let structure = to_vec(&("Encrypt0", &parts.0[0], ByteBuf::new())).unwrap();
    assert_eq!(to_hex(&structure), "8368456e63727970743043a1010140");
    // A message of four would be another one.
    assert!(Profile::CORE.decode::<Message<'_>>(&bytes).is_err());
}
