//! Application-oriented literals: `h'…'`, `dt'…'`, `hash<<…>>` and their like (draft 25 §3).

use super::Parser;
use super::hex;
use super::pieces::Pieces;
use crate::head::{self, Head, Major};
use crate::profile::Profile;
use crate::scan::{float_bytes, low16, low32, widen};
use crate::{float, write};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use data_encoding::{BASE32_NOPAD, BASE32HEX_NOPAD, BASE64_NOPAD, Encoding};
use sha2::{Digest as _, Sha256, Sha384, Sha512, Sha512_256};

/// What is wrong with a literal.
type Fault = String;

/// Appends the value of `prefix'text'`.
pub(super) fn literal(
    parser: &Parser,
    prefix: &str,
    text: &str,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    match prefix {
        "h" => return hex::digits(text)?.push(out, false),
        "b64" => push_bytes(out, &base64(text)?),
        "b32" if parser.base32 => push_bytes(out, &base32(text, &BASE32_NOPAD)?),
        "h32" if parser.base32 => push_bytes(out, &base32(text, &BASE32HEX_NOPAD)?),
        "dt" => time(text, out)?,
        "DT" => {
            head::push(out, Major::Tag, 1);
            time(text, out)?;
        }
        "ip" => address(text, false, out)?,
        "IP" => address(text, true, out)?,
        "hash" => push_bytes(out, &Sha256::digest(text.as_bytes())),
        // Draft 26 has it; it is read under draft 25 too, where no NaN but one can be written.
        "float" => {
            let mut bytes = Vec::new();
            hex::digits(text)?.push(&mut bytes, false)?;
            raw_float(&bytes, out)?;
        }
        _ => return Err(unknown(prefix)),
    }
    Ok(())
}

/// Appends the value of `prefix<<items>>`.
pub(super) fn sequence(
    parser: &Parser,
    prefix: &str,
    items: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let items = split(items);
    match (prefix, items.as_slice()) {
        ("t1", _) if parser.joins_by_name() => {
            Pieces::of(Some(Major::Text), &items)?.push(out, parser.any_text)
        }
        ("b1", _) if parser.joins_by_name() => {
            Pieces::of(Some(Major::Bytes), &items)?.push(out, parser.any_text)
        }
        ("same", [first, rest @ ..]) if parser.joins_by_name() => {
            if rest.iter().any(|item| item != first) {
                return Err("items of same<<…>> differ".into());
            }
            out.extend_from_slice(first);
            Ok(())
        }
        ("float", [item]) if item.first().is_some_and(|first| first >> 5 == 2) => {
            raw_float(item, out)
        }
        ("hash", [data]) => hash(data, None, out),
        ("hash", [data, algorithm]) => hash(data, Some(algorithm), out),
        (_, [item]) => match string(item).map(core::str::from_utf8) {
            Some(Ok(text)) => literal(parser, prefix, text, out),
            _ if is_known(prefix) => Err(format!("{prefix}<<…>> takes one string")),
            _ => Err(unknown(prefix)),
        },
        _ if is_known(prefix) => Err(format!("{prefix}<<…>> takes one string")),
        _ => Err(unknown(prefix)),
    }
}

fn is_known(prefix: &str) -> bool {
    matches!(prefix, "h" | "b64" | "dt" | "DT" | "ip" | "IP" | "hash" | "float")
}

#[cold]
fn unknown(prefix: &str) -> Fault {
    match prefix {
        "b32" | "h32" => {
            format!("{prefix}'' is no longer in the notation, and an option of the parser")
        }
        "e" | "ref" => format!("{prefix}'' names a definition, and there are none here"),
        "t1" | "b1" | "same" => format!("{prefix}<<>> is of draft 26"),
        _ => format!("application prefix {prefix} is not known"),
    }
}

/// The items of a sequence that was just written, so is well-formed.
pub(super) fn split(mut sequence: &[u8]) -> Vec<&[u8]> {
    let mut items = Vec::new();
    while !sequence.is_empty() {
        let len = Profile::WELL_FORMED.max_depth(u32::MAX).first_item(sequence);
        let (item, rest) = sequence.split_at(len.unwrap_or(sequence.len()));
        items.push(item);
        sequence = rest;
    }
    items
}

/// The content of a string of definite length.
pub(super) fn string(item: &[u8]) -> Option<&[u8]> {
    let first = *item.first()?;
    if !matches!(first >> 5, 2 | 3) || first & 31 == 31 {
        return None;
    }
    item.get(1 + head::argument_len(first & 31)..)
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write::push_string(out, Major::Bytes, bytes);
}

/// Base64 digits without blanks, comments and padding, whose length has to be right where there is any.
fn strip(text: &str, group: usize) -> Result<Vec<u8>, Fault> {
    let mut digits = Vec::with_capacity(text.len());
    let mut padding = 0;
    let mut comment = false;
    for byte in text.bytes() {
        match byte {
            b'\n' if comment => comment = false,
            _ if comment && byte >= 0x20 => {}
            b' ' | b'\n' => {}
            b'#' => comment = true,
            b'=' => padding += 1,
            _ if padding > 0 => return Err("padding stands before the end".into()),
            _ => digits.push(byte),
        }
    }
    if padding > 0 && (padding >= group || (digits.len() + padding) % group != 0) {
        return Err("padding has the wrong length".into());
    }
    Ok(digits)
}

