//! `calibor check`: is it canonical, and if not, where and why not.

use crate::console::{BAD, Console, Fault, GOOD, PLACE, RULE, paint};
use crate::input::{Form, Inputs, Item, Lines};
use crate::node::embedded_items;
use crate::render::json_line;
use calibor::{Category, Error, Profile, Rule};
use clap::ArgAction;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Tells whether files are canonical, and where and why not
///
/// A line is `FILE: ok`, or `FILE:OFFSET: RULE: PATH: what was found, what is wanted (DOCUMENT SECTION)`, one
/// for each violation. Under a directory every file *.cbor, *.cose, *.dag-cbor and *.cborseq is checked.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each one is a flag of the command line")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    lines: Lines,

    /// The profile to obey, see `calibor profiles`
    #[arg(short, long, value_name = "NAME", default_value = "core")]
    profile: Profile,

    /// Holds the content of registered tags to their definitions too
    #[arg(long)]
    tags: bool,

    /// Checks what is in byte strings too: under tag 24, in COSE messages, under tags 505 to 508
    #[arg(long, conflicts_with = "lines")]
    embedded: bool,

    /// Tells every violation (the default)
    #[arg(long, overrides_with = "first")]
    all: bool,

    /// Tells only the first violation of each item
    #[arg(long, overrides_with = "all")]
    first: bool,

    /// Leaves out the `ok` lines; twice, everything but the exit status
    #[arg(short, long, action = ArgAction::Count)]
    quiet: u8,

    /// Prints one JSON object for each item
    #[arg(long, conflicts_with = "lines")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor check FILE
  calibor check -p ctap2 --first FILE
  calibor check --json DIR | jq 'select(.canonical | not)'
  calibor check --lines < HEX-LINES

With --lines each line gives `ok`, or `OFFSET RULE: what was found (DOCUMENT SECTION)`.";

/// What was found so far, for the summary.
#[derive(Default)]
struct Tally {
    files: BTreeMap<String, Verdict>,
    rules: BTreeMap<Rule, BTreeSet<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Canonical,
    NotCanonical,
    Malformed,
}

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let profile = if self.tags { self.profile.tag_validity() } else { self.profile };
        if self.lines.lines {
            return self.inputs.each_line(console, Form::Hex, &mut |console, bytes| {
                Ok(match profile.check(bytes) {
                    Ok(()) => "ok".to_owned(),
                    Err(error) => {
                        console.no();
                        line_of(&error)
                    }
                })
            });
        }
        let mut tally = Tally::default();
        self.inputs.items_of_trees(console, &mut |console, item| {
            let (errors, embedded) = self.find(profile, item);
            tally.add(item, &errors);
            if !errors.is_empty() {
                console.no();
            }
            if self.json && self.quiet < 2 {
                let embedded = self.embedded.then_some(&embedded[..]);
                return console.line(report(profile, item, &errors, embedded)?);
            }
            self.print(console, item, &errors)
        })?;
        if self.quiet < 2 && !self.json && tally.files.len() > 1 {
            tally.print(console, profile);
        }
        Ok(())
    }

    /// The violations of an item, and the paths of what is embedded in it.
    fn find(&self, profile: Profile, item: &Item<'_>) -> (Vec<Violation>, Vec<String>) {
        let mut found: Vec<_> = self.violations(profile, item.bytes, item.offset, "").collect();
        let mut paths = Vec::new();
        if self.embedded && found.iter().all(|it| it.error.category() == Category::Profile) {
            for inner in embedded_items(item.bytes) {
                let offset = item.offset + u64::try_from(inner.offset).unwrap_or(u64::MAX);
                found.extend(self.violations(profile, &inner.bytes, offset, &inner.path));
                paths.push(inner.path);
            }
            found.sort_by_key(|violation| violation.offset);
        }
        (found, paths)
    }

    /// What is wrong with bytes that begin at `offset` and are reached by `path`.
    fn violations(
        &self,
        profile: Profile,
        bytes: &[u8],
        offset: u64,
        path: &str,
    ) -> impl Iterator<Item = Violation> {
        let first = if self.first || self.quiet > 1 { 1 } else { usize::MAX };
        let errors: Vec<_> = match profile.check(bytes) {
            Ok(()) => Vec::new(),
            Err(error) if first == 1 => vec![error],
            Err(_) => profile.violations(bytes).collect(),
        };
        errors.into_iter().map(move |error| Violation {
            offset: offset + error.offset().unwrap_or_default(),
            path: match error.path().unwrap_or("/") {
                "/" if !path.is_empty() => path.to_owned(),
                inner => format!("{path}{inner}"),
            },
            error,
        })
    }

    fn print(
        &self,
        console: &mut Console,
        item: &Item<'_>,
        errors: &[Violation],
    ) -> Result<(), Fault> {
        if errors.is_empty() && self.quiet == 0 {
            console.line(format_args!("{}: {}", item.label(), paint(GOOD, "ok")))?;
        }
        for Violation { offset, path, error } in errors.iter().filter(|_| self.quiet < 2) {
            let rule = error.rule().map_or("unreadable", Rule::name);
            let style = if error.category() == Category::Profile { RULE } else { BAD };
            console.line(format_args!(
                "{}:{}: {}: {}: {}{}",
                item.name,
                offset,
                paint(style, rule),
                paint(PLACE, in_item(item, path)),
                error.detail(),
                reference(error),
            ))?;
        }
        Ok(())
    }
}

