//! Annotated hex: one line for each head, with what it means.

use super::names;
use crate::diag::{self, Cose, Place, push_hex, write_text};
use crate::error::{Category, Error, Rule};
use crate::head::{Head, Major};
use crate::input::Slice;
use crate::profile::Profile;
use crate::scan::{Frame, Scanner, widen};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::iter::Peekable;

/// Annotated hex, as cbor.me prints it: one line for each head, children below and to the right.
///
/// Malformed bytes are printed up to the fault, and then the fault. Any number of items may follow each other.
///
/// ```
/// assert_eq!(
///     calibor::edn::dump(b"\xa1\x61a\x82\x20\xf9\x3e\x00"),
///     "\
/// a1            # map(1)
///    61         # text(1)
///       61      # \"a\"
///    82         # array(2)
///       20      # negative(0) = -1
///       f9 3e00 # float16(1.5)
/// "
/// );
/// assert_eq!(
///     calibor::edn::dump(b"\x82\x01"),
///     "\
/// 82    # array(2)
///    01 # unsigned(1)
///       ## !! truncated: input ends where an item is expected, at byte 2
/// "
/// );
/// ```
#[must_use]
pub fn dump(bytes: &[u8]) -> String {
    Dump::new().print(bytes)
}

/// How annotated hex is printed.
///
/// ```
/// use calibor::edn::Dump;
///
/// let dump = Dump::new().offsets(true).embedded(true);
/// assert_eq!(
///     dump.print(b"\xd8\x18\x43\x81\x18\x05"),
///     "\
/// 0: d8 18          # tag(24): embedded CBOR
/// 2:    43          # bytes(3)
/// 3:       81       # array(1)
/// 4:          18 05 # unsigned(5)
/// "
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Dump {
    offsets: bool,
    first: u64,
    embedded: bool,
    profile: Option<Profile>,
    max_depth: u32,
}

impl Default for Dump {
    fn default() -> Self {
        Self::new()
    }
}

impl Dump {
    /// No offsets, strings closed, no profile, 128 levels.
    #[must_use]
    pub const fn new() -> Self {
        Dump { offsets: false, first: 0, embedded: false, profile: None, max_depth: 128 }
    }

    /// Begins each line with the byte offset, in decimal as in messages.
    #[must_use]
    pub const fn offsets(mut self, on: bool) -> Self {
        self.offsets = on;
        self
    }

    /// The offset of the first byte, for a part of something longer.
    #[must_use]
    pub const fn first_offset(mut self, offset: u64) -> Self {
        self.first = offset;
        self
    }

    /// Opens byte strings that hold CBOR: under tags 24, 63 and 505 to 508, and in COSE messages (tagged or by
    /// their shape) the protected headers, payloads, and what header parameters hold.
    #[must_use]
    pub const fn embedded(mut self, on: bool) -> Self {
        self.embedded = on;
        self
    }

    /// Marks each line where the profile is violated with `!!`, the rule and the reason.
    ///
    /// ```
    /// use calibor::{Profile, edn::Dump};
    ///
    /// assert_eq!(
    ///     Dump::new().profile(Profile::CORE).print(b"\x18\x05"),
    ///     "18 05 # unsigned(5)  !! long-head: \
    ///     head 1805 is longer than it has to be, 05 is wanted, RFC 8949 §4.2.1\n"
    /// );
    /// ```
    #[must_use]
    pub const fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// The most levels of containers and tags; the next one is a fault.
    #[must_use]
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// The dump as text.
    #[must_use]
    pub fn print(&self, bytes: &[u8]) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(bytes, &mut out);
        out
    }

    /// Writes the dump, line by line, to anything that takes text.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write<W: Write>(&self, bytes: &[u8], out: &mut W) -> fmt::Result {
        if bytes.is_empty() {
            return out.write_str("# empty\n");
        }
        let mut measure = Dumper::new(self, bytes, None);
        measure.all()?;
        let layout = Layout { column: measure.column, digits: self.digits(bytes.len()) };
        let mut line = String::new();
        self.lines(bytes, |found| {
            line.clear();
            found.lay_out(&mut line, self.offsets.then_some(layout.digits), layout.column);
            out.write_str(&line)
        })
    }

    /// Calls `each` for every line, in order, with its parts.
    ///
    /// ```
    /// use calibor::edn::Dump;
    ///
    /// let mut found = Vec::new();
    /// Dump::new().lines(b"\x81\x18\x05", |line| {
    ///     found.push((line.offset, line.level, line.meaning.to_owned()));
    ///     Ok(())
    /// })?;
    /// assert_eq!(found, [(0, 0, "array(1)".to_owned()), (1, 1, "unsigned(5)".to_owned())]);
    /// # Ok::<(), core::fmt::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `each`.
    pub fn lines(
        &self,
        bytes: &[u8],
        mut each: impl FnMut(&DumpLine<'_>) -> fmt::Result,
    ) -> fmt::Result {
        Dumper::new(self, bytes, Some(&mut each)).all()
    }

    /// The digits of the largest offset.
    fn digits(&self, len: usize) -> usize {
        (self.first + len as u64).max(1).ilog10() as usize + 1
    }
}

