//! What comes in: files, directories, standard input; binary or one of the texts; items, sequences, lines.

use crate::car;
use crate::console::{Console, Fault};
use alloc::borrow::Cow;
use calibor::{Profile, Rule, edn};
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
#[derive(clap::Args, Clone)]
pub(crate) struct Inputs {
    /// The files to read; `-` or none for standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Reads TEXT itself (hex, base64 or EDN) instead of a file
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "TEXT",
        conflicts_with = "files",
        allow_hyphen_values = true
    )]
    expr: Option<String>,

    /// The form of the input, where it is not to be guessed: bin, hex, base64 or edn
    #[arg(long = "in", value_name = "FORM", hide_possible_values = true)]
    form: Option<Form>,

    /// Reads a sequence of items (RFC 8742), as `.cborseq` files always are
    #[arg(long)]
    seq: bool,
}

/// The argument of every command that works line by line.
#[derive(clap::Args)]
pub(crate) struct Lines {
    /// Reads one item per line, in hex unless `--in` says otherwise; writes one line for each
    #[arg(long, conflicts_with_all = ["seq", "expr"])]
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
        let hint = match error.rule() {
            Some(Rule::TrailingBytes) if self.index.is_none() => " (--seq reads a sequence)",
            _ => "",
        };
        Fault::Data(format!("{}: {}{hint}", self.label(), self.message(error)))
    }

    /// A fault of the data with the name of the item before it.
    pub(crate) fn named(&self, fault: Fault) -> Fault {
        match fault {
            Fault::Data(text) => Fault::Data(format!("{}: {text}", self.label())),
            fault => fault,
        }
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

/// How an input is cut into items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// One item, or more where the name of the file says so.
    ByName,
    /// A sequence.
    Always,
}

impl Inputs {
    /// The same, read as sequences, or as the archives they are.
    pub(crate) fn sequence(self) -> Self {
        Inputs { seq: true, ..self }
    }

    fn cut(&self) -> Cut {
        if self.seq { Cut::Always } else { Cut::ByName }
    }

    /// Calls `each` for every item of every input, in order. Directories are refused.
    pub(crate) fn items(&self, console: &mut Console, each: &mut Each<'_>) -> Result<(), Fault> {
        self.read(console, &self.files, self.cut(), each)
    }

    /// Calls `each` for each input, with its name.
    pub(crate) fn each_file(
        &self,
        console: &mut Console,
        each: &mut dyn FnMut(&mut Console, &Inputs, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.files.len() < 2 {
            let name = self.files.first().map_or("-".into(), |path| path.display().to_string());
            return each(console, self, &name);
        }
        self.files.iter().try_for_each(|path| {
            let one = Inputs { files: vec![path.clone()], ..self.clone() };
            each(console, &one, &path.display().to_string())
        })
    }

    /// Calls `each` for every item, with the CBOR files under each directory.
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
        self.read(console, &files, self.cut(), each)
    }

    fn read(
        &self,
        console: &mut Console,
        files: &[PathBuf],
        cut: Cut,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let stdin = [PathBuf::from("-")];
        if let Some(text) = &self.expr {
            let source = Source { path: Path::new("-"), form: self.form, cut, typed: true };
            let result = source.read(console, &mut text.as_bytes(), false, each);
            return result.or_else(|fault| console.fault(fault));
        }
        let files = if files.is_empty() { &stdin } else { files };
        let alone = files.len() == 1;
        if !alone {
            console.progress().files(files.len());
        }
        for (path, done) in files.iter().zip(0_u64..) {
            let source = Source { path, form: self.form, cut, typed: false };
            let result = open(path).and_then(|(mut reader, len)| {
                if alone {
                    console.progress().bytes(len);
                }
                source.read(console, &mut reader, alone, each)
            });
            result.or_else(|fault| console.fault(fault))?;
            if !alone {
                console.progress().at(done);
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
        lines(console, &self.files, &mut |console, line| {
            let bytes = decode(form, line)
                .map_err(|why| Fault::Data(why.replace(", at line 1,", ", at")))?;
            each(console, &bytes)
        })
    }
}

/// The arguments of the commands that read texts, not items.
#[derive(clap::Args)]
pub(crate) struct Texts {
    /// The files to read; `-` or none for standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Reads TEXT itself instead of a file
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "TEXT",
        conflicts_with = "files",
        allow_hyphen_values = true
    )]
    expr: Option<String>,

    /// Reads any number of items and writes a sequence (RFC 8742)
    #[arg(long)]
    pub(crate) seq: bool,

    /// Reads one item per line; writes one line for each
    #[arg(long, conflicts_with_all = ["seq", "expr"])]
    pub(crate) lines: bool,
}

/// What is done with each text, and the name of its file.
pub(crate) type EachText<'f> = dyn FnMut(&str, &str) -> Result<(), Fault> + 'f;

