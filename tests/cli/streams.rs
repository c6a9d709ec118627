//! What a page cannot show: standard input, lines, pipes, long sequences.

use crate::support::{calibor, text};
use core::time::Duration;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[test]
fn each_line_gives_one_line() {
    let lines = b"a0\nnot hex\n\na1\r\n1801\n0x82, 0x01 02 # [1, 2]";
    assert_eq!(
        text(&["check", "--lines"], lines, 1),
        "ok\n\
         error: 'n' where a hexadecimal digit is expected, at column 1\n\
         0 truncated: input ends where an item is expected (RFC 8949 §3)\n\
         1 truncated: input ends where an item is expected (RFC 8949 §3)\n\
         0 long-head: head 1801 is longer than it has to be, 01 is wanted (RFC 8949 §4.2.1)\n\
         ok\n"
    );
    assert_eq!(
        text(&["canon", "--lines"], b"1801\nff\nbf02010103ff\n", 1),
        "01\n\
         error: break where no indefinite-length item is open, RFC 8949 §3.2.1, at byte 0\n\
         a201030201\n"
    );
    assert_eq!(text(&["show", "--lines"], b"f97e01\n8301\n", 1).lines().count(), 2);
    assert_eq!(text(&["hash", "--lines"], b"01\n1801\n", 0).lines().count(), 2);
    assert_eq!(text(&["check", "--lines"], b"", 0), "");
}

#[test]
fn the_form_of_the_input_is_found_out() {
    let forms: [&[u8]; 14] = [
        b"\x82\x01\x61a",
        b"8201 6161",
        b"82 01\n61 61\n",
        b"0x82, 0x01, 0x61, 0x61",
        b"82 # array(2)\n   01 # 1\n   61 61 # \"a\"\n",
        b"[0x82, 0x01, 0x61, 0x61]",
        b"ggFhYQ==",
        b"ggFh\nYQ",
        b"[1, \"a\"]",
        b"[ 1, \"a\", ]",
        b"/ two / [1, \"a\"] # items",
        b"  8201\t6161  ",
        b"82016161\r\n",
        b"0x82016161",
    ];
    for form in forms {
        let name = String::from_utf8_lossy(form).into_owned();
        assert_eq!(text(&["show"], form, 0), "[1, \"a\"]\n", "{name}");
    }
    // Base64 has two alphabets.
    assert_eq!(text(&["show"], b"Q-__-w", 0), "h'effffb'\n");
    assert_eq!(text(&["show"], b"Q_v__w", 0), "h'fbffff'\n");
    assert_eq!(text(&["show"], b"Q/v//w==", 0), "h'fbffff'\n");
    // CBOR that is text itself.
    assert_eq!(text(&["show"], b"\x65hello", 0), "\"hello\"\n");
    // Nothing is no item.
    assert_eq!(text(&["check"], b"", 1).lines().count(), 1);
}

#[test]
fn nobody_reading_on_is_no_error() {
    let long = "82 01 61 61\n".repeat(200_000);
    for command in ["dump", "show --seq", "to-json --seq", "canon --seq --out hex", "hash --seq"] {
        let script = format!("{} {command} | head -1", env!("CARGO_BIN_EXE_calibor"));
        let output = run_script(&script, long.as_bytes());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{command}");
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1, "{command}");
    }
    let lines = "1801\n".repeat(200_000);
    let script = format!("{} check --lines | head -1", env!("CARGO_BIN_EXE_calibor"));
    let output = run_script(&script, lines.as_bytes());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

fn run_script(script: &str, stdin: &[u8]) -> std::process::Output {
    let path = std::env::temp_dir().join(format!("calibor-lines-{}", std::process::id()));
    fs::write(&path, stdin).unwrap();
    let output = Command::new("sh")
        .args(["-c", script])
        .stdin(fs::File::open(&path).unwrap())
        .output()
        .unwrap();
    fs::remove_file(path).unwrap();
    output
}

#[test]
fn a_sequence_is_read_item_by_item() {
    // Items that end anywhere in a chunk, one of them longer than two chunks.
    let mut sequence = Vec::new();
    for i in 0..50_000_u32 {
        sequence.push(0x1a);
        sequence.extend(i.to_be_bytes());
    }
    sequence.extend(b"\x5a\x00\x03\x00\x00");
    sequence.extend(vec![0; 3 << 16]);
    sequence.push(0xf6);
    let output = calibor(&["canon", "--seq"], &sequence);
    assert_eq!(output.status.code(), Some(0));
    let canonical = calibor(&["check", "--seq", "-q"], &output.stdout);
    assert_eq!(canonical.status.code(), Some(0));
    let lines = text(&["hash", "--seq", "--as-is"], &sequence, 0);
    assert_eq!(lines.lines().count(), 50_002);
    assert!(lines.ends_with("  -#50001\n"));
}

