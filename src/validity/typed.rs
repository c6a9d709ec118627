//! Typed arrays and arrays of several dimensions (RFC 8746).

use super::content::Content;
use crate::error::Result;
use crate::head::Major;
use crate::scan::Frame;

/// Bytes of an element: tags are `0b010_f_s_e_ll` (§2.1), and 76 must not be used (§2.1).
const fn element_size(tag: u64) -> Option<u64> {
    match tag {
        76 => None,
        64..=87 => Some(1 << ((tag >> 4 & 1) + (tag & 3))),
        _ => None,
    }
}

/// True for a byte string of whole elements.
pub(super) fn array(c: &mut Content<'_>, tag: u64) -> Result<bool> {
    c.bytes_of_length(|len| element_size(tag).is_some_and(|size| len % size == 0))
}

/// True for dimensions and an array of as many elements as they say (§3.1).
pub(super) fn dimensional(c: &mut Content<'_>) -> Result<bool> {
    let Some(mut pair) = c.open(Major::Array)? else { return Ok(false) };
    if !c.more(&mut pair)? {
        return Ok(false);
    }
    let Some(product) = dimensions(c)? else { return Ok(false) };
    Ok(c.more(&mut pair)? && elements(c)? == Some(product) && !c.more(&mut pair)?)
}

/// The product of dimensions that are not zero; none where it passes every length there can be.
fn dimensions(c: &mut Content<'_>) -> Result<Option<u64>> {
    let Some(mut array) = c.open(Major::Array)? else { return Ok(None) };
    let mut product = Some(1_u64);
    while c.more(&mut array)? {
        let head = c.head()?;
        if head.major() != Major::Unsigned || head.argument == 0 {
            return Ok(None);
        }
        product = product.and_then(|product| product.checked_mul(head.argument));
    }
    Ok(product)
}

/// The elements of an array, a typed array, or a homogeneous array.
fn elements(c: &mut Content<'_>) -> Result<Option<u64>> {
    let head = c.head()?;
    let array = match head.major() {
        Major::Tag if head.argument == 41 => c.open(Major::Array)?,
        Major::Tag => {
            let Some(size) = element_size(head.argument) else { return Ok(None) };
            let bytes = c.head()?;
            if bytes.major() != Major::Bytes {
                return Ok(None);
            }
            let len = c.string_len(bytes)?;
            return Ok((len % size == 0).then_some(len / size));
        }
        Major::Array => Some(Frame::new(head)),
        _ => None,
    };
    array.map(|array| c.count(array)).transpose()
}