/// Where an item, or what is embedded in it, breaks a rule.
struct Violation {
    /// In the file.
    offset: u64,
    path: String,
    error: Error,
}

/// In a sequence the path begins with the item: `#3/servers/1`.
fn in_item(item: &Item<'_>, path: &str) -> String {
    item.index.map_or_else(|| path.to_owned(), |index| format!("#{index}{path}"))
}

fn reference(error: &Error) -> String {
    error.reference().map(|reference| format!(" ({reference})")).unwrap_or_default()
}

fn line_of(error: &Error) -> String {
    let rule = error.rule().map_or("unreadable", Rule::name);
    format!("{} {rule}: {}{}", error.offset().unwrap_or_default(), error.detail(), reference(error))
}

/// One item as a line of JSON.
fn report(
    profile: Profile,
    item: &Item<'_>,
    errors: &[Violation],
    embedded: Option<&[String]>,
) -> Result<String, Fault> {
    let violations: Vec<Json> = errors
        .iter()
        .map(|Violation { offset, path, error }| {
            json!({
                "offset": offset,
                "rule": error.rule().map(Rule::name),
                "path": path,
                "detail": error.detail(),
                "reference": error.reference(),
            })
        })
        .collect();
    json_line(&[
        ("file", json!(item.name)),
        ("item", json!(item.index)),
        ("profile", json!(profile.to_string())),
        ("canonical", json!(errors.is_empty())),
        ("embedded", json!(embedded)),
        ("violations", Json::Array(violations)),
    ])
}

impl Tally {
    fn add(&mut self, item: &Item<'_>, errors: &[Violation]) {
        let malformed = errors.iter().any(|it| it.error.category() != Category::Profile);
        let verdict = match errors {
            [] => Verdict::Canonical,
            _ if malformed => Verdict::Malformed,
            _ => Verdict::NotCanonical,
        };
        let file = self.files.entry(item.name.to_owned()).or_insert(verdict);
        *file = verdict.max(*file);
        for rule in errors.iter().filter_map(|it| it.error.rule()) {
            self.rules.entry(rule).or_default().insert(item.name.to_owned());
        }
    }

    fn print(&self, console: &mut Console, profile: Profile) {
        let count = |wanted| self.files.values().filter(|&&verdict| verdict == wanted).count();
        console.note(format_args!(
            "{} files: {} canonical in {profile}, {} not, {} malformed",
            self.files.len(),
            count(Verdict::Canonical),
            count(Verdict::NotCanonical),
            count(Verdict::Malformed),
        ));
        let mut rules: Vec<_> =
            self.rules.iter().map(|(rule, files)| (files.len(), rule)).collect();
        rules.sort_by_key(|&(files, _)| core::cmp::Reverse(files));
        for (files, rule) in rules {
            let noun = if files == 1 { "file" } else { "files" };
            console.note(format_args!("{files:>7} {noun:<5} {}", paint(RULE, rule)));
        }
    }
}
