//! What comes in: files, directories, standard input; binary or one of the texts; items, sequences, lines.

use crate::console::{Console, Fault};
use calibor::{Profile, edn};
use clap::ValueEnum;
use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD};
use serde_core::de::IgnoredAny;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

/// How bytes are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The bytes themselves
    Bin,
    /// Hexadecimal digits, with or without blanks, comments, `0x` and commas
    Hex,
    /// Base64 or base64url, with or without padding
    Base64,
    /// Diagnostic notation
    Edn,
}

/// The arguments of every command that reads items.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    /// The files to read; `-` or none for standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Reads TEXT itself (hex, base64 or EDN) instead of a file
    #[arg(short = 'e', long = "expr", value_name = "TEXT", conflicts_with_all = ["files", "lines"])]
    expr: Option<String>,

    /// The form of the input, where it is not to be guessed
    #[arg(long = "in", value_name = "FORM", hide_possible_values = true)]
    form: Option<Form>,

    /// Reads a sequence of items (RFC 8742), as `.cborseq` files always are
    #[arg(long, conflicts_with = "lines")]
    seq: bool,

    /// Reads one item per line, in hex unless `--in` says otherwise; writes one line for each
    #[arg(long)]
    pub(crate) lines: bool,
}

/// One item, or what should be one, and where it stands.
pub(crate) struct Item<'a> {
    /// The file, or `-`.
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
    /// Where the bytes begin in the input.
    pub(crate) offset: u64,
    /// Which item of a sequence it is, counted from 0.
    pub(crate) index: Option<u64>,
}

impl Item<'_> {
    /// The file, and which item of it: `file.cborseq#3`.
    pub(crate) fn label(&self) -> String {
        match self.index {
            Some(index) => format!("{}#{index}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// An error about this item, with the place counted from the beginning of the file.
    pub(crate) fn fault(&self, error: &calibor::Error) -> Fault {
        Fault::Data(format!("{}: {}", self.label(), self.message(error)))
    }

    fn message(&self, error: &calibor::Error) -> String {
        match error.offset() {
            Some(offset) if self.offset > 0 => {
                let reference = error.reference().map(|r| format!(", {r}")).unwrap_or_default();
                format!("{}{reference}, at byte {}", error.detail(), self.offset + offset)
            }
            _ => error.to_string(),
        }
    }
}

/// What is done with each item. A fault of the data is told, and the next input is read.
pub(crate) type Each<'f> = dyn FnMut(&mut Console, &Item<'_>) -> Result<(), Fault> + 'f;

/// What is done with each line. What it returns is printed; a fault is printed in its place.
pub(crate) type EachLine<'f> = dyn FnMut(&mut Console, &[u8]) -> Result<String, Fault> + 'f;

impl Inputs {
    /// Calls `each` for every item of every input, in order. Directories are refused.
    pub(crate) fn items(&self, console: &mut Console, each: &mut Each<'_>) -> Result<(), Fault> {
        self.read(console, self.files.clone(), each)
    }

    /// The same, with the CBOR files under each directory.
    pub(crate) fn items_of_trees(
        &self,
        console: &mut Console,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let mut files = Vec::with_capacity(self.files.len());
        for path in &self.files {
            let mut found = Vec::new();
            match walk(path, &mut found) {
                Ok(()) if found.is_empty() => {
                    console.fault(Fault::Io(format!("{}: no CBOR files in it", path.display())))?;
                }
                Ok(()) => files.append(&mut found),
                Err(fault) => console.fault(fault)?,
            }
        }
        if files.is_empty() && !self.files.is_empty() {
            return Ok(());
        }
        self.read(console, files, each)
    }

    fn read(
        &self,
        console: &mut Console,
        files: Vec<PathBuf>,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        if let Some(text) = &self.expr {
            let source =
                Source { path: Path::new("-"), form: self.form, seq: self.seq, typed: true };
            let result = source.read(console, &mut text.as_bytes(), None, each);
            return result.or_else(|fault| console.fault(fault));
        }
        let files = if files.is_empty() { vec![PathBuf::from("-")] } else { files };
        if files.len() > 1 {
            console.progress().files(files.len());
        }
        for (index, path) in files.iter().enumerate() {
            let source = Source { path, form: self.form, seq: self.seq, typed: false };
            let result = source.open(console, files.len() == 1, each);
            result.or_else(|fault| console.fault(fault))?;
            if files.len() > 1 {
                console.progress().at(u64::try_from(index).unwrap_or(u64::MAX));
            }
        }
        Ok(())
    }

    /// Calls `each` for every line of every input and prints one line for it.
    pub(crate) fn each_line(
        &self,
        console: &mut Console,
        default: Form,
        each: &mut EachLine<'_>,
    ) -> Result<(), Fault> {
        let form = self.form.unwrap_or(default);
        if form == Form::Bin {
            return Err(Fault::Usage("--lines reads text; --in bin has no lines".into()));
        }
        let stdin = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &stdin[..] } else { &self.files };
        for path in files {
            let result =
                open(path).and_then(|(reader, _)| lines(console, path, reader, form, each));
            result.or_else(|fault| console.fault(fault))?;
        }
        Ok(())
    }
}

