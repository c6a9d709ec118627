//! `+ - * /` and unary minus, each the exact result rounded once (feature `arith`).
//!
//! Exact sums, products and quotients are made of integers and go to the same rounding core as
//! everything else; there is no intermediate format that could round first.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::round::{Format, Overflow, QUIET, Scaled, Specials, Unpacked, low_u8, low_u16, signed};
use super::types::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16,
};

/// The result of an operation that has none.
const NAN: Unpacked = Unpacked::Nan { negative: false, payload: QUIET };

/// Room below the significand of a small float (11 bits at most): more than the 64 bits the core wants.
const ROOM: u32 = 100;

impl Unpacked {
    const fn negative(&self) -> bool {
        match self {
            Self::Nan { negative, .. } | Self::Infinite { negative } => *negative,
            Self::Finite(value) => value.negative,
        }
    }

    const fn negated(self) -> Self {
        match self {
            // Whatever its sign, it makes the one NaN.
            Self::Nan { .. } => self,
            Self::Infinite { negative } => Self::Infinite { negative: !negative },
            Self::Finite(value) => Self::Finite(Scaled { negative: !value.negative, ..value }),
        }
    }

    const fn is_zero(&self) -> bool {
        matches!(self, Self::Finite(Scaled { significand: 0, .. }))
    }

    const fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nan { .. }, _) | (_, Self::Nan { .. }) => NAN,
            (Self::Infinite { negative: a }, Self::Infinite { negative: b }) if a != b => NAN,
            (Self::Infinite { .. }, _) => self,
            (_, Self::Infinite { .. }) => other,
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(sum(a, b)),
        }
    }

    const fn times(self, other: Self) -> Self {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Self::Nan { .. }, _) | (_, Self::Nan { .. }) => NAN,
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(Scaled {
                negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
                sticky: false,
            }),
            _ if self.is_zero() || other.is_zero() => NAN,
            _ => Self::Infinite { negative },
        }
    }

    const fn over(self, other: Self) -> Self {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Self::Nan { .. }, _) | (_, Self::Nan { .. }) => NAN,
            (Self::Infinite { .. }, Self::Infinite { .. }) => NAN,
            (Self::Infinite { .. }, _) => Self::Infinite { negative },
            (Self::Finite(a), Self::Infinite { .. }) => {
                Self::Finite(Scaled { negative, significand: 0, ..a })
            }
            (Self::Finite(_), Self::Finite(_)) if other.is_zero() => {
                if self.is_zero() {
                    NAN
                } else {
                    Self::Infinite { negative }
                }
            }
            (Self::Finite(a), Self::Finite(b)) => {
                let (dividend, divisor) = ((a.significand as u128) << ROOM, b.significand as u128);
                let exponent = a.exponent - b.exponent - signed(ROOM);
                let sticky = dividend % divisor != 0;
                Self::Finite(Scaled::from_u128(negative, dividend / divisor, exponent, sticky))
            }
        }
    }
}

/// The exact sum, or 64 bits of it and a sticky bit where one term is far below the other.
const fn sum(a: Scaled, b: Scaled) -> Scaled {
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let apart = (high.exponent - low.exponent).unsigned_abs();
    let exponent = high.exponent - signed(ROOM);
    let larger = (high.significand as u128) << ROOM;
    let aligned = (low.significand as u128) << ROOM;
    let (smaller, lost) = if apart < 128 {
        (aligned >> apart, aligned >> apart << apart != aligned)
    } else {
        (0, low.significand != 0)
    };
    if a.negative == b.negative {
        return Scaled::from_u128(a.negative, larger + smaller, exponent, lost);
    }
    // What was lost is taken from the difference, which leaves the next number below and a bit more.
    let smaller = smaller + lost as u128;
    match (larger == smaller, larger > smaller) {
        (true, _) => Scaled { negative: false, significand: 0, ..high },
        (_, true) => Scaled::from_u128(high.negative, larger - smaller, exponent, lost),
        (_, false) => Scaled::from_u128(low.negative, smaller - larger, exponent, lost),
    }
}

/// The operators of each format.
macro_rules! arithmetic {
    ($($name:ident $low:ident),*) => { $(
        arithmetic! { @ $name $low Add add AddAssign add_assign, |a, b| a.plus(b), "sum" }
        arithmetic! { @ $name $low Sub sub SubAssign sub_assign, |a, b| a.plus(b.negated()), "difference" }
        arithmetic! { @ $name $low Mul mul MulAssign mul_assign, |a, b| a.times(b), "product" }
        arithmetic! { @ $name $low Div div DivAssign div_assign, |a, b| a.over(b), "quotient" }

        impl Neg for $name {
            type Output = Self;

            /// The same magnitude with the other sign; unchanged where the format has no such code.
            fn neg(self) -> Self {
                let format = Format::$name;
                let code = u64::from(self.to_bits());
                let unsigned = matches!(format.specials, Specials::MinusZero)
                    && code & !format.sign() == 0;
                Self::from_bits($low(if unsigned { code } else { code ^ format.sign() }))
            }
        }
    )* };
    (@ $name:ident $low:ident $op:ident $method:ident $assign:ident $assign_method:ident,
        |$a:ident, $b:ident| $result:expr, $what:literal) => {
        impl $op for $name {
            type Output = Self;

            #[doc = concat!("The exact ", $what, ", rounded once to nearest even; past the largest value as")]
            /// [`Overflow::Ieee`] has it. Where there is no result it is NaN, or in a format without NaN
            /// the largest value.
            fn $method(self, other: Self) -> Self {
                let format = Format::$name;
                let ($a, $b) =
                    (format.unpack(self.to_bits().into()), format.unpack(other.to_bits().into()));
                Self::from_bits($low(format.pack($result, Overflow::Ieee).code))
            }
        }

        impl $assign for $name {
            fn $assign_method(&mut self, other: Self) {
                *self = $op::$method(*self, other);
            }
        }
    };
}

arithmetic! {
    F16 low_u16, BF16 low_u16, F8E4M3FN low_u8, F8E5M2 low_u8, F8E4M3FNUZ low_u8,
    F8E5M2FNUZ low_u8, F6E2M3FN low_u8, F6E3M2FN low_u8, F4E2M1FN low_u8
}
