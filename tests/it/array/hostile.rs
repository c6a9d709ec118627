//! Dimensions and lengths that lie cost nothing.

use calibor::Profile;
use calibor::array::{MultiDim, Tensor, TypedArray};

use crate::support::{Mismatches, hex, to_hex};

/// Each with words of the refusal and where it is.
const TENSORS: [(&str, u64, &str); 22] = [
    // 40([[2^63, 2], 64(h'')])
    ("d82882821b800000000000000002d84040", 3, "make more elements than there can be"),
    // 40([[2^32, 2^32, 1], 64(h'00')])
    (
        "d82882831b00000001000000001b000000010000000001d8404100",
        3,
        "more elements than there can be",
    ),
    // 40([[2^61], 86(h'00')]): elements there can be, bits not
    ("d82882811b2000000000000000d8564800000000000000 00", 0, "more elements than there can be"),
    ("d8288281 1b000000ffffffffffd8404100", 0, "U8 of shape [1099511627775] has"),
    ("d82882820203d8404105", 0, "tag 40: U8 of shape [2, 3] has 6 bytes, not 1"),
    ("d82882820002d84040", 3, "dimension 0 is 0"),
    ("d8288282 02 00 d84040", 3, "dimension 1 is 0"),
    ("d828828220d8404105", 4, "invalid"),
    ("d828828120d8404105", 4, "invalid"),
    ("d8288281f93c00d8404105", 4, "invalid"),
    ("d8288101", 3, "invalid"),
    ("d828838101d840410500", 2, "3"),
    ("d828828101d84c4105", 5, "tag 76 is no typed array that a tensor can have"),
    ("d828828101d8444105", 5, "tag 68 is no typed array that a tensor can have"),
    ("d828828101d85350000000000000000000000000000000 00", 5, "tag 83 is no typed array"),
    ("d82882810181f5", 5, "expected a typed array"),
    ("d82801", 2, "expected dimensions and a typed array"),
    ("d828828101d84143000000", 5, "tag 65: 3 bytes are no whole number of U16"),
    ("d90410828101d8404105", 0, "a tensor is in row-major order, tag 40"),
    ("d8404105", 0, "tag 64 is no array of several dimensions"),
    // 40([[3], 64(…4 GiB…)])
    ("d828828103d8405affffffff", 7, "string of 4294967295 bytes"),
    // 40([…2^62 dimensions…])
    ("d828829b4000000000000000", 12, "input ends"),
];

#[test]
fn tensors() {
    let mut out = Mismatches::of("hostile tensors");
    for (wire, at, words) in TENSORS {
        let wire = hex(&wire.replace(' ', ""));
        let error = calibor::from_slice::<Tensor<'_>>(&wire).unwrap_err();
        let said = error.to_string();
        out.expect(said.contains(words), || format!("{}: {said}", to_hex(&wire)));
        out.equal(format!("{}: {said}", to_hex(&wire)), &error.offset(), &Some(at));
        let info = allocation_counter::measure(|| {
            let _ = calibor::from_slice::<Tensor<'_>>(&wire);
        });
        assert!(info.bytes_max < 4096, "{}: {} bytes", to_hex(&wire), info.bytes_max);
    }
    out.finish();
}

#[test]
fn tensors_that_are_maps() {
    let data = "6464617461";
    let dtype = "656474797065";
    let shape = "657368617065";
    let bf16 = "6442463136";
    for (wire, words) in [
        (format!("a3{data}41ff{dtype}{bf16}{shape}8101"), "BF16 of shape [1] has 2 bytes, not 1"),
        (format!("a3{data}42ffff{dtype}635533 32{shape}8101"), "a tensor of U32 is tag 70"),
        (format!("a3{data}42ffff{dtype}634b3136{shape}8101"), "unknown dtype \"K16\""),
        (format!("a3{data}42ffff{dtype}00{shape}8101"), "expected the name of a dtype"),
        (format!("a3{data}820101{dtype}{bf16}{shape}8101"), "expected a byte string of elements"),
        (format!("a2{data}42ffff{dtype}{bf16}"), "missing field `shape`"),
        (format!("a2{dtype}{bf16}{shape}8101"), "missing field `data`"),
        (format!("a1{shape}8100"), "missing field `data`"),
        ("a10105".to_owned(), "expected one of `data`, `dtype`, `shape`"),
        (
            format!("a4{data}42ffff{dtype}{bf16}{shape}8101666f66667365740 0"),
            "unknown field `offset`",
        ),
        (
            format!("a3{data}42ffff{dtype}{bf16}{shape}821b80000000000000001b8000000000000000"),
            "more elements than there can be",
        ),
        (format!("a3{data}42ffff{dtype}{bf16}{shape}811b1000000000000000"), "more elements"),
    ] {
        let wire = hex(&wire.replace(' ', ""));
        let error = calibor::from_slice::<Tensor<'_>>(&wire).unwrap_err();
        assert!(error.to_string().contains(words), "{}: {error}", to_hex(&wire));
        assert!(error.offset().is_some(), "{error}");
    }
}

/// Where a profile lets keys be equal, fields may not be.
#[test]
fn tensors_with_a_field_twice() {
    for (wire, words) in [
        ("a264646174614064646174614 0", "duplicate field `data`"),
        ("a2656474797065644246313665647479706564424631 36", "duplicate field `dtype`"),
        ("a265736861706580657368617065 80", "duplicate field `shape`"),
    ] {
        let wire = hex(&wire.replace(' ', ""));
        let error = Profile::WELL_FORMED.decode::<Tensor<'_>>(&wire).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn several_dimensions() {
    for (wire, at, words) in [
        ("d82882821b800000000000000002d84040", 3, "make more elements"),
        ("d82882820003d84040", 3, "dimension 0 is 0, which tags 40 and 1040 do not have"),
        ("d82882820203d8404105", 0, "tag 40: array of 1 elements for dimensions of 6"),
        ("d8298101", 0, "tag 41 is no array of several dimensions"),
    ] {
        let wire = hex(wire);
        let error = calibor::from_slice::<MultiDim<TypedArray<'_, u8>>>(&wire).unwrap_err();
        assert!(error.to_string().contains(words), "{}: {error}", to_hex(&wire));
        assert_eq!(error.offset(), Some(at), "{error}");
    }
    // [2^40 elements announced, none there]
    let wire = hex("d828828101 9b0000010000000000".replace(' ', "").as_str());
    let info = allocation_counter::measure(|| {
        assert!(calibor::from_slice::<MultiDim<Vec<u64>>>(&wire).is_err());
    });
    assert!(info.bytes_max < 4096, "{} bytes", info.bytes_max);
}

/// What is read through a reader is held to the same rules.
#[test]
fn readers_agree() {
    for (wire, _, words) in TENSORS {
        let wire = hex(&wire.replace(' ', ""));
        let error = Profile::CORE.decode_from::<_, Still>(&wire[..]).map(drop).unwrap_err();
        assert!(error.to_string().contains(words) || error.is_eof(), "{}: {error}", to_hex(&wire));
    }
}

struct Still;

impl<'de> serde::Deserialize<'de> for Still {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Tensor::deserialize(deserializer).map(|_| Still)
    }
}
