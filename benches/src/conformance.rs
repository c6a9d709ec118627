//! What each codec accepts of the project's vectors, written to `COMPARE.md`.

use crate::report;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether a codec takes some bytes for one item of anything.
type Accepts = fn(&[u8]) -> bool;

fn accepts<'de, T: serde::Deserialize<'de>, E>(result: Result<T, E>) -> bool {
    result.is_ok()
}

/// Name, version's package, and the call its users make, into its own type for any item.
#[rustfmt::skip]
const READERS: &[(&str, &str, Accepts)] = &[
    ("calibor `from_slice`", "calibor", |b| accepts(calibor::from_slice::<calibor::Value>(b))),
    ("calibor `Profile::VALID.decode`", "calibor", |b| accepts(calibor::Profile::VALID.decode::<calibor::Value>(b))),
    ("ciborium `from_reader`", "ciborium", |b| accepts(ciborium::from_reader::<ciborium::Value, _>(b))),
    ("cbor4ii `from_slice`", "cbor4ii", |b| accepts(cbor4ii::serde::from_slice::<cbor4ii::core::Value>(b))),
    ("serde_cbor `from_slice`", "serde_cbor", |b| accepts(serde_cbor::from_slice::<serde_cbor::Value>(b))),
    ("cbor2 `from_slice`", "cbor2", |b| accepts(cbor2::from_slice::<cbor2::Value>(b))),
    ("c2pa_cbor `from_slice`", "c2pa_cbor", |b| accepts(c2pa_cbor::from_slice::<c2pa_cbor::Value>(b))),
    ("serde_ipld_dagcbor `from_slice`", "serde_ipld_dagcbor", |b| accepts(serde_ipld_dagcbor::from_slice::<calibor::Value>(b))),
    ("minicbor-serde `from_slice`", "minicbor-serde", |b| accepts(minicbor_serde::from_slice::<calibor::Value>(b))),
];

/// Reads and writes again by the peer's own deterministic writer: the way to ask those that only write a profile whether
/// bytes are in it.
fn writes_again<T, E, F>(
    bytes: &[u8],
    read: Result<T, E>,
    write: fn(&T) -> Result<Vec<u8>, F>,
) -> bool {
    read.is_ok_and(|value| write(&value).is_ok_and(|again| again == bytes))
}

/// Who claims which profile: name, package, and the way to ask.
#[rustfmt::skip]
const CLAIMS: &[(&str, &str, &str, Accepts)] = &[
    ("core", "cbor2 `from_slice`, `to_canonical_vec`", "cbor2", |b| writes_again(b, cbor2::from_slice::<cbor2::Value>(b), cbor2::to_canonical_vec)),
    ("core", "c2pa_cbor `from_slice`, `to_vec_deterministic`", "c2pa_cbor", |b| writes_again(b, c2pa_cbor::from_slice::<c2pa_cbor::Value>(b), c2pa_cbor::to_vec_deterministic)),
    ("length-first", "cbor2 `from_slice`, `to_canonical_vec_with`", "cbor2", |b| writes_again(b, cbor2::from_slice::<cbor2::Value>(b), |value| cbor2::to_canonical_vec_with(value, cbor2::KeyOrder::LengthFirst))),
    ("dcbor", "dcbor `CBOR::try_from_data`", "dcbor", |b| dcbor::CBOR::try_from_data(b).is_ok()),
    ("dag-cbor", "serde_ipld_dagcbor `from_slice`", "serde_ipld_dagcbor", |b| accepts(serde_ipld_dagcbor::from_slice::<ipld_core::ipld::Ipld>(b))),
];

struct Row {
    /// The verdict of each profile, by its name.
    verdicts: BTreeMap<String, bool>,
    bytes: Vec<u8>,
    trailing: bool,
    well_formed: bool,
    valid: bool,
    core: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rows() -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let read = |name: &str| -> Result<serde_json::Value, Box<dyn std::error::Error>> {
        Ok(serde_json::from_slice(&fs::read(root().join("vectors").join(name))?)?)
    };
    let mut rows = Vec::new();
    for row in read("malformed.json")?.as_array().into_iter().flatten() {
        rows.push(Row {
            bytes: hex(&row["hex"]),
            trailing: row["reason"].as_str().is_some_and(|reason| reason.contains("trailing")),
            well_formed: false,
            valid: false,
            core: false,
            verdicts: BTreeMap::new(),
        });
    }
    for row in read("wellformed_seeds.json")?.as_array().into_iter().flatten() {
        let verdict = |profile: &str| row["accept"][profile].as_bool() == Some(true);
        // Two rows nest deeper than every codec's limit.
        if row["depth"].as_u64() > Some(128) {
            continue;
        }
        rows.push(Row {
            bytes: hex(&row["hex"]),
            trailing: false,
            well_formed: true,
            valid: verdict("valid"),
            core: verdict("core"),
            verdicts: row["accept"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(profile, verdict)| (profile.clone(), verdict.as_bool() == Some(true)))
                .collect(),
        });
    }
    Ok(rows)
}

