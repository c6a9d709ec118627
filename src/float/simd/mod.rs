//! Loops over slices: in the compiler's vectors, or with feature `simd` in the widest of the processor.
//!
//! A conversion is one [`Step`] for one value. All there is to speed is to run the step where more instructions may be
//! used, and to put one instruction in the place of many for a [`Block`] of values that it does right.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::ladder::is_exact_f32;
use super::round::{Overflow, low_u16};
use super::small::SmallFloat;

#[cfg(all(feature = "simd", target_arch = "x86_64"))]
#[path = "x86_64.rs"]
mod wide;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
pub(super) use wide::Block;

/// What is done to each value of a slice.
pub(super) trait Step: Copy {
    type From: Copy;
    type To: Copy;

    fn step(self, value: Self::From) -> Self::To;
}

/// Without special instructions a block is as good as its steps.
#[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
pub(super) trait Block: Step {}

#[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
impl<S: Step> Block for S {}

/// `A` to the nearest `T`.
pub(super) struct Narrow<A, T> {
    beyond: u64,
    types: PhantomData<fn(A) -> T>,
}

/// `T` to `B`, which has all its values.
pub(super) struct Widen<T, B>(PhantomData<fn(T) -> B>);

/// Whether a bit pattern of `A` survives in `T`.
pub(super) struct Exact<A, T>(PhantomData<fn(A) -> T>);

/// Whether a binary64 survives in binary32.
#[derive(Clone, Copy)]
pub(super) struct ExactF32;

impl<A, T: SmallFloat> Narrow<A, T> {
    pub(super) fn new(overflow: Overflow) -> Self {
        Self { beyond: T::FORMAT.beyond(false, overflow), types: PhantomData }
    }
}

impl<T, B> Widen<T, B> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<A, T> Exact<A, T> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

// Derived, they would ask the same of the types in them.
impl<A, T> Copy for Narrow<A, T> {}
impl<T, B> Copy for Widen<T, B> {}
impl<A, T> Copy for Exact<A, T> {}

impl<A, T> Clone for Narrow<A, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, B> Clone for Widen<T, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, T> Clone for Exact<A, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: SmallFloat> Step for Narrow<f32, T> {
    type From = f32;
    type To = T;

    #[inline(always)]
    fn step(self, value: f32) -> T {
        T::from_code(T::FORMAT.round_f32_of_many(value.to_bits(), self.beyond))
    }
}

impl<T: SmallFloat> Step for Narrow<f64, T> {
    type From = f64;
    type To = T;

    #[inline(always)]
    fn step(self, value: f64) -> T {
        T::from_code(T::FORMAT.round_f64_of_many(value.to_bits(), self.beyond))
    }
}

impl<T: SmallFloat> Step for Widen<T, f32> {
    type From = T;
    type To = f32;

    #[inline(always)]
    fn step(self, value: T) -> f32 {
        f32::from_bits(single(value))
    }
}

impl<T: SmallFloat> Step for Widen<T, f64> {
    type From = T;
    type To = f64;

    #[inline(always)]
    fn step(self, value: T) -> f64 {
        f64::from_bits(T::FORMAT.single_to_f64(single(value)))
    }
}

impl<T: SmallFloat> Step for Exact<f32, T> {
    type From = f32;
    type To = bool;

    #[inline(always)]
    fn step(self, value: f32) -> bool {
        let code =
            T::FORMAT.round_f32_of_many(value.to_bits(), T::FORMAT.beyond(false, Overflow::Ieee));
        T::FORMAT.wide_to_f32(low_u16(code)) == value.to_bits()
    }
}

impl<T: SmallFloat> Step for Exact<f64, T> {
    type From = f64;
    type To = bool;

    #[inline(always)]
    fn step(self, value: f64) -> bool {
        if by_table::<T>() {
            let code = T::FORMAT.round_f64(value.to_bits(), Overflow::Ieee);
            return T::FORMAT.single_to_f64(single(T::from_code(code))) == value.to_bits();
        }
        T::FORMAT.has_f64(value.to_bits())
    }
}

impl Step for ExactF32 {
    type From = f64;
    type To = bool;

    #[inline(always)]
    fn step(self, value: f64) -> bool {
        is_exact_f32(value.to_bits())
    }
}

/// Whether the values of a short format are looked up, which is faster without the wider vectors.
const fn by_table<T: SmallFloat>() -> bool {
    T::BITS <= 8 && !cfg!(all(feature = "simd", target_arch = "x86_64"))
}

/// A value as the bits of a binary32.
#[inline(always)]
fn single<T: SmallFloat>(value: T) -> u32 {
    let code = low_u16(value.code());
    if by_table::<T>() { T::WIDE[usize::from(code) & 0xff] } else { T::FORMAT.wide_to_f32(code) }
}

/// Each in turn.
pub(super) fn collect<S: Block>(step: S, from: &[S::From]) -> Vec<S::To> {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(to) = wide::collect(step, from) {
        return to;
    }
    from.iter().map(|&value| step.step(value)).collect()
}

/// [`collect`] into a slice of the same length.
pub(super) fn convert<S: Block>(step: S, from: &[S::From], to: &mut [S::To]) {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if wide::convert(step, from, to) {
        return;
    }
    for (to, &from) in to.iter_mut().zip(from) {
        *to = step.step(from);
    }
}

/// Whether all pass. There is no early exit inside a piece, so that it is vectorised, but one between them.
pub(super) fn all<S: Block<To = bool>>(step: S, from: &[S::From]) -> bool {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(all) = wide::all(step, from) {
        return all;
    }
    from.chunks(256).all(|piece| piece.iter().fold(true, |all, &value| all & step.step(value)))
}