/// How wide the columns are.
struct Layout {
    column: usize,
    digits: usize,
}

/// One line of a dump: a head, a piece of a string, or where the bytes stop to be CBOR.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DumpLine<'a> {
    /// Of the first byte.
    pub offset: u64,
    /// How many containers, tags and strings are around it.
    pub level: usize,
    /// The bytes; none for an item that is not there.
    pub bytes: &'a [u8],
    /// What they mean; nothing for bytes that speak for themselves.
    pub meaning: &'a str,
    /// What the profile does not allow, or why this is no CBOR, each as `rule: why, where that is written`.
    pub faults: &'a [String],
    /// Bytes that stand by themselves: the initial one of a head.
    apart: usize,
}

impl DumpLine<'_> {
    fn lay_out(&self, line: &mut String, digits: Option<usize>, column: usize) {
        if let Some(width) = digits {
            let _ = write!(line, "{:>width$}: ", self.offset);
        }
        let start = line.len();
        line.extend(core::iter::repeat_n(' ', 3 * self.level.min(INDENTED)));
        let (first, rest) = self.bytes.split_at(self.apart.min(self.bytes.len()));
        push_hex(line, first);
        line.extend(core::iter::repeat_n(' ', usize::from(!first.is_empty() && !rest.is_empty())));
        push_hex(line, rest);
        if !self.meaning.is_empty() || !self.faults.is_empty() {
            let missing = column.saturating_sub(line.len() - start);
            line.extend(core::iter::repeat_n(' ', missing));
            line.push_str(" # ");
            line.push_str(self.meaning);
        }
        for fault in self.faults {
            if !line.ends_with(' ') {
                line.push_str("  ");
            }
            let _ = write!(line, "!! {fault}");
        }
        line.push('\n');
    }
}

/// Where comments stand at the latest; longer lines push theirs out.
const LAST_COLUMN: usize = 56;
/// Bytes of a string on one line.
const WRAP: usize = 16;
/// Levels that are told apart by indentation.
const INDENTED: usize = 24;

/// What is done with each line.
type Each<'o> = dyn FnMut(&DumpLine<'_>) -> fmt::Result + 'o;

struct Dumper<'a, 'o> {
    options: &'o Dump,
    scan: Scanner<Slice<'a>>,
    bytes: &'a [u8],
    /// Nothing while the widest line is looked for.
    out: Option<&'o mut Each<'o>>,
    open: Vec<Open>,
    meaning: String,
    faults: Vec<String>,
    /// Why the dump ends early, for the next line.
    fault: Vec<String>,
    column: usize,
    /// The end of what was printed.
    printed: usize,
    violations: Option<Peekable<Box<dyn Iterator<Item = Error> + 'a>>>,
    /// Where the current outermost item begins.
    base: usize,
}

struct Open {
    frame: Frame,
    kind: Kind,
    value: bool,
    begun: u64,
    cose: Cose,
    /// Of a map: the value that comes is none to look into.
    closed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Array,
    Map,
    Tag(u64),
    /// A byte string whose content ends at this offset.
    Embedded(u64),
}

/// Why a dump ends early.
enum Stop {
    Fault(Error),
    Write,
    /// The lines are as wide as they can be.
    Wide,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Fault(error)
    }
}

impl From<fmt::Error> for Stop {
    fn from(_: fmt::Error) -> Self {
        Stop::Write
    }
}

impl<'a, 'o> Dumper<'a, 'o> {
    fn new(options: &'o Dump, bytes: &'a [u8], out: Option<&'o mut Each<'o>>) -> Self {
        let profile = Profile::WELL_FORMED.max_depth(options.max_depth);
        Dumper {
            options,
            scan: Scanner::new(Slice::new(bytes), profile),
            bytes,
            out,
            open: Vec::new(),
            meaning: String::new(),
            faults: Vec::new(),
            fault: Vec::new(),
            column: 0,
            printed: 0,
            violations: None,
            base: 0,
        }
    }

