//! Four other codecs on the same bytes: the same verdict and the same value, or a reason that is written down here.

use crate::reference::{self, Facts};
use crate::{Target, hex, seeds};
use calibor::{Profile, Value};

pub const TARGET: Target =
    Target { name: "differential", steps: |_| PEERS.len(), ask, seeds: seeds::cbor };

/// The peers recurse; the limits of some of them are their callers' concern.
const LEVELS: usize = 60;

fn ask(step: usize, data: &[u8]) {
    let peer = &PEERS[step];
    let facts = reference::first(data);
    // A malformed item can nest as deep as it is long.
    if facts.as_ref().map_or(data.len() > LEVELS && steep(data), |facts| facts.depth > LEVELS) {
        return;
    }
    let facts = facts.ok().filter(|facts| facts.len == data.len());
    let ours = Profile::WELL_FORMED.decode::<Value>(data).ok();
    let theirs = (peer.decode)(data);
    let same = match (&ours, &theirs) {
        (Some(a), Some(b)) => a == b || common(a) == common(b),
        (None, None) => true,
        _ => false,
    };
    let explained = || {
        peer.reasons
            .iter()
            .any(|reason| (reason.holds)(data, facts.as_ref(), ours.as_ref(), theirs.as_ref()))
    };
    assert!(
        same || explained(),
        "{}: {} has {theirs:?}, we have {ours:?}; {facts:?}",
        hex(data),
        peer.name
    );
}

/// Whether more bytes than `LEVELS` could open a level.
fn steep(data: &[u8]) -> bool {
    data.iter().filter(|byte| matches!(byte, 0x5f | 0x7f | 0x80..0xe0)).count() > LEVELS
}

struct Peer {
    name: &'static str,
    decode: fn(&[u8]) -> Option<Value>,
    reasons: &'static [Reason],
}

/// Asked of the input, what the reference knows of it, our value and theirs.
type Holds = fn(&[u8], Option<&Facts>, Option<&Value>, Option<&Value>) -> bool;

/// Why a peer may differ, and when that is so.
struct Reason {
    #[allow(dead_code, reason = "for people")]
    why: &'static str,
    holds: Holds,
}

macro_rules! reasons {
    ($($why:literal: |$data:pat_param, $facts:pat_param, $ours:pat_param, $theirs:pat_param| $holds:expr;)*) => {
        &[$(Reason { why: $why, holds: |$data, $facts, $ours, $theirs| $holds }),*]
    };
}

const PEERS: [Peer; 4] = [
    Peer {
        name: "ciborium 0.2",
        decode: by_ciborium,
        reasons: reasons! {
            "no simple values in its tree":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.simple);
            "undefined is null in its tree":
                |_, facts, _, theirs| theirs.is_some() && has(facts, |it| it.undefined);
            "text is UTF-8 by its type":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.bad_text);
            "bignums end at 128 bits":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.bignum);
            "takes simple values below 32 in two bytes, which are malformed":
                |data, facts, ours, _| facts.is_none() && ours.is_none() && low_simple(data);
            "takes chunks inside chunks, which are malformed":
                |data, facts, ours, _| facts.is_none() && ours.is_none() && two_opened(data);
        },
    },
    Peer {
        name: "cbor2 1.1",
        decode: by_cbor2,
        reasons: reasons! {
            "undefined is null in its tree":
                |_, facts, _, theirs| theirs.is_some() && has(facts, |it| it.undefined);
            "text is UTF-8 by its type":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.bad_text);
        },
    },
    Peer {
        name: "cbor4ii 1.2",
        decode: by_cbor4ii,
        reasons: reasons! {
            "no simple values in its tree":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.simple);
            "undefined is null in its tree":
                |_, facts, _, theirs| theirs.is_some() && has(facts, |it| it.undefined);
            "text is UTF-8 by its type":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.bad_text);
        },
    },
    Peer {
        name: "minicbor 2.3",
        decode: by_minicbor,
        reasons: reasons! {
            "text is UTF-8 by its type":
                |_, facts, _, theirs| theirs.is_none() && has(facts, |it| it.bad_text);
            "takes simple values below 32 in two bytes, which are malformed":
                |data, facts, ours, _| facts.is_none() && ours.is_none() && low_simple(data);
        },
    },
];

