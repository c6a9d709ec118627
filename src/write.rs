//! Writing one item under a profile's rules: what `ser` and `rewrite` share.

use crate::error::Rule;
use crate::float::{self, Shortest, Width};
use crate::head::{self, Major};
use crate::nfc;
use crate::profile::{Floats, Nan, Rules};
use crate::scan::float_integer;
use alloc::vec::Vec;

/// What a float that the profile has no form for breaks.
type Refused = Rule;

/// The width that the last floats had. Arrays of floats are mostly of one, which is then quicker to test for than to
/// find; where widths change from float to float nothing is guessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit {
    usual: &'static Width,
    /// The powers of two of the bytes of the last four floats.
    last: u32,
}

static WIDTHS: [Width; 4] = Width::ALL;

impl Default for Habit {
    fn default() -> Self {
        Habit { usual: &WIDTHS[0], last: 0 }
    }
}

impl Habit {
    /// Four floats of one width make a habit.
    #[inline(always)]
    fn met(&mut self, power: u32) {
        let four = power * 0x0101_0101;
        self.last = self.last << 8 | power;
        self.usual = &WIDTHS[if self.last == four { power as usize & 3 } else { 0 }];
    }
}

const EXPONENT: u64 = 0x7ff << 52;
const SIGN: u64 = 1 << 63;

/// Writes a float given by its bits as binary64, if it is of the width that the ones before had and there is room for it.
/// It is no zero.
#[inline(always)]
pub(crate) fn push_usual_float(out: &mut Vec<u8>, bits: u64, habit: &Habit) -> bool {
    let short = if head::fits(out) { habit.usual.look(bits) } else { None };
    if let Some(short) = short {
        head::push_first(out, habit.usual.initial, short, habit.usual.len);
    }
    short.is_some()
}

/// The same for the bits of a binary32.
#[inline(always)]
pub(crate) fn push_usual_single(out: &mut Vec<u8>, bits: u32, habit: &Habit) -> bool {
    let usual = habit.usual.initial == 0xfa && float::is_single(bits) && head::fits(out);
    if usual {
        push_single(out, bits);
    }
    usual
}

/// Writes a float given by its bits as binary64 without a width to guess, if it is normal, the profile wants the shortest
/// form of all of those (RFC 8949 §4.2.1), and there is room for it.
#[inline(always)]
pub(crate) fn push_normal_float(
    out: &mut Vec<u8>,
    rules: &Rules,
    bits: u64,
    habit: &mut Habit,
) -> bool {
    const LEAST: u64 = 1 << 52;
    let normal = (bits & !SIGN).wrapping_sub(LEAST) < EXPONENT - LEAST;
    if !normal || rules.floats != Floats::Shortest || rules.reduced || !head::fits(out) {
        return false;
    }
    let (width, short) = float::narrowest(bits);
    let [power, ..] = (width & 3).to_le_bytes();
    let len = 1 << power;
    habit.met(power.into());
    head::push_first(out, 0xf8 | power, short << (64 - 8 * len), 1 + len);
    true
}

#[inline(always)]
pub(crate) fn push_shortest(out: &mut Vec<u8>, shortest: Shortest) {
    match shortest {
        Shortest::F16(bits) => push_half(out, bits),
        Shortest::F32(bits) => push_single(out, bits),
        Shortest::F64(bits) => push_double(out, bits),
    }
}

#[inline(always)]
fn push_half(out: &mut Vec<u8>, bits: u16) {
    let b = bits.to_be_bytes();
    out.extend_from_slice(&[0xf9, b[0], b[1]]);
}

#[inline(always)]
fn push_single(out: &mut Vec<u8>, bits: u32) {
    let b = bits.to_be_bytes();
    out.extend_from_slice(&[0xfa, b[0], b[1], b[2], b[3]]);
}

#[inline(always)]
fn push_double(out: &mut Vec<u8>, bits: u64) {
    let b = bits.to_be_bytes();
    out.extend_from_slice(&[0xfb, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
}

/// Writes a float given by its bits as binary64, in the width the profile wants; `info` is the additional
/// information of the width it had, for profiles that keep it.
pub(crate) fn push_float(
    out: &mut Vec<u8>,
    rules: &Rules,
    bits: u64,
    info: u8,
) -> Result<(), Refused> {
    if rules.floats == Floats::None {
        return Err(Rule::ForbiddenFloat);
    }
    let magnitude = bits & !SIGN;
    if magnitude > EXPONENT {
        match rules.nan {
            Nan::None => return Err(Rule::ForbiddenNan),
            Nan::Canonical => {
                out.extend_from_slice(&[0xf9, 0x7e, 0x00]);
                return Ok(());
            }
            Nan::Kept => {}
        }
    } else if magnitude == EXPONENT {
        if !rules.infinity {
            return Err(Rule::ForbiddenInfinity);
        }
    } else if rules.reduced {
        if let Some(integer) = float_integer(bits) {
            head::push_integer(out, integer);
            return Ok(());
        }
    } else if bits == SIGN && !rules.negative_zero {
        return Err(Rule::ForbiddenNegativeZero);
    }
    push_shortest(
        out,
        match (rules.floats, info) {
            (Floats::Double, _) => Shortest::F64(bits),
            (Floats::Any, 25..=27) => narrow(bits, info),
            _ => float::shortest_bits(bits),
        },
    );
    Ok(())
}

/// The value in a width that is known to hold it, or the next wider one.
fn narrow(bits: u64, info: u8) -> Shortest {
    match (info, float::shortest_bits(bits)) {
        (25, short) => short,
        (26, Shortest::F16(half)) => Shortest::F32(float::f16_to_f32_bits(half)),
        (26, short) => short,
        _ => Shortest::F64(bits),
    }
}

/// Writes a text string, normalized where the profile wants it.
#[inline(always)]
pub(crate) fn push_text(out: &mut Vec<u8>, rules: &Rules, text: &str) -> Result<(), &'static str> {
    if rules.nfc {
        let text = nfc::normalize(text)?;
        push_string(out, Major::Text, text.as_bytes());
    } else {
        push_string(out, Major::Text, text.as_bytes());
    }
    Ok(())
}

/// Writes a string's head and content behind one reservation.
#[inline(always)]
pub(crate) fn push_string(out: &mut Vec<u8>, major: Major, content: &[u8]) {
    out.reserve(content.len() + 9);
    match u8::try_from(content.len()) {
        Ok(len) => head::push_byte(out, major, len),
        Err(_) => head::push(out, major, content.len() as u64),
    }
    out.extend_from_slice(content);
}

/// Writes the name of a field. Where the compiler knows it, head and name are one constant.
#[inline(always)]
pub(crate) fn push_name(out: &mut Vec<u8>, name: &str) {
    if name.len() < 24 {
        let mut text = [0; 24];
        text[0] = (Major::Text as u8) << 5 | name.len().to_le_bytes()[0];
        let end = 1 + name.len();
        text[1..end].copy_from_slice(name.as_bytes());
        out.extend_from_slice(&text[..end]);
    } else {
        push_string(out, Major::Text, name.as_bytes());
    }
}