    fn all(&mut self) -> fmt::Result {
        while self.at() < self.bytes.len() {
            self.base = self.at();
            self.violations = None;
            if let (Some(profile), Some(_)) = (self.options.profile, &self.out) {
                let rest = self.bytes.get(self.base..).unwrap_or_default();
                let all: Box<dyn Iterator<Item = Error>> = Box::new(profile.violations(rest));
                self.violations = Some(all.peekable());
            }
            match self.item() {
                Ok(()) => {}
                Err(Stop::Write) => return Err(fmt::Error),
                Err(Stop::Wide) => return Ok(()),
                Err(Stop::Fault(error)) => {
                    return match self.end(&error) {
                        Err(Stop::Write) => Err(fmt::Error),
                        _ => Ok(()),
                    };
                }
            }
        }
        if self.bytes.is_empty() { self.empty() } else { Ok(()) }
    }

    fn empty(&mut self) -> fmt::Result {
        match &mut self.out {
            Some(each) => each(&DumpLine {
                offset: self.options.first,
                level: 0,
                bytes: &[],
                meaning: "empty",
                faults: &[],
                apart: 0,
            }),
            None => Ok(()),
        }
    }

    fn at(&self) -> usize {
        usize::try_from(self.scan.offset()).unwrap_or(self.bytes.len())
    }

    fn item(&mut self) -> Result<(), Stop> {
        loop {
            let mut complete = self.begin()?;
            while complete {
                let Some(open) = self.open.last_mut() else { return Ok(()) };
                if open.kind == Kind::Map && !open.value {
                    open.value = true;
                    open.frame.value(&mut self.scan)?;
                    break;
                }
                open.value = false;
                complete = !self.next_child()?;
            }
        }
    }

    /// True if another child comes; the break after the last gets its line.
    fn next_child(&mut self) -> Result<bool, Stop> {
        let at = self.at();
        let Some(open) = self.open.last_mut() else { return Ok(false) };
        // The frame forgets it with the break.
        let indefinite = open.frame.indefinite;
        let more = match open.kind {
            Kind::Embedded(end) => self.scan.offset() < end,
            _ => open.frame.more(&mut self.scan)?,
        };
        open.begun += 1;
        if more {
            return Ok(true);
        }
        if indefinite {
            self.emit(at, at + 1, 1, |line| line.push_str("break"))?;
        }
        self.open.pop();
        self.scan.leave();
        Ok(false)
    }

    /// True if the item is complete.
    fn begin(&mut self) -> Result<bool, Stop> {
        let at = self.at();
        if let Some(open) =
            self.open.last_mut().filter(|open| open.kind == Kind::Map && !open.value)
        {
            open.closed = diag::is_closed_header(self.bytes.get(at..).unwrap_or_default());
        }
        let head = self.scan.head()?;
        let kind = match head.major() {
            Major::Bytes | Major::Text => return self.string(head, at),
            Major::Array => Kind::Array,
            Major::Map => Kind::Map,
            Major::Tag => Kind::Tag(head.argument),
            _ => {
                self.emit_head(head, at)?;
                return Ok(true);
            }
        };
        self.scan.enter(at as u64)?;
        self.emit_head(head, at)?;
        let around = self.open.last().map_or(Cose::Root, |open| open.cose);
        let frame = match kind {
            Kind::Tag(_) => Frame { left: 1, indefinite: false },
            _ => Frame::new(head),
        };
        let cose = match kind {
            _ if !self.options.embedded => Cose::Nothing,
            Kind::Tag(number) => around.tag(number),
            Kind::Map => around.map(),
            Kind::Array | Kind::Embedded(_) => around.array(diag::beyond(self.bytes, at as u64)),
        };
        self.open.push(Open { frame, kind, value: false, begun: 0, cose, closed: false });
        Ok(!self.next_child()?)
    }

    fn string(&mut self, head: Head, at: usize) -> Result<bool, Stop> {
        if head.is_indefinite() {
            self.emit_head(head, at)?;
            // The chunks are children of their string.
            let frame = Frame { left: 0, indefinite: true };
            let (kind, cose) = (Kind::Array, Cose::Nothing);
            self.open.push(Open { frame, kind, value: false, begun: 0, cose, closed: false });
            let chunks = self.chunks(head.major());
            self.open.pop();
            return chunks.map(|()| true);
        }
        let content = self.scan.offset();
        if let Some(cose) = self.opens(head) {
            self.scan.enter(at as u64)?;
            self.emit_head(head, at)?;
            let kind = Kind::Embedded(content + head.argument);
            let frame = Frame { left: 0, indefinite: false };
            self.open.push(Open { frame, kind, value: false, begun: 0, cose, closed: false });
            return Ok(!self.next_child()?);
        }
        self.scan.content(head, at as u64)?;
        self.emit_head(head, at)?;
        self.emit_content(head, content)?;
        Ok(true)
    }

