//! `calibor from-json`: RFC 8949 §6.2.

use crate::console::{Console, Fault};
use crate::input::{self, CHUNK, Form};
use crate::render::{Outputs, to_text};
use calibor::{Profile, edn};
use serde_core::de::IgnoredAny;
use serde_json::Deserializer;
use std::io::Read;

/// Converts JSON to canonical CBOR, as RFC 8949 section 6.2 advises
///
/// Numbers without fraction and exponent become integers, of any size; others the nearest float, rounded once.
/// A key that is there twice is refused. Texts one after the other, as in NDJSON, become a sequence.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    texts: input::Texts,

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
                let items = self.convert(text)?;
                match &items[..] {
                    [item] => to_text(form, item),
                    items => Err(Fault::Data(format!("{} JSON texts on a line", items.len()))),
                }
            });
        }
        let mut out = self.outputs.open(console, Form::Bin)?;
        self.texts.readers(console, &mut |console, name, reader| {
            let mut texts = Texts { reader, buffer: Vec::new(), ended: false, line: 1, column: 0 };
            let mut done = 0;
            texts.each(name, &mut |item| {
                done += u64::try_from(item.len()).unwrap_or(u64::MAX);
                console.progress().at(done);
                out.item(&self.item(item)?)
            })
        })?;
        out.finish(console)
    }

    /// The items of a line.
    fn convert(&self, text: &str) -> Result<Vec<Vec<u8>>, Fault> {
        let reader = &mut text.as_bytes();
        let mut texts = Texts { reader, buffer: Vec::new(), ended: false, line: 1, column: 0 };
        let mut items = Vec::new();
        texts.each("", &mut |item| {
            items.push(self.item(item)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// JSON is diagnostic notation too: once it is known to be JSON, it is read as that.
    fn item(&self, text: &str) -> Result<Vec<u8>, Fault> {
        let item = edn::Parser::new().max_depth(256).parse(text);
        let item = item.map_err(|error| Fault::Data(error.to_string()))?;
        self.profile.canonicalize(&item).map_err(|error| {
            Fault::Data(match error.rule() {
                Some(_) => format!("{}{}", error.detail(), reference(&error)),
                None => error.to_string(),
            })
        })
    }
}

/// JSON texts one after the other, with no more in memory than the longest one.
struct Texts<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    ended: bool,
    /// Where the buffer begins.
    line: usize,
    column: usize,
}

impl Texts<'_> {
    fn each(
        &mut self,
        name: &str,
        each: &mut dyn FnMut(&str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let named = |fault| match fault {
            Fault::Data(text) if !name.is_empty() => Fault::Data(format!("{name}: {text}")),
            fault => fault,
        };
        let mut some = false;
        while !self.ended {
            // As much again as there is, so that a long text is looked at a few times only.
            let wanted = self.buffer.len().max(CHUNK);
            let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
            let got = (&mut *self.reader).take(limit).read_to_end(&mut self.buffer);
            self.ended = got.map_err(|error| Fault::io(name, &error))? < wanted;
            let used = self.complete(&mut |text| {
                some = true;
                each(text)
            });
            let used = used.map_err(named)?;
            self.pass(used);
        }
        if some { Ok(()) } else { Err(named(Fault::Data("no JSON in it".into()))) }
    }

    /// Calls `each` for every text that is all there, and tells how long they are.
    fn complete(&self, each: &mut dyn FnMut(&str) -> Result<(), Fault>) -> Result<usize, Fault> {
        let text = match core::str::from_utf8(&self.buffer) {
            Ok(text) => text,
            // The end of the buffer can cut a character in two.
            Err(error) if error.error_len().is_none() && !self.ended => {
                let whole = self.buffer.get(..error.valid_up_to()).unwrap_or_default();
                core::str::from_utf8(whole).unwrap_or_default()
            }
            Err(_) => return Err(Fault::Data("text that is not UTF-8".into())),
        };
        let mut texts = Deserializer::from_str(text).into_iter::<IgnoredAny>();
        let mut used = 0;
        loop {
            match texts.next() {
                None => return Ok(text.len()),
                Some(Err(error)) if !self.ended && is_cut(text, &error) => return Ok(used),
                Some(Err(error)) => return Err(self.fault(&error)),
                // More digits may follow.
                Some(Ok(_)) if texts.byte_offset() == text.len() && !self.ended => return Ok(used),
                Some(Ok(_)) => {
                    each(text.get(used..texts.byte_offset()).unwrap_or_default())?;
                    used = texts.byte_offset();
                }
            }
        }
    }

    /// The place of an error is counted from the beginning of the input.
    fn fault(&self, error: &serde_json::Error) -> Fault {
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        let column = if error.line() == 1 { self.column } else { 0 } + error.column();
        let line = self.line + error.line().saturating_sub(1);
        Fault::Data(format!("{what} at line {line} column {column}"))
    }

    fn pass(&mut self, used: usize) {
        for byte in self.buffer.drain(..used) {
            self.column += 1;
            if byte == b'\n' {
                self.line += 1;
                self.column = 0;
            }
        }
    }
}

/// Whether an error is where the text ends, and more of it may put it right: `1.` is no number yet.
fn is_cut(text: &str, error: &serde_json::Error) -> bool {
    let last = text.rsplit('\n').next().unwrap_or_default();
    let lines = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    error.is_eof() || (error.line() == lines && error.column() + 1 >= last.len())
}

/// Offsets are of bytes that nobody saw.
fn reference(error: &calibor::Error) -> String {
    error.reference().map(|reference| format!(" ({reference})")).unwrap_or_default()
}
