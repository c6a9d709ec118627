//! Arbitrary values through every profile that can carry them.

use calibor::{Deserializer, Profile, RawValue, Value, from_value, to_value};
use proptest::prelude::*;

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i8>().prop_map(Value::from),
        (any::<i128>(), 0..128_u32).prop_map(|(n, shift)| Value::Integer(n >> shift)),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes),
        ".{0,12}".prop_map(Value::Text),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        any::<u8>().prop_filter("exists", |n| !(20..=31).contains(n)).prop_map(Value::Simple),
        Just(Value::UNDEFINED),
        any::<u64>().prop_map(|bits| Value::Float(f64::from_bits(bits))),
        any::<u32>().prop_map(|bits| Value::from(f32::from_bits(bits))),
        any::<i16>().prop_map(|n| Value::Float(f64::from(n) / 8.0)),
        proptest::collection::vec(any::<u8>(), 0..20)
            .prop_map(|b| Value::Tag(2, Box::new(Value::Bytes(b)))),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..8).prop_map(Value::Map),
            (4..u64::MAX, inner).prop_map(|(tag, content)| Value::Tag(tag, Box::new(content))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back_in_every_profile(value in value()) {
        for p in Profile::ALL {
            let direct = value.encode(p);
            let serde = p.encode(&value);
            // Two ways of writing say the same, whatever the value.
            prop_assert_eq!(direct.as_ref().ok(), serde.as_ref().ok(), "{} {} {:?} {:?}", p, &value, &direct, &serde);
            let Ok(bytes) = serde else { continue };
            prop_assert!(p.check(&bytes).is_ok(), "{} {}", p, &value);
            let back: Value = p.decode(&bytes).unwrap();
            let read: Value = p.decode_from(&bytes[..]).unwrap();
            prop_assert_eq!(&back, &read);
            // What comes back is the value, or what the profile makes of it, and that stays as it is.
            if p == Profile::CORE || p == Profile::VALID || p == Profile::PREFERRED || p == Profile::WELL_FORMED {
                prop_assert_eq!(&back, &value, "{}", p);
            }
            prop_assert_eq!(p.encode(&back).unwrap(), bytes.clone());
            prop_assert_eq!(p.canonicalize(&bytes).unwrap_or(bytes.clone()), bytes);
        }
    }

    #[test]
    fn equality_is_that_of_bytes(a in value(), b in value()) {
        let (x, y) = (a.encode(Profile::CORE), b.encode(Profile::CORE));
        if let (Ok(x), Ok(y)) = (x, y) {
            prop_assert_eq!(a.cmp(&b), x.cmp(&y), "{} and {}", a, b);
            prop_assert_eq!(b.cmp(&a), y.cmp(&x));
        }
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse(), "{} and {}", a, b);
        prop_assert_eq!(&a, &a.clone());
    }

    #[test]
    fn order_is_transitive(mut values in proptest::collection::vec(leaf(), 0..12)) {
        values.sort();
        for (i, a) in values.iter().enumerate() {
            for b in &values[i..] {
                prop_assert!(a <= b);
            }
        }
    }

    #[test]
    fn through_serde_and_raw_bytes(value in value()) {
        if let Ok(bytes) = Profile::VALID.encode(&value) {
            prop_assert_eq!(&to_value(&value).unwrap(), &value);
            prop_assert_eq!(&from_value::<Value>(&value).unwrap(), &value);
            let raw: Vec<RawValue<'_>> = Profile::VALID.decode(&[&[0x81], &bytes[..]].concat()).map(|v: Vec<RawValue<'_>>| v.into_iter().map(RawValue::into_owned).collect()).unwrap();
            prop_assert_eq!(raw[0].as_bytes(), &bytes[..]);
            prop_assert_eq!(&raw[0].decode::<Value>().unwrap(), &value);
        }
    }

    #[test]
    fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let loose = Profile::WELL_FORMED;
        let items = Deserializer::from_slice(&bytes).profile(loose).into_iter::<Value>().count();
        let read = Deserializer::from_reader(&bytes[..]).profile(loose).into_iter::<Value>().count();
        prop_assert_eq!(items, read);
        prop_assert!(items <= bytes.len());
    }
}

#[cfg(feature = "arbitrary")]
#[test]
fn arbitrary_values_are_valid() {
    use arbitrary::{Arbitrary, Unstructured};
    use proptest::strategy::ValueTree;

    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut deepest, mut maps) = (0, 0);
    for _ in 0..2000 {
        let seed =
            proptest::collection::vec(any::<u8>(), 0..600).new_tree(&mut runner).unwrap().current();
        let value = Value::arbitrary(&mut Unstructured::new(&seed)).unwrap();
        let bytes = value.encode(Profile::VALID).unwrap_or_else(|e| panic!("{value}: {e}"));
        assert_eq!(Profile::VALID.decode::<Value>(&bytes).unwrap(), value);
        let mut limit = 0;
        while Profile::VALID.max_depth(limit).check(&bytes).is_err() {
            limit += 1;
        }
        deepest = deepest.max(limit);
        maps += usize::from(value.as_map().is_some_and(|m| m.len() > 1));
    }
    assert!((4..=9).contains(&deepest), "{deepest} levels");
    assert!(maps > 20, "{maps} maps");
}
