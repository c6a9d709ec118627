//! What other codecs write for the same serde types is read by `Profile::VALID`, and has the canonical form that this
//! crate writes: the mapping is serde's common one.

use std::collections::BTreeMap;
use std::fmt::Debug;

use calibor::{Profile, Value, to_vec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::support::{Mismatches, brief, said};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    // Not in the order of the alphabet, so that sorting shows.
    zulu: u8,
    alpha: i64,
    float: f64,
    single: f32,
    text: String,
    bytes: ByteBuf,
    list: Vec<u16>,
    pair: (u8, String),
    array: [i16; 3],
    map: BTreeMap<String, i32>,
    by_number: BTreeMap<i64, bool>,
    some: Option<u8>,
    none: Option<u8>,
    letter: char,
    kinds: Vec<Kind>,
    wrapped: Wrapped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Unit,
    Newtype(i8),
    Tuple(u8, f32),
    Struct { y: bool, x: Option<String> },
}

fn everything() -> Everything {
    Everything {
        zulu: 7,
        alpha: -1_000_000_000_000,
        float: 1.1,
        single: 0.5,
        text: "水 and \"quotes\"".into(),
        bytes: ByteBuf::from([0, 255, 24]),
        list: vec![0, 23, 24, 255, 256, 65535],
        pair: (255, String::new()),
        array: [-1, 0, 1],
        map: [("bb", 1), ("a", -2), ("c", 3)].map(|(k, v)| (k.to_owned(), v)).into(),
        by_number: [(-1, true), (10, false), (1000, true)].into(),
        some: Some(1),
        none: None,
        letter: 'ボ',
        kinds: vec![
            Kind::Unit,
            Kind::Newtype(-128),
            Kind::Tuple(0, -0.25),
            Kind::Struct { y: true, x: Some("x".into()) },
            Kind::Struct { y: false, x: None },
        ],
        wrapped: Wrapped(70_000),
    }
}

/// One value through the three peers.
fn same<T>(name: &str, value: &T, out: &mut Mismatches)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let mut by_ciborium = Vec::new();
    ciborium::into_writer(value, &mut by_ciborium).unwrap();
    let peers = [
        ("ciborium", by_ciborium),
        ("cbor4ii", cbor4ii::serde::to_vec(Vec::new(), value).unwrap()),
        ("serde_cbor", serde_cbor::to_vec(value).unwrap()),
    ];
    let ours = to_vec(value).unwrap();
    for (peer, theirs) in peers {
        let read = Profile::VALID.decode::<T>(&theirs);
        out.expect(read.as_ref().is_ok_and(|read| read == value), || {
            format!("{name}: {} by {peer}: {}", brief(&theirs), said(&read))
        });
        let canonical = Profile::CORE.canonicalize(&theirs);
        out.expect(canonical.as_ref().is_ok_and(|canonical| *canonical == ours), || {
            format!(
                "{name}: {} by {peer} is not {}: {}",
                brief(&theirs),
                brief(&ours),
                said(&canonical)
            )
        });
        let tree =
            Profile::VALID.decode::<Value>(&theirs).and_then(|tree| Profile::CORE.encode(&tree));
        out.expect(tree.as_ref().is_ok_and(|bytes| *bytes == ours), || {
            format!("{name}: by {peer} through a value: {}", said(&tree))
        });
    }
    // And the other way: what is canonical is plain CBOR to them. cbor4ii reads no float of another width than it writes.
    let back = [
        ("ciborium", ciborium::from_reader::<T, _>(&ours[..]).map_err(|e| e.to_string())),
        ("serde_cbor", serde_cbor::from_slice::<T>(&ours).map_err(|e| e.to_string())),
    ];
    for (peer, read) in back {
        out.expect(read.as_ref().is_ok_and(|read| read == value), || {
            format!("{name}: {} read by {peer}: {read:?}", brief(&ours))
        });
    }
}

#[test]
fn the_mapping_is_the_common_one() {
    let mut out = Mismatches::of("ciborium, cbor4ii, serde_cbor");
    same("everything", &everything(), &mut out);
    same("list", &vec![everything(), everything()], &mut out);
    same("nothing", &None::<u8>, &mut out);
    same("bool", &true, &mut out);
    for n in [0, 23, 24, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, u64::MAX] {
        same("u64", &n, &mut out);
        same("i64", &i64::try_from(n / 2).map_or(i64::MIN, |n| -1 - n), &mut out);
    }
    for float in [0.0, -0.0, 1.5, 65504.0, 65520.0, 1e300, 5e-324, f64::INFINITY, -4.1] {
        same("f64", &float, &mut out);
    }
    for float in [0.0, 1.5, -0.0, 3.402_823_5e38, 1e-45, f32::NEG_INFINITY] {
        same("f32", &float, &mut out);
    }
    out.finish();
}

/// 128 bits: only ciborium has them as bignums.
#[test]
fn wide_integers_as_ciborium_writes_them() {
    let mut out = Mismatches::of("128-bit integers");
    for n in [
        0,
        -1,
        i128::from(u64::MAX),
        i128::from(u64::MAX) + 1,
        -18_446_744_073_709_551_617,
        i128::MAX,
        i128::MIN,
    ] {
        let mut theirs = Vec::new();
        ciborium::into_writer(&n, &mut theirs).unwrap();
        let read = Profile::VALID.decode::<i128>(&theirs);
        out.expect(read.as_ref().is_ok_and(|read| *read == n), || format!("{n}: {}", said(&read)));
        let ours = to_vec(&n).unwrap();
        let canonical = Profile::CORE.canonicalize(&theirs);
        out.expect(canonical.as_ref().is_ok_and(|bytes| *bytes == ours), || {
            format!("{n}: {} is not {}", brief(&theirs), brief(&ours))
        });
    }
    out.finish();
}
