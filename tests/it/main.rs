//! What the crate promises, held against tables of bytes: one module for each concern.
// A test says what must hold: an unwrap that fails is the failure it reports. And a test always has std.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

mod attack;
mod canonical;
mod doors;
#[cfg(feature = "edn")]
mod edn;
mod errors;
mod float;
mod hostile;
mod malformed;
mod one_form;
mod peers;
mod profiles_differ;
mod realworld;
mod rooms;
mod serde_cases;
mod support;
mod tags;
mod verdicts;
