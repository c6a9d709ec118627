//! AVX2 and F16C, where the processor has both: the one file with unsafe code.
//!
//! Three things need it: calling what is compiled for more than the crate's target, the loads and stores of vectors,
//! and a vector of results that is filled before its length is set.
//!
//! The loops are the portable ones, with the same steps, compiled for 256 bits. Only for binary16 do blocks use
//! instructions of their own. Those round as they are told, and neither flush a subnormal nor take one for zero:
//! `VCVTPS2PH` with a rounding mode in it ignores that of MXCSR, and FTZ; what DAZ flushes of binary32 is below half of
//! the least binary16 anyway; `VCVTPH2PS` ignores DAZ. They do make signalling NaNs quiet and cut payloads, so a block with a
//! NaN in it is left to the steps.
#![allow(unsafe_code, reason = "fenced here; see above")]
#![allow(
    clippy::needless_bitwise_bool,
    reason = "a loop with an exit in its middle is no vector loop"
)]

use alloc::vec::Vec;
use core::arch::x86_64::{
    __m256, __m256i, _CMP_UNORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_blendv_epi8, _mm256_castps_si256, _mm256_cmp_ps,
    _mm256_cmpeq_epi32, _mm256_cmpgt_epi16, _mm256_cmpgt_epi32, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_max_epi32, _mm256_min_epi16, _mm256_min_epi32,
    _mm256_min_epu16, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_ps, _mm256_or_si256,
    _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_shuffle_ps, _mm256_slli_epi32, _mm256_storeu_ps,
    _mm256_storeu_si256, _mm256_sub_epi32,
};
use core::mem::MaybeUninit;

use super::super::round::{Format, Specials, low_u16, low_u32};
use super::super::small::SmallFloat;
use super::{Exact, ExactF32, Narrow, Step, Widen};

/// Values in a block: a multiple of 32, and so many that loops over them stay loops and use the widest vectors.
const N: usize = 128;

/// Whether the processor has both. The standard library looks once for each process.
fn detected() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("f16c")
}

/// A step that may have a faster way for blocks.
pub(in super::super) trait Block: Step {
    /// Whether there is one.
    const BLOCKS: bool = false;

    /// Writes what the steps would, all of it; after false the steps do it again.
    ///
    /// # Safety
    ///
    /// AVX2 and F16C are needed.
    #[inline(always)]
    unsafe fn block(self, _: &[Self::From; N], _: &mut [MaybeUninit<Self::To>; N]) -> bool {
        false
    }

    /// Whether all pass, as far as can be seen at a glance; after false the steps decide.
    ///
    /// # Safety
    ///
    /// AVX2 and F16C are needed.
    #[inline(always)]
    unsafe fn passes(self, _: &[Self::From; N]) -> bool {
        false
    }
}

/// Each in turn, or none if the processor is an older one.
pub(super) fn collect<S: Block>(step: S, from: &[S::From]) -> Option<Vec<S::To>> {
    if !detected() {
        return None;
    }
    let mut to = Vec::with_capacity(from.len());
    // SAFETY: the features are there; the capacity is at least the length, and `run` writes all of it.
    unsafe {
        run(step, from, &mut to.spare_capacity_mut()[..from.len()]);
        to.set_len(from.len());
    }
    Some(to)
}

/// Each in turn into the slice, or false if the processor is an older one.
pub(super) fn convert<S: Block>(step: S, from: &[S::From], to: &mut [S::To]) -> bool {
    let there = detected();
    if there {
        let to: *mut [S::To] = to;
        // SAFETY: `MaybeUninit` has the layout of what is in it, and `run` writes values only. The features are there.
        unsafe { run(step, from, &mut *(to as *mut [MaybeUninit<S::To>])) };
    }
    there
}

/// Whether all pass, or none if the processor is an older one.
pub(super) fn all<S: Block<To = bool>>(step: S, from: &[S::From]) -> Option<bool> {
    // SAFETY: the features are there.
    detected().then(|| unsafe { pass(step, from) })
}

/// Writes the result of each value of `from` to its place in `to`, as far as both go.
///
/// # Safety
///
/// AVX2 and F16C are needed.
#[target_feature(enable = "avx2,f16c")]
unsafe fn run<S: Block>(step: S, from: &[S::From], to: &mut [MaybeUninit<S::To>]) {
    let in_blocks = if S::BLOCKS { from.len().min(to.len()) / N * N } else { 0 };
    let (blocks, from) = from.split_at(in_blocks);
    let (rooms, to) = to.split_at_mut(in_blocks);
    for (block, room) in blocks.chunks_exact(N).zip(rooms.chunks_exact_mut(N)) {
        let (Some(block), Some(room)) = (block.first_chunk(), room.first_chunk_mut()) else {
            unreachable!("a chunk of N is one")
        };
        // SAFETY: the features are this function's.
        if !unsafe { step.block(block, room) } {
            for (to, &from) in room.iter_mut().zip(block) {
                to.write(step.step(from));
            }
        }
    }
    for (to, &from) in to.iter_mut().zip(from) {
        to.write(step.step(from));
    }
}

