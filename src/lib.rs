//! Canonical CBOR.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod array;
mod check;
mod de;
mod diag;
mod error;
pub mod float;
mod head;
mod input;
pub mod int_keys;
mod nfc;
mod order;
mod profile;
mod raw;
mod rewrite;
mod scan;
mod ser;
mod small;
mod tag;
mod transcode;
mod validity;
mod value;
mod walk;
mod write;

#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{Deserializer, StreamDeserializer, from_slice};
pub use error::{Category, Error, Result, Rule};
#[cfg(feature = "std")]
pub use input::Reader;
pub use input::{Input, Slice};
pub use int_keys::IntKeys;
pub use profile::{Clause, Profile, UnknownProfile};
pub use raw::RawValue;
#[cfg(feature = "std")]
pub use ser::to_writer;
pub use ser::{Serializer, to_vec};
pub use tag::{Accepted, Link, Required, Tagged};
pub use value::{Value, from_value, to_value};

/// What the macros of this crate need of `alloc`.
#[doc(hidden)]
pub mod __private {
    pub use alloc::boxed::Box;
    pub use alloc::vec;
    pub use alloc::vec::Vec;
}
