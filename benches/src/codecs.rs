//! Every codec behind one trait.

#![cfg_attr(not(feature = "peers"), allow(dead_code, unused_macros))]

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};

/// What a codec is in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// This crate.
    Ours,
    /// A serde CBOR codec that writes keys as they come.
    Plain,
    /// A serde CBOR codec that sorts keys.
    Sorting,
    /// A plain codec whose user sorted the map first.
    HandSorted,
    /// Another format.
    Distance,
    /// No codec at all: what the work cannot be done without.
    Limit,
}

/// A format crate. `None` is: cannot do that.
pub trait Codec: 'static {
    const NAME: &'static str;
    const KIND: Kind;

    fn encode<T: Serialize>(value: &T) -> Option<Vec<u8>>;

    fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T>;

    /// Decodes into something that keeps pointing into the input.
    fn borrow<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Option<T>;
}

macro_rules! codec {
    ($type:ident $name:literal $kind:ident |$v:ident| $encode:expr, |$b:ident| $decode:expr, |$r:ident| $borrow:expr) => {
        pub struct $type;

        impl Codec for $type {
            const NAME: &'static str = $name;
            const KIND: Kind = Kind::$kind;

            #[inline]
            fn encode<T: Serialize>($v: &T) -> Option<Vec<u8>> {
                $encode
            }

            #[inline]
            fn decode<T: DeserializeOwned>($b: &[u8]) -> Option<T> {
                $decode
            }

            #[inline]
            fn borrow<'de, T: Deserialize<'de>>($r: &'de [u8]) -> Option<T> {
                $borrow
            }
        }
    };
}

codec!(Calibor "calibor" Ours
    |v| calibor::to_vec(v).ok(),
    |b| calibor::from_slice(b).ok(),
    |b| calibor::from_slice(b).ok());
codec!(Ciborium "ciborium" Plain
    |v| { let mut out = Vec::new(); ciborium::into_writer(v, &mut out).ok().map(|()| out) },
    |b| ciborium::from_reader(b).ok(),
    |_b| None);
codec!(Cbor4ii "cbor4ii" Plain
    |v| cbor4ii::serde::to_vec(Vec::new(), v).ok(),
    |b| cbor4ii::serde::from_slice(b).ok(),
    |b| cbor4ii::serde::from_slice(b).ok());
codec!(Minicbor "minicbor-serde" Plain
    |v| minicbor_serde::to_vec(v).ok(),
    |b| minicbor_serde::from_slice(b).ok(),
    |b| minicbor_serde::from_slice(b).ok());
codec!(Cbor2 "cbor2" Plain
    |v| cbor2::to_vec(v).ok(),
    |b| cbor2::from_slice(b).ok(),
    |b| cbor2::from_slice(b).ok());
codec!(SerdeCbor "serde_cbor" Plain
    |v| serde_cbor::to_vec(v).ok(),
    |b| serde_cbor::from_slice(b).ok(),
    |b| serde_cbor::from_slice(b).ok());
codec!(C2pa "c2pa_cbor" Plain
    |v| c2pa_cbor::to_vec(v).ok(),
    |b| c2pa_cbor::from_slice(b).ok(),
    |_b| None);

codec!(DagCbor "dagcbor" Sorting
    |v| serde_ipld_dagcbor::to_vec(v).ok(),
    |b| serde_ipld_dagcbor::from_slice(b).ok(),
    |b| serde_ipld_dagcbor::from_slice(b).ok());
codec!(Cbor2Canonical "cbor2-canon" Sorting
    |v| cbor2::to_canonical_vec(v).ok(), |_b| None, |_b| None);
codec!(C2paDeterministic "c2pa-det" Sorting
    |v| c2pa_cbor::to_vec_deterministic(v).ok(), |_b| None, |_b| None);

codec!(Json "serde_json" Distance
    |v| serde_json::to_vec(v).ok(),
    |b| serde_json::from_slice(b).ok(),
    |b| serde_json::from_slice(b).ok());
codec!(MessagePack "rmp-serde" Distance
    |v| rmp_serde::to_vec_named(v).ok(),
    |b| rmp_serde::from_slice(b).ok(),
    |b| rmp_serde::from_slice(b).ok());
codec!(Postcard "postcard" Distance
    |v| postcard::to_stdvec(v).ok(),
    |b| postcard::from_bytes(b).ok(),
    |b| postcard::from_bytes(b).ok());
codec!(Bitcode "bitcode" Distance
    |v| bitcode::serialize(v).ok(),
    |b| bitcode::deserialize(b).ok(),
    |b| bitcode::deserialize(b).ok());

/// The names and packages of the peers, in the order of the tables.
pub const PEERS: &[(&str, &str)] = &[
    ("ciborium", "ciborium"),
    ("minicbor-serde", "minicbor-serde"),
    ("cbor4ii", "cbor4ii"),
    ("serde_cbor", "serde_cbor"),
    ("cbor2", "cbor2"),
    ("c2pa_cbor", "c2pa_cbor"),
    ("dagcbor", "serde_ipld_dagcbor"),
    ("cbor2-canon", "cbor2"),
    ("c2pa-det", "c2pa_cbor"),
];

pub const DISTANT: &[&str] = &["serde_json", "rmp-serde", "postcard", "bitcode"];

/// Calls a macro once for each CBOR codec.
macro_rules! each_cbor {
    ($call:ident!($($rest:tt)*)) => {
        $call!(Calibor $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Ciborium $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Minicbor $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Cbor4ii $($rest)*);
        #[cfg(feature = "peers")]
        $call!(SerdeCbor $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Cbor2 $($rest)*);
        #[cfg(feature = "peers")]
        $call!(C2pa $($rest)*);
        #[cfg(feature = "peers")]
        $call!(DagCbor $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Cbor2Canonical $($rest)*);
        #[cfg(feature = "peers")]
        $call!(C2paDeterministic $($rest)*);
    };
}

macro_rules! each_distant {
    ($call:ident!($($rest:tt)*)) => {
        #[cfg(feature = "peers")]
        $call!(Json $($rest)*);
        #[cfg(feature = "peers")]
        $call!(MessagePack $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Postcard $($rest)*);
        #[cfg(feature = "peers")]
        $call!(Bitcode $($rest)*);
    };
}

pub(crate) use {each_cbor, each_distant};
