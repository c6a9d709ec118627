//! What is inside an item: its children as they stand in the bytes, and paths to them.

use calibor::{Profile, RawValue, Tagged, Value, edn};
use core::fmt;
use serde_core::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// The step of a path that goes into a byte string.
pub(crate) const INSIDE: &str = "<<>>";

/// An item, one level opened. The parts are ranges of the bytes that were opened.
pub(crate) enum Node<'a> {
    Array(Vec<&'a [u8]>),
    Map(Vec<(&'a [u8], &'a [u8])>),
    Tag(u64, &'a [u8]),
    /// A byte string and what is in it.
    Bytes(Vec<u8>),
    Scalar,
}

const ANY: Profile = Profile::WELL_FORMED.max_depth(u32::MAX);

/// Opens one well-formed item.
pub(crate) fn open(item: &[u8]) -> calibor::Result<Node<'_>> {
    Ok(match item.first().map(|first| first >> 5) {
        Some(2) => match ANY.decode::<Value>(item)?.into_bytes() {
            Ok(content) => Node::Bytes(content),
            Err(_) => Node::Scalar,
        },
        Some(4) => {
            let items: Vec<RawValue<'_>> = ANY.decode(item)?;
            Node::Array(parts(item, items.iter()).collect())
        }
        Some(5) => {
            let Entries(entries) = ANY.decode(item)?;
            let mut parts = parts(item, entries.iter().flat_map(|(key, value)| [key, value]));
            let mut pairs = Vec::with_capacity(entries.len());
            while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                pairs.push((key, value));
            }
            Node::Map(pairs)
        }
        Some(6) => {
            let tagged: Tagged<RawValue<'_>> = ANY.decode(item)?;
            let start = item.len() - tagged.value.as_bytes().len();
            Node::Tag(tagged.tag, item.get(start..).unwrap_or_default())
        }
        _ => Node::Scalar,
    })
}

/// The children of a container, which are next to each other and end where it ends.
fn parts<'a, 'r>(
    item: &'a [u8],
    children: impl Iterator<Item = &'r RawValue<'r>> + Clone,
) -> impl Iterator<Item = &'a [u8]> {
    let lengths: Vec<_> = children.map(|child| child.as_bytes().len()).collect();
    // An indefinite length has a break behind the last child.
    let stop = usize::from(item.first().is_some_and(|first| first & 31 == 31));
    let mut at = item.len().saturating_sub(lengths.iter().sum::<usize>() + stop);
    lengths.into_iter().map(move |len| {
        let part = item.get(at..at + len).unwrap_or_default();
        at += len;
        part
    })
}

/// The entries of a map in their order, equal keys and all.
struct Entries<'a>(Vec<(RawValue<'a>, RawValue<'a>)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

/// The one item that a byte string holds, if it does.
pub(crate) fn embedded(content: &[u8]) -> Option<&[u8]> {
    ANY.check(content).is_ok().then_some(content)
}

/// An item in a byte string, the path of the string and `<<>>`, and where it begins in the outermost item.
pub(crate) struct Embedded {
    pub(crate) path: String,
    pub(crate) offset: usize,
    pub(crate) bytes: Vec<u8>,
}

/// The items in byte strings that are meant to hold one, which are those that `edn::Printer` opens: under tags
/// 24 and 505 to 508, and in COSE messages the protected headers, payloads, and what header parameters hold.
pub(crate) fn embedded_items(item: &[u8]) -> Vec<Embedded> {
    let mut found = Vec::new();
    let first = Embedded { path: String::new(), offset: 0, bytes: item.to_vec() };
    let mut pending = vec![(first, Cose::Root)];
    while let Some((outer, cose)) = pending.pop() {
        let inner = below(&outer, cose);
        if !outer.path.is_empty() {
            found.push(outer);
        }
        pending.extend(inner.into_iter().rev());
    }
    found
}

/// What an item is to COSE, by what stands around it.
#[derive(Clone, Copy)]
enum Cose {
    /// All there is, or all that a byte string holds: a message may stand here without its tag.
    Root,
    /// The array of a message; whether its third element is a payload.
    Message {
        payload: bool,
    },
    /// Signatures and recipients, and arrays of them.
    Layer,
    /// Header parameters, and what is in them.
    Headers,
    /// A byte string of a tag whose content is CBOR.
    Wrapped,
    /// The byte strings of a message: a protected header, and a payload.
    Protected,
    Payload,
    Nothing,
}

