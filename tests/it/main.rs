//! The integration tests, one binary.

mod float;
