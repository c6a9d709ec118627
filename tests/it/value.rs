//! `Value`: any item without loss, at any depth, as a key, and written as it looks.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use calibor::{Category, Profile, Rule, Tagged, Value, cbor, from_value, to_value, to_vec};
use serde::{Deserialize, Serialize};

use crate::support::{Mismatches, NAMES, bytes, hex, profile, rows, said, text, to_hex};

/// Every row of the tables that is one well-formed item.
fn well_formed() -> Vec<Vec<u8>> {
    let mut items = Vec::new();
    for table in [
        "appendix_a",
        "wellformed_seeds",
        "wg_rfc8949_good",
        "ctap2_canonical",
        "dagcbor_fixtures",
        "dagcbor_negative",
        "dcbor_valid_hildjj",
        "cbor_core_rundgren",
        "profiles/matrix",
        "tags/tags",
    ] {
        let Some(rows) = rows_if_any(table) else { continue };
        for row in rows {
            let field =
                ["hex", "cbor", "input", "encoded"].into_iter().find(|f| row[*f].is_string());
            let Some(field) = field else { continue };
            let digits = text(&row, field);
            if digits.len() % 2 == 0 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                items.push(bytes(&row, field));
            }
        }
    }
    items.retain(|item| Profile::WELL_FORMED.check(item).is_ok());
    items.sort();
    items.dedup();
    items
}

fn rows_if_any(table: &str) -> Option<Vec<serde_json::Value>> {
    let file = crate::support::path("vectors").join(table).with_extension("json");
    let rows: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    rows.is_array().then(|| crate::support::rows(table))
}

#[test]
fn every_item_without_loss() {
    let items = well_formed();
    assert!(items.len() > 1000, "{} items", items.len());
    let mut out = Mismatches::of("items through Value");
    for item in &items {
        let label = to_hex(&item[..item.len().min(40)]);
        let loose = Profile::WELL_FORMED;
        let value: Value = match loose.decode(item) {
            Ok(value) => value,
            Err(e) => {
                out.expect(e.rule() == Some(Rule::TooDeep), || format!("{label}: {e}"));
                continue;
            }
        };
        // Written and read again it is the same, and by two ways of writing.
        let plain = loose.encode(&value).unwrap();
        out.expect(value.encode(loose).is_ok_and(|v| v == plain), || {
            format!("{label}: two encodings")
        });
        let again: Value = loose.decode(&plain).unwrap();
        out.expect(again == value, || format!("{label}: {value} became {again}"));
        // In a profile that has one form for it, it is the form that the bytes have there.
        for p in [Profile::VALID, Profile::PREFERRED, Profile::CORE, Profile::DCBOR, Profile::CTAP2]
        {
            let (canonical, written) = (p.canonicalize(item), p.encode(&value));
            if p == Profile::DCBOR && (cfg!(not(feature = "nfc")) || canonical.is_err()) {
                continue;
            }
            if p != Profile::VALID && p != Profile::PREFERRED {
                out.expect(canonical.is_ok() == written.is_ok(), || {
                    format!("{p} {label}: {} and {}", said(&canonical), said(&written))
                });
            }
            if let (Ok(canonical), Ok(written)) = (&canonical, &written) {
                // CTAP2 keeps the width of a float, which a value does not know.
                if p == Profile::CORE || p == Profile::DCBOR {
                    out.expect(canonical == written, || {
                        format!("{p} {label}: {} and {}", to_hex(canonical), to_hex(written))
                    });
                }
                let direct = value.encode(p);
                out.expect(direct.as_ref().ok() == Some(written), || {
                    format!("{p} {label}: Value::encode says {}", said(&direct))
                });
            }
        }
    }
    out.finish();
}

