//! A layer in bf16 and one in fp8, written as canonical CBOR and read without a copy.
//!
//! `cargo run --example bf16_tensor`

use calibor::array::{DType, Tensor};
use calibor::float::{BF16, F8E4M3FN, Overflow, slice};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Layer<'a> {
    #[serde(borrow)]
    weights: Tensor<'a>,
    #[serde(borrow)]
    quantized: Tensor<'a>,
    /// Numbers of a type that RFC 8746 has a tag for need no tensor.
    #[serde(with = "calibor::array::le")]
    bias: Vec<f32>,
}

fn main() -> Result<(), calibor::Error> {
    let values = [1.0, -2.5, 0.1, 3.0e38, f32::NAN, 0.0];
    // Each is rounded once, here and nowhere else: a tensor is bytes from now on.
    let brain: Vec<BF16> = slice::from_f32(&values, Overflow::Ieee);
    let eighth: Vec<F8E4M3FN> = slice::from_f32(&values, Overflow::Saturate);
    let layer = Layer {
        weights: Tensor::from_elements([2, 3], &brain)?,
        quantized: Tensor::from_elements([6], &eighth)?,
        bias: vec![0.5, -0.5],
    };

    let bytes = calibor::to_vec(&layer)?;
    for line in bytes.chunks(16) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{}", line.join(" "));
    }

    let read: Layer<'_> = calibor::from_slice(&bytes)?;
    assert_eq!(read.weights.dtype(), DType::BF16);
    println!("shape {:?}", read.weights.shape());
    println!("bf16  {:?}", read.weights.elements::<BF16>()?);
    println!("f32   {:?}", read.weights.to_f32()?);
    println!("fp8   {:?}", read.quantized.to_f32()?);
    println!("bias  {:?}", read.bias);
    assert_eq!(calibor::to_vec(&read)?, bytes);
    Ok(())
}
