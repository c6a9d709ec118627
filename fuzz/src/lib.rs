//! The bodies of the fuzz targets, one module each: questions about an input that panic where something does not hold.
//!
//! They live here so that the fuzzer, the replay of the seeds and the reproduction of a single file run the same code. The
//! fuzzer asks one question of an input and the replay all of them.

pub mod canonicalize;
pub mod check;
pub mod differential;
pub mod edn;
pub mod float;
mod reference;
pub mod roundtrip;
pub mod safetensors;
pub mod seeds;
pub mod stream;
pub mod typed;

use calibor::{Category, Error, Profile, Value};
use std::fmt::Write as _;

/// A target: its name, how much it asks of an input, and which seeds it starts from.
pub struct Target {
    pub name: &'static str,
    /// How many questions `ask` has about an input.
    pub steps: fn(&[u8]) -> usize,
    /// One of them, so that an execution of the fuzzer is cheap. Panics where something does not hold.
    pub ask: fn(usize, &[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
}

pub const TARGETS: [Target; 9] = [
    check::TARGET,
    canonicalize::TARGET,
    roundtrip::TARGET,
    typed::TARGET,
    edn::TARGET,
    differential::TARGET,
    float::TARGET,
    stream::TARGET,
    safetensors::TARGET,
];

impl Target {
    /// Every question, which is what the seeds are held to.
    pub fn ask_all(&self, data: &[u8]) {
        for step in 0..(self.steps)(data) {
            (self.ask)(step, data);
        }
    }

    /// What a fuzzer calls: two bytes choose the question, the rest is the input.
    pub fn ask_one(&self, data: &[u8]) {
        let Some((choice, data)) = data.split_first_chunk() else { return };
        let steps = (self.steps)(data);
        if steps > 0 {
            (self.ask)(usize::from(u16::from_be_bytes(*choice)) % steps, data);
        }
    }
}

/// The entry point of a target: libFuzzer's under `cargo fuzz`, else one that runs the files it is given.
#[macro_export]
macro_rules! main {
    ($target:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$target::TARGET.ask_one(data));

        #[cfg(not(fuzzing))]
        fn main() {
            $crate::run_files(&$crate::$target::TARGET);
        }
    };
}

/// Runs each file named on the command line, to look at what a fuzzer found with a stable compiler and a debugger.
pub fn run_files(target: &Target) {
    for file in std::env::args_os().skip(1) {
        println!("{}", file.display());
        target.ask_one(&std::fs::read(&file).expect("a file that can be read"));
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
const PROFILES: [Profile; 17] = {
    let mut all = [Profile::CORE; 17];
    let (plain, refined) = all.split_at_mut(Profile::ALL.len());
    plain.copy_from_slice(&Profile::ALL);
    refined.copy_from_slice(&[
        Profile::VALID.tag_validity(),
        Profile::CORE.tag_validity(),
        PLAIN_NUMBERS,
        Profile::CORE.forbid_tags().max_depth(3),
        Profile::DAG_CBOR.relaxed(),
    ]);
    all
};

const PLAIN_NUMBERS: Profile = Profile::CORE.without_floats().canonical_nan();

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
