//! `typed-arrays.json`, and the rows of `tags.json` for tags 40, 41, 64 to 87 and 1040, read and written.

use std::fmt::Debug;

use calibor::array::{
    Binary128, ByteOrder, Clamped, Element, Homogeneous, MultiDim, Packed, TypedArray,
};
use calibor::float::F16;
use calibor::{Error, Profile};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::support::{Mismatches, bytes, hex, rows, text, to_hex};

/// Reads a row as this element, compares the elements, and writes it by every way there is.
fn hold<T: Element>(row: &Json, value: impl Fn(&Json) -> T, out: &mut Mismatches) {
    let wire = bytes(row, "hex");
    let order = match text(row, "endian") {
        "big" => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    let wanted: Vec<T> = row["values"].as_array().unwrap().iter().map(value).collect();
    let array: TypedArray<'_, T> = match calibor::from_slice(&wire) {
        Ok(array) => array,
        Err(error) => return out.expect(false, || format!("{row}: {error}")),
    };
    let label = text(row, "hex");
    out.equal(label, &array.elements().to_vec(), &wanted);
    out.equal(label, &array.elements().to_cow().into_owned(), &wanted);
    out.equal(label, &array.elements().iter().rev().collect(), &{
        let mut backwards = wanted.clone();
        backwards.reverse();
        backwards
    });
    out.equal(label, &Some(array.tag()), &row["tag"].as_u64());
    out.equal(label, &(T::SIZE as u64), &row["bytes_per_element"].as_u64().unwrap());
    out.equal(label, &to_hex(&calibor::to_vec(&array).unwrap()), &to_hex(&wire));
    let made = TypedArray::from_elements(&wanted, order);
    out.equal(label, &to_hex(&calibor::to_vec(&made).unwrap()), &to_hex(&wire));
    let read: TypedArray<'_, T> = Profile::CORE
        .decode_from(&wire[..])
        .map_or_else(|error: Error| panic!("{label}: {error}"), |read: Owned<T>| read.0);
    out.equal(label, &read.elements().to_vec(), &wanted);
}

/// What a reader can give.
struct Owned<T: Element>(TypedArray<'static, T>);

impl<'de, T: Element> Deserialize<'de> for Owned<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TypedArray::deserialize(deserializer).map(|array| Owned(array.into_owned()))
    }
}

#[test]
fn typed_arrays() {
    let mut out = Mismatches::of("typed-arrays.json");
    for row in rows("tags/typed-arrays") {
        let int = |v: &Json| v.as_i64().map_or_else(|| v.as_u64().unwrap().into(), i128::from);
        match text(&row, "element") {
            "u8" => hold(&row, |v| u8::try_from(int(v)).unwrap(), &mut out),
            "u16" => hold(&row, |v| u16::try_from(int(v)).unwrap(), &mut out),
            "u32" => hold(&row, |v| u32::try_from(int(v)).unwrap(), &mut out),
            "u64" => hold(&row, |v| u64::try_from(int(v)).unwrap(), &mut out),
            "i8" => hold(&row, |v| i8::try_from(int(v)).unwrap(), &mut out),
            "i16" => hold(&row, |v| i16::try_from(int(v)).unwrap(), &mut out),
            "i32" => hold(&row, |v| i32::try_from(int(v)).unwrap(), &mut out),
            "i64" => hold(&row, |v| i64::try_from(int(v)).unwrap(), &mut out),
            "f16" => hold(&row, |v| F16::from_f64(v.as_f64().unwrap()), &mut out),
            "f32" => hold(&row, |v| v.to_string().parse::<f32>().unwrap(), &mut out),
            "f64" => hold(&row, |v| v.as_f64().unwrap(), &mut out),
            "f128" => hold(&row, |v| binary128(v.as_f64().unwrap()), &mut out),
            other => out.expect(false, || format!("no element {other}")),
        }
    }
    out.finish();
}

/// The binary128 of a normal binary64.
fn binary128(value: f64) -> Binary128 {
    let bits = u128::from(value.to_bits());
    let exponent = ((bits >> 52) & 0x7ff) + 16383 - 1023;
    let wide = (bits >> 63 << 127) | (exponent << 112) | ((bits & ((1 << 52) - 1)) << 60);
    Binary128(wide.to_be_bytes())
}

