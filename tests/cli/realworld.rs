//! The tool over every file that was collected from public sources.

use crate::support::{calibor, realworld, text};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
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

/// The files of the collection with one of these names, sorted.
fn collected(extensions: &[&str]) -> Option<Vec<String>> {
    let mut files = Vec::new();
    let mut pending = vec![realworld()?];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if extensions.iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
            files.push(path.to_str().unwrap().to_owned());
        }
    }
    files.sort();
    Some(files)
}

/// Every item of the collection, and each by itself: all but one file with bytes behind its item.
fn items() -> Option<(Vec<String>, Vec<Vec<u8>>)> {
    let mut files = collected(&["cbor", "cose", "dag-cbor"])?;
    assert!(files.len() > 1000);
    files.retain(|name| !name.contains(TRAILING));
    let bytes = files.iter().map(|name| fs::read(name).unwrap()).collect();
    Some((files, bytes))
}

const TRAILING: &str = "CBO2.cose.cbor";

/// Standard output of a command over files, all of which have to please it.
fn over(command: &[&str], files: &[String]) -> String {
    let names = files.iter().map(String::as_str);
    text(&command.iter().copied().chain(names).collect::<Vec<_>>(), b"", 0)
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[test]
fn the_one_bad_file_is_named_by_every_command() {
    let Some(files) = collected(&["cbor"]) else { return };
    let bad: Vec<_> = files.into_iter().filter(|name| name.contains(TRAILING)).collect();
    let [bad] = &bad[..] else { panic!("{bad:?}") };
    for command in [
        &["show"][..],
        &["check"],
        &["canon"],
        &["hash"],
        &["hash", "--as-is"],
        &["to-json"],
        &["get", "/"],
        &["diff", bad],
    ] {
        let output = calibor(&[command, &[bad]].concat(), b"");
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let told = if command == ["check"] { output.stdout } else { output.stderr };
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains(TRAILING) && told.contains("after the item"), "{command:?}: {told}");
    }
}

/// What `show` and `dump` print is read again, in every layout, and gives the bytes of all files.
#[test]
fn every_file_is_shown_and_read_back() {
    let Some((files, bytes)) = items() else { return };
    let sequence = bytes.concat();
    for show in [
        &["show"][..],
        &["show", "--pretty", "--width", "40", "--bytes", "text"],
        &["show", "--embedded", "--pretty", "--offsets", "--bytes", "base64"],
    ] {
        let shown = over(show, &files);
        let read = calibor(&["from-edn", "--seq"], shown.as_bytes());
        assert_eq!(read.status.code(), Some(0), "{show:?}");
        assert!(read.stdout == sequence, "{show:?} and from-edn do not agree");
    }
    for dump in [&["dump"][..], &["dump", "--embedded"]] {
        let dumped = over(dump, &files);
        let read = calibor(&["seq", "join", "--in", "hex"], dumped.as_bytes());
        assert!(read.stdout == sequence, "{dump:?} is not hex of the files");
    }
    let exact = over(&["get", "/", "--out", "hex"], &files);
    assert!(exact.lines().eq(bytes.iter().map(|bytes| hex(bytes))), "get does not print the bytes");
    // In JSON the bytes of a line come from the right place.
    let lines = over(&["dump", "--json"], &files[..50]);
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let at = files.iter().position(|name| *name == line["file"].as_str().unwrap()).unwrap();
        let offset = usize::try_from(line["offset"].as_u64().unwrap()).unwrap();
        assert!(hex(&bytes[at][offset..]).starts_with(line["bytes"].as_str().unwrap()));
    }
}