/// Whether all pass.
///
/// # Safety
///
/// AVX2 and F16C are needed.
#[target_feature(enable = "avx2,f16c")]
unsafe fn pass<S: Block<To = bool>>(step: S, mut from: &[S::From]) -> bool {
    while let Some((block, others)) = from.split_first_chunk::<N>() {
        // SAFETY: the features are this function's.
        let passed = S::BLOCKS && unsafe { step.passes(block) };
        if !passed && !block.iter().fold(true, |all, &value| all & step.step(value)) {
            return false;
        }
        from = others;
    }
    from.iter().fold(true, |all, &value| all & step.step(value))
}

/// Whether a type is [`F16`](super::super::F16), for which alone there are instructions.
const fn is_f16<T: SmallFloat>() -> bool {
    T::FORMAT.bits == 16 && T::FORMAT.fraction == Format::F16.fraction
}

/// Whether what [`odd`] leaves of a binary64 rounds to this format as all of it does, BF16's subnormals apart.
const fn has_odd<T: SmallFloat>() -> bool {
    !matches!(T::FORMAT.specials, Specials::Scale)
}

/// Whether a type is [`BF16`](super::super::BF16), which is half of a binary32 but for NaNs and one rounding.
const fn is_bf16<T: SmallFloat>() -> bool {
    T::FORMAT.bits == 16 && T::FORMAT.fraction == Format::BF16.fraction
}

impl<T: SmallFloat> Block for Narrow<f32, T> {
    const BLOCKS: bool = is_f16::<T>() || is_bf16::<T>();

    #[inline(always)]
    unsafe fn block(self, from: &[f32; N], to: &mut [MaybeUninit<T>; N]) -> bool {
        if is_bf16::<T>() {
            return brain(self.beyond, from, to);
        }
        // SAFETY: the features are the caller's to see to.
        is_f16::<T>() && unsafe { narrow(from, to, low_u16(self.beyond)) }
    }
}

impl<T: SmallFloat> Block for Narrow<f64, T> {
    const BLOCKS: bool = has_odd::<T>();

    #[inline(always)]
    unsafe fn block(self, from: &[f64; N], to: &mut [MaybeUninit<T>; N]) -> bool {
        if is_bf16::<T>() {
            // What is below binary32's normal numbers may have a BF16 and needs another look.
            let tiny = |value: &f64| {
                let magnitude = value.to_bits() & (u64::MAX >> 1);
                (magnitude != 0) & (magnitude < 897 << 52)
            };
            let any = from.iter().fold(false, |any, value| any | tiny(value));
            // SAFETY: the features are the caller's to see to.
            return !any && brain(self.beyond, &unsafe { odd(from) }, to);
        }
        if is_f16::<T>() {
            // SAFETY: the features are the caller's to see to.
            return unsafe { narrow(&odd(from), to, low_u16(self.beyond)) };
        }
        // Two loops, each over integers of one width.
        // SAFETY: the features are the caller's to see to.
        for (to, from) in to.iter_mut().zip(unsafe { odd(from) }) {
            to.write(T::from_code(T::FORMAT.round_f32_of_many(from.to_bits(), self.beyond)));
        }
        true
    }
}

impl<T: SmallFloat> Block for Widen<T, f32> {
    const BLOCKS: bool = is_f16::<T>();

    #[inline(always)]
    unsafe fn block(self, from: &[T; N], to: &mut [MaybeUninit<f32>; N]) -> bool {
        // SAFETY: the features are the caller's to see to.
        is_f16::<T>() && unsafe { widen(from, to) }
    }
}

impl<T: SmallFloat> Block for Widen<T, f64> {}

impl<T: SmallFloat> Block for Exact<f32, T> {
    const BLOCKS: bool = is_f16::<T>();

    #[inline(always)]
    unsafe fn passes(self, from: &[f32; N]) -> bool {
        // SAFETY: the features are the caller's to see to.
        is_f16::<T>() && unsafe { there_and_back(from) }
    }
}

impl<T: SmallFloat> Block for Exact<f64, T> {
    const BLOCKS: bool = has_odd::<T>();

