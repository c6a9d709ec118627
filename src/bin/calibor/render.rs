//! What goes out: items in one of the forms, to standard output or into a file.

use crate::console::{Console, Fault};
use crate::input::{Form, item_len};
use calibor::edn;
use data_encoding::{BASE64, HEXLOWER};
use serde_core::{Serialize, Serializer};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The arguments of every command that writes items.
#[derive(clap::Args)]
pub(crate) struct Outputs {
    /// The form of the output: bin, hex, base64 or edn
    #[arg(long = "out", value_name = "FORM", hide_possible_values = true)]
    out: Option<Form>,

    /// Writes to a file, which is there when all of it is, or not at all
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

impl Outputs {
    /// True where anything was asked for.
    pub(crate) fn are_given(&self) -> bool {
        self.out.is_some() || self.output.is_some()
    }

    /// The form asked for, or else `default`.
    pub(crate) fn form(&self, default: Form) -> Form {
        self.out.unwrap_or(default)
    }

    /// Opens the output. `bin` is for machines: a person who did not ask for it gets hex.
    pub(crate) fn open(&self, console: &mut Console, default: Form) -> Result<Output, Fault> {
        let terminal = self.output.is_none() && io::stdout().is_terminal();
        let form = match self.out {
            Some(Form::Bin) if terminal => {
                let text = "binary is not written to a terminal: use -o FILE, a pipe, or --out hex";
                return Err(Fault::Usage(text.into()));
            }
            None if terminal && default == Form::Bin => Form::Hex,
            form => form.unwrap_or(default),
        };
        if terminal {
            console.progress().hide();
        }
        let sink = match &self.output {
            Some(path) => Sink::File(Replacement::new(path)?),
            None => Sink::Stdout(BufWriter::new(io::stdout())),
        };
        Ok(Output { sink, form })
    }
}

/// An item in a form that is text, without a line feed.
pub(crate) fn to_text(form: Form, bytes: &[u8]) -> Result<String, Fault> {
    match form {
        Form::Bin => Err(Fault::Usage("--out bin has no lines".into())),
        Form::Hex => Ok(HEXLOWER.encode(bytes)),
        Form::Base64 => Ok(BASE64.encode(bytes)),
        Form::Edn => edn::to_string(bytes).map_err(|error| Fault::Data(error.to_string())),
    }
}

/// Where items are written.
pub(crate) struct Output {
    sink: Sink,
    form: Form,
}

enum Sink {
    Stdout(BufWriter<io::Stdout>),
    File(Replacement),
}

impl Output {
    /// Writes one item.
    pub(crate) fn item(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if self.form == Form::Bin {
            return self.write(bytes);
        }
        let mut text = to_text(self.form, bytes)?;
        text.push('\n');
        self.write(text.as_bytes())
    }

    /// Writes all items of a sequence.
    pub(crate) fn items(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let len = item_len(rest).map_err(|error| Fault::Data(error.to_string()))?;
            self.item(rest.get(..len).unwrap_or_default())?;
            rest = rest.get(len..).unwrap_or_default();
        }
        Ok(())
    }

    /// Writes a line of text, whatever the form.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Fault> {
        self.write(line.as_bytes())?;
        self.write(b"\n")
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match &mut self.sink {
            Sink::Stdout(out) => Ok(out.write_all(bytes)?),
            Sink::File(file) => file.write(bytes),
        }
    }

    /// The end of the output. A file that would lack something does not come to be.
    pub(crate) fn finish(self, console: &Console) -> Result<(), Fault> {
        match self.sink {
            Sink::Stdout(mut out) => Ok(out.flush()?),
            Sink::File(file) if console.is_well() => file.finish(),
            Sink::File(_) => Ok(()),
        }
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let mut file = Replacement::new(path)?;
    file.write(bytes)?;
    file.finish()
}

/// Makes a file of what `fill` writes, whole or not at all.
pub(crate) fn fill_file(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut file = Replacement::new(path)?;
    fill(file.out.get_mut())?;
    file.finish()
}

/// A file that takes the place of another when it is complete, with the permissions of the other.
struct Replacement {
    path: PathBuf,
    temporary: Option<PathBuf>,
    out: BufWriter<File>,
}

/// The files that are not complete, which no signal leaves behind.
static INCOMPLETE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn incomplete() -> MutexGuard<'static, Vec<PathBuf>> {
    INCOMPLETE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Exit status of a program that was told to stop, as shells have it for an interrupt.
const INTERRUPTED: i32 = 130;

fn watch_for_signals() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // Where no handler can be had, a signal ends the program as it always does.
        let _ = ctrlc::set_handler(|| {
            // The lock is kept, so that nothing is begun or renamed from here on.
            for path in incomplete().iter() {
                let _ = fs::remove_file(path);
            }
            std::process::exit(INTERRUPTED);
        });
    });
}

impl Replacement {
    fn new(path: &Path) -> Result<Self, Fault> {
        let fault = |error: io::Error| Fault::path(path, &error);
        // A link stays one: what it leads to is replaced.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let old = fs::metadata(path).ok();
        if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
            // A device or a pipe is written to, not replaced.
            let out = BufWriter::new(OpenOptions::new().write(true).open(path).map_err(fault)?);
            return Ok(Replacement { path: path.clone(), temporary: None, out });
        }
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Fault::Io(format!("{}: is a directory", path.display())));
        }
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        watch_for_signals();
        let mut incomplete = incomplete();
        let file = File::create_new(&temporary).map_err(fault)?;
        incomplete.push(temporary.clone());
        drop(incomplete);
        let replacement = Replacement {
            path: path.clone(),
            temporary: Some(temporary),
            out: BufWriter::new(file),
        };
        if let Some(old) = old {
            replacement.out.get_ref().set_permissions(old.permissions()).map_err(fault)?;
        }
        Ok(replacement)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.out.write_all(bytes).map_err(|error| Fault::path(&self.path, &error))
    }

    fn finish(mut self) -> Result<(), Fault> {
        let fault = |error: io::Error| Fault::path(&self.path, &error);
        self.out.flush().map_err(fault)?;
        if let Some(temporary) = &self.temporary {
            let mut incomplete = incomplete();
            fs::rename(temporary, &self.path).map_err(fault)?;
            incomplete.retain(|path| path != temporary);
            drop(incomplete);
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let mut incomplete = incomplete();
            let _ = fs::remove_file(&temporary);
            incomplete.retain(|path| *path != temporary);
        }
    }
}

/// One line of JSON, with the members in the order given; what is null is left out.
pub(crate) fn json_line(members: &[(&str, serde_json::Value)]) -> Result<String, Fault> {
    serde_json::to_string(&Members(members)).map_err(|error| Fault::Data(error.to_string()))
}

struct Members<'a>(&'a [(&'a str, serde_json::Value)]);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_map(self.0.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k, v)))
    }
}
