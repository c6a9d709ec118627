//! The two inputs: a slice, from which strings are borrowed, and a reader.
//!
//! Both are a window of bytes with a position in it. A slice's window is the whole slice. A reader's is filled in
//! blocks, though never with a byte after the item: heads that were read tell how many bytes have to follow them
//! at least. It forgets what was read as soon as nobody holds on to it.

use crate::error::{Error, Result, Rule};
use crate::head::{Head, argument_len};
use alloc::format;

/// A source of bytes for [`Deserializer`](crate::Deserializer): [`Slice`] or `Reader`. Sealed.
pub trait Input<'de>: private::Input<'de> {}

impl<'de, T: private::Input<'de>> Input<'de> for T {}

/// Bytes in memory; strings are borrowed from them.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'de> {
    bytes: &'de [u8],
    at: usize,
    /// Bytes that are known to be ASCII, and where they begin. Heads of strings and small integers are ASCII as well, so
    /// that they often hold many strings.
    ascii: &'de str,
    ascii_at: usize,
    /// They held more than the string they were looked up for.
    shared: bool,
    /// So many strings are looked at by themselves, since the last look served one only.
    alone: u8,
}

/// Bytes from an [`io::Read`](std::io::Read).
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// Room for bytes, of which those before `end` were read.
    window: alloc::vec::Vec<u8>,
    at: usize,
    end: usize,
    /// The offset of the first byte of the window.
    start: u64,
    /// How many callers want the bytes read since they asked kept, and where the first of them began.
    holds: usize,
    held_from: usize,
    /// How many bytes the rest of the item has at least: one for each child to come and each break, and the content of a
    /// string whose head was read.
    owed: u64,
}

/// Some bytes of the input, for as long as they can be had.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'de, 's> {
    Borrowed(&'de [u8]),
    Passing(&'s [u8]),
}

/// UTF-8 of the input, for as long as it can be had.
#[derive(Clone, Copy, Debug)]
pub enum Text<'de, 's> {
    Borrowed(&'de str),
    Passing(&'s str),
}

impl Piece<'_, '_> {
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Piece::Borrowed(bytes) | Piece::Passing(bytes) => bytes,
        }
    }
}

pub(crate) mod private {
    use super::{Head, Piece, Result, Text};

    pub trait Input<'de> {
        /// Bytes consumed.
        fn offset(&self) -> u64;
        /// The next byte, not consumed; none at the end of the input.
        fn peek(&mut self) -> Result<Option<u8>>;
        /// The longest head there can be, if that much is at hand; not consumed.
        fn ahead(&self) -> Option<[u8; 9]>;
        /// Consumes an item without children, or a break, that was looked at.
        fn advance(&mut self, len: usize);
        /// Consumes a head. Reserved additional information and a missing argument are errors.
        fn head(&mut self) -> Result<Head>;
        /// Consumes the content of a string whose head began at `at`.
        fn take(&mut self, len: u64, at: u64) -> Result<Piece<'de, '_>>;
        /// The same for text; none if it is not UTF-8.
        fn take_text(&mut self, len: u64, at: u64) -> Result<Option<Text<'de, '_>>>;
        /// Consumes a short text string with its head, if it is at hand.
        fn short_text(&mut self) -> Option<Text<'de, '_>>;
        /// Consumes a short byte string with its head, if it is at hand.
        fn short_bytes(&mut self) -> Option<Piece<'de, '_>>;
        /// The content of a text string of fewer than 24 bytes that is next and at hand; not consumed.
        fn short_string(&self) -> Option<&[u8]>;
        /// Consumes the content of a string, if it is at hand and ASCII.
        fn skip_ascii(&mut self, len: u64) -> bool;
        /// Keeps the bytes from here on at hand until `release`.
        fn hold(&mut self);
        fn release(&mut self);
        /// The eight bytes from an offset on, of what was consumed under a hold or lies beyond it.
        fn word(&self, from: u64) -> Option<u64>;
        /// Begins with another item: ends every hold and forgets what is owed, also what an error left behind.
        fn restart(&mut self);
        /// Takes note that so many bytes more have to come than heads have told.
        fn owe(&mut self, bytes: u64);
        /// Bytes that were consumed under a hold.
        fn held(&self, from: u64, to: u64) -> &[u8];
        /// The same, borrowed from the input where it lives as long.
        fn held_piece(&self, from: u64, to: u64) -> Piece<'de, '_>;
        /// Goes back to a place that was held since.
        fn rewind(&mut self, to: u64);
        /// What is left, if that is known: the most that a length can claim.
        fn left(&self) -> Option<usize>;
        /// All that is left, unread; nothing where it is not at hand.
        fn rest(&self) -> Option<&'de [u8]>;
    }
}

