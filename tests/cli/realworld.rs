//! The tool over every file that was collected from public sources.

use crate::support::{calibor, realworld, text};
use std::fs;
use std::path::Path;

/// The README of the collection names reasons by the checker that counted them.
const NAMES: [(&str, &str); 4] = [
    ("MAPORDER", "unsorted-key"),
    ("INDEF", "indefinite-length"),
    ("HEAD", "long-head"),
    ("BIGZERO", "long-bignum"),
];

#[test]
fn counts_agree_with_the_independent_checker() {
    let Some(root) = realworld() else { return };
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let rows = readme.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut checked = 0;
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [_, folder, files, malformed, canonical, reasons, _] = cells[..] else {
            panic!("{row}")
        };
        if files == "0" {
            continue;
        }
        checked += 1;
        let malformed = malformed.split(':').next().unwrap();
        let sequences = sequences(&root.join(folder));
        let files: usize = files.parse().unwrap();
        let canonical: usize = canonical.parse().unwrap();
        let broken = files - canonical - malformed.parse::<usize>().unwrap();
        let output = calibor(&["check", root.join(folder).to_str().unwrap()], b"");
        let summary = String::from_utf8(output.stderr).unwrap();
        let head = format!(
            "{} files: {} canonical in core, {broken} not, {malformed} malformed\n",
            files + sequences,
            canonical + sequences,
        );
        assert!(summary.starts_with(&head), "{folder}: {head}{summary}");
        let mut lines = 1;
        for reason in reasons.split(", ").filter(|&reason| reason != "-") {
            let (name, count) = reason.split_once(' ').unwrap();
            let (_, rule) = NAMES.iter().find(|(theirs, _)| *theirs == name).unwrap();
            let found = summary.lines().any(|line| {
                let words: Vec<_> = line.split_whitespace().collect();
                matches!(words[..], [n, _, r] if n == count && r == *rule)
            });
            assert!(found, "{folder}: {reason}\n{summary}");
            lines += 1;
        }
        lines += usize::from(malformed != "0");
        assert_eq!(summary.lines().count(), lines, "{folder}: reasons of no row\n{summary}");
    }
    assert!(checked >= 8, "{readme}");
}

/// Files that the table does not count: sequences, which are all canonical.
fn sequences(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|e| e == "cborseq")).count()
}

#[test]
fn what_was_made_canonical_is_canonical_and_has_the_same_hash() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/realworld");
    let hashes = text(&["hash", folder], b"", 1);
    let mut count = 0;
    for line in hashes.lines() {
        let (hash, file) = line.split_once("  ").unwrap();
        let canonical = calibor(&["canon", file], b"");
        assert_eq!(canonical.status.code(), Some(0), "{file}");
        assert_eq!(text(&["check", "--in", "bin"], &canonical.stdout, 0), "-: ok\n", "{file}");
        let again = text(&["hash", "--as-is", "--in", "bin"], &canonical.stdout, 0);
        assert_eq!(again, format!("{hash}  -\n"), "{file}");
        count += 1;
    }
    assert!(count > 30, "{hashes}");
}

/// Every real file through every command: none may crash, and what is printed has to agree.
#[test]
fn every_file_goes_through_every_command() {
    let Some(root) = realworld() else { return };
    let mut files = Vec::new();
    let mut pending = vec![root];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if ["cbor", "cose", "dag-cbor"]
            .iter()
            .any(|e| path.extension().is_some_and(|x| x == *e))
        {
            files.push(path);
        }
    }
    files.sort();
    assert!(files.len() > 1000);
    let names: Vec<_> = files.iter().map(|path| path.to_str().unwrap()).collect();
    for command in [
        &["show", "--embedded"][..],
        &["dump", "--embedded", "-p", "core"],
        &["check", "--json", "--embedded"],
        &["to-json", "-q"],
        &["seq", "count"],
        &["get", "/", "--json"],
    ] {
        let args = [command, &names].concat();
        let output = calibor(&args, b"");
        // One file has more bytes than its item; none may do worse.
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.lines().all(|line| line.contains("CBO2.cose.cbor")),
            "{command:?}: {errors}"
        );
    }
    reads_back(&names);
}

/// What `show` prints is what `from-edn` reads, and what `canon` writes has the same data.
fn reads_back(names: &[&str]) {
    let good: Vec<_> = names.iter().copied().filter(|name| !name.contains("CBO2.cose")).collect();
    let shown = text(&[&["show", "--compact"][..], &good].concat(), b"", 0);
    let mut sequence = Vec::new();
    for name in &good {
        sequence.extend(fs::read(name).unwrap());
    }
    let read = calibor(&["from-edn", "--seq"], shown.as_bytes());
    assert_eq!(read.status.code(), Some(0));
    assert!(read.stdout == sequence, "show and from-edn do not agree");
    let folder = std::env::temp_dir().join(format!("calibor-canon-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let canonical = folder.join("canonical.cbor");
    let canonical = canonical.to_str().unwrap();
    // A prime, so that every folder is met.
    for name in good.iter().step_by(7) {
        text(&["canon", "-o", canonical, name], b"", 0);
        text(&["diff", name, canonical], b"", 0);
        assert_eq!(
            text(&["get", "/", "--out", "hex", name], b"", 0).trim().len() / 2,
            fs::read(name).unwrap().len()
        );
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The table of profiles in the README is the one that the tool prints.
#[test]
fn the_readme_has_the_table_of_profiles() {
    let Ok(readme) = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")) else {
        eprintln!("SKIPPED: there is no README.md");
        return;
    };
    let table = text(&["profiles", "--markdown"], b"", 0);
    assert!(readme.contains(&table), "README.md lacks what `calibor profiles --markdown` prints");
}