    fn chunks(&mut self, major: Major) -> Result<(), Stop> {
        loop {
            let at = self.at();
            let Some((chunk, _)) = self.scan.chunk(major)? else {
                return self.emit(at, at + 1, 1, |line| line.push_str("break"));
            };
            let content = self.scan.offset();
            self.scan.content(chunk, at as u64)?;
            self.emit_head(chunk, at)?;
            self.emit_content(chunk, content)?;
        }
    }

    /// What the content of a byte string is to COSE, if the string is to be opened.
    fn opens(&self, head: Head) -> Option<Cose> {
        let open = self.open.last().filter(|_| self.options.embedded)?;
        let place = match open.kind {
            _ if head.major() == Major::Text || head.argument == 0 => return None,
            Kind::Tag(number) => Place::Tag(number),
            Kind::Array => Place::Element(open.begun.saturating_sub(1)),
            Kind::Map if open.value && !open.closed => Place::Value,
            Kind::Map | Kind::Embedded(_) => return None,
        };
        open.cose.opens(place, diag::following(self.bytes, self.scan.offset(), head.argument)?)
    }

    fn emit_head(&mut self, head: Head, at: usize) -> Result<(), Stop> {
        self.emit(at, at + head.len(), 1, |line| {
            let _ = write_meaning(line, head);
        })
    }

    fn emit_content(&mut self, head: Head, from: u64) -> Result<(), Stop> {
        let content = diag::following(self.bytes, from, head.argument).unwrap_or_default();
        let mut at = usize::try_from(from).unwrap_or(usize::MAX);
        let mut rest = content;
        while !rest.is_empty() {
            let len = line_len(rest, head.major());
            let (piece, after) = rest.split_at(len);
            self.emit_below(at, at + len, |line| write_piece(line, head.major(), piece))?;
            at += len;
            rest = after;
        }
        Ok(())
    }

    fn emit_below(
        &mut self,
        at: usize,
        end: usize,
        meaning: impl FnOnce(&mut String),
    ) -> Result<(), Stop> {
        self.emit_line(self.open.len() + 1, at, end, 0, meaning)
    }

    fn emit(
        &mut self,
        at: usize,
        end: usize,
        apart: usize,
        meaning: impl FnOnce(&mut String),
    ) -> Result<(), Stop> {
        self.emit_line(self.open.len(), at, end, apart, meaning)
    }

    /// One line: the bytes, the first `apart` of them by themselves, and what they mean.
    fn emit_line(
        &mut self,
        level: usize,
        at: usize,
        end: usize,
        apart: usize,
        meaning: impl FnOnce(&mut String),
    ) -> Result<(), Stop> {
        let indent = 3 * level.min(INDENTED);
        let bytes = self.bytes.get(at..end).unwrap_or_default();
        let gap = usize::from(apart > 0 && bytes.len() > apart);
        self.printed = end;
        if self.out.is_none() {
            self.column = self.column.max(indent + 2 * bytes.len() + gap).min(LAST_COLUMN);
            return if self.column == LAST_COLUMN { Err(Stop::Wide) } else { Ok(()) };
        }
        self.meaning.clear();
        self.faults.clear();
        meaning(&mut self.meaning);
        self.mark(at);
        let line = DumpLine {
            offset: self.options.first + at as u64,
            level,
            bytes,
            meaning: &self.meaning,
            faults: &self.faults,
            apart,
        };
        match &mut self.out {
            Some(each) => Ok(each(&line)?),
            None => Ok(()),
        }
    }

    /// Adds the violations at or before `at` to the line.
    fn mark(&mut self, at: usize) {
        self.faults.append(&mut self.fault);
        let relative = (at - self.base.min(at)) as u64;
        let Some(violations) = &mut self.violations else { return };
        while let Some(error) =
            violations.next_if(|error| error.offset().is_some_and(|o| o <= relative))
        {
            // Faults of the grammar end the dump in their own way, and further items are no fault here.
            if let (Some(rule), Category::Profile) = (error.rule(), error.category()) {
                let reference = error.reference().unwrap_or_default();
                self.faults.push(format!("{rule}: {}, {reference}", error.detail()));
            }
        }
    }

