//! Canonical CBOR.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod check;
mod de;
mod diag;
#[cfg(feature = "edn")]
pub mod edn;
mod error;
pub mod float;
mod head;
mod input;
mod nfc;
mod order;
mod profile;
mod rewrite;
mod scan;
mod ser;
mod small;
mod tag;
mod transcode;
mod validity;
mod walk;
mod write;

#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{Deserializer, StreamDeserializer, from_slice};
pub use error::{Category, Error, Result, Rule};
#[cfg(feature = "std")]
pub use input::Reader;
pub use input::{Input, Slice};
pub use profile::{Clause, Profile, UnknownProfile};
#[cfg(feature = "std")]
pub use ser::to_writer;
pub use ser::{Serializer, to_vec};
pub use tag::Tagged;
