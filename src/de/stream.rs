//! CBOR sequences.

use super::Deserializer;
use super::read::READER_AHEAD;
use crate::error::{Category, Result};
use crate::input::Input;
use crate::order::Seen;
use crate::profile::Profile;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use serde_core::de::Deserialize;

/// A CBOR sequence (RFC 8742), item by item.
///
/// Memory is that of one item. After an item that does not fit the type the next one is read; after a fault of
/// the grammar nothing can be, and the iterator ends.
///
/// ```
/// use calibor::Deserializer;
///
/// let mut numbers = Deserializer::from_slice(b"\x01\x61a\x02").into_iter::<u8>(); // 1, "a", 2
/// assert_eq!(numbers.next().unwrap()?, 1);
/// assert!(numbers.next().unwrap().is_err());
/// assert_eq!(numbers.next().unwrap()?, 2);
/// assert!(numbers.next().is_none());
/// assert_eq!(numbers.byte_offset(), 4);
/// # Ok::<(), calibor::Error>(())
/// ```
pub struct StreamDeserializer<'de, I, T> {
    deserializer: Deserializer<I>,
    done: bool,
    target: PhantomData<fn(&'de ()) -> T>,
}

impl<I, T> fmt::Debug for StreamDeserializer<'_, I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamDeserializer").field("done", &self.done).finish_non_exhaustive()
    }
}

impl<'de, I: Input<'de>, T> StreamDeserializer<'de, I, T> {
    pub(super) fn new(deserializer: Deserializer<I>) -> Self {
        StreamDeserializer { deserializer, done: false, target: PhantomData }
    }

    /// Bytes of the items read so far.
    #[must_use]
    pub fn byte_offset(&self) -> u64 {
        self.deserializer.byte_offset()
    }
}

impl<'de, I: Input<'de>, T: Deserialize<'de>> StreamDeserializer<'de, I, T> {
    fn item(&mut self) -> Result<Option<T>> {
        let de = &mut self.deserializer;
        match de.scan.input.peek() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(error) => {
                self.done = true;
                return Err(error);
            }
        }
        let start = de.scan.offset();
        de.scan.restart();
        de.wrapped = 0;
        de.seen = Seen::default();
        de.promises = de.promises.max(READER_AHEAD);
        de.scan.input.hold();
        let result = T::deserialize(&mut *de);
        if let Err(error) = &result {
            let resumable = matches!(error.category(), Category::Data | Category::Profile);
            self.done = !resumable || de.resume(start).is_err();
        }
        result.map(Some)
    }
}

impl<'de, I: Input<'de>> Deserializer<I> {
    /// Goes to the end of the item that begins at `start` and could not be used.
    #[cold]
    fn resume(&mut self, start: u64) -> Result<()> {
        self.scan.input.rewind(start);
        self.scan.restart();
        self.seen = Seen::default();
        let limit = self.scan.limit();
        self.scan.set_profile(Profile::WELL_FORMED.max_depth(limit));
        let skipped = self.skip();
        self.scan.set_profile(self.profile);
        self.scan.set_limit(limit);
        skipped
    }
}

impl<'de, I: Input<'de>, T: Deserialize<'de>> FusedIterator for StreamDeserializer<'de, I, T> {}

impl<'de, I: Input<'de>, T: Deserialize<'de>> Iterator for StreamDeserializer<'de, I, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.done {
            return None;
        }
        let item = self.item().transpose();
        if item.is_none() {
            self.done = true;
        }
        item
    }
}
