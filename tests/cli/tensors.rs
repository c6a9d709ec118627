//! `calibor tensors`, on files made here.

use crate::support::{calibor, text};
use std::fs;
use std::path::PathBuf;

/// A directory of one test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("calibor-tensors-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, header: &str, data: &[u8]) -> String {
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(data);
        fs::write(self.0.join(name), file).unwrap();
        self.path(name)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const TWO: &str = r#"{"w":{"dtype":"BF16","shape":[1,3],"data_offsets":[0,6]},"b":{"dtype":"I8","shape":[2],"data_offsets":[6,8]}}"#;

#[test]
fn there_and_back() {
    let dir = Dir::new("back");
    let file = dir.file("in.safetensors", TWO, b"\x80\x3f\x81\x7f\x20\xc0\xff\x05");
    assert_eq!(
        text(&["tensors", &file], b"", 0),
        "w  BF16         [1, 3]  6  min -2.5  max 1  nan 1  \
         36acdb799dbeeeaca26d64f9325a4a979e4a52270ce4e881ee2b85c5fcfdcd87\n\
         b  I8           [2]     2  min -1  max 5  nan 0  \
         b9fe6c9d03eb685a1a234b4782234e455cce35f78467858e21a59ca9ab6cc3c0\n"
    );
    let (document, back) = (dir.path("document.cbor"), dir.path("out.safetensors"));
    assert_eq!(text(&["tensors", &file, "--to-cbor", &document], b"", 0), "");
    assert_eq!(text(&["check", &document], b"", 0), format!("{document}: ok\n"));
    assert_eq!(text(&["tensors", &document, "--from-cbor", &back], b"", 0), "");
    assert_eq!(fs::read(&back).unwrap(), fs::read(&file).unwrap());
    // Onto itself: the file is replaced when the other is complete.
    assert_eq!(text(&["tensors", &document, "--from-cbor", &document], b"", 0), "");
    assert_eq!(fs::read(&document).unwrap(), fs::read(&file).unwrap());
}

/// The files of the page `tensors.md` are these, and nothing else is in them.
#[test]
fn files_of_the_page() {
    let weight = b"\x80\x3f\x20\xc0\xcd\x3d\x81\x7f\x80\x7f\x01\x00";
    let rest = b"\x00\x3c\x00\xc1\x00\x38\x08";
    let whole = r#"{"__metadata__":{"format":"pt"},"unused":{"dtype":"F32","shape":[0,4],"data_offsets":[0,0]},"up.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"up.scale":{"dtype":"F16","shape":[1,2],"data_offsets":[12,16]},"up.bias":{"dtype":"I8","shape":[3],"data_offsets":[16,19]}}"#;
    let first = r#"{"unused":{"dtype":"F32","shape":[0,4],"data_offsets":[0,0]},"up.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}"#;
    let second = r#"{"up.scale":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"up.bias":{"dtype":"I8","shape":[3],"data_offsets":[4,7]}}"#;
    let short = r#"{"up.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}"#;
    let shape = r#"{"w":{"dtype":"BF16","shape":[2,2],"data_offsets":[0,12]}}"#;
    let int4 = r#"{"w":{"dtype":"I4","shape":[2],"data_offsets":[0,1]}}"#;
    let dir = Dir::new("page");
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    for (name, header, data) in [
        ("tensors.in/model.safetensors", whole, [&weight[..], rest].concat()),
        ("tensors.out/back.safetensors", whole, [&weight[..], rest].concat()),
        ("tensors.in/model-1-of-2.safetensors", first, weight.to_vec()),
        ("tensors.in/model-2-of-2.safetensors", second, rest.to_vec()),
        ("tensors.in/short.safetensors", short, weight[..9].to_vec()),
        ("tensors.in/shape.safetensors", shape, weight.to_vec()),
        ("tensors.in/int4.safetensors", int4, b"a".to_vec()),
    ] {
        let padded = header.len().next_multiple_of(8);
        let made = dir.file("made", &format!("{header:padded$}"), &data);
        assert!(fs::read(made).unwrap() == fs::read(page.join(name)).unwrap(), "{name}");
    }
}

/// A name is data of a stranger: it gets one line, and no say over the terminal.
#[test]
fn names_stay_on_their_line() {
    let dir = Dir::new("names");
    let header = r#"{"a\n\u001b[2J":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"bé b":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#;
    let listed = text(&["tensors", &dir.file("in", header, b"")], b"", 0);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].starts_with(r#""a\n\u{1b}[2J"  U8"#), "{listed}");
    assert!(lines[1].starts_with("bé b            U8"), "{listed}");
}

#[test]
fn manifests_of_shards() {
    let dir = Dir::new("shards");
    let whole = dir.file("whole", TWO, b"\x80\x3f\x81\x7f\x20\xc0\xff\x05");
    let w = r#"{"w":{"dtype":"BF16","shape":[1,3],"data_offsets":[0,6]}}"#;
    let b = r#"{"b":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}}"#;
    let w = dir.file("w", w, b"\x80\x3f\x81\x7f\x20\xc0");
    let b = dir.file("b", b, b"\xff\x05");
    let one = text(&["tensors", "--manifest", "--out", "hex", &whole], b"", 0);
    assert!(
        one.starts_with("a16774656e736f7273a26162a36564747970656249386573686170658102"),
        "{one}"
    );
    assert_eq!(text(&["tensors", "--manifest", "--out", "hex", &b, &w], b"", 0), one);
    let twice = calibor(&["tensors", "--manifest", &w, &w], b"");
    assert_eq!(twice.status.code(), Some(1));
}

#[test]
fn faults_have_their_status() {
    let dir = Dir::new("faults");
    let bad = dir.file("bad", r#"{"w":{"dtype":"U9","shape":[],"data_offsets":[0,1]}}"#, b"a");
    let out = dir.path("out");
    for (args, status, words) in [
        (&["tensors", &bad][..], 1, "unknown variant `U9`"),
        (&["tensors", &bad, "--to-cbor", &out], 1, "unknown variant `U9`"),
        (&["tensors", &bad, "--from-cbor", &out], 1, "a checkpoint, which is a map, is wanted"),
        (&["tensors", &dir.path("none")], 3, "none: No such file"),
        (&["tensors"], 2, "FILE"),
        (&["tensors", &bad, &bad, "--to-cbor", &out], 2, "one FILE is written at a time"),
        (&["tensors", &bad, "--to-cbor", &out, "--manifest"], 2, "cannot be used with"),
        (&["tensors", &bad, "-o", &out], 2, "go with --manifest"),
    ] {
        let ran = calibor(args, b"");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
    assert_eq!(fs::read_dir(&dir.0).unwrap().count(), 1, "something was left behind");
}
