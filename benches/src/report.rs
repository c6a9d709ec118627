//! The table of ratios, on the terminal and as `docs/performance.md`.

use crate::codecs::{DISTANT, Kind, PEERS};
use crate::measure::{Against, Goal, Line, Measured};
use crate::tensors;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the package is; the documents are beside it.
pub fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn docs() -> PathBuf {
    package().join("../docs")
}

/// One goal and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub work: String,
    pub op: String,
    /// Whom it is measured against, in words.
    pub against: String,
    /// The codec that was the fastest of them; a dagger if it decodes its own bytes.
    pub best: String,
    pub panel: Panel,
    pub target: f64,
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

/// The part of the chart a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Panel {
    Peers,
    Sorting,
    Itself,
}

impl Row {
    /// Within the noise of a ratio that was measured in pairs.
    pub fn hit(&self) -> bool {
        self.ratio <= self.target * 1.02
    }
}

/// All codecs of one line, as ratios to the fastest serde CBOR peer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Detail {
    pub work: String,
    pub op: String,
    pub cases: Vec<Cell>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    pub codec: String,
    pub kind: String,
    pub own: bool,
    pub ratio: f64,
    pub calls: usize,
    pub peak: usize,
    /// The median time; the page shows it only where it says more than a ratio.
    #[serde(default)]
    pub seconds: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Results {
    pub rows: Vec<Row>,
    pub details: Vec<Detail>,
}

impl Results {
    pub fn add(&mut self, line: &Line, measured: &[Measured]) {
        let ours = measured.iter().find(|case| case.kind == Kind::Ours);
        for goal in &line.goals {
            let Some((ours, other)) = ours.zip(opponent(line, measured, goal)) else { continue };
            let ratio = ours.ratio(other);
            self.rows.push(Row {
                work: line.work.into(),
                op: line.op.into(),
                against: words(goal.against).into(),
                best: name(other),
                panel: match goal.against {
                    Against::Sorting => Panel::Sorting,
                    Against::Case(_) => Panel::Itself,
                    _ => Panel::Peers,
                },
                target: goal.most,
                ratio: ratio.median,
                low: ratio.low,
                high: ratio.high,
            });
        }
        let best = fastest(measured, |case| is_peer(line, case)).or(ours);
        let cells = measured.iter().map(|case| Cell {
            codec: case.codec.into(),
            kind: format!("{:?}", case.kind),
            own: case.own,
            ratio: best.map_or(f64::NAN, |best| case.ratio(best).median),
            calls: case.memory.calls,
            peak: case.memory.peak,
            seconds: case.median(),
        });
        self.details.push(Detail {
            work: line.work.into(),
            op: line.op.into(),
            cases: cells.collect(),
        });
    }
}

/// The peers of a line: for encoding those that do not sort, since nobody else who sorts comes near.
fn is_peer(line: &Line, case: &Measured) -> bool {
    let encodes = matches!(line.op, "encode" | "to a writer");
    case.kind == Kind::Plain || (case.kind == Kind::Sorting && !encodes)
}

fn opponent<'m>(line: &Line, measured: &'m [Measured], goal: &Goal) -> Option<&'m Measured> {
    match goal.against {
        Against::Best => fastest(measured, |case| is_peer(line, case)),
        Against::Shortening => {
            fastest(measured, |case| case.short && matches!(case.kind, Kind::Plain | Kind::Sorting))
        }
        Against::Reading => fastest(measured, |case| is_peer(line, case) && !case.own),
        Against::Sorting => fastest(measured, |case| case.kind == Kind::Sorting),
        Against::HandSorted => fastest(measured, |case| case.kind == Kind::HandSorted),
        Against::Case(name) => measured.iter().find(|case| case.codec == name),
    }
}

fn fastest(measured: &[Measured], among: impl Fn(&Measured) -> bool) -> Option<&Measured> {
    let among = measured.iter().filter(|case| among(case));
    among.min_by(|a, b| a.median().total_cmp(&b.median()))
}

fn name(case: &Measured) -> String {
    format!("{}{}", case.codec, if case.own { "†" } else { "" })
}

fn words(against: Against) -> &'static str {
    match against {
        Against::Best => "fastest peer",
        Against::Shortening => "fastest that shortens",
        Against::Reading => "fastest that reads them",
        Against::Sorting => "fastest that sorts",
        Against::HandSorted => "fastest sorted by hand",
        Against::Case(_) => "itself",
    }
}