    #[inline(always)]
    unsafe fn passes(self, from: &[f64; N]) -> bool {
        // What was not exact before has its last bit set, and no format has such a bit.
        // SAFETY: the features are the caller's to see to.
        let odd = unsafe { odd(from) };
        if is_f16::<T>() {
            // SAFETY: the features are the caller's to see to.
            return unsafe { there_and_back(&odd) };
        }
        odd.iter().fold(true, |all, &value| all & Exact::<f32, T>::new().step(value))
    }
}

impl Block for ExactF32 {
    const BLOCKS: bool = true;

    #[inline(always)]
    unsafe fn passes(self, from: &[f64; N]) -> bool {
        // Zeros and what is in the range of binary32's normal numbers, 29 bits shorter.
        from.iter().fold(true, |all, value| {
            let bits = value.to_bits();
            let (high, low) = (low_u32(bits >> 32) & 0x7fff_ffff, low_u32(bits));
            let normal = high.wrapping_sub(897 << 20) < 254 << 20;
            all & (normal | (high | low == 0)) & (low << 3 == 0)
        })
    }
}

/// binary32 to BF16, magnitudes past the largest to `beyond`; false for a block with a NaN.
#[inline(always)]
fn brain<T: SmallFloat>(beyond: u64, from: &[f32; N], to: &mut [MaybeUninit<T>; N]) -> bool {
    if from.iter().fold(false, |any, value| any | value.is_nan()) {
        return false;
    }
    let beyond = low_u32(beyond);
    for (to, from) in to.iter_mut().zip(from) {
        let (bits, magnitude) = (from.to_bits(), from.to_bits() & 0x7fff_ffff);
        let code = (magnitude + 0x7fff + ((magnitude >> 16) & 1)) >> 16;
        to.write(T::from_code((code.min(beyond) | (bits >> 16 & 0x8000)).into()));
    }
    true
}

/// [`odd_f32`](super::super::kernel::odd_f32) of each, with its sign.
///
/// # Safety
///
/// AVX2 and F16C are needed.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn odd(from: &[f64; N]) -> [f32; N] {
    let mut to = [0.0_f32; N];
    let from: *const f32 = from.as_ptr().cast();
    for at in (0..N).step_by(8) {
        // SAFETY: 8 binary64 are two vectors of 256 bits, 8 binary32 are one, and `from` and `to` have N of them.
        // Loads and stores are unaligned ones.
        unsafe {
            let (a, b) = (_mm256_loadu_ps(from.add(2 * at)), _mm256_loadu_ps(from.add(2 * at + 8)));
            let low = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b));
            let signed = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b));

            let high = _mm256_and_si256(signed, _mm256_set1_epi32(i32::MAX));
            let sign = _mm256_andnot_si256(_mm256_set1_epi32(i32::MAX), signed);
            let below = _mm256_cmpgt_epi32(_mm256_set1_epi32(897 << 20), high);
            let below = _mm256_or_si256(low, _mm256_and_si256(below, high));
            let exact = _mm256_cmpeq_epi32(below, _mm256_setzero_si256());
            let lost = _mm256_andnot_si256(exact, _mm256_set1_epi32(1));
            let least = _mm256_set1_epi32(896 << 20);
            let largest = _mm256_set1_epi32((1151 << 20) - 1);
            let number = _mm256_min_epi32(_mm256_max_epi32(high, least), largest);
            let number = _mm256_slli_epi32::<3>(_mm256_sub_epi32(number, least));
            // Eleven ones become the eight of binary32, one in the sign's place and two that fall off.
            let special =
                _mm256_and_si256(_mm256_slli_epi32::<3>(high), _mm256_set1_epi32(i32::MAX));
            let is_special = _mm256_cmpgt_epi32(high, _mm256_set1_epi32((0x7ff << 20) - 1));
            let odd = _mm256_blendv_epi8(number, special, is_special);
            let odd = _mm256_or_si256(_mm256_or_si256(odd, lost), sign);
            // The pairs 0 1 4 5 2 3 6 7 of the two halves, in order.
            let odd = _mm256_permute4x64_epi64::<0xd8>(odd);
            _mm256_storeu_si256(to.as_mut_ptr().add(at).cast(), odd);
        }
    }
    to
}

