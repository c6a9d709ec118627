//! `calibor check`: is it canonical, and if not, where and why not.

use crate::console::{BAD, Console, Fault, GOOD, PLACE, RULE, paint};
use crate::input::{Form, Inputs, Item, Lines};
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
            let errors = self.find(profile, item.bytes);
            tally.add(item, &errors);
            if !errors.is_empty() {
                console.no();
            }
            if self.json && self.quiet < 2 {
                return console.line(report(profile, item, &errors)?);
            }
            self.print(console, item, &errors)
        })?;
        if self.quiet < 2 && !self.json && tally.files.len() > 1 {
            tally.print(console, profile);
        }
        Ok(())
    }

    fn find(&self, profile: Profile, bytes: &[u8]) -> Vec<Error> {
        if self.first || self.quiet > 1 {
            return profile.check(bytes).err().into_iter().collect();
        }
        profile.violations(bytes).collect()
    }

    fn print(&self, console: &mut Console, item: &Item<'_>, errors: &[Error]) -> Result<(), Fault> {
        if errors.is_empty() && self.quiet == 0 {
            console.line(format_args!("{}: {}", item.label(), paint(GOOD, "ok")))?;
        }
        for error in errors.iter().take(if self.quiet > 1 { 0 } else { usize::MAX }) {
            let rule = error.rule().map_or("unreadable", Rule::name);
            let style = if error.category() == Category::Profile { RULE } else { BAD };
            console.line(format_args!(
                "{}:{}: {}: {}: {}{}",
                item.name,
                item.offset + error.offset().unwrap_or_default(),
                paint(style, rule),
                paint(PLACE, path(item, error)),
                error.detail(),
                reference(error),
            ))?;
        }
        Ok(())
    }
}

/// In a sequence the path begins with the item: `#3/servers/1`.
fn path(item: &Item<'_>, error: &Error) -> String {
    let path = error.path().unwrap_or("/");
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
fn report(profile: Profile, item: &Item<'_>, errors: &[Error]) -> Result<String, Fault> {
    let violations: Vec<Json> = errors
        .iter()
        .map(|error| {
            json!({
                "offset": item.offset + error.offset().unwrap_or_default(),
                "rule": error.rule().map(Rule::name),
                "path": error.path(),
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
        ("violations", Json::Array(violations)),
    ])
}

impl Tally {
    fn add(&mut self, item: &Item<'_>, errors: &[Error]) {
        let malformed = errors.iter().any(|error| error.category() != Category::Profile);
        let verdict = match errors {
            [] => Verdict::Canonical,
            _ if malformed => Verdict::Malformed,
            _ => Verdict::NotCanonical,
        };
        let file = self.files.entry(item.name.to_owned()).or_insert(verdict);
        *file = verdict.max(*file);
        for rule in errors.iter().filter_map(Error::rule) {
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
