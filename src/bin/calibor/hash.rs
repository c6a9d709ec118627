//! `calibor hash`: the name of the data.

use crate::console::{Console, Fault};
use crate::input::{Form, Inputs, Item, Lines};
use crate::render::json_line;
use calibor::Profile;
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Prints the SHA-256 of each item's canonical form
///
/// The same data has the same hash, however it was encoded. A line is `HASH  FILE`, as sha256sum writes it, or
/// `HASH  FILE#INDEX` for an item of a sequence.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    lines: Lines,

    /// The profile of the canonical form, see `calibor profiles`
    #[arg(short, long, value_name = "NAME", default_value = "core")]
    profile: Profile,

    /// Hashes the bytes as they are
    #[arg(long, conflicts_with = "profile")]
    as_is: bool,

    /// Prints one JSON object for each item
    #[arg(long, conflicts_with = "lines")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor hash FILE
  calibor hash -p dag-cbor DIR
  calibor hash --seq --as-is LOG
  calibor hash --json DIR | jq -r .sha256 | sort | uniq -d";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        if self.lines.lines {
            return self.inputs.each_line(console, Form::Hex, &mut |_, bytes| {
                self.hash(bytes).map_err(|error| Fault::Data(error.to_string()))
            });
        }
        self.inputs.items_of_trees(console, &mut |console, item| match self.hash(item.bytes) {
            Ok(hash) if self.json => console.line(self.report(item, &hash)?),
            Ok(hash) => console.line(format_args!("{hash}  {}", item.label())),
            Err(error) => Err(item.fault(&error)),
        })
    }

    fn hash(&self, bytes: &[u8]) -> calibor::Result<String> {
        let digest = if self.as_is {
            Profile::WELL_FORMED.max_depth(u32::MAX).check(bytes)?;
            Sha256::digest(bytes)
        } else {
            Sha256::digest(self.profile.canonicalize(bytes)?)
        };
        Ok(HEXLOWER.encode(&digest))
    }

    fn report(&self, item: &Item<'_>, hash: &str) -> Result<String, Fault> {
        let profile = (!self.as_is).then(|| self.profile.to_string());
        json_line(&[
            ("file", json!(item.name)),
            ("item", json!(item.index)),
            ("offset", json!(item.offset)),
            ("length", json!(item.bytes.len())),
            ("profile", json!(profile)),
            ("sha256", json!(hash)),
        ])
    }
}