/// What is done with each text that is read piece by piece.
pub(crate) type EachReader<'f> =
    dyn FnMut(&mut Console, &str, &mut dyn Read) -> Result<(), Fault> + 'f;

impl Texts {
    /// Calls `each` for every input, with its name.
    pub(crate) fn readers(
        &self,
        console: &mut Console,
        each: &mut EachReader<'_>,
    ) -> Result<(), Fault> {
        if let Some(text) = &self.expr {
            let result = each(console, "-", &mut text.as_bytes());
            return result.or_else(|fault| console.fault(fault));
        }
        for path in or_stdin(&self.files, &[PathBuf::from("-")]) {
            let result = open(path).and_then(|(mut reader, len)| {
                console.progress().bytes(len);
                each(console, &path.display().to_string(), &mut reader)
            });
            result.or_else(|fault| console.fault(fault))?;
        }
        Ok(())
    }

    /// Calls `each` for every text, with the name of the file.
    pub(crate) fn each(&self, console: &mut Console, each: &mut EachText<'_>) -> Result<(), Fault> {
        if let Some(text) = &self.expr {
            return each("-", text).or_else(|fault| console.fault(fault));
        }
        for path in or_stdin(&self.files, &[PathBuf::from("-")]) {
            let name = path.display().to_string();
            let result = read_all(path).and_then(|bytes| {
                let text = core::str::from_utf8(&bytes)
                    .map_err(|_| Fault::Data(format!("{name}: text that is not UTF-8")))?;
                each(&name, text)
            });
            result.or_else(|fault| console.fault(fault))?;
        }
        Ok(())
    }

    /// Calls `each` for every line of every input and prints what it returns.
    pub(crate) fn each_line(
        &self,
        console: &mut Console,
        each: &mut dyn FnMut(&str) -> Result<String, Fault>,
    ) -> Result<(), Fault> {
        lines(console, &self.files, &mut |_, line| {
            let text = core::str::from_utf8(line);
            each(text.map_err(|_| Fault::Data("text that is not UTF-8".into()))?)
        })
    }
}

fn or_stdin<'a>(files: &'a [PathBuf], stdin: &'a [PathBuf]) -> &'a [PathBuf] {
    if files.is_empty() { stdin } else { files }
}

fn read_all(path: &Path) -> Result<Vec<u8>, Fault> {
    let (mut reader, _) = open(path)?;
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| Fault::path(path, &error))?;
    Ok(bytes)
}

/// Reads the one input that a name, or an expression, stands for.
pub(crate) fn read_one(path: &Path, form: Option<Form>, expr: bool) -> Result<Vec<u8>, Fault> {
    let bytes = if expr { path.display().to_string().into_bytes() } else { read_all(path)? };
    Source { path, form, cut: Cut::ByName, typed: expr }.decode(bytes)
}

/// Prints one line for each line of each input: what `each` makes of it, or the error in its place.
fn lines(console: &mut Console, files: &[PathBuf], each: &mut EachLine<'_>) -> Result<(), Fault> {
    for path in or_stdin(files, &[PathBuf::from("-")]) {
        let result = open(path).and_then(|(reader, _)| lines_of(console, path, reader, each));
        result.or_else(|fault| console.fault(fault))?;
    }
    Ok(())
}

fn lines_of(
    console: &mut Console,
    path: &Path,
    reader: Box<dyn Read>,
    each: &mut EachLine<'_>,
) -> Result<(), Fault> {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let got = reader.read_until(b'\n', &mut line).map_err(|error| Fault::path(path, &error))?;
        if got == 0 {
            return Ok(());
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let printed = match each(console, text) {
            Err(Fault::Data(text)) => {
                console.no();
                format!("error: {text}")
            }
            printed => printed?,
        };
        console.line(printed)?;
    }
}

/// One input.
struct Source<'a> {
    path: &'a Path,
    form: Option<Form>,
    cut: Cut,
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
pub(crate) const CHUNK: usize = 1 << 16;