/// A line for the terminal, while the others are still being measured.
pub fn print_line(results: &Results, line: &Line, measured: &[Measured]) {
    println!("{} {}", line.work, line.op);
    for row in results.rows.iter().filter(|row| row.work == line.work && row.op == line.op) {
        println!(
            "  {} {} ({} to {}) of {}, {}; target {}",
            if row.hit() { "hit " } else { "MISS" },
            short(row.ratio),
            short(row.low),
            short(row.high),
            row.against,
            row.best,
            short(row.target)
        );
    }
    let mut cases: Vec<&Measured> = measured.iter().collect();
    cases.sort_by(|a, b| a.median().total_cmp(&b.median()));
    for case in cases {
        println!(
            "      {:26} {:>11}  {:>8} allocations, {:>10} bytes at most",
            name(case),
            time(case.median()),
            case.memory.calls,
            case.memory.peak
        );
    }
}

/// A ratio with two digits behind the point, or with its power of ten where they would be zeros.
fn short(ratio: f64) -> String {
    if ratio < 0.005 { format!("{ratio:.0e}") } else { format!("{ratio:.2}") }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}

/// Where results are kept, so that the document can show builds with and without link-time optimization.
fn kept(profile: &str) -> PathBuf {
    package().join("target").join(format!("results-{profile}.json"))
}

pub fn keep(results: &Results, profile: &str) -> std::io::Result<()> {
    fs::create_dir_all(package().join("target"))?;
    fs::write(kept(profile), serde_json::to_vec(results)?)
}

pub fn kept_results(profile: &str) -> Option<Results> {
    serde_json::from_slice(&fs::read(kept(profile)).ok()?).ok()
}

/// The whole document; the sections that other commands or people write stay.
pub fn document(results: &Results, nolto: Option<&Results>, quick: bool) -> String {
    let old = fs::read_to_string(docs().join("performance.md")).unwrap_or_default();
    let mut out = String::new();
    let hits = results.rows.iter().filter(|row| row.hit()).count();
    let _ = write!(
        out,
        "# Performance

Calibor beside every serde CBOR codec on crates.io that is in use, measured on the same data in one process. Calibor writes
deterministic output and reads strictly throughout; the peers are plain and lenient, except where the table says that they sort.
Everything here is a ratio of times: below 1 is faster than the peer. Ratios move by about a tenth between machines.

**{hits} of {} targets met.** Of {} operations with a peer, Calibor is ahead in {}.

![Ratios to the fastest peer of each line](performance.svg)

    cargo run --release --manifest-path benches/Cargo.toml -- table{}

made this page on {}, with {} and fat link-time optimization. {}

",
        results.rows.len(),
        results.rows.iter().filter(|row| row.panel == Panel::Peers).count(),
        results.rows.iter().filter(|row| row.panel == Panel::Peers && row.ratio < 1.0).count(),
        if quick { " --quick" } else { "" },
        today(),
        compiler(),
        if quick { "Few repetitions: take differences below a fifth for noise." } else { "" },
    );
    out.push_str(&targets(results, nolto));
    out.push_str(&kept_section(&old, "notes"));
    out.push_str(&all_codecs(results));
    out.push_str(&typed_arrays(results));
    out.push_str(&memory(results));
    out.push_str(&kept_section(&old, "floats"));
    out.push_str(&kept_section(&old, "size"));
    out.push_str(&method());
    out
}

fn targets(results: &Results, nolto: Option<&Results>) -> String {
    let mut out = String::from(
        "## Targets

The ratio is the median over rounds of Calibor's time by that of the fastest codec of its kind in the same round, with the
tenth and ninetieth percentile. † decodes its own bytes, because it cannot read the deterministic ones.

",
    );
    out.push_str("| workload | operation | against | ratio | spread | target | |");
    out.push_str(if nolto.is_some() { " without LTO |\n" } else { "\n" });
    out.push_str("|---|---|---|--:|--:|--:|---|");
    out.push_str(if nolto.is_some() { "--:|\n" } else { "\n" });
    for row in &results.rows {
        let against = if row.panel == Panel::Itself {
            format!("itself: {}", row.best)
        } else {
            format!("{}: {}", row.against, row.best)
        };
        let _ = write!(
            out,
            "| {} | {} | {against} | **{}** | {}–{} | {} | {} |",
            row.work,
            row.op,
            short(row.ratio),
            short(row.low),
            short(row.high),
            short(row.target),
            if row.hit() { "hit" } else { "**miss**" }
        );
        if let Some(nolto) = nolto {
            let same = |other: &&Row| {
                (&other.work, &other.op, &other.against) == (&row.work, &row.op, &row.against)
            };
            match nolto.rows.iter().find(same) {
                Some(other) => {
                    let _ = write!(out, " {:.2} |", other.ratio);
                }
                None => out.push_str(" – |"),
            }
        }
        out.push('\n');
    }
    out.push('\n');
    out
}

