//! One item in diagnostic notation (RFC 8949 §8), lossless and on one line: what paths, messages and
//! `Value`'s `Display` print, and what the layouts of `edn` are made of.

use crate::error::Result;
use crate::float::{self, Shortest};
use crate::head::{Head, Major, shortest_len};
use crate::input::Slice;
use crate::profile::Profile;
use crate::scan::{Frame, Hex, Scanner, low16, low32, widen};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// Longest key or text that a path or a message repeats, in bytes.
const KEY_LIMIT: usize = 64;

/// Writes an encoded map key for a message: diagnostic notation, cut short where it is long.
pub(crate) fn write_key(out: &mut String, key: &[u8]) {
    let start = out.len();
    // A key of a megabyte is not printed to show its beginning.
    let style = Style { limit: KEY_LIMIT as u64, ..Style::ONE_LINE };
    let mut printer = Printer::new(out, key, &style);
    printer.room = Some(Room { left: KEY_LIMIT, counted: start, over: false });
    if printer.item().is_err() {
        out.truncate(start);
        let _ = write!(out, "{}", Hex(&key[..key.len().min(KEY_LIMIT)]));
    }
    if out.len() - start > KEY_LIMIT {
        let end = (start..=start + KEY_LIMIT).rev().find(|&i| out.is_char_boundary(i));
        out.truncate(end.unwrap_or(start));
        out.push('…');
    }
}

/// Writes an encoded map key as one step of a path: text as it is where nothing in it could be taken for
/// notation, anything else in diagnostic notation.
pub(crate) fn write_step(out: &mut String, key: &[u8]) {
    out.push('/');
    match plain_text(key) {
        Some(text) => out.push_str(text),
        None => write_key(out, key),
    }
}

fn plain_text(key: &[u8]) -> Option<&str> {
    let head = *key.first()?;
    let content = match head {
        0x61..=0x77 => key.get(1..)?,
        0x78 => key.get(2..)?,
        _ => return None,
    };
    let text = core::str::from_utf8(content).ok()?;
    let first = text.chars().next()?;
    let word =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@' | ':' | ' ' | '+');
    let plain = text.len() <= KEY_LIMIT
        && (first.is_alphabetic() || matches!(first, '_' | '$' | '@'))
        && text.chars().all(word);
    plain.then_some(text)
}

/// Writes one well-formed item on one line. An error is one of the grammar.
pub(crate) fn write_item(out: &mut String, item: &[u8]) -> Result<()> {
    Printer::new(out, item, &Style::ONE_LINE).item().map(|_| ())
}

/// What a notation of the same bytes may look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Writes a byte string, without its encoding indicator.
    pub(crate) bytes: fn(&mut String, &[u8]),
    /// Where lines are broken; one line if not at all.
    pub(crate) width: Option<usize>,
    /// Byte strings that are known to hold CBOR are opened.
    pub(crate) embedded: bool,
    /// A comment with the offset stands before each child.
    pub(crate) offsets: bool,
    /// Longer strings and containers are cut, which is a loss.
    pub(crate) limit: u64,
    pub(crate) max_depth: u32,
}

impl Style {
    pub(crate) const ONE_LINE: Style = Style {
        bytes: write_hex,
        width: None,
        embedded: false,
        offsets: false,
        limit: u64::MAX,
        max_depth: u32::MAX,
    };
}

pub(crate) struct Printer<'a, 'o> {
    scan: Scanner<Slice<'a>>,
    bytes: &'a [u8],
    out: &'o mut String,
    style: Style,
    open: Vec<Open>,
    /// Where the current line of `out` begins.
    line: usize,
    indent: usize,
    /// What the containers around the item are to COSE.
    cose: Cose,
    /// A try whether the item fits in what is left of the line.
    room: Option<Room>,
}

/// Characters that may still be written, and the bytes of `out` that are counted.
struct Room {
    left: usize,
    counted: usize,
    /// The try is given up.
    over: bool,
}

