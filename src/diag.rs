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
    if write_item(out, key).is_err() {
        out.truncate(start);
        let _ = write!(out, "{}", Hex(key));
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

/// Writes one well-formed item. An error is one of the grammar.
pub(crate) fn write_item(out: &mut String, item: &[u8]) -> Result<()> {
    let mut printer = Printer {
        scan: Scanner::new(Slice::new(item), Profile::WELL_FORMED.max_depth(u32::MAX)),
        out,
        open: Vec::new(),
    };
    printer.item()
}

struct Printer<'a, 'o> {
    scan: Scanner<Slice<'a>>,
    out: &'o mut String,
    open: Vec<Open>,
}

struct Open {
    frame: Frame,
    close: char,
    map: bool,
    /// In a map: a key was written and its value comes.
    value: bool,
    first: bool,
}

impl Printer<'_, '_> {
    fn item(&mut self) -> Result<()> {
        loop {
            let mut complete = self.begin()?;
            while complete {
                let Some(open) = self.open.last_mut() else { return Ok(()) };
                if open.map && !open.value {
                    open.value = true;
                    self.out.push_str(": ");
                    break;
                }
                open.value = false;
                complete = !self.next_child()?;
            }
        }
    }

    /// True if another child comes.
    fn next_child(&mut self) -> Result<bool> {
        let Some(open) = self.open.last_mut() else { return Ok(false) };
        if open.frame.more(&mut self.scan)? {
            if !open.first {
                self.out.push_str(", ");
            }
            open.first = false;
            return Ok(true);
        }
        self.out.push(open.close);
        self.open.pop();
        Ok(false)
    }

    /// True if the item is complete.
    fn begin(&mut self) -> Result<bool> {
        let at = self.scan.offset();
        let head = self.scan.head()?;
        let _ = match head.major() {
            Major::Unsigned => write!(self.out, "{}{}", head.argument, Width(head)),
            Major::Negative => {
                write!(self.out, "{}{}", -1 - i128::from(head.argument), Width(head))
            }
            Major::Bytes | Major::Text => return self.string(head, at).map(|()| true),
            Major::Array => return self.open(head, '[', ']'),
            Major::Map => return self.open(head, '{', '}'),
            Major::Tag => {
                let _ = write!(self.out, "{}{}(", head.argument, Width(head));
                let frame = Frame { left: 1, indefinite: false };
                self.open.push(Open { frame, close: ')', map: false, value: false, first: true });
                return Ok(!self.next_child()?);
            }
            Major::Simple => self.simple(head),
        };
        Ok(true)
    }

    fn open(&mut self, head: Head, open: char, close: char) -> Result<bool> {
        self.out.push(open);
        if head.is_indefinite() {
            self.out.push_str("_ ");
        } else if !head.is_shortest() {
            let _ = write!(self.out, "{} ", Width(head));
        }
        let map = head.major() == Major::Map;
        self.open.push(Open { frame: Frame::new(head), close, map, value: false, first: true });
        Ok(!self.next_child()?)
    }

    fn string(&mut self, head: Head, at: u64) -> Result<()> {
        if !head.is_indefinite() {
            let piece = self.scan.content(head, at)?;
            write_string(self.out, head, piece.bytes());
            return Ok(());
        }
        let mut first = true;
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            self.out.push_str(if first { "(_ " } else { ", " });
            first = false;
            let piece = self.scan.content(chunk, at)?;
            write_string(self.out, chunk, piece.bytes());
        }
        self.out.push_str(match (first, head.major()) {
            (false, _) => ")",
            (true, Major::Text) => "\"\"_",
            (true, _) => "''_",
        });
        Ok(())
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

fn write_string(out: &mut String, head: Head, content: &[u8]) {
    let _ = match core::str::from_utf8(content) {
        Ok(text) if head.major() == Major::Text => {
            write_text(out, text);
            write!(out, "{}", Width(head))
        }
        _ if head.major() == Major::Text => {
            // No draft has a notation for it; this one says what it is, and every reader has to refuse it.
            write!(out, "\"\" + h'{}'{}", Hex(content), Width(head))
        }
        _ => write!(out, "h'{}'{}", Hex(content), Width(head)),
    };
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
