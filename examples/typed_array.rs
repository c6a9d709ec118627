//! 100 MB of f16 three ways: a view, `Vec<f32>`, and the array of floats that has to be read one by one.
//!
//! `cargo run --release --example typed_array --features bytemuck`

// A program always has std.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

use calibor::array::{ByteOrder, TypedArray};
use calibor::float::{BF16, F16, Overflow, slice};
use std::hint::black_box;
use std::time::{Duration, Instant};

const COUNT: usize = 50_000_000;

fn main() -> Result<(), calibor::Error> {
    let values: Vec<f32> = (0_u16..1000).map(|i| f32::from(i) / 16.0 - 30.0).collect();
    let values: Vec<f32> = values.iter().copied().cycle().take(COUNT).collect();
    let halves: Vec<F16> = slice::from_f32(&values, Overflow::Ieee);

    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = calibor::to_vec(&TypedArray::from_elements(&halves, order))?;
        println!("{} MB in tag {}", bytes.len() / 1_000_000, bytes[1]);
        let array =
            shown("view of the elements", || calibor::from_slice::<TypedArray<'_, F16>>(&bytes))?;
        shown("Vec<F16>", || Ok(array.elements().to_vec()))?;
        shown("Vec<f32>", || Ok(array.elements().to_f32()))?;
        shown("encoded again", || calibor::to_vec(&array))?;
    }
    let brain: Vec<BF16> = slice::from_f32(&values, Overflow::Ieee);
    shown("bf16 slice to Vec<f32>", || Ok(slice::to_f32(&brain)))?;
    shown("copy of Vec<f32>", || Ok(values.clone()))?;

    let bytes = shown("array of floats, written one by one", || calibor::to_vec(&halves))?;
    println!("{} MB in an array", bytes.len() / 1_000_000);
    shown("array of floats, read one by one", || calibor::from_slice::<Vec<F16>>(&bytes))?;
    Ok(())
}

/// The least time of three.
fn shown<T>(
    what: &str,
    mut f: impl FnMut() -> Result<T, calibor::Error>,
) -> Result<T, calibor::Error> {
    let mut best = Duration::MAX;
    let mut result = None;
    for _ in 0..3 {
        let start = Instant::now();
        let made = black_box(f()?);
        best = best.min(start.elapsed());
        result = Some(made);
    }
    println!("  {what:40} {:>12.1} us", best.as_secs_f64() * 1e6);
    result.map_or_else(f, Ok)
}
