//! What a page cannot show: standard input, lines, pipes, long sequences.

use crate::support::{calibor, text};
use std::fs;

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
    let lines = "1801\n".repeat(200_000);
    let script = format!("{} check --lines | head -1", env!("CARGO_BIN_EXE_calibor"));
    let output = run_script(&script, lines.as_bytes());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

fn run_script(script: &str, stdin: &[u8]) -> std::process::Output {
    let path = std::env::temp_dir().join(format!("calibor-lines-{}", std::process::id()));
    fs::write(&path, stdin).unwrap();
    let output = std::process::Command::new("sh")
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
