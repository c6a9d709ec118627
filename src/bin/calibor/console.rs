//! What the person in front of the terminal gets: lines, errors, progress, and the exit status.

use alloc::sync::Arc;
use anstream::{AutoStream, eprintln};
use anstyle::{AnsiColor, Style};
use core::fmt::Display;
use core::time::Duration;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
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
    /// What is printed goes where the bar is.
    seen: bool,
    status: Status,
    progress: Progress,
}

impl Console {
    pub(crate) fn new() -> Self {
        let out = AutoStream::auto(io::stdout()).lock();
        let seen = io::stdout().is_terminal();
        let progress = Progress::new(!seen && !keeps_its_output());
        Console { out: BufWriter::new(out), seen, status: Status::Yes, progress }
    }

    /// Prints one line on standard output.
    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), Fault> {
        self.show();
        writeln!(self.out, "{line}")?;
        if self.seen { Ok(self.out.flush()?) } else { Ok(()) }
    }

    /// Prints text that ends its own lines.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Fault> {
        self.show();
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Something is about to be printed.
    pub(crate) fn show(&mut self) {
        if self.seen {
            self.progress.interrupt();
        }
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

/// True where standard output is a file, or thrown away.
#[cfg(unix)]
fn keeps_its_output() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    let output = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let kind = output.and_then(|output| output.metadata()).map(|meta| meta.file_type());
    kind.is_ok_and(|kind| !kind.is_fifo() && !kind.is_socket())
}

#[cfg(not(unix))]
fn keeps_its_output() -> bool {
    false
}

/// A bar on standard error for work that takes more than a second, where a person looks at it. A thread of its own
/// draws it, so that it is seen while one long item is worked on, too.
pub(crate) struct Progress {
    shared: Option<Arc<Shared>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    end: Condvar,
    /// A pager that waits for a person is not drawn over: the bar comes only where the work goes on.
    piped: bool,
}

struct State {
    /// When something was last seen on the terminal.
    quiet: Instant,
    total: Option<u64>,
    bytes: bool,
    done: u64,
    /// Since the bar was last drawn.
    moved: bool,
    bar: Option<ProgressBar>,
    ended: bool,
}

impl Default for State {
    fn default() -> Self {
        State {
            quiet: Instant::now(),
            total: None,
            bytes: false,
            done: 0,
            moved: false,
            bar: None,
            ended: false,
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

impl Progress {
    /// `piped` where another program reads the output, and may have the terminal meanwhile.
    fn new(piped: bool) -> Self {
        if !io::stderr().is_terminal() {
            return Progress { shared: None, thread: None };
        }
        let shared = Arc::new(Shared { piped, ..Shared::default() });
        let drawn = Arc::clone(&shared);
        // Without a thread there is no bar, and nothing else is missing.
        let thread = thread::Builder::new().spawn(move || drawn.draw()).ok();
        Progress { shared: Some(shared), thread }
    }

    /// What the steps are counted in from now on.
    pub(crate) fn files(&mut self, total: usize) {
        self.change(|state| state.expect(u64::try_from(total).ok(), false));
    }

    /// The input is one long one.
    pub(crate) fn bytes(&mut self, total: Option<u64>) {
        self.change(|state| state.expect(total, true));
    }

    pub(crate) fn at(&mut self, done: u64) {
        self.change(|state| (state.done, state.moved) = (done, true));
    }

    /// Lines that scroll by on the same terminal are progress enough: the bar waits until there are none.
    pub(crate) fn interrupt(&mut self) {
        self.change(State::clear);
    }

    /// No bar at all: something else writes on the terminal.
    pub(crate) fn hide(&mut self) {
        self.end();
        self.shared = None;
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if let Some(shared) = &self.shared {
            change(&mut shared.lock());
        }
    }

    fn suspend(&self, print: impl FnOnce()) {
        match &self.shared {
            Some(shared) => match &shared.lock().bar {
                Some(bar) => bar.suspend(print),
                None => print(),
            },
            None => print(),
        }
    }

    fn end(&mut self) {
        if let Some(shared) = &self.shared {
            shared.lock().ended = true;
            shared.end.notify_one();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self) {
        let mut state = self.lock();
        while !state.ended {
            let waited = self.end.wait_timeout(state, TICK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let due = state.quiet.elapsed() >= PATIENCE && (state.moved || !self.piped);
            if due && !state.ended {
                state.draw();
            }
        }
        state.clear();
    }
}

impl State {
    fn expect(&mut self, total: Option<u64>, bytes: bool) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        (self.total, self.bytes, self.done) = (total, bytes, 0);
    }

    fn draw(&mut self) {
        let (total, bytes) = (self.total, self.bytes);
        let bar = self.bar.get_or_insert_with(|| new_bar(total, bytes));
        self.moved = false;
        bar.set_position(self.done);
        bar.tick();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.quiet = Instant::now();
    }
}

fn new_bar(total: Option<u64>, bytes: bool) -> ProgressBar {
    let template = match (bytes, total.is_some()) {
        (true, true) => "{spinner} {wide_bar} {bytes}/{total_bytes}, {eta} left",
        (true, false) => "{spinner} {bytes}",
        (false, _) => "{spinner} {wide_bar} {pos}/{len} files, {eta} left",
    };
    let bar = total.map_or_else(ProgressBar::no_length, ProgressBar::new);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
