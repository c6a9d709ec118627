//! From digits to bytes, rounded at most once.

use crate::float::{Integer, Number};
use crate::head;
use alloc::vec::Vec;

/// The most digits of a decimal integer. Conversion takes the square of it, and a bignum this large is better
/// written `2(h'…')`.
pub(super) const DECIMAL_DIGITS: usize = 16 * 1024;

/// Appends an integer, as a bignum where it needs one; false if its digits are too many.
pub(super) fn push_integer(
    out: &mut Vec<u8>,
    negative: bool,
    digits: &str,
    bits_per_digit: u32,
) -> bool {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        out.push(0x00);
        return true;
    }
    let mut magnitude = match bits_per_digit {
        0 if digits.len() > DECIMAL_DIGITS => return false,
        0 => from_decimal(digits),
        bits => from_power_of_two(digits, bits),
    };
    if negative {
        // Major type 1 and tag 3 hold n for the integer -1 - n.
        for byte in magnitude.iter_mut().rev() {
            let (less, borrow) = byte.overflowing_sub(1);
            *byte = less;
            if !borrow {
                break;
            }
        }
    }
    head::push_bignum(out, negative, &magnitude);
    true
}

/// Big-endian bytes of a number written in digits of one, three or four bits.
fn from_power_of_two(digits: &str, bits: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(digits.len() / 2 + 1);
    let (mut pending, mut filled) = (0_u32, 0);
    for digit in digits.chars().rev() {
        pending |= digit.to_digit(16).unwrap_or(0) << filled;
        filled += bits;
        if filled >= 8 {
            bytes.push(pending.to_le_bytes()[0]);
            pending >>= 8;
            filled -= 8;
        }
    }
    bytes.push(pending.to_le_bytes()[0]);
    bytes.reverse();
    bytes
}

/// Big-endian bytes of a decimal number, nine digits at a time.
fn from_decimal(digits: &str) -> Vec<u8> {
    let mut limbs: Vec<u32> = Vec::with_capacity(digits.len() / 9 + 1);
    let (first, rest) = digits.split_at(digits.len() % 9);
    let groups = core::iter::once(first.as_bytes()).chain(rest.as_bytes().chunks(9));
    for group in groups.filter(|group| !group.is_empty()) {
        let mut carry = group.iter().fold(0, |n, digit| n * 10 + u64::from(digit - b'0'));
        for limb in &mut limbs {
            let product = u64::from(*limb) * 1_000_000_000 + carry;
            *limb = low(product);
            carry = product >> 32;
        }
        if carry > 0 {
            limbs.push(low(carry));
        }
    }
    limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()).collect()
}

const fn low(n: u64) -> u32 {
    let [.., a, b, c, d] = n.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// An exponent, cut off far beyond what any significand that fits in memory can make up for.
pub(super) fn bounded(digits: &str) -> i64 {
    let digits = digits.trim_start_matches('0');
    match digits.parse::<i64>() {
        Ok(value) => value.min(BOUND),
        Err(_) if digits.is_empty() => 0,
        Err(_) => BOUND,
    }
}

const BOUND: i64 = 1 << 60;

/// A hexadecimal float: digits, digits after the point, power of two.
pub(super) struct Hexfloat<'t> {
    pub(super) digits: &'t str,
    pub(super) fraction: &'t str,
    pub(super) exponent: i64,
}

impl Hexfloat<'_> {
    /// The nearest binary64, ties to even; none where that is infinite.
    pub(super) fn to_bits(&self) -> Option<u64> {
        let (mut significand, mut exponent, mut sticky) = (0_u64, self.exponent, false);
        let integer = self.digits.chars().map(|digit| (digit, 4));
        let fraction = self.fraction.chars().map(|digit| (digit, 0));
        for (digit, weight) in integer.chain(fraction) {
            let digit = u64::from(digit.to_digit(16).unwrap_or(0));
            if significand >> 60 == 0 {
                significand = significand << 4 | digit;
                exponent += weight - 4;
            } else {
                sticky |= digit != 0;
                exponent += weight;
            }
        }
        // Whatever was left out counts as one more bit at the end: all that rounding asks of it.
        let magnitude = u128::from(significand) << 1 | u128::from(sticky);
        let integer = Integer::new(false, magnitude);
        let (value, _) = Number::binary(integer, i128::from(exponent) - 1).to_f64();
        value.is_finite().then(|| value.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digits: &str, fraction: &str, exponent: i64) -> Option<f64> {
        Hexfloat { digits, fraction, exponent }.to_bits().map(f64::from_bits)
    }

    #[test]
    fn hexadecimal_floats_round_once() {
        assert_eq!(hex("1", "8", 0), Some(1.5));
        assert_eq!(hex("", "4", 4), Some(4.0));
        assert_eq!(hex("0", "", 1 << 60), Some(0.0));
        assert_eq!(hex("1", "", -1074), Some(f64::from_bits(1)));
        assert_eq!(hex("1", "", -1075), Some(0.0));
        assert_eq!(hex("1", "00000000000000000001", -1075), Some(f64::from_bits(1)));
        assert_eq!(hex("3", "", -1075), Some(f64::from_bits(2)));
        assert_eq!(hex("1", "", -(1 << 60)), Some(0.0));
        assert_eq!(hex("1", "fffffffffffff8", -1023), Some(f64::MIN_POSITIVE));
        assert_eq!(hex("1", "fffffffffffff", 1023), Some(f64::MAX));
        assert_eq!(hex("1", "fffffffffffff7ff", 1023), Some(f64::MAX));
        assert_eq!(hex("1", "fffffffffffff8", 1023), None);
        assert_eq!(hex("1", "", 1024), None);
        assert_eq!(hex("20000000000001", "", 0), Some(9007199254740992.0));
        assert_eq!(hex("20000000000001", "0000000000000000001", 0), Some(9007199254740994.0));
        assert_eq!(hex("20000000000003", "", 0), Some(9007199254740996.0));
    }

    #[test]
    fn integers_of_any_base() {
        let rows: [(bool, &str, u32, &[u8]); 8] = [
            (false, "0000", 0, &[0]),
            (true, "1", 0, &[0x20]),
            (true, "18446744073709551616", 0, &[0x3b, 255, 255, 255, 255, 255, 255, 255, 255]),
            (true, "18446744073709551617", 0, &[0xc3, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            (false, "18446744073709551616", 0, &[0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            (false, "10000000000000000", 4, &[0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            (false, "777", 3, &[0x19, 1, 0xff]),
            (false, "111111111", 1, &[0x19, 1, 0xff]),
        ];
        for (negative, digits, bits, bytes) in rows {
            let mut out = Vec::new();
            assert!(push_integer(&mut out, negative, digits, bits));
            assert_eq!(out, bytes, "{digits}");
        }
    }
}
