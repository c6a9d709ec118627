//! An exact oracle, slow and plain: each format's values as integers, and the nearest found by search.

use calibor::float::{Overflow, SmallFloat};
use num_bigint::{BigInt, BigUint};

/// Every value and every midpoint of two is an integer multiple of 2^-UNIT.
const UNIT: i64 = 150;

/// A format, described here a second time, from the standards and not from the crate.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) bits: u32,
    exponent: u32,
    significand: u32,
    bias: i64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The largest exponent is for infinities and NaN.
    Ieee,
    /// S.1111.111 is NaN.
    Fn,
    /// 1.0000.000 is NaN.
    Fnuz,
    /// Numbers only.
    Finite,
}

const SPECS: [Spec; 9] = {
    const fn spec(
        name: &'static str,
        exponent: u32,
        significand: u32,
        bias: i64,
        kind: Kind,
    ) -> Spec {
        Spec { name, bits: 1 + exponent + significand, exponent, significand, bias, kind }
    }
    [
        spec("f16", 5, 10, 15, Kind::Ieee),
        spec("bf16", 8, 7, 127, Kind::Ieee),
        spec("f8e4m3fn", 4, 3, 7, Kind::Fn),
        spec("f8e5m2", 5, 2, 15, Kind::Ieee),
        spec("f8e4m3fnuz", 4, 3, 8, Kind::Fnuz),
        spec("f8e5m2fnuz", 5, 2, 16, Kind::Fnuz),
        spec("f6e2m3fn", 2, 3, 1, Kind::Finite),
        spec("f6e3m2fn", 3, 2, 3, Kind::Finite),
        spec("f4e2m1fn", 2, 1, 1, Kind::Finite),
    ]
};

/// An exact number, `numerator / denominator`.
#[derive(Clone, Debug)]
pub(super) struct Rational(pub(super) BigInt, pub(super) BigUint);

impl Rational {
    pub(super) fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let field = (bits >> 52) & 0x7ff;
        let significand = bits & ((1 << 52) - 1) | u64::from(field != 0) << 52;
        let numerator = BigInt::from(significand) << field.max(1);
        let signed = if value.is_sign_negative() { -numerator } else { numerator };
        Self(signed, BigUint::from(1_u8) << 1075_u32)
    }
}

impl Spec {
    pub(super) fn of<T: SmallFloat>() -> &'static Self {
        SPECS.iter().find(|spec| spec.name == T::NAME).expect("every signed format has a row")
    }

    fn sign(&self) -> u16 {
        1 << (self.bits - 1)
    }

    /// The magnitude code of the largest number.
    pub(super) fn max(&self) -> u16 {
        match self.kind {
            Kind::Ieee => (((1 << self.exponent) - 1) << self.significand) - 1,
            Kind::Fn => self.sign() - 2,
            Kind::Fnuz | Kind::Finite => self.sign() - 1,
        }
    }

    /// The code of infinity.
    pub(super) fn infinity(&self) -> Option<u16> {
        (self.kind == Kind::Ieee).then(|| self.max() + 1)
    }

    pub(super) fn is_nan(&self, code: u16) -> bool {
        let magnitude = code & (self.sign() - 1);
        match self.kind {
            Kind::Ieee => magnitude > self.max() + 1,
            Kind::Fn => magnitude > self.max(),
            Kind::Fnuz => code == self.sign(),
            Kind::Finite => false,
        }
    }

    /// A magnitude code, as if the numbers went on past the largest, in units of 2^-UNIT.
    fn units(&self, magnitude: u16) -> BigInt {
        let field = i64::from(magnitude >> self.significand);
        let stored = i64::from(magnitude & ((1 << self.significand) - 1));
        let significand = if field == 0 { stored } else { stored + (1 << self.significand) };
        let exponent = field.max(1) - self.bias - i64::from(self.significand);
        BigInt::from(significand) << (exponent + UNIT)
    }

    /// The value of a finite code as binary64 (all of them are), with plain arithmetic.
    pub(super) fn value(&self, code: u16) -> f64 {
        let magnitude = code & (self.sign() - 1);
        let field = i32::from(magnitude >> self.significand);
        let stored = f64::from(magnitude & ((1 << self.significand) - 1));
        let step = 2.0_f64.powi(-(self.significand as i32));
        let bias = self.bias as i32;
        let value = if field == 0 {
            stored * step * 2.0_f64.powi(1 - bias)
        } else {
            (1.0 + stored * step) * 2.0_f64.powi(field - bias)
        };
        if code & self.sign() == 0 { value } else { -value }
    }

    /// The nearest code, ties to even, by bisection over all codes; `None` past the largest number.
    pub(super) fn nearest(&self, magnitude: &BigUint, denominator: &BigUint) -> Option<u16> {
        let twice = BigInt::from(magnitude.clone()) << (UNIT + 1);
        let denominator = BigInt::from(denominator.clone());
        let reaches = |code: u16| {
            let midpoint = (self.units(code - 1) + self.units(code)) * &denominator;
            if code & 1 == 0 { twice >= midpoint } else { twice > midpoint }
        };
        let (mut low, mut high) = (0, self.max() + 2);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if reaches(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low <= self.max()).then_some(low)
    }

    /// The code that a rational number, negative zero apart, must become.
    pub(super) fn round(&self, number: &Rational, negative: bool, overflow: Overflow) -> u16 {
        match self.nearest(number.0.magnitude(), &number.1) {
            Some(code) => self.signed(code, negative),
            None => self.beyond(negative, overflow),
        }
    }

    /// A magnitude code under a sign, which zero does not have in every format.
    pub(super) fn signed(&self, magnitude: u16, negative: bool) -> u16 {
        if !negative || (magnitude == 0 && self.kind == Kind::Fnuz) {
            return magnitude;
        }
        self.sign() | magnitude
    }

    /// The code for what is past the largest number.
    pub(super) fn beyond(&self, negative: bool, overflow: Overflow) -> u16 {
        let sign = if negative { self.sign() } else { 0 };
        match (overflow, self.kind) {
            (Overflow::Saturate, _) | (_, Kind::Finite) => sign | self.max(),
            (Overflow::Ieee, Kind::Ieee | Kind::Fn) => sign | (self.max() + 1),
            (Overflow::Ieee, Kind::Fnuz) => self.sign(),
        }
    }
}
