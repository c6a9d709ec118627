//! `calibor tensors`: what is in a checkpoint, and the same as canonical CBOR.

use crate::console::{Console, Fault, Progress};
use crate::input::Form;
use crate::render::{Outputs, fill_file};
use calibor::Category;
use calibor::array::checkpoint::{Checkpoint, Entry, Extreme, Manifest, from_cbor};
use data_encoding::HEXLOWER;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Lists the tensors of safetensors files, or takes a file to canonical CBOR and back
///
/// A line is the tensor's name, dtype, shape, bytes, least and greatest element, number of NaNs, and the SHA-256 of its
/// bytes. Files may be larger than the memory there is.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The files to read
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Writes FILE as one canonical CBOR document
    #[arg(long, value_name = "PATH", conflicts_with_all = ["from_cbor", "manifest"])]
    to_cbor: Option<PathBuf>,

    /// Reads FILE, such a document, and writes the safetensors file it came from, byte for byte
    #[arg(long, value_name = "PATH", conflicts_with = "manifest")]
    from_cbor: Option<PathBuf>,

    /// Writes the hashes of all tensors as one canonical item, the same however files are laid out
    #[arg(long)]
    manifest: bool,

    #[command(flatten)]
    outputs: Outputs,
}

const EXAMPLES: &str = "\
Examples:
  calibor tensors model.safetensors
  calibor tensors model.safetensors --to-cbor model.cbor
  calibor tensors model.cbor --from-cbor model.safetensors
  calibor tensors --manifest --out edn model-*.safetensors";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        if self.outputs.are_given() && !self.manifest {
            return Err(Fault::Usage("-o and --out go with --manifest".into()));
        }
        if self.manifest {
            return self.write_manifest(console);
        }
        if self.to_cbor.is_none() && self.from_cbor.is_none() {
            for path in &self.files {
                list(console, path).or_else(|fault| console.fault(fault))?;
            }
            return Ok(());
        }
        let [path] = &self.files[..] else {
            return Err(Fault::Usage("one FILE is written at a time".into()));
        };
        if let Some(to) = &self.to_cbor {
            let mut file = open(path)?;
            console.progress().bytes(Some(file.cbor_len()));
            return write(to, console, |out| file.to_cbor(out), path);
        }
        if let Some(to) = &self.from_cbor {
            let file = File::open(path).map_err(|error| Fault::path(path, &error))?;
            console.progress().bytes(file.metadata().ok().map(|meta| meta.len()));
            return write(to, console, |out| from_cbor(file, out), path);
        }
        Ok(())
    }

    fn write_manifest(&self, console: &mut Console) -> Result<(), Fault> {
        let mut out = self.outputs.open(console, Form::Bin)?;
        let mut manifest = Manifest::default();
        console.progress().files(self.files.len());
        for (path, done) in self.files.iter().zip(0_u64..) {
            manifest.add(&mut open(path)?).map_err(|error| fault(path, &error))?;
            console.progress().at(done);
        }
        let bytes = calibor::to_vec(&manifest).map_err(|error| Fault::Data(error.to_string()))?;
        out.item(&bytes)?;
        out.finish(console)
    }
}

fn open(path: &Path) -> Result<Checkpoint<File>, Fault> {
    let file = File::open(path).map_err(|error| Fault::path(path, &error))?;
    Checkpoint::open(file).map_err(|error| fault(path, &error))
}

fn fault(path: &Path, error: &calibor::Error) -> Fault {
    let text = format!("{}: {error}", path.display());
    if error.category() == Category::Io { Fault::Io(text) } else { Fault::Data(text) }
}

fn list(console: &mut Console, path: &Path) -> Result<(), Fault> {
    let mut file = open(path)?;
    let entries = file.entries().to_vec();
    let widest = |width: fn(&Entry) -> usize| entries.iter().map(width).max().unwrap_or(0);
    let name = widest(|entry| on_one_line(&entry.name).chars().count());
    let shape = widest(|entry| format!("{:?}", entry.shape).len());
    let len = widest(|entry| entry.len.to_string().len());
    console.progress().bytes(entries.iter().map(|entry| entry.len).reduce(|a, b| a + b));
    let mut done = 0;
    for entry in &entries {
        let summary = file.summary(entry).map_err(|error| fault(path, &error))?;
        let sha256 = file.sha256(entry).map_err(|error| fault(path, &error))?;
        let shown = |extreme: Option<Extreme>| extreme.map_or("-".into(), |x| x.to_string());
        console.line(format_args!(
            "{:name$}  {:11}  {:shape$}  {:len$}  min {}  max {}  nan {}  {}",
            on_one_line(&entry.name),
            entry.dtype,
            format!("{:?}", entry.shape),
            entry.len,
            shown(summary.min),
            shown(summary.max),
            summary.nans,
            HEXLOWER.encode(&sha256),
        ))?;
        done += entry.len;
        console.progress().at(done);
    }
    Ok(())
}

/// A name as it is, or quoted where it would end the line or speak to the terminal.
fn on_one_line(name: &str) -> String {
    if name.starts_with('"') || name.chars().any(char::is_control) {
        return format!("{name:?}");
    }
    name.into()
}

/// Writes a file in large pieces, with progress after each.
fn write(
    to: &Path,
    console: &mut Console,
    fill: impl FnOnce(&mut BufWriter<Counted<'_>>) -> calibor::Result<()>,
    from: &Path,
) -> Result<(), Fault> {
    fill_file(to, |out| {
        let counted = Counted { out, progress: console.progress(), done: 0 };
        fill(&mut BufWriter::with_capacity(1 << 20, counted)).map_err(|error| fault(from, &error))
    })
}

/// A file whose bytes are counted.
struct Counted<'a> {
    out: &'a mut File,
    progress: &'a mut Progress,
    done: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.done += u64::try_from(written).unwrap_or_default();
        self.progress.at(self.done);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
