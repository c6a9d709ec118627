//! The numeric core.
mod ladder;
mod round;
pub use ladder::*;
