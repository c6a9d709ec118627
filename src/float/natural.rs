//! Natural numbers of any length, for the one comparison that nothing shorter can make.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::power::Float;
use super::round::low_u64;

/// Little-endian limbs, the last of them not 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Natural(Vec<u64>);

impl Natural {
    pub(super) fn new(value: u64) -> Self {
        Self(vec![value]).trim()
    }

    /// From big-endian bytes, and one more where asked.
    pub(super) fn from_be_bytes(bytes: &[u8], plus_one: bool) -> Self {
        let mut limbs: Vec<u64> = bytes
            .rchunks(8)
            .map(|chunk| chunk.iter().fold(0, |limb, &byte| limb << 8 | u64::from(byte)))
            .collect();
        if plus_one {
            limbs.push(0);
            add(&mut limbs, &[1]);
        }
        Self(limbs).trim()
    }

    pub(super) fn bits(&self) -> u64 {
        let top = self.0.last().map_or(0, |limb| u64::from(limb.leading_zeros()));
        64 * self.0.len() as u64 - top
    }

    /// The leading 128 bits.
    pub(super) fn leading(&self) -> Float {
        let mut limbs = self.0.iter().rev().copied().chain([0; 3]);
        Float::leading([(); 3].map(|()| limbs.next().unwrap_or(0)), self.bits())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut limbs = vec![0; self.0.len() + other.0.len()];
        multiply(&mut limbs, &self.0, &other.0);
        Self(limbs).trim()
    }

    pub(super) fn five_to(power: u32) -> Self {
        let mut result = Self::new(1);
        for bit in (0..u32::BITS - power.leading_zeros()).rev() {
            result = result.times(&result);
            if power >> bit & 1 == 1 {
                result = result.times(&Self::new(5));
            }
        }
        result
    }

    pub(super) fn shift_left(&self, by: u32) -> Self {
        let mut limbs = vec![0; (by / 64) as usize];
        limbs.extend_from_slice(&self.0);
        limbs.push(0);
        let mut carry = 0;
        for limb in &mut limbs {
            let wide = u128::from(*limb) << (by % 64) | u128::from(carry);
            *limb = low_u64(wide);
            carry = low_u64(wide >> 64);
        }
        Self(limbs).trim()
    }

