//! Numbers made of several items: RFC 8949 §3.4.2 and §3.4.4, tags 30, 264, 265 and 268 to 270.

use super::content::Content;
use crate::error::Result;
use crate::head::{Head, Major};

/// True for what tag 1 holds.
pub(super) fn epoch(c: &mut Content<'_>) -> Result<bool> {
    let head = c.head()?;
    Ok(is_small(head) || is_float(head))
}

pub(super) const fn is_small(head: Head) -> bool {
    matches!(head.major(), Major::Unsigned | Major::Negative)
}

pub(super) const fn is_float(head: Head) -> bool {
    matches!(head.first, 0xf9..=0xfb)
}

/// An integer of major type 0 or 1.
pub(super) fn small(c: &mut Content<'_>) -> Result<bool> {
    Ok(is_small(c.head()?))
}

/// An integer or a bignum.
pub(super) fn integer(c: &mut Content<'_>) -> Result<bool> {
    let head = c.head()?;
    if head.major() == Major::Tag && matches!(head.argument, 2 | 3) {
        c.skip()?;
        return Ok(true);
    }
    Ok(is_small(head))
}

/// The magnitude of an integer that is not negative: whether it is one, and whether it is zero.
fn magnitude(c: &mut Content<'_>) -> Result<Option<bool>> {
    let head = c.head()?;
    if head.major() == Major::Tag && head.argument == 2 {
        let bytes = c.head()?;
        if bytes.major() != Major::Bytes {
            return Ok(None);
        }
        return Ok(Some(c.string(bytes)?.iter().all(|&byte| byte == 0)));
    }
    Ok((head.major() == Major::Unsigned).then_some(head.argument == 0))
}

/// True for an exponent, as `exponent` reads one, and an integer.
pub(super) fn scaled(
    c: &mut Content<'_>,
    exponent: impl Fn(&mut Content<'_>) -> Result<bool>,
) -> Result<bool> {
    let Some(mut pair) = c.open(Major::Array)? else { return Ok(false) };
    Ok(c.more(&mut pair)?
        && exponent(c)?
        && c.more(&mut pair)?
        && integer(c)?
        && !c.more(&mut pair)?)
}

/// True for an integer and one above zero.
pub(super) fn rational(c: &mut Content<'_>) -> Result<bool> {
    let Some(mut pair) = c.open(Major::Array)? else { return Ok(false) };
    Ok(c.more(&mut pair)?
        && integer(c)?
        && c.more(&mut pair)?
        && magnitude(c)? == Some(false)
        && !c.more(&mut pair)?)
}

/// True for two integers, of which the second is not negative, and the sign and kind of number in 0..=7.
pub(super) fn extended(c: &mut Content<'_>) -> Result<bool> {
    let Some(mut triple) = c.open(Major::Array)? else { return Ok(false) };
    if !(c.more(&mut triple)?
        && integer(c)?
        && c.more(&mut triple)?
        && magnitude(c)?.is_some()
        && c.more(&mut triple)?)
    {
        return Ok(false);
    }
    let kind = c.head()?;
    Ok(kind.major() == Major::Unsigned && kind.argument <= 7 && !c.more(&mut triple)?)
}
