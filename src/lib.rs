//! Canonical CBOR.
#![no_std]
#![forbid(unsafe_code)]
#[cfg(feature = "std")]
extern crate std;
extern crate alloc;

mod check;
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
mod transcode;
mod validity;
mod walk;
mod write;

pub use error::{Category, Error, Result, Rule};
pub use profile::{Clause, Profile, UnknownProfile};