    fn trim(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let limbs = self.0.iter().rev().cmp(other.0.iter().rev());
        self.0.len().cmp(&other.0.len()).then(limbs)
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// All 256 bits of a product, high and low half.
pub(super) const fn product(a: u128, b: u128) -> (u128, u128) {
    let (a1, a0) = (a >> 64, low_u64(a) as u128);
    let (b1, b0) = (b >> 64, low_u64(b) as u128);
    let (low, cross, other) = (a0 * b0, a0 * b1, a1 * b0);
    let middle = (low >> 64) + low_u64(cross) as u128 + low_u64(other) as u128;
    let high = a1 * b1 + (cross >> 64) + (other >> 64) + (middle >> 64);
    (high, (middle << 64) | low_u64(low) as u128)
}

/// Below this many limbs the method of the schoolroom is the faster one.
const KARATSUBA: usize = 32;

/// `out += a * b`, where `out` is long enough for the sum.
fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if short.len() < KARATSUBA {
        for (i, &limb) in short.iter().enumerate() {
            add_product(&mut out[i..], long, limb);
        }
    } else {
        // Only squares are so long, which is where Karatsuba's identity is good.
        karatsuba(out, long, short);
    }
}

/// `(a1 B + a0)(b1 B + b0) = a1 b1 B² + ((a1 + a0)(b1 + b0) - a1 b1 - a0 b0) B + a0 b0`: three
/// products of half the length instead of four, so that a megabyte takes no hour.
fn karatsuba(out: &mut [u64], a: &[u64], b: &[u64]) {
    let half = a.len().div_ceil(2);
    let (a0, a1) = a.split_at(half);
    let (b0, b1) = b.split_at(half.min(b.len()));
    let of = |x: &[u64], y: &[u64]| {
        let mut limbs = vec![0; x.len() + y.len()];
        multiply(&mut limbs, x, y);
        limbs
    };
    let sum = |low: &[u64], high: &[u64]| {
        let mut limbs = low.to_vec();
        limbs.push(0);
        add(&mut limbs, high);
        limbs
    };
    let (low, high) = (of(a0, b0), of(a1, b1));
    let mut middle = of(&sum(a0, a1), &sum(b0, b1));
    subtract(&mut middle, &low);
    subtract(&mut middle, &high);
    add(out, &low);
    add(&mut out[half..], &middle);
    add(&mut out[2 * half..], &high);
}

/// `out += a * limb`.
fn add_product(out: &mut [u64], a: &[u64], limb: u64) {
    let mut carry = 0;
    let (low, high) = out.split_at_mut(a.len());
    for (out, &a) in low.iter_mut().zip(a) {
        let wide = u128::from(a) * u128::from(limb) + u128::from(*out) + u128::from(carry);
        *out = low_u64(wide);
        carry = low_u64(wide >> 64);
    }
    add(high, &[carry]);
}

/// `out += a`, where the sum fits, and what `a` has beyond `out` is 0.
fn add(out: &mut [u64], a: &[u64]) {
    let mut carry = false;
    for (i, out) in out.iter_mut().enumerate() {
        if i >= a.len() && !carry {
            return;
        }
        let (sum, first) = out.overflowing_add(a.get(i).copied().unwrap_or(0));
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *out = sum;
        carry = first | second;
    }
}

/// `out -= a`, where `a` is no larger.
fn subtract(out: &mut [u64], a: &[u64]) {
    let mut borrow = false;
    for (i, out) in out.iter_mut().enumerate() {
        if i >= a.len() && !borrow {
            return;
        }
        let (rest, first) = out.overflowing_sub(a.get(i).copied().unwrap_or(0));
        let (rest, second) = rest.overflowing_sub(u64::from(borrow));
        *out = rest;
        borrow = first | second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_128_bits() {
        let (max, top) = (u128::MAX, 1 << 127);
        let rows = [
            (0, max, (0, 0)),
            (1, max, (0, max)),
            (max, max, (max - 1, 1)),
            (top, 2, (1, 0)),
            (top, top, (1 << 126, 0)),
            (top, max, (top - 1, top)),
            // (2^64 + 1)^2 = 2^128 + 2^65 + 1
            ((1 << 64) + 1, (1 << 64) + 1, (1, (1 << 65) + 1)),
            // (2^64 - 1)^2 = 2^128 - 2^65 + 1
            (u64::MAX.into(), u64::MAX.into(), (0, max - (1 << 65) + 2)),
            // (2^64 + 3)(2^64 + 5) = 2^128 + 8 * 2^64 + 15
            ((1 << 64) + 3, (1 << 64) + 5, (1, (8 << 64) + 15)),
        ];
        for (a, b, want) in rows {
            assert_eq!(product(a, b), want, "{a:x} {b:x}");
            assert_eq!(product(b, a), want, "{b:x} {a:x}");
        }
    }

    #[test]
    fn carries_go_all_the_way() {
        let mut limbs = [u64::MAX, u64::MAX, 7, 9];
        add(&mut limbs, &[1]);
        assert_eq!(limbs, [0, 0, 8, 9]);
        subtract(&mut limbs, &[1]);
        assert_eq!(limbs, [u64::MAX, u64::MAX, 7, 9]);
        add(&mut limbs, &[1, 0, 0, 0, 0]);
        assert_eq!(limbs, [0, 0, 8, 9]);
    }

    /// (B^n - 1)^2 = B^2n - 2 B^n + 1, by either method.
    #[test]
    fn squares_of_all_ones() {
        for n in [1, 2, KARATSUBA - 1, KARATSUBA, KARATSUBA + 1, 3 * KARATSUBA, 200] {
            let ones = Natural(vec![u64::MAX; n]);
            let mut want = vec![0; 2 * n];
            want[0] = 1;
            want[n..].fill(u64::MAX);
            want[n] -= 1;
            assert_eq!(ones.times(&ones).0, want, "{n}");
        }
    }
}