struct Open {
    frame: Frame,
    kind: Kind,
    /// In a map: a key was written and its value comes.
    value: bool,
    begun: u64,
    /// Its children stand on lines of their own.
    broken: bool,
    /// What it is to COSE.
    cose: Cose,
    /// Of a map: the value that comes is none to look into.
    closed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Array,
    Map,
    Tag(u64),
    /// A byte string whose content ends at an offset, with its head.
    Embedded(u64, Head),
}

/// Room that a short container gets in any case: `[]` on two lines helps nobody.
const LEAST_ROOM: usize = 16;

impl<'a, 'o> Printer<'a, 'o> {
    pub(crate) fn new(out: &'o mut String, bytes: &'a [u8], style: &Style) -> Self {
        let line = out.rfind('\n').map_or(0, |at| at + 1);
        Printer {
            scan: Scanner::new(Slice::new(bytes), Profile::WELL_FORMED.max_depth(style.max_depth)),
            bytes,
            out,
            style: *style,
            open: Vec::new(),
            line,
            indent: 0,
            cose: Cose::Root,
            room: None,
        }
    }

    #[cfg(feature = "edn")]
    pub(crate) fn offset(&self) -> u64 {
        self.scan.offset()
    }

    /// Writes between two items of a sequence.
    #[cfg(feature = "edn")]
    pub(crate) fn separate(&mut self) {
        self.out.push(',');
        if self.style.width.is_some() {
            self.new_line();
        } else {
            self.out.push(' ');
        }
    }

    /// Writes the next item; false if it was given up for want of room.
    pub(crate) fn item(&mut self) -> Result<bool> {
        loop {
            if self.style.embedded {
                self.mark_key();
            }
            let mut complete = self.begin()?;
            if self.is_over(0) {
                return Ok(false);
            }
            while complete {
                let Some(open) = self.open.last_mut() else { return Ok(!self.is_over(0)) };
                if open.kind == Kind::Map && !open.value {
                    open.value = true;
                    open.frame.value(&mut self.scan)?;
                    self.out.push_str(": ");
                    break;
                }
                open.value = false;
                complete = !self.next_child()?;
            }
        }
    }

    /// Remembers of a key in a COSE header whether its value can be looked into.
    fn mark_key(&mut self) {
        let at = self.scan.offset();
        if let Some(open) =
            self.open.last_mut().filter(|open| open.kind == Kind::Map && !open.value)
        {
            open.closed = is_closed_header(beyond(self.bytes, at));
        }
    }

