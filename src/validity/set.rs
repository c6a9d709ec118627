//! Sets (tag 258): elements that are equal by RFC 8949 §5.6.1.

use super::content::{Content, Step, Tree};
use super::number::is_float;
use crate::error::Result;
use crate::head::{Head, Major};
use crate::scan::widen;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// True for an array without equal elements.
pub(super) fn distinct(c: &mut Content<'_>) -> Result<bool> {
    let Some(mut array) = c.open(Major::Array)? else { return Ok(false) };
    let (mut forms, mut starts) = (Forms::default(), Vec::new());
    while c.more(&mut array)? {
        starts.push(forms.out.len());
        forms.push_item(c)?;
    }
    Ok(sorted(&forms.out, &starts).windows(2).all(|pair| pair[0] != pair[1]))
}

/// Forms that equal items share and no others: a byte for the kind and eight for the argument, strings joined,
/// floats as binary64. -0.0 is 0.0; a NaN is its bits.
///
/// A container is its number among the containers that differ, so that no byte is moved once for each level.
#[derive(Default)]
struct Forms {
    out: Vec<u8>,
    /// The bodies of complete containers: forms of elements, or of entries in order.
    known: BTreeMap<Vec<u8>, u64>,
    open: Vec<Group>,
    /// Where the entries of open maps begin, innermost last.
    entries: Vec<usize>,
}

/// A container whose children are being read: where its body begins, and the first of its entries.
struct Group {
    major: Major,
    at: usize,
    entries: usize,
}

/// Kinds are the major types, and these two.
const FLOAT: u8 = 8;
const CONTAINER: u8 = 9;

impl Forms {
    fn push_item(&mut self, c: &mut Content<'_>) -> Result<()> {
        let mut tree = Tree::default();
        loop {
            let head = c.head()?;
            self.push_head(c, head)?;
            match head.major() {
                Major::Array | Major::Map => tree.enter(head),
                Major::Tag => continue,
                _ => {}
            }
            loop {
                match tree.step(c)? {
                    Step::End => return Ok(()),
                    Step::Close => self.close(),
                    Step::Key => {
                        self.entries.push(self.out.len());
                        break;
                    }
                    Step::Element | Step::Value => break,
                }
            }
        }
    }

    fn push_head(&mut self, c: &mut Content<'_>, head: Head) -> Result<()> {
        let major = head.major();
        match major {
            Major::Bytes | Major::Text => {
                let string = c.string(head)?;
                self.push(major as u8, string.len() as u64);
                self.out.extend_from_slice(&string);
            }
            Major::Array | Major::Map => {
                let (at, entries) = (self.out.len(), self.entries.len());
                self.open.push(Group { major, at, entries });
            }
            Major::Simple if is_float(head) => {
                let bits = widen(head);
                self.push(FLOAT, if bits << 1 == 0 { 0 } else { bits });
            }
            _ => self.push(major as u8, head.argument),
        }
        Ok(())
    }

    fn push(&mut self, kind: u8, argument: u64) {
        self.out.push(kind);
        self.out.extend_from_slice(&argument.to_be_bytes());
    }

    /// Puts the number of the innermost container where its body is.
    fn close(&mut self) {
        let Some(group) = self.open.pop() else { return };
        let mut body = if group.major == Major::Map {
            sorted(&self.out, &self.entries[group.entries..]).concat()
        } else {
            self.out[group.at..].to_vec()
        };
        body.push(group.major as u8);
        self.entries.truncate(group.entries);
        self.out.truncate(group.at);
        let next = self.known.len() as u64;
        let number = *self.known.entry(body).or_insert(next);
        self.push(CONTAINER, number);
    }
}

/// The forms that begin at `starts`, the last of which ends with `out`, in bytewise order.
fn sorted<'o>(out: &'o [u8], starts: &[usize]) -> Vec<&'o [u8]> {
    let ends = starts.iter().skip(1).copied().chain([out.len()]);
    let mut forms: Vec<&[u8]> = starts.iter().zip(ends).map(|(&from, to)| &out[from..to]).collect();
    forms.sort_unstable();
    forms
}