/// Tags without a row: each with the two elements 1 and 2, both ways, and in the other order of bytes.
#[test]
fn every_tag_from_64_to_87() {
    fn hold<T: Element>(one: T, two: T, big: &str, little: &str) {
        for (order, wire) in [(ByteOrder::Big, big), (ByteOrder::Little, little)] {
            let made = TypedArray::from_elements(&[one, two], order).into_owned();
            assert_eq!(to_hex(&calibor::to_vec(&made).unwrap()), wire, "{}", T::NAME);
            let wire = hex(wire);
            let read: TypedArray<'_, T> = calibor::from_slice(&wire).unwrap();
            assert_eq!(read, made);
            assert_eq!(read.elements().get(1), Some(two));
            assert_eq!(read.elements().get(2), None);
            assert_eq!(read.elements().get(usize::MAX), None);
            let valid = Profile::VALID.tag_validity();
            assert!(valid.check(&wire).is_ok());
            // At every alignment.
            for shift in 0..8 {
                let mut moved = vec![0; shift];
                moved.extend(&wire);
                let read: TypedArray<'_, T> = calibor::from_slice(&moved[shift..]).unwrap();
                assert_eq!(read.into_cow(), [one, two].as_slice());
            }
        }
    }
    hold(1_u8, 2, "d840420102", "d840420102");
    hold(Clamped(1), Clamped(2), "d844420102", "d844420102");
    hold(1_u16, 2, "d8414400010002", "d8454401000200");
    hold(1_u32, 2, "d842480000000100000002", "d846480100000002000000");
    hold(
        1_u64,
        2,
        "d8435000000000000000010000000000000002",
        "d8475001000000000000000200000000000000",
    );
    hold(1_i8, 2, "d848420102", "d848420102");
    hold(1_i16, 2, "d8494400010002", "d84d4401000200");
    hold(1_i32, 2, "d84a480000000100000002", "d84e480100000002000000");
    hold(
        1_i64,
        2,
        "d84b5000000000000000010000000000000002",
        "d84f5001000000000000000200000000000000",
    );
    hold(F16::from_f32(1.0), F16::from_f32(2.0), "d850443c004000", "d85444003c0040");
    hold(1.0_f32, 2.0, "d851483f80000040000000", "d855480000803f00000040");
    hold(
        1.0_f64,
        2.0,
        "d852503ff00000000000004000000000000000",
        "d85650000000000000f03f0000000000000040",
    );
    hold(
        binary128(1.0),
        binary128(2.0),
        "d85358203fff000000000000000000000000000040000000000000000000000000000000",
        "d85758200000000000000000000000000000ff3f00000000000000000000000000000040",
    );
}

/// Tag 76 is reserved, 88 to 95 are free, and another element's tag is another array.
#[test]
fn tags_of_something_else_are_named() {
    fn refused<T: Element + Debug>(wire: &str) -> String {
        let wire = hex(wire);
        let error = calibor::from_slice::<TypedArray<'_, T>>(&wire).unwrap_err();
        assert_eq!(error.offset(), Some(0), "{error}");
        error.to_string()
    }
    let wanted = "where 80 or 84 is wanted, an array of f16, at byte 0";
    assert_eq!(
        refused::<F16>("d84c4400000000"),
        format!("tag 76 is reserved and must not be used (RFC 8746 §2.1), {wanted}")
    );
    assert_eq!(refused::<F16>("d8584400000000"), format!("tag 88 is no typed array, {wanted}"));
    assert_eq!(refused::<F16>("d8454400000000"), format!("tag 69 is an array of u16, {wanted}"));
    assert_eq!(
        refused::<i8>("d84c4400000000"),
        "tag 76 is reserved and must not be used (RFC 8746 §2.1), where 72 is wanted, an array of i8, at byte 0"
    );
    assert_eq!(
        refused::<u8>("d84440"),
        "tag 68 is an array of clamped u8, where 64 is wanted, an array of u8, at byte 0"
    );
    assert_eq!(
        refused::<f32>("d85543000000"),
        "tag 85: 3 bytes are no whole number of f32, which has 4, at byte 0"
    );
    assert!(refused::<u8>("4100").contains("expected a typed array of u8"));
}

/// Rows of `tags.json` by what reads them.
#[test]
fn rows_of_tags() {
    let mut out = Mismatches::of("tags.json");
    for row in rows("tags/tags") {
        let wire = bytes(&row, "hex");
        let accept = row["accept"].as_bool().unwrap();
        let label = text(&row, "diag");
        match wire[..] {
            [0xd8, 64, ..] => same::<TypedArray<'_, u8>>(&wire, accept, label, &mut out),
            [0xd8, 65, ..] => same::<TypedArray<'_, u16>>(&wire, accept, label, &mut out),
            [0xd8, 80, ..] => same::<TypedArray<'_, F16>>(&wire, accept, label, &mut out),
            // Chunks are joined on reading.
            [0xd8, 81, ..] => {
                let read: TypedArray<'_, f32> = Profile::VALID.decode(&wire).unwrap();
                out.equal(label, &read.elements().to_vec(), &vec![1.0]);
            }
            [0xd8, 40, .., 0xf5, 0xf4] => {
                same::<MultiDim<Homogeneous<bool>>>(&wire, accept, label, &mut out);
            }
            [0xd8, 40, ..] | [0xd9, 4, 16, ..] => {
                same::<MultiDim<Vec<u16>>>(&wire, accept, label, &mut out);
            }
            [0xd8, 41, 0x82, 0xf5, ..] => {
                same::<Homogeneous<bool>>(&wire, accept, label, &mut out);
            }
            [0xd8, 41, 0x82, 0x82, ..] => {
                same::<Homogeneous<(bool, i8)>>(&wire, accept, label, &mut out);
            }
            [0xd8, 41, ..] => {
                same::<Homogeneous<calibor::Value>>(&wire, accept, label, &mut out);
            }
            _ => {}
        }
    }
    out.finish();
}

