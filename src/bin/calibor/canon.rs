//! `calibor canon`: make it canonical.

use crate::console::{Console, Fault};
use crate::input::{Form, Inputs, Lines};
use crate::render::{Outputs, to_text};
use calibor::Profile;

/// Rewrites items in the one form that a profile has for their data
///
/// Indefinite lengths, long heads and floats, and keys in any order are read. What the profile has no form for
/// is refused, never guessed. What is inside of byte strings stays as it is: signatures are over those bytes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    lines: Lines,

    #[command(flatten)]
    outputs: Outputs,

    /// The profile to write, see `calibor profiles`
    #[arg(short, long, value_name = "NAME", default_value = "core")]
    profile: Profile,
}

const EXAMPLES: &str = "\
Examples:
  calibor canon FILE -o OUT
  calibor canon -p dag-cbor --out hex FILE
  calibor canon --seq < IN.cborseq > OUT.cborseq";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let profile = self.profile;
        if self.lines.lines {
            let form = self.outputs.form(Form::Hex);
            return self.inputs.each_line(console, Form::Hex, &mut |_, bytes| {
                let item =
                    profile.canonicalize(bytes).map_err(|error| Fault::Data(error.to_string()))?;
                to_text(form, &item)
            });
        }
        let mut out = self.outputs.open(console, Form::Bin)?;
        self.inputs.items(console, &mut |_, item| match profile.canonicalize(item.bytes) {
            Ok(bytes) => out.item(&bytes).map_err(|fault| item.named(fault)),
            Err(error) => Err(item.fault(&error)),
        })?;
        out.finish(console)
    }
}
