//! A CBOR Web Token (RFC 8392), held against the bytes of appendix A.3 and its signature.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::unwrap_used)]

use calibor::{Accepted, IntKeys, Required, Value, cbor, to_vec};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use std::collections::BTreeMap;
use std::error::Error;

/// The claims of §3.1.1 by their keys; others, private ones for example, are kept.
#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Claims {
    #[serde(rename = "1")]
    issuer: String,
    #[serde(rename = "2")]
    subject: String,
    #[serde(rename = "3")]
    audience: String,
    #[serde(rename = "4")]
    expires: u64,
    #[serde(rename = "5")]
    not_before: u64,
    #[serde(rename = "6")]
    issued: u64,
    #[serde(rename = "7", with = "serde_bytes")]
    id: Vec<u8>,
    #[serde(flatten, with = "calibor::int_keys")]
    rest: BTreeMap<i64, Value>,
}

/// A `COSE_Sign1` in its tag, in the tag of a CWT or in none.
type Token = Accepted<Required<Sign1, 18>, 61>;
type Sign1 = (ByteBuf, Value, ByteBuf, ByteBuf);

/// The private key of appendix A.2.3.
const KEY: [u8; 32] = *b"\x6c\x13\x82\x76\x5a\xec\x53\x58\xf1\x17\x73\x3d\x28\x1c\x1c\x7b\
    \xdc\x39\x88\x4d\x04\xa4\x5a\x1e\x6c\x67\xc8\x58\xbc\x20\x6c\x19";

/// The signature of appendix A.3.
const SIGNATURE: [u8; 64] = *b"\x54\x27\xc1\xff\x28\xd2\x3f\xba\xd1\xf2\x9c\x4c\x7c\x6a\x55\x5e\
    \x60\x1d\x6f\xa2\x9f\x91\x79\xbc\x3d\x74\x38\xba\xca\xca\x5a\xcd\
    \x08\xc8\xd4\xd4\xf9\x61\x31\x68\x0c\x42\x9a\x01\xf8\x59\x51\xec\
    \xee\x74\x3a\x52\xb9\xb6\x36\x32\xc5\x72\x09\x12\x0e\x1c\x9e\x30";

/// The claims set of appendix A.1.
const CLAIMS: &[u8] =
    b"\xa7\x01\x75coap://as.example.com\x02\x65erikw\x03\x78\x18coap://light.example.com\
    \x04\x1a\x56\x12\xae\xb0\x05\x1a\x56\x10\xd9\xf0\x06\x1a\x56\x10\xd9\xf0\x07\x42\x0b\x71";

fn main() -> Result<(), Box<dyn Error>> {
    let claims = Claims {
        issuer: "coap://as.example.com".into(),
        subject: "erikw".into(),
        audience: "coap://light.example.com".into(),
        expires: 1_444_064_944,
        not_before: 1_443_944_944,
        issued: 1_443_944_944,
        id: vec![0x0b, 0x71],
        rest: BTreeMap::new(),
    };
    let payload = to_vec(&IntKeys(&claims))?;
    assert_eq!(payload, CLAIMS);

    // {1: -7}: ES256
    let protected = to_vec(&cbor!({ 1 => -7 }))?;
    let structure =
        to_vec(&("Signature1", Bytes::new(&protected), Bytes::new(b""), Bytes::new(&payload)))?;
    let key = VerifyingKey::from(&SigningKey::from_slice(&KEY)?);
    key.verify(&structure, &Signature::from_slice(&SIGNATURE)?)?;

    let message = Required::<_, 18>((
        ByteBuf::from(protected),
        cbor!({}),
        ByteBuf::from(payload),
        ByteBuf::from(SIGNATURE),
    ));
    let bytes = to_vec(&message)?;
    // 18([h'a10126', {}, h'a701…', h'5427…'])
    assert_eq!(bytes[..9], *b"\xd2\x84\x43\xa1\x01\x26\xa0\x58\x50");
    assert_eq!((bytes.len(), &bytes[9..89], &bytes[91..]), (155, CLAIMS, &SIGNATURE[..]));

    // With tag 61 or without, it is read by the same type.
    let tagged = to_vec(&Accepted::<_, 61>(&message))?;
    for token in [&bytes, &tagged] {
        let Accepted(Required((_, _, payload, _))) = calibor::from_slice::<Token>(token)?;
        assert_eq!(calibor::from_slice::<IntKeys<Claims>>(&payload)?.0, claims);
    }
    println!("{}", calibor::from_slice::<Value>(CLAIMS)?);
    Ok(())
}
