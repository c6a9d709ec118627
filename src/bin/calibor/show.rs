//! `calibor show`: what is in it.

use crate::console::{Console, Fault};
use crate::input::{Form, Inputs};
use crate::render::to_text;

/// Prints items in diagnostic notation, nothing lost
///
/// The command when none is named: `calibor FILE`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
}

const EXAMPLES: &str = "\
Examples:
  calibor show FILE
  calibor show -e 'a2 01 02 03 81 f4'
  pbpaste | calibor";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        if self.inputs.lines {
            return self
                .inputs
                .each_line(console, Form::Hex, &mut |_, bytes| to_text(Form::Edn, bytes));
        }
        self.inputs.items(console, &mut |console, item| match calibor::edn::to_string(item.bytes) {
            Ok(text) => console.line(text),
            Err(error) => Err(item.fault(&error)),
        })
    }
}
