//! `calibor profiles`: the rules of every profile, from the data that the codec obeys.

use crate::console::{Console, Fault, HEADING, paint};
use crate::render::json_line;
use calibor::{Clause, Profile};
use serde_json::{Map, Value as Json, json};

/// Prints the rules of the profiles, rule by rule or profile by profile
///
/// A name can be refined: `core+tags`, `drisl+no-floats`, `core+canonical-nan`, `valid+max-depth=16`, ...
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The profiles to show with the sources of their rules; all of them, side by side, without
    #[arg(value_name = "NAME")]
    names: Vec<Profile>,

    /// Prints a table in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,

    /// Prints one JSON object for each profile
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor profiles
  calibor profiles ctap2 dag-cbor
  calibor profiles --json core+canonical-nan";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let profiles =
            if self.names.is_empty() { Profile::ALL.to_vec() } else { self.names.clone() };
        if self.json {
            profiles.iter().try_for_each(|&profile| console.line(json_of(profile)?))
        } else if self.markdown {
            markdown(console, &profiles)
        } else if self.names.is_empty() {
            by_rule(console, &profiles)
        } else {
            by_profile(console, &profiles)
        }
    }
}

fn json_of(profile: Profile) -> Result<String, Fault> {
    let clauses: Map<String, Json> = profile
        .clauses()
        .map(|clause| {
            (clause.topic.to_owned(), json!({ "rule": clause.rule, "source": clause.source }))
        })
        .collect();
    json_line(&[
        ("profile", json!(profile.to_string())),
        ("deterministic", json!(profile.is_deterministic())),
        ("rules", Json::Object(clauses)),
    ])
}

/// Topic by topic, which rule holds in which profiles.
fn by_rule(console: &mut Console, profiles: &[Profile]) -> Result<(), Fault> {
    for topic in topics() {
        console.line(paint(HEADING, topic))?;
        let mut rules: Vec<(&str, Vec<&str>)> = Vec::new();
        for profile in profiles {
            let Some(clause) = profile.clauses().find(|clause| clause.topic == topic) else {
                continue;
            };
            match rules.iter_mut().find(|(rule, _)| *rule == clause.rule) {
                Some((_, names)) => names.push(profile.name()),
                None => rules.push((clause.rule, vec![profile.name()])),
            }
        }
        for (rule, names) in rules {
            let names =
                if names.len() == profiles.len() { "all".to_owned() } else { names.join(" ") };
            wrapped(console, rule, &names)?;
        }
    }
    Ok(())
}

const INDENT: usize = 4;
const RULE_WIDTH: usize = 26;
const LINE_WIDTH: usize = 100;

/// A rule and the profiles that have it, over as many lines as that takes.
fn wrapped(console: &mut Console, rule: &str, names: &str) -> Result<(), Fault> {
    let mut line = format!("{:INDENT$}{rule:<RULE_WIDTH$}", "");
    for name in names.split(' ') {
        if line.len() + 1 + name.len() > LINE_WIDTH {
            console.line(&line)?;
            line = format!("{:width$}", "", width = INDENT + RULE_WIDTH);
        }
        line.push(' ');
        line.push_str(name);
    }
    console.line(line)
}

/// Each profile's rules and where they are written.
fn by_profile(console: &mut Console, profiles: &[Profile]) -> Result<(), Fault> {
    for profile in profiles {
        console.line(paint(HEADING, profile))?;
        for Clause { topic, rule, source, .. } in profile.clauses() {
            console.line(format_args!("{:INDENT$}{topic:<15}{rule:<27}{source}", ""))?;
        }
    }
    Ok(())
}

/// The table that the README has.
fn markdown(console: &mut Console, profiles: &[Profile]) -> Result<(), Fault> {
    let topics: Vec<_> = topics().collect();
    console.line(format_args!("| profile | {} |", topics.join(" | ")))?;
    console.line(format_args!("|---|{}", "---|".repeat(topics.len())))?;
    for profile in profiles {
        let rules: Vec<_> = profile.clauses().map(|clause| clause.rule).collect();
        console.line(format_args!("| `{profile}` | {} |", rules.join(" | ")))?;
    }
    Ok(())
}

fn topics() -> impl Iterator<Item = &'static str> {
    Profile::CORE.clauses().map(|clause| clause.topic)
}
