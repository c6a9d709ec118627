//! What a caller can set, and that it is off unless set.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use calibor::{Category, Deserializer, Profile, Rule, Serializer, Value, cbor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::{hex, to_hex};

fn write(human: bool, value: &(impl Serialize + ?Sized)) -> calibor::Result<Vec<u8>> {
    let mut serializer = Serializer::new().human_readable(human);
    value.serialize(&mut serializer)?;
    serializer.finish()
}

fn read<T: DeserializeOwned>(human: bool, bytes: &[u8]) -> calibor::Result<T> {
    let mut deserializer = Deserializer::from_slice(bytes).human_readable(human);
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Plain {
    ip: IpAddr,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Host { ip: IpAddr },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Host { ip: IpAddr, at: SocketAddr },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    id: u8,
    #[serde(flatten)]
    inner: Plain,
}

/// c47: serde's buffers take every format for one that people read.
#[test]
fn addresses_as_text_or_as_bytes() {
    let ip = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let at: SocketAddr = "[::1]:80".parse().unwrap();
    macro_rules! both_ways {
        ($( $value:expr, $ty:ty; )*) => { $(
            let value: $ty = $value;
            let text = write(true, &value).unwrap();
            assert_eq!(read::<$ty>(true, &text).unwrap(), value);
            assert!(text.windows(9).any(|w| w == b"127.0.0.1"), "{}", to_hex(&text));
            // Without it, what is buffered on reading is an error that says so, never another address.
            let bytes = write(false, &value).unwrap();
            assert!(!bytes.windows(9).any(|w| w == b"127.0.0.1"));
            match read::<$ty>(false, &bytes) {
                Ok(back) => assert_eq!(back, value),
                Err(error) => assert_eq!(error.category(), Category::Data, "{error}"),
            }
        )* };
    }
    both_ways! {
        Untagged::Host { ip }, Untagged;
        Internal::Host { ip, at }, Internal;
        Outer { id: 1, inner: Plain { ip } }, Outer;
        Plain { ip }, Plain;
    }
    assert_eq!(to_hex(&write(false, &Plain { ip }).unwrap()), "a1626970a162563484187f000001");
    assert_eq!(to_hex(&write(true, &Plain { ip }).unwrap()), "a1626970693132372e302e302e31");
    assert!(read::<Plain>(true, &write(false, &Plain { ip }).unwrap()).is_err());
    assert!(read::<Plain>(false, &write(true, &Plain { ip }).unwrap()).is_err());
}

#[test]
fn not_human_readable_unless_set() {
    struct Asks;
    impl Serialize for Asks {
        fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            let human = s.is_human_readable();
            s.serialize_bool(human)
        }
    }
    #[derive(Debug, PartialEq)]
    struct Asked(bool);
    impl<'de> Deserialize<'de> for Asked {
        fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            let human = d.is_human_readable();
            serde::de::IgnoredAny::deserialize(d).map(|_| Asked(human))
        }
    }
    assert_eq!(calibor::to_vec(&(Asks, [Asks])).unwrap(), hex("82f481f4"));
    assert_eq!(write(true, &(Asks, [Some(Asks)])).unwrap(), hex("82f581f5"));
    assert_eq!(
        calibor::from_slice::<(Asked, [Asked; 1])>(&hex("820181 02".replace(' ', "").as_str()))
            .unwrap(),
        (Asked(false), [Asked(false)])
    );
    assert_eq!(
        read::<(Asked, Option<Asked>)>(true, &hex("820102")).unwrap(),
        (Asked(true), Some(Asked(true)))
    );
    let map: std::collections::BTreeMap<u8, Asked> = read(true, &hex("a10102")).unwrap();
    assert_eq!(map[&1], Asked(true));
}

#[test]
fn depth_is_what_was_set() {
    let nested = |levels: usize| [vec![0x81; levels], vec![0x80]].concat();
    let value = |levels: usize| (0..levels).fold(cbor!([]), |inner, _| cbor!([inner]));
    for limit in [1_u32, 4, 128, 200] {
        let levels = limit as usize;
        let p = Profile::CORE.max_depth(limit);
        assert!(p.decode::<Value>(&nested(levels - 1)).is_ok(), "{limit}");
        assert!(p.encode(&value(levels - 1)).is_ok(), "{limit}");
        let error = p.decode::<Value>(&nested(levels)).unwrap_err();
        assert_eq!(
            (error.rule(), error.offset()),
            (Some(Rule::TooDeep), Some(levels as u64)),
            "{limit}: {error}"
        );
        assert_eq!(p.encode(&value(levels)).unwrap_err().rule(), Some(Rule::TooDeep));
        assert_eq!(p.check(&nested(levels)).unwrap_err().rule(), Some(Rule::TooDeep));
        let bytes = nested(levels);
        let mut set = Deserializer::from_slice(&bytes).max_depth(limit + 1);
        assert!(Value::deserialize(&mut set).is_ok());
        let mut set = Serializer::new().max_depth(limit);
        assert!(value(levels).serialize(&mut set).is_err());
        assert!(set.finish().is_err());
        let mut set = Serializer::new().max_depth(limit + 1);
        value(levels).serialize(&mut set).unwrap();
        assert_eq!(set.finish().unwrap(), bytes);
    }
    // The profile brings its own limit, and what is set after it holds.
    let bytes = nested(4);
    assert!(
        Value::deserialize(&mut Deserializer::from_slice(&bytes).profile(Profile::CTAP2)).is_err()
    );
    assert!(
        Value::deserialize(
            &mut Deserializer::from_slice(&bytes).profile(Profile::CTAP2).max_depth(5)
        )
        .is_ok()
    );
}

#[test]
fn rounding_is_refused_where_asked() {
    fn exact<T: DeserializeOwned>(item: &str) -> calibor::Result<T> {
        let bytes = hex(item);
        T::deserialize(
            &mut Deserializer::from_slice(&bytes).profile(Profile::VALID).exact_floats(true),
        )
    }
    for item in [
        "fb3ff199999999999a",
        "1a01000001",
        "3a01000000",
        "c482200b",
        "fb7e37e43c8800759c",
        "fb0000000000000001",
    ] {
        assert!(Profile::VALID.decode::<f32>(&hex(item)).is_ok(), "{item}");
        let error = exact::<f32>(item).unwrap_err();
        assert_eq!(
            (error.category(), error.offset()),
            (Category::Data, Some(0)),
            "{item}: {error}"
        );
    }
    for (item, value) in [
        ("f93c00", 1.0),
        ("fb3ff8000000000000", 1.5),
        ("1a01000002", 16_777_218.0),
        ("c48220190 5dc".replace(' ', "").as_str(), 150.0),
        ("f97c00", f32::INFINITY),
    ] {
        assert_eq!(exact::<f32>(item).unwrap(), value, "{item}");
    }
    // A double is never rounded to, whatever is set.
    for item in ["1b0020000000000001", "c482200b", "c24a010000000000000000ff"] {
        assert!(Profile::VALID.decode::<f64>(&hex(item)).is_err(), "{item}");
    }
    assert_eq!(exact::<f32>("fa7f800001").unwrap().to_bits(), 0x7f800001);
}