#[cold]
#[inline(never)]
fn truncated(at: u64, detail: &'static str) -> Error {
    Error::syntax(Rule::Truncated, at, detail)
}

#[cold]
#[inline(never)]
fn short_string(at: u64, len: u64, left: usize) -> Error {
    Error::syntax(
        Rule::Truncated,
        at,
        format!("string of {len} bytes has only {left} before the end of the input"),
    )
}

#[cold]
#[inline(never)]
fn reserved(at: u64, first: u8) -> Error {
    let detail = format!("initial byte {first:02x} has reserved additional information");
    Error::syntax(Rule::ReservedInfo, at, detail)
}

const NO_ITEM: &str = "input ends where an item is expected";
const NO_ARGUMENT: &str = "input ends inside the head of an item";

impl<'de> Slice<'de> {
    pub(crate) const fn new(bytes: &'de [u8]) -> Self {
        Slice { bytes, at: 0, ascii: "", ascii_at: 0, shared: true, alone: 0 }
    }

    /// Text that is known to be ASCII.
    #[inline(always)]
    fn known(&mut self, from: usize, len: usize) -> Option<&'de str> {
        let from = from.wrapping_sub(self.ascii_at);
        let text = self.ascii.get(from..from.wrapping_add(len))?;
        self.shared = true;
        Some(text)
    }

    /// Looks how much ASCII there is from a string's content on, a little beyond its end. Looking further would make it
    /// a long way for those who read one item of many.
    #[inline(never)]
    fn look(&mut self, from: usize, len: usize) -> Option<&'de str> {
        let end = from.checked_add(len)?;
        if self.alone > 0 {
            self.alone -= 1;
            return core::str::from_utf8(self.bytes.get(from..end)?).ok();
        }
        let ahead = &self.bytes[from..self.bytes.len().min(end.checked_add(AHEAD)?)];
        let ascii = ascii_len(ahead);
        if ascii < len {
            return None;
        }
        if !self.shared {
            self.alone = ALONE;
        }
        self.shared = false;
        self.ascii = core::str::from_utf8(&ahead[..ascii]).ok()?;
        self.ascii_at = from;
        self.ascii.get(..len)
    }

    #[inline(always)]
    fn range(&self, from: u64, to: u64) -> &'de [u8] {
        // Offsets handed out by a slice are indexes into it.
        let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        self.bytes.get(index(from)..index(to)).unwrap_or_default()
    }
}

/// The head at the front of these bytes and its length, if they are enough for the longest there is: one bounds check,
/// one load and one shift for every width.
#[inline(always)]
fn any_head(bytes: &[u8]) -> Option<(Head, usize)> {
    let &[first, a, b, c, d, e, f, g, h] = bytes.first_chunk()?;
    let info = first & 31;
    if info < 24 {
        return Some((Head { first, argument: u64::from(info) }, 1));
    }
    if info < 28 {
        // Not from a table: where the next item begins waits for this.
        let width = 1 << (info & 3);
        let word = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        return Some((Head { first, argument: word >> (64 - 8 * width) }, 1 + width));
    }
    None
}

/// A head near the end of the input, which is at `at`, or one that is none.
#[cold]
#[inline(never)]
fn last_head(bytes: &[u8], at: u64) -> Result<(Head, usize)> {
    let Some((&first, rest)) = bytes.split_first() else {
        return Err(truncated(at, NO_ITEM));
    };
    let info = first & 31;
    if matches!(info, 28..=30) {
        return Err(reserved(at, first));
    }
    let Some(argument) = rest.get(..argument_len(info)) else {
        return Err(truncated(at, NO_ARGUMENT));
    };
    let inline = if info < 24 { u64::from(info) } else { 0 };
    let len = 1 + argument.len();
    let argument = argument.iter().fold(inline, |n, &byte| n << 8 | u64::from(byte));
    Ok((Head { first, argument }, len))
}

/// The lengths of head and content of a short string at the front of these bytes, whose initial byte is `empty` where it
/// is empty.
#[inline(always)]
fn short_lengths(bytes: &[u8], empty: u8) -> Option<(usize, usize)> {
    match *bytes {
        [first, ..] if first ^ empty < 24 => Some((1, usize::from(first ^ empty))),
        [first, len, ..] if first ^ empty == 24 && len >= 24 => Some((2, usize::from(len))),
        _ => None,
    }
}

const EMPTY_BYTES: u8 = 0x40;
const EMPTY_TEXT: u8 = 0x60;

