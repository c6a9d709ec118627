//! The JSON header of a `safetensors` file: read by that crate's rules, and made again from what it says.

use super::{Entry, Metadata};
use crate::array::DType;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry as Slot;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::fmt::Write as _;
use safetensors::tensor::{Metadata as Checked, TensorInfo};
use serde_core::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

const METADATA: &str = "__metadata__";

/// What a header says, the tensors in the order of their bytes.
pub(super) struct Header {
    pub(super) metadata: Option<Metadata>,
    tensors: Vec<(String, DType, TensorInfo)>,
}

impl Header {
    /// Reads a header, or says why it is none.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = core::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        if !text.starts_with('{') {
            return Err("it does not begin with {".into());
        }
        let Raw { metadata, mut tensors } =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        tensors.sort_by_key(|(_, info)| info.data_offsets);
        // That crate's tests: no gap, no overlap, as many bytes as the shape wants, no overflow.
        Checked::new(None, tensors.clone()).map_err(|error| error.to_string())?;
        let named = |(name, info): (String, TensorInfo)| {
            let dtype = info.dtype.to_string().parse::<DType>();
            dtype.map(|dtype| (name, dtype, info)).map_err(|error| error.to_string())
        };
        let tensors = tensors.into_iter().map(named).collect::<Result<_, _>>()?;
        Ok(Header { metadata, tensors })
    }

    /// The tensors of a file whose bytes begin at `start`.
    pub(super) fn entries(&self, start: u64) -> Vec<Entry> {
        let entry = |(name, dtype, info): &(String, DType, TensorInfo)| {
            let (from, to) = info.data_offsets;
            Entry {
                name: name.clone(),
                dtype: *dtype,
                shape: info.shape.iter().map(|&dim| dim as u64).collect(),
                offset: start + from as u64,
                len: (to - from) as u64,
            }
        };
        self.tensors.iter().map(entry).collect()
    }
}

/// The header as it stands, which may name a tensor twice or have them in any order.
struct Raw {
    metadata: Option<Metadata>,
    tensors: Vec<(String, TensorInfo)>,
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawVisitor;

        impl<'de> Visitor<'de> for RawVisitor {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Raw, M::Error> {
                let mut metadata = None;
                let mut tensors = BTreeMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name == METADATA {
                        if metadata.replace(map.next_value::<Texts>()?.0).is_some() {
                            return Err(de::Error::duplicate_field(METADATA));
                        }
                        continue;
                    }
                    let order = tensors.len();
                    match tensors.entry(name) {
                        Slot::Vacant(slot) => slot.insert((order, map.next_value()?)),
                        Slot::Occupied(slot) => {
                            let words = format!("two tensors are called {:?}", slot.key());
                            return Err(de::Error::custom(words));
                        }
                    };
                }
                // Those without bytes share an offset, and keep the order of the text.
                let mut tensors: Vec<_> = tensors.into_iter().collect();
                tensors.sort_by_key(|(_, (order, _))| *order);
                let tensors = tensors.into_iter().map(|(name, (_, info))| (name, info)).collect();
                Ok(Raw { metadata, tensors })
            }
        }

        deserializer.deserialize_map(RawVisitor)
    }
}

/// A map of text to text without two equal keys.
struct Texts(Metadata);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextsVisitor;

        impl<'de> Visitor<'de> for TextsVisitor {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Texts, M::Error> {
                let mut texts = Metadata::new();
                while let Some((key, value)) = map.next_entry::<String, String>()? {
                    if texts.contains_key(&key) {
                        let words = format!("{METADATA} has two values for {key:?}");
                        return Err(de::Error::custom(words));
                    }
                    texts.insert(key, value);
                }
                Ok(Texts(texts))
            }
        }

        deserializer.deserialize_map(TextsVisitor)
    }
}

/// The header that the `safetensors` crate writes for these tensors.
pub(super) fn make(metadata: Option<&Metadata>, entries: &[Entry]) -> Vec<u8> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| b.dtype.cmp(&a.dtype).then_with(|| a.name.cmp(&b.name)));
    let mut items = Vec::with_capacity(sorted.len() + 1);
    if let Some(metadata) = metadata {
        let pairs: Vec<String> =
            metadata.iter().map(|(key, value)| format!("{}:{}", json(key), json(value))).collect();
        items.push(format!("\"{METADATA}\":{{{}}}", pairs.join(",")));
    }
    let mut from = 0_u64;
    for entry in sorted {
        let to = from.saturating_add(entry.len);
        let shape: Vec<String> = entry.shape.iter().map(ToString::to_string).collect();
        let (name, dtype, shape) = (json(&entry.name), entry.dtype, shape.join(","));
        let mut item = String::new();
        // Formatting into a string does not fail.
        let _ = write!(
            item,
            r#"{name}:{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{from},{to}]}}"#
        );
        items.push(item);
        from = to;
    }
    let mut header = format!("{{{}}}", items.join(",")).into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    header
}

/// A JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
