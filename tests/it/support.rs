//! What the table tests share: rows out of `vectors/`, hex, profiles by name, and a list of all that went wrong.

use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};

use calibor::{Error, Profile, Value};
use serde::de::IgnoredAny;
use serde_json::Value as Json;

/// The names the vectors use for the verdicts of one row.
pub(crate) const NAMES: [&str; 13] = [
    "well-formed",
    "valid",
    "valid+tags",
    "preferred",
    "core",
    "dtrm",
    "length-first",
    "rfc7049",
    "ctap2",
    "dcbor",
    "dag-cbor",
    "drisl",
    "cbor-core",
];

/// The profiles that leave one form to each value.
pub(crate) const DETERMINISTIC: [Profile; 9] = [
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

pub(crate) fn path(under_root: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(under_root)
}

/// The rows of `vectors/<name>.json`.
pub(crate) fn rows(name: &str) -> Vec<Json> {
    let file = path("vectors").join(name).with_extension("json");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    match serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display())) {
        Json::Array(rows) => {
            assert!(!rows.is_empty(), "{name} has no row");
            rows
        }
        _ => panic!("{name} is no array of rows"),
    }
}

pub(crate) fn text<'a>(row: &'a Json, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {row}"))
}

pub(crate) fn bytes(row: &Json, field: &str) -> Vec<u8> {
    hex(text(row, field))
}

pub(crate) fn hex(digits: &str) -> Vec<u8> {
    assert!(digits.len() % 2 == 0, "odd number of hex digits: {digits}");
    (0..digits.len())
        .step_by(2)
        .map(|i| {
            u8::from_str_radix(&digits[i..i + 2], 16).unwrap_or_else(|e| panic!("{digits}: {e}"))
        })
        .collect()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

/// Hex for a message: long input is cut, with its length.
pub(crate) fn brief(bytes: &[u8]) -> String {
    if bytes.len() <= 40 {
        to_hex(bytes)
    } else {
        format!("{}... ({} bytes)", to_hex(&bytes[..32]), bytes.len())
    }
}

pub(crate) fn profile(name: &str) -> Profile {
    name.parse().unwrap_or_else(|e| panic!("profile {name}: {e}"))
}

/// `ok`, or the refusal in one line.
pub(crate) fn said<T>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "ok".into(),
        Err(e) => format!("{e} [{}]", e.rule().map_or("no rule", |r| r.name())),
    }
}

/// Everything that went wrong, so that one run shows the whole table.
pub(crate) struct Mismatches {
    of: &'static str,
    looked_at: usize,
    lines: Vec<String>,
}

impl Mismatches {
    pub(crate) fn of(what: &'static str) -> Self {
        Self { of: what, looked_at: 0, lines: Vec::new() }
    }

    /// One thing that must hold; `line` says what did not.
    pub(crate) fn expect(&mut self, holds: bool, line: impl FnOnce() -> String) {
        self.looked_at += 1;
        if !holds {
            self.lines.push(line());
        }
    }

    pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(
        &mut self,
        label: impl Display,
        got: &T,
        want: &T,
    ) {
        self.expect(got == want, || format!("{label}: got {got:?}, want {want:?}"));
    }

    pub(crate) fn finish(self) {
        assert!(self.looked_at > 0, "{}: nothing was looked at", self.of);
        assert!(
            self.lines.is_empty(),
            "{}: {} of {} went wrong\n  {}",
            self.of,
            self.lines.len(),
            self.looked_at,
            self.lines.join("\n  ")
        );
    }
}

/// The four ways to ask a profile about bytes, each held to the same verdict.
pub(crate) fn judge(
    profile: Profile,
    bytes: &[u8],
    accept: bool,
    label: &str,
    out: &mut Mismatches,
) {
    let check = profile.check(bytes);
    if nfc_is_missing(profile, &check) {
        return;
    }
    let doors: [(&str, Result<(), Error>); 4] = [
        ("check", check),
        ("violations", profile.violations(bytes).next().map_or(Ok(()), Err)),
        ("decode::<Value>", profile.decode::<Value>(bytes).map(drop)),
        ("decode::<IgnoredAny>", profile.decode::<IgnoredAny>(bytes).map(drop)),
    ];
    for (door, got) in doors {
        if has_no_text(profile, door, &got) {
            continue;
        }
        out.expect(got.is_ok() == accept, || {
            let want = if accept { "accept" } else { "refuse" };
            format!("{profile} {door} {}: want {want}, got {} ({label})", brief(bytes), said(&got))
        });
    }
}

/// `WELL_FORMED` lets text through that is not UTF-8, and no Rust string can hold it.
pub(crate) fn has_no_text<T>(profile: Profile, door: &str, got: &Result<T, Error>) -> bool {
    let refused =
        got.as_ref().err().and_then(Error::rule).is_some_and(|r| r.name() == "invalid-utf8");
    refused && door != "check" && profile.to_string().starts_with("well-formed")
}

/// Without the `nfc` feature, dCBOR refuses text outside ASCII, as the profile's docs say.
pub(crate) fn nfc_is_missing<T>(profile: Profile, result: &Result<T, Error>) -> bool {
    let refused =
        result.as_ref().err().and_then(Error::rule).is_some_and(|r| r.name() == "not-nfc");
    cfg!(not(feature = "nfc")) && refused && profile.to_string().starts_with("dcbor")
}

/// Runs `f` where recursion through serde has room for the deepest rows of the tables.
pub(crate) fn on_a_big_stack(f: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(f).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