    /// True if `more` bytes are more than there is room for.
    fn is_over(&mut self, more: usize) -> bool {
        let Some(room) = &mut self.room else { return false };
        let written = self.out.get(room.counted..).map_or(0, |text| text.chars().count());
        room.counted = self.out.len();
        // A character has four bytes at most.
        room.over |= written + more / 4 > room.left;
        room.left = room.left.saturating_sub(written);
        room.over
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        self.line = self.out.len();
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// True if another child comes.
    fn next_child(&mut self) -> Result<bool> {
        let at = self.scan.offset();
        let Some(open) = self.open.last_mut() else { return Ok(false) };
        let more = match open.kind {
            Kind::Embedded(end, _) => at < end,
            _ => open.frame.more(&mut self.scan)?,
        };
        if !more {
            self.close();
            return Ok(false);
        }
        let (first, broken, kind) = (open.begun == 0, open.broken, open.kind);
        let cut = open.begun >= self.style.limit;
        open.begun += 1;
        if matches!(kind, Kind::Tag(_)) {
            return Ok(true);
        }
        if !first {
            self.out.push(',');
        }
        if broken {
            self.new_line();
        } else if !first {
            self.out.push(' ');
        }
        if cut {
            self.out.push_str(if kind == Kind::Map { "...: ..." } else { "..." });
            self.skip_rest()?;
            self.close();
            return Ok(false);
        }
        if self.style.offsets {
            let _ = write!(self.out, "/ {} / ", self.scan.offset());
        }
        Ok(true)
    }

    /// Reads over this and all further children of the innermost container.
    fn skip_rest(&mut self) -> Result<()> {
        loop {
            let Some(open) = self.open.last_mut() else { return Ok(()) };
            for _ in 0..=u8::from(open.kind == Kind::Map) {
                skip_item(&mut self.scan)?;
            }
            let more = match open.kind {
                Kind::Embedded(end, _) => self.scan.offset() < end,
                _ => open.frame.more(&mut self.scan)?,
            };
            if !more {
                return Ok(());
            }
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.scan.leave();
        if open.broken {
            self.indent -= 1;
            self.new_line();
        }
        let _ = match open.kind {
            Kind::Array => self.out.write_char(']'),
            Kind::Map => self.out.write_char('}'),
            Kind::Tag(_) => self.out.write_char(')'),
            Kind::Embedded(_, head) => write!(self.out, ">>{}", Width(head)),
        };
    }

    /// True if the item is complete.
    fn begin(&mut self) -> Result<bool> {
        let (at, input) = (self.scan.offset(), self.scan.input);
        let head = self.scan.head()?;
        let _ = match head.major() {
            Major::Unsigned => write!(self.out, "{}{}", head.argument, Width(head)),
            Major::Negative => {
                write!(self.out, "{}{}", -1 - i128::from(head.argument), Width(head))
            }
            Major::Bytes | Major::Text => return self.string(head, at),
            Major::Array | Major::Map => {
                return if self.fits(input) { Ok(true) } else { self.container(head, at) };
            }
            Major::Tag => {
                let _ = write!(self.out, "{}{}(", head.argument, Width(head));
                let frame = Frame { left: 1, indefinite: false };
                let cose = self.cose().tag(head.argument);
                return self.push(frame, Kind::Tag(head.argument), false, cose, at);
            }
            Major::Simple => self.simple(head),
        };
        Ok(true)
    }

    /// Writes the container that begins at `input` if it fits in the rest of the line.
    fn fits(&mut self, input: Slice<'a>) -> bool {
        let (Some(width), None) = (self.style.width, &self.room) else { return false };
        let start = self.out.len();
        let column = match self.out.get(self.line..) {
            Some(line) if line.len() <= 4 * width => line.chars().count(),
            _ => width,
        };
        let levels =
            self.style.max_depth.saturating_sub(u32::try_from(self.open.len()).unwrap_or(u32::MAX));
        let cose = self.cose();
        let comma = usize::from(!self.open.is_empty());
        let left = width.saturating_sub(column + comma).max(LEAST_ROOM);
        let mut trial = Printer {
            scan: Scanner::new(input, Profile::WELL_FORMED.max_depth(levels)),
            bytes: self.bytes,
            out: self.out,
            style: self.style,
            open: Vec::new(),
            line: self.line,
            indent: 0,
            cose,
            room: Some(Room { left, counted: start, over: false }),
        };
        let fits = trial.item();
        let end = trial.scan.input;
        if let Ok(true) = fits {
            self.scan.input = end;
            return true;
        }
        // An error is found again, at its place, after all that goes before it was written.
        self.out.truncate(start);
        false
    }

    fn cose(&self) -> Cose {
        self.open.last().map_or(self.cose, |open| open.cose)
    }

    fn container(&mut self, head: Head, at: u64) -> Result<bool> {
        let map = head.major() == Major::Map;
        self.out.push(if map { '{' } else { '[' });
        if head.is_indefinite() {
            self.out.push_str("_ ");
        } else if !head.is_shortest() {
            let _ = write!(self.out, "{} ", Width(head));
        }
        let broken = self.style.width.is_some() && self.room.is_none();
        if broken {
            self.indent += 1;
            if self.out.ends_with(' ') {
                self.out.pop();
            }
        }
        let cose = match self.cose() {
            // Whether an array is a message is asked only where it makes a difference.
            _ if !self.style.embedded => Cose::Nothing,
            around if map => around.map(),
            around => around.array(beyond(self.bytes, at)),
        };
        self.push(Frame::new(head), if map { Kind::Map } else { Kind::Array }, broken, cose, at)
    }

    fn push(
        &mut self,
        frame: Frame,
        kind: Kind,
        broken: bool,
        cose: Cose,
        at: u64,
    ) -> Result<bool> {
        self.scan.enter(at)?;
        self.open.push(Open { frame, kind, value: false, begun: 0, broken, cose, closed: false });
        Ok(!self.next_child()?)
    }

    /// True if the item is complete, which a byte string that is opened is not.
    fn string(&mut self, head: Head, at: u64) -> Result<bool> {
        if !head.is_indefinite() {
            if self.is_over(usize::try_from(head.argument).unwrap_or(usize::MAX)) {
                return Ok(true);
            }
            if let Some(cose) = self.opens(head) {
                self.out.push_str("<<");
                let end = self.scan.offset() + head.argument;
                let frame = Frame { left: 0, indefinite: false };
                return self.push(frame, Kind::Embedded(end, head), false, cose, at);
            }
            let piece = self.scan.content(head, at)?;
            write_string(self.out, &self.style, head, piece.bytes());
            return Ok(true);
        }
        let mut first = true;
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            self.out.push_str(if first { "(_ " } else { ", " });
            first = false;
            let piece = self.scan.content(chunk, at)?;
            write_string(self.out, &self.style, chunk, piece.bytes());
            if self.is_over(0) {
                return Ok(true);
            }
        }
        self.out.push_str(match (first, head.major()) {
            (false, _) => ")",
            (true, Major::Text) => "\"\"_",
            (true, _) => "''_",
        });
        Ok(true)
    }

    /// What the content of the byte string at hand is to COSE, if the string is to be opened.
    fn opens(&self, head: Head) -> Option<Cose> {
        let open =
            self.open.last().filter(|_| self.style.embedded && head.major() == Major::Bytes)?;
        let place = match open.kind {
            Kind::Tag(number) => Place::Tag(number),
            Kind::Array => Place::Element(open.begun.saturating_sub(1)),
            Kind::Map if open.value && !open.closed => Place::Value,
            Kind::Map | Kind::Embedded(..) => return None,
        };
        open.cose.opens(place, following(self.bytes, self.scan.offset(), head.argument)?)
    }

    fn simple(&mut self, head: Head) -> fmt::Result {
        match (head.info(), head.argument) {
            (25..=27, _) => write_float(self.out, head),
            (_, 20) => self.out.write_str("false"),
            (_, 21) => self.out.write_str("true"),
            (_, 22) => self.out.write_str("null"),
            (_, 23) => self.out.write_str("undefined"),
            (_, value) => write!(self.out, "simple({value})"),
        }
    }
}

/// What a container is to COSE (RFC 9052), which decides what its byte strings hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cose {
    /// All there is, or all that a byte string holds: a message may stand here without its tag.
    Root,
    /// The tag of a message.
    Tagged {
        payload: bool,
    },
    /// A message; whether its third element is a payload, or else a ciphertext.
    Message {
        payload: bool,
    },
    /// Signatures and recipients, each of which begins as a message does.
    Layer,
    /// Header parameters.
    Headers,
    Nothing,
}

