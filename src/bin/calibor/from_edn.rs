//! `calibor from-edn`: what is written is what is meant.

use crate::console::{Console, Fault};
use crate::input::{Form, Texts, ended};
use crate::render::{Outputs, to_text};
use calibor::Profile;
use calibor::edn::{Dialect, ParseError, Parser};
use clap::ValueEnum;

/// Converts diagnostic notation to CBOR, exactly as it is written
///
/// Encoding indicators (`1_0`, `[_ 1]`) are obeyed, nothing is sorted or shortened, unless `-p` says so.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    texts: Texts,

    #[command(flatten)]
    outputs: Outputs,

    /// Rewrites each item in the form of a profile, see `calibor profiles`
    #[arg(short, long, value_name = "NAME")]
    profile: Option<Profile>,

    /// The draft of the notation to obey where they differ: 25 or 26
    #[arg(long, value_name = "NUMBER", default_value = "25", hide_possible_values = true)]
    draft: Draft,
}

const EXAMPLES: &str = "\
Examples:
  calibor from-edn FILE -o OUT
  calibor from-edn --out hex -e \"{1: h'00ff', 2: [_ 1_0], 3: DT'2026-01-01T00:00:00Z'}\"
  calibor from-edn --lines < EDN-LINES";

#[derive(Clone, Copy, ValueEnum)]
enum Draft {
    #[value(name = "25")]
    Draft25,
    #[value(name = "26")]
    Draft26,
}

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let dialect = match self.draft {
            Draft::Draft25 => Dialect::Draft25,
            Draft::Draft26 => Dialect::Draft26,
        };
        let parser = Parser::new().dialect(dialect).any_text(true);
        let parser = self.profile.map_or(parser.clone(), |profile| parser.profile(profile));
        if self.texts.lines {
            let form = self.outputs.form(Form::Hex);
            return self.texts.each_line(console, &mut |text| {
                let item = parser.parse(&ended(text)).map_err(|error| in_line(&error))?;
                to_text(form, &item)
            });
        }
        let mut out = self.outputs.open(console, Form::Bin)?;
        self.texts.each(console, &mut |name, text| {
            let text = ended(text);
            let bytes = if self.texts.seq { parser.parse_seq(&text) } else { parser.parse(&text) };
            let bytes = bytes.map_err(|error| Fault::Data(format!("{name}: {error}")))?;
            out.items(&bytes)
        })?;
        out.finish(console)
    }
}

fn in_line(error: &ParseError) -> Fault {
    Fault::Data(format!("{}, at column {}", error.detail(), error.column()))
}
