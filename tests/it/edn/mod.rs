//! Diagnostic notation: reading, printing, and the dump.

mod parse;
mod print;

use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The rows of `vectors/<name>`.
fn rows(name: &str) -> Vec<Json> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    match serde_json::from_str(&text).unwrap() {
        Json::Array(rows) => rows,
        _ => panic!("{name} is no array of rows"),
    }
}

fn text<'a>(row: &'a Json, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {row}"))
}

fn hex(digits: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").unwrap();
        out
    })
}

/// The real files beside the repository, or nothing and a line that says so.
fn real_files(extensions: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(folder) = root.ancestors().map(|a| a.join("shared/realworld")).find(|p| p.is_dir()) else {
        eprintln!("SKIPPED: no shared/realworld beside the repository");
        return Vec::new();
    };
    let mut files = Vec::new();
    for group in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if group.is_dir() {
            files.extend(std::fs::read_dir(group).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let wanted = |path: &PathBuf| path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x));
    files.retain(wanted);
    files.sort();
    files
}

/// Fails with all that went wrong.
fn all_right(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