fn base64(text: &str) -> Result<Vec<u8>, Fault> {
    let mut digits = strip(text, 4)?;
    for digit in &mut digits {
        match digit {
            b'-' => *digit = b'+',
            b'_' => *digit = b'/',
            _ => {}
        }
    }
    BASE64_NOPAD.decode(&digits).map_err(|error| format!("base64 is wrong: {}", error.kind))
}

fn base32(text: &str, encoding: &Encoding) -> Result<Vec<u8>, Fault> {
    let digits = strip(text, 8)?.to_ascii_uppercase();
    encoding.decode(&digits).map_err(|error| format!("base32 is wrong: {}", error.kind))
}

/// A float item of the given bits, whatever they are: a byte string of 2, 4 or 8 bytes.
fn raw_float(item: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let content = string(item).unwrap_or_default();
    match content.len() {
        2 => out.push(0xf9),
        4 => out.push(0xfa),
        8 => out.push(0xfb),
        _ => return Err("a float has 2, 4 or 8 bytes".into()),
    }
    out.extend_from_slice(content);
    Ok(())
}

fn hash(data: &[u8], algorithm: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Fault> {
    let data = string(data).ok_or("what is hashed has to be a string")?;
    let name = match algorithm {
        None => "SHA-256",
        Some([0x2f]) => "SHA-256",
        Some([0x2e]) => "SHA-256/64",
        Some([0x30]) => "SHA-512/256",
        Some([0x38, 42]) => "SHA-384",
        Some([0x38, 43]) => "SHA-512",
        Some(item) => string(item).and_then(|name| core::str::from_utf8(name).ok()).unwrap_or(""),
    };
    match name {
        "SHA-256" => push_bytes(out, &Sha256::digest(data)),
        "SHA-256/64" => push_bytes(out, &Sha256::digest(data)[..8]),
        "SHA-384" => push_bytes(out, &Sha384::digest(data)),
        "SHA-512" => push_bytes(out, &Sha512::digest(data)),
        "SHA-512/256" => push_bytes(out, &Sha512_256::digest(data)),
        _ => {
            return Err(
                "hash algorithm is none of SHA-256, SHA-256/64, SHA-384, SHA-512, SHA-512/256"
                    .into(),
            );
        }
    }
    Ok(())
}

/// An RFC 9164 address or prefix.
fn address(text: &str, tagged: bool, out: &mut Vec<u8>) -> Result<(), Fault> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let parsed = if address.contains(':') {
        address.parse::<Ipv6Addr>().map(IpAddr::V6)
    } else {
        address.parse::<Ipv4Addr>().map(IpAddr::V4)
    };
    let parsed = parsed.map_err(|_| "no IP address")?;
    let (bytes, tag) = match parsed {
        IpAddr::V4(v4) => (v4.octets().to_vec(), 52),
        IpAddr::V6(v6) => (v6.octets().to_vec(), 54),
    };
    let bits = bytes.len() * 8;
    let len = match prefix {
        None => None,
        Some(digits) => {
            let plain = digits.bytes().all(|b| b.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'));
            let len = digits.parse::<u8>().ok().filter(|&len| plain && usize::from(len) <= bits);
            Some(len.ok_or("no length of an IP prefix")?)
        }
    };
    if tagged {
        head::push(out, Major::Tag, tag);
    }
    let Some(len) = len else {
        push_bytes(out, &bytes);
        return Ok(());
    };
    let host = |i: usize| {
        0xff_u8.checked_shr(u32::from(len).saturating_sub(8 * u32::try_from(i).unwrap_or(0)))
    };
    if bytes.iter().enumerate().any(|(i, byte)| byte & host(i).unwrap_or(0) != 0) {
        return Err("IP prefix has bits set beyond its length".into());
    }
    let kept = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    head::push(out, Major::Array, 2);
    head::push(out, Major::Unsigned, u64::from(len));
    push_bytes(out, &bytes[..kept]);
    Ok(())
}

/// An RFC 3339 date and time as seconds since 1970; with a fraction, even of zero, it is a float.
fn time(text: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    let (seconds, fraction) = instant(text).ok_or("no date and time of RFC 3339")?;
    let Some(fraction) = fraction else {
        head::push_integer(out, i128::from(seconds));
        return Ok(());
    };
    let value = decimal(seconds, fraction).parse::<f64>().unwrap_or(f64::NAN);
    let (bytes, len) = float_bytes(float::shortest_bits(value.to_bits()));
    out.extend_from_slice(&bytes[..len]);
    Ok(())
}

/// The sum as one decimal number, so that it is rounded once.
fn decimal(seconds: i64, fraction: &str) -> String {
    let last = fraction.bytes().rposition(|digit| digit != b'0');
    let (Some(last), true) = (last, seconds < 0) else {
        return format!("{seconds}.{fraction}");
    };
    // Before 1970 the fraction counts against the seconds: its ten's complement counts with them.
    let complement = fraction.bytes().enumerate().map(|(i, digit)| match i {
        _ if i < last => char::from(b'9' - digit + b'0'),
        _ if i == last => char::from(b'9' + 1 - digit + b'0'),
        _ => '0',
    });
    format!("-{}.{}", -(seconds + 1), complement.collect::<String>())
}

fn instant(text: &str) -> Option<(i64, Option<&str>)> {
    let number = |range: core::ops::Range<usize>, limit: i64| {
        let digits = text.get(range)?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|&value| plain && value <= limit)
    };
    let mark = |at: usize, marks: &[u8]| text.as_bytes().get(at).is_some_and(|b| marks.contains(b));
    let marks =
        mark(4, b"-") && mark(7, b"-") && mark(10, b"Tt") && mark(13, b":") && mark(16, b":");
    if !marks {
        return None;
    }
    let (year, month, day) = (number(0..4, 9999)?, number(5..7, 12)?, number(8..10, 31)?);
    let (hour, minute, second) = (number(11..13, 23)?, number(14..16, 59)?, number(17..19, 60)?);
    let days = days_since_1970(year, month, day)?;
    let mut zone = text.get(19..)?;
    let mut fraction = None;
    if let Some(rest) = zone.strip_prefix('.') {
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        fraction = Some(rest.get(..len).filter(|digits| !digits.is_empty())?);
        zone = rest.get(len..)?;
    }
    let offset = if zone.eq_ignore_ascii_case("Z") {
        0
    } else {
        let at = text.len() - zone.len();
        if zone.len() != 6 || !mark(at, b"+-") || !mark(at + 3, b":") {
            return None;
        }
        let minutes = number(at + 1..at + 3, 23)? * 60 + number(at + 4..at + 6, 59)?;
        if mark(at, b"-") { -minutes } else { minutes }
    };
    Some((days * 86400 + hour * 3600 + (minute - offset) * 60 + second, fraction))
}