impl Source<'_> {
    fn extension(&self) -> &str {
        self.path.extension().and_then(OsStr::to_str).unwrap_or_default()
    }

    fn read(
        &self,
        console: &mut Console,
        reader: &mut dyn Read,
        progress: bool,
        each: &mut Each<'_>,
    ) -> Result<(), Fault> {
        let name = self.path.display().to_string();
        let fault = |error: io::Error| Fault::path(self.path, &error);
        let mut window = Window { reader, buffer: Vec::new(), start: 0, offset: 0, ended: false };
        window.fill().map_err(fault)?;
        let binary = self.is_binary(window.rest(), window.ended);
        if let Some(cut) = self.cutter(window.rest()).filter(|_| binary) {
            return cut(&mut window, console, &name, progress, each);
        }
        while !window.ended {
            window.fill().map_err(fault)?;
            if progress {
                console.progress().at(u64::try_from(window.buffer.len()).unwrap_or(u64::MAX));
            }
        }
        let bytes = self.decode(window.buffer)?;
        if let Some(cut) = self.cutter(&bytes) {
            let reader = &mut io::empty();
            let mut window = Window { reader, buffer: bytes, start: 0, offset: 0, ended: true };
            return cut(&mut window, console, &name, false, each);
        }
        each(console, &Item { name: &name, bytes: &bytes, offset: 0, index: None })
    }

    /// How the input is cut into items, if it is: archives are known by their beginning.
    fn cutter(&self, bytes: &[u8]) -> Option<Cutter> {
        if self.extension() == "car" || car::is_archive(bytes) {
            return Some(car::blocks);
        }
        (self.cut == Cut::Always || self.extension() == "cborseq").then_some(sequence)
    }

    fn is_binary(&self, bytes: &[u8], whole: bool) -> bool {
        self.form.map_or_else(|| !is_text(bytes, whole), |form| form == Form::Bin)
    }

    /// The bytes that an input stands for.
    fn decode(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        if self.is_binary(&bytes, true) {
            return Ok(bytes);
        }
        let decoded = match self.form {
            Some(form) => decode(form, &bytes),
            None => self.guess(bytes),
        };
        let name = if self.typed { "-".into() } else { self.path.display().to_string() };
        decoded.map_err(|why| Fault::Data(format!("{name}: {why}")))
    }

    /// Finds out what a text is: the first reading that gives CBOR.
    fn guess(&self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let named = matches!(self.extension(), "cbor" | "cose" | "cborseq" | "dag-cbor" | "bin");
        if named && is_item(&bytes) || bytes.is_empty() {
            return Ok(bytes);
        }
        let text = core::str::from_utf8(&bytes).unwrap_or_default();
        // Brackets are read over in hex, but `[1, 2]` is an array all the same.
        let bracketed = text.trim_start().starts_with(['[', '{']);
        let hex = edn::parse_hex(text).ok().filter(|read| !read.is_empty());
        let fits = |read: &Vec<u8>| {
            if bracketed { text.contains("0x") && is_item(read) } else { is_sequence(read) }
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

/// How an input of many items is gone through.
type Cutter = fn(&mut Window<'_>, &mut Console, &str, bool, &mut Each<'_>) -> Result<(), Fault>;

/// A part of a long input: from `start` of the buffer on, nothing was used yet.
pub(crate) struct Window<'r> {
    reader: &'r mut dyn Read,
    buffer: Vec<u8>,
    start: usize,
    /// Of `start` in the input.
    offset: u64,
    ended: bool,
}

impl Window<'_> {
    pub(crate) fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Where the rest begins in the input.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Makes `len` bytes of the rest be there; false where the input ends before.
    pub(crate) fn hold(&mut self, name: &str, len: usize) -> Result<bool, Fault> {
        while self.rest().len() < len && !self.ended {
            self.fill().map_err(|error| Fault::io(name, &error))?;
        }
        Ok(self.rest().len() >= len)
    }

    /// Goes on behind `len` bytes that are there.
    pub(crate) fn pass(&mut self, len: usize) {
        self.start += len;
        self.offset += u64::try_from(len).unwrap_or(u64::MAX);
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
}

/// Item by item, with no more in memory than the longest one.
fn sequence(
    window: &mut Window<'_>,
    console: &mut Console,
    name: &str,
    progress: bool,
    each: &mut Each<'_>,
) -> Result<(), Fault> {
    let mut index = 0;
    loop {
        let rest = window.rest();
        if rest.is_empty() && window.ended {
            return Ok(());
        }
        let len = match item_len(rest) {
            Ok(len) => len,
            Err(error) if error.is_eof() && !window.ended => {
                window.fill().map_err(|error| Fault::io(name, &error))?;
                continue;
            }
            // What is left cannot be cut into items; whoever asked finds out why.
            Err(_) => {
                return each(
                    console,
                    &Item { name, bytes: rest, offset: window.offset, index: Some(index) },
                );
            }
        };
        let bytes = rest.get(..len).unwrap_or_default();
        let item = Item { name, bytes, offset: window.offset, index: Some(index) };
        each(console, &item).or_else(|fault| match fault {
            Fault::Data(_) => console.fault(fault),
            fault => Err(fault),
        })?;
        index += 1;
        window.pass(len);
        if progress {
            console.progress().at(window.offset);
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
pub(crate) fn is_sequence(mut bytes: &[u8]) -> bool {
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
            let text = ended(text()?);
            edn::Parser::new().any_text(true).parse_seq(&text).map_err(|error| error.to_string())
        }
    }
}

/// Notation whose last line ends, which a comment there needs; without one, an error is where the text ends.
pub(crate) fn ended(text: &str) -> Cow<'_, str> {
    let last = text.rsplit('\n').next().unwrap_or_default();
    if last.contains(['#', '/']) { Cow::Owned(format!("{text}\n")) } else { Cow::Borrowed(text) }
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