/// binary32 to binary16, magnitudes past the largest to `beyond`; false for a block with a NaN.
///
/// # Safety
///
/// AVX2 and F16C are needed, and `T` must be [`F16`](super::super::F16).
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn narrow<T>(from: &[f32; N], to: &mut [MaybeUninit<T>; N], beyond: u16) -> bool {
    assert!(size_of::<[T; N]>() == size_of::<[u16; N]>(), "only F16 comes here");
    let beyond = i16::from_ne_bytes(beyond.to_ne_bytes());
    let from: *const f32 = from.as_ptr();
    let to: *mut u16 = to.as_mut_ptr().cast();
    for at in (0..N).step_by(32) {
        // SAFETY: `at` and 32 more are within N, which is the length of `from`, and of `to` by the size that is
        // asserted; any 16 bits are an `F16`, which is what the caller has. Loads and stores are unaligned ones.
        unsafe {
            let (a, b) = (_mm256_loadu_ps(from.add(at)), _mm256_loadu_ps(from.add(at + 8)));
            let (c, d) = (_mm256_loadu_ps(from.add(at + 16)), _mm256_loadu_ps(from.add(at + 24)));
            let nan = _mm256_or_ps(
                _mm256_cmp_ps::<_CMP_UNORD_Q>(a, b),
                _mm256_cmp_ps::<_CMP_UNORD_Q>(c, d),
            );
            if _mm256_movemask_ps(nan) != 0 {
                return false;
            }
            _mm256_storeu_si256(to.add(at).cast(), sixteen(a, b, beyond));
            _mm256_storeu_si256(to.add(at + 16).cast(), sixteen(c, d, beyond));
        }
    }
    true
}

/// 16 binary32 as binary16, to nearest even, magnitudes past `beyond` to it.
///
/// # Safety
///
/// AVX2 and F16C are needed.
#[inline]
#[target_feature(enable = "avx2,f16c")]
#[allow(unused_unsafe, reason = "since Rust 1.87 these are safe where the features are enabled")]
unsafe fn sixteen(a: __m256, b: __m256, beyond: i16) -> __m256i {
    // SAFETY: the features are this function's.
    unsafe {
        let a = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a);
        let b = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(b);
        let codes = _mm256_set_m128i(b, a);
        // The largest signed numbers are the positive codes, the largest unsigned ones the negative.
        let codes = _mm256_min_epu16(codes, _mm256_set1_epi16(beyond | i16::MIN));
        _mm256_min_epi16(codes, _mm256_set1_epi16(beyond))
    }
}

/// binary16 to binary32; false for a block with a NaN.
///
/// # Safety
///
/// AVX2 and F16C are needed, and `T` must be [`F16`](super::super::F16).
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn widen<T>(from: &[T; N], to: &mut [MaybeUninit<f32>; N]) -> bool {
    assert!(size_of::<[T; N]>() == size_of::<[u16; N]>(), "only F16 comes here");
    let from: *const u16 = from.as_ptr().cast();
    let to: *mut f32 = to.as_mut_ptr().cast();
    for at in (0..N).step_by(32) {
        // SAFETY: `at` and 32 more are within N, which is the length of `to`, and of `from` by the size that is
        // asserted. Loads and stores are unaligned ones.
        unsafe {
            let magnitude = _mm256_set1_epi16(i16::MAX);
            let infinity = _mm256_set1_epi16(0x7c00);
            let a = _mm256_loadu_si256(from.add(at).cast());
            let b = _mm256_loadu_si256(from.add(at + 16).cast());
            let nan = _mm256_or_si256(
                _mm256_cmpgt_epi16(_mm256_and_si256(a, magnitude), infinity),
                _mm256_cmpgt_epi16(_mm256_and_si256(b, magnitude), infinity),
            );
            if _mm256_movemask_epi8(nan) != 0 {
                return false;
            }
            for at in (at..at + 32).step_by(8) {
                let wide = _mm256_cvtph_ps(_mm_loadu_si128(from.add(at).cast()));
                _mm256_storeu_ps(to.add(at), wide);
            }
        }
    }
    true
}

/// Whether all are the same after a stay in binary16. Signalling NaNs are not, whatever they lose.
///
/// # Safety
///
/// AVX2 and F16C are needed.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn there_and_back(from: &[f32; N]) -> bool {
    let from: *const f32 = from.as_ptr();
    // SAFETY: `at` and 8 more are within N, and the loads are unaligned ones.
    unsafe {
        let mut same = _mm256_set1_epi32(-1);
        for at in (0..N).step_by(8) {
            let wide = _mm256_loadu_ps(from.add(at));
            let back = _mm256_cvtph_ps(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide));
            let equal = _mm256_cmpeq_epi32(_mm256_castps_si256(wide), _mm256_castps_si256(back));
            same = _mm256_and_si256(same, equal);
        }
        _mm256_movemask_epi8(same) == -1
    }
}
