//! `m * 10^e` in one step: 64 significant bits, and whether anything follows them.
//!
//! Three stages, each exact, and each rarely passing a number on to the next: 128-bit integers while
//! everything fits; a 128-bit product with a known error, which decides unless the result is next to a
//! 64-bit number; and a comparison of whole integers with that number.

use core::cmp::Ordering;

use super::natural::{Natural, product};
use super::round::{Scaled, low_u64, signed};

/// Decimal digits that settle every rounding: a 64-bit number times a power of two, down to 10^-330, has
/// no more than 830, so what follows 1,024 of them can only say "and a little more".
pub(super) const MAX_DIGITS: u32 = 1024;

/// The longest magnitude that [`Limbs`] takes, which is that of 1,024 digits.
pub(super) const MAX_BITS: u64 = 3402;

/// 5^27, the last power of five in a `u64`.
const FIVE_27: u64 = 7_450_580_596_923_828_125;

/// A natural number in a fixed array, so that constant evaluation has one too.
///
/// 4,096 bits hold whatever [`scale`] makes of 1,024 digits: 5^1354 times 64 bits, or the digits
/// shifted to stand beside that.
#[derive(Clone, Copy)]
pub(super) struct Limbs {
    limbs: [u64; 64],
    len: usize,
}

impl Limbs {
    pub(super) const fn new(value: u64) -> Self {
        let mut limbs = [0; 64];
        limbs[0] = value;
        Self { limbs, len: (value != 0) as usize }
    }

    /// `self * factor + term`.
    pub(super) const fn multiply_add(mut self, factor: u64, term: u64) -> Self {
        let mut carry = term;
        let mut i = 0;
        while i < self.len {
            let wide = self.limbs[i] as u128 * factor as u128 + carry as u128;
            self.limbs[i] = low_u64(wide);
            carry = low_u64(wide >> 64);
            i += 1;
        }
        if carry != 0 {
            self.limbs[self.len] = carry;
            self.len += 1;
        }
        self
    }

    const fn times_five_to(mut self, mut power: u32) -> Self {
        while power >= 27 {
            self = self.multiply_add(FIVE_27, 0);
            power -= 27;
        }
        self.multiply_add(5_u64.pow(power), 0)
    }

    const fn shift_left(mut self, by: u32) -> Self {
        self = self.multiply_add(1 << (by % 64), 0);
        let whole = (by / 64) as usize;
        let mut i = self.len;
        while whole > 0 && i > 0 {
            i -= 1;
            self.limbs[i + whole] = self.limbs[i];
            self.limbs[i] = 0;
        }
        self.len += whole;
        self
    }

    const fn compare(&self, other: &Self) -> Ordering {
        let mut i = if self.len > other.len { self.len } else { other.len };
        while i > 0 {
            i -= 1;
            if self.limbs[i] != other.limbs[i] {
                let less = self.limbs[i] < other.limbs[i];
                return if less { Ordering::Less } else { Ordering::Greater };
            }
        }
        Ordering::Equal
    }

    /// The leading 128 bits, aligned to the top, and the exponent of the last of them.
    const fn leading(&self) -> Float {
        let mut limbs = [0; 3];
        let mut i = 0;
        while i < 3 && i < self.len {
            limbs[i] = self.limbs[self.len - 1 - i];
            i += 1;
        }
        let bits = 64 * self.len as u64 - limbs[0].leading_zeros() as u64;
        Float::leading(limbs, bits)
    }
}

/// A 128-bit significand, aligned to the top, that is at or below the number it stands for.
#[derive(Clone, Copy)]
pub(super) struct Float {
    significand: u128,
    exponent: i64,
}

impl Float {
    const FIVE: Self = Self { significand: 5 << 125, exponent: -125 };
    const FIFTH: Self = Self { significand: u128::MAX / 5 * 4, exponent: -130 };

    /// From the three leading limbs, the first of them not 0, of a number of that many bits.
    #[allow(clippy::cast_possible_wrap, reason = "a number of 2^63 bits is in no memory")]
    pub(super) const fn leading(limbs: [u64; 3], bits: u64) -> Self {
        let lead = limbs[0].leading_zeros();
        let high = (limbs[0] as u128) << 64 | limbs[1] as u128;
        let low = ((limbs[2] as u128) << lead) >> 64;
        Self { significand: high << lead | low, exponent: bits as i64 - 128 }
    }

    const fn times(self, other: Self) -> Self {
        let (high, low) = product(self.significand, other.significand);
        let exponent = self.exponent + other.exponent;
        if high >> 127 == 1 {
            Self { significand: high, exponent: exponent + 128 }
        } else {
            Self { significand: (high << 1) | (low >> 127), exponent: exponent + 127 }
        }
    }

    /// `self * 10^power`.
    const fn times_ten_to(self, power: i32) -> Self {
        let mut square = if power < 0 { Self::FIFTH } else { Self::FIVE };
        let mut left = power.unsigned_abs();
        let mut result = self;
        while left != 0 {
            if left & 1 == 1 {
                result = result.times(square);
            }
            square = square.times(square);
            left >>= 1;
        }
        Self { exponent: result.exponent + power as i64, ..result }
    }
}

/// What 128 bits know of a result.
enum Estimate {
    /// It is strictly between this 64-bit number and the next.
    Above(u64, i64),
    /// It is so close to this 64-bit number that its side is not known.
    Near(u64, i64),
}