/// What is embedded directly in an item, and what it is to COSE.
fn below(outer: &Embedded, cose: Cose) -> Vec<(Embedded, Cose)> {
    let mut found = Vec::new();
    let mut pending = vec![(outer.path.clone(), &outer.bytes[..], cose)];
    while let Some((path, item, cose)) = pending.pop() {
        let mut children = match open(item).unwrap_or(Node::Scalar) {
            Node::Array(items) => {
                let cose = match cose {
                    Cose::Root => untagged(&items).unwrap_or(Cose::Nothing),
                    Cose::Headers => untagged(&items).unwrap_or(Cose::Headers),
                    Cose::Protected | Cose::Payload => Cose::Layer,
                    cose => cose,
                };
                let children = items.into_iter().enumerate();
                children.map(|(i, part)| (format!("{path}/{i}"), part, element(cose, i))).collect()
            }
            Node::Map(entries) => {
                let headers =
                    matches!(cose, Cose::Protected | Cose::Payload | Cose::Layer | Cose::Headers);
                let entry = |(key, part): (&[u8], _)| {
                    // A key identifier and initialization vectors are bytes by definition.
                    let closed = matches!(key, [4..=6]) && is_bytes(part);
                    let cose = if headers && !closed { Cose::Headers } else { Cose::Nothing };
                    (format!("{path}{}", edn::path_step(key)), part, cose)
                };
                entries.into_iter().map(entry).collect()
            }
            Node::Tag(tag, content) => vec![(path, content, tagged(cose, tag))],
            Node::Bytes(content) => {
                if let Some(inner) = holds(cose, &content) {
                    let start = item.as_ptr().addr() - outer.bytes.as_ptr().addr();
                    // Chunks are not in one place: then it is that of the string.
                    let chunked = item.first() == Some(&0x5f);
                    let head = if chunked { 0 } else { item.len() - content.len() };
                    let offset = outer.offset + start + head;
                    let path = format!("{path}/{INSIDE}");
                    found.push((Embedded { path, offset, bytes: content }, inner));
                }
                Vec::new()
            }
            Node::Scalar => Vec::new(),
        };
        children.reverse();
        pending.append(&mut children);
    }
    found
}

fn is_bytes(item: &[u8]) -> bool {
    item.first().is_some_and(|first| first >> 5 == 2)
}

/// What the content of a tag is.
fn tagged(around: Cose, tag: u64) -> Cose {
    match (tag, around) {
        (17 | 18 | 97 | 98, _) => Cose::Message { payload: true },
        (16 | 19 | 96, _) => Cose::Message { payload: false },
        (24 | 505..=508, _) => Cose::Wrapped,
        (_, Cose::Headers) => Cose::Headers,
        _ => Cose::Nothing,
    }
}

/// What the element of an array is.
fn element(array: Cose, index: usize) -> Cose {
    match (array, index) {
        (Cose::Message { .. } | Cose::Layer, 0) => Cose::Protected,
        (Cose::Message { payload: true }, 2) => Cose::Payload,
        (Cose::Message { .. } | Cose::Layer, _) => Cose::Layer,
        (Cose::Headers, _) => Cose::Headers,
        _ => Cose::Nothing,
    }
}

/// A message without its tag begins as every message does.
fn untagged(items: &[&[u8]]) -> Option<Cose> {
    let shape = match items {
        [first, second, third, rest @ ..] if rest.len() <= 2 => {
            let header = match open(first) {
                Ok(Node::Bytes(header)) => header.is_empty() || is_map(&header),
                _ => false,
            };
            let map = second.first().is_some_and(|first| first >> 5 == 5);
            header && map && (is_bytes(third) || **third == [0xf6])
        }
        _ => false,
    };
    shape.then_some(Cose::Message { payload: items.len() > 3 })
}

/// What the content of a byte string is, if it is one item and meant to be.
fn holds(string: Cose, content: &[u8]) -> Option<Cose> {
    // A scalar is too easily something else.
    let structure = || matches!(content.first(), Some(0x80..=0xdf)) && embedded(content).is_some();
    let (inner, opens) = match string {
        Cose::Wrapped => (Cose::Root, embedded(content).is_some()),
        Cose::Protected => (Cose::Headers, is_map(content)),
        Cose::Payload => (Cose::Root, structure()),
        // Receipts, endorsements, countersignatures, and what they hold.
        Cose::Headers => (Cose::Headers, structure()),
        Cose::Root | Cose::Message { .. } | Cose::Layer | Cose::Nothing => return None,
    };
    opens.then_some(inner)
}

fn is_map(content: &[u8]) -> bool {
    matches!(content.first(), Some(0xa0..=0xbf)) && embedded(content).is_some()
}

