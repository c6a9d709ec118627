//! Hexadecimal digits with what people put between them.

use super::error::{ParseError, Result};
use super::lex::Cursor;
use super::pieces::Pieces;
use crate::head::Major;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The content of `h'…'`: digits, blanks, comments and gaps.
pub(super) fn digits(text: &str) -> core::result::Result<Pieces, String> {
    let mut pieces = Pieces::default();
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    let mut cursor = Cursor::new(text);
    let mut any = false;
    // Line breaks are LF alone in a string, and tabs cannot stand in one.
    if let Some(c) = text.chars().find(|&c| c < ' ' && c != '\n') {
        return Err(format!("{c:?} in a hexadecimal string"));
    }
    while let Some(byte) = cursor.peek() {
        match byte {
            b' ' | b'\n' => cursor.at += 1,
            b'#' | b'/' => comment(&mut cursor)?,
            b'.' => {
                if cursor.run(|b| b == b'.').len() < 3 || high.is_some() {
                    return Err("dots among the digits of a hexadecimal string".into());
                }
                if !bytes.is_empty() {
                    pieces.add(Major::Bytes, &bytes)?;
                    bytes.clear();
                }
                pieces.gap();
                any = true;
            }
            _ => {
                let c = cursor.rest().chars().next().unwrap_or_default();
                let Some(nibble) = nibble(byte) else {
                    return Err(format!("{c:?} is no hexadecimal digit"));
                };
                cursor.at += 1;
                match high.take() {
                    None => high = Some(nibble),
                    Some(high) => bytes.push(high << 4 | nibble),
                }
            }
        }
    }
    if high.is_some() {
        return Err("hexadecimal string has an odd number of digits".into());
    }
    if !bytes.is_empty() || !any {
        pieces.add(Major::Bytes, &bytes)?;
    }
    Ok(pieces)
}

/// Comments as everywhere in the notation, but the last line needs no line feed.
fn comment(cursor: &mut Cursor<'_>) -> core::result::Result<(), String> {
    let rest = cursor.rest();
    let (opening, closing) = if rest.starts_with("/*") {
        (2, "*/")
    } else if rest.starts_with("//") || rest.starts_with('#') {
        (1, "\n")
    } else {
        (1, "/")
    };
    match rest.get(opening..).and_then(|inner| inner.find(closing)) {
        Some(len) => cursor.at += opening + len + closing.len(),
        None if closing == "\n" => cursor.at = cursor.text.len(),
        None => return Err(format!("comment has no {closing} at its end")),
    }
    Ok(())
}

fn nibble(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Reads bytes written in hexadecimal, the way people and tools write them.
///
/// Digits may stand in any grouping. Commas, `0x` before a byte or a group, brackets and braces around all are read over, and so are
/// comments: `#`, `//` and `--` to the end of the line, `/* … */`, and an offset before a colon at the
/// beginning of a line. What [`dump`](super::dump) and cbor.me print is read back.
///
/// # Errors
///
/// Anything else in the text, an odd number of digits, or a comment without an end.
///
/// ```
/// use calibor::edn;
///
/// let text = "
/// 82       # array(2)
///    01    # unsigned(1)
///    61 62 // \"b\"";
/// assert_eq!(edn::parse_hex(text)?, [0x82, 0x01, 0x61, 0x62]);
/// assert_eq!(edn::parse_hex("{0x82, 0x1, 0x61, 0x62} /* C */")?, [0x82, 0x01, 0x61, 0x62]);
/// assert_eq!(edn::parse_hex("0000: 82 01\n0002: 6162")?, [0x82, 0x01, 0x61, 0x62]);
/// # Ok::<(), edn::ParseError>(())
/// ```
pub fn parse_hex(text: &str) -> Result<Vec<u8>> {
    let mut reader =
        Reader { cursor: Cursor::new(text), out: Vec::with_capacity(text.len() / 2), high: None };
    while let Some(byte) = reader.cursor.peek() {
        reader.step(byte)?;
    }
    if let Some((_, at)) = reader.high {
        return Err(ParseError::new(text, at..text.len(), "odd number of hexadecimal digits"));
    }
    Ok(reader.out)
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    out: Vec<u8>,
    /// The first digit of a byte and where it was.
    high: Option<(u8, usize)>,
}

impl Reader<'_> {
    fn step(&mut self, byte: u8) -> Result<()> {
        let cursor = &mut self.cursor;
        let from = cursor.at;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b';' | b'[' | b']' | b'{' | b'}' => {
                cursor.at += 1;
            }
            b'#' => to_line_end(cursor),
            b'/' if cursor.starts("//") => to_line_end(cursor),
            b'-' if cursor.starts("--") => to_line_end(cursor),
            b'/' if cursor.starts("/*") => match cursor.rest()[2..].find("*/") {
                Some(len) => cursor.at += len + 4,
                None => return Err(cursor.error(from..from + 2, "comment has no */ at its end")),
            },
            b'0' if cursor.starts("0x") || cursor.starts("0X") => {
                cursor.at += 2;
                let digits = cursor.run(|b| b.is_ascii_hexdigit());
                // The digit of `0x1` is a whole byte.
                let odd = digits.len() % 2 == 1;
                if self.high.is_some() || digits.is_empty() || odd && digits.len() > 1 {
                    return Err(cursor.error(from..cursor.at, "odd number of hexadecimal digits"));
                }
                if odd {
                    self.high = Some((0, from));
                }
                digits.bytes().for_each(|digit| self.digit(digit, from));
            }
            _ if byte.is_ascii_hexdigit() => {
                let digits = cursor.run(|b| b.is_ascii_hexdigit());
                if cursor.peek() == Some(b':') && is_line_start(cursor.text, from) {
                    cursor.at += 1;
                } else {
                    digits.bytes().enumerate().for_each(|(i, digit)| self.digit(digit, from + i));
                }
            }
            _ => return Err(cursor.unexpected("a hexadecimal digit")),
        }
        Ok(())
    }

    fn digit(&mut self, digit: u8, at: usize) {
        let nibble = nibble(digit).unwrap_or_default();
        match self.high.take() {
            None => self.high = Some((nibble, at)),
            Some((high, _)) => self.out.push(high << 4 | nibble),
        }
    }
}

fn is_line_start(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

fn to_line_end(cursor: &mut Cursor<'_>) {
    cursor.at += cursor.rest().find('\n').unwrap_or(cursor.rest().len());
}
