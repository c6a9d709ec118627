//! The content of registered tags: RFC 8949 §3.4 and §5.3.2, and the registrations of IANA's list that say what
//! a tag holds in a way that can be checked.
//!
//! Each tag is one row of [`fault`]'s table. The content is read by the scanner, with an explicit stack where it
//! nests, and never beyond its end. Tags inside it are not looked into here: the walk comes by and asks again.

mod content;
mod network;
mod number;
mod oid;
mod set;
mod text;
mod time;
mod typed;

use crate::head::Major;
use content::Content;

/// What is wrong with the content of a tag; `rest` is the input from the content's initial byte on.
///
/// Nothing is said of content that is not well-formed, which the scan reports, nor of a tag that is not known
/// (RFC 8949 §5.4). Tags 2 and 3 are the scanner's. Time grows with the length of the content; tags inside tags
/// are read once for each that surrounds them.
pub(crate) fn fault(tag: u64, rest: &[u8]) -> Option<&'static str> {
    let mut content = Content::new(rest);
    let c = &mut content;
    #[rustfmt::skip]
    let (holds, words) = match tag {
        0 => (c.text(time::is_date_time), "tag 0 does not hold an RFC 3339 date-time"),
        1 => (number::epoch(c), "tag 1 does not hold an integer or a float"),
        4 => (number::scaled(c, number::small), "tag 4 does not hold an exponent and a mantissa"),
        5 => (number::scaled(c, number::small), "tag 5 does not hold an exponent and a mantissa"),
        24 => (c.embedded(|inner| inner == 1), "tag 24 does not hold one encoded item"),
        30 => (number::rational(c), "tag 30 does not hold a numerator and a positive denominator"),
        32 => (c.text(text::is_uri_reference), "tag 32 does not hold an RFC 3986 URI reference"),
        33 => (c.text(text::is_base64_url), "tag 33 does not hold unpadded base64url"),
        34 => (c.text(text::is_base64), "tag 34 does not hold padded base64"),
        35 => (c.text(|_| true), "tag 35 does not hold a text string"),
        36 => (c.text(|_| true), "tag 36 does not hold a text string"),
        37 => (c.bytes_of_length(|len| len == 16), "tag 37 does not hold a UUID of 16 bytes"),
        40 => (typed::dimensional(c), "tag 40 does not hold dimensions and as many elements"),
        41 => (c.is(&[Major::Array]), "tag 41 does not hold an array"),
        52 => (network::address(c, 4), "tag 52 does not hold an IPv4 address or prefix"),
        54 => (network::address(c, 16), "tag 54 does not hold an IPv6 address or prefix"),
        63 => (c.embedded(|_| true), "tag 63 does not hold an encoded CBOR sequence"),
        64..=87 => (typed::array(c, tag), "typed array does not hold whole elements"),
        100 => (c.is(&[Major::Unsigned, Major::Negative]), "tag 100 does not hold an integer"),
        110 => (oid::identifiers(c, false), "tag 110 does not hold a relative object identifier"),
        111 => (oid::identifiers(c, true), "tag 111 does not hold an object identifier"),
        112 => (oid::identifiers(c, false), "tag 112 does not hold a relative object identifier"),
        258 => (set::distinct(c), "tag 258 does not hold an array of distinct elements"),
        264 => (number::scaled(c, number::integer), "tag 264 does not hold an exponent and a mantissa"),
        265 => (number::scaled(c, number::integer), "tag 265 does not hold an exponent and a mantissa"),
        268 => (number::extended(c), "tag 268 does not hold an extended decimal fraction"),
        269 => (number::extended(c), "tag 269 does not hold an extended bigfloat"),
        270 => (number::extended(c), "tag 270 does not hold an extended rational"),
        1001 => (time::extended(c), "tag 1001 does not hold an RFC 9581 extended time"),
        1002 => (time::extended(c), "tag 1002 does not hold an RFC 9581 duration"),
        1003 => (time::period(c), "tag 1003 does not hold two of start, end and duration"),
        1004 => (c.text(time::is_date), "tag 1004 does not hold an RFC 3339 full-date"),
        1040 => (typed::dimensional(c), "tag 1040 does not hold dimensions and as many elements"),
        _ => return None,
    };
    // A rule may answer before the end of the content; what follows may still be malformed.
    let broken = matches!(holds, Ok(false)) && Content::new(rest).skip().is_ok();
    broken.then_some(words)
}

#[cfg(test)]
mod tests;
