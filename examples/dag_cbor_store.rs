//! A content-addressed store: nodes in DAG-CBOR, each found by the hash of its bytes.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::unwrap_used)]

use calibor::{Link, Profile, Rule};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::error::Error;

/// Blocks by the bytes of their CID.
#[derive(Default)]
struct Store(HashMap<Vec<u8>, Vec<u8>>);

impl Store {
    fn put<T: Serialize>(&mut self, node: &T) -> calibor::Result<Link> {
        let block = Profile::DAG_CBOR.encode(node)?;
        let link = link(&block);
        self.0.insert(link.as_bytes().to_vec(), block);
        Ok(link)
    }

    fn get<T: DeserializeOwned>(&self, link: &Link) -> Result<T, Box<dyn Error>> {
        let block = self.0.get(link.as_bytes()).ok_or("no such block")?;
        if self::link(block) != *link {
            return Err("the block is not what the link names".into());
        }
        Ok(Profile::DAG_CBOR.decode(block)?)
    }
}

/// The CID of a block: version 1, codec dag-cbor, SHA-256.
fn link(block: &[u8]) -> Link {
    let mut cid = vec![0x01, 0x71, 0x12, 0x20];
    cid.extend_from_slice(&Sha256::digest(block));
    Link::new(cid)
}

/// A post, and the one before it.
#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Post {
    text: String,
    #[serde(rename = "prev", skip_serializing_if = "Option::is_none")]
    before: Option<Link>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut store = Store::default();
    let first = store.put(&Post { text: "first".into(), before: None })?;
    let second = store.put(&Post { text: "second".into(), before: Some(first.clone()) })?;

    let mut next = Some(second);
    let mut texts = Vec::new();
    while let Some(link) = next {
        let post: Post = store.get(&link)?;
        texts.push(post.text);
        next = post.before;
    }
    assert_eq!(texts, ["second", "first"]);

    // The same node has one link, however it was put together.
    let mut map = HashMap::new();
    map.insert("text", "first");
    assert_eq!(store.put(&map)?, first);
    assert_eq!(store.0.len(), 2);

    // Bytes that could have another link for the same data are no block.
    let error = Profile::DAG_CBOR.check(b"\xa1\x64text\x7f\x61a\xff").unwrap_err(); // {"text": (_ "a")}
    assert_eq!(error.rule(), Some(Rule::IndefiniteLength));
    println!("{error}");
    Ok(())
}
