//! CAR archives (ipld.io/specs/transport/car/carv1): a header and blocks, each behind its length and its CID.

use crate::console::{Console, Fault};
use crate::input::{Each, Item};

/// Multicodecs of blocks that are CBOR.
const CBOR_CODECS: [u64; 2] = [0x51, 0x71];

/// Calls `each` for the header, which is item 0, and for every block that is CBOR.
pub(crate) fn blocks(
    console: &mut Console,
    name: &str,
    archive: &[u8],
    each: &mut Each<'_>,
) -> Result<(), Fault> {
    let mut cursor = Cursor { bytes: archive, at: 0 };
    let mut index = 0;
    while cursor.at < archive.len() {
        let start = cursor.at;
        let broken = || Fault::Data(format!("{name}: no CAR section at byte {start}"));
        let len = cursor.length().ok_or_else(broken)?;
        let end =
            cursor.at.checked_add(len).filter(|&end| end <= archive.len()).ok_or_else(broken)?;
        let cbor = index == 0 || cursor.codec().ok_or_else(broken)?;
        let bytes = archive.get(cursor.at..end).ok_or_else(broken)?;
        if cbor {
            let offset = u64::try_from(cursor.at).unwrap_or(u64::MAX);
            let item = Item { name, bytes, offset, index: Some(index) };
            each(console, &item).or_else(|fault| match fault {
                Fault::Data(_) => console.fault(fault),
                fault => Err(fault),
            })?;
        }
        cursor.at = end;
        index += 1;
    }
    Ok(())
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