/// The content of a text string of fewer than 24 bytes at the front of these bytes.
#[inline(always)]
fn short_content(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [first @ 0x60..=0x77, rest @ ..] => rest.get(..usize::from(first & 31)),
        _ => None,
    }
}

/// True if there are so many bytes and they are ASCII.
#[inline(always)]
fn begins_ascii(bytes: &[u8], len: usize) -> bool {
    match bytes.first_chunk() {
        Some(word) if len <= 8 => {
            // What counts is at the bottom of the word.
            let beyond = 64 - 8 * u32::from(len.to_le_bytes()[0]);
            (u64::from_le_bytes(*word) & HIGH).checked_shl(beyond).unwrap_or(0) == 0
        }
        _ => bytes.get(..len).is_some_and(is_ascii),
    }
}

/// How far beyond a string it is seen whether ASCII goes on.
const AHEAD: usize = 256;

/// How many strings are looked at by themselves before it is tried again whether they lie in a stretch of ASCII.
const ALONE: u8 = 15;

/// The bits that no byte of ASCII has.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Tells ASCII by words that overlap at the end; most text is short and ASCII.
#[inline]
fn is_ascii(text: &[u8]) -> bool {
    let word = |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes);
    match text.last_chunk::<8>() {
        Some(last) if text.len() <= 64 => {
            let all = text
                .chunks_exact(8)
                .fold(word(last), |all, bytes| all | bytes.first_chunk().map_or(0, word));
            all & HIGH == 0
        }
        Some(_) => text.is_ascii(),
        None => text.iter().fold(0, |all, byte| all | byte) < 0x80,
    }
}

/// How many bytes there are before the first that is not ASCII.
fn ascii_len(bytes: &[u8]) -> usize {
    let mut len = 0;
    for block in bytes.chunks_exact(8) {
        let high = block.first_chunk().map_or(HIGH, |block| u64::from_le_bytes(*block)) & HIGH;
        if high != 0 {
            return len + high.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + bytes[len..].iter().take_while(|byte| byte.is_ascii()).count()
}

impl<'de> private::Input<'de> for Slice<'de> {
    #[inline(always)]
    fn offset(&self) -> u64 {
        self.at as u64
    }

    #[inline(always)]
    fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.bytes.get(self.at).copied())
    }

    #[inline(always)]
    fn ahead(&self) -> Option<[u8; 9]> {
        self.bytes[self.at..].first_chunk().copied()
    }

    #[inline(always)]
    fn advance(&mut self, len: usize) {
        self.at += len;
    }

    #[inline(always)]
    fn head(&mut self) -> Result<Head> {
        let rest = &self.bytes[self.at..];
        let (head, len) = match any_head(rest) {
            Some(head) => head,
            None => last_head(rest, self.at as u64)?,
        };
        self.at += len;
        Ok(head)
    }

    #[inline(always)]
    fn take(&mut self, len: u64, at: u64) -> Result<Piece<'de, '_>> {
        let rest = &self.bytes[self.at..];
        match usize::try_from(len).ok().and_then(|len| rest.get(..len)) {
            Some(content) => {
                self.at += content.len();
                Ok(Piece::Borrowed(content))
            }
            None => Err(short_string(at, len, rest.len())),
        }
    }

    #[inline(always)]
    fn take_text(&mut self, len: u64, at: u64) -> Result<Option<Text<'de, '_>>> {
        let from = self.at;
        let content = match self.take(len, at)? {
            Piece::Borrowed(content) => content,
            Piece::Passing(_) => return Ok(None),
        };
        let text = match self.known(from, content.len()) {
            Some(text) => Some(text),
            None => match self.look(from, content.len()) {
                Some(text) => Some(text),
                None => core::str::from_utf8(content).ok(),
            },
        };
        Ok(text.map(Text::Borrowed))
    }

    #[inline(always)]
    fn short_text(&mut self) -> Option<Text<'de, '_>> {
        let (head, len) = short_lengths(self.bytes.get(self.at..)?, EMPTY_TEXT)?;
        let from = self.at + head;
        let text = match self.known(from, len) {
            Some(text) => text,
            None if self.bytes.len() - from >= len => self.look(from, len)?,
            None => return None,
        };
        self.at = from + len;
        Some(Text::Borrowed(text))
    }

    #[inline(always)]
    fn short_bytes(&mut self) -> Option<Piece<'de, '_>> {
        let rest = self.bytes.get(self.at..)?;
        let (head, len) = short_lengths(rest, EMPTY_BYTES)?;
        let content = rest.get(head..head + len)?;
        self.at += head + len;
        Some(Piece::Borrowed(content))
    }

    #[inline(always)]
    fn short_string(&self) -> Option<&[u8]> {
        short_content(self.bytes.get(self.at..)?)
    }

    #[inline(always)]
    fn skip_ascii(&mut self, len: u64) -> bool {
        let Ok(len) = usize::try_from(len) else { return false };
        let ascii = begins_ascii(&self.bytes[self.at..], len);
        if ascii {
            self.at += len;
        }
        ascii
    }

    #[inline(always)]
    fn hold(&mut self) {}

    #[inline(always)]
    fn release(&mut self) {}

    #[inline(always)]
    fn word(&self, from: u64) -> Option<u64> {
        let from = usize::try_from(from).ok()?;
        self.bytes.get(from..)?.first_chunk().map(|word| u64::from_be_bytes(*word))
    }

    #[inline(always)]
    fn restart(&mut self) {}

    #[inline(always)]
    fn owe(&mut self, _bytes: u64) {}

    #[inline(always)]
    fn held(&self, from: u64, to: u64) -> &[u8] {
        self.range(from, to)
    }

    #[inline(always)]
    fn held_piece(&self, from: u64, to: u64) -> Piece<'de, '_> {
        Piece::Borrowed(self.range(from, to))
    }

    fn rewind(&mut self, to: u64) {
        self.at = usize::try_from(to).unwrap_or(self.at);
    }

    #[inline(always)]
    fn left(&self) -> Option<usize> {
        Some(self.bytes.len() - self.at)
    }

    #[inline(always)]
    fn rest(&self) -> Option<&'de [u8]> {
        Some(&self.bytes[self.at..])
    }
}

