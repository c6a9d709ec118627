//! The least and the greatest element of a tensor, and its NaNs, a mebibyte at a time.

use crate::array::{ByteOrder, DType, Elements, Scalar, Tensor};
use crate::error::{Error, Result, Rule};
use alloc::vec;
use core::fmt;
use std::io::Read;

/// The least or the greatest element.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Extreme {
    /// Of integers, and of bool, whose bytes they are.
    Integer(i128),
    /// Of floats; all of them are exact here.
    Float(f64),
}

impl fmt::Display for Extreme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extreme::Integer(value) => fmt::Display::fmt(value, f),
            Extreme::Float(value) => fmt::Display::fmt(value, f),
        }
    }
}

/// What the elements of a tensor are like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// The least element that is no NaN; none where there is no such element, or it is complex.
    pub min: Option<Extreme>,
    /// The greatest element that is no NaN.
    pub max: Option<Extreme>,
    /// How many elements are NaN; of complex ones, those that have a NaN in either part.
    pub nans: u64,
}

impl Summary {
    fn add(&mut self, value: Extreme) {
        if self.min.is_none_or(|min| value < min) {
            self.min = Some(value);
        }
        if self.max.is_none_or(|max| value > max) {
            self.max = Some(value);
        }
    }

    /// The extremes of a piece are found in the type they have, so that the loop is no chain of branches.
    fn floats(&mut self, values: impl Iterator<Item = f64>) {
        let (mut min, mut max, mut count, mut nans) = (f64::INFINITY, f64::NEG_INFINITY, 0, 0);
        for value in values {
            nans += u64::from(value.is_nan());
            count += 1;
            min = if value < min { value } else { min };
            max = if value > max { value } else { max };
        }
        self.nans += nans;
        if count > nans {
            self.add(Extreme::Float(min));
            self.add(Extreme::Float(max));
        }
    }

    fn integers<T: Scalar + Ord + Into<i128>>(&mut self, piece: &[u8]) {
        let values = Elements::<T>::new(piece, ByteOrder::Little).unwrap_or(Elements::EMPTY);
        if let Some((min, max)) =
            values.iter().zip(values).reduce(|(a, b), (x, y)| (a.min(x), b.max(y)))
        {
            self.add(Extreme::Integer(min.into()));
            self.add(Extreme::Integer(max.into()));
        }
    }

    fn piece(&mut self, dtype: DType, piece: &[u8]) -> Result<()> {
        match dtype {
            DType::Bool | DType::U8 => self.integers::<u8>(piece),
            DType::I8 => self.integers::<i8>(piece),
            DType::I16 => self.integers::<i16>(piece),
            DType::U16 => self.integers::<u16>(piece),
            DType::I32 => self.integers::<i32>(piece),
            DType::U32 => self.integers::<u32>(piece),
            DType::I64 => self.integers::<i64>(piece),
            DType::U64 => self.integers::<u64>(piece),
            DType::F64 => {
                let values = Elements::<f64>::new(piece, ByteOrder::Little);
                self.floats(values.unwrap_or(Elements::EMPTY).iter());
            }
            DType::C64 => {
                let values = Elements::<[f32; 2]>::new(piece, ByteOrder::Little);
                let nan = |[re, im]: &[f32; 2]| re.is_nan() || im.is_nan();
                let nans = values.unwrap_or(Elements::EMPTY).iter().filter(nan).count();
                self.nans += nans as u64;
            }
            _ => {
                // A piece is a whole number of elements of every type.
                let count = piece.len() as u64 * 8 / dtype.bits();
                let values = Tensor::new(dtype, [count], piece)?.to_f32()?;
                self.floats(values.into_iter().map(f64::from));
            }
        }
        Ok(())
    }
}

pub(super) fn of(dtype: DType, reader: &mut impl Read, len: u64) -> Result<Summary> {
    let mut summary = Summary::default();
    each_piece(reader, len, |piece| summary.piece(dtype, piece))?;
    Ok(summary)
}

/// A whole number of elements of every width, 6 bits among them.
const PIECE: usize = 3 << 18;

/// Reads so many bytes, a piece at a time.
pub(super) fn each_piece(
    reader: &mut impl Read,
    len: u64,
    mut with: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut buffer = vec![0; usize::try_from(len).unwrap_or(PIECE).min(PIECE)];
    let mut left = len;
    while left > 0 {
        let want = usize::try_from(left).unwrap_or(PIECE).min(buffer.len());
        let piece = &mut buffer[..want];
        reader.read_exact(piece).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::syntax(Rule::Truncated, len - left, "a tensor ended before its last byte")
            }
            _ => Error::io(error),
        })?;
        with(piece)?;
        left -= want as u64;
    }
    Ok(())
}
