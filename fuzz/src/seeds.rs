//! Where every target starts: what stands in `vectors/`, so that no corpus has to be kept beside it.

use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Seeds that are longer slow every mutation of them down and hold nothing that a shorter one does not.
const LONGEST: usize = 4096;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

/// Every file below `vectors/`, in one order on every machine.
fn files() -> Vec<PathBuf> {
    let mut pending = vec![vectors()];
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder that can be read");
            pending.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Every text in the JSON files, with the name of its field.
fn texts(mut each: impl FnMut(&str, &str)) {
    for file in files().iter().filter(|file| file.extension().is_some_and(|it| it == "json")) {
        let text = fs::read_to_string(file).expect("a file that can be read");
        let mut pending: Vec<(String, Json)> =
            vec![(String::new(), serde_json::from_str(&text).expect("JSON"))];
        while let Some((name, json)) = pending.pop() {
            match json {
                Json::String(text) => each(&name, &text),
                Json::Array(items) => {
                    pending.extend(items.into_iter().map(|item| (name.clone(), item)));
                }
                Json::Object(fields) => pending.extend(fields),
                _ => {}
            }
        }
    }
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.len().is_multiple_of(2) && !text.is_empty() && text.is_ascii();
    digits.then(|| {
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
            .collect()
    })?
}

/// Items and what looks like one: all hex in the tables, and the smaller real files.
#[must_use]
pub fn cbor() -> Vec<Vec<u8>> {
    let mut seeds = BTreeSet::new();
    texts(|name, text| {
        if name.contains("hex") || matches!(name, "deterministic" | "preferred_plus" | "general") {
            seeds.extend(bytes_of_hex(text));
        }
    });
    for file in files() {
        let extension = file.extension().and_then(|it| it.to_str()).unwrap_or_default();
        if matches!(extension, "cbor" | "cose" | "dag-cbor") {
            seeds.insert(fs::read(&file).expect("a file that can be read"));
        }
    }
    seeds.into_iter().filter(|seed| seed.len() <= LONGEST).collect()
}

/// Diagnostic notation of the tables, beside their items.
#[must_use]
pub fn cbor_and_edn() -> Vec<Vec<u8>> {
    let mut seeds = BTreeSet::from_iter(cbor());
    texts(|name, text| {
        if matches!(name, "edn" | "diag" | "diagnostic" | "input" | "output") {
            seeds.insert(text.as_bytes().to_vec());
        }
    });
    seeds.into_iter().filter(|seed| seed.len() <= LONGEST).collect()
}
