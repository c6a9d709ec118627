//! A `COSE_Sign1` message (RFC 9052) in plain structs: read, verified, signed, and written byte for byte.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::unwrap_used)]

use calibor::{IntKeys, Profile, Required, Value, to_vec};
use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use std::collections::BTreeMap;
use std::error::Error;

/// Integer labels are the names of fields; the labels this program does not know are kept.
#[derive(Serialize, Deserialize, Debug, Default, PartialEq)]
struct Header {
    #[serde(rename = "1", skip_serializing_if = "Option::is_none")]
    algorithm: Option<i32>,
    #[serde(rename = "4", skip_serializing_if = "Option::is_none")]
    key_id: Option<ByteBuf>,
    #[serde(flatten, with = "calibor::int_keys")]
    rest: BTreeMap<i64, Value>,
}

/// Protected header, unprotected header, payload, signature: an array. The protected header stays the bytes that
/// were signed.
#[derive(Serialize, Deserialize)]
struct Sign1(ByteBuf, IntKeys<Header>, Option<ByteBuf>, ByteBuf);

/// The array in its tag.
type Message = Required<Sign1, 18>;

const ES256: i32 = -7;

impl Sign1 {
    fn header(&self) -> calibor::Result<Header> {
        Ok(calibor::from_slice::<IntKeys<Header>>(&self.0)?.0)
    }

    /// What is signed: RFC 9052 §4.4, core deterministic.
    fn structure(&self) -> calibor::Result<Vec<u8>> {
        let Sign1(protected, _, payload, _) = self;
        let external = Bytes::new(b"");
        to_vec(&("Signature1", protected, external, payload))
    }

    fn verify(&self, key: &VerifyingKey) -> Result<(), Box<dyn Error>> {
        let signature = Signature::from_slice(&self.3)?;
        Ok(key.verify(&self.structure()?, &signature)?)
    }
}

/// RFC 8152, appendix C.2.1: 18([h'a10126', {4: '11'}, 'This is the content.', h'8eb3…'])
const MESSAGE: &[u8] = b"\xd2\x84\x43\xa1\x01\x26\xa1\x04\x4211\x54This is the content.\x58\x40\
    \x8e\xb3\x3e\x4c\xa3\x1d\x1c\x46\x5a\xb0\x5a\xac\x34\xcc\x6b\x23\xd5\x8f\xef\x5c\x08\x31\x06\xc4\
    \xd2\x5a\x91\xae\xf0\xb0\x11\x7e\x2a\xf9\xa2\x91\xaa\x32\xe1\x4a\xb8\x34\xdc\x56\xed\x2a\x22\x34\
    \x44\x54\x7e\x01\xf1\x1d\x3b\x09\x16\xe5\xa4\xc3\x45\xca\xcb\x36";

/// The private key called '11' in appendix C.7.2 of the same.
const KEY: [u8; 32] = *b"\x57\xc9\x20\x77\x66\x41\x46\xe8\x76\x76\x0c\x95\x20\xd0\x54\xaa\
    \x93\xc3\xaf\xb0\x4e\x30\x67\x05\xdb\x60\x90\x30\x85\x07\xb4\xd3";

fn main() -> Result<(), Box<dyn Error>> {
    let key = SigningKey::from_slice(&KEY)?;
    let public = VerifyingKey::from(&key);

    // Received: canonical or not is no matter of ours, so not Profile::CORE.
    let Required(message) = Profile::VALID.decode::<Message>(MESSAGE)?;
    assert_eq!(message.header()?.algorithm, Some(ES256));
    assert_eq!(message.1.0.key_id.as_deref(), Some(&b"11".to_vec()));
    message.verify(&public)?;
    assert_eq!(Profile::VALID.encode(&Message::new(message))?, MESSAGE);

    // Sent.
    let protected = Header { algorithm: Some(ES256), ..Header::default() };
    let unprotected = Header { key_id: Some(ByteBuf::from(*b"11")), ..Header::default() };
    let mut message = Sign1(
        ByteBuf::from(to_vec(&IntKeys(protected))?),
        IntKeys(unprotected),
        Some(ByteBuf::from(*b"This is the content.")),
        ByteBuf::new(),
    );
    let signature: Signature = key.sign(&message.structure()?);
    message.3 = ByteBuf::from(signature.to_vec());
    let bytes = to_vec(&Message::new(message))?;

    let Required(message) = calibor::from_slice::<Message>(&bytes)?;
    message.verify(&public)?;
    println!("{}", Profile::CORE.decode::<Value>(&bytes)?);
    Ok(())
}
