//! Strings in pieces: concatenation, and what was left out (draft 25 §4.2, §5.1).

use super::apps::{self, split, string};
use crate::head::{self, Major};
use crate::write;
use alloc::string::String;
use alloc::vec::Vec;

/// The tag of what was left out. No number is registered yet; the drafts write CPA888.
pub(super) const ELISION: u64 = 888;

/// `888(null)`, something that was left out.
pub(super) const GAP: [u8; 4] = [0xd9, 0x03, 0x78, 0xf6];

/// Parts of one string, with gaps between them.
#[derive(Default)]
pub(super) struct Pieces {
    parts: Vec<Part>,
    /// The additional information of the result's head, where a piece asked for more than it needed.
    info: Option<u8>,
}

enum Part {
    Gap,
    String(Major, Vec<u8>),
}

impl Pieces {
    /// Adds to the last part, or begins a part after a gap.
    pub(super) fn add(&mut self, major: Major, content: &[u8]) -> Result<(), String> {
        match self.parts.last_mut() {
            Some(Part::String(Major::Bytes, _)) if major == Major::Text => {
                Err("text cannot be added to bytes".into())
            }
            Some(Part::String(_, bytes)) => {
                bytes.extend_from_slice(content);
                Ok(())
            }
            _ => {
                self.parts.push(Part::String(major, content.to_vec()));
                Ok(())
            }
        }
    }

    pub(super) fn gap(&mut self) {
        if !matches!(self.parts.last(), Some(Part::Gap)) {
            self.parts.push(Part::Gap);
        }
    }

    /// The pieces that these items are; `major` is the type of all where it is given, else the first one's.
    pub(super) fn of(major: Option<Major>, items: &[&[u8]]) -> Result<Self, String> {
        let mut pieces = Pieces::default();
        if let Some(major) = major {
            pieces.add(major, &[])?;
        }
        for item in items {
            pieces.item(major, item)?;
        }
        if major.is_some() && pieces.parts.len() > 1 {
            // The empty string that only set the type is no part of its own.
            pieces.parts.retain(|part| !matches!(part, Part::String(_, bytes) if bytes.is_empty()));
        }
        Ok(pieces)
    }

    fn item(&mut self, major: Option<Major>, item: &[u8]) -> Result<(), String> {
        if item == GAP {
            self.gap();
            return Ok(());
        }
        if let Some(parts) = item.strip_prefix(&GAP[..3]) {
            for part in split(parts.get(1..).unwrap_or_default()) {
                // Parts of a gapped string are strings and gaps, so this goes no deeper.
                if part == GAP {
                    self.gap();
                } else {
                    self.string(major, part)?;
                }
            }
            return Ok(());
        }
        self.string(major, item)
    }

    fn string(&mut self, major: Option<Major>, item: &[u8]) -> Result<(), String> {
        let content = string(item).ok_or("only strings of definite length can be joined")?;
        let first = item.first().copied().unwrap_or_default();
        let own = if first >> 5 == 3 { Major::Text } else { Major::Bytes };
        let head_len = item.len() - content.len();
        if head_len > head::shortest_len(content.len() as u64) {
            self.info = self.info.max(Some(first & 31));
        }
        self.add(major.unwrap_or(own), content)
    }

    /// Appends one string, or tag 888 around the parts and gaps.
    pub(super) fn push(self, out: &mut Vec<u8>, any_text: bool) -> Result<(), String> {
        let whole = self.parts.len() == 1;
        if whole && matches!(self.parts.first(), Some(Part::Gap)) {
            out.extend_from_slice(&GAP);
            return Ok(());
        }
        match self.parts.as_slice() {
            [] => {
                head::push(out, Major::Bytes, 0);
                return Ok(());
            }
            [_] => {}
            parts => {
                if self.info.is_some() {
                    return Err("what has gaps takes no encoding indicator".into());
                }
                head::push(out, Major::Tag, ELISION);
                head::push(out, Major::Array, parts.len() as u64);
            }
        }
        for part in self.parts {
            let Part::String(major, content) = part else {
                out.extend_from_slice(&GAP);
                continue;
            };
            if major == Major::Text && !any_text && core::str::from_utf8(&content).is_err() {
                return Err("text that was joined is not UTF-8".into());
            }
            match self.info {
                None => write::push_string(out, major, &content),
                Some(info) => {
                    if !apps::push_head(out, major, content.len() as u64, info) {
                        return Err("encoding indicator is too small for the joined string".into());
                    }
                    out.extend_from_slice(&content);
                }
            }
        }
        Ok(())
    }
}
