//! `calibor diff`: what differs between two items.

use crate::console::{BAD, Console, Fault, GOOD, PLACE, paint};
use crate::input::Form;
use crate::input::read_one;
use crate::node::{INSIDE, Node, embedded, name, open};
use crate::render::json_line;
use calibor::{Profile, edn};
use data_encoding::HEXLOWER;
use serde_json::json;
use std::path::PathBuf;

/// Compares two items by their data, or by their bytes
///
/// The encoding, the order of keys included, makes no difference to the data. A line is `PATH: OLD -> NEW` for
/// what changed, `- PATH: OLD` for what was removed, `+ PATH: NEW` for what was added. The exit status is 0 for
/// the same data, 1 for different data.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each one is a flag of the command line")]
pub(crate) struct Args {
    /// The file to begin with, `-` for standard input
    #[arg(value_name = "OLD", allow_negative_numbers = true)]
    old: PathBuf,

    /// The file to compare with it
    #[arg(value_name = "NEW", allow_negative_numbers = true)]
    new: PathBuf,

    /// The files are not named but given: hex, base64 or EDN
    #[arg(short = 'e', long = "expr")]
    expr: bool,

    /// The form of both, where it is not to be guessed
    #[arg(long = "in", value_name = "FORM", hide_possible_values = true)]
    form: Option<Form>,

    /// Compares the bytes: another encoding of the same data is a difference
    #[arg(long)]
    bytes: bool,

    /// Looks into byte strings that hold an item
    #[arg(long)]
    embedded: bool,

    /// Prints one JSON object for each difference
    #[arg(long)]
    json: bool,

    /// Prints nothing
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor diff OLD NEW
  calibor diff --bytes OLD NEW
  calibor diff -e '{\"a\": 1}' 'a1 61 61 02'";

/// One difference.
struct Change {
    path: String,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let old = read_one(&self.old, self.form, self.expr)?;
        let new = read_one(&self.new, self.form, self.expr)?;
        let canonical = |path: &PathBuf, bytes: &[u8]| {
            let profile = Profile::CORE.max_depth(DEPTH);
            profile
                .canonicalize(bytes)
                .map_err(|error| Fault::Data(format!("{}: {error}", path.display())))
        };
        let old_data = canonical(&self.old, &old)?;
        let new_data = canonical(&self.new, &new)?;
        let changes = differences(&old_data, &new_data, self.embedded)?;
        if !changes.is_empty() || (self.bytes && old != new) {
            console.no();
        }
        if self.quiet {
            return Ok(());
        }
        for change in &changes {
            console.line(self.describe(change)?)?;
        }
        if changes.is_empty() && old != new {
            self.encoding(console, &old, &new)?;
        }
        Ok(())
    }

    fn describe(&self, change: &Change) -> Result<String, Fault> {
        let notation = |item: &Option<Vec<u8>>| {
            let text = item.as_ref().map(|item| edn::Printer::new().max_depth(DEPTH).print(item));
            text.transpose().map_err(|error| Fault::Data(error.to_string()))
        };
        let (old, new) = (notation(&change.old)?, notation(&change.new)?);
        let path = &change.path;
        if self.json {
            return json_line(&[("path", json!(path)), ("old", json!(old)), ("new", json!(new))]);
        }
        Ok(match (old, new) {
            (Some(old), Some(new)) => format!("{}: {old} -> {new}", paint(PLACE, path)),
            (Some(old), None) => paint(BAD, format_args!("- {path}: {old}")),
            (None, Some(new)) => paint(GOOD, format_args!("+ {path}: {new}")),
            (None, None) => String::new(),
        })
    }

    /// The same data in other bytes: says so, and where they begin to differ.
    fn encoding(&self, console: &mut Console, old: &[u8], new: &[u8]) -> Result<(), Fault> {
        if !self.bytes {
            let text = "same data, different encoding";
            return console.line(if self.json {
                json_line(&[("same", json!(text))])?
            } else {
                text.into()
            });
        }
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old_rest, new_rest) = (tail(old, start), tail(new, start));
        let end =
            old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
        let hex = |rest: &[u8]| cut(rest.get(..rest.len() - end).unwrap_or_default());
        let path = path_at(old, start).map_err(|error| Fault::Data(error.to_string()))?;
        let (old, new) = (hex(old_rest), hex(new_rest));
        console.line(if self.json {
            json_line(&[
                ("offset", json!(start)),
                ("path", json!(path)),
                ("old", json!(old)),
                ("new", json!(new)),
            ])?
        } else {
            format!("{start}: {}: {old} -> {new}", paint(PLACE, path))
        })
    }
}

/// Levels that are compared.
const DEPTH: u32 = 4096;

fn tail(bytes: &[u8], start: usize) -> &[u8] {
    bytes.get(start..).unwrap_or_default()
}

/// Bytes in hex, the first ones where they are many.
fn cut(bytes: &[u8]) -> String {
    const SHOWN: usize = 16;
    match bytes.get(..SHOWN) {
        _ if bytes.is_empty() => "nothing".into(),
        Some(first) if bytes.len() > SHOWN => {
            format!("{}... ({} bytes)", HEXLOWER.encode(first), bytes.len())
        }
        _ => HEXLOWER.encode(bytes),
    }
}

