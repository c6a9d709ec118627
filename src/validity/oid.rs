//! Object identifiers (RFC 9090).

use super::content::{Content, Step, Tree};
use crate::error::Result;
use crate::head::Major;

/// True for an identifier, or for an array or map that the tag is factored out of (§4): it is meant for every
/// element and every key that is a byte string, an array or a map.
pub(super) fn identifiers(c: &mut Content<'_>, absolute: bool) -> Result<bool> {
    let mut tree = Tree::default();
    loop {
        let head = c.head()?;
        match head.major() {
            Major::Bytes if !is_identifier(&c.string(head)?, absolute) => return Ok(false),
            Major::Bytes => {}
            Major::Array | Major::Map => tree.enter(head),
            _ if tree.is_empty() => return Ok(false),
            Major::Text => c.skip_string(head)?,
            Major::Tag => c.skip()?,
            _ => {}
        }
        loop {
            match tree.step(c)? {
                Step::Element | Step::Key => break,
                Step::Value => c.skip()?,
                Step::Close => {}
                Step::End => return Ok(true),
            }
        }
    }
}

/// The BER of an identifier (§2.1): no number begins with 80 or breaks off, and an absolute one is not empty.
fn is_identifier(bytes: &[u8], absolute: bool) -> bool {
    let mut begins = true;
    for &byte in bytes {
        if begins && byte == 0x80 {
            return false;
        }
        begins = byte < 0x80;
    }
    begins && !(absolute && bytes.is_empty())
}