fn all_codecs(results: &Results) -> String {
    let mut out = String::from(
        "## Every codec

Ratios to the fastest serde CBOR peer of the line (for encoding, of those that do not sort), in bold. `–` is: cannot do it.
`dagcbor` is serde_ipld_dagcbor, `-canon` and `-det` are the sorting modes of cbor2 and c2pa_cbor. The check is Calibor's whole
profile (UTF-8, order, duplicates, shortest forms) beside the peers' `IgnoredAny`, which looks at heads only.

",
    );
    let columns: Vec<&str> = PEERS.iter().map(|peer| peer.0).collect();
    let _ = writeln!(out, "| workload | operation | calibor | {} |", columns.join(" | "));
    let _ = writeln!(out, "|---|---|--:|{}", "--:|".repeat(columns.len()));
    let compared = |detail: &&Detail| detail.cases.iter().any(|cell| cell.kind == "Plain");
    for detail in results.details.iter().filter(compared) {
        let _ = write!(out, "| {} | {} |", detail.work, detail.op);
        for codec in std::iter::once("calibor").chain(columns.iter().copied()) {
            match detail.cases.iter().find(|cell| cell.codec == codec) {
                Some(cell) if cell.ratio == 1.0 => {
                    let _ = write!(out, " **1.00{}** |", if cell.own { "†" } else { "" });
                }
                Some(cell) => {
                    let _ = write!(out, " {:.2}{} |", cell.ratio, if cell.own { "†" } else { "" });
                }
                None => out.push_str(" – |"),
            }
        }
        out.push('\n');
    }
    out.push_str("\n### Other formats, and the limits\n\n");
    out.push_str("The same ratio for formats that have less to do, and for what the work cannot be done without.\n\n");
    let _ = writeln!(out, "| workload | operation | calibor | {} | limits |", DISTANT.join(" | "));
    let _ = writeln!(out, "|---|---|--:|{}---|", "--:|".repeat(DISTANT.len()));
    for detail in results.details.iter().filter(compared) {
        let limits =
            detail.cases.iter().filter(|cell| matches!(&*cell.kind, "Limit" | "HandSorted"));
        let limits: Vec<String> =
            limits.map(|cell| format!("{} {:.2}", cell.codec, cell.ratio)).collect();
        let _ = write!(out, "| {} | {} |", detail.work, detail.op);
        for codec in std::iter::once("calibor").chain(DISTANT.iter().copied()) {
            match detail.cases.iter().find(|cell| cell.codec == codec) {
                Some(cell) => {
                    let _ = write!(out, " {:.2} |", cell.ratio);
                }
                None => out.push_str(" – |"),
            }
        }
        let _ = writeln!(out, " {} |", limits.join(", "));
    }
    out.push('\n');
    out
}

/// Times and no ratios alone: what is told here is that one of them does not depend on the length.
fn typed_arrays(results: &Results) -> String {
    let mut out = String::from(
        "## Typed arrays

100 MB of f16 as one byte string (RFC 8746, tag 84), little-endian on a little-endian machine, with features `simd` and `bytemuck`.
A slice is the input itself. `one by one` is the same numbers as a plain array of floats, as everybody else reads them; the copies
are of as many bytes as are read, or as the result has.

| operation | who | time | of calibor |
|---|---|--:|--:|
",
    );
    for detail in results.details.iter().filter(|detail| detail.work == tensors::WORK) {
        let ours = detail.cases.iter().find(|cell| cell.kind == "Ours");
        let mut cells: Vec<&Cell> = detail.cases.iter().collect();
        cells.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        for cell in cells {
            let times = ours.map_or(f64::NAN, |ours| cell.seconds / ours.seconds);
            let times = if times >= 1e3 { format!("{times:.0}") } else { format!("{times:.2}") };
            let (op, who) = (&detail.op, &cell.codec);
            let who = if cell.kind == "Plain" { format!("{who}, one by one") } else { who.clone() };
            let _ = writeln!(out, "| {op} | {who} | {} | {times} |", time(cell.seconds));
        }
    }
    out.push_str(
        "\n    cargo run --release --manifest-path benches/Cargo.toml -- table --filter W12\n\n",
    );
    out
}