/// Days from the civil calendar, none for a day that a month does not have.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let index = usize::try_from(month - 1).ok()?;
    if !(1..=*lengths.get(index)?).contains(&day) {
        return None;
    }
    let before: i64 = lengths[..index].iter().sum();
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    // Year 0 is a leap year, so the leap days before `year` are those of the years up to the one before.
    let leap_days = if year > 0 { leaps(year - 1) + 1 } else { 0 };
    Some(year * 365 + leap_days + before + day - 1 - 719_528)
}

/// Gives the scalar written at `at` the width asked for; false where it does not fit.
pub(super) fn widen_item(out: &mut Vec<u8>, at: usize, info: u8) -> bool {
    let item = out.split_off(at);
    let Some(&first) = item.first() else { return false };
    let len = head::argument_len(first & 31);
    let argument = match item.get(1..=len) {
        Some(bytes) if len > 0 => bytes.iter().fold(0, |n, &b| n << 8 | u64::from(b)),
        _ => u64::from(first & 31),
    };
    let head = Head { first, argument };
    match head.major() {
        Major::Simple if matches!(head.info(), 25..=27) => push_float(out, widen(head), info),
        Major::Unsigned | Major::Negative => push_head(out, head.major(), argument, info),
        Major::Bytes | Major::Text if !head.is_indefinite() => {
            let fits = push_head(out, head.major(), argument, info);
            out.extend_from_slice(&item[1 + len..]);
            fits
        }
        _ => false,
    }
}

/// Appends a float in the width asked for; false where that would change it.
pub(super) fn push_float(out: &mut Vec<u8>, bits: u64, info: u8) -> bool {
    let argument = match info {
        25 => float::f64_bits_to_f16_bits(bits).map(u64::from),
        26 => float::f64_bits_to_f32_bits(bits).map(u64::from),
        27 => Some(bits),
        _ => None,
    };
    match (argument, info) {
        (Some(argument), 25) => out.extend_from_slice(&write_16(low16(argument))),
        (Some(argument), 26) => {
            out.push(0xfa);
            out.extend_from_slice(&low32(argument).to_be_bytes());
        }
        (Some(argument), _) => {
            out.push(0xfb);
            out.extend_from_slice(&argument.to_be_bytes());
        }
        (None, _) => return false,
    }
    true
}

const fn write_16(bits: u16) -> [u8; 3] {
    let [high, low] = bits.to_be_bytes();
    [0xf9, high, low]
}

/// Appends a head with the additional information asked for, below 24 for the argument itself; false where the
/// argument does not fit.
pub(super) fn push_head(out: &mut Vec<u8>, major: Major, argument: u64, info: u8) -> bool {
    let initial = (major as u8) << 5;
    let bytes = argument.to_be_bytes();
    let len = head::argument_len(info);
    if len == 0 {
        out.push(initial | bytes[7]);
        return argument < 24;
    }
    out.push(initial | info);
    out.extend_from_slice(&bytes[8 - len..]);
    bytes[..8 - len].iter().all(|&byte| byte == 0)
}