fn hex(value: &serde_json::Value) -> Vec<u8> {
    let digits = value.as_str().unwrap_or_default();
    (0..digits.len() / 2)
        .filter_map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok())
        .collect()
}

/// What each reader of a profile makes of the rows: ours, and those that others claim.
fn by_profile(rows: &[Row]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let malformed = rows.iter().filter(|row| !row.well_formed).count();
    let invalid = rows.iter().filter(|row| row.well_formed && !row.valid).count();
    writeln!(
        text,
        "| profile | reader | version | malformed accepted, of {malformed} | invalid accepted, of {invalid} | false accepts | \
         false refusals |"
    )?;
    writeln!(text, "|---|---|---|--:|--:|--:|--:|")?;
    let mut line = |profile: &str, name: &str, package: &str, reads: &dyn Fn(&[u8]) -> bool| {
        let count = |which: &dyn Fn(&Row, bool) -> bool, accepted: bool| {
            let in_profile = |row: &&Row| which(row, row.verdicts.get(profile) == Some(&true));
            let asked: Vec<_> = rows.iter().filter(in_profile).collect();
            let got = asked.iter().filter(|row| reads(&row.bytes) == accepted).count();
            (got, asked.len())
        };
        let (malformed, _) = count(&|row, _| !row.well_formed, true);
        // What lax profiles are made to accept is not held against them.
        let (invalid, _) = count(&|row, holds| row.well_formed && !row.valid && !holds, true);
        let (accepts, outside) = count(&|row, holds| row.valid && !holds, true);
        let (refusals, inside) = count(&|_, holds| holds, false);
        let version = report::version(package);
        writeln!(
            text,
            "| `{profile}` | {name} | {version} | {malformed} | {invalid} | {accepts} of {outside} | {refusals} of {inside} |"
        )
    };
    for profile in calibor::Profile::ALL {
        let ours = |bytes: &[u8]| accepts(profile.decode::<calibor::Value>(bytes));
        line(profile.name(), "calibor `decode`", "calibor", &ours)?;
        for (claimed, name, package, reads) in CLAIMS {
            if *claimed == profile.name() {
                line(claimed, name, package, reads)?;
            }
        }
    }
    Ok(text)
}

/// Writes the tables between the marks of `COMPARE.md`.
pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    let rows = rows()?;
    let count = |which: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| which(row)).count();
    let malformed = |row: &Row| !row.well_formed && !row.trailing;
    let trailing = |row: &Row| row.trailing;
    let invalid = |row: &Row| row.well_formed && !row.valid;
    let loose = |row: &Row| row.valid && !row.core;
    let core = |row: &Row| row.core;
    let mut text = String::new();
    writeln!(
        text,
        "| reader | version | malformed accepted, of {} | trailing bytes accepted, of {} | invalid accepted, of {} | \
         valid but not deterministic accepted, of {} | deterministic refused, of {} |",
        count(&malformed),
        count(&trailing),
        count(&invalid),
        count(&loose),
        count(&core)
    )?;
    writeln!(text, "|---|---|--:|--:|--:|--:|--:|")?;
    for (name, package, reads) in READERS {
        let accepted = |which: &dyn Fn(&Row) -> bool| {
            rows.iter().filter(|row| which(row) && reads(&row.bytes)).count()
        };
        writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} | {} |",
            report::version(package),
            accepted(&malformed),
            accepted(&trailing),
            accepted(&invalid),
            accepted(&loose),
            count(&core) - accepted(&core)
        )?;
    }
    writeln!(text, "\nCounted on {}, with {}.", report::today(), report::compiler())?;
    write_between("conformance", &text)?;
    write_between("profiles", &by_profile(&rows)?)
}

fn write_between(mark: &str, text: &str) -> Result<(), Box<dyn std::error::Error>> {
    print!("{text}");
    let page = root().join("COMPARE.md");
    let old = fs::read_to_string(&page)?;
    let (start, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let (Some(from), Some(to)) = (old.find(&start), old.find(&end)) else {
        return Err(format!("COMPARE.md has no marks of {mark}").into());
    };
    let new = format!("{}\n{text}\n{}", &old[..from + start.len()], &old[to..]);
    fs::write(page, new)?;
    Ok(())
}