fn has(facts: Option<&Facts>, fact: fn(&Facts) -> bool) -> bool {
    facts.is_some_and(fact)
}

fn low_simple(data: &[u8]) -> bool {
    data.windows(2).any(|pair| pair[0] == 0xf8 && pair[1] < 32)
}

fn two_opened(data: &[u8]) -> bool {
    data.iter().filter(|byte| matches!(byte, 0x5f | 0x7f)).count() > 1
}

/// What all codecs can agree on: bignums of any length in one form, whether they are integers in the tree or the tags
/// they are written with, and NaN quiet, as the processor makes them where floats are widened by it.
fn common(value: &Value) -> Value {
    match value {
        Value::Integer(n) if *n < 0 => bignum(3, &(-1 - n).to_be_bytes()),
        Value::Integer(n) => bignum(2, &n.to_be_bytes()),
        Value::Tag(tag, content) => match &**content {
            Value::Bytes(bytes) if matches!(tag, 2 | 3) => bignum(*tag, bytes),
            other => Value::Tag(*tag, Box::new(common(other))),
        },
        Value::Array(items) => Value::Array(items.iter().map(common).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(k, v)| (common(k), common(v))).collect())
        }
        Value::Float(float) if float.is_nan() => {
            Value::Float(f64::from_bits(float.to_bits() | 1 << 51))
        }
        other => other.clone(),
    }
}

fn bignum(tag: u64, magnitude: &[u8]) -> Value {
    let zeros = magnitude.iter().take_while(|byte| **byte == 0).count();
    let digits = Value::Text(hex(&magnitude[zeros..]));
    Value::Tag(tag, Box::new(digits))
}

fn by_ciborium(mut data: &[u8]) -> Option<Value> {
    use ciborium::Value as Theirs;
    fn ours(value: Theirs) -> Option<Value> {
        Some(match value {
            Theirs::Integer(n) => Value::Integer(n.into()),
            Theirs::Bytes(bytes) => Value::Bytes(bytes),
            Theirs::Float(float) => Value::Float(float),
            Theirs::Text(text) => Value::Text(text),
            Theirs::Bool(bool) => Value::Bool(bool),
            Theirs::Null => Value::Null,
            Theirs::Tag(tag, content) => Value::Tag(tag, Box::new(ours(*content)?)),
            Theirs::Array(items) => {
                Value::Array(items.into_iter().map(ours).collect::<Option<_>>()?)
            }
            Theirs::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(k, v)| Some((ours(k)?, ours(v)?)))
                    .collect::<Option<_>>()?,
            ),
            _ => return None,
        })
    }
    let value = ciborium::from_reader(&mut data).ok()?;
    data.is_empty().then(|| ours(value))?
}

fn by_cbor2(data: &[u8]) -> Option<Value> {
    use cbor2::Value as Theirs;
    fn ours(value: Theirs) -> Option<Value> {
        Some(match value {
            Theirs::Integer(n) => Value::Integer(n.into()),
            Theirs::Bytes(bytes) => Value::Bytes(bytes),
            Theirs::Float(float) => Value::Float(float),
            Theirs::Text(text) => Value::Text(text),
            Theirs::Bool(bool) => Value::Bool(bool),
            Theirs::Null => Value::Null,
            Theirs::Simple(simple) => Value::Simple(simple.into()),
            Theirs::Tag(tag, content) => Value::Tag(tag, Box::new(ours(*content)?)),
            Theirs::Array(items) => {
                Value::Array(items.into_iter().map(ours).collect::<Option<_>>()?)
            }
            Theirs::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(k, v)| Some((ours(k)?, ours(v)?)))
                    .collect::<Option<_>>()?,
            ),
            _ => return None,
        })
    }
    cbor2::validate_slice(data).ok()?;
    ours(cbor2::from_slice(data).ok()?)
}

