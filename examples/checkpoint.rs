//! A safetensors file of bf16 to canonical CBOR and back, timed beside `cp`, with the peak of memory.
//!
//! `cargo run --release --example checkpoint --features safetensors -- 2048`
//!
//! Generates a file of so many MiB (64 unless given; a second argument is the directory), and asserts that it comes back
//! byte for byte and that the process never had 64 MiB. A round of each way is timed, then `cp` of the same file, three
//! times; the least counts.

// A program always has std.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)]

use calibor::array::checkpoint::{Checkpoint, Manifest, from_cbor};
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mebibytes: u64 = arguments.next().map_or(Ok(64), |size| size.parse())?;
    let directory = arguments.next().map_or_else(env::temp_dir, PathBuf::from);
    let place = |name: &str| directory.join(format!("calibor-{}-{name}", std::process::id()));
    let (file, document) = (place("in.safetensors"), place("document.cbor"));
    let (back, copy) = (place("out.safetensors"), place("cp"));

    generate(&file, mebibytes)?;
    let mut best = [Duration::MAX; 3];
    for _ in 0..3 {
        let times = [
            settled(&document, || to_cbor(&file, &document))?,
            settled(&back, || Ok(from_cbor(File::open(&document)?, File::create(&back)?)?))?,
            settled(&copy, || cp(&file, &copy))?,
        ];
        best = std::array::from_fn(|i| best[i].min(times[i]));
    }
    assert!(same(&file, &back)?, "the file came back as another");
    let mut manifest = Manifest::default();
    let hashed = time(|| Ok(manifest.add(&mut Checkpoint::open(File::open(&file)?)?)?))?;
    let peak = peak_of_memory()?;
    for path in [&file, &document, &back, &copy] {
        fs::remove_file(path)?;
    }

    let [to, from, cp] = best.map(|time| time.as_secs_f64());
    println!("{mebibytes} MiB of bf16, best of 3");
    println!("to CBOR     {to:7.3} s   {:.2} x cp", to / cp);
    println!("from CBOR   {from:7.3} s   {:.2} x cp", from / cp);
    println!("cp          {cp:7.3} s");
    println!(
        "manifest    {:7.3} s   SHA-256 of {} tensors",
        hashed.as_secs_f64(),
        manifest.tensors.len()
    );
    println!("peak        {:7.1} MiB", peak / 1024.0);
    assert!(peak < 64.0 * 1024.0, "more than 64 MiB");
    Ok(())
}

fn to_cbor(file: &Path, document: &Path) -> Result<(), Box<dyn Error>> {
    Ok(Checkpoint::open(File::open(file)?)?.to_cbor(File::create(document)?)?)
}

fn cp(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new("cp").arg("--reflink=never").arg(from).arg(to).status()?;
    if status.success() { Ok(()) } else { Err("cp failed".into()) }
}

/// Times one copy, and lets it reach the disk before the next is timed.
fn settled(
    to: &Path,
    f: impl FnOnce() -> Result<(), Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let took = time(f)?;
    File::open(to)?.sync_all()?;
    Ok(took)
}

fn time(f: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    f()?;
    Ok(start.elapsed())
}

/// A file of layers of 16 MiB, each of other bytes.
fn generate(file: &Path, mebibytes: u64) -> Result<(), Box<dyn Error>> {
    const LAYER: u64 = 16 << 20;
    let layers = mebibytes.div_ceil(16);
    let entries: Vec<String> = (0..layers)
        .map(|i| {
            let (from, to) = (i * LAYER, (i + 1) * LAYER);
            let shape = [LAYER / 2 / 4096, 4096];
            format!(
                r#""layers.{i:05}.weight":{{"dtype":"BF16","shape":{shape:?},"data_offsets":[{from},{to}]}}"#
            )
        })
        .collect();
    let mut header = format!("{{{}}}", entries.join(",")).replace(", ", ",").into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut out = File::create(file)?;
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut piece = vec![0; 1 << 20];
    for _ in 0..layers * 16 {
        for word in piece.chunks_exact_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word.copy_from_slice(&state.to_le_bytes());
        }
        out.write_all(&piece)?;
    }
    out.sync_all()?;
    Ok(())
}

fn same(a: &Path, b: &Path) -> Result<bool, Box<dyn Error>> {
    let (mut a, mut b) = (File::open(a)?, File::open(b)?);
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let mut pieces = [vec![0; 1 << 20], vec![0; 1 << 20]];
    let mut left = a.metadata()?.len();
    while left > 0 {
        let n = usize::try_from(left.min(1 << 20))?;
        a.read_exact(&mut pieces[0][..n])?;
        b.read_exact(&mut pieces[1][..n])?;
        if pieces[0][..n] != pieces[1][..n] {
            return Ok(false);
        }
        left -= n as u64;
    }
    Ok(true)
}

/// The most memory this process ever had, in KiB.
fn peak_of_memory() -> Result<f64, Box<dyn Error>> {
    let mut status = String::new();
    BufReader::new(File::open("/proc/self/status")?).read_to_string(&mut status)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