/// The most that is asked of a reader at once. Before anything came it is less, so that a length that lies costs no
/// memory.
#[cfg(feature = "std")]
const STEP: usize = 64 * 1024;
#[cfg(feature = "std")]
const FIRST_STEP: usize = 16 * 1024;

#[cfg(feature = "std")]
impl<R: std::io::Read> Reader<R> {
    pub(crate) const fn new(source: R) -> Self {
        let window = alloc::vec::Vec::new();
        Reader { source, window, at: 0, end: 0, start: 0, holds: 0, held_from: 0, owed: 0 }
    }

    pub(crate) fn into_inner(self) -> R {
        self.source
    }

    /// What is at hand and was not consumed.
    #[inline(always)]
    fn ready(&self) -> &[u8] {
        self.window.get(self.at..self.end).unwrap_or_default()
    }

    /// Makes `len` bytes readable, or as many as there are. What else the item has to have is asked for along with
    /// them, but not waited for: its bytes may be at fault, and are to be seen before the reader fails.
    #[inline]
    fn fill(&mut self, len: usize) -> Result<usize> {
        if self.end - self.at >= len { Ok(len) } else { self.read(len) }
    }

    #[cold]
    #[inline(never)]
    fn read(&mut self, len: usize) -> Result<usize> {
        self.forget();
        let wanted = len.max(usize::try_from(self.owed).unwrap_or(usize::MAX));
        loop {
            let ready = self.end - self.at;
            if ready >= len {
                return Ok(len);
            }
            // The window grows as it is filled, to twice what it holds.
            let filled = self.end >= self.window.len() / 2;
            let most = if filled { 2 * self.end } else { self.window.len() }.max(FIRST_STEP);
            let step = (wanted - ready).min(STEP).min(most - self.end);
            let room = self.end..self.end + step;
            if self.window.len() < room.end {
                self.window.resize(room.end, 0);
            }
            let error = match self.source.read(&mut self.window[room]) {
                Ok(0) => return Ok(ready),
                Ok(n) if n <= step => {
                    self.end += n;
                    continue;
                }
                Ok(_) => std::io::Error::other("a reader that read more than there was room for"),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            return Err(Error::io(error).or_at(self.start + self.at as u64));
        }
    }

    /// A head of which not everything may be at hand.
    #[cold]
    #[inline(never)]
    fn read_head(&mut self) -> Result<(Head, usize)> {
        if self.end == self.at && self.read(1)? == 0 {
            return Err(truncated(self.start + self.at as u64, NO_ITEM));
        }
        self.fill(1 + argument_len(self.window[self.at] & 31))?;
        last_head(self.ready(), self.start + self.at as u64)
    }

    /// Makes the room of what nobody holds on to free, once it is as much as what has to be moved for that.
    fn forget(&mut self) {
        let from = if self.holds == 0 { self.at } else { self.held_from };
        if from >= self.end - from {
            self.window.copy_within(from..self.end, 0);
            self.start += from as u64;
            self.at -= from;
            self.end -= from;
            self.held_from = 0;
        }
    }

    /// Consumes what a head had promised.
    #[inline(always)]
    fn consume(&mut self, len: usize) {
        self.at += len;
        self.owed = self.owed.saturating_sub(len as u64);
    }
}

#[cfg(feature = "std")]
impl<'de, R: std::io::Read> private::Input<'de> for Reader<R> {
    #[inline]
    fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    #[inline]
    fn peek(&mut self) -> Result<Option<u8>> {
        if self.at == self.end && self.read(1)? == 0 {
            return Ok(None);
        }
        Ok(Some(self.window[self.at]))
    }

