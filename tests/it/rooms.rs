//! Who may import whom, downwards only: read from the `use` lines and paths of `src/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Mismatches, path};

/// The rooms, lowest first, each with those it may name. Nothing up to `edn` names serde; `ser` and `de` never name
/// `value`.
#[rustfmt::skip]
const ROOMS: [(&str, &[&str]); 25] = [
    ("error",     &[]),
    ("profile",   &[]),
    ("float",     &[]),
    ("nfc",       &[]),
    ("head",      &["error"]),
    ("order",     &["error", "profile", "head"]),
    ("input",     &["error", "head"]),
    ("scan",      &["error", "profile", "float", "nfc", "head", "input"]),
    ("validity",  &["error", "profile", "float", "head", "input", "scan"]),
    ("write",     &["error", "profile", "float", "nfc", "head", "scan"]),
    ("diag",      &["error", "profile", "float", "head", "input", "scan"]),
    ("rewrite",   &["error", "profile", "float", "head", "order", "input", "scan", "validity", "write", "diag"]),
    ("walk",      &["error", "profile", "float", "head", "order", "input", "scan", "validity", "diag", "rewrite"]),
    ("glance",    &["profile", "float", "head", "order", "scan", "write"]),
    ("check",     &["error", "profile", "order", "input", "scan", "walk", "glance"]),
    ("transcode", &["error", "profile", "rewrite", "glance", "check"]),
    ("edn",       &["error", "profile", "float", "head", "input", "scan", "write", "diag", "walk", "check", "transcode"]),
    ("tag",       &["serde", "error", "profile", "check"]),
    ("raw",       &["serde", "error", "profile", "check", "diag", "tag"]),
    ("small",     &["serde", "error", "float", "input"]),
    ("int_keys",  &["serde", "error", "tag"]),
    ("ser",       &["serde", "error", "profile", "float", "head", "order", "scan", "validity", "write", "diag", "rewrite", "tag", "raw"]),
    ("de",        &["serde", "error", "profile", "float", "head", "order", "input", "scan", "walk", "check", "diag", "tag", "raw", "small"]),
    ("value",     &["serde", "error", "profile", "float", "nfc", "head", "order", "input", "scan", "validity", "write", "diag", "rewrite", "walk", "check", "transcode", "edn", "tag", "raw", "small", "int_keys", "ser", "de"]),
    ("array",     &["serde", "error", "profile", "float", "nfc", "head", "order", "input", "scan", "validity", "write", "diag", "rewrite", "walk", "check", "transcode", "edn", "tag", "raw", "small", "int_keys", "ser", "de", "value"]),
];

/// The table itself goes downwards only, so that no row can be bent into a circle.
#[test]
fn the_house_has_no_circle() {
    let mut out = Mismatches::of("the table of rooms");
    for (i, (room, may)) in ROOMS.iter().enumerate() {
        for name in may.iter().filter(|name| **name != "serde") {
            let below = ROOMS[..i].iter().any(|(lower, _)| lower == name);
            out.expect(below, || format!("{room} may name {name}, which is not below it"));
        }
        out.expect(true, String::new);
    }
    out.finish();
}

/// Every `.rs` file of the library, with the room it belongs to.
fn files() -> Vec<(String, PathBuf)> {
    fn walk(dir: &Path, room: Option<&str>, out: &mut Vec<(String, PathBuf)>) {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for entry in entries {
            let stem = entry.file_stem().unwrap().to_str().unwrap().to_owned();
            let room = room.unwrap_or(&stem).to_owned();
            if entry.is_dir() {
                walk(&entry, Some(&room), out);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                out.push((room, entry));
            }
        }
    }
    let mut out = Vec::new();
    walk(&path("src"), None, &mut out);
    out
}

/// Code without comments and strings, and without the tests at the end of a file.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// What `code` names: crate rooms by `crate::room` and `crate::{room, ...}`, and serde by its crates' names.
fn named(code: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut item = String::new();
            for c in list.chars() {
                match c {
                    '}' if depth == 0 => break,
                    ',' if depth == 0 => {
                        names.insert(word(item.trim()));
                        item.clear();
                    }
                    _ => {
                        depth += i32::from(c == '{') - i32::from(c == '}');
                        item.push(c);
                    }
                }
            }
            names.insert(word(item.trim()));
        } else {
            names.insert(word(rest));
        }
    }
    for serde in ["serde::", "serde_core::"] {
        if code.contains(serde) {
            names.insert("serde".into());
        }
    }
    // What a macro of the crate expands to outside of it is the crate's own name for a public thing.
    for own in ["", "__private", "cbor"] {
        names.remove(own);
    }
    names
}

/// The crate's own names at its root, which any room may use instead of the path: the room each comes from.
const AT_THE_ROOT: [(&str, &str); 12] = [
    ("Error", "error"),
    ("Result", "error"),
    ("Category", "error"),
    ("Rule", "error"),
    ("Profile", "profile"),
    ("Value", "value"),
    ("RawValue", "raw"),
    ("Tagged", "tag"),
    ("Serializer", "ser"),
    ("Deserializer", "de"),
    ("to_vec", "ser"),
    ("from_slice", "de"),
];

#[test]
fn imports_go_downwards_only() {
    let mut out = Mismatches::of("imports");
    for (room, file) in files() {
        let shown = file.strip_prefix(path("src")).unwrap().display().to_string();
        if room == "lib" || room == "bin" {
            continue;
        }
        let Some((_, may)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            out.expect(false, || format!("{shown}: a room without a row in the table"));
            continue;
        };
        for name in named(&code(&file)) {
            let from = AT_THE_ROOT.iter().find(|(n, _)| *n == name).map_or(&*name, |(_, r)| r);
            out.expect(from == room || may.contains(&from), || format!("{shown} names {name}"));
        }
    }
    out.finish();
}

/// The front page has docs, lints, modules and names, and no code.
#[test]
fn the_front_page_has_no_code() {
    let front = code(&path("src/lib.rs"));
    let mut out = Mismatches::of("src/lib.rs");
    for word in ["fn ", "impl ", "struct ", "enum ", "trait "] {
        out.expect(!front.contains(word), || format!("lib.rs has `{word}`"));
    }
    out.finish();
}

/// The tool is written against what everybody has.
#[test]
fn the_tool_uses_the_public_names_only() {
    let mut out = Mismatches::of("the tool");
    for (_, file) in files().into_iter().filter(|(room, _)| room == "bin") {
        let code = code(&file);
        for word in ["calibor::scan", "calibor::walk", "calibor::order", "calibor::head", "#[path"]
        {
            out.expect(!code.contains(word), || format!("{} names {word}", file.display()));
        }
        out.expect(true, String::new);
    }
    out.finish();
}
