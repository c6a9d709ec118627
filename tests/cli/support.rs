//! Running the tool.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `calibor` with `args` and `stdin`.
pub(crate) fn calibor(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_calibor"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let feeder = std::thread::spawn(move || {
        // A tool that stops early does not read it all.
        let _ = pipe.write_all(&stdin);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

/// Standard output of a run that has to end with `status`.
pub(crate) fn text(args: &[&str], stdin: &[u8], status: i32) -> String {
    let output = calibor(args, stdin);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// The collection of real files, which is not part of the package. Says so where it is not there.
pub(crate) fn realworld() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = root.ancestors().map(|dir| dir.join("shared/realworld")).find(|dir| dir.is_dir());
    if found.is_none() {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default();
        eprintln!("SKIPPED: {name}: shared/realworld is not beside the package");
    }
    found
}
