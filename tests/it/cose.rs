//! Real messages in plain serde structs, and the same bytes out of them again.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use calibor::{IntKeys, Profile, RawValue, Tagged, Value, to_vec};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::support::{Mismatches, path, to_hex};

/// A label: RFC 9052 §1.5.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum Label {
    Int(i64),
    Text(String),
}

/// Bytes by RFC 9052 §3.1; two of the working group's examples have text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum KeyId {
    Text(String),
    Bytes(ByteBuf),
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "1", skip_serializing_if = "Option::is_none")]
    algorithm: Option<Label>,
    #[serde(rename = "2", skip_serializing_if = "Option::is_none")]
    critical: Option<Vec<Label>>,
    #[serde(rename = "4", skip_serializing_if = "Option::is_none")]
    key_id: Option<KeyId>,
    #[serde(rename = "5", skip_serializing_if = "Option::is_none")]
    iv: Option<ByteBuf>,
    #[serde(flatten, with = "calibor::int_keys")]
    rest: BTreeMap<Label, Value>,
}

/// The unprotected header in the order it was sent, the protected one as it was signed.
#[derive(Serialize, Deserialize)]
struct Sign1<'a>(ByteBuf, #[serde(borrow)] RawValue<'a>, Option<ByteBuf>, ByteBuf);

#[derive(Serialize, Deserialize)]
struct Sign<'a>(
    ByteBuf,
    #[serde(borrow)] RawValue<'a>,
    Option<ByteBuf>,
    #[serde(borrow)] Vec<Signature<'a>>,
);

#[derive(Serialize, Deserialize)]
struct Signature<'a>(ByteBuf, #[serde(borrow)] RawValue<'a>, ByteBuf);

#[derive(Serialize, Deserialize)]
struct Encrypt0<'a>(ByteBuf, #[serde(borrow)] RawValue<'a>, Option<ByteBuf>);

#[derive(Serialize, Deserialize)]
struct Encrypt<'a>(
    ByteBuf,
    #[serde(borrow)] RawValue<'a>,
    Option<ByteBuf>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")] Vec<Encrypt<'a>>,
);

#[derive(Serialize, Deserialize)]
struct Mac<'a>(
    ByteBuf,
    #[serde(borrow)] RawValue<'a>,
    Option<ByteBuf>,
    ByteBuf,
    #[serde(borrow)] Vec<Encrypt<'a>>,
);

/// Both headers of a message or of a part of one.
type Headers<'m> = Vec<(&'m ByteBuf, &'m RawValue<'m>)>;

fn recipients<'m>(of: &'m [Encrypt<'_>], out: &mut Headers<'m>) {
    for recipient in of {
        out.push((&recipient.0, &recipient.1));
        recipients(&recipient.3, out);
    }
}

/// Reads the content of a message, gives its headers to a check, and writes it again.
fn again(kind: u64, content: &[u8], check: impl FnOnce(&Headers<'_>)) -> calibor::Result<Vec<u8>> {
    let p = Profile::VALID;
    let mut headers = Headers::new();
    match kind {
        // COSE_Sign1 and COSE_Mac0 have one form.
        17 | 18 => {
            let message: Sign1<'_> = p.decode(content)?;
            check(&vec![(&message.0, &message.1)]);
            p.encode(&message)
        }
        98 => {
            let message: Sign<'_> = p.decode(content)?;
            headers.push((&message.0, &message.1));
            headers.extend(message.3.iter().map(|s| (&s.0, &s.1)));
            check(&headers);
            p.encode(&message)
        }
        16 => {
            let message: Encrypt0<'_> = p.decode(content)?;
            check(&vec![(&message.0, &message.1)]);
            p.encode(&message)
        }
        96 => {
            let message: Encrypt<'_> = p.decode(content)?;
            headers.push((&message.0, &message.1));
            recipients(&message.3, &mut headers);
            check(&headers);
            p.encode(&message)
        }
        _ => {
            let message: Mac<'_> = p.decode(content)?;
            headers.push((&message.0, &message.1));
            recipients(&message.4, &mut headers);
            check(&headers);
            p.encode(&message)
        }
    }
}

/// The kind of message: the innermost tag, or where there is none that is of COSE, what the file's folder is about.
fn kind(name: &str, tags: &[u64]) -> u64 {
    match tags.last() {
        Some(tag @ (16..=18 | 96..=98)) => *tag,
        _ if name.starts_with("sign1") => 18,
        _ if name.starts_with("sign") => 98,
        _ if name.starts_with("mac0") => 17,
        _ if name.starts_with("mac") => 97,
        _ if name.starts_with("encrypted") => 16,
        _ => 96,
    }
}

fn message(name: &str, bytes: &[u8], out: &mut Mismatches) {
    let (mut tags, mut content) = (Vec::new(), RawValue::new(bytes).unwrap());
    while let Ok(tagged) = content.decode::<Tagged<RawValue<'_>>>() {
        tags.push(tagged.tag);
        content = tagged.value.into_owned();
    }
    let written = again(kind(name, &tags), content.as_bytes(), |headers| {
        for (protected, unprotected) in headers {
            let header = unprotected.decode::<IntKeys<Header>>();
            out.expect(header.is_ok(), || {
                format!("{name}: {unprotected}: {}", header.as_ref().unwrap_err())
            });
            let canonical = unprotected.check(Profile::CORE).is_ok();
            if let (true, Ok(header)) = (canonical, &header) {
                out.equal(name, &to_vec(header).unwrap(), &unprotected.as_bytes().to_vec());
            }
            if protected.is_empty() {
                continue;
            }
            let header = Profile::VALID.decode::<IntKeys<Header>>(protected);
            out.expect(header.is_ok(), || format!("{name}: {}", to_hex(protected)));
            if let (Ok(()), Ok(header)) = (Profile::CORE.check(protected), &header) {
                out.equal(name, &to_vec(header).unwrap(), &protected.to_vec());
            }
        }
    });
    match written {
        Ok(written) => {
            let tagged = tags.iter().rev().fold(written, |content, tag| {
                let content = RawValue::new(content).unwrap();
                Profile::VALID.encode(&Tagged::new(*tag, content)).unwrap()
            });
            out.expect(tagged == bytes, || format!("{name}: other bytes: {}", to_hex(&tagged)));
        }
        Err(error) => out.expect(false, || format!("{name}: {error}")),
    }
}