fn by_cbor4ii(data: &[u8]) -> Option<Value> {
    use cbor4ii::core::dec::{Decode, Read};
    use cbor4ii::core::{Value as Theirs, utils::SliceReader};
    fn ours(value: Theirs) -> Option<Value> {
        Some(match value {
            Theirs::Integer(n) => Value::Integer(n),
            Theirs::Bytes(bytes) => Value::Bytes(bytes),
            Theirs::Float(float) => Value::Float(float),
            Theirs::Text(text) => Value::Text(text),
            Theirs::Bool(bool) => Value::Bool(bool),
            Theirs::Null => Value::Null,
            Theirs::Tag(tag, content) => Value::Tag(tag, Box::new(ours(*content)?)),
            Theirs::Array(items) => {
                Value::Array(items.into_iter().map(ours).collect::<Option<_>>()?)
            }
            Theirs::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(k, v)| Some((ours(k)?, ours(v)?)))
                    .collect::<Option<_>>()?,
            ),
            _ => return None,
        })
    }
    let mut reader = SliceReader::new(data);
    let value = Theirs::decode(&mut reader).ok()?;
    let rest = reader.fill(1).ok()?;
    rest.as_ref().is_empty().then(|| ours(value))?
}

fn by_minicbor(data: &[u8]) -> Option<Value> {
    use minicbor::data::Type;
    use minicbor::decode::Decoder;
    fn ours(decoder: &mut Decoder<'_>, depth: usize) -> Option<Value> {
        if depth > 2 * LEVELS {
            return None;
        }
        Some(match decoder.datatype().ok()? {
            Type::Bool => Value::Bool(decoder.bool().ok()?),
            Type::Null => {
                decoder.null().ok()?;
                Value::Null
            }
            Type::Undefined => {
                decoder.undefined().ok()?;
                Value::UNDEFINED
            }
            Type::U8
            | Type::U16
            | Type::U32
            | Type::U64
            | Type::I8
            | Type::I16
            | Type::I32
            | Type::I64
            | Type::Int => Value::Integer(decoder.int().ok()?.into()),
            Type::F16 | Type::F32 | Type::F64 => Value::Float(decoder.f64().ok()?),
            Type::Simple => Value::Simple(decoder.simple().ok()?),
            Type::Bytes | Type::BytesIndef => {
                let chunks = decoder.bytes_iter().ok()?;
                Value::Bytes(chunks.collect::<Result<Vec<_>, _>>().ok()?.concat())
            }
            Type::String | Type::StringIndef => {
                let chunks = decoder.str_iter().ok()?;
                Value::Text(chunks.collect::<Result<Vec<_>, _>>().ok()?.concat())
            }
            Type::Array | Type::ArrayIndef => {
                let len = decoder.array().ok()?;
                let mut items = Vec::new();
                while goes_on(decoder, len, items.len())? {
                    items.push(ours(decoder, depth + 1)?);
                }
                Value::Array(items)
            }
            Type::Map | Type::MapIndef => {
                let len = decoder.map().ok()?;
                let mut entries = Vec::new();
                while goes_on(decoder, len, entries.len())? {
                    entries.push((ours(decoder, depth + 1)?, ours(decoder, depth + 1)?));
                }
                Value::Map(entries)
            }
            Type::Tag => {
                let tag = decoder.tag().ok()?.as_u64();
                Value::Tag(tag, Box::new(ours(decoder, depth + 1)?))
            }
            Type::Break | Type::Unknown(_) => return None,
        })
    }
    fn goes_on(decoder: &mut Decoder<'_>, len: Option<u64>, done: usize) -> Option<bool> {
        match len {
            Some(len) => Some((done as u64) < len),
            None if decoder.datatype().ok()? == Type::Break => {
                // The decoder has no word for it.
                decoder.set_position(decoder.position() + 1);
                Some(false)
            }
            None => Some(true),
        }
    }
    let mut decoder = Decoder::new(data);
    let value = ours(&mut decoder, 0)?;
    (decoder.position() == data.len()).then_some(value)
}
