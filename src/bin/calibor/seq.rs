//! `calibor seq`: sequences of items.

use crate::console::{Console, Fault};
use crate::input::{Form, Inputs, Item, item_len};
use crate::render::{Outputs, json_line, to_text, write_file};
use clap::Subcommand;
use serde_json::json;
use std::path::PathBuf;

/// Splits, joins and counts the items of sequences (RFC 8742), of any length
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes each item on a line of its own, or into a file of its own
    Split {
        #[command(flatten)]
        inputs: Inputs,

        /// The form of a line: hex, base64 or edn
        #[arg(long, value_name = "FORM", default_value = "hex", hide_possible_values = true)]
        out: Form,

        /// Writes the files 0.cbor, 1.cbor, ... into a directory instead, which is made if need be
        #[arg(short, long, value_name = "DIR", conflicts_with = "out")]
        dir: Option<PathBuf>,

        /// Prints one JSON object for each item, with where it is
        #[arg(long, conflicts_with = "dir")]
        json: bool,
    },
    /// Writes the items of all files as one sequence
    Join {
        #[command(flatten)]
        inputs: Inputs,

        #[command(flatten)]
        outputs: Outputs,
    },
    /// Prints how many items each file has
    Count {
        #[command(flatten)]
        inputs: Inputs,

        /// Prints one JSON object for each file
        #[arg(long)]
        json: bool,
    },
}

const EXAMPLES: &str = "\
Examples:
  calibor seq count LOG.cborseq
  calibor seq split LOG.cborseq -d ITEMS
  calibor seq join ITEMS/*.cbor -o LOG.cborseq";

impl Args {
    pub(crate) fn run(self, console: &mut Console) -> Result<(), Fault> {
        match self.command {
            Command::Split { inputs, out, dir: None, json } => {
                if out == Form::Bin {
                    return Err(Fault::Usage(
                        "--out bin has no lines; use -d DIR or `calibor seq join`".into(),
                    ));
                }
                inputs.sequence().items(console, &mut |console, item| {
                    let text = to_text(out, whole(item)?)?;
                    console.line(if json { report(item, &text)? } else { text })
                })
            }
            Command::Split { inputs, dir: Some(dir), .. } => {
                std::fs::create_dir_all(&dir).map_err(|error| Fault::path(&dir, &error))?;
                let mut count = 0_u64;
                inputs.sequence().items(console, &mut |_, item| {
                    write_file(&dir.join(format!("{count}.cbor")), whole(item)?)?;
                    count += 1;
                    Ok(())
                })
            }
            Command::Join { inputs, outputs } => {
                let mut out = outputs.open(console, Form::Bin)?;
                inputs.sequence().items(console, &mut |_, item| out.item(whole(item)?))?;
                out.finish(console)
            }
            Command::Count { inputs, json } => count(&inputs.sequence(), console, json),
        }
    }
}

fn count(inputs: &Inputs, console: &mut Console, json: bool) -> Result<(), Fault> {
    inputs.each_file(console, &mut |console, inputs, name| {
        let (mut count, mut well) = (0_u64, true);
        inputs.items(console, &mut |_, item| {
            well = false;
            whole(item)?;
            well = true;
            count += 1;
            Ok(())
        })?;
        match (well, json) {
            (false, _) => Ok(()),
            (true, true) => {
                console.line(json_line(&[("file", json!(name)), ("items", json!(count))])?)
            }
            (true, false) => console.line(format_args!("{count}  {name}")),
        }
    })
}

/// One item as a line of JSON.
fn report(item: &Item<'_>, text: &str) -> Result<String, Fault> {
    json_line(&[
        ("file", json!(item.name)),
        ("item", json!(item.index)),
        ("offset", json!(item.offset)),
        ("length", json!(item.bytes.len())),
        ("text", json!(text)),
    ])
}

/// The bytes of an item that is one. What follows the last good item of a broken sequence is not.
fn whole<'a>(item: &Item<'a>) -> Result<&'a [u8], Fault> {
    item_len(item.bytes).map_err(|error| item.fault(&error))?;
    Ok(item.bytes)
}
