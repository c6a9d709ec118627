//! The integration tests, one binary.
// A test says what must hold: an unwrap that fails is the failure it reports. And a test always has std.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

#[cfg(feature = "edn")]
mod edn;
mod float;
