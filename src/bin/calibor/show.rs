//! `calibor show`: what is in it.

use crate::console::{Console, Fault};
use crate::input::{Form, Inputs, Lines};
use calibor::edn::{ByteFormat, Printer};
use clap::ValueEnum;
use std::io::IsTerminal as _;

/// Prints items in diagnostic notation, nothing lost
///
/// The command when none is named: `calibor FILE`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each one is a flag of the command line")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    lines: Lines,

    /// Breaks what is too long for a line, as is done on a terminal
    #[arg(long, overrides_with = "compact", conflicts_with = "lines")]
    pretty: bool,

    /// Prints each item on one line, as is done in a pipe
    #[arg(long, overrides_with = "pretty")]
    compact: bool,

    /// The characters of a line [default: those of the terminal, or 80]
    #[arg(long, value_name = "CHARACTERS")]
    width: Option<usize>,

    /// Opens byte strings that hold CBOR: of tags 24, 63, 505 to 508, and headers and payloads of COSE
    #[arg(long)]
    embedded: bool,

    /// Writes byte strings as hex, base64 or text where it is printable
    #[arg(long, value_name = "AS", default_value = "hex", hide_possible_values = true)]
    bytes: Bytes,

    /// Puts the offset before each child
    #[arg(long)]
    offsets: bool,

    /// Cuts strings and containers that are longer
    #[arg(long, value_name = "LENGTH")]
    elide: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  calibor show FILE
  calibor show -e 'a2 01 02 03 81 f4'
  calibor show --pretty --embedded --elide 20 COSE
  pbpaste | calibor";

#[derive(Clone, Copy, ValueEnum)]
enum Bytes {
    Hex,
    Base64,
    Text,
}

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let printer = self.printer();
        if self.lines.lines {
            let printer = printer.pretty(false);
            return self.inputs.each_line(console, Form::Hex, &mut |_, bytes| {
                printer.print(bytes).map_err(|error| Fault::Data(error.to_string()))
            });
        }
        self.inputs.items(console, &mut |console, item| match printer.print(item.bytes) {
            Ok(text) => console.line(text),
            Err(error) => Err(item.fault(&error)),
        })
    }

    fn printer(&self) -> Printer {
        let terminal = std::io::stdout().is_terminal();
        let columns = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
        let format = match self.bytes {
            Bytes::Hex => ByteFormat::Hex,
            Bytes::Base64 => ByteFormat::Base64Url,
            Bytes::Text => ByteFormat::Text,
        };
        let printer = Printer::new()
            .pretty(self.pretty || (terminal && !self.compact))
            .width(self.width.or(columns.filter(|_| terminal)).unwrap_or(80))
            .embedded(self.embedded)
            .bytes(format)
            .offsets(self.offsets);
        match self.elide {
            Some(length) => printer.elide(length),
            None => printer,
        }
    }
}