fn lines(
    console: &mut Console,
    path: &Path,
    reader: Box<dyn Read>,
    form: Form,
    each: &mut EachLine<'_>,
) -> Result<(), Fault> {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|error| Fault::path(path, &error))? == 0 {
            return Ok(());
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let printed = decode(form, text)
            .map_err(|why| Fault::Data(why.replace(", at line 1,", ", at")))
            .and_then(|bytes| each(console, &bytes))
            .or_else(|fault| match fault {
                Fault::Data(text) => {
                    console.no();
                    Ok(format!("error: {text}"))
                }
                fault => Err(fault),
            });
        console.line(printed?)?;
    }
}

/// One input.
struct Source<'a> {
    path: &'a Path,
    form: Option<Form>,
    seq: bool,
    /// On the command line, where nobody types binary.
    typed: bool,
}

fn open(path: &Path) -> Result<(Box<dyn Read>, Option<u64>), Fault> {
    if path == Path::new("-") {
        return Ok((Box::new(io::stdin().lock()), None));
    }
    let file = File::open(path).map_err(|error| Fault::path(path, &error))?;
    let meta = file.metadata().map_err(|error| Fault::path(path, &error))?;
    if meta.is_dir() {
        return Err(Fault::Io(format!("{}: is a directory", path.display())));
    }
    Ok((Box::new(file), meta.is_file().then_some(meta.len())))
}

/// Bytes that are looked at to tell binary from text, and read at a time.
const CHUNK: usize = 1 << 16;

impl Source<'_> {
    fn open(&self, console: &mut Console, alone: bool, each: &mut Each<'_>) -> Result<(), Fault> {
        let (mut reader, len) = open(self.path)?;
        if alone {
            console.progress().bytes(len);
        }
        self.read(console, &mut reader, alone.then_some(()), each)
    }

    fn read(
        &self,
        console: &mut Console,
        reader: &mut dyn Read,
        progress: Option<()>,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let name = self.path.display().to_string();
        let extension = self.path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let seq = self.seq || extension == "cborseq";
        let mut window = Window { reader, buffer: Vec::new(), start: 0, offset: 0, ended: false };
        window.fill().map_err(|error| Fault::path(self.path, &error))?;
        let binary = match self.form {
            Some(form) => form == Form::Bin,
            None => !is_text(window.rest(), window.ended),
        };
        if binary && seq {
            return window.sequence(console, &name, progress, each);
        }
        while !window.ended {
            window.fill().map_err(|error| Fault::path(self.path, &error))?;
        }
        let bytes = match (self.form, binary) {
            (_, true) => window.buffer,
            (Some(form), false) => {
                decode(form, &window.buffer).map_err(|why| Fault::Data(format!("{name}: {why}")))?
            }
            (None, false) => self
                .guess(window.buffer, extension)
                .map_err(|why| Fault::Data(format!("{name}: {why}")))?,
        };
        if seq {
            let mut empty = io::empty();
            let mut window =
                Window { reader: &mut empty, buffer: bytes, start: 0, offset: 0, ended: true };
            return window.sequence(console, &name, None, each);
        }
        each(console, &Item { name: &name, bytes: &bytes, offset: 0, index: None })
    }

    /// Finds out what a text is: the first reading that gives CBOR.
    fn guess(&self, bytes: Vec<u8>, extension: &str) -> Result<Vec<u8>, String> {
        let named = matches!(extension, "cbor" | "cose" | "cborseq" | "dag-cbor" | "bin");
        if named && is_item(&bytes) || bytes.is_empty() {
            return Ok(bytes);
        }
        let text = core::str::from_utf8(&bytes).unwrap_or_default();
        // Brackets are read over in hex, but `[1, 2]` is an array all the same.
        let bracketed = text.trim_start().starts_with(['[', '{']);
        let hex = edn::parse_hex(text).ok().filter(|read| !read.is_empty());
        let fits = |read: &Vec<u8>| match bracketed {
            true => text.contains("0x") && is_item(read),
            false => is_sequence(read),
        };
        if let Some(read) = hex.as_ref().filter(|read| fits(read)) {
            return Ok(read.clone());
        }
        if let Some(read) = base64(&bytes).filter(|read| is_sequence(read)) {
            return Ok(read);
        }
        if !named && !self.typed && is_item(&bytes) {
            return Ok(bytes);
        }
        // What is no CBOR either way is told what is wrong with what it looks like.
        if let Some(read) = hex.filter(|_| !bracketed) {
            return Ok(read);
        }
        match decode(Form::Edn, &bytes) {
            Err(_) if named => Ok(bytes),
            Err(why) => Err(format!("neither CBOR, hex nor base64; as diagnostic notation: {why}")),
            read => read,
        }
    }
}

