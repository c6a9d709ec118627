//! `calibor to-json`: RFC 8949 §6.1, with each loss named.

use crate::console::{Console, Fault, PLACE, RULE, paint};
use crate::input::{Form, Inputs, Lines};
use calibor::{Profile, Value};
use data_encoding::{BASE64, BASE64URL_NOPAD, HEXUPPER};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};
use std::collections::BTreeSet;

/// Converts items to JSON, as RFC 8949 section 6.1 advises
///
/// Byte strings become base64url (base64 under tag 22, hex under tag 23), other tags are dropped, keys that are
/// no text become text in diagnostic notation, and what JSON does not have becomes null. Each such loss is named
/// on standard error.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    lines: Lines,

    /// Refuses an item that JSON cannot hold without loss
    #[arg(long)]
    strict: bool,

    /// Breaks lines and indents
    #[arg(long, conflicts_with = "lines")]
    pretty: bool,

    /// Does not name what is lost
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor to-json FILE
  calibor to-json --strict --pretty FILE
  calibor to-json --seq < IN.cborseq > OUT.ndjson";

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        if self.lines.lines {
            return self.inputs.each_line(console, Form::Hex, &mut |_, bytes| {
                let (json, losses) = convert(bytes, false)?;
                match losses.first() {
                    Some((path, loss)) if self.strict => {
                        Err(Fault::Data(format!("{path}: {loss}")))
                    }
                    _ => Ok(json),
                }
            });
        }
        self.inputs.items(console, &mut |console, item| {
            let label = item.label();
            let (json, losses) =
                convert(item.bytes, self.pretty).map_err(|fault| item.named(fault))?;
            if let Some((path, loss)) = losses.first().filter(|_| self.strict) {
                return Err(Fault::Data(format!("{label}: {path}: {loss}")));
            }
            for (path, loss) in losses.iter().filter(|_| !self.quiet) {
                console.note(format_args!(
                    "{} {label}: {}: {loss}",
                    paint(RULE, "lost:"),
                    paint(PLACE, path)
                ));
            }
            console.line(json)
        })
    }
}

/// A path, and what is lost there.
type Loss = (String, &'static str);

/// An item as JSON, and where something of it is lost.
pub(crate) fn convert(item: &[u8], pretty: bool) -> Result<(String, Vec<Loss>), Fault> {
    let value: Value =
        Profile::VALID.decode(item).map_err(|error| Fault::Data(error.to_string()))?;
    if let Some(name) = collision(&value) {
        return Err(Fault::Data(format!("two keys of a map are {name:?} in JSON")));
    }
    let json = Json { value: &value, bytes: Bytes::Url };
    let text =
        if pretty { serde_json::to_string_pretty(&json) } else { serde_json::to_string(&json) };
    Ok((text.map_err(|error| Fault::Data(error.to_string()))?, losses(&value)))
}

/// What a byte string becomes, which tags 21 to 23 say for all below them.
#[derive(Clone, Copy)]
enum Bytes {
    Url,
    Base64,
    Hex,
}

impl Bytes {
    fn encode(self, bytes: &[u8]) -> String {
        match self {
            Bytes::Url => BASE64URL_NOPAD.encode(bytes),
            Bytes::Base64 => BASE64.encode(bytes),
            Bytes::Hex => HEXUPPER.encode(bytes),
        }
    }
}

/// A value as it is in JSON.
struct Json<'a> {
    value: &'a Value,
    bytes: Bytes,
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.bytes;
        match self.value {
            Value::Integer(n) => serializer.serialize_i128(*n),
            Value::Bytes(content) => serializer.serialize_str(&bytes.encode(content)),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Array(items) => {
                serializer.collect_seq(items.iter().map(|value| Json { value, bytes }))
            }
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    match key {
                        Value::Text(text) => map.serialize_key(text)?,
                        key => map.serialize_key(&key.to_string())?,
                    }
                    map.serialize_value(&Json { value, bytes })?;
                }
                map.end()
            }
            Value::Tag(tag, content) => match (tag, &**content) {
                (2, Value::Bytes(n)) => serializer.serialize_str(&BASE64URL_NOPAD.encode(n)),
                (3, Value::Bytes(n)) => {
                    serializer.serialize_str(&format!("~{}", BASE64URL_NOPAD.encode(n)))
                }
                (21, value) => Json { value, bytes: Bytes::Url }.serialize(serializer),
                (22, value) => Json { value, bytes: Bytes::Base64 }.serialize(serializer),
                (23, value) => Json { value, bytes: Bytes::Hex }.serialize(serializer),
                (_, value) => Json { value, bytes }.serialize(serializer),
            },
            Value::Bool(yes) => serializer.serialize_bool(*yes),
            Value::Float(float) if float.is_finite() => serializer.serialize_f64(*float),
            _ => serializer.serialize_unit(),
        }
    }
}

/// A name that two keys of one map have.
fn collision(value: &Value) -> Option<String> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Tag(_, content) => pending.push(content),
            Value::Map(entries) => {
                let mut names = BTreeSet::new();
                for (key, value) in entries {
                    let name = match key {
                        Value::Text(text) => text.clone(),
                        key => key.to_string(),
                    };
                    if !names.insert(name.clone()) {
                        return Some(name);
                    }
                    pending.push(value);
                }
            }
            _ => {}
        }
    }
    None
}

/// The places where JSON does not say all, in the order of the text.
fn losses(value: &Value) -> Vec<Loss> {
    let mut losses = Vec::new();
    let mut pending = vec![(String::new(), value)];
    while let Some((path, value)) = pending.pop() {
        let shown = if path.is_empty() { "/" } else { &path };
        if let Some(loss) = loss(value) {
            losses.push((shown.to_owned(), loss));
        }
        match value {
            Value::Array(items) => {
                let children = items.iter().enumerate();
                pending.extend(children.rev().map(|(i, item)| (format!("{path}/{i}"), item)));
            }
            Value::Map(entries) => {
                let step = |key: &Value| match key.encode(Profile::VALID) {
                    Ok(key) => calibor::edn::path_step(&key),
                    Err(_) => format!("/{key}"),
                };
                for (key, _) in entries.iter().filter(|(key, _)| !matches!(key, Value::Text(_))) {
                    losses.push((
                        format!("{path}{}", step(key)),
                        "a key that is no text became text",
                    ));
                }
                let children = entries.iter().rev();
                pending.extend(children.map(|(key, item)| (format!("{path}{}", step(key)), item)));
            }
            // The bytes of a bignum are no loss of their own.
            Value::Tag(2 | 3, content) if matches!(**content, Value::Bytes(_)) => {}
            Value::Tag(_, content) => pending.push((path, content)),
            _ => {}
        }
    }
    losses
}

fn loss(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bytes(_) => Some("a byte string became text"),
        Value::Tag(2 | 3, _) => Some("a bignum became text"),
        Value::Tag(..) => Some("a tag was dropped"),
        Value::Simple(23) => Some("undefined became null"),
        Value::Simple(_) => Some("a simple value became null"),
        Value::Float(float) if float.is_nan() => Some("NaN became null"),
        Value::Float(float) if float.is_infinite() => Some("an infinity became null"),
        _ => None,
    }
}