#[test]
fn what_other_values_lose() {
    // c24: NaN bits; c82: simple values; and what six of ten decoders turn into null.
    for item in [
        "f97c01",
        "f97d00",
        "fa7f800001",
        "fb7ff0000000000001",
        "f9fe00",
        "fbfff0000000000001",
        "f0",
        "f8ff",
        "f820",
        "f7",
        "e0",
        "f3",
        "f4",
        "f5",
        "f6",
        "3bffffffffffffffff",
        "1bffffffffffffffff",
        "c249010000000000000000",
        "c349010000000000000000",
        "f98000",
        "fa7f7fffff",
        "d9d9f7f7",
        "dbffffffffffffffff80",
        "a1a0a0",
        "a180c100",
    ] {
        let bytes = hex(item);
        let value: Value = Profile::CORE.decode(&bytes).unwrap();
        assert_eq!(to_hex(&to_vec(&value).unwrap()), item, "{value}");
        assert_eq!(to_hex(&value.encode(Profile::CORE).unwrap()), item, "{value}");
        assert_eq!(to_value(&value).unwrap(), value);
        assert_eq!(from_value::<Value>(&value).unwrap(), value);
        Profile::CORE.decode::<serde::de::IgnoredAny>(&bytes).unwrap();
    }
    // c55: the same numbers in other bytes.
    for (item, same) in [("c240", 0), ("c340", -1), ("c35fff", -1), ("c25f41014102ff", 258)] {
        let value: Value = Profile::VALID.decode(&hex(item)).unwrap();
        assert_eq!(value.as_integer(), Some(same), "{item}");
        assert_eq!(value, Value::Integer(same), "{item}");
        assert!(Profile::CORE.decode::<Value>(&hex(item)).is_err(), "{item}");
    }
}

#[test]
fn simple_values_that_do_not_exist() {
    // c84
    for number in 0..=255 {
        let value = Value::Simple(number);
        let item = match number {
            0..=23 => Some(vec![0xe0 | number]),
            24..=31 => None,
            _ => Some(vec![0xf8, number]),
        };
        for got in [Profile::CORE.encode(&value), value.encode(Profile::CORE)] {
            assert_eq!(got.as_ref().ok(), item.as_ref(), "simple({number}): {}", said(&got));
        }
        let nested = cbor!([1, { "a" => value }]);
        assert_eq!(nested.encode(Profile::WELL_FORMED).is_ok(), item.is_some(), "simple({number})");
    }
}