/// A part of a long input: from `start` of the buffer on, nothing was used yet.
struct Window<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    start: usize,
    /// Of `start` in the input.
    offset: u64,
    ended: bool,
}

impl Window<'_> {
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Reads as much again as there is, so that a long item is looked at a few times only.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let wanted = self.buffer.len().max(CHUNK);
        let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
        let got = (&mut *self.reader).take(limit).read_to_end(&mut self.buffer)?;
        self.ended = got < wanted;
        Ok(())
    }

    /// Item by item, with no more in memory than the longest one.
    fn sequence(
        &mut self,
        console: &mut Console,
        name: &str,
        progress: Option<()>,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let mut index = 0;
        loop {
            let rest = self.rest();
            if rest.is_empty() && self.ended {
                return Ok(());
            }
            let len = match item_len(rest) {
                Ok(len) => len,
                Err(error) if error.is_eof() && !self.ended => {
                    self.fill().map_err(|error| Fault::io(name, &error))?;
                    continue;
                }
                // What is left cannot be cut into items; whoever asked finds out why.
                Err(_) => {
                    return each(
                        console,
                        &Item { name, bytes: rest, offset: self.offset, index: Some(index) },
                    );
                }
            };
            let bytes = rest.get(..len).unwrap_or_default();
            let item = Item { name, bytes, offset: self.offset, index: Some(index) };
            each(console, &item).or_else(|fault| match fault {
                Fault::Data(_) => console.fault(fault),
                fault => Err(fault),
            })?;
            index += 1;
            self.start += len;
            self.offset += u64::try_from(len).unwrap_or(u64::MAX);
            if progress.is_some() {
                console.progress().at(self.offset);
            }
        }
    }
}

/// The length of the first item.
pub(crate) fn item_len(bytes: &[u8]) -> calibor::Result<usize> {
    let profile = Profile::WELL_FORMED.max_depth(u32::MAX);
    let (IgnoredAny, rest) = profile.decode_first(bytes)?;
    Ok(bytes.len() - rest.len())
}

/// True for any number of items, but one at least.
fn is_sequence(mut bytes: &[u8]) -> bool {
    let some = !bytes.is_empty();
    while !bytes.is_empty() {
        match item_len(bytes) {
            Ok(len) => bytes = bytes.get(len..).unwrap_or_default(),
            Err(_) => return false,
        }
    }
    some
}

fn is_item(bytes: &[u8]) -> bool {
    item_len(bytes).is_ok_and(|len| len == bytes.len())
}

/// Text has neither bytes that are not UTF-8 nor control characters.
fn is_text(bytes: &[u8], whole: bool) -> bool {
    let text = match core::str::from_utf8(bytes) {
        Ok(text) => text,
        // The end of a part can cut a character in two.
        Err(error) if !whole && error.error_len().is_none() => {
            core::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default())
                .unwrap_or_default()
        }
        Err(_) => return false,
    };
    text.bytes().all(|b| !b.is_ascii_control() || matches!(b, b'\t' | b'\n' | b'\r'))
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD]
        .iter()
        .find_map(|form| form.decode(&text).ok())
}

/// Reads bytes in a form that is known.
fn decode(form: Form, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let text = || core::str::from_utf8(bytes).map_err(|_| "text that is not UTF-8".to_owned());
    match form {
        Form::Bin => Ok(bytes.to_vec()),
        Form::Hex => edn::parse_hex(text()?).map_err(|error| error.to_string()),
        Form::Base64 => base64(bytes).ok_or_else(|| "not base64".to_owned()),
        Form::Edn => {
            // A comment in the last line needs the line's end.
            let text = format!("{}\n", text()?);
            edn::Parser::new().any_text(true).parse_seq(&text).map_err(|error| error.to_string())
        }
    }
}

/// The files under a directory whose names say that they are CBOR items or sequences, in the order of names; a
/// file is taken whatever its name.
fn walk(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Fault> {
    if path == Path::new("-") || !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).map_err(|error| Fault::path(&path, &error))?;
            let mut children = Vec::new();
            for entry in entries {
                children.push(entry.map_err(|error| Fault::path(&path, &error))?.path());
            }
            children.sort_unstable_by(|a, b| b.cmp(a));
            pending.append(&mut children);
        } else if is_cbor_name(&path) {
            found.push(path);
        }
    }
    Ok(())
}

fn is_cbor_name(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    matches!(extension, "cbor" | "cose" | "dag-cbor" | "cborseq")
}
