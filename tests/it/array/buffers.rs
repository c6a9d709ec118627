//! Typed arrays and tensors on their way through serde's buffers, and in formats that have neither bytes nor tags.

use std::collections::BTreeMap;
use std::fmt::Debug;

use calibor::array::{Binary128, Homogeneous, MultiDim, Order, Packed, Tensor, TypedArray};
use calibor::float::{BF16, F16};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::support::{hex, to_hex};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Layer {
    #[serde(with = "calibor::array::le")]
    a: Vec<F16>,
    #[serde(with = "calibor::array::be")]
    b: [u8; 2],
    c: Packed<i16>,
}

fn layer() -> Layer {
    Layer { a: [1.0, -2.5].map(F16::from_f32).to_vec(), b: [7, 64], c: Packed(vec![-1, 64]) }
}

const LAYER: &str = "6161d85444003c00c16162d8404207406163d84d44ffff4000";
const PLAIN: &str = "6161820 1f9c1006162820718406163 82201840";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    layer: Layer,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Name(String),
    Layer(Layer),
    Packed(Packed<F16>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    Layer(Layer),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Adjacent {
    Layer(Layer),
}

/// Written as `wire`, and read from it and from the plain form.
fn hold<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, wire: &str, plain: &str) {
    assert_eq!(to_hex(&calibor::to_vec(value).unwrap()), wire, "{value:?}");
    for wire in [wire, &plain.replace(' ', "")] {
        let read: T = calibor::from_slice(&hex(wire)).unwrap();
        assert_eq!(&read, value, "{wire}");
        let read: T = calibor::from_reader(&hex(wire)[..]).unwrap();
        assert_eq!(&read, value, "{wire} from a reader");
    }
}

