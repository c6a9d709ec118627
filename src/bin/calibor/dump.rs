//! `calibor dump`: every byte, and what it means.

use crate::console::{Console, Fault};
use crate::input::{Inputs, Item, is_sequence, item_len};
use crate::render::json_line;
use calibor::Profile;
use calibor::edn::{Dump, DumpLine};
use core::fmt;
use data_encoding::HEXLOWER;
use serde_json::json;

/// Prints annotated hex: a line for each head, with its offset and what it means
///
/// Bytes that are no CBOR are printed up to the fault, and then the fault.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    /// Marks with `!!` what a profile does not allow, see `calibor profiles`
    #[arg(short, long, value_name = "NAME")]
    profile: Option<Profile>,

    /// Opens byte strings that hold CBOR: of tags 24, 63, 505 to 508, and headers and payloads of COSE
    #[arg(long)]
    embedded: bool,

    /// Leaves out the offsets
    #[arg(long)]
    no_offsets: bool,

    /// Prints one JSON object for each line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor dump FILE
  calibor dump -p core -e 'bf 61 62 18 01 ff'
  calibor dump --embedded COSE
  calibor dump --seq LOG | less";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let mut dump = Dump::new().offsets(!self.no_offsets).embedded(self.embedded);
        if let Some(profile) = self.profile {
            dump = dump.profile(profile);
        }
        self.inputs.items(console, &mut |console, item| {
            if !self.is_well(item.bytes) {
                console.no();
            }
            let dump = dump.clone().first_offset(item.offset);
            let mut result = Ok(());
            if self.json {
                let _ = dump.lines(item.bytes, |line| {
                    result = report(item, line).and_then(|line| console.line(line));
                    result.as_ref().map_err(|_| fmt::Error).copied()
                });
            } else {
                let _ = dump.write(item.bytes, &mut Text { console, result: &mut result });
            }
            result
        })
    }

    /// Whether nothing in the items would be marked.
    fn is_well(&self, items: &[u8]) -> bool {
        let Some(profile) = self.profile else { return is_sequence(items) };
        let mut rest = items;
        while let Ok(len) = item_len(rest) {
            if profile.check(rest.get(..len).unwrap_or_default()).is_err() {
                return false;
            }
            rest = rest.get(len..).unwrap_or_default();
        }
        rest.is_empty() && !items.is_empty()
    }
}

/// Standard output for what writes text, which cannot say why it fails.
struct Text<'a> {
    console: &'a mut Console,
    result: &'a mut Result<(), Fault>,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        *self.result = self.console.text(text);
        self.result.as_ref().map_err(|_| fmt::Error).copied()
    }
}

/// One line as a line of JSON.
fn report(item: &Item<'_>, line: &DumpLine<'_>) -> Result<String, Fault> {
    json_line(&[
        ("file", json!(item.name)),
        ("item", json!(item.index)),
        ("offset", json!(line.offset)),
        ("level", json!(line.level)),
        ("bytes", json!(HEXLOWER.encode(line.bytes))),
        ("meaning", json!(line.meaning)),
        ("faults", json!(line.faults)),
    ])
}