/// Where in its container a byte string stands.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// In a tag of this number.
    Tag(u64),
    /// In an array, counted from 0.
    Element(u64),
    /// In a map, and not as a key.
    Value,
}

impl Cose {
    /// What a tag in this container is.
    pub(crate) fn tag(self, number: u64) -> Cose {
        match number {
            17 | 18 | 97 | 98 => Cose::Tagged { payload: true },
            16 | 19 | 96 => Cose::Tagged { payload: false },
            _ if self == Cose::Headers => Cose::Headers,
            _ => Cose::Nothing,
        }
    }

    /// What an array in this container is; `bytes` begin with its head.
    pub(crate) fn array(self, bytes: &[u8]) -> Cose {
        match self {
            Cose::Tagged { payload } => Cose::Message { payload },
            Cose::Root => untagged(bytes).unwrap_or(Cose::Nothing),
            Cose::Message { .. } | Cose::Layer => Cose::Layer,
            Cose::Headers => untagged(bytes).unwrap_or(Cose::Headers),
            Cose::Nothing => Cose::Nothing,
        }
    }

    /// What a map in this container is.
    pub(crate) fn map(self) -> Cose {
        match self {
            Cose::Message { .. } | Cose::Layer | Cose::Headers => Cose::Headers,
            Cose::Root | Cose::Tagged { .. } | Cose::Nothing => Cose::Nothing,
        }
    }

