//! Numbers of every form, exact until the one rounding that the target asks for.

use super::Deserializer;
use crate::error::{Error, Result};
use crate::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
    Integer, Number, SmallFloat,
};
use crate::head::{Head, Major};
use crate::input::Input;
use crate::scan::{Frame, widen};
use crate::small::small_floats;
use crate::walk;
use alloc::format;
use alloc::vec::Vec;
use serde_core::de::{Expected, Visitor};

impl<'de, I: Input<'de>> Deserializer<I> {
    /// The next item, which has to be an integer.
    #[inline(never)]
    pub(super) fn wanted_integer(&mut self, expected: &dyn Expected) -> Result<(u64, Whole)> {
        self.untag_numbers()?;
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Unsigned | Major::Negative => Ok((at, Whole::of(head))),
            Major::Tag if matches!(head.argument, 2 | 3) => {
                let next = self.scan.input.peek()?;
                if next.is_some_and(|first| first >> 5 == Major::Bytes as u8) {
                    return Ok((at, self.bignum(head, at)?));
                }
                Err(self.mismatch(head, at, expected))
            }
            _ => Err(self.mismatch(head, at, expected)),
        }
    }

    fn bignum(&mut self, tag: Head, at: u64) -> Result<Whole> {
        let from = self.scan.offset();
        let head = self.scan.head()?;
        let magnitude = self.string_bytes(head, from)?;
        let zeros = magnitude.iter().take_while(|&&byte| byte == 0).count();
        let significant = &magnitude[zeros..];
        if significant.len() <= 16 {
            let value = significant.iter().fold(0_u128, |n, &byte| n << 8 | u128::from(byte));
            match (tag.argument == 3, u64::try_from(value), i128::try_from(value)) {
                (false, Ok(value), _) => return Ok(Whole::Unsigned(value)),
                (false, ..) => return Ok(Whole::WideUnsigned(value)),
                (true, Ok(value), _) => return Ok(Whole::Negative(value)),
                (true, _, Ok(value)) => return Ok(Whole::WideNegative(!value)),
                _ => {}
            }
        }
        Err(Error::data(format!("bignum of {} bytes fits no integer type", significant.len()))
            .or_at(at))
    }

    /// Reads an exact number, of whatever form, and hands it on; none for what is no number. The head was read.
    pub(super) fn number<R>(
        &mut self,
        head: Head,
        at: u64,
        use_number: impl FnOnce(&Number<'_>) -> R,
    ) -> Result<Option<R>> {
        let (mut use_number, mut result) = (Some(use_number), None);
        self.find_number(head, at, &mut |number| {
            result = use_number.take().map(|use_number| use_number(number));
        })?;
        Ok(result)
    }

    /// The same, compiled once.
    #[inline(never)]
    fn find_number(
        &mut self,
        head: Head,
        at: u64,
        use_number: &mut dyn FnMut(&Number<'_>),
    ) -> Result<()> {
        let whole = |integer| Number::binary(integer, 0);
        match (head.major(), head.info(), head.argument) {
            (Major::Unsigned, _, n) => use_number(&whole(Integer::new(false, n.into()))),
            (Major::Negative, _, n) => use_number(&whole(Integer::new(true, u128::from(n) + 1))),
            (Major::Simple, 25..=27, _) => use_number(&Number::from_f64_bits(widen(head))),
            (Major::Tag, _, tag @ 2..=5) => {
                return self.tagged_number(tag, at, use_number);
            }
            _ => {}
        }
        Ok(())
    }

    fn tagged_number(
        &mut self,
        tag: u64,
        at: u64,
        use_number: &mut dyn FnMut(&Number<'_>),
    ) -> Result<()> {
        self.scan.enter(at)?;
        walk::tag_content(&mut self.scan, tag, at)?;
        if tag < 4 {
            let magnitude = self.tag_bytes(tag, at)?;
            use_number(&Number::binary(big_integer(tag, &magnitude), 0));
        } else {
            self.fraction(tag, at, use_number)?;
        }
        self.scan.leave();
        Ok(())
    }

    /// The byte string of a bignum.
    pub(super) fn tag_bytes(&mut self, tag: u64, at: u64) -> Result<Vec<u8>> {
        let from = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() == Major::Bytes {
            return self.string_bytes(head, from);
        }
        Err(Error::data(format!("tag {tag} does not hold a byte string")).or_at(at))
    }

    /// Exponent and mantissa of a decimal fraction or a bigfloat (RFC 8949 §3.4.4).
    fn fraction(
        &mut self,
        tag: u64,
        at: u64,
        use_number: &mut dyn FnMut(&Number<'_>),
    ) -> Result<()> {
        let wrong =
            || Error::data(format!("tag {tag} does not hold an exponent and a mantissa")).or_at(at);
        let from = self.scan.offset();
        let head = self.scan.head()?;
        if head.major() != Major::Array {
            return Err(wrong());
        }
        self.scan.enter(from)?;
        let mut frame = Frame::new(head);
        if !frame.more(&mut self.scan)? {
            return Err(wrong());
        }
        let head = self.scan.head()?;
        let exponent = match head.major() {
            Major::Unsigned => i128::from(head.argument),
            Major::Negative => !i128::from(head.argument),
            _ => return Err(wrong()),
        };
        if !frame.more(&mut self.scan)? {
            return Err(wrong());
        }
        let mantissa_at = self.scan.offset();
        let head = self.scan.head()?;
        let magnitude;
        let mantissa = match (head.major(), head.argument) {
            (Major::Unsigned, n) => Integer::new(false, n.into()),
            (Major::Negative, n) => Integer::new(true, u128::from(n) + 1),
            (Major::Tag, tag @ (2 | 3)) => {
                magnitude = self.tag_bytes(tag, mantissa_at)?;
                big_integer(tag, &magnitude)
            }
            _ => return Err(wrong()),
        };
        if frame.more(&mut self.scan)? {
            return Err(wrong());
        }
        self.scan.leave();
        use_number(&match tag {
            4 => Number::decimal(mantissa, exponent),
            _ => Number::binary(mantissa, exponent),
        });
        Ok(())
    }
}

pub(super) const fn big_integer(tag: u64, magnitude: &[u8]) -> Integer<'_> {
    if tag == 3 {
        Integer::minus_one_minus(magnitude)
    } else {
        Integer::from_be_bytes(false, magnitude)
    }
}

/// An integer as it was found.
pub(super) enum Whole {
    Unsigned(u64),
    /// -1 minus this.
    Negative(u64),
    WideUnsigned(u128),
    WideNegative(i128),
}

impl Whole {
    #[inline(always)]
    pub(super) fn of(head: Head) -> Self {
        if head.major() == Major::Negative {
            Whole::Negative(head.argument)
        } else {
            Whole::Unsigned(head.argument)
        }
    }

    #[inline(always)]
    pub(super) fn visit<'de, V: Visitor<'de>>(self, at: u64, visitor: V) -> Result<V::Value> {
        match self {
            Whole::Unsigned(value) => visitor.visit_u64(value),
            Whole::Negative(argument) => match i64::try_from(argument) {
                Ok(argument) => visitor.visit_i64(!argument),
                Err(_) => visitor.visit_i128(!i128::from(argument)),
            },
            Whole::WideUnsigned(value) => visitor.visit_u128(value),
            Whole::WideNegative(value) => visitor.visit_i128(value),
        }
        .map_err(|e: Error| e.or_at(at))
    }
}

#[cold]
#[inline(never)]
pub(super) fn inexact(at: u64, target: &str) -> Error {
    Error::data(format!("number is not exactly representable as {target}")).or_at(at)
}

macro_rules! by_name {
    ($( $ty:ident $name:literal )*) => {
        /// Reads the next number with one rounding into the format of this private name and gives its value;
        /// none for a name that is no format's.
        #[inline]
        pub(super) fn round<'de, I: Input<'de>>(
            deserializer: &mut Deserializer<I>,
            name: &str,
            expected: &dyn Expected,
        ) -> Option<Result<f64>> {
            match name {
                $( $name => Some(deserializer.small::<$ty>(expected).map(SmallFloat::to_f64)), )*
                _ => None,
            }
        }
    };
}

small_floats!(by_name);
