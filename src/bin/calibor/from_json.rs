//! `calibor from-json`: RFC 8949 §6.2.

use crate::console::{Console, Fault};
use crate::input::{Form, Texts};
use crate::render::{Outputs, to_text};
use calibor::{Profile, edn};
use serde_core::de::IgnoredAny;
use serde_json::Deserializer;

/// Converts JSON to canonical CBOR, as RFC 8949 section 6.2 advises
///
/// Numbers without fraction and exponent become integers, of any size; others the nearest float, rounded once.
/// A key that is there twice is refused. Texts one after the other, as in NDJSON, become a sequence.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    texts: Texts,

    #[command(flatten)]
    outputs: Outputs,

    /// The profile to write, see `calibor profiles`
    #[arg(short, long, value_name = "NAME", default_value = "core")]
    profile: Profile,
}

const EXAMPLES: &str = "\
Examples:
  calibor from-json FILE -o OUT
  calibor from-json -e '{\"b\": [1, 1.5], \"a\": null}' --out hex
  calibor from-json < LOG.ndjson > LOG.cborseq";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        if self.texts.lines {
            let form = self.outputs.form(Form::Hex);
            return self.texts.each_line(console, &mut |text| {
                let items = self.convert(text).map_err(Fault::Data)?;
                match &items[..] {
                    [item] => to_text(form, item),
                    items => Err(Fault::Data(format!("{} JSON texts on a line", items.len()))),
                }
            });
        }
        let mut out = self.outputs.open(Form::Bin)?;
        self.texts.each(console, &mut |name, text| {
            let items = self.convert(text).map_err(|why| Fault::Data(format!("{name}: {why}")))?;
            items.iter().try_for_each(|item| out.item(item))
        })?;
        out.finish(console)
    }

    /// JSON is diagnostic notation too: once it is known to be JSON, it is read as that.
    fn convert(&self, text: &str) -> Result<Vec<Vec<u8>>, String> {
        let mut items = Vec::new();
        let mut texts = Deserializer::from_str(text).into_iter::<IgnoredAny>();
        let mut start = 0;
        while let Some(found) = texts.next() {
            found.map_err(|error| error.to_string())?;
            let end = texts.byte_offset();
            let item = text.get(start..end).unwrap_or_default();
            start = end;
            let item =
                edn::Parser::new().max_depth(256).parse(item).map_err(|error| error.to_string())?;
            items.push(self.profile.canonicalize(&item).map_err(|error| match error.rule() {
                Some(_) => format!("{}{}", error.detail(), reference(&error)),
                None => error.to_string(),
            })?);
        }
        if items.is_empty() { Err("no JSON in it".into()) } else { Ok(items) }
    }
}

/// Offsets are of bytes that nobody saw.
fn reference(error: &calibor::Error) -> String {
    error.reference().map(|reference| format!(" ({reference})")).unwrap_or_default()
}
