//! Arrays that are being written, and the pairs that tags are.

use super::{Serializer, unfinished, wrong_length};
use crate::error::{Error, Result};
use crate::head::Major;
use serde_core::ser::{self, Serialize};

/// An array that is being written.
#[derive(Debug)]
pub struct Seq<'a> {
    pub(super) ser: &'a mut Serializer,
    pub(super) at: usize,
    /// How many elements were announced.
    pub(super) len: Option<usize>,
    pub(super) count: usize,
    /// The array is the content of an enum variant.
    pub(super) wrapped: bool,
}

impl Seq<'_> {
    #[inline(always)]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(&mut *self.ser) {
            Ok(()) => {
                self.count += 1;
                Ok(())
            }
            Err(error) => {
                self.ser.failed = true;
                Err(error)
            }
        }
    }

    #[inline(always)]
    fn close(self) -> Result<()> {
        if self.ser.failed {
            return Err(unfinished());
        }
        match self.len {
            Some(len) if len == self.count => {}
            Some(len) => return Err(wrong_length("sequence", len, self.count)),
            None => self.ser.set_head(self.at, Major::Array, self.count as u64),
        }
        self.ser.leave();
        if self.wrapped {
            self.ser.leave();
        }
        Ok(())
    }
}

macro_rules! sequences {
    ($( $name:ident $method:ident ),*) => { $(
        impl ser::$name for Seq<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )* };
}

sequences! {
    SerializeSeq serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}

/// An array of fixed length, or the pair that a tag is.
#[derive(Debug)]
pub enum Tuple<'a> {
    /// An array.
    Array(Seq<'a>),
    /// A tag number, then its content.
    Tagged(Tag<'a>),
}

/// A tag that is being written: first the number, then the content.
#[derive(Debug)]
pub struct Tag<'a> {
    pub(super) ser: &'a mut Serializer,
    pub(super) at: usize,
    pub(super) content: usize,
    pub(super) count: usize,
}

impl ser::SerializeTuple for Tuple<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self {
            Tuple::Array(seq) => seq.element(value),
            Tuple::Tagged(tag) => tag.element(value),
        }
    }

    #[inline]
    fn end(self) -> Result<()> {
        match self {
            Tuple::Array(seq) => seq.close(),
            Tuple::Tagged(tag) if tag.count == 2 && !tag.ser.failed => {
                tag.ser.end_tag(tag.at, tag.content)
            }
            Tuple::Tagged(_) => Err(unfinished()),
        }
    }
}

impl Tag<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if let Err(error) = value.serialize(&mut *self.ser) {
            self.ser.failed = true;
            return Err(error);
        }
        if self.count == 0 {
            match self.ser.out.get_mut(self.at) {
                // An unsigned integer's head and a tag's differ in the major type only.
                Some(first) if *first >> 5 == Major::Unsigned as u8 => {
                    *first |= (Major::Tag as u8) << 5;
                }
                _ => return Err(Error::data("tag number is not an unsigned integer")),
            }
            self.content = self.ser.out.len();
        }
        self.count += 1;
        Ok(())
    }
}