/// The path of the innermost item that has the byte at an offset.
fn path_at(item: &[u8], offset: usize) -> calibor::Result<String> {
    let (mut path, mut at, mut offset) = (String::new(), item, offset);
    'deeper: loop {
        let parts = match open(at)? {
            Node::Tag(_, content) => vec![(String::new(), content)],
            Node::Array(items) => {
                (0_usize..).zip(items).map(|(i, part)| (format!("/{i}"), part)).collect()
            }
            Node::Map(entries) => entries
                .into_iter()
                .flat_map(|(key, value)| [(edn::path_step(key), key), (edn::path_step(key), value)])
                .collect(),
            Node::Bytes(_) | Node::Scalar => Vec::new(),
        };
        let mut start = at.len() - parts.iter().map(|(_, part)| part.len()).sum::<usize>();
        start -= usize::from(at.first().is_some_and(|first| first & 31 == 31 && !parts.is_empty()));
        for (step, part) in parts {
            if (start..start + part.len()).contains(&offset) {
                path.push_str(&step);
                offset -= start;
                at = part;
                continue 'deeper;
            }
            start += part.len();
        }
        return Ok(if path.is_empty() { "/".into() } else { path });
    }
}

/// Two items still to be compared.
type Pair = (String, Vec<u8>, Vec<u8>);

/// Compares two canonical items, in the order of paths.
fn differences(old: &[u8], new: &[u8], look_inside: bool) -> Result<Vec<Change>, Fault> {
    let mut changes = Vec::new();
    let mut pending: Vec<Step> = vec![Step::Compare((String::new(), old.to_vec(), new.to_vec()))];
    while let Some(step) = pending.pop() {
        match step {
            Step::Compare((_, old, new)) if old == new => {}
            Step::Compare(pair) => {
                let mut inner =
                    compare(pair, look_inside).map_err(|error| Fault::Data(error.to_string()))?;
                inner.reverse();
                pending.append(&mut inner);
            }
            Step::Tell(change) => changes.push(change),
        }
    }
    Ok(changes)
}

enum Step {
    Compare(Pair),
    Tell(Change),
}

fn tell(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Step {
    let path = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
    Step::Tell(Change { path, old: old.map(<[u8]>::to_vec), new: new.map(<[u8]>::to_vec) })
}

fn compare((path, old, new): Pair, look_inside: bool) -> calibor::Result<Vec<Step>> {
    let pair = |step: &str, old: &[u8], new: &[u8]| {
        Step::Compare((format!("{path}{step}"), old.to_vec(), new.to_vec()))
    };
    Ok(match (open(&old)?, open(&new)?) {
        (Node::Tag(a, old), Node::Tag(b, new)) if a == b => vec![pair("", old, new)],
        (Node::Array(old), Node::Array(new)) => arrays(&path, &old, &new),
        (Node::Map(old), Node::Map(new)) => maps(&path, &old, &new),
        (Node::Bytes(old_content), Node::Bytes(new_content)) if look_inside => {
            match (embedded(&old_content), embedded(&new_content)) {
                (Some(a), Some(b)) => match data_of_both(a, b) {
                    Some((a, b)) => vec![pair(&format!("/{INSIDE}"), &a, &b)],
                    None => vec![tell(&path, Some(&old), Some(&new))],
                },
                _ => vec![tell(&path, Some(&old), Some(&new))],
            }
        }
        _ => vec![tell(&path, Some(&old), Some(&new))],
    })
}

/// The canonical forms of what two byte strings hold, where both have one and they differ.
fn data_of_both(a: &[u8], b: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let profile = Profile::CORE.max_depth(DEPTH);
    let both = (profile.canonicalize(a).ok()?, profile.canonicalize(b).ok()?);
    (both.0 != both.1).then_some(both)
}

/// Elements that are the same at the beginning and at the end are passed over; the others are compared in order.
fn arrays(path: &str, old: &[&[u8]], new: &[&[u8]]) -> Vec<Step> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) =
        (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (olds, news) = (old_rest.len() - end, new_rest.len() - end);
    let mut steps = Vec::new();
    for i in 0..olds.max(news) {
        let (a, b) = (
            old_rest.get(..olds).and_then(|o| o.get(i)),
            new_rest.get(..news).and_then(|n| n.get(i)),
        );
        let path = format!("{path}/{}", start + i);
        steps.push(match (a, b) {
            (Some(a), Some(b)) => Step::Compare((path, a.to_vec(), b.to_vec())),
            (a, b) => tell(&path, a.copied(), b.copied()),
        });
    }
    steps
}

/// Both are sorted.
fn maps(path: &str, old: &[(&[u8], &[u8])], new: &[(&[u8], &[u8])]) -> Vec<Step> {
    let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
    let mut steps = Vec::new();
    while let Some(order) = match (olds.peek(), news.peek()) {
        (Some((a, _)), Some((b, _))) => Some(a.cmp(b)),
        (Some(_), None) => Some(core::cmp::Ordering::Less),
        (None, Some(_)) => Some(core::cmp::Ordering::Greater),
        (None, None) => None,
    } {
        let old = if order.is_le() { olds.next() } else { None };
        let new = if order.is_ge() { news.next() } else { None };
        let Some((key, _)) = old.or(new) else { break };
        let path = format!("{path}/{}", name(key));
        steps.push(match (old, new) {
            (Some((_, a)), Some((_, b))) => Step::Compare((path, a.to_vec(), b.to_vec())),
            _ => tell(&path, old.map(|(_, a)| *a), new.map(|(_, b)| *b)),
        });
    }
    steps
}