fn memory(results: &Results) -> String {
    let mut out = String::from(
        "## Memory

Calls of the allocator, and the most bytes in use at once, for one run of the work (64 messages for W11).

| workload | operation | calibor calls | bytes | fewest calls of a peer | fewest bytes of a peer |
|---|---|--:|--:|--:|--:|
",
    );
    for detail in &results.details {
        let Some(ours) = detail.cases.iter().find(|cell| cell.kind == "Ours") else { continue };
        let peers =
            || detail.cases.iter().filter(|cell| matches!(&*cell.kind, "Plain" | "Sorting"));
        let calls = peers().min_by_key(|cell| cell.calls);
        let bytes = peers().min_by_key(|cell| cell.peak);
        let show = |n: Option<String>| n.unwrap_or_else(|| "–".into());
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            detail.work,
            detail.op,
            ours.calls,
            ours.peak,
            show(calls.map(|cell| format!("{} ({})", cell.calls, cell.codec))),
            show(bytes.map(|cell| format!("{} ({})", cell.peak, cell.codec))),
        );
    }
    out.push('\n');
    out
}

fn method() -> String {
    let mut packages: Vec<&str> = PEERS.iter().map(|peer| peer.1).collect();
    packages.extend(DISTANT);
    packages.sort_unstable();
    packages.dedup();
    let versions: Vec<String> =
        packages.iter().map(|package| format!("{package} {}", version(package))).collect();
    format!(
        "## How it is measured

Versions: {}.

- Every codec gets the same deterministic bytes where it reads them as the same value. One sample of each codec is taken in every
  round, in a new order each time, so that a phase in which the machine is slow falls on all of them; ratios are made within a
  round. Dropping the result is part of decoding, allocating the output part of encoding.
- Times are the thread's processor time, not the clock on the wall, so that other programs disturb less.
- The allocator keeps freed memory, so that the kernel's handing out of fresh pages is not measured.
- W11 goes through 64 different messages, so that the branch predictor does not learn one by heart.
- `depth`: as many levels in messages of 250 as in messages of 10. `growth`: one input beside ten of a tenth of it.
- Data, in `benches/src/data.rs`, comes from a fixed seed. `--filter W1-log` measures some lines, `--quick` fewer rounds;
  `cargo run --profile nolto` adds the column without link-time optimization.
- Not only time is held: `-- instructions --check` compares the instructions of some workloads with `benches/instructions.json`.
- `-- criterion --filter W1-log` runs the same lines as groups of criterion, which compares each codec with its last run, but measures
  one codec after the other.
",
        versions.join(", ")
    )
}

/// A section between its two markers, or the markers alone.
fn kept_section(document: &str, name: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let body = document.split_once(&open).and_then(|(_, rest)| rest.split_once(&close));
    format!("{open}{}{close}\n\n", body.map_or("\n", |(body, _)| body))
}

/// Puts a section of its own into the document, which another command wrote.
pub fn replace_section(name: &str, body: &str) -> std::io::Result<()> {
    let path = docs().join("performance.md");
    let document = fs::read_to_string(&path).unwrap_or_default();
    let (open, close) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let section = format!("{open}\n{body}\n{close}");
    let start = document.find(&open);
    let end = document.find(&close).map(|at| at + close.len());
    let new = match start.zip(end) {
        Some((start, end)) => format!("{}{section}{}", &document[..start], &document[end..]),
        None => format!("{document}\n{section}\n"),
    };
    fs::create_dir_all(docs())?;
    fs::write(path, new)
}

/// A package's version, the newest where there are several.
pub fn version(package: &str) -> String {
    let lock = fs::read_to_string(package_lock()).unwrap_or_default();
    let mut lines = lock.lines();
    let mut found = "unknown";
    while let Some(line) = lines.next() {
        if line == format!("name = \"{package}\"") {
            let version = lines.next().and_then(|line| line.strip_prefix("version = "));
            found = version.unwrap_or(found).trim_matches('"');
        }
    }
    found.to_owned()
}

fn package_lock() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")
}

pub fn compiler() -> String {
    let output = std::process::Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split(" (").next().unwrap_or("rustc").trim().to_owned()
}

/// The date in the proleptic Gregorian calendar, in UTC.
pub fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut days = since.map_or(0, |since| since.as_secs() / 86_400);
    let mut year = 1970;
    let leap = |year: u64| {
        (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400)
    };
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}
