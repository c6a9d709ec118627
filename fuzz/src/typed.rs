//! A zoo of serde types read from arbitrary bytes.
//!
//! Of a type that keeps all it is told, strict success means that writing gives the input again. A type that reads one
//! thing in two ways (an `f32` from an integer, a missing field as `None`) must come to rest: what it writes is read and
//! written the same.

use crate::{Target, hex, said, seeds};
use calibor::float::{BF16, F8E4M3FN, F8E5M2, F16};
use calibor::{
    Accepted, Deserializer, IntKeys, Link, Profile, RawValue, Required, Tagged, Value, to_vec,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::Duration;

pub const TARGET: Target = Target {
    name: "typed",
    steps: |_| PROFILES.len() * STRICT.len() + LAX.len(),
    ask,
    seeds: typed_seeds,
};

const PROFILES: [Profile; 4] = [Profile::CORE, Profile::DAG_CBOR, Profile::DCBOR, Profile::CTAP2];

fn ask(step: usize, data: &[u8]) {
    match STRICT.get(step / PROFILES.len()) {
        Some(ask) => ask(PROFILES[step % PROFILES.len()], data),
        None => LAX[step - PROFILES.len() * STRICT.len()](data),
    }
}

const STRICT: &[fn(Profile, &[u8])] = &[
    exact::<bool>,
    exact::<u8>,
    exact::<i64>,
    exact::<u128>,
    exact::<i128>,
    exact::<char>,
    exact::<String>,
    exact::<()>,
    exact::<Option<i8>>,
    exact::<Vec<Option<String>>>,
    exact::<(u8, String, [i16; 2])>,
    exact::<BTreeMap<i64, Vec<u8>>>,
    exact::<BTreeMap<(u8, bool), Option<u8>>>,
    exact::<HashMap<String, BTreeMap<String, u32>>>,
    exact::<Named>,
    exact::<Vec<Kind>>,
    exact::<Unit>,
    exact::<Tagged<Vec<Tagged<u8>>>>,
    exact::<Required<Vec<u8>, 6>>,
    exact::<Vec<Link>>,
    exact::<Vec<Value>>,
    exact::<Result<u8, String>>,
    exact::<IntKeys<Claims>>,
    at_rest::<Required<Vec<Accepted<u8, 7>>, 6>>,
    at_rest::<f32>,
    at_rest::<f64>,
    at_rest::<Vec<(F16, BF16, F8E4M3FN, F8E5M2)>>,
    at_rest::<Vec<F16>>,
    at_rest::<ByteBuf>,
    at_rest::<BTreeSet<String>>,
    at_rest::<Optional>,
    at_rest::<Internal>,
    at_rest::<Adjacent>,
    at_rest::<Untagged>,
    at_rest::<Flat>,
    at_rest::<IntKeys<Open>>,
    at_rest::<Vec<IpAddr>>,
    at_rest::<Duration>,
    at_rest::<Recursive>,
    at_rest::<serde_json::Value>,
];

const LAX: [fn(&[u8]); 6] = [
    lax::<Named>,
    lax::<Vec<Kind>>,
    lax::<Flat>,
    lax::<Value>,
    lax::<HashMap<String, i128>>,
    borrowed,
];

/// Types that say all that was read.
fn exact<T: Serialize + DeserializeOwned>(profile: Profile, data: &[u8]) {
    let Ok(value) = profile.decode::<T>(data) else { return };
    let name = std::any::type_name::<T>();
    let check = profile.check(data);
    assert!(check.is_ok(), "{profile} {name} reads {}: {}", hex(data), said(&check));
    let again = profile.encode(&value);
    assert!(
        again.as_ref().is_ok_and(|again| crate::same_but_for_width(profile, again, data)),
        "{profile} {name} reads {}, writes {}",
        hex(data),
        again.map_or_else(|e| e.to_string(), |again| hex(&again))
    );
    by_reader::<T>(profile, data, &value);
    // With every option on, nothing else may come out.
    let mut lenient =
        Deserializer::from_slice(data).profile(profile).exact_floats(true).skip_unknown_tags(true);
    let same = T::deserialize(&mut lenient).and_then(|value| profile.encode(&value));
    assert!(
        same.as_ref().is_ok_and(|again| crate::same_but_for_width(profile, again, data))
            || data.iter().any(|byte| byte >> 5 == 6),
        "{profile} {name} with options reads {}: {}",
        hex(data),
        said(&same)
    );
}

/// Types for which several items are one value.
fn at_rest<T: Serialize + DeserializeOwned>(profile: Profile, data: &[u8]) {
    let Ok(value) = profile.decode::<T>(data) else { return };
    let name = std::any::type_name::<T>();
    let Ok(once) = profile.encode(&value) else { return };
    let check = profile.check(&once);
    assert!(check.is_ok(), "{profile} {name} writes {}: {}", hex(&once), said(&check));
    let back = profile.decode::<T>(&once);
    assert!(back.is_ok(), "{profile} {name} writes {} and reads {}", hex(&once), said(&back));
    let twice = back.and_then(|back| profile.encode(&back));
    assert!(
        twice.as_ref().is_ok_and(|twice| *twice == once),
        "{profile} {name} writes {}, then {}",
        hex(&once),
        twice.map_or_else(|e| e.to_string(), |twice| hex(&twice))
    );
    by_reader::<T>(profile, data, &value);
}

fn by_reader<T: Serialize + DeserializeOwned>(profile: Profile, data: &[u8], value: &T) {
    let read = profile.decode_from::<_, T>(data);
    let (a, b) = (profile.encode(value), read.and_then(|read| profile.encode(&read)));
    assert!(
        matches!((&a, &b), (Ok(a), Ok(b)) if a == b) || a.is_err() && b.is_err(),
        "{profile} {} from {}: slice {}, reader {}",
        std::any::type_name::<T>(),
        hex(data),
        said(&a),
        said(&b)
    );
}

/// What others wrote, read once, is ours from then on.
fn lax<T: Serialize + DeserializeOwned>(data: &[u8]) {
    let Ok(value) = Profile::VALID.decode::<T>(data) else { return };
    let Ok(bytes) = to_vec(&value) else { return };
    let back = calibor::from_slice::<T>(&bytes);
    let again = back.as_ref().ok().and_then(|back| to_vec(back).ok());
    assert_eq!(
        again.as_ref(),
        Some(&bytes),
        "{} from {}: {}",
        std::any::type_name::<T>(),
        hex(data),
        said(&back)
    );
}

fn borrowed(data: &[u8]) {
    #[derive(Serialize, Deserialize)]
    struct Borrowed<'a> {
        #[serde(borrow)]
        text: Cow<'a, str>,
        #[serde(borrow)]
        raw: RawValue<'a>,
        key: &'a str,
        #[serde(with = "serde_bytes")]
        bytes: &'a [u8],
    }
    for profile in [Profile::CORE, Profile::VALID] {
        let _ = profile.decode::<IgnoredAny>(data);
        if let Ok(value) = profile.decode::<Borrowed<'_>>(data) {
            assert!(to_vec(&value.text).is_ok() && profile.check(value.raw.as_bytes()).is_ok());
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    a: u8,
    bb: String,
    c: Vec<Kind>,
}

#[derive(Serialize, Deserialize)]
enum Kind {
    Unit,
    Newtype(i8),
    Tuple(u8, bool),
    Struct { x: u8, y: Option<String> },
    Inner(Unit),
}

#[derive(Serialize, Deserialize)]
struct Unit;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    #[serde(rename = "1")]
    issuer: String,
    #[serde(rename = "-3")]
    key: i64,
    text: bool,
}

