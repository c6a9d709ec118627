//! Reading a tag's content. Errors are those of the grammar; they end the reading and are dropped by the caller.

use crate::error::Result;
use crate::head::{Head, Major};
use crate::input::{Piece, Slice, private::Input as _};
use crate::profile::Profile;
use crate::scan::{Frame, Scanner};
use alloc::borrow::Cow;
use alloc::vec::Vec;

pub(super) const NULL: u8 = 0xf6;

/// The bytes from the content's initial byte on, of which only the content is read.
pub(super) struct Content<'a> {
    scan: Scanner<Slice<'a>>,
}

impl<'a> Content<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Content { scan: Scanner::new(Slice::new(bytes), Profile::WELL_FORMED) }
    }

    #[inline]
    pub(super) fn head(&mut self) -> Result<Head> {
        self.scan.head()
    }

    /// True for an item of one of these major types.
    pub(super) fn is(&mut self, majors: &[Major]) -> Result<bool> {
        Ok(majors.contains(&self.head()?.major()))
    }

    /// True for text that passes.
    pub(super) fn text(&mut self, passes: impl FnOnce(&[u8]) -> bool) -> Result<bool> {
        let head = self.head()?;
        Ok(head.major() == Major::Text && passes(&self.string(head)?))
    }

    /// True for a byte string whose length passes.
    pub(super) fn bytes_of_length(&mut self, passes: impl FnOnce(u64) -> bool) -> Result<bool> {
        let head = self.head()?;
        Ok(head.major() == Major::Bytes && passes(self.string_len(head)?))
    }

    /// True for a byte string of well-formed items whose number passes.
    pub(super) fn embedded(&mut self, passes: impl FnOnce(u64) -> bool) -> Result<bool> {
        let head = self.head()?;
        if head.major() != Major::Bytes {
            return Ok(false);
        }
        let bytes = self.string(head)?;
        let mut inner = Content::new(&bytes);
        let mut items = 0;
        while inner.scan.input.peek()?.is_some() {
            if inner.skip().is_err() {
                return Ok(false);
            }
            items += 1;
        }
        Ok(passes(items))
    }

    /// The content of the string that a head begins, joined where it comes in chunks.
    pub(super) fn string(&mut self, head: Head) -> Result<Cow<'a, [u8]>> {
        if !head.is_indefinite() {
            return Ok(match self.scan.content(head, self.scan.offset())? {
                Piece::Borrowed(bytes) => Cow::Borrowed(bytes),
                Piece::Passing(bytes) => Cow::Owned(bytes.to_vec()),
            });
        }
        let mut joined = Vec::new();
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            joined.extend_from_slice(self.scan.content(chunk, at)?.bytes());
        }
        Ok(Cow::Owned(joined))
    }

    /// Reads over a string and tells how many bytes it has.
    pub(super) fn string_len(&mut self, head: Head) -> Result<u64> {
        if !head.is_indefinite() {
            self.scan.content(head, self.scan.offset())?;
            return Ok(head.argument);
        }
        let mut len = 0;
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            self.scan.content(chunk, at)?;
            len += chunk.argument;
        }
        Ok(len)
    }

    pub(super) fn skip_string(&mut self, head: Head) -> Result<()> {
        self.scan.skip_string(head, self.scan.offset())
    }

    /// The frame of a container of this major type.
    pub(super) fn open(&mut self, major: Major) -> Result<Option<Frame>> {
        let head = self.head()?;
        Ok((head.major() == major).then(|| Frame::new(head)))
    }

    /// True if another element, or another key, comes.
    #[inline]
    pub(super) fn more(&mut self, frame: &mut Frame) -> Result<bool> {
        frame.more(&mut self.scan)
    }

    /// Between a key and its value.
    pub(super) fn value(&mut self, frame: Frame) -> Result<()> {
        frame.value(&mut self.scan)
    }

    /// Reads over what is left of an array and tells how many elements that was.
    pub(super) fn count(&mut self, mut array: Frame) -> Result<u64> {
        let mut elements = 0;
        while self.more(&mut array)? {
            self.skip()?;
            elements += 1;
        }
        Ok(elements)
    }

    /// Reads over one item.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut tree = Tree::default();
        loop {
            let head = self.head()?;
            match head.major() {
                Major::Bytes | Major::Text => self.skip_string(head)?,
                Major::Array | Major::Map => tree.enter(head),
                // The content stands where the item stands.
                Major::Tag => continue,
                _ => {}
            }
            loop {
                match tree.step(self)? {
                    Step::Close => {}
                    Step::End => return Ok(()),
                    Step::Element | Step::Key | Step::Value => break,
                }
            }
        }
    }
}

/// The open containers of an item that is read depth first.
#[derive(Default)]
pub(super) struct Tree {
    open: Vec<Level>,
}

struct Level {
    frame: Frame,
    map: bool,
    /// A key was read, so a value comes.
    after_key: bool,
}

/// What comes after a complete item, or after the head of a container.
pub(super) enum Step {
    Element,
    Key,
    Value,
    /// The innermost container ends; ask again.
    Close,
    /// The outermost item is complete.
    End,
}

impl Tree {
    pub(super) fn enter(&mut self, head: Head) {
        let map = head.major() == Major::Map;
        self.open.push(Level { frame: Frame::new(head), map, after_key: false });
    }

    pub(super) fn step(&mut self, content: &mut Content<'_>) -> Result<Step> {
        let Some(level) = self.open.last_mut() else { return Ok(Step::End) };
        if core::mem::take(&mut level.after_key) {
            content.value(level.frame)?;
            return Ok(Step::Value);
        }
        if content.more(&mut level.frame)? {
            level.after_key = level.map;
            return Ok(if level.map { Step::Key } else { Step::Element });
        }
        self.open.pop();
        Ok(Step::Close)
    }

    /// True outside of every container.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
