//! Values out of random bytes, for fuzzing and property tests.

use super::Value;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use arbitrary::{Arbitrary, Result, Unstructured};

/// How deep an arbitrary value nests.
const DEPTH: u32 = 8;

/// A valid item of any kind, at most eight levels deep: the keys of a map differ (as RFC 8949 §5.6.1 has it, so that
/// 0.0 and -0.0 are one), text is UTF-8, simple values exist, and tags 2 and 3 hold byte strings.
///
/// ```
/// use arbitrary::{Arbitrary, Unstructured};
/// use calibor::{Profile, Value};
///
/// let value = Value::arbitrary(&mut Unstructured::new(&[6, 3, 1, 0, 0, 4, 1, 5, 9, 2, 6, 5, 3, 5]))?;
/// let bytes = calibor::to_vec(&value).unwrap();
/// assert_eq!(calibor::from_slice::<Value>(&bytes).unwrap(), value);
/// # Ok::<(), arbitrary::Error>(())
/// ```
impl<'a> Arbitrary<'a> for Value {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        value(u, DEPTH)
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        (0, None)
    }
}

fn value(u: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    match u.int_in_range(0..=if depth == 0 { 7 } else { 10 })? {
        8 => {
            let mut items = Vec::new();
            while u.ratio(3, 4)? && !u.is_empty() {
                items.push(value(u, depth - 1)?);
            }
            Ok(Value::Array(items))
        }
        9 => map(u, depth - 1),
        10 => match u.arbitrary()? {
            number @ (2 | 3) => Ok(Value::Tag(number, Box::new(Value::Bytes(u.arbitrary()?)))),
            number => Ok(Value::Tag(number, Box::new(value(u, depth - 1)?))),
        },
        leaf => scalar(u, leaf),
    }
}

fn scalar(u: &mut Unstructured<'_>, kind: u32) -> Result<Value> {
    Ok(match kind {
        0 => Value::Integer(u.arbitrary::<i8>()?.into()),
        1 => Value::Integer(u.arbitrary::<i128>()? >> u.int_in_range(0..=127)?),
        2 => Value::Bytes(u.arbitrary()?),
        3 => Value::Text(u.arbitrary::<String>()?),
        4 => Value::Bool(u.arbitrary()?),
        5 => Value::Null,
        6 => match u.arbitrary()? {
            20..=22 | 24..=31 => Value::UNDEFINED,
            value => Value::Simple(value),
        },
        _ => match u.int_in_range(0..=2)? {
            0 => Value::from(f32::from_bits(u.arbitrary()?)),
            1 => Value::Float(u.arbitrary::<i16>()?.into()),
            _ => Value::Float(f64::from_bits(u.arbitrary()?)),
        },
    })
}

fn map(u: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    let mut keys = BTreeSet::new();
    let mut entries = Vec::new();
    while u.ratio(3, 4)? && !u.is_empty() {
        let mut key = value(u, depth.min(2))?;
        without_negative_zeros(&mut key);
        let value = value(u, depth)?;
        if keys.insert(key.clone()) {
            entries.push((key, value));
        }
    }
    Ok(Value::Map(entries))
}

fn without_negative_zeros(key: &mut Value) {
    match key {
        Value::Float(float) if float.to_bits() << 1 == 0 => *float = 0.0,
        Value::Array(items) => items.iter_mut().for_each(without_negative_zeros),
        Value::Map(entries) => {
            for (key, value) in entries {
                without_negative_zeros(key);
                without_negative_zeros(value);
            }
        }
        Value::Tag(_, content) => without_negative_zeros(content),
        _ => {}
    }
}