fn files(dir: PathBuf) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "cbor"))
        .map(|file| {
            (file.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&file).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn messages_beside_the_tests() {
    let mut out = Mismatches::of("COSE messages");
    for (name, bytes) in files(path("vectors/realworld/cose-wg-examples")) {
        message(&name, &bytes, &mut out);
    }
    out.finish();
}

#[test]
fn all_examples_of_the_working_group() {
    let dir = path("../shared/realworld/cose-wg-examples");
    if !dir.is_dir() {
        eprintln!("SKIPPED all_examples_of_the_working_group: {} is not there", dir.display());
        return;
    }
    let mut out = Mismatches::of("COSE messages");
    let files = files(dir);
    assert_eq!(files.len(), 306);
    for (name, bytes) in files {
        // One example fails by having five elements in a COSE_Mac0 that has four.
        if name != "mac-tests__mac-fail-01.cbor" {
            message(&name, &bytes, &mut out);
        }
    }
    out.finish();
}

/// What an authenticator says of a new credential: `WebAuthn` level 2 §6.5.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Attestation {
    fmt: String,
    att_stmt: Statement,
    auth_data: ByteBuf,
}

/// The statements of all formats, of which each has some of the fields.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Statement {
    #[serde(skip_serializing_if = "Option::is_none")]
    alg: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sig: Option<ByteBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x5c: Option<Vec<ByteBuf>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ver: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cert_info: Option<ByteBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub_area: Option<ByteBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<ByteBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<ByteBuf>,
}

/// RFC 9052 §7.1 and RFC 9053 §7.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    #[serde(rename = "1")]
    kind: i64,
    #[serde(rename = "3")]
    algorithm: i64,
    #[serde(rename = "-1")]
    curve_or_modulus: Value,
    #[serde(rename = "-2")]
    x_or_exponent: ByteBuf,
    #[serde(rename = "-3", skip_serializing_if = "Option::is_none")]
    y: Option<ByteBuf>,
}

#[test]
fn attestations_of_real_authenticators() {
    let dir = path("../shared/realworld/webauthn-rs");
    if !dir.is_dir() {
        eprintln!("SKIPPED attestations_of_real_authenticators: {} is not there", dir.display());
        return;
    }
    let files = files(dir);
    assert_eq!(files.len(), 20);
    let (mut out, mut keys) = (Mismatches::of("attestation objects"), 0);
    for (name, bytes) in files {
        let attestation = match Profile::CTAP2.decode::<Attestation>(&bytes) {
            Ok(attestation) => attestation,
            Err(error) => {
                out.expect(false, || format!("{name}: {error}"));
                continue;
            }
        };
        out.equal(&name, &Profile::CTAP2.encode(&attestation).unwrap(), &bytes);
        // Behind the hash, the flags, the counter and the identifiers there is a key, if flag 6 says so.
        let data = &attestation.auth_data;
        if data.len() < 55 || data[32] & 0x40 == 0 {
            continue;
        }
        let id = usize::from(u16::from_be_bytes([data[53], data[54]]));
        if data.len() < 55 + id {
            // The flag is set on data that was cut short in its source.
            continue;
        }
        let (key, rest): (IntKeys<Key>, _) = Profile::CTAP2.decode_first(&data[55 + id..]).unwrap();
        let tail = &data[55 + id..data.len() - rest.len()];
        out.equal(&name, &Profile::CTAP2.encode(&key).unwrap(), &tail.to_vec());
        keys += 1;
    }
    assert!(keys >= 15, "{keys} keys");
    out.finish();
}
