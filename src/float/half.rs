//! The `half` crate's types, bit for bit (feature `half`).
//!
//! For slices there is [`slice::widen`](super::slice::widen), or with feature `bytemuck` a cast.

use super::types::{BF16, F16};

/// Both directions, for one pair of types.
macro_rules! same_bits {
    ($($ours:ident $theirs:ident;)*) => { $(
        impl From<half::$theirs> for $ours {
            /// The same bits.
            fn from(value: half::$theirs) -> Self {
                Self::from_bits(value.to_bits())
            }
        }

        impl From<$ours> for half::$theirs {
            /// The same bits.
            fn from(value: $ours) -> Self {
                Self::from_bits(value.to_bits())
            }
        }
    )* };
}

same_bits! {
    F16 f16;
    BF16 bf16;
}
