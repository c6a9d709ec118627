//! Maps that are put in order all at once, at the end.
//!
//! To put a map in order when it ends is to move all that is in it, so that a byte moves once for each unsorted map around
//! it. Where maps nest so deep that this adds up, only the order is kept, and one pass over the output follows it.

use alloc::vec::Vec;

/// To move so few bytes is cheaper than to remember where they belong. The inputs of fuzzing are small.
const FEW: usize = if cfg!(fuzzing) { 8 } else { 1024 };

/// The maps that are still to be put in order: each after those inside it.
#[derive(Debug, Default)]
pub(super) struct Later {
    maps: Vec<Unsorted>,
    /// The entries of all maps as ranges of the output, in canonical order.
    spans: Vec<(usize, usize)>,
    /// How many bytes were moved at once.
    moved: usize,
}

/// Entries that fill a range of the output and are in another order than they should be.
#[derive(Debug)]
struct Unsorted {
    start: usize,
    end: usize,
    /// The first of its spans, and the one after the last.
    first: usize,
    last: usize,
}

impl Later {
    /// True if a map whose entries are from `start` to `end`, which is the end of the output, should be put in order later,
    /// and counts what is moved if not. So a byte is moved a few times on average, however deep it is.
    #[inline(always)]
    pub(super) fn is_better(&mut self, start: usize, end: usize) -> bool {
        /// So many times is no more than shallow data takes.
        const OFTEN: usize = if cfg!(fuzzing) { 1 } else { 4 };
        let len = end - start;
        if len < FEW {
            return false;
        }
        // Inside of what moves, nothing may be put off, since it would no longer be there.
        if self.moved / OFTEN > end || self.is_since(start) {
            return true;
        }
        self.moved += len;
        false
    }

    #[inline(always)]
    pub(super) fn is_since(&self, from: usize) -> bool {
        self.maps.last().is_some_and(|map| map.start >= from)
    }

    #[cold]
    pub(super) fn put_off(
        &mut self,
        start: usize,
        end: usize,
        spans: impl Iterator<Item = (usize, usize)>,
    ) {
        let first = self.spans.len();
        self.spans.extend(spans);
        self.maps.push(Unsorted { start, end, first, last: self.spans.len() });
    }

    /// Follows `by` bytes that were put in behind `at`.
    #[cold]
    pub(super) fn shift(&mut self, at: usize, by: usize) {
        let inside = self.maps.iter().rposition(|map| map.start < at).map_or(0, |last| last + 1);
        let Some(map) = self.maps.get(inside) else { return };
        for (from, to) in &mut self.spans[map.first..] {
            *from += by;
            *to += by;
        }
        for map in &mut self.maps[inside..] {
            map.start += by;
            map.end += by;
        }
    }

    /// Puts all maps in order that begin at `from` or later.
    #[cold]
    pub(super) fn settle(&mut self, from: usize, out: &mut Vec<u8>) {
        let inside = self.maps.iter().rposition(|map| map.start < from).map_or(0, |last| last + 1);
        let maps = &mut self.maps[inside..];
        let Some(first) = maps.first().map(|map| map.first) else { return };
        maps.sort_unstable_by_key(|map| map.start);

        let start = maps[0].start;
        let copy = out.split_off(start);
        out.reserve(copy.len());
        // The ranges that are to come, the next one last, each with a number that is not above that of its first map.
        let mut ranges = Vec::new();
        let open = |number: usize, end: usize, ranges: &mut Vec<(usize, usize, usize)>| {
            let map = &maps[number];
            ranges.push((map.end, end, number + 1));
            let spans = self.spans[map.first..map.last].iter().rev();
            ranges.extend(spans.map(|&(from, to)| (from, to, number + 1)));
        };
        open(0, start + copy.len(), &mut ranges);
        while let Some((from, to, least)) = ranges.pop() {
            let next = if to - from < FEW { maps.len() } else { first_from(from, maps, least) };
            match maps.get(next).filter(|map| map.start < to) {
                Some(map) => {
                    out.extend_from_slice(&copy[from - start..map.start - start]);
                    open(next, to, &mut ranges);
                }
                None => out.extend_from_slice(&copy[from - start..to - start]),
            }
        }
        self.maps.truncate(inside);
        self.spans.truncate(first);
    }
}

/// The number of the first map that begins at `from` or behind it, which is rarely far from `least`.
fn first_from(from: usize, maps: &[Unsorted], least: usize) -> usize {
    let mut width = 1;
    while maps.get(least + width - 1).is_some_and(|map| map.start < from) {
        width *= 2;
    }
    let low = least + width / 2;
    let high = maps.len().min(least + width);
    low + maps[low..high].partition_point(|map| map.start < from)
}
