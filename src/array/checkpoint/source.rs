//! Canonical heads from a reader that can seek, for documents whose strings are too long to hold.

use crate::error::{Error, Result, Rule};
use crate::head::{Head, Major, argument_len};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

/// A document that is read head by head.
pub(super) struct Source<R: Read> {
    reader: BufReader<R>,
    at: u64,
    len: u64,
}

impl<R: Read + Seek> Source<R> {
    /// A document that fills its reader.
    pub(super) fn new(reader: R) -> Result<Self> {
        let mut reader = BufReader::new(reader);
        let len = reader.seek(SeekFrom::End(0)).map_err(Error::io)?;
        reader.rewind().map_err(Error::io)?;
        Ok(Source { reader, at: 0, len })
    }

    pub(super) fn offset(&self) -> u64 {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.len
    }

    /// The next head, which has to be canonical and definite.
    pub(super) fn head(&mut self) -> Result<Head> {
        let at = self.at;
        let mut bytes = [0; 9];
        self.fill(&mut bytes[..1])?;
        let first = bytes[0];
        let len = argument_len(first & 31);
        self.fill(&mut bytes[1..=len])?;
        let argument = match len {
            0 => u64::from(first & 31),
            _ => bytes[1..=len].iter().fold(0, |n, &byte| n << 8 | u64::from(byte)),
        };
        let head = Head { first, argument };
        let rule = match first & 31 {
            28..=30 => Rule::ReservedInfo,
            31 => Rule::IndefiniteLength,
            _ if head.major() == Major::Simple || head.is_shortest() => return Ok(head),
            _ => Rule::LongHead,
        };
        let words = format!("a head of a checkpoint is {}", rule.name());
        Err(Error::broken(rule, rule.reference(), Some(at), words))
    }

    /// The argument of a head of this major type.
    pub(super) fn expect(&mut self, major: Major, what: impl Display) -> Result<u64> {
        let at = self.at;
        let head = self.head()?;
        if head.major() != major {
            return Err(Error::data(format!("{what} is wanted")).or_at(at));
        }
        Ok(head.argument)
    }

    /// A text string.
    pub(super) fn text(&mut self, what: impl Display) -> Result<String> {
        let at = self.at;
        let len = self.expect(Major::Text, what)?;
        let bytes = self.bytes(len, at)?;
        String::from_utf8(bytes).map_err(|_| {
            let rule = Rule::InvalidUtf8;
            Error::broken(rule, rule.reference(), Some(at), "text string is not UTF-8")
        })
    }

    /// The content of a string whose head was at `at`.
    pub(super) fn bytes(&mut self, len: u64, at: u64) -> Result<Vec<u8>> {
        self.left(len, at)?;
        let mut bytes = Vec::new();
        (&mut self.reader).take(len).read_to_end(&mut bytes).map_err(Error::io)?;
        self.at += len;
        if bytes.len() as u64 == len { Ok(bytes) } else { Err(self.truncated(at)) }
    }

    /// Reads over the content of a string whose head was at `at`.
    pub(super) fn skip(&mut self, len: u64, at: u64) -> Result<()> {
        self.left(len, at)?;
        self.at += len;
        match i64::try_from(len) {
            Ok(len) => self.reader.seek_relative(len),
            Err(_) => self.reader.seek(SeekFrom::Start(self.at)).map(drop),
        }
        .map_err(Error::io)
    }

    /// Copies bytes from anywhere.
    pub(super) fn copy<W: Write>(&mut self, from: u64, len: u64, writer: &mut W) -> Result<()> {
        self.reader.seek(SeekFrom::Start(from)).map_err(Error::io)?;
        self.at = from + len;
        copy(self.reader.get_mut(), len, writer)
    }

    fn left(&self, len: u64, at: u64) -> Result<()> {
        if len > self.len - self.at { Err(self.truncated(at)) } else { Ok(()) }
    }

    fn truncated(&self, at: u64) -> Error {
        let words = format!("string goes on past the end of the input at byte {}", self.len);
        Error::syntax(Rule::Truncated, at, words)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        if bytes.len() as u64 > self.len - self.at {
            let words = "input ends where an item is expected";
            return Err(Error::syntax(Rule::Truncated, self.at, words));
        }
        self.reader.read_exact(bytes).map_err(Error::io)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// Copies so many bytes, by the system itself where both are files.
pub(super) fn copy<R: Read, W: Write>(reader: &mut R, len: u64, writer: &mut W) -> Result<()> {
    let copied = std::io::copy(&mut reader.take(len), writer).map_err(Error::io)?;
    if copied == len {
        return Ok(());
    }
    Err(Error::syntax(Rule::Truncated, copied, "a tensor ended before its last byte"))
}
