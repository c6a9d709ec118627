//! The content of registered tags, in `valid+tags`.

use calibor::{Profile, Rule};
use serde_json::Value as Json;
use std::path::Path;

fn rows(file: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(file);
    let rows: Vec<Json> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(!rows.is_empty(), "{file} has no row");
    rows
}

fn hex(digits: &str) -> Vec<u8> {
    assert!(digits.len() % 2 == 0, "odd number of digits: {digits}");
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

/// `check` and `violations` give each row's verdict; without tag validity only `valid`'s rules count.
fn hold_to(file: &str, judge: impl Fn(&Json, &[u8]) -> Option<String>) {
    let rows = rows(file);
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let digits = row["hex"].as_str().unwrap();
            let said = judge(row, &hex(digits))?;
            Some(format!("{digits} {} ({}): {said}", row["diag"], row["why"]))
        })
        .collect();
    let (bad, all) = (wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{file}: {bad} of {all} went wrong\n  {}", wrong.join("\n  "));
}

fn verdict(row: &Json, bytes: &[u8]) -> Option<String> {
    let profile: Profile = "valid+tags".parse().unwrap();
    let accept = row["accept"].as_bool().unwrap();
    let check = profile.check(bytes);
    let violation = profile.violations(bytes).next();
    (check.is_ok() != accept || violation.is_none() != accept)
        .then(|| format!("want {accept}, got {check:?} and {violation:?}"))
}

#[test]
fn registered_tags() {
    hold_to("tags/tags.json", verdict);
}

#[test]
fn valid_with_tags() {
    hold_to("profiles/valid+tags.json", verdict);
}

/// What a tag holds is asked for, never a part of plain validity, and it is the only rule these rows break.
#[test]
fn tag_validity_is_asked_for() {
    hold_to("tags/tags.json", |row, bytes| {
        if let Err(error) = Profile::VALID.check(bytes) {
            return Some(format!("refused by valid: {error}"));
        }
        let profile = Profile::VALID.tag_validity();
        let rules: Vec<&str> =
            profile.violations(bytes).filter_map(|e| e.rule().map(Rule::name)).collect();
        let want: &[&str] =
            if row["accept"].as_bool().unwrap() { &[] } else { &["invalid-tag-content"] };
        (rules != want).then(|| format!("want {want:?}, got {rules:?}"))
    });
}

/// A fault has the offset of its tag, a place, and one line that names the tag.
#[test]
fn faults_are_told_with_their_place() {
    // {"t": 0("x"), "u": [1, 37(h'')]}
    let bytes = b"\xa2\x61t\xc0\x61x\x61u\x82\x01\xd8\x25\x40";
    let told: Vec<(u64, String, String)> = Profile::VALID
        .tag_validity()
        .violations(bytes)
        .map(|e| (e.offset().unwrap(), e.path().unwrap().to_owned(), e.to_string()))
        .collect();
    let places: Vec<(u64, &str)> = told.iter().map(|(at, path, _)| (*at, path.as_str())).collect();
    assert_eq!(places, [(3, "/t"), (10, "/u/1")], "{told:?}");
    assert!(told[0].2.starts_with("tag 0 does not hold an RFC 3339 date-time"), "{told:?}");
    assert!(told[1].2.starts_with("tag 37 does not hold a UUID of 16 bytes"), "{told:?}");
}