/// `number * 10^power`, to 64 bits.
///
/// Every step of [`Float`] truncates, by less than 2^-127 of the value, and squaring doubles what
/// came before: `n` factors are together less than 3n of those low, and an ulp is at least half of one.
const fn estimate(number: Float, power: i32) -> Estimate {
    let Float { significand: low, exponent } = number.times_ten_to(power);
    let error = 6 * power.unsigned_abs() as u128 + 16;
    let (high, carry) = low.overflowing_add(error);
    if carry {
        return Estimate::Near(1 << 63, exponent + 65);
    }
    let candidate = low_u64(high >> 64);
    if low_u64(low >> 64) == candidate && low_u64(low) != 0 {
        Estimate::Above(candidate, exponent + 64)
    } else {
        Estimate::Near(candidate, exponent + 64)
    }
}

/// The result that lies on one side of a 64-bit number, or is that number.
const fn beside(negative: bool, candidate: u64, exponent: i64, side: Ordering) -> Scaled {
    let significand = if matches!(side, Ordering::Less) { candidate - 1 } else { candidate };
    let sticky = !matches!(side, Ordering::Equal);
    Scaled { negative, significand, exponent: narrow(exponent), sticky }
}

/// `m * 10^power`. The caller has seen to it that the result is within 10^-330..10^311.
pub(super) const fn scale_word(negative: bool, m: u64, power: i32) -> Scaled {
    if power.unsigned_abs() <= 27 {
        return scale_small(negative, m, power);
    }
    match estimate(Float::leading([m, 0, 0], 64 - m.leading_zeros() as u64), power) {
        Estimate::Above(below, exponent) => beside(negative, below, exponent, Ordering::Greater),
        Estimate::Near(..) => scale(negative, &Limbs::new(m), false, power),
    }
}

/// The same for `(m + f)`, where `f` is 0, or with `more`, which goes with [`MAX_DIGITS`] digits, somewhere
/// between 0 and 1.
pub(super) const fn scale(negative: bool, m: &Limbs, more: bool, power: i32) -> Scaled {
    let (candidate, exponent) = match estimate(m.leading(), power) {
        Estimate::Above(below, exponent) => {
            return beside(negative, below, exponent, Ordering::Greater);
        }
        Estimate::Near(candidate, exponent) => (candidate, exponent),
    };
    let (left, right) = if power < 0 {
        (*m, Limbs::new(candidate).times_five_to(power.unsigned_abs()))
    } else {
        (m.times_five_to(power.unsigned_abs()), Limbs::new(candidate))
    };
    let shift = power - narrow(exponent);
    let side = if shift < 0 {
        left.compare(&right.shift_left(shift.unsigned_abs()))
    } else {
        left.shift_left(shift.unsigned_abs()).compare(&right)
    };
    let side = if more && matches!(side, Ordering::Equal) { Ordering::Greater } else { side };
    beside(negative, candidate, exponent, side)
}

/// `m * 10^power` for powers whose five fits 64 bits.
const fn scale_small(negative: bool, m: u64, power: i32) -> Scaled {
    let five = 5_u64.pow(power.unsigned_abs()) as u128;
    if power >= 0 {
        return Scaled::from_u128(negative, m as u128 * five, power, false);
    }
    // 127 bits over at most 63 leave a quotient of at least 64, as the sticky bit asks for.
    let lead = (m as u128).leading_zeros() - 1;
    let aligned = (m as u128) << lead;
    Scaled::from_u128(negative, aligned / five, power - signed(lead), aligned % five != 0)
}

/// The same for a magnitude of any length, with a negative power (any other is far beyond every format).
pub(super) fn scale_long(negative: bool, m: &Natural, power: i32) -> Scaled {
    let (candidate, exponent) = match estimate(m.leading(), power) {
        Estimate::Above(below, exponent) => {
            return beside(negative, below, exponent, Ordering::Greater);
        }
        Estimate::Near(candidate, exponent) => (candidate, exponent),
    };
    let grid = Natural::five_to(power.unsigned_abs()).times(&Natural::new(candidate));
    let shift = power - narrow(exponent);
    let side = if shift < 0 {
        m.cmp(&grid.shift_left(shift.unsigned_abs()))
    } else {
        m.shift_left(shift.unsigned_abs()).cmp(&grid)
    };
    beside(negative, candidate, exponent, side)
}

/// An exponent of a number between 10^-330 and 10^311.
#[allow(clippy::cast_possible_truncation, reason = "callers have checked the range")]
const fn narrow(exponent: i64) -> i32 {
    exponent as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^255 - 2^127 has its last bit in the low half.
    #[test]
    fn no_bit_of_a_product_is_lost() {
        let float = |significand| Float { significand, exponent: 0 };
        for (a, b, significand, exponent) in [
            (1 << 127, 1 << 127, 1 << 127, 127),
            (1 << 127, u128::MAX, u128::MAX, 127),
            (u128::MAX, u128::MAX, u128::MAX - 1, 128),
            (3 << 126, 3 << 126, 9 << 124, 128),
        ] {
            let got = float(a).times(float(b));
            assert_eq!((got.significand, got.exponent), (significand, exponent), "{a:x} {b:x}");
        }
    }
}
