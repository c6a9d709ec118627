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

/// The items in byte strings that hold one and are meant to: under tag 24, and in COSE messages.
pub(crate) fn embedded_items(item: &[u8]) -> Vec<Embedded> {
    let mut found = Vec::new();
    let first = Embedded { path: String::new(), offset: 0, bytes: item.to_vec() };
    let mut pending = vec![(first, false)];
    while let Some((outer, cose)) = pending.pop() {
        let inner = below(&outer, cose);
        if !outer.path.is_empty() {
            found.push(outer);
        }
        pending.extend(inner.into_iter().rev());
    }
    found
}

/// An item in a byte string, the path of the string and `<<>>`, and where it begins in the outermost item.
pub(crate) struct Embedded {
    pub(crate) path: String,
    pub(crate) offset: usize,
    pub(crate) bytes: Vec<u8>,
}

/// What is embedded directly in an item, and whether it is part of a COSE message.
fn below(outer: &Embedded, cose: bool) -> Vec<(Embedded, bool)> {
    const COSE: [u64; 6] = [16, 17, 18, 96, 97, 98];
    let mut found = Vec::new();
    let mut pending = vec![(outer.path.clone(), &outer.bytes[..], cose, cose)];
    while let Some((path, item, cose, wanted)) = pending.pop() {
        let mut children = match open(item).unwrap_or(Node::Scalar) {
            Node::Array(items) => (0_usize..)
                .zip(items)
                .map(|(i, part)| (format!("{path}/{i}"), part, cose, cose))
                .collect(),
            Node::Map(entries) => entries
                .into_iter()
                .map(|(key, part)| (format!("{path}{}", edn::path_step(key)), part, cose, cose))
                .collect(),
            Node::Tag(tag, content) => {
                let cose = cose || COSE.contains(&tag);
                vec![(path, content, cose, cose || tag == 24)]
            }
            Node::Bytes(content) if wanted && holds_structure(&content) => {
                let start = item.as_ptr().addr() - outer.bytes.as_ptr().addr();
                // Chunks are not in one place: then it is that of the string.
                let chunked = item.first() == Some(&0x5f);
                let head = if chunked { 0 } else { item.len() - content.len() };
                let offset = outer.offset + start + head;
                let path = format!("{path}/{INSIDE}");
                found.push((Embedded { path, offset, bytes: content }, cose));
                Vec::new()
            }
            Node::Bytes(_) | Node::Scalar => Vec::new(),
        };
        children.reverse();
        pending.append(&mut children);
    }
    found
}

/// True for one array, map or tag; a scalar is too easily something else.
fn holds_structure(content: &[u8]) -> bool {
    content.first().is_some_and(|first| (0x80..0xe0).contains(first)) && embedded(content).is_some()
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
                format!("no key {step} in a map of {}", list(&keys))
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
