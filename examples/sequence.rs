//! A log as a CBOR sequence (RFC 8742): appended one item at a time, read back in the memory of one item.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, clippy::unwrap_used)]

use calibor::{Category, Deserializer, Profile, to_writer};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write};

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Entry {
    at: u64,
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::temp_dir().join(format!("calibor-sequence-{}.cborseq", std::process::id()));

    // Each item goes out in one write, so that a log is never left with half of one by an error in the data.
    let mut log = OpenOptions::new().create(true).append(true).open(&path)?;
    for at in 0..1000 {
        to_writer(&mut log, &Entry { at, text: format!("entry {at}") })?;
    }
    log.write_all(b"\x61x")?; // "x", which is no entry
    to_writer(&mut log, &Entry { at: 1000, text: "last".into() })?;
    log.write_all(b"\xa2\x62at")?; // the machine stopped here
    drop(log);

    let reader = BufReader::new(File::open(&path)?);
    let mut entries = Deserializer::from_reader(reader).profile(Profile::CORE).into_iter::<Entry>();
    let (mut read, mut skipped, mut end) = (0, 0, None);
    loop {
        let start = entries.byte_offset();
        match entries.next() {
            Some(Ok(entry)) => {
                assert_eq!(entry.at, read);
                read += 1;
            }
            // An item of another type is stepped over.
            Some(Err(error)) if error.category() == Category::Data => skipped += 1,
            // After anything else there is no next item; the log is good up to here.
            Some(Err(error)) => end = Some((start, error)),
            None => break,
        }
    }
    assert_eq!((read, skipped), (1001, 1));
    let (good, error) = end.ok_or("the log is whole")?;
    assert_eq!(error.category(), Category::Eof);
    println!("{read} entries, {skipped} skipped, {error}; whole up to byte {good}");

    OpenOptions::new().write(true).open(&path)?.set_len(good)?;
    let whole = BufReader::new(File::open(&path)?);
    let items = Deserializer::from_reader(whole).into_iter::<serde::de::IgnoredAny>();
    assert_eq!(items.collect::<Result<Vec<_>, _>>()?.len(), 1002);
    std::fs::remove_file(&path)?;
    Ok(())
}
