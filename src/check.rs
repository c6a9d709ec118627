//! Is it canonical, and if not, why not, all of it.

use crate::error::{Error, Result, Rule};
use crate::glance;
use crate::input::{Slice, private::Input as _};
use crate::order::Seen;
use crate::profile::Profile;
use crate::scan::{Found, Scanner};
use crate::walk::{self, Level, Walk};
use alloc::format;
use alloc::string::String;
use alloc::vec::{self, Vec};

impl Profile {
    /// Tells whether `bytes` are one item that obeys every rule of the profile.
    ///
    /// # Errors
    ///
    /// What is not CBOR at all is told before what is only not canonical: the fault of the grammar if there is
    /// one, else the first violation in the order of offsets, with offset and path.
    ///
    /// ```
    /// use calibor::Profile;
    ///
    /// // {"a": 1}
    /// Profile::CORE.check(b"\xa1\x61a\x01")?;
    ///
    /// // {"a": 1_0}
    /// let error = Profile::CORE.check(b"\xa1\x61a\x18\x01").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "head 1801 is longer than it has to be, 01 is wanted, RFC 8949 §4.2.1, at byte 3"
    /// );
    /// assert_eq!(error.path(), Some("/a"));
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub fn check(self, bytes: &[u8]) -> Result<()> {
        match self.first_item(bytes) {
            Ok(len) if len == bytes.len() => Ok(()),
            Ok(len) => Err(self.explain(bytes, trailing(len as u64, Some(bytes.len() - len)))),
            Err(error) => Err(self.explain(bytes, error)),
        }
    }

    /// Every violation of the profile's rules, in the order of offsets.
    ///
    /// Goes on after each violation that leaves the structure readable, so a fault of the grammar comes last.
    /// One pass; memory grows with the depth and with the keys of the open maps, not with what is found.
    ///
    /// ```
    /// use calibor::{Profile, Rule};
    ///
    /// // {_ "b": 1_0, "a": 1.0_2}
    /// let bytes = b"\xbf\x61b\x18\x01\x61a\xfa\x3f\x80\0\0\xff";
    /// let found: Vec<_> = Profile::CORE
    ///     .violations(bytes)
    ///     .map(|e| (e.offset().unwrap(), e.rule().unwrap().name(), e.path().unwrap().to_owned()))
    ///     .collect();
    /// assert_eq!(
    ///     found,
    ///     [
    ///         (0, "indefinite-length", "/".to_owned()),
    ///         (3, "long-head", "/b".to_owned()),
    ///         (5, "unsorted-key", "/a".to_owned()),
    ///         (7, "long-float", "/a".to_owned()),
    ///     ]
    /// );
    /// assert_eq!(Profile::CORE.violations(b"\x01").count(), 0);
    /// ```
    pub fn violations(self, bytes: &[u8]) -> impl Iterator<Item = Error> {
        Violations::new(self, bytes)
    }

    /// The length of the first item of `bytes`, which obeys every rule.
    pub(crate) fn first_item(self, bytes: &[u8]) -> Result<usize> {
        if let Some(len) = glance::item(bytes, self) {
            return Ok(len);
        }
        walked(bytes, self)
    }

    /// Finds the error to show for bytes that were refused with `error`.
    #[cold]
    pub(crate) fn explain(self, bytes: &[u8], error: Error) -> Error {
        let grammar = Profile::WELL_FORMED.max_depth(GRAMMAR_DEPTH.max(self.max_depth));
        // Where the grammar is read no further, the profile's own limit is what was passed.
        let first = Violations::first(grammar, bytes).filter(|e| e.rule() != Some(Rule::TooDeep));
        first.or_else(|| Violations::first(self, bytes)).unwrap_or(error)
    }
}

/// The length of the first item of `bytes`, which obeys every rule, read head by head.
pub(crate) fn walked(bytes: &[u8], profile: Profile) -> Result<usize> {
    let mut scan = Scanner::new(Slice::new(bytes), profile);
    let (mut seen, mut open) = (Seen::default(), Vec::new());
    Walk { scan: &mut scan, seen: &mut seen, open: &mut open }.item()?;
    Ok(usize::try_from(scan.offset()).unwrap_or(bytes.len()))
}

