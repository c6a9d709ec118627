//! Instructions instead of time: the same on a busy machine, so that CI can hold them.

use crate::codecs::PEERS;
use crate::measure::{Context, Line};
use crate::report::package;
use crate::workloads;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Work of this crate only, at a twentieth of its size.
const HELD: &[&str] = &[
    "W1-log encode",
    "W1-log decode",
    "W1-log decode borrowed",
    "W1-log check",
    "W1s-log-in-order encode",
    "W2-mesh encode",
    "W2-mesh decode",
    "W3-savedata encode",
    "W3-savedata decode",
    "W4-mk48 encode",
    "W4-mk48 decode",
    "W5a-f16-exact encode",
    "W5b-f32-exact decode",
    "W5d-mixed encode",
    "W6u-u64 encode",
    "W6u-u64 decode",
    "W6s-small encode",
    "W6s-small decode",
    "W7-strings decode",
    "W7-strings check",
    "W9a-map-100k encode",
    "W9b-maps-of-10 encode",
    "W10a-value-log encode",
    "W10a-value-log decode",
    "W11a-claims-104 encode",
    "W11a-claims-104 decode",
    "W11b-sign1-158 decode",
    "streams from a reader",
    "canonicalize of canonical",
    "canonicalize of unsorted",
    "depth-10-to-250 encode",
];

const SCALE: usize = 20;

/// More than a bound by this is a failure; less by as much asks for a new bound.
const TOLERANCE: f64 = 0.05;

/// The lines' own names are prefixes of each other; here one line is meant.
pub fn find(name: &str, codec: &str, scale: usize) -> Option<Line> {
    let context = Context { filters: vec![name.into()], only: Some(codec.into()), scale };
    let mut lines = workloads::WORKLOADS.iter().flat_map(|build| build(&context));
    lines.find(|line| format!("{} {}", line.work, line.op) == name)
}

/// What callgrind counts: it collects in this function and what it calls, and nowhere else.
#[inline(never)]
pub fn measured_region(run: &mut dyn FnMut(), times: usize) {
    for _ in 0..times {
        run();
    }
    std::hint::black_box(());
}

fn bounds_path() -> PathBuf {
    package().join("instructions.json")
}

/// Prints the counts, beside those of the peers if asked; compares them with the bounds or writes new ones.
/// False if one is exceeded.
pub fn run(
    check: bool,
    write: bool,
    peers: bool,
    filters: &[String],
) -> Result<bool, Box<dyn std::error::Error>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not installed: nothing counted");
        return Ok(!check);
    }
    let bounds: BTreeMap<String, u64> = match fs::read(bounds_path()) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(_) => BTreeMap::new(),
    };
    let mut counts = bounds.clone();
    let mut good = true;
    println!("{:32} {:>14} {:>14} {:>8}", "workload", "instructions", "bound", "change");
    for &name in HELD {
        if !filters.is_empty() && !filters.iter().any(|filter| name.starts_with(filter.as_str())) {
            continue;
        }
        let count = count(name, "calibor")?;
        let bound = bounds.get(name).copied();
        let change = bound.map(|bound| count as f64 / bound as f64 - 1.0);
        let verdict = match change {
            Some(change) if change > TOLERANCE => {
                good = false;
                "MORE"
            }
            Some(change) if change < -TOLERANCE => "less: lower the bound",
            Some(_) => "",
            None => "no bound",
        };
        println!(
            "{name:32} {count:>14} {:>14} {:>8} {verdict}",
            bound.map_or("–".into(), |bound| bound.to_string()),
            change.map_or("–".into(), |change| format!("{:+.1} %", change * 100.0)),
        );
        if peers {
            for codec in PEERS.iter().map(|peer| peer.0) {
                if let Ok(theirs) = self::count(name, codec) {
                    println!("    {:.2} of {codec}", count as f64 / theirs as f64);
                }
            }
        }
        counts.insert(name.into(), count);
    }
    if write {
        let mut text = serde_json::to_string_pretty(&counts)?;
        text.push('\n');
        fs::write(bounds_path(), text)?;
        println!("wrote benches/instructions.json");
    }
    Ok(good || !check)
}

fn count(name: &str, codec: &str) -> Result<u64, Box<dyn std::error::Error>> {
    let scale = SCALE.to_string();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", "--toggle-collect=*measured_region*"])
        .arg(std::env::current_exe()?)
        .args(["profile", name, "--codec", codec, "--times", "1", "--scale", &scale])
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.lines().find_map(|line| line.split_once("Collected : "));
    match collected.and_then(|(_, count)| count.trim().parse().ok()) {
        Some(count) if output.status.success() && count > 0 => Ok(count),
        _ => Err(format!("{name}: callgrind counted nothing\n{text}").into()),
    }
}