#[test]
fn an_output_file_is_whole_or_not_there() {
    let folder = std::env::temp_dir().join(format!("calibor-out-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("out.cbor");
    let file = path.to_str().unwrap();
    text(&["canon", "-o", file], b"1801", 0);
    assert_eq!(fs::read(&path).unwrap(), b"\x01");
    // The old one stays where the new one fails, and nothing else is left.
    text(&["canon", "-o", file], b"a2 0102 0102", 1);
    assert_eq!(fs::read(&path).unwrap(), b"\x01");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

/// A directory of one test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("calibor-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Dir(path)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn child(args: &[&str], folder: &Dir) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_calibor"))
        .args(args)
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file_behind() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = Dir::new("interrupt");
        fs::write(folder.0.join("out"), "old").unwrap();
        let mut child = child(&["canon", "--seq", "-o", "out"], &folder);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&[0x18, 1].repeat(100_000)).unwrap();
        // The file under its other name is there before an item is read.
        while fs::read_dir(&folder.0).unwrap().count() < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let left: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(left, [folder.0.join("out")], "{signal}");
        assert_eq!(fs::read(folder.0.join("out")).unwrap(), b"old");
        drop(stdin);
    }
}

/// The most memory that a process has had, from the kernel.
#[cfg(target_os = "linux")]
fn peak_kib(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_sequence_of_any_size_takes_the_memory_of_an_item() {
    const SIZE: usize = 24 << 20;
    const BOUND_KIB: u64 = 12 << 10;
    // Items of a kilobyte, the first one of a megabyte.
    let mut sequence = vec![0x5a, 0x00, 0x10, 0x00, 0x00];
    sequence.resize(sequence.len() + (1 << 20), 0);
    let mut item = vec![0x82, 0x18, 0x01, 0x59, 0x04, 0x00];
    item.resize(item.len() + 1024, 0xff);
    sequence.extend(item.repeat(SIZE / item.len()));
    let mut archive = b"\x11\xa2\x65roots\x80\x67version\x01".to_vec();
    let block = [b"\xaa\x08\x01\x71\x12\x20", &[0; 32][..], &item].concat();
    archive.extend(block.repeat(SIZE / block.len()));
    let lines = "[1, 1.5, \"a line of JSON\"]\n".repeat(SIZE / 27).into_bytes();
    let folder = Dir::new("memory");
    for (command, input) in [
        (&["show", "--seq"][..], &sequence),
        (&["dump", "--seq"], &sequence),
        (&["check", "--seq"], &sequence),
        (&["canon", "--seq"], &sequence),
        (&["hash", "--seq"], &sequence),
        (&["to-json", "--seq", "-q"], &sequence),
        (&["get", "/", "--seq"], &sequence),
        (&["seq", "count"], &sequence),
        (&["seq", "split"], &sequence),
        (&["seq", "join"], &sequence),
        (&["hash"], &archive),
        (&["from-json"], &lines),
        (&["from-json", "--lines"], &lines),
    ] {
        let mut child = child(command, &folder);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).unwrap();
        let peak = peak_kib(child.id());
        drop(stdin);
        assert!(child.wait().unwrap().code().unwrap() < 2, "{command:?}");
        assert!(peak < BOUND_KIB, "{command:?} took {peak} KiB of memory");
    }
}

#[cfg(unix)]
#[test]
fn files_are_read_by_the_thousand() {
    let folder = Dir::new("thousands");
    for i in 0..3000 {
        fs::write(folder.0.join(format!("{i}.cbor")), [0x18, 0x01]).unwrap();
    }
    // No more than a few files may be open at a time.
    let script = format!("ulimit -n 16; {} hash *.cbor", env!("CARGO_BIN_EXE_calibor"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 3000);
}

/// `script` gives its command a terminal.
#[cfg(target_os = "linux")]
#[test]
fn progress_is_seen_on_a_terminal_only() {
    let slow = format!("(printf '\\1'; sleep 2) | {} seq count", env!("CARGO_BIN_EXE_calibor"));
    let Ok(seen) = Command::new("script").args(["-qec", &slow, "/dev/null"]).output() else {
        eprintln!("SKIPPED: progress_is_seen_on_a_terminal_only: there is no `script`");
        return;
    };
    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(seen.contains("0 B") && seen.contains("1  -"), "{seen:?}");
    let unseen = Command::new("sh").args(["-c", &slow]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&unseen.stderr), "");
    assert_eq!(String::from_utf8_lossy(&unseen.stdout), "1  -\n");
}

#[cfg(target_os = "linux")]
#[test]
fn colour_is_for_terminals_that_want_it() {
    let run = |environment: &str, arguments: &str| {
        let tool = env!("CARGO_BIN_EXE_calibor");
        let script =
            format!("env -u NO_COLOR TERM=xterm {environment} {tool} check {arguments} -e 01");
        let Ok(seen) = Command::new("script").args(["-qec", &script, "/dev/null"]).output() else {
            eprintln!("SKIPPED: colour_is_for_terminals_that_want_it: there is no `script`");
            return None;
        };
        Some(String::from_utf8_lossy(&seen.stdout).contains("\x1b["))
    };
    assert!(run("", "").is_none_or(|colour| colour));
    assert!(run("NO_COLOR=1", "").is_none_or(|colour| !colour));
    assert!(run("", "--color never").is_none_or(|colour| !colour));
    let piped = text(&["check", "-e", "01"], b"", 0);
    assert_eq!(piped, "-: ok\n");
    assert!(text(&["--color", "always", "check", "-e", "01"], b"", 0).contains("\u{1b}["));
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_written_to_and_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Dir::new("devices");
    let (target, link) = (folder.0.join("target"), folder.0.join("link"));
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("target", &link).unwrap();
    text(&["canon", "-e", "01", "-o", link.to_str().unwrap()], b"", 0);
    assert_eq!(fs::read(&target).unwrap(), b"\x01");
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    text(&["canon", "-e", "01", "-o", "/dev/null"], b"", 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
