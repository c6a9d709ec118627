//! The numeric core against golden data and two exact oracles.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::wildcard_imports,
    clippy::panic,
    clippy::precedence,
    clippy::cast_precision_loss,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core,
    clippy::verbose_bit_mask,
    reason = "tests fail by panicking, and take numbers apart on purpose"
)]

/// Calls a generic function once for each of the nine formats with a sign.
macro_rules! for_signed {
    ($function:ident) => {
        $function::<calibor::float::F16>();
        $function::<calibor::float::BF16>();
        for_narrow!($function);
    };
}

/// The same for those of 8 bits and fewer.
macro_rules! for_narrow {
    ($function:ident) => {
        $function::<calibor::float::F8E4M3FN>();
        $function::<calibor::float::F8E5M2>();
        $function::<calibor::float::F8E4M3FNUZ>();
        $function::<calibor::float::F8E5M2FNUZ>();
        $function::<calibor::float::F6E2M3FN>();
        $function::<calibor::float::F6E3M2FN>();
        $function::<calibor::float::F4E2M1FN>();
    };
}

/// The same for all ten.
macro_rules! for_all {
    ($function:ident) => {
        for_signed!($function);
        $function::<calibor::float::F8E8M0FNU>();
    };
}

#[cfg(feature = "arith")]
mod arith;
mod bulk;
mod codes;
#[cfg(target_arch = "x86_64")]
mod environment;
mod golden;
mod ladder;
mod oracle;
mod rounding;
mod text;

/// How much more an optimised build tries.
const EFFORT: usize = if cfg!(debug_assertions) { 1 } else { 20 };

/// A small generator with a full period (`SplitMix64`), so that every run tests the same numbers.
pub(crate) struct Random(pub(crate) u64);

impl Iterator for Random {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(z ^ (z >> 31))
    }
}
