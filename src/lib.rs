//! Canonical CBOR: for each value exactly one byte string, accepted back and no other, in every deterministic
//! profile people use.
//!
//! # Encode and decode
//!
//! [`to_vec`] and [`from_slice`] are serde's names and stand for RFC 8949 core deterministic encoding,
//! [`Profile::CORE`]. Another profile is one word away:
//!
//! ```
//! use calibor::Profile;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Debug, PartialEq)]
//! struct Reading {
//!     unit: String,
//!     at: u64,
//!     value: f64,
//! }
//!
//! let reading = Reading { unit: "°C".into(), at: 1_363_896_240, value: 21.5 };
//!
//! // {"at": 1363896240, "unit": "°C", "value": 21.5}: keys sorted, every head and every float as short as it can be
//! let bytes = calibor::to_vec(&reading)?;
//! assert_eq!(bytes, b"\xa3\x62at\x1a\x51\x4b\x67\xb0\x64unit\x63\xc2\xb0C\x65value\xf9\x4d\x60");
//! assert_eq!(calibor::from_slice::<Reading>(&bytes)?, reading);
//!
//! // DAG-CBOR has 64-bit floats only.
//! assert!(Profile::DAG_CBOR.encode(&reading)?.ends_with(b"\xfb\x40\x35\x80\0\0\0\0\0")); // 21.5_3
//! # Ok::<(), calibor::Error>(())
//! ```
//!
//! # Is it canonical, and if not, why not?
//!
//! ```
//! use calibor::Profile;
//!
//! // {_ "b": 1_0, "a": 1.0_2}
//! let bytes = b"\xbf\x61b\x18\x01\x61a\xfa\x3f\x80\0\0\xff";
//! for error in Profile::CORE.violations(bytes) {
//!     println!("{}: {error}", error.path().unwrap_or_default());
//! }
//! // /: map has no definite length, RFC 8949 §4.2.1, at byte 0
//! // /b: head 1801 is longer than it has to be, 01 is wanted, RFC 8949 §4.2.1, at byte 3
//! // /a: map key "a" comes after "b" but sorts before it, RFC 8949 §4.2.1, at byte 5
//! // /a: float fa3f800000 is longer than it has to be, f93c00 is wanted, RFC 8949 §4.2.1, at byte 7
//! # assert_eq!(Profile::CORE.violations(bytes).count(), 4);
//!
//! // {"a": 1.0, "b": 1}
//! assert_eq!(Profile::CORE.canonicalize(bytes)?, b"\xa2\x61a\xf9\x3c\0\x61b\x01");
//! # Ok::<(), calibor::Error>(())
//! ```
//!
//! # What is where
//!
//! | for | see |
//! |---|---|
//! | the rules of each profile, and refining them | [`Profile`] |
//! | a value of any shape | [`Value`], [`cbor!`] |
//! | bytes that were signed as they are | [`RawValue`] |
//! | tags, and links of IPLD | [`Tagged`], [`Required`], [`Accepted`], [`Link`] |
//! | COSE headers, CWT and EAT claims | [`IntKeys`], [`int_keys`] |
//! | CBOR sequences, readers, options | [`Deserializer`], [`StreamDeserializer`], [`Serializer`] |
//! | half precision and smaller floats | [`float`] |
//! | why something was refused | [`Error`], [`Rule`] |
//! | coming from `serde_cbor` or `ciborium` | [`_documentation::migrating`] |
//!
//! # The mapping of serde's types
//!
//! A struct is a map with text keys, sorted; maps are sorted and equal keys refused; tuples, tuple structs and
//! sequences are arrays; `serde_bytes` is a byte string; newtypes are transparent; `None`, `()` and unit structs
//! are `null`; a unit variant is its name, another variant a map of one. `i128` and `u128` become bignums beyond
//! -2^64..2^64-1. `flatten` and every unknown length come out definite. A `Serialize` that does not keep to
//! what it announced is an error, never bad bytes.
//!
//! Floats are shortened on their bits, so that neither the processor nor its modes have a say; NaN payloads and
//! -0.0 are kept unless the profile says otherwise. Reading into `f64` takes any float and any integer that it can
//! hold; reading into `f32` and the small floats rounds once, from whatever number it is.
//!
//! # Safety
//!
//! No `unsafe`, except in the one file of vector instructions that feature `simd` adds. No input makes this crate
//! panic, overflow the stack or allocate more than a small multiple of its length. Nesting is limited to 128 levels
//! of arrays, maps and tags unless you say otherwise. `Some` and newtypes of a Rust type have a limit of their own,
//! so that a recursive type cannot outrun it.
//!
//! # Features
//!
//! `std` (default), without which `alloc` is needed; `edn`, diagnostic notation; `nfc`, Unicode tables for text
//! outside ASCII in [`Profile::DCBOR`]; `half`, `bytemuck` and `arbitrary`, conversions and traits of those
//! crates; `arith`, operators on the small floats; `simd`, slices of small floats by AVX2 and F16C where the
//! processor has them; `cli`, the `calibor` command. A feature never changes bytes or strictness.
#![no_std]
#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod array;
mod check;
mod de;
mod diag;
#[cfg(feature = "edn")]
pub mod edn;
mod error;
pub mod float;
mod glance;
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

/// The README's example is tested.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
mod readme {}

/// What the macros of this crate need of `alloc`.
#[doc(hidden)]
pub mod __private {
    pub use alloc::boxed::Box;
    pub use alloc::vec;
    pub use alloc::vec::Vec;
}

/// Longer texts.
pub mod _documentation {
    #[doc = include_str!("../docs/migrating.md")]
    pub mod migrating {}
}