    #[inline]
    fn ahead(&self) -> Option<[u8; 9]> {
        self.ready().first_chunk().copied()
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        self.at += len;
        self.owed = self.owed.saturating_sub(1);
    }

    #[inline]
    fn head(&mut self) -> Result<Head> {
        let (head, len) = match any_head(self.ready()) {
            Some(head) => head,
            None => self.read_head()?,
        };
        self.advance(len);
        self.owe(head.least_to_follow());
        Ok(head)
    }

    #[inline]
    fn take(&mut self, len: u64, at: u64) -> Result<Piece<'de, '_>> {
        let wanted = usize::try_from(len).unwrap_or(usize::MAX);
        let ready = self.fill(wanted)?;
        if ready < wanted || wanted as u64 != len {
            return Err(short_string(at, len, ready));
        }
        let from = self.at;
        self.consume(wanted);
        Ok(Piece::Passing(&self.window[from..self.at]))
    }

    fn take_text(&mut self, len: u64, at: u64) -> Result<Option<Text<'de, '_>>> {
        let piece = self.take(len, at)?;
        Ok(match piece {
            Piece::Borrowed(bytes) => core::str::from_utf8(bytes).ok().map(Text::Borrowed),
            Piece::Passing(bytes) => core::str::from_utf8(bytes).ok().map(Text::Passing),
        })
    }

    #[inline]
    fn short_text(&mut self) -> Option<Text<'de, '_>> {
        let ready = self.window.get(self.at..self.end)?;
        let (head, len) = short_lengths(ready, EMPTY_TEXT)?;
        let text = core::str::from_utf8(ready.get(head..head + len)?).ok()?;
        self.at += head + len;
        self.owed = self.owed.saturating_sub(1);
        Some(Text::Passing(text))
    }

    #[inline]
    fn short_bytes(&mut self) -> Option<Piece<'de, '_>> {
        let ready = self.window.get(self.at..self.end)?;
        let (head, len) = short_lengths(ready, EMPTY_BYTES)?;
        let content = ready.get(head..head + len)?;
        self.at += head + len;
        self.owed = self.owed.saturating_sub(1);
        Some(Piece::Passing(content))
    }

    #[inline]
    fn short_string(&self) -> Option<&[u8]> {
        short_content(self.ready())
    }

    #[inline]
    fn skip_ascii(&mut self, len: u64) -> bool {
        let Ok(len) = usize::try_from(len) else { return false };
        let ascii = begins_ascii(self.ready(), len);
        if ascii {
            self.consume(len);
        }
        ascii
    }

    #[inline]
    fn hold(&mut self) {
        if self.holds == 0 {
            self.held_from = self.at;
        }
        self.holds += 1;
    }

    #[inline]
    fn release(&mut self) {
        self.holds = self.holds.saturating_sub(1);
    }

    #[inline]
    fn word(&self, from: u64) -> Option<u64> {
        let from = usize::try_from(from.wrapping_sub(self.start)).ok()?;
        self.window.get(from..)?.first_chunk().map(|word| u64::from_be_bytes(*word))
    }

    #[inline]
    fn restart(&mut self) {
        self.holds = 0;
        self.owed = 0;
    }

    #[inline]
    fn owe(&mut self, bytes: u64) {
        self.owed = self.owed.saturating_add(bytes);
    }

    fn held(&self, from: u64, to: u64) -> &[u8] {
        let index = |offset: u64| usize::try_from(offset.wrapping_sub(self.start)).ok();
        let range = index(from).zip(index(to)).and_then(|(a, b)| self.window.get(a..b));
        range.unwrap_or_default()
    }

    fn held_piece(&self, from: u64, to: u64) -> Piece<'de, '_> {
        Piece::Passing(self.held(from, to))
    }

    fn rewind(&mut self, to: u64) {
        self.at = usize::try_from(to - self.start).unwrap_or(self.at);
    }

    #[inline]
    fn left(&self) -> Option<usize> {
        None
    }

    #[inline]
    fn rest(&self) -> Option<&'de [u8]> {
        None
    }
}