/// `canon`, `check`, `hash` and `diff` tell the same of every file.
#[test]
fn every_file_is_made_canonical() {
    let Some((files, bytes)) = items() else { return };
    for (line, (name, bytes)) in
        over(&["hash", "--as-is"], &files).lines().zip(files.iter().zip(&bytes))
    {
        assert_eq!(line, format!("{}  {name}", sha256(bytes)));
    }
    let folder = std::env::temp_dir().join(format!("calibor-canon-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let dir = folder.to_str().unwrap();
    let all = folder.join("all.cborseq");
    over(&["canon", "-o", all.to_str().unwrap()], &files);
    text(&["check", "-qq", all.to_str().unwrap()], b"", 0);
    text(&["seq", "split", all.to_str().unwrap(), "-d", dir], b"", 0);
    let hashes = over(&["hash"], &files);
    let names: Vec<_> = files.iter().map(String::as_str).collect();
    let checked = calibor(&[&["check", "--json"][..], &names].concat(), b"");
    let checked = String::from_utf8(checked.stdout).unwrap();
    let (mut hashes, mut checked) = (hashes.lines(), checked.lines());
    for (i, (name, bytes)) in files.iter().zip(&bytes).enumerate() {
        let path = folder.join(format!("{i}.cbor"));
        let canonical = fs::read(&path).unwrap();
        assert_eq!(hashes.next().unwrap(), format!("{}  {name}", sha256(&canonical)));
        let report: serde_json::Value = serde_json::from_str(checked.next().unwrap()).unwrap();
        assert_eq!(report["canonical"], canonical == *bytes, "{name}");
        let told = text(&["diff", name, path.to_str().unwrap()], b"", 0);
        let same = canonical == *bytes;
        assert_eq!(told, if same { "" } else { "same data, different encoding\n" }, "{name}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Every file becomes JSON; what becomes JSON without loss becomes the same data again.
#[test]
fn every_file_becomes_json() {
    let Some((files, _)) = items() else { return };
    let lines = over(&["to-json", "-q"], &files);
    assert_eq!(lines.lines().count(), files.len());
    for (line, name) in lines.lines().zip(&files) {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let names: Vec<_> = files.iter().map(String::as_str).collect();
    let strict = calibor(&[&["to-json", "--strict"][..], &names].concat(), b"");
    let refused = String::from_utf8(strict.stderr).unwrap();
    let lost: HashSet<_> = refused
        .lines()
        .map(|line| line.strip_prefix("error: ").unwrap().split(": ").next().unwrap())
        .collect();
    let kept: Vec<_> = files.iter().filter(|name| !lost.contains(name.as_str())).cloned().collect();
    assert!(kept.len() > 100, "{} files are JSON", kept.len());
    let again = calibor(&["from-json"], &strict.stdout);
    let hashes = text(&["hash", "--seq", "--as-is"], &again.stdout, 0);
    let hash = |line: &str| line.split(' ').next().unwrap().to_owned();
    let wanted = over(&["hash"], &kept);
    assert!(hashes.lines().map(hash).eq(wanted.lines().map(hash)), "JSON is other data");
}

/// `check` looks into the byte strings that `show` opens, and `get` goes there.
#[test]
fn what_is_embedded_is_found_by_every_command() {
    let Some((files, bytes)) = items() else { return };
    let names: Vec<_> = files.iter().map(String::as_str).collect();
    let checked = calibor(&[&["check", "--json", "--embedded"][..], &names].concat(), b"");
    let checked = String::from_utf8(checked.stdout).unwrap();
    let shown = over(&["show", "--embedded"], &files);
    let mut met = 0;
    for (i, (report, shown)) in checked.lines().zip(shown.lines()).enumerate() {
        let report: serde_json::Value = serde_json::from_str(report).unwrap();
        let paths = report["embedded"].as_array().unwrap();
        // Outside of texts, which can have anything in them.
        let opened = shown.split('"').step_by(2).map(|part| part.matches("<<").count());
        if !shown.contains('\\') {
            assert_eq!(paths.len(), opened.sum::<usize>(), "{}: {shown}", files[i]);
        }
        for path in paths {
            met += 1;
            if met % 37 == 0 {
                let inner =
                    calibor(&["get", path.as_str().unwrap(), "--out", "bin", &files[i]], b"");
                assert_eq!(inner.status.code(), Some(0), "{path} of {}", files[i]);
                let around = bytes[i].windows(inner.stdout.len());
                assert!(around.into_iter().any(|part| part == inner.stdout), "{path}");
            }
        }
    }
    assert!(met > 900, "{met} items in byte strings");
}

/// The blocks of an archive have the hashes that are in their names.
#[test]
fn archives_are_read_block_by_block() {
    let Some(archives) = collected(&["car"]) else { return };
    assert!(archives.len() >= 5);
    let mut blocks = 0;
    for name in &archives {
        let bytes = fs::read(name).unwrap();
        for line in text(&["hash", "--as-is", "--json", name], b"", 0).lines().skip(1) {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let offset = usize::try_from(line["offset"].as_u64().unwrap()).unwrap();
            let digest = hex(&bytes[offset - 32..offset]);
            assert_eq!(line["sha256"], digest, "{name} at {offset}");
            blocks += 1;
        }
        let items = text(&["seq", "count", name], b"", 0);
        let shown = text(&["show", "--compact", name], b"", 0).lines().count();
        assert_eq!(items, format!("{shown}  {name}\n"));
        text(&["check", "-p", "dag-cbor", "-q", name], b"", 0);
        for command in [&["dump"][..], &["to-json", "-q"], &["canon", "-p", "dag-cbor"]] {
            let output = calibor(&[command, &[name]].concat(), b"");
            assert_eq!(output.status.code(), Some(0), "{command:?} {name}");
        }
    }
    assert!(blocks > 500, "{blocks} blocks");
}

/// The table of profiles in the README is the one that the tool prints, and its first command does what it says.
#[test]
fn the_readme_has_what_the_tool_prints() {
    let root = env!("CARGO_MANIFEST_DIR");
    let Ok(readme) = fs::read_to_string(format!("{root}/README.md")) else {
        eprintln!("SKIPPED: the_readme_has_what_the_tool_prints: there is no README.md");
        return;
    };
    let table = text(&["profiles", "--markdown"], b"", 0);
    assert!(readme.contains(&table), "README.md lacks what `calibor profiles --markdown` prints");
    let checked = calibor(&["check", &format!("{root}/vectors/realworld")], b"");
    assert_eq!(checked.status.code(), Some(1));
    let summary = String::from_utf8(checked.stderr).unwrap();
    let numbers: Vec<usize> =
        summary.lines().next().unwrap().split(' ').filter_map(|word| word.parse().ok()).collect();
    let [files, _, broken, malformed] = numbers[..] else { panic!("{summary}") };
    let said = format!("tells of each of {files} real files");
    assert!(readme.contains(&said), "README.md does not say: {said}");
    let said = format!("{} files are at fault", broken + malformed);
    assert!(readme.contains(&said), "README.md does not say: {said}");
}
