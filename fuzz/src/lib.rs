//! The bodies of the fuzz targets, one module each: a function of bytes that panics where something does not hold.
//!
//! They live here so that the fuzzer, the replay of the seeds and the reproduction of a single file run the same code.

pub mod canonicalize;
pub mod check;
pub mod differential;
pub mod edn;
pub mod float;
mod reference;
pub mod roundtrip;
pub mod seeds;
pub mod stream;
pub mod typed;

use calibor::{Category, Error, Profile, Value};
use std::fmt::Write as _;

/// A target: its name, what it does with an input, and which seeds it starts from.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
}

pub const TARGETS: [Target; 8] = [
    Target { name: "check", run: check::run, seeds: seeds::cbor },
    Target { name: "canonicalize", run: canonicalize::run, seeds: seeds::cbor },
    Target { name: "roundtrip", run: roundtrip::run, seeds: seeds::cbor },
    Target { name: "typed", run: typed::run, seeds: typed::seeds },
    Target { name: "edn", run: edn::run, seeds: seeds::cbor_and_edn },
    Target { name: "differential", run: differential::run, seeds: seeds::cbor },
    Target { name: "float", run: float::run, seeds: float::seeds },
    Target { name: "stream", run: stream::run, seeds: seeds::cbor },
];

/// The entry point of a target: libFuzzer's under `cargo fuzz`, else one that runs the files it is given.
#[macro_export]
macro_rules! main {
    ($target:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$target::run(data));

        #[cfg(not(fuzzing))]
        fn main() {
            $crate::run_files($crate::$target::run);
        }
    };
}

/// Runs each file named on the command line, to look at what a fuzzer found with a stable compiler and a debugger.
pub fn run_files(run: fn(&[u8])) {
    for file in std::env::args_os().skip(1) {
        println!("{}", file.display());
        run(&std::fs::read(&file).expect("a file that can be read"));
    }
}

/// The profiles that leave one form to each value.
const DETERMINISTIC: [Profile; 9] = [
    Profile::CORE,
    Profile::DTRM,
    Profile::LENGTH_FIRST,
    Profile::RFC7049,
    Profile::CTAP2,
    Profile::DCBOR,
    Profile::DAG_CBOR,
    Profile::DRISL,
    Profile::CBOR_CORE,
];

/// Every profile, and refinements of some.
fn profiles() -> impl Iterator<Item = Profile> {
    Profile::ALL.into_iter().chain([
        Profile::VALID.tag_validity(),
        Profile::CORE.tag_validity(),
        Profile::CORE.without_floats().canonical_nan(),
        Profile::CORE.forbid_tags().max_depth(3),
        Profile::DAG_CBOR.relaxed(),
    ])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn said<T>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "ok".into(),
        Err(e) => format!("{e} [{}]", e.rule().map_or("no rule", |rule| rule.name())),
    }
}

fn rule<T>(result: &Result<T, Error>) -> Option<&'static str> {
    result.as_ref().err().and_then(Error::rule).map(|rule| rule.name())
}

/// `WELL_FORMED` lets text through that is not UTF-8, and where a Rust string is asked for none can hold it.
fn has_no_text<T>(profile: Profile, got: &Result<T, Error>) -> bool {
    rule(got) == Some("invalid-utf8") && profile.to_string().starts_with("well-formed")
}

/// CTAP2 keeps the width of floats, which a `Value` does not know.
fn same_but_for_width(profile: Profile, a: &[u8], b: &[u8]) -> bool {
    let value = |bytes: &[u8]| Profile::VALID.decode::<Value>(bytes);
    a == b || profile == Profile::CTAP2 && matches!((value(a), value(b)), (Ok(a), Ok(b)) if a == b)
}

/// What must hold of any error about `len` bytes of input.
fn sane(error: &Error, len: usize) {
    let text = error.to_string();
    assert!(!text.contains('\n') && !text.is_empty(), "an error of several lines: {text}");
    if let Some(offset) = error.offset() {
        assert!(offset <= len as u64, "offset {offset} of {len} bytes: {text}");
    }
    let grammar = matches!(error.category(), Category::Eof | Category::Syntax | Category::Profile);
    assert!(!grammar || error.rule().is_some(), "a refusal without a rule: {text}");
    // A path or message that repeats the input for each violation would be quadratic.
    assert!(text.len() + error.path().map_or(0, str::len) < 20_000, "long: {text}");
}
