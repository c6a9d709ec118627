//! One build cannot have a crate with and without a feature, so the numeric core is compiled here once more.
#![no_std]
#![forbid(unsafe_code)]
#![allow(unexpected_cfgs, dead_code, unused_imports)]

extern crate alloc;

#[path = "../../../src/float/mod.rs"]
pub mod float;
