//! What a derived type costs in code and in compile time, beside the peers.

use crate::report::{self, package, version};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A codec's dependency line, and how to read and write with it.
struct Subject {
    name: &'static str,
    dependency: String,
    decode: &'static str,
    encode: &'static str,
}

fn subjects() -> Vec<Subject> {
    let root = package().join("..");
    vec![
        Subject {
            name: "nothing",
            dependency: String::new(),
            decode: "players(&bytes)",
            encode: "count(&players)",
        },
        Subject {
            name: "calibor",
            dependency: format!("calibor = {{ path = {root:?} }}"),
            decode: "calibor::from_slice(&bytes).unwrap()",
            encode: "calibor::to_vec(&players).unwrap()",
        },
        Subject {
            name: "ciborium",
            dependency: format!("ciborium = \"={}\"", version("ciborium")),
            decode: "ciborium::from_reader(&bytes[..]).unwrap()",
            encode: "{ let mut out = Vec::new(); ciborium::into_writer(&players, &mut out).unwrap(); out }",
        },
        Subject {
            name: "cbor4ii",
            dependency: format!(
                "cbor4ii = {{ version = \"={}\", features = [\"serde1\", \"use_std\"] }}",
                version("cbor4ii")
            ),
            decode: "cbor4ii::serde::from_slice(&bytes).unwrap()",
            encode: "cbor4ii::serde::to_vec(Vec::new(), &players).unwrap()",
        },
        Subject {
            name: "minicbor-serde",
            dependency: format!(
                "minicbor-serde = {{ version = \"={}\", features = [\"std\"] }}",
                version("minicbor-serde")
            ),
            decode: "minicbor_serde::from_slice(&bytes).unwrap()",
            encode: "minicbor_serde::to_vec(&players).unwrap()",
        },
        Subject {
            name: "serde_json",
            dependency: format!("serde_json = \"={}\"", version("serde_json")),
            decode: "serde_json::from_slice(&bytes).unwrap()",
            encode: "serde_json::to_vec(&players).unwrap()",
        },
    ]
}

/// The types of W3 out of this package's source, so that the two cannot differ.
fn types() -> String {
    let source = include_str!("data.rs");
    let from = source.find("// W3:").unwrap_or(0);
    let to = source.find("const THINGS").unwrap_or(source.len());
    source[from..to].to_owned()
}

struct Built {
    name: &'static str,
    speed: u64,
    small: u64,
    lines: usize,
    seconds: f64,
}

/// Builds one program for each codec and compares them.
pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    let folder = package().join("target/size");
    let mut built = Vec::new();
    for subject in subjects() {
        eprintln!("building with {}", subject.name);
        built.push(build(&folder, &subject)?);
    }
    let Some(base) = built.iter().find(|built| built.name == "nothing") else { return Ok(()) };
    let (speed, small, lines) = (base.speed, base.small, base.lines);
    let mut rows = String::new();
    for built in built.iter().filter(|built| built.name != "nothing") {
        let _ = writeln!(
            rows,
            "| {} | {} KiB | {} KiB | {} | {:.1} s |",
            built.name,
            built.speed.saturating_sub(speed) / 1024,
            built.small.saturating_sub(small) / 1024,
            built.lines.saturating_sub(lines),
            built.seconds,
        );
    }
    let body = format!(
        "## Code size and compile time

A program that reads and writes the derived types of W3 (5 types, 37 fields), beside the same program without a codec: bytes that
the stripped binary grows by, in a plain release build and in one for size (`opt-level = \"s\"`, LTO, abort on panic); lines of the
compiler's intermediate code that the codec adds to the user's own crate; time to build that crate, its dependencies being there.

| codec | release | for size | lines | build |
|---|--:|--:|--:|--:|
{rows}
    cargo run --release --manifest-path benches/Cargo.toml -- size
"
    );
    println!("{body}");
    Ok(report::replace_section("size", &body)?)
}

fn build(folder: &Path, subject: &Subject) -> Result<Built, Box<dyn std::error::Error>> {
    let name = format!("size-{}", subject.name);
    let folder_of = folder.join(&name);
    fs::create_dir_all(folder_of.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         serde = {{ version = \"1.0\", features = [\"derive\"] }}\nserde_bytes = \"0.11\"\n{}\n\n\
         [profile.release]\nstrip = true\n\n\
         [profile.small]\ninherits = \"release\"\nopt-level = \"s\"\nlto = \"fat\"\ncodegen-units = 1\npanic = \"abort\"\n",
        subject.dependency
    );
    let main = format!(
        "use serde::{{Deserialize, Serialize}};\nuse serde_bytes::ByteBuf;\nuse std::collections::BTreeMap;\n\
         use std::io::{{Read, Write}};\n\n{}\n{}\n\
         fn main() {{\n    let mut bytes = Vec::new();\n    std::io::stdin().read_to_end(&mut bytes).unwrap();\n    \
         let players: Vec<Player> = {};\n    let out: Vec<u8> = {};\n    std::io::stdout().write_all(&out).unwrap();\n}}\n",
        types(),
        if subject.name == "nothing" {
            "fn players(_: &[u8]) -> Vec<Player> { std::hint::black_box(Vec::new()) }\n\
             fn count(players: &[Player]) -> Vec<u8> { vec![players.len() as u8] }\n"
        } else {
            ""
        },
        subject.decode,
        subject.encode,
    );
    fs::write(folder_of.join("Cargo.toml"), manifest)?;
    fs::write(folder_of.join("src/main.rs"), &main)?;
    let target = folder.join("target");
    cargo(&folder_of, &target, &["build", "--release", "--quiet"])?;
    // Once more, for the time of the user's own crate.
    fs::write(folder_of.join("src/main.rs"), format!("{main}// again\n"))?;
    let start = Instant::now();
    cargo(&folder_of, &target, &["build", "--release", "--quiet"])?;
    let seconds = start.elapsed().as_secs_f64();
    let speed = fs::metadata(target.join("release").join(&name))?.len();
    cargo(&folder_of, &target, &["build", "--profile", "small", "--quiet"])?;
    let small = fs::metadata(target.join("small").join(&name))?.len();
    let ir = folder.join(format!("{name}.ll"));
    let emit = format!("--emit=llvm-ir={}", ir.display());
    let arguments = [
        "rustc",
        "--release",
        "--quiet",
        "--",
        &emit,
        "-Ccodegen-units=1",
        "-Cno-prepopulate-passes",
    ];
    cargo(&folder_of, &target, &arguments)?;
    Ok(Built { name: subject.name, speed, small, lines: code_lines(&ir)?, seconds })
}

/// Lines inside of functions.
fn code_lines(path: &PathBuf) -> std::io::Result<usize> {
    let text = fs::read_to_string(path)?;
    let mut inside = false;
    let mut lines = 0;
    for line in text.lines() {
        match line {
            "}" => inside = false,
            _ if line.starts_with("define ") => inside = true,
            _ => lines += usize::from(inside && !line.trim().is_empty()),
        }
    }
    Ok(lines)
}

fn cargo(
    folder: &Path,
    target: &Path,
    arguments: &[&str],
) -> Result<(), Box<dyn std::error::Error>> {
    let status = Command::new("cargo")
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .status()?;
    if status.success() { Ok(()) } else { Err(format!("cargo {}", arguments.join(" ")).into()) }
}