    /// Whether a byte string in this container holds CBOR, by its place and by what it holds, and what that is.
    pub(crate) fn opens(self, place: Place, content: &[u8]) -> Option<Cose> {
        // A scalar is too easily something else: a text begins as a string or an integer does.
        let structure =
            || matches!(content.first(), Some(0x80..=0xdf)) && items(content) == Some(1);
        let (inner, opens) = match (self, place) {
            // 505 to 508 are tags of CoRIM, whose registration wraps its parts in byte strings.
            (_, Place::Tag(24 | 505..=508)) => (Cose::Root, items(content) == Some(1)),
            (_, Place::Tag(63)) => (Cose::Nothing, items(content).is_some()),
            (_, Place::Tag(_)) => return None,
            (Cose::Message { .. } | Cose::Layer, Place::Element(0)) => {
                (Cose::Headers, matches!(content.first(), Some(0xa0..=0xbf)) && structure())
            }
            (Cose::Message { payload: true }, Place::Element(2)) => (Cose::Root, structure()),
            // Receipts, endorsements, countersignatures, and what they hold.
            (Cose::Headers, _) => (Cose::Headers, structure()),
            _ => return None,
        };
        opens.then_some(inner)
    }
}

/// Whether a header parameter is bytes by definition: a key identifier (4), an initialization vector (5, 6). One
/// in a thousand looks like CBOR. `bytes` begin with its label.
pub(crate) fn is_closed_header(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(4..=6))
}

/// What an array is that begins as a COSE message does: a byte string that holds a map or nothing, a map, a byte
/// string or null.
fn untagged(bytes: &[u8]) -> Option<Cose> {
    let mut scan = Scanner::new(Slice::new(bytes), Profile::WELL_FORMED);
    let array = scan.head().ok().filter(|head| head.major() == Major::Array)?;
    let length = array.length().filter(|length| matches!(length, 3..=5))?;
    let at = scan.offset();
    let header = scan.head().ok().filter(|head| head.major() == Major::Bytes)?;
    let content = scan.content(header, at).ok()?;
    let content = content.bytes();
    let map = matches!(content.first(), Some(0xa0..=0xbf)) && items(content) == Some(1);
    let next = |scan: &Scanner<Slice<'_>>| beyond(bytes, scan.offset()).first().copied();
    if !(content.is_empty() || map) || !matches!(next(&scan), Some(0xa0..=0xbf)) {
        return None;
    }
    skip_item(&mut scan).ok()?;
    let third = next(&scan)?;
    (third >> 5 == 2 || third == 0xf6).then_some(Cose::Message { payload: length > 3 })
}

/// The bytes from `at` on.
pub(crate) fn beyond(bytes: &[u8], at: u64) -> &[u8] {
    bytes.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default()
}

/// The `len` bytes from `at` on, if they are there.
pub(crate) fn following(bytes: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..)?.get(..usize::try_from(len).ok()?)
}

/// How many items the bytes are, where they are whole items whose text is UTF-8.
fn items(bytes: &[u8]) -> Option<usize> {
    let mut profile = Profile::WELL_FORMED;
    profile.rules.utf8 = true;
    let mut scan = Scanner::new(Slice::new(bytes), profile);
    let mut count = 0;
    while scan.offset() < bytes.len() as u64 {
        skip_item(&mut scan).ok()?;
        count += 1;
    }
    Some(count)
}

