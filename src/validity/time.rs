//! Dates and times: RFC 3339 as RFC 4287 restricts it, RFC 8943, RFC 9581.

use super::content::{Content, NULL};
use super::number::{is_float, is_small, scaled, small};
use crate::error::Result;
use crate::head::Major;
use crate::scan::Frame;

/// RFC 3339 `full-date`.
pub(super) fn is_date(text: &[u8]) -> bool {
    let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = text else { return false };
    let (Some(century), Some(year)) = (decimal(y0, y1), decimal(y2, y3)) else { return false };
    let (Some(month), Some(day)) = (decimal(m0, m1), decimal(d0, d1)) else { return false };
    let leap = if year == 0 { century % 4 == 0 } else { year % 4 == 0 };
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// RFC 3339 `date-time` with upper-case `T` and `Z` (RFC 4287 §3.3).
pub(super) fn is_date_time(text: &[u8]) -> bool {
    let Some((date, [b'T', time @ ..])) = text.split_at_checked(10) else { return false };
    let &[h0, h1, b':', m0, m1, b':', s0, s1, ref rest @ ..] = time else { return false };
    let zone = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        _ => rest,
    };
    let offset = match *zone {
        [b'Z'] => true,
        [b'+' | b'-', h0, h1, b':', m0, m1] => up_to(23, h0, h1) && up_to(59, m0, m1),
        _ => false,
    };
    is_date(date) && up_to(23, h0, h1) && up_to(59, m0, m1) && up_to(60, s0, s1) && offset
}

fn up_to(most: u8, tens: u8, ones: u8) -> bool {
    decimal(tens, ones).is_some_and(|number| number <= most)
}

fn decimal(tens: u8, ones: u8) -> Option<u8> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
}

/// True for the map of an extended time or of a duration (RFC 9581 §3).
pub(super) fn extended(c: &mut Content<'_>) -> Result<bool> {
    match c.open(Major::Map)? {
        Some(map) => extended_map(c, map),
        None => Ok(false),
    }
}

/// One base time under key 1, 4 or 5. Negative and text keys are elective; an unsigned key has to be understood,
/// which 10, 11 and 13 are. A decimal fraction (-3, -6 to -18) stands alone and beside an integer under key 1.
fn extended_map(c: &mut Content<'_>, mut map: Frame) -> Result<bool> {
    let (mut bases, mut integers, mut fractions) = (0_u64, 0_u64, 0_u64);
    while c.more(&mut map)? {
        let key = c.head()?;
        match key.major() {
            Major::Unsigned | Major::Negative => {}
            Major::Text => c.skip_string(key)?,
            _ => return Ok(false),
        }
        c.value(map)?;
        let holds = match (key.major(), key.argument) {
            (Major::Unsigned, 1) => {
                let value = c.head()?;
                bases += 1;
                integers += u64::from(is_small(value));
                is_small(value) || is_float(value)
            }
            (Major::Unsigned, 4 | 5) => {
                bases += 1;
                scaled(c, small)?
            }
            (Major::Negative, 2 | 5 | 8 | 11 | 14 | 17) => {
                fractions += 1;
                c.is(&[Major::Unsigned])?
            }
            (Major::Unsigned, number) if !matches!(number, 10 | 11 | 13) => false,
            _ => c.skip().map(|()| true)?,
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(bases == 1 && (fractions == 0 || fractions == 1 && integers == 1))
}

/// True for start, end and perhaps duration, of which two are not null (RFC 9581 §5).
pub(super) fn period(c: &mut Content<'_>) -> Result<bool> {
    let Some(mut array) = c.open(Major::Array)? else { return Ok(false) };
    let (mut parts, mut given) = (0_u64, 0_u64);
    while c.more(&mut array)? {
        let head = c.head()?;
        if head.major() == Major::Map {
            if !extended_map(c, Frame::new(head))? {
                return Ok(false);
            }
            given += 1;
        } else if head.first != NULL {
            return Ok(false);
        }
        parts += 1;
    }
    Ok((2..=3).contains(&parts) && given == 2)
}