    /// The last line: some of the bytes at fault and why they are.
    fn end(&mut self, error: &Error) -> Result<(), Stop> {
        let offset = error.offset().and_then(|offset| usize::try_from(offset).ok());
        let at = offset.unwrap_or(self.bytes.len()).max(self.printed).min(self.bytes.len());
        let left = self.bytes.len() - at;
        let shown = left.min(WRAP);
        let rule = error.rule().unwrap_or(Rule::Truncated);
        self.violations = None;
        let mut text = format!("{rule}: {}", error.detail());
        if let Some(offset) = error.offset() {
            let _ = write!(text, ", at byte {}", self.options.first + offset);
        }
        if left > shown {
            let _ = write!(text, ", and {} more bytes", left - shown);
        }
        self.fault.push(text);
        self.emit(at, at + shown, 1, |_| {})
    }
}

/// How much of a string goes on one line: no character is cut.
fn line_len(rest: &[u8], major: Major) -> usize {
    if rest.len() <= WRAP || major == Major::Bytes {
        return rest.len().min(WRAP);
    }
    let is_continuation = |at: &usize| rest.get(*at).is_some_and(|b| b & 0xc0 == 0x80);
    (WRAP - 3..=WRAP).rev().find(|at| !is_continuation(at)).unwrap_or(WRAP)
}

fn write_piece(line: &mut String, major: Major, piece: &[u8]) {
    match core::str::from_utf8(piece) {
        Ok(text) if major == Major::Text => write_text(line, text),
        _ if major == Major::Text => line.push_str("not UTF-8"),
        Ok(text) if piece.iter().all(|b| matches!(b, b' '..=b'~')) => {
            let _ = write!(line, "'{text}'");
        }
        _ => {}
    }
}

fn write_meaning(line: &mut String, head: Head) -> fmt::Result {
    let name = match head.major() {
        Major::Unsigned => return write!(line, "unsigned({})", head.argument),
        Major::Negative => {
            let value = -1 - i128::from(head.argument);
            return write!(line, "negative({}) = {value}", head.argument);
        }
        Major::Simple => return write_simple(line, head),
        Major::Tag => {
            write!(line, "tag({})", head.argument)?;
            return match names::tag(head.argument) {
                Some(name) => write!(line, ": {name}"),
                None => Ok(()),
            };
        }
        Major::Bytes => "bytes",
        Major::Text => "text",
        Major::Array => "array",
        Major::Map => "map",
    };
    match head.length() {
        Some(length) => write!(line, "{name}({length})"),
        None => write!(line, "{name}(*)"),
    }
}

fn write_simple(line: &mut String, head: Head) -> fmt::Result {
    match (head.info(), head.argument) {
        (25..=27, _) => {
            write!(line, "float{}(", 16 << (head.info() - 25))?;
            write_exact(line, widen(head))?;
            line.write_char(')')
        }
        (_, 20) => line.write_str("false"),
        (_, 21) => line.write_str("true"),
        (_, 22) => line.write_str("null"),
        (_, 23) => line.write_str("undefined"),
        (_, value) => write!(line, "simple({value})"),
    }
}

/// The value of a float: as a decimal where that is exact and short, else the shortest decimal and the
/// exact hexadecimal.
fn write_exact(line: &mut String, bits: u64) -> fmt::Result {
    let value = f64::from_bits(bits);
    let fraction = bits & ((1 << 52) - 1);
    let sign = if bits >> 63 == 1 { "-" } else { "" };
    if value.is_nan() {
        return write!(line, "{sign}NaN, payload {fraction:013x}");
    }
    if value.is_infinite() {
        return write!(line, "{sign}Infinity");
    }
    if value == 0.0 {
        return write!(line, "{sign}0.0");
    }
    let field = i32::from(crate::scan::low16(bits >> 52) & 0x7ff);
    let (significand, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let zeros = significand.trailing_zeros();
    // The value is an odd number times two to this power: that many decimals are exact, and fewer are not.
    let power = exponent + i32::try_from(zeros).unwrap_or(0);
    match usize::try_from(-power) {
        Ok(decimals @ 1..=20) if value.abs() < 1e15 => write!(line, "{value:.decimals$}"),
        _ if power >= 0 && value.abs() < 1e21 => write!(line, "{value:.1}"),
        _ => write!(line, "{value:?} = {sign}0x{:x}p{power:+}", significand >> zeros),
    }
}