/// Read as `T`, and written as it was read, if the row is to be taken.
fn same<'de, T: Serialize + Deserialize<'de>>(
    wire: &'de [u8],
    accept: bool,
    label: &str,
    out: &mut Mismatches,
) {
    match calibor::from_slice::<T>(wire) {
        Ok(value) if accept => {
            out.equal(label, &to_hex(&calibor::to_vec(&value).unwrap()), &to_hex(wire));
        }
        Ok(_) => out.expect(false, || format!("{label} was read")),
        Err(error) => {
            out.expect(!accept, || format!("{label}: {error}"));
            out.expect(error.offset().is_some(), || format!("{label}: no offset in {error}"));
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Fields {
    #[serde(with = "calibor::array::le")]
    a: Vec<F16>,
    #[serde(with = "calibor::array::be")]
    b: Box<[u32]>,
    #[serde(with = "calibor::array::le")]
    c: [f32; 2],
    d: Packed<i16>,
}

#[test]
fn fields_are_written_in_their_order_and_read_in_any() {
    let fields = Fields {
        a: [1.0, -2.5].map(F16::from_f32).to_vec(),
        b: [1, 256].into(),
        c: [0.5, f32::from_bits(0x7f80_0001)],
        d: Packed(vec![-1]),
    };
    let wire = "a46161d85444003c00c16162d84248000000010000010061\
                63d855480000003f0100807f6164d84d42ffff";
    let wire = hex(wire);
    assert_eq!(to_hex(&calibor::to_vec(&fields).unwrap()), to_hex(&wire));
    let read: Fields = calibor::from_slice(&wire).unwrap();
    assert_eq!((&read.a, &read.b, &read.d), (&fields.a, &fields.b, &fields.d));
    assert_eq!(read.c.map(f32::to_bits), fields.c.map(f32::to_bits));

    // The other order of bytes, tag 41, plain arrays of mixed numbers, chunks.
    let other = "a46161d850443c00c1006162d829820119010061638 201f97e006164d849\
                 42ffff"
        .replace(' ', "");
    let read: Fields = calibor::from_slice(&hex(&other)).unwrap();
    assert_eq!((&read.a, &read.b, &read.d), (&fields.a, &fields.b, &fields.d));
    assert_eq!(read.c.map(f32::to_bits), [1.0_f32.to_bits(), 0x7fc0_0000]);
}

/// One rounding each, straight from the item: through binary32 the second would be 1.
#[test]
fn plain_arrays_are_rounded_once() {
    // [1, 1.0004882812500002 (f64), 65519.99999999999 (f64), bignum 2^64, 4([-1, 1])]
    let wire = hex("8501fb3ff0020000000001fb40effdffffffffffc249010000000000000000c4822001");
    let Packed(read): Packed<F16> = calibor::from_slice(&wire).unwrap();
    let bits: Vec<u16> = read.into_iter().map(F16::to_bits).collect();
    assert_eq!(bits, [0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x2e66]);

    let wire = hex("831901001a01000001f97c01");
    let Packed(read): Packed<f32> = calibor::from_slice(&wire).unwrap();
    let bits: Vec<u32> = read.into_iter().map(f32::to_bits).collect();
    assert_eq!(bits, [256.0_f32.to_bits(), 16777216.0_f32.to_bits(), 0x7f80_2000]);
}

#[test]
fn fields_of_another_kind_are_refused_with_their_place() {
    let refuse = |wire: &str| {
        let wire = hex(wire);
        let error = calibor::from_slice::<(u8, Packed<F16>)>(&wire).unwrap_err();
        (error.offset(), error.to_string())
    };
    for (wire, at, words) in [
        ("8200d8554400000000", 2, "tag 85 is an array of f32, where 80 or 84 is wanted"),
        ("8200d85443000000", 2, "tag 84: 3 bytes are no whole number of f16, which has 2"),
        ("820044003c003c", 2, "expected an array of f16, typed or plain"),
        ("8200d82944003c003c", 4, "expected an array of f16, typed or plain"),
        ("820082016161", 4, "expected a number for f16"),
        ("8200d8548101", 4, "expected a byte string of elements"),
    ] {
        let (offset, said) = refuse(wire);
        assert!(said.contains(words), "{said}");
        assert_eq!(offset, Some(at), "{said}");
    }
    for wire in ["a16163d8554400000000", "a161638100", "a16163d8298100"] {
        let error = calibor::from_slice::<Wants>(&hex(wire)).unwrap_err();
        assert!(error.to_string().starts_with("array of 1 where 2 are expected"), "{error}");
        // The content of tag 41 is the array.
        let at = if wire.contains("d829") { 5 } else { 3 };
        assert_eq!(error.offset(), Some(at), "{wire}: {error}");
    }
}

#[derive(Debug, Deserialize)]
struct Wants {
    #[serde(with = "calibor::array::le")]
    #[allow(dead_code)]
    c: [f32; 2],
}
