//! Diagnostic notation: reading, printing, and the dump.

mod dump;
mod hostile;
mod parse;
mod print;

use std::path::{Path, PathBuf};

/// The real files beside the repository, or nothing and a line that says so.
fn real_files(extensions: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(folder) = root.ancestors().map(|a| a.join("shared/realworld")).find(|p| p.is_dir())
    else {
        eprintln!("SKIPPED: no shared/realworld beside the repository");
        return Vec::new();
    };
    let mut files = Vec::new();
    for group in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if group.is_dir() {
            files.extend(std::fs::read_dir(group).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let wanted =
        |path: &PathBuf| path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x));
    files.retain(wanted);
    files.sort();
    files
}

/// Fails with all that went wrong.
fn all_right(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