/// Reads over one item.
fn skip_item(scan: &mut Scanner<Slice<'_>>) -> Result<()> {
    // The frame of each open container, whether it is a map, and whether the value of a key comes.
    let mut open: Vec<(Frame, bool, bool)> = Vec::new();
    loop {
        let at = scan.offset();
        let head = scan.head()?;
        match head.major() {
            Major::Bytes | Major::Text => scan.skip_string(head, at)?,
            Major::Array | Major::Map | Major::Tag => {
                scan.enter(at)?;
                let frame = match head.major() {
                    Major::Tag => Frame { left: 1, indefinite: false },
                    _ => Frame::new(head),
                };
                open.push((frame, head.major() == Major::Map, false));
            }
            _ => {}
        }
        loop {
            let Some((frame, map, value)) = open.last_mut() else { return Ok(()) };
            if *value {
                frame.value(scan)?;
                *value = false;
                break;
            }
            if frame.more(scan)? {
                *value = *map;
                break;
            }
            open.pop();
            scan.leave();
        }
    }
}

/// The encoding indicator of a head that is longer than it has to be: `_0` to `_3`.
pub(crate) struct Width(pub(crate) Head);

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.len() > shortest_len(self.0.argument) {
            write!(f, "_{}", self.0.info() - 24)?;
        }
        Ok(())
    }
}

fn write_string(out: &mut String, style: &Style, head: Head, content: &[u8]) {
    let text = if head.major() == Major::Text { core::str::from_utf8(content).ok() } else { None };
    if head.argument > style.limit {
        return write_cut(out, style, text, content);
    }
    match text {
        Some(text) => write_text(out, text),
        None if head.major() == Major::Text => {
            // No draft has a notation for it; this one says what it is, and every reader has to refuse it.
            out.push_str("\"\" + ");
            write_hex(out, content);
        }
        None => (style.bytes)(out, content),
    }
    let _ = write!(out, "{}", Width(head));
}

/// The beginning of a string, and that there was more (draft 25 §4.2).
fn write_cut(out: &mut String, style: &Style, text: Option<&str>, content: &[u8]) {
    let limit = usize::try_from(style.limit).unwrap_or(usize::MAX);
    if let Some(text) = text {
        let end = (0..=limit).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        write_text(out, text.get(..end).unwrap_or_default());
        out.push_str(" + ...");
    } else {
        let _ = write!(out, "h'{}...'", Hex(content.get(..limit).unwrap_or(content)));
    }
}

pub(crate) fn write_hex(out: &mut String, content: &[u8]) {
    out.push_str("h'");
    push_hex(out, content);
    out.push('\'');
}

/// What `{:02x}` writes for each byte, without its cost.
pub(crate) fn push_hex(out: &mut String, content: &[u8]) {
    let digit =
        |nibble: u8| char::from(if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble });
    out.reserve(2 * content.len());
    for byte in content {
        out.push(digit(byte >> 4));
        out.push(digit(byte & 15));
    }
}

/// Text in double quotes, with the escapes that every draft of the notation knows.
pub(crate) fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A float with its width where that is not the preferred one, and its bits where it is a NaN of its own.
pub(crate) fn write_float(out: &mut String, head: Head) -> fmt::Result {
    let bits = widen(head);
    let value = f64::from_bits(bits);
    let shortest = match float::shortest_bits(bits) {
        Shortest::F16(_) => 25,
        Shortest::F32(_) => 26,
        Shortest::F64(_) => 27,
    };
    if value.is_nan() && bits != 0x7ff8 << 48 {
        return match head.info() {
            25 => write!(out, "float'{:04x}'", low16(head.argument)),
            26 => write!(out, "float'{:08x}'", low32(head.argument)),
            _ => write!(out, "float'{:016x}'", head.argument),
        };
    }
    match value {
        f64::INFINITY => out.write_str("Infinity")?,
        f64::NEG_INFINITY => out.write_str("-Infinity")?,
        _ => write!(out, "{value:?}")?,
    }
    if head.info() == shortest { Ok(()) } else { write!(out, "_{}", head.info() - 24) }
}
