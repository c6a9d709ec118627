//! What the crate promises, held against tables of bytes: one module for each concern.
// A test says what must hold: an unwrap that fails is the failure it reports. And a test always has std.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]
// A type that one test needs stands in it; a float that must be some value must be exactly that.
#![allow(clippy::items_after_statements, clippy::float_cmp)]

mod array;
mod attack;
mod blocks;
mod canonical;
mod cose;
mod deep;
mod doors;
mod ecosystem;
mod edn;
mod errors;
mod fields;
mod findings;
mod float;
mod half;
mod handed;
mod hostile;
mod int_keys;
mod malformed;
mod one_form;
mod options;
mod peers;
mod profiles_differ;
mod properties;
mod quick;
mod raw;
mod realworld;
mod rooms;
mod seldom;
mod serde_cases;
mod streams;
mod support;
mod tagged;
mod tags;
mod transport;
mod value;
mod verdicts;
