//! A `WebAuthn` attestation object in plain structs, in CTAP2 canonical form both ways.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::unwrap_used)]

use calibor::{IntKeys, Profile, Rule};
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use std::error::Error;

/// `WebAuthn` level 2, §6.5.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attestation {
    fmt: String,
    att_stmt: Packed,
    auth_data: ByteBuf,
}

/// The statement of format "packed", §8.2.
#[derive(Serialize, Deserialize)]
struct Packed {
    alg: i64,
    sig: ByteBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    x5c: Option<Vec<ByteBuf>>,
}

/// A `COSE_Key` with two coordinates: RFC 9053 §7.1.
#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Key {
    #[serde(rename = "1")]
    kind: i8,
    #[serde(rename = "3")]
    algorithm: i32,
    #[serde(rename = "-1")]
    curve: i8,
    #[serde(rename = "-2", with = "serde_bytes")]
    x: Vec<u8>,
    #[serde(rename = "-3", with = "serde_bytes")]
    y: Vec<u8>,
}

/// What stands before the key in the authenticator data: hash, flags, counter, and the names of model and
/// credential.
fn before_key(credential: &[u8]) -> Vec<u8> {
    let mut data = vec![0x5a; 32];
    data.push(0x41); // somebody was there; a key follows
    data.extend_from_slice(&7_u32.to_be_bytes());
    data.extend_from_slice(&[0; 16]);
    data.extend_from_slice(&[0, 4]);
    data.extend_from_slice(credential);
    data
}

fn main() -> Result<(), Box<dyn Error>> {
    let key = Key { kind: 2, algorithm: -7, curve: 1, x: vec![1; 32], y: vec![2; 32] };
    let encoded = Profile::CTAP2.encode(&IntKeys(&key))?;
    // {1: 2, 3: -7, -1: 1, -2: h'01…', -3: h'02…'}
    assert_eq!(encoded[..11], *b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20\x01");

    let mut data = before_key(b"cred");
    data.extend_from_slice(&encoded);
    let attestation = Attestation {
        fmt: "packed".into(),
        att_stmt: Packed { alg: -7, sig: ByteBuf::from([9; 8]), x5c: None },
        auth_data: ByteBuf::from(data.clone()),
    };
    let bytes = Profile::CTAP2.encode(&attestation)?;

    // Shorter keys first: {"fmt": …, "attStmt": …, "authData": …}, where RFC 8949 has it the same way for text.
    assert_eq!(bytes[..12], *b"\xa3\x63fmt\x66packed");
    let read: Attestation = Profile::CTAP2.decode(&bytes)?;
    assert_eq!(Profile::CTAP2.encode(&read)?, bytes);

    // The key ends where it ends; extensions may follow.
    let at = before_key(b"cred").len();
    let (IntKeys(found), rest): (IntKeys<Key>, _) = Profile::CTAP2.decode_first(&data[at..])?;
    assert_eq!((found, rest), (key, &b""[..]));

    // A key store that sorts otherwise is refused, with the reason.
    let unsorted = b"\xa2\x67attStmt\xa0\x63fmt\x64none"; // {"attStmt": {}, "fmt": "none"}
    let error = Profile::CTAP2.check(unsorted).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::UnsortedKey));
    println!("{error}");

    // So is what nests too deep for an authenticator: four levels.
    let deep = Profile::CTAP2.encode(&[[[[[Bytes::new(b"")]]]]]).unwrap_err();
    println!("{deep}");
    Ok(())
}
