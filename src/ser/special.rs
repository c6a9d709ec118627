//! Tags and what is held to a profile after it was written.

use super::Serializer;
use crate::error::{Result, Rule};
use crate::head::{self, Major};
use crate::profile::Tags;
use crate::scan::cid_fault;
use crate::validity;
use crate::write;
use alloc::format;

/// A tag whose content is being written, by whoever has the serializer.
#[derive(Debug)]
pub(crate) struct OpenTag {
    at: usize,
    content: usize,
}

impl OpenTag {
    pub(crate) fn close(&self, ser: &mut Serializer) -> Result<()> {
        ser.end_tag(self.at, self.content)
    }
}

impl Serializer {
    pub(crate) fn open_tag(&mut self, number: u64) -> Result<OpenTag> {
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Tag, number);
        Ok(OpenTag { at, content: self.out.len() })
    }

    /// Tag 42 and the bytes of a CID behind a zero byte.
    pub(super) fn link(&mut self, content: &[u8]) -> Result<()> {
        self.enter()?;
        let at = self.out.len();
        head::push(&mut self.out, Major::Tag, 42);
        let content_at = self.out.len();
        write::push_string(&mut self.out, Major::Bytes, content);
        self.end_tag(at, content_at)
    }

    /// Holds a written tag to the profile.
    pub(super) fn end_tag(&mut self, at: usize, content: usize) -> Result<()> {
        let number = written_argument(&self.out[at..content]);
        let link = matches!(self.rules.tags, Tags::Cid | Tags::DaslCid);
        if self.rules.tags == Tags::None || link && number != 42 {
            return Err(
                self.broken(Rule::ForbiddenTag, format!("tag {number} is not in the profile"))
            );
        }
        let bytes = match self.out.get(content) {
            Some(first) if first >> 5 == Major::Bytes as u8 => {
                Some(content + 1 + head::argument_len(first & 31))
            }
            _ => None,
        };
        if link {
            let fault = match bytes {
                Some(bytes) => cid_fault(&self.out[bytes..], self.rules.tags == Tags::DaslCid),
                None => Some("tag 42 does not hold a byte string"),
            };
            if let Some(words) = fault {
                return Err(self.broken(Rule::InvalidTagContent, words));
            }
        }
        if matches!(number, 2 | 3) {
            match bytes {
                Some(bytes) if self.rules.shortest_bignums => {
                    let magnitude = self.out.split_off(bytes);
                    self.out.truncate(at);
                    self.bignum(number == 3, &magnitude)?;
                }
                None if self.rules.bignum_content => {
                    let words = format!("tag {number} does not hold a byte string");
                    return Err(self.broken(Rule::InvalidTagContent, words));
                }
                _ => {}
            }
        } else if self.rules.tag_validity {
            self.sorter.settle(content, &mut self.out);
            if let Some(words) = validity::fault(number, &self.out[content..]) {
                return Err(self.broken(Rule::InvalidTagContent, words));
            }
        }
        self.leave();
        Ok(())
    }

    pub(super) fn bignum(&mut self, negative: bool, magnitude: &[u8]) -> Result<()> {
        let start = self.out.len();
        head::push_bignum(&mut self.out, negative, magnitude);
        let first = self.out.get(start).copied().unwrap_or(0);
        if self.rules.reduced && first == 0x3b && self.out[start + 1] >= 0x80 {
            return Err(self.broken(Rule::IntOutOfRange, "integer is below -2^63"));
        }
        Ok(())
    }
}

/// The argument of a head that was written.
fn written_argument(head: &[u8]) -> u64 {
    match head {
        [first, rest @ ..] if first & 31 >= 24 => {
            rest.iter().fold(0, |n, &byte| n << 8 | u64::from(byte))
        }
        [first, ..] => u64::from(first & 31),
        [] => 0,
    }
}
