//! Conversions between the small formats: by `From` where nothing is lost, by name where something may be.

use super::round::{Format, Overflow};
use super::small::SmallFloat;
use super::types::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
};

/// Conversions that lose nothing, not even the sign of zero.
macro_rules! exact {
    ($($from:ident => $($to:ident)*;)*) => { $( $(
        impl From<$from> for $to {
            /// Exact for every code.
            fn from(value: $from) -> Self {
                value.convert(Overflow::Ieee)
            }
        }
    )* )* };
}

/// Conversions between the formats of 8 bits, each with one rounding.
macro_rules! between {
    ($($from:ident => $($method:ident $to:ident)*;)*) => { $(
        impl $from { $(
            #[doc = concat!("The nearest [`", stringify!($to), "`], with one rounding.")]
            ///
            /// A NaN stays NaN; what is too large, infinities included, goes where `overflow` says;
            /// -0 becomes 0 where the target has none.
            #[must_use]
            pub const fn $method(self, overflow: Overflow) -> $to {
                $to::of(Format::$from.convert(self.to_bits() as u64, &Format::$to, overflow))
            }
        )* }
    )* };
}

exact! {
    F8E4M3FN => F16 BF16;
    F8E5M2 => F16 BF16;
    F8E4M3FNUZ => F16 BF16;
    F8E5M2FNUZ => F16 BF16;
    F6E2M3FN => F16 BF16 F8E4M3FN;
    F6E3M2FN => F16 BF16 F8E4M3FN F8E5M2;
    F4E2M1FN => F16 BF16 F8E4M3FN F8E5M2 F6E2M3FN F6E3M2FN;
    F8E8M0FNU => BF16;
}

between! {
    F8E4M3FN => to_f8e5m2 F8E5M2 to_f8e4m3fnuz F8E4M3FNUZ to_f8e5m2fnuz F8E5M2FNUZ;
    F8E5M2 => to_f8e4m3fn F8E4M3FN to_f8e4m3fnuz F8E4M3FNUZ to_f8e5m2fnuz F8E5M2FNUZ;
    F8E4M3FNUZ => to_f8e4m3fn F8E4M3FN to_f8e5m2 F8E5M2 to_f8e5m2fnuz F8E5M2FNUZ;
    F8E5M2FNUZ => to_f8e4m3fn F8E4M3FN to_f8e5m2 F8E5M2 to_f8e4m3fnuz F8E4M3FNUZ;
}