#[test]
fn fields_survive_the_buffers() {
    hold(&layer(), &format!("a3{LAYER}"), &format!("a3{PLAIN}"));
    hold(&Flat { layer: layer() }, &format!("a3{LAYER}"), &format!("a3{PLAIN}"));
    hold(&Untagged::Layer(layer()), &format!("a3{LAYER}"), &format!("a3{PLAIN}"));
    let kind = "646b696e64654c61796572";
    hold(&Internal::Layer(layer()), &format!("a4{LAYER}{kind}"), &format!("a4{PLAIN}{kind}"));
    let (key, value) = ("646b696e64", "6576616c7565");
    let adjacent = |layer: &str| format!("a2{key}654c61796572{value}a3{layer}");
    hold(&Adjacent::Layer(layer()), &adjacent(LAYER), &adjacent(PLAIN));
    // The tag stands in front: an array of its number and a byte string is none.
    let packed = Untagged::Packed(Packed(vec![F16::from_f32(1.0)]));
    hold(&packed, "d85442003c", "d8298101");
    for wire in ["82185442003c", "82185401", "d84542003c", "42003c"] {
        let read = calibor::from_slice::<Untagged>(&hex(wire));
        assert!(!matches!(&read, Ok(Untagged::Packed(Packed(a))) if a.len() == 1), "{wire}");
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened<'a> {
    #[serde(flatten, borrow)]
    rest: Rest<'a>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Rest<'a> {
    #[serde(borrow)]
    brain: Tensor<'a>,
    #[serde(borrow)]
    half: Tensor<'a>,
    #[serde(borrow)]
    array: TypedArray<'a, u32>,
    #[serde(borrow)]
    matrix: MultiDim<TypedArray<'a, f32>>,
    flags: Homogeneous<bool>,
    quad: Packed<Binary128>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either<'a> {
    #[serde(borrow)]
    Tensor(Tensor<'a>),
    #[serde(borrow)]
    Array(TypedArray<'a, u16>),
}

/// The same bytes with a buffer in between as without, and nothing is copied on the way.
#[test]
fn tensors_survive_the_buffers() {
    let signals = [BF16::from_bits(0x7f81), BF16::from_bits(0xff81)];
    let halves = [F16::from_bits(0x7c01)];
    let rest = Rest {
        brain: Tensor::from_elements([1, 2], &signals).unwrap().into_owned(),
        half: Tensor::from_elements([1], &halves).unwrap().into_owned(),
        array: TypedArray::new(vec![0, 0, 1, 0], calibor::array::ByteOrder::Big).unwrap(),
        matrix: MultiDim::new(
            Order::ColumnMajor,
            [1],
            TypedArray::new(vec![1, 0, 0x80, 0x7f], calibor::array::ByteOrder::Little).unwrap(),
        )
        .unwrap(),
        flags: Homogeneous::new(vec![true]),
        quad: Packed(vec![Binary128([9; 16])]),
    };
    let wire = calibor::to_vec(&rest).unwrap();
    let flat = Flattened { rest };
    assert_eq!(to_hex(&calibor::to_vec(&flat).unwrap()), to_hex(&wire));
    let read: Flattened<'_> = calibor::from_slice(&wire).unwrap();
    assert_eq!(read, flat);
    let inside = |bytes: &[u8]| wire.as_ptr_range().contains(&bytes.as_ptr());
    let Rest { brain, half, array, .. } = &read.rest;
    assert!(inside(brain.data()) && inside(half.data()) && inside(array.as_bytes()), "copied");

    for tensor in [flat.rest.brain, flat.rest.half] {
        let wire = calibor::to_vec(&tensor).unwrap();
        let Either::Tensor(read) = calibor::from_slice(&wire).unwrap() else { panic!("an array") };
        assert_eq!(read, tensor);
    }
    let wire = hex("d84542ff00");
    let Either::Array(array) = calibor::from_slice(&wire).unwrap() else { panic!("a tensor") };
    assert_eq!(array.elements().to_vec(), [255]);
    // 40([[2], 84(h'0000')]) is as wrong in a buffer as elsewhere, and so is an array that looks like a tag.
    for wire in ["d828828102d854420000", "8218288281 01d854420000", "821845 42ff00", "d84642ff00"] {
        assert!(calibor::from_slice::<Either<'_>>(&hex(&wire.replace(' ', ""))).is_err(), "{wire}");
    }
}

/// JSON has numbers, and is given those: the bytes of a field are nobody's integers.
#[test]
fn json_has_the_numbers() {
    let text = serde_json::to_string(&layer()).unwrap();
    assert_eq!(text, r#"{"a":[1.0,-2.5],"b":[7,64],"c":[-1,64]}"#);
    assert_eq!(serde_json::from_str::<Layer>(&text).unwrap(), layer());
    assert_eq!(serde_json::from_str::<Flat>(&text).unwrap(), Flat { layer: layer() });
    assert_eq!(serde_json::from_str::<Untagged>(&text).unwrap(), Untagged::Layer(layer()));
    let tree = serde_json::to_value(Internal::Layer(layer())).unwrap();
    assert_eq!(serde_json::from_value::<Internal>(tree).unwrap(), Internal::Layer(layer()));
    // A tag is no part of JSON, and an array that looks like one is none.
    for text in ["[84,[0,60]]", "[84,[60]]", "{}", "\"AA==\""] {
        assert!(serde_json::from_str::<Packed<F16>>(text).is_err(), "{text}");
        assert!(serde_json::from_str::<TypedArray<'_, F16>>(text).is_err(), "{text}");
    }
    let error = serde_json::to_string(&Packed(vec![Binary128([0; 16])])).unwrap_err();
    assert_eq!(error.to_string(), "binary128 has no form that people read");
}

/// What says that it is for people writes numbers in CBOR too, each in its one form, and reads them back.
#[test]
fn a_human_readable_serializer_writes_a_plain_array() {
    let mut serializer = calibor::Serializer::new().human_readable(true);
    layer().serialize(&mut serializer).unwrap();
    let wire = serializer.finish().unwrap();
    assert_eq!(
        to_hex(&wire),
        format!("a3{PLAIN}").replace(' ', "").replace("8201f9", "82f93c00f9")
    );
    assert_eq!(calibor::from_slice::<Layer>(&wire).unwrap(), layer());
    // A tensor is no collection of numbers, and stays what it is.
    let tensor = Tensor::from_elements([1], &[F16::MAX]).unwrap();
    let mut serializer = calibor::Serializer::new().human_readable(true);
    tensor.serialize(&mut serializer).unwrap();
    assert_eq!(serializer.finish().unwrap(), calibor::to_vec(&tensor).unwrap());
}

/// Other CBOR codecs know no tag by our name: they write a pair, and what they read back is refused.
#[test]
fn other_codecs_give_no_tag_back() {
    let mut wire = Vec::new();
    ciborium::into_writer(&Packed(vec![F16::from_f32(1.0)]), &mut wire).unwrap();
    assert_eq!(to_hex(&wire), "82185442003c");
    assert!(ciborium::from_reader::<Packed<F16>, _>(&wire[..]).is_err());
    assert!(calibor::from_slice::<Packed<F16>>(&wire).is_err());
    // An array of numbers they read.
    let read: Packed<F16> = ciborium::from_reader(&hex("8201f9c100")[..]).unwrap();
    assert_eq!(read.0, [1.0, -2.5].map(F16::from_f32));
    let quads = BTreeMap::from([("q", Packed(vec![Binary128([1; 16])]))]);
    let wire = calibor::to_vec(&quads).unwrap();
    assert_eq!(calibor::from_slice::<BTreeMap<&str, Packed<Binary128>>>(&wire).unwrap(), quads);
}