/// Levels that are read to tell input that is no CBOR at all from input that is only nested too deep.
const GRAMMAR_DEPTH: u32 = 1024;

/// Bytes that follow the one item.
#[cold]
pub(crate) fn trailing(offset: u64, left: Option<usize>) -> Error {
    let words = match left {
        Some(1) => "1 byte after the item".into(),
        Some(left) => format!("{left} bytes after the item"),
        None => String::from("more bytes after the item"),
    };
    Error::syntax(Rule::TrailingBytes, offset, words)
}

struct Violations<'a> {
    scan: Scanner<Slice<'a>>,
    seen: Seen,
    open: Vec<Level>,
    /// Found inside a map key, whose path is known only after it.
    held: Vec<Found>,
    /// What was held and is to be handed out, all of one path; an error is larger than what was found.
    ready: vec::IntoIter<Found>,
    path: String,
    /// What ends it all.
    last: Option<Error>,
    /// An item was read and is not yet accounted for in what contains it.
    read: bool,
    /// Nobody asks for the second.
    first_only: bool,
    done: bool,
}

impl<'a> Violations<'a> {
    fn new(profile: Profile, bytes: &'a [u8]) -> Self {
        Violations {
            scan: Scanner::new(Slice::new(bytes), profile).collect(),
            seen: Seen::default(),
            open: Vec::new(),
            held: Vec::new(),
            ready: Vec::new().into_iter(),
            path: String::new(),
            last: None,
            read: false,
            first_only: false,
            done: false,
        }
    }

    /// The first, with no memory for others.
    fn first(profile: Profile, bytes: &'a [u8]) -> Option<Error> {
        Violations { first_only: true, ..Violations::new(profile, bytes) }.next()
    }

    fn step(&mut self) {
        if core::mem::take(&mut self.read) {
            return self.complete();
        }
        let depth = self.open.len();
        let mut walk = Walk { scan: &mut self.scan, seen: &mut self.seen, open: &mut self.open };
        match walk.begin() {
            Ok(complete) => {
                self.collect(depth);
                self.read = complete;
            }
            Err(error) => self.end_with(depth, error),
        }
    }

    fn complete(&mut self) {
        let mut walk = Walk { scan: &mut self.scan, seen: &mut self.seen, open: &mut self.open };
        let complete = walk.complete();
        let depth = self.open.len();
        match complete {
            Ok(complete) => {
                self.collect(depth);
                if complete {
                    self.done = true;
                    if let left @ Some(1..) = self.scan.input.left() {
                        let error = trailing(self.scan.offset(), left);
                        self.last = Some(error.with_path("/"));
                    }
                }
            }
            Err(error) => self.end_with(depth, error),
        }
    }

    /// Takes what the last step found; the item it was about is a child of the outer `depth` containers.
    fn collect(&mut self, depth: usize) {
        self.hold();
        let open = &self.open[..depth.min(self.open.len())];
        if !self.held.is_empty() && !walk::is_in_key(open) {
            self.path = walk::path(&self.scan, open);
            self.release();
        }
    }

    fn hold(&mut self) {
        self.held.append(&mut self.scan.found());
        if self.first_only && self.held.len() > 1 {
            // Of the same offset the first that was found, as the sort below keeps it.
            let first = self.held.drain(..).min_by_key(|found| found.at);
            self.held.extend(first);
        }
    }

    fn release(&mut self) {
        self.held.sort_by_key(|found| found.at);
        self.ready = core::mem::take(&mut self.held).into_iter();
    }

    /// The grammar does not hold from here on.
    fn end_with(&mut self, depth: usize, error: Error) {
        self.done = true;
        self.hold();
        self.path = walk::path(&self.scan, &self.open[..depth.min(self.open.len())]);
        self.release();
        self.last = Some(error.with_path(self.path.as_str()));
    }
}

impl Iterator for Violations<'_> {
    type Item = Error;

    fn next(&mut self) -> Option<Error> {
        loop {
            if let Some(found) = self.ready.next() {
                return Some(self.scan.error(found).with_path(self.path.as_str()));
            }
            if self.done {
                return self.last.take();
            }
            self.step();
        }
    }
}
