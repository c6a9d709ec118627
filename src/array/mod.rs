//! Many numbers in one byte string: typed arrays (RFC 8746), tensors, checkpoints.
//!
//! - [`TypedArray`] is a typed array as it stands in CBOR, of either byte order, not converted before it is asked for;
//!   [`le`] and [`be`] are for `#[serde(with = "...")]` on fields that are plain collections.
//! - [`MultiDim`] has dimensions (tags 40 and 1040), [`Homogeneous`] one type (tag 41).
//! - [`Tensor`] has a [`DType`], a shape and bytes, with every format of `safetensors`.
//! - `checkpoint`, with feature `safetensors`, streams `safetensors` files to canonical CBOR and back.
//!
//! A byte order is the writer's choice and no shorter form of the other (RFC 8746 §2.1), so what is read as
//! [`TypedArray`] is written as it was. The bits of a NaN pass unchanged everywhere.

#[cfg(feature = "safetensors")]
pub mod checkpoint;
mod dtype;
mod element;
mod field;
mod multi;
mod tensor;
mod typed;
mod unpack;
mod view;
mod wire;

pub use dtype::{DType, UnknownDType};
pub use element::{Binary128, ByteOrder, Clamped, Element, Scalar};
pub use field::{Collection, Packed, be, le};
pub use multi::{Data, Homogeneous, MultiDim, Order};
pub use tensor::Tensor;
pub use typed::TypedArray;
pub use view::{Elements, Iter};
