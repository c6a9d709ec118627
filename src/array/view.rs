//! Bytes seen as elements.

use super::element::{self, ByteOrder, Scalar};
use crate::float::{SmallFloat, slice};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice::ChunksExact;

/// Elements that are read from bytes when they are asked for: no copy, no alignment, any byte order.
///
/// ```
/// use calibor::array::{ByteOrder, Elements};
/// use calibor::float::F16;
///
/// let halves = Elements::<F16>::new(b"\x3c\x00\xc1\x00", ByteOrder::Big).ok_or("odd")?;
/// assert_eq!(halves.len(), 2);
/// assert_eq!(halves.get(1), Some(F16::from_f32(-2.5)));
/// assert_eq!(halves.to_vec(), [F16::from_f32(1.0), F16::from_f32(-2.5)]);
/// # Ok::<(), &str>(())
/// ```
pub struct Elements<'a, T> {
    bytes: &'a [u8],
    order: ByteOrder,
    element: PhantomData<T>,
}

impl<T> Clone for Elements<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Elements<'_, T> {}

impl<'a, T: Scalar> Elements<'a, T> {
    pub(super) const EMPTY: Self =
        Elements { bytes: &[], order: ByteOrder::NATIVE, element: PhantomData };

    /// Looks at bytes as elements; none where they are no whole number of them.
    #[must_use]
    pub fn new(bytes: &'a [u8], order: ByteOrder) -> Option<Self> {
        (bytes.len() % T::SIZE == 0).then_some(Elements { bytes, order, element: PhantomData })
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.bytes.len() / T::SIZE
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The order of the bytes of each element.
    #[must_use]
    pub fn order(self) -> ByteOrder {
        self.order
    }

    /// One element.
    #[must_use]
    pub fn get(self, index: usize) -> Option<T> {
        let from = index.checked_mul(T::SIZE)?;
        let bytes = self.bytes.get(from..from.checked_add(T::SIZE)?)?;
        Some(element::read(bytes, self.order))
    }

    /// The elements one by one.
    #[must_use]
    pub fn iter(self) -> Iter<'a, T> {
        Iter { chunks: self.bytes.chunks_exact(T::SIZE), order: self.order, element: PhantomData }
    }

    /// All elements, copied in one pass; the bits of a NaN are kept.
    #[must_use]
    pub fn to_vec(self) -> Vec<T> {
        element::decode(self.bytes, self.order)
    }

    /// The bytes as a slice of elements without a copy, where that can be had.
    ///
    /// Elements of one byte need nothing; `u8` always is one. Wider ones need the processor's byte order, bytes
    /// that happen to be aligned, and feature `bytemuck`, for the cast.
    ///
    /// ```
    /// use calibor::array::{ByteOrder, Elements};
    ///
    /// let bytes = Elements::<u8>::new(b"\x01\x02", ByteOrder::Little).ok_or("odd")?;
    /// assert_eq!(bytes.as_slice(), Some(&[1, 2][..]));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn as_slice(self) -> Option<&'a [T]> {
        element::view(self.bytes, self.order)
    }

    /// [`as_slice`](Self::as_slice) where that can be had, otherwise [`to_vec`](Self::to_vec).
    #[must_use]
    pub fn to_cow(self) -> Cow<'a, [T]> {
        match self.as_slice() {
            Some(elements) => Cow::Borrowed(elements),
            None => Cow::Owned(self.to_vec()),
        }
    }

    /// Each as a type that has all their values, in one pass.
    ///
    /// ```
    /// use calibor::array::{ByteOrder, Elements};
    ///
    /// let bytes = Elements::<i16>::new(b"\xff\xff\x01\x00", ByteOrder::Little).ok_or("odd")?;
    /// assert_eq!(bytes.widen::<f32>(), [-1.0, 1.0]);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn widen<B: From<T>>(self) -> Vec<B> {
        self.iter().map(B::from).collect()
    }
}

/// Elements that are converted twice at a time, so that what lies between stays in the nearest cache.
const BLOCK: usize = 4096;

impl<T: Scalar + SmallFloat> Elements<'_, T> {
    /// Each as binary32, exactly, at the speed of the bulk conversion.
    ///
    /// ```
    /// use calibor::array::{ByteOrder, Elements};
    /// use calibor::float::BF16;
    ///
    /// let brain = Elements::<BF16>::new(b"\x80\x3f", ByteOrder::Little).ok_or("odd")?;
    /// assert_eq!(brain.to_f32(), [1.0]);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn to_f32(self) -> Vec<f32> {
        if let Some(elements) = self.as_slice() {
            return slice::to_f32(elements);
        }
        let mut wide = alloc::vec![0.0; self.len()];
        let mut codes: Vec<T> = Vec::with_capacity(BLOCK.min(self.len()));
        let blocks = self.bytes.chunks(BLOCK * T::SIZE).zip(wide.chunks_mut(BLOCK));
        for (bytes, wide) in blocks {
            element::decode_into(bytes, self.order, &mut codes);
            // As many codes as there is room for: both are pieces of one length.
            let _ = slice::to_f32_into(&codes, wide);
        }
        wide
    }
}

impl<T: Scalar> PartialEq for Elements<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Scalar> fmt::Debug for Elements<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, T: Scalar> IntoIterator for Elements<'a, T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// Elements one by one: [`Elements::iter`].
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    chunks: ChunksExact<'a, u8>,
    order: ByteOrder,
    element: PhantomData<T>,
}

impl<T: Scalar> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.chunks.next().map(|bytes| element::read(bytes, self.order))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.chunks.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        self.chunks.nth(n).map(|bytes| element::read(bytes, self.order))
    }
}

impl<T: Scalar> DoubleEndedIterator for Iter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.chunks.next_back().map(|bytes| element::read(bytes, self.order))
    }
}

impl<T: Scalar> ExactSizeIterator for Iter<'_, T> {}
impl<T: Scalar> FusedIterator for Iter<'_, T> {}
