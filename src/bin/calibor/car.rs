//! CAR archives (ipld.io/specs/transport/car): a header and blocks, each behind its length and its CID.

use crate::console::{Console, Fault};
use crate::input::{Each, Item, Window};

/// Multicodecs of blocks that are CBOR.
const CBOR_CODECS: [u64; 2] = [0x51, 0x71];

/// The first section of version 2, where that of version 1 has a map of two.
const PRAGMA: &[u8] = b"\x0a\xa1gversion\x02";

/// The rest of the head of version 2: what it has, and where version 1 begins and how long it is.
const SECOND_HEAD: usize = 40;

/// Whether an input begins as an archive does: a length, and a map that has `roots` or `version`.
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    let mut cursor = Cursor { bytes, at: 0 };
    let header = cursor.varint().and_then(|_| bytes.get(cursor.at..)).unwrap_or_default();
    bytes.starts_with(PRAGMA)
        || header.starts_with(b"\xa2eroots")
        || header.starts_with(b"\xa2gversion")
}

/// Calls `each` for the header, which is item 0, and for every block that is CBOR, with one block in memory.
pub(crate) fn blocks(
    window: &mut Window<'_>,
    console: &mut Console,
    name: &str,
    progress: bool,
    each: &mut Each<'_>,
) -> Result<(), Fault> {
    let end = second_version(window, name)?;
    let mut index = 0;
    while window.offset() < end && window.hold(name, 1)? {
        let start = window.offset();
        let broken = || Fault::Data(format!("{name}: no CAR section at byte {start}"));
        // Nine bytes are the longest length.
        window.hold(name, 9)?;
        let mut cursor = Cursor { bytes: window.rest(), at: 0 };
        let len = cursor.length().ok_or_else(broken)?;
        let begin = cursor.at;
        let len = begin.checked_add(len).ok_or_else(broken)?;
        if !window.hold(name, len)? {
            return Err(broken());
        }
        let section = window.rest().get(..len).unwrap_or_default();
        let mut cursor = Cursor { bytes: section, at: begin };
        let cbor = index == 0 || cursor.codec().ok_or_else(broken)?;
        let bytes = section.get(cursor.at..).ok_or_else(broken)?;
        if cbor {
            let offset = start + u64::try_from(cursor.at).unwrap_or(u64::MAX);
            let item = Item { name, bytes, offset, index: Some(index) };
            each(console, &item).or_else(|fault| match fault {
                Fault::Data(_) => console.fault(fault),
                fault => Err(fault),
            })?;
        }
        window.pass(len);
        index += 1;
        if progress {
            console.progress().at(window.offset());
        }
    }
    Ok(())
}

/// Where the sections end: before the index of version 2, whose head is passed over.
fn second_version(window: &mut Window<'_>, name: &str) -> Result<u64, Fault> {
    let len = PRAGMA.len() + SECOND_HEAD;
    if !window.hold(name, len)? || !window.rest().starts_with(PRAGMA) {
        return Ok(u64::MAX);
    }
    let number = |at: usize| {
        let bytes = window.rest().get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let (begin, size) = (number(PRAGMA.len() + 16), number(PRAGMA.len() + 24));
    let broken = || Fault::Data(format!("{name}: a CAR head without data"));
    let begin_here = usize::try_from(begin).map_err(|_| broken())?;
    if begin_here < len || !window.hold(name, begin_here)? {
        return Err(broken());
    }
    window.pass(begin_here);
    Ok(begin.saturating_add(size))
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// An unsigned LEB128 of at most nine bytes.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }

    /// Passes over a CID and tells whether what it names is CBOR.
    fn codec(&mut self) -> Option<bool> {
        if self.bytes.get(self.at..)?.starts_with(&[0x12, 0x20]) {
            // Version 0 names DAG-PB only.
            self.at += 34;
            return Some(false);
        }
        let _version = self.varint()?;
        let codec = self.varint()?;
        let _hash = self.varint()?;
        self.at = self.length()?.checked_add(self.at)?;
        Some(CBOR_CODECS.contains(&codec))
    }
}