#[derive(Serialize, Deserialize)]
struct Optional {
    a: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    b: Vec<f32>,
    #[serde(default)]
    c: i32,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    A { x: u8, f: f64 },
    B(BTreeMap<String, Value>),
    C,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(u8, String),
    B { x: Option<i64> },
    C,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u64),
    Float(f64),
    Text(String),
    Pair(u8, Box<Untagged>),
    Map { x: Vec<Untagged> },
}

#[derive(Serialize, Deserialize)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize)]
struct Inner {
    x: Option<f32>,
    y: String,
}

#[derive(Serialize, Deserialize)]
struct Open {
    #[serde(rename = "1")]
    algorithm: i64,
    #[serde(flatten, with = "calibor::int_keys")]
    rest: BTreeMap<i64, Value>,
}

#[derive(Serialize, Deserialize)]
struct Recursive {
    n: Option<Box<Recursive>>,
    v: Vec<Recursive>,
}

/// The items of the tables, and one of each animal, so that the fuzzer begins inside the types.
fn typed_seeds() -> Vec<Vec<u8>> {
    let kinds = || {
        vec![
            Kind::Unit,
            Kind::Newtype(-9),
            Kind::Tuple(1, true),
            Kind::Struct { x: 1, y: Some("y".into()) },
            Kind::Inner(Unit),
        ]
    };
    let value = || BTreeMap::from([("k".to_owned(), Value::Float(1.1))]);
    let link = [1, 0x71, 0x12, 32].into_iter().chain([7; 32]).collect::<Vec<_>>();
    let mut seeds = seeds::cbor();
    let mut add = |bytes: calibor::Result<Vec<u8>>| seeds.extend(bytes.ok());
    add(to_vec(&kinds()));
    add(to_vec(&Named { a: 1, bb: "b".into(), c: kinds() }));
    add(to_vec(&IntKeys(Claims { issuer: "i".into(), key: -8, text: true })));
    add(to_vec(&IntKeys(Open { algorithm: -7, rest: BTreeMap::from([(4, Value::Null)]) })));
    add(to_vec(&Optional { a: None, b: vec![0.5, 1e30], c: -1 }));
    add(to_vec(&Internal::A { x: 1, f: 0.1 }));
    add(to_vec(&Internal::B(value())));
    add(to_vec(&Internal::C));
    add(to_vec(&Adjacent::A(1, "a".into())));
    add(to_vec(&Adjacent::B { x: Some(-1) }));
    add(to_vec(&Adjacent::C));
    add(to_vec(&Untagged::Pair(1, Box::new(Untagged::Map { x: vec![Untagged::Number(1)] }))));
    add(to_vec(&Flat { a: 1, inner: Inner { x: Some(1.5), y: "y".into() }, rest: value() }));
    add(to_vec(&Recursive { n: None, v: vec![Recursive { n: None, v: vec![] }] }));
    add(to_vec(&[Ok::<u8, &str>(1), Err("no")]));
    add(to_vec(&vec![IpAddr::from([127, 0, 0, 1]), IpAddr::from([1_u16; 8])]));
    add(to_vec(&Duration::new(1, 2)));
    add(to_vec(&Tagged { tag: 9, value: vec![Tagged { tag: 300, value: 1_u8 }] }));
    add(to_vec(&Required::<_, 6>(vec![Accepted::<u8, 7>(1)])));
    add(to_vec(&vec![Link::new(link)]));
    add(to_vec(&vec![(F16::MAX, BF16::MAX, F8E4M3FN::MAX, F8E5M2::MAX)]));
    seeds
}
