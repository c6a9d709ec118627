//! What the person in front of the terminal gets: lines, errors, progress, and the exit status.

use anstream::{AutoStream, eprintln};
use anstyle::{AnsiColor, Style};
use core::fmt::Display;
use core::time::Duration;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const RULE: Style = AnsiColor::Yellow.on_default();
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
pub(crate) const HEADING: Style = Style::new().bold();

/// Text in a style; what is not a terminal gets the text alone.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The exit status, the worst one wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Yes, or done.
    #[default]
    Yes,
    /// The data is at fault.
    No,
    /// The command line is.
    Usage,
    /// A file, or a pipe.
    Io,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Yes => 0,
            Status::No => 1,
            Status::Usage => 2,
            Status::Io => 3,
        })
    }
}

/// Why a command, or its work on one input, stops.
#[derive(Debug)]
pub(crate) enum Fault {
    Data(String),
    Usage(String),
    Io(String),
    /// Nobody reads on; nothing more is to be said.
    Pipe,
}

impl Fault {
    pub(crate) fn io(name: impl Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Fault::Pipe;
        }
        // Without `(os error 2)`, which says nothing more.
        let text = error.to_string();
        let plain = text.split(" (os error").next().unwrap_or_default();
        Fault::Io(format!("{name}: {plain}"))
    }

    pub(crate) fn path(path: &Path, error: &io::Error) -> Self {
        Self::io(path.display(), error)
    }

    fn status(&self) -> Status {
        match self {
            Fault::Data(_) => Status::No,
            Fault::Usage(_) => Status::Usage,
            Fault::Io(_) => Status::Io,
            Fault::Pipe => Status::Yes,
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Fault::Data(text) | Fault::Usage(text) | Fault::Io(text) => text,
            Fault::Pipe => "",
        }
    }
}

impl From<io::Error> for Fault {
    /// For errors of writing to stdout.
    fn from(error: io::Error) -> Self {
        Self::io("standard output", &error)
    }
}

/// Standard output for text, standard error, and the exit status.
pub(crate) struct Console {
    out: BufWriter<AutoStream<StdoutLock<'static>>>,
    status: Status,
    progress: Progress,
}

impl Console {
    pub(crate) fn new() -> Self {
        let out = AutoStream::auto(io::stdout()).lock();
        Console { out: BufWriter::new(out), status: Status::Yes, progress: Progress::new() }
    }

    /// Prints one line on standard output.
    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Fault> {
        Ok(writeln!(self.out, "{line}")?)
    }

    /// Prints text that ends its own lines.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Fault> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Prints one line on standard error, after all that stands before it on standard output.
    pub(crate) fn note(&mut self, line: impl Display) {
        let _ = self.out.flush();
        self.progress.suspend(|| eprintln!("{line}"));
    }

    /// Names a fault on standard error and remembers the exit status. Only a broken pipe ends the work.
    pub(crate) fn fault(&mut self, fault: Fault) -> Result<(), Fault> {
        if matches!(fault, Fault::Pipe) {
            return Err(fault);
        }
        self.status = self.status.max(fault.status());
        self.note(format_args!("{} {}", paint(BAD, "error:"), fault.text()));
        Ok(())
    }

    /// The answer is no.
    pub(crate) fn no(&mut self) {
        self.status = self.status.max(Status::No);
    }

    /// True where all went well so far.
    pub(crate) fn is_well(&self) -> bool {
        self.status == Status::Yes
    }

    pub(crate) fn progress(&mut self) -> &mut Progress {
        &mut self.progress
    }

    /// The end: what is buffered goes out, and the status with it.
    pub(crate) fn finish(mut self, result: Result<(), Fault>) -> Status {
        let flushed = self.out.flush().map_err(Fault::from);
        for fault in [result, flushed].into_iter().filter_map(Result::err) {
            // A broken pipe has nobody to tell.
            let _ = self.fault(fault);
        }
        self.progress.end();
        self.status
    }
}

/// A bar on standard error for work that takes more than a second, where a person looks at it.
pub(crate) struct Progress {
    start: Instant,
    shown: bool,
    bar: Option<ProgressBar>,
    total: Option<u64>,
    bytes: bool,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    fn new() -> Self {
        // Lines that scroll by on the same terminal are progress enough.
        let shown = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Progress { start: Instant::now(), shown, bar: None, total: None, bytes: false }
    }

    /// What the steps are counted in from now on.
    pub(crate) fn files(&mut self, total: usize) {
        self.total = u64::try_from(total).ok();
        self.bytes = false;
    }

    /// The input is one long one.
    pub(crate) fn bytes(&mut self, total: Option<u64>) {
        self.total = total;
        self.bytes = true;
    }

    pub(crate) fn at(&mut self, done: u64) {
        if !self.shown || (self.bar.is_none() && self.start.elapsed() < PATIENCE) {
            return;
        }
        let (total, bytes) = (self.total, self.bytes);
        self.bar.get_or_insert_with(|| new_bar(total, bytes)).set_position(done);
    }

    fn suspend(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: Option<u64>, bytes: bool) -> ProgressBar {
    let template = match (bytes, total.is_some()) {
        (true, true) => "{wide_bar} {bytes}/{total_bytes}, {eta} left",
        (true, false) => "{spinner} {bytes}",
        (false, _) => "{wide_bar} {pos}/{len} files, {eta} left",
    };
    let bar = total.map_or_else(ProgressBar::no_length, ProgressBar::new);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
