//! The numeric core: floats of 4 to 64 bits, each rounded at most once, and by integers only.
//!
//! - The [ladder](shortest): the narrowest of binary16, binary32 and binary64 that keeps a value.
//! - Ten storage formats, [`F16`] to [`F8E8M0FNU`], behind one sealed trait, [`SmallFloat`].
//! - [`Number`]: integers of any length, `m * 10^e` and `m * 2^e`, rounded once into any of them.
//! - [`mod@slice`] converts tensors, [`block`] packs what is narrower than a byte and has the blocks of OCP MX.
//!
//! No result depends on the processor, its rounding mode or its treatment of subnormals: `f64` and `f32` are
//! looked at as bits. A NaN is kept bit for bit where the target can hold it, signalling or not, and
//! becomes the quiet NaN of its sign where it cannot.
//!
//! ```
//! use calibor::float::{F16, Shortest, shortest};
//!
//! assert_eq!(shortest(1.5), Shortest::F16(F16::from_f64(1.5).to_bits()));
//! ```
//!
//! Values go through `From` and bits through `to_bits` and `from_bits`, so an integer is never taken for a
//! pattern, nor a pattern for an integer:
//!
//! ```compile_fail
//! calibor::float::F16::from(0x3c00_u16);
//! ```
//!
//! and neither of the formats of 16 bits becomes the other unasked:
//!
//! ```compile_fail
//! let brain: calibor::float::BF16 = calibor::float::F16::MAX.into();
//! ```

#![cfg_attr(
    not(feature = "arith"),
    doc = r"
There is no arithmetic on what is meant for storage, unless feature `arith` brings operators that round once:

```compile_fail
calibor::float::F16::MAX + calibor::float::F16::MAX;
```
"
)]

#[cfg(feature = "arith")]
mod arith;
mod between;
pub mod block;
mod decimal;
mod exact;
#[cfg(feature = "half")]
mod half;
mod kernel;
mod ladder;
mod natural;
mod power;
mod round;
mod simd;
pub mod slice;
mod small;
mod types;

pub use decimal::ParseError;
pub use exact::{Integer, Number};
pub use ladder::{
    Shortest, f16_to_f32_bits, f16_to_f64_bits, f32_is_exact_f16, f32_to_f64_bits,
    f64_bits_to_f16_bits, f64_bits_to_f32_bits, is_exact_f16, is_exact_f32, narrowest, shortest,
    shortest_bits, shortest_f32,
};
pub(crate) use ladder::{Width, is_single};
pub use round::{Overflow, ScaleRounding};
pub use small::{Inexact, SmallFloat, Total};
pub use types::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
};
