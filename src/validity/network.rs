//! IP addresses and prefixes (RFC 9164).

use super::content::{Content, NULL};
use crate::error::Result;
use crate::head::{Head, Major};
use crate::scan::Frame;

/// True for an address of `size` bytes, a prefix, or an interface (§3).
pub(super) fn address(c: &mut Content<'_>, size: u8) -> Result<bool> {
    let head = c.head()?;
    if head.major() == Major::Bytes {
        return Ok(c.string_len(head)? == u64::from(size));
    }
    let mut array = Frame::new(head);
    if head.major() != Major::Array || !c.more(&mut array)? {
        return Ok(false);
    }
    let first = c.head()?;
    match first.major() {
        Major::Unsigned => prefix(c, array, first.argument, size),
        Major::Bytes => Ok(c.string_len(first)? == u64::from(size) && interface(c, array, size)?),
        _ => Ok(false),
    }
}

/// The bytes of a prefix of `bits` bits: none unused is set, and zero bytes at the end are left out (§4.2).
fn prefix(c: &mut Content<'_>, mut array: Frame, bits: u64, size: u8) -> Result<bool> {
    if bits > u64::from(size) * 8 || !c.more(&mut array)? {
        return Ok(false);
    }
    let head = c.head()?;
    if head.major() != Major::Bytes {
        return Ok(false);
    }
    let bytes = c.string(head)?;
    let unused = (bytes.len() as u64).saturating_mul(8).saturating_sub(bits);
    let last = bytes.last().copied().unwrap_or(0xff);
    Ok(unused < 8
        && last != 0
        && u64::from(last.trailing_zeros()) >= unused
        && !c.more(&mut array)?)
}

/// The rest of an interface, after its address: a prefix length or null, then perhaps a zone.
fn interface(c: &mut Content<'_>, mut array: Frame, size: u8) -> Result<bool> {
    if !c.more(&mut array)? || !is_length_or_null(c.head()?, size) {
        return Ok(false);
    }
    if !c.more(&mut array)? {
        return Ok(true);
    }
    let zone = c.head()?;
    match zone.major() {
        Major::Unsigned => {}
        Major::Text => c.skip_string(zone)?,
        _ => return Ok(false),
    }
    Ok(!c.more(&mut array)?)
}

fn is_length_or_null(head: Head, size: u8) -> bool {
    head.first == NULL || head.major() == Major::Unsigned && head.argument <= u64::from(size) * 8
}
