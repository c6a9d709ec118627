//! From `serde_cbor` to Calibor, side by side: the same types, the same bytes, fewer surprises.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::unwrap_used)]

use calibor::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Session {
    // Fields in canonical order, so that the bytes are the same; see below for others.
    id: u32,
    load: f64,
    user: Option<String>,
    scopes: Vec<Scope>,
    tokens: BTreeMap<String, serde_bytes::ByteBuf>,
}

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
enum Scope {
    Read,
    Write { bucket: String },
    Quota(u64),
}

/// Fields in another order than that of their encoding.
#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Unsorted {
    user: String,
    id: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session {
        id: 7,
        load: 0.5,
        user: None,
        scopes: vec![Scope::Read, Scope::Write { bucket: "b".into() }, Scope::Quota(1 << 40)],
        tokens: BTreeMap::from([("t".into(), serde_bytes::ByteBuf::from([1, 2]))]),
    };

    // Encode.
    let old = serde_cbor::to_vec(&session)?;
    let new = calibor::to_vec(&session)?;
    assert_eq!(old, new);

    // Decode: what was stored is read by both.
    assert_eq!(serde_cbor::from_slice::<Session>(&new)?, session);
    assert_eq!(calibor::from_slice::<Session>(&old)?, session);

    // Fields are sorted now. Old data is read by a lenient profile.
    let value = Unsorted { user: "u".into(), id: 7 };
    let old = serde_cbor::to_vec(&value)?; // {"user": "u", "id": 7}
    let error = calibor::from_slice::<Unsorted>(&old).unwrap_err();
    println!("{error}");
    assert_eq!(Profile::VALID.decode::<Unsorted>(&old)?, value);
    assert_eq!(Profile::CORE.canonicalize(&old)?, calibor::to_vec(&value)?);

    // What serde_cbor lets through.
    let twice = b"\xa2\x61a\x01\x61a\x02"; // {"a": 1, "a": 2}
    assert_eq!(serde_cbor::from_slice::<BTreeMap<String, u8>>(twice)?["a"], 2);
    println!("{}", Profile::VALID.decode::<BTreeMap<String, u8>>(twice).unwrap_err());
    let undefined = b"\xf7";
    assert_eq!(serde_cbor::from_slice::<serde_cbor::Value>(undefined)?, serde_cbor::Value::Null);
    assert_eq!(calibor::from_slice::<calibor::Value>(undefined)?, calibor::Value::UNDEFINED);
    Ok(())
}
