//! The tool, run as people run it: the pages beside this file are its manual, and each example in them is a test.
// A test says what must hold: an unwrap that fails is the failure it reports.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod realworld;
mod streams;
mod support;
mod tensors;

#[test]
fn pages() {
    trycmd::TestCases::new().case("tests/cli/*.md");
}