#[test]
fn map_order_is_as_read() {
    let bytes = hex("a3616202616101616303");
    let value: Value = Profile::VALID.decode(&bytes).unwrap();
    let keys: Vec<_> = value.as_map().unwrap().iter().map(|(k, _)| k.as_text().unwrap()).collect();
    assert_eq!(keys, ["b", "a", "c"]);
    assert_eq!(value.to_string(), r#"{"b": 2, "a": 1, "c": 3}"#);
    assert_eq!(to_hex(&Profile::VALID.encode(&value).unwrap()), "a3616202616101616303");
    assert_eq!(to_hex(&to_vec(&value).unwrap()), "a3616101616202616303");
    assert_eq!(value, cbor!({ "a" => 1, "b" => 2, "c" => 3 }));
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn order_is_that_of_the_encodings() {
    let mut values: Vec<Value> = well_formed()
        .iter()
        .filter_map(|item| Profile::VALID.decode::<Value>(item).ok())
        .filter(|value| value.encode(Profile::CORE).is_ok_and(|bytes| bytes.len() < 200))
        .collect();
    for integer in [
        0,
        1,
        -1,
        23,
        24,
        u64::MAX.into(),
        -(1 << 64),
        (1 << 64),
        i128::MAX,
        i128::MIN,
        -(1 << 64) - 1,
    ] {
        values.push(Value::Integer(integer));
    }
    values.push(cbor!(tag(2, b"\x01")));
    values.push(cbor!(tag(3, b"\0\0")));
    let values: Vec<Value> = values.into_iter().step_by(3).take(700).collect();
    let encoded: Vec<Vec<u8>> = values.iter().map(|v| v.encode(Profile::CORE).unwrap()).collect();
    for (a, x) in values.iter().zip(&encoded) {
        for (b, y) in values.iter().zip(&encoded) {
            assert_eq!(a.cmp(b), x.cmp(y), "{a} and {b}");
            if x == y {
                assert_eq!(hash(a), hash(b), "{a} and {b}");
            }
        }
    }
}

#[test]
fn values_as_keys() {
    let one = cbor!(1);
    for (a, b, same) in [
        (cbor!(1), cbor!(1.0), false),
        (cbor!(0.0), cbor!(-0.0), false),
        (cbor!({ 1 => 2, "a" => 3 }), cbor!({ "a" => 3, 1 => 2 }), true),
        (cbor!([{ 1 => 2, "a" => 3 }]), cbor!([{ "a" => 3, 1 => 2 }]), true),
        (cbor!(tag(2, b"\x01")), cbor!(1), true),
        (cbor!([tag(3, b"\0")]), cbor!([-1]), true),
        (cbor!(tag(2, b"\0\x01\0\0\0\0\0\0\0\0")), Value::Integer(1 << 64), true),
        (cbor!(f64::NAN), cbor!(f64::NAN), true),
        (cbor!(f64::NAN), cbor!(-f64::NAN), false),
        (Value::Simple(20), cbor!(false), true),
        (Value::Simple(22), cbor!(null), true),
        (cbor!("a"), cbor!(b"a"), false),
        (cbor!([]), cbor!({}), false),
    ] {
        assert_eq!(a == b, same, "{a} and {b}");
        assert_eq!(hash(&a) == hash(&b), same, "{a} and {b}");
    }
    let mut map = HashMap::new();
    map.insert(cbor!({ "x" => 1, "y" => 2 }), 5);
    assert_eq!(map.get(&cbor!({ "y" => 2, "x" => 1 })), Some(&5));
    let set: BTreeSet<Value> = [cbor!(2), cbor!("a"), one.clone(), cbor!(-1), one].into();
    assert_eq!(set.into_iter().collect::<Vec<_>>(), [cbor!(1), cbor!(2), cbor!(-1), cbor!("a")]);
    let set: HashSet<Value> = [cbor!([1]), cbor!([1]), cbor!([2])].into();
    assert_eq!(set.len(), 2);
}

/// A million levels, of arrays, maps by value, maps by key, and tags.
fn deep(kind: usize, levels: usize) -> Value {
    let mut value = cbor!(0);
    for level in 0..levels {
        value = match if kind == 4 { level % 4 } else { kind } {
            0 => Value::Array(vec![value]),
            1 => Value::Map(vec![(cbor!(1), value)]),
            2 => Value::Map(vec![(value, cbor!(1))]),
            _ => Value::Tag(1, Box::new(value)),
        };
    }
    value
}

#[test]
fn a_million_levels_on_a_small_stack() {
    let run = || {
        for kind in 0..=4 {
            let value = deep(kind, 1_000_000);
            let copy = value.clone();
            assert!(value == copy && value.cmp(&copy).is_eq(), "kind {kind}");
            assert_eq!(hash(&value), hash(&copy));
            assert_ne!(copy, deep(kind, 999_999));
            let printed = value.to_string();
            assert!(printed.len() > 2_000_000, "kind {kind}: {} characters", printed.len());
            assert!(format!("{value:?}").len() > printed.len());
            let loose = Profile::WELL_FORMED.max_depth(u32::MAX);
            let bytes = value.encode(loose).unwrap();
            assert!(bytes.len() > 1_000_000, "kind {kind}: {} bytes", bytes.len());
            loose.check(&bytes).unwrap();
            drop(value);
            // Through serde it takes stack, so there it is refused.
            let error = to_vec(&copy).unwrap_err();
            assert_eq!(error.rule(), Some(Rule::TooDeep), "{error}");
            let error = Profile::WELL_FORMED.decode::<Value>(&bytes).unwrap_err();
            assert_eq!(error.rule(), Some(Rule::TooDeep), "{error}");
            let (_, moved) = (0, copy);
            std::mem::forget(moved.into_array().map_err(drop));
        }
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn looking_inside() {
    let value = cbor!({ "a" => [1, { "b" => null }], -1 => tag(1, "x"), b"k" => true, 2.5 => "y" });
    assert_eq!(value["a"][0], cbor!(1));
    assert_eq!(value["a"][1]["b"], cbor!(null));
    assert_eq!(value[&cbor!(-1)].as_tag(), Some((1, &cbor!("x"))));
    assert_eq!(value.get(&cbor!(b"k")).and_then(Value::as_bool), Some(true));
    assert_eq!(value.get(&cbor!(2.5)).and_then(Value::as_text), Some("y"));
    // What is not there is null, never a panic.
    assert!(value["z"]["z"][7][&cbor!(1)].is_null());
    assert!(cbor!(1)["a"].is_null() && cbor!("a")[0].is_null() && cbor!([1])["a"].is_null());
    assert_eq!(value.get(&cbor!("z")), None);
    assert_eq!(value.as_map().map(<[_]>::len), Some(4));
    assert_eq!(value["a"].as_array().map(<[_]>::len), Some(2));
    assert_eq!(cbor!(b"ab").as_bytes(), Some(&b"ab"[..]));
    assert_eq!(cbor!(1.5).as_float(), Some(1.5));
    assert_eq!(cbor!(1).as_float(), None);
    assert_eq!(cbor!("t").into_text(), Ok("t".to_owned()));
    assert_eq!(cbor!(b"t").into_bytes(), Ok(b"t".to_vec()));
    assert_eq!(cbor!([1]).into_array(), Ok(vec![cbor!(1)]));
    assert_eq!(cbor!({ 1 => 2 }).into_map(), Ok(vec![(cbor!(1), cbor!(2))]));
    assert_eq!(cbor!(1).into_text(), Err(cbor!(1)));
    assert_eq!(cbor!(1).into_map(), Err(cbor!(1)));
}

#[test]
fn conversions() {
    macro_rules! there_and_back {
        ($( $value:expr, $ty:ty; )*) => { $(
            let value = Value::from($value);
            assert_eq!(<$ty>::try_from(&value).unwrap(), $value);
        )* };
    }
    there_and_back! {
        i8::MIN, i8; i16::MIN, i16; i32::MIN, i32; i64::MIN, i64; i128::MIN, i128; u8::MAX, u8; u16::MAX, u16;
        u32::MAX, u32; u64::MAX, u64; usize::MAX, usize; true, bool; 1.5, f64; "a".to_owned(), String;
        vec![1_u8, 2], Vec<u8>;
    }
    assert_eq!(to_vec(&Value::from(u128::MAX)).unwrap(), to_vec(&u128::MAX).unwrap());
    assert_eq!(Value::from(7_u128), cbor!(7));
    assert_eq!(Value::from('x'), cbor!("x"));
    assert_eq!(Value::from(()), cbor!(null));
    assert_eq!(Value::from(None::<u8>), cbor!(null));
    assert_eq!(Value::from(Some(7)), cbor!(7));
    assert_eq!(Value::from(Tagged::new(1, 7)), cbor!(tag(1, 7)));
    assert_eq!(Value::from_iter([1, 2]), cbor!([1, 2]));
    assert_eq!([("a", 1)].into_iter().collect::<Value>(), cbor!({ "a" => 1 }));
    let quiet = f32::from_bits(0x7f800001);
    assert_eq!(to_hex(&to_vec(&Value::from(quiet)).unwrap()), "fa7f800001");
    for (value, error) in [
        (cbor!(256), u8::try_from(&cbor!(256)).unwrap_err()),
        (cbor!(-1), u64::try_from(&cbor!(-1)).map(drop).unwrap_err()),
        (cbor!("a"), bool::try_from(&cbor!("a")).map(drop).unwrap_err()),
        (cbor!(1), f64::try_from(&cbor!(1)).map(drop).unwrap_err()),
        (cbor!(b"a"), String::try_from(&cbor!(b"a")).map(drop).unwrap_err()),
    ] {
        assert_eq!(error.category(), Category::Data, "{error}");
        assert!(error.to_string().starts_with(&value.to_string()), "{error}");
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    x: f32,
    name: Option<String>,
    more: BTreeMap<i8, Vec<u64>>,
}

#[test]
fn types_to_values_and_back() {
    let point = Point { x: 0.1, name: None, more: BTreeMap::from([(-1, vec![u64::MAX])]) };
    let value = to_value(&point).unwrap();
    assert_eq!(value, cbor!({ "x" => 0.1_f32, "name" => null, "more" => { -1 => [u64::MAX] } }));
    assert_eq!(from_value::<Point>(&value).unwrap(), point);
    let error = from_value::<Point>(&cbor!({ "x" => "a" })).unwrap_err();
    assert_eq!(error.category(), Category::Data);
    assert!(to_value(&cbor!({ 1 => 2, 1 => 3 })).is_err());
    // Into other formats and out of them.
    let json = serde_json::to_string(&cbor!({ "a" => [1, -1, 1.5, null, true, "t"] })).unwrap();
    assert_eq!(json, r#"{"a":[1,-1,1.5,null,true,"t"]}"#);
    let back: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(back, cbor!({ "a" => [1, -1, 1.5, null, true, "t"] }));
}

#[test]
fn written_as_it_looks() {
    let (key, number) = ("computed", 7_i64);
    let list = vec![cbor!(1), cbor!(2)];
    let bytes: &[u8] = &[1, 2];
    let value = cbor!({
        key => number + 1,
        format!("{key}2") => -number,
        [1, [2]] => { "in" => { "in" => [] } },
        { "map" => "key" } => undefined,
        null => null,
        undefined => [null, undefined, tag(1, tag(2, b"\x01")),],
        tag(6, "t") => tag(number.unsigned_abs(), { 1 => [2] }),
        true => list.clone(),
        bytes => Some(1.5),
        b"\xff" => (1 + 2) * 3,
        'c' => if number > 3 { "big" } else { "small" },
    });
    assert_eq!(
        value.to_string(),
        r#"{"computed": 8, "computed2": -7, [1, [2]]: {"in": {"in": []}}, {"map": "key"}: undefined, null: null, undefined: [null, undefined, 1(2(h'01'))], 6("t"): 7({1: [2]}), true: [1, 2], h'0102': 1.5, h'ff': 9, "c": "big"}"#
    );
    assert_eq!(cbor!([]), Value::Array(Vec::new()));
    assert_eq!(cbor!({}), Value::Map(Vec::new()));
    assert_eq!(cbor!([[], {}, [[]]]).to_string(), "[[], {}, [[]]]");
    assert_eq!(cbor!([1, 2,]), cbor!([1, 2]));
    assert_eq!(cbor!({ 1 => 2, }), cbor!({ 1 => 2 }));
    assert_eq!(cbor!(list), cbor!([1, 2]));
    assert_eq!(cbor!(cbor!(1)), cbor!(1));
    assert_eq!(cbor!([1; 2].len()), cbor!(2));
}

#[test]
fn text_that_is_not_utf8() {
    let loose = Profile::WELL_FORMED;
    for (item, shown) in [("62c328", 2), ("8262c32801", 2), ("a162c32801", 1)] {
        let value: Value = loose.decode(&hex(item)).unwrap();
        assert_eq!(to_hex(&loose.encode(&value).unwrap()), item);
        assert_eq!(to_hex(&value.encode(loose).unwrap()), item);
        for p in [Profile::VALID, Profile::CORE] {
            assert_eq!(p.decode::<Value>(&hex(item)).unwrap_err().rule(), Some(Rule::InvalidUtf8));
            assert_eq!(p.encode(&value).unwrap_err().rule(), Some(Rule::InvalidUtf8));
            assert_eq!(value.encode(p).unwrap_err().rule(), Some(Rule::InvalidUtf8));
        }
        assert!(value.to_string().len() > shown);
    }
}

/// Whatever serde buffers comes out as the value that went in, also behind somebody's newtype.
#[test]
fn through_the_buffers_of_serde() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapper(Value);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Buffered {
        Never([[u8; 3]; 3]),
        Plain { v: Value },
        Wrapped { w: Wrapper },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    for value in [
        cbor!(tag(1, 5)),
        cbor!([1, 5]),
        cbor!(undefined),
        Value::Simple(99),
        cbor!(99),
        cbor!(tag(42, b"\0\x01")),
        cbor!(tag(2, b"\x01\0\0\0\0\0\0\0\0")),
        cbor!([tag(0, [undefined, 1])]),
        cbor!({ tag(1, 2) => tag(3, b"") }),
        cbor!({ 0 => 1, -1 => 2, u64::MAX => 3 }),
        cbor!(b"ab"),
        cbor!(null),
        cbor!([[], [null]]),
        cbor!(-0.0),
    ] {
        let plain = Buffered::Plain { v: value.clone() };
        let bytes = Profile::VALID.encode(&plain).unwrap();
        assert_eq!(Profile::VALID.decode::<Buffered>(&bytes).unwrap(), plain);
        let wrapped = Buffered::Wrapped { w: Wrapper(value.clone()) };
        let bytes = Profile::VALID.encode(&wrapped).unwrap();
        assert_eq!(Profile::VALID.decode::<Buffered>(&bytes).unwrap(), wrapped);
        let flat = Flat { rest: BTreeMap::from([("k".into(), value)]) };
        let bytes = Profile::VALID.encode(&flat).unwrap();
        assert_eq!(Profile::VALID.decode::<Flat>(&bytes).unwrap(), flat);
    }
}

#[test]
fn names_of_profiles_hold_for_values() {
    let value = cbor!({ "b" => [1, 2.5], "aa" => "x" });
    for name in NAMES {
        let p = profile(name);
        if !Profile::ALL.contains(&p) {
            continue;
        }
        let bytes = p.encode(&value).unwrap();
        assert_eq!(value.encode(p).unwrap(), bytes, "{name}");
        assert_eq!(p.decode::<Value>(&bytes).unwrap(), value, "{name}");
    }
    let _ = rows("appendix_a");
}
