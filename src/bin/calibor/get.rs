//! `calibor get`: one part of it.

use crate::console::{Console, Fault};
use crate::input::{Form, Inputs, Lines};
use crate::node::Path;
use crate::render::{Outputs, to_text};
use crate::to_json;
use calibor::edn::Printer;

/// Prints the item at a path, with exactly the bytes it has
///
/// A path is what `calibor check` prints: array indexes and map keys, `/servers/1/port`. A key that is no plain
/// word is written in diagnostic notation: `/-260/1`, `/"a/b"`, `/h'00ff'`. Tags are passed through. `<<>>` goes
/// into a byte string that holds an item, as those of tag 24 and of COSE do; `#3/a` is in item 3 of a sequence.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The path; `/` is the whole item
    #[arg(value_name = "PATH")]
    path: String,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    lines: Lines,

    #[command(flatten)]
    outputs: Outputs,

    /// Prints JSON, see `calibor to-json`
    #[arg(long, conflicts_with = "out")]
    json: bool,

    /// Prints byte strings that hold CBOR as what they hold, see `calibor show`
    #[arg(long, conflicts_with_all = ["out", "json"])]
    embedded: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor get /servers/1/port FILE
  calibor get '/2/<<>>/1' CWT            the issuer: claim 1 of a signed token
  calibor get '/0/<<>>' --out hex COSE   the protected header, as it was signed";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let path = Path::new(&self.path).map_err(Fault::Usage)?;
        if self.lines.lines {
            let form = self.outputs.form(Form::Edn);
            return self.inputs.each_line(console, Form::Hex, &mut |_, bytes| {
                let found = path.find(bytes).map_err(Fault::Data)?;
                self.text(form, &found)
            });
        }
        let mut out = self.outputs.open(console, Form::Edn)?;
        let inputs = self.inputs.clone();
        let inputs = if path.index.is_some() { inputs.sequence() } else { inputs };
        inputs.items(console, &mut |_, item| {
            if path.index.is_some() && path.index != item.index {
                return Ok(());
            }
            let print = |found: Vec<u8>| {
                if self.json || self.embedded {
                    out.line(&self.text(Form::Edn, &found)?)
                } else {
                    out.item(&found)
                }
            };
            path.find(item.bytes)
                .map_err(Fault::Data)
                .and_then(print)
                .map_err(|fault| item.named(fault))
        })?;
        out.finish(console)
    }

    fn text(&self, form: Form, item: &[u8]) -> Result<String, Fault> {
        if self.json {
            return to_json::convert(item, false).map(|(json, _)| json);
        }
        if self.embedded {
            let text = Printer::new().embedded(true).print(item);
            return text.map_err(|error| Fault::Data(error.to_string()));
        }
        to_text(form, item)
    }
}
