//! `calibor dump`: every byte, and what it means.

use crate::console::{Console, Fault};
use crate::input::{Inputs, is_sequence};
use calibor::{Profile, edn::Dump};

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

    /// Opens byte strings that hold CBOR: those of tags 24 and 63, and protected headers of COSE
    #[arg(long)]
    embedded: bool,

    /// Leaves out the offsets
    #[arg(long)]
    no_offsets: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor dump FILE
  calibor dump -p core -e 'bf 61 62 18 01 ff'
  calibor dump --embedded COSE";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let mut dump = Dump::new().offsets(!self.no_offsets).embedded(self.embedded);
        if let Some(profile) = self.profile {
            dump = dump.profile(profile);
        }
        self.inputs.whole(console, &mut |console, item| {
            let well = match self.profile {
                Some(profile) => profile.check(item.bytes).is_ok(),
                None => is_sequence(item.bytes),
            };
            if !well {
                console.no();
            }
            console.text(&dump.print(item.bytes))
        })
    }
}