/// A path, step by step: `/servers/1/"a/b"/<<>>/-1`, behind `#N` for item N of a sequence.
pub(crate) struct Path<'t> {
    pub(crate) index: Option<u64>,
    steps: Vec<&'t str>,
}

impl<'t> Path<'t> {
    /// Splits at each `/` that is not inside quotes or brackets.
    pub(crate) fn new(text: &'t str) -> Result<Self, String> {
        let wrong = || format!("path {text:?} begins with neither / nor #N/");
        let (index, rest) = match text.strip_prefix('#') {
            Some(text) => {
                let (index, rest) = text.split_once('/').unwrap_or((text, ""));
                (Some(index.parse().map_err(|_| wrong())?), rest)
            }
            None => (None, text.strip_prefix('/').ok_or_else(wrong)?),
        };
        let mut steps = Vec::new();
        let (mut start, mut depth, mut quote, mut escaped) = (0, 0_u32, None, false);
        for (at, c) in rest.char_indices() {
            match (quote, c) {
                (Some(_), _) if escaped => escaped = false,
                (Some(_), '\\') => escaped = true,
                (Some(open), _) if open == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '[' | '{' | '(') => depth += 1,
                (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
                (None, '/') if depth == 0 => {
                    steps.push(rest.get(start..at).unwrap_or_default());
                    start = at + 1;
                }
                (None, _) => {}
            }
        }
        let last = rest.get(start..).unwrap_or_default();
        if !last.is_empty() {
            steps.push(last);
        }
        Ok(Path { index, steps })
    }

    /// Goes to the item at the end of the path.
    pub(crate) fn find(&self, item: &[u8]) -> Result<Vec<u8>, String> {
        let mut at = item.to_vec();
        let mut way = String::new();
        for step in &self.steps {
            at = enter(&at, step).map_err(|why| {
                format!("{}: {why}", if way.is_empty() { "/" } else { way.as_str() })
            })?;
            way.push('/');
            way.push_str(step);
        }
        Ok(at)
    }
}

/// One step into an item. Tags are no steps.
fn enter(item: &[u8], step: &str) -> Result<Vec<u8>, String> {
    let mut at = item;
    loop {
        return match open(at).map_err(|error| error.to_string())? {
            Node::Tag(_, content) => {
                at = content;
                continue;
            }
            Node::Array(items) => {
                let index = step.parse::<usize>().ok();
                let found = index.and_then(|index| items.get(index));
                found.map(|part| part.to_vec()).ok_or_else(|| match items.len() {
                    0 => format!("no {step} in an empty array"),
                    n => format!("no {step} in an array of 0 to {}", n - 1),
                })
            }
            Node::Map(entries) => find_key(&entries, step).map(<[u8]>::to_vec).ok_or_else(|| {
                let keys: Vec<_> = entries.iter().map(|(key, _)| name(key)).collect();
                format!("no key {step} in a map that has {}", list(&keys))
            }),
            Node::Bytes(content) if step == INSIDE => embedded(&content)
                .map(<[u8]>::to_vec)
                .ok_or_else(|| "bytes that are not one item".into()),
            Node::Bytes(content) => Err(match embedded(&content) {
                Some(_) => format!("a byte string; {INSIDE} goes into it"),
                None => "a byte string has no parts".into(),
            }),
            Node::Scalar => Err("the item has no parts".into()),
        };
    }
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    match names {
        [] => "no keys".into(),
        _ if names.len() > SHOWN => {
            format!(
                "{} and {} more",
                names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "),
                names.len() - SHOWN
            )
        }
        _ => names.join(", "),
    }
}

/// A key as a step, without the slash.
pub(crate) fn name(key: &[u8]) -> String {
    edn::path_step(key).split_off(1)
}

/// The value of the key that a step names: by its data in notation, else as plain text. A step that ends in `…`
/// stands for a key that was cut.
fn find_key<'a>(entries: &[(&'a [u8], &'a [u8])], step: &str) -> Option<&'a [u8]> {
    let canonical = |bytes: &[u8]| Profile::CORE.canonicalize(bytes).ok();
    let notation = edn::parse(step).ok().and_then(|key| canonical(&key));
    let text = Profile::CORE.encode(step).ok();
    for wanted in [notation, text].into_iter().flatten() {
        let found = entries.iter().find(|(key, _)| canonical(key).is_some_and(|key| key == wanted));
        if let Some((_, value)) = found {
            return Some(value);
        }
    }
    entries.iter().find(|(key, _)| name(key) == step).map(|&(_, value)| value)
}
