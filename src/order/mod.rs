//! Every rule about sibling keys: the three orders, duplicates, and the sorter of written maps.

mod later;

use crate::head::{self, Major, argument_len};
use crate::profile::Order;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;
use core::ops::Range;
use later::Later;

/// Compares two encoded keys; by bytes where a profile has no order, so that equal keys can be found.
#[inline]
pub(crate) fn compare(order: Order, a: &[u8], b: &[u8]) -> Ordering {
    match order {
        Order::None | Order::Bytewise => a.cmp(b),
        Order::LengthFirst => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        Order::MajorLength => {
            let major = |key: &[u8]| key.first().map(|first| first >> 5);
            major(a).cmp(&major(b)).then_with(|| compare(Order::LengthFirst, a, b))
        }
    }
}

/// Compares two text keys. Their heads carry the length, so all orders agree: shorter first, then bytewise.
#[inline(always)]
pub(crate) fn compare_text(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

/// True for a key that is written in the one form that equal keys share: an integer or a string with the
/// shortest head. Others are rewritten before they are compared (RFC 8949 §5.6.1).
#[inline]
pub(crate) fn is_plain(key: &[u8]) -> bool {
    match key {
        [first, rest @ ..] if *first < 0x80 => match (first & 31, rest) {
            (0..24, _) => true,
            (24, [a, ..]) => *a >= 24,
            (25, [a, ..]) => *a != 0,
            (26, [a, b, ..]) => *a != 0 || *b != 0,
            (27, [a, b, c, d, ..]) => [*a, *b, *c, *d] != [0; 4],
            _ => false,
        },
        _ => false,
    }
}

/// A key that is remembered: where it was in the input, and its rewritten form if it is not plain.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// The number of its form in [`Seen`], from 1; 0 for a plain key.
    form: usize,
}

/// The keys of all open maps that have to be remembered, innermost last.
#[derive(Default)]
pub(crate) struct Seen {
    keys: Vec<Kept>,
    /// Rewritten keys one after the other, and where each ends.
    forms: Vec<u8>,
    ends: Vec<usize>,
    /// Only where violations are collected, which need to know at once.
    sets: Vec<BTreeSet<Box<[u8]>>>,
}

/// Where a map's keys begin in [`Seen`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    keys: usize,
    forms: usize,
    ends: usize,
}

impl Mark {
    pub(crate) const NONE: Mark = Mark { keys: 0, forms: 0, ends: 0 };
}

impl Seen {
    pub(crate) fn mark(&self) -> Mark {
        Mark { keys: self.keys.len(), forms: self.forms.len(), ends: self.ends.len() }
    }

    pub(crate) fn keep_plain(&mut self, from: u64, to: u64) {
        self.keys.push(Kept { from, to, form: 0 });
    }

    /// Remembers a key by the form that `rewrite` appends.
    pub(crate) fn keep(&mut self, from: u64, to: u64, rewrite: impl FnOnce(&mut Vec<u8>)) {
        rewrite(&mut self.forms);
        self.ends.push(self.forms.len());
        self.keys.push(Kept { from, to, form: self.ends.len() });
    }

    pub(crate) fn open_set(&mut self) {
        self.sets.push(BTreeSet::new());
    }

    /// Adds a key to the innermost map's set; false if it was there.
    pub(crate) fn insert(&mut self, key: &[u8]) -> bool {
        match self.sets.last_mut() {
            Some(set) if set.contains(key) => false,
            Some(set) => set.insert(key.into()),
            None => true,
        }
    }

    pub(crate) fn close_set(&mut self) {
        self.sets.pop();
    }

    pub(crate) fn is_empty_since(&self, mark: Mark) -> bool {
        self.keys.len() == mark.keys
    }

    /// Forgets the keys of a map, and finds the first that was there twice. `held` reads the input.
    pub(crate) fn close<'a>(
        &mut self,
        mark: Mark,
        held: impl Fn(u64, u64) -> &'a [u8],
    ) -> Option<Kept> {
        let (forms, ends) = (&self.forms, &self.ends);
        let bytes = |key: &Kept| match key.form {
            0 => held(key.from, key.to),
            1 => &forms[..ends[0]],
            form => &forms[ends[form - 2]..ends[form - 1]],
        };
        let keys = &mut self.keys[mark.keys..];
        let mut repeated = None;
        if !keys.is_sorted_by(|a, b| bytes(a) < bytes(b)) {
            keys.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)).then(a.from.cmp(&b.from)));
            repeated = keys
                .windows(2)
                .filter(|pair| bytes(&pair[0]) == bytes(&pair[1]))
                .map(|pair| pair[1])
                .min_by_key(|key| key.from);
        }
        self.keys.truncate(mark.keys);
        self.forms.truncate(mark.forms);
        self.ends.truncate(mark.ends);
        repeated
    }
}

/// The smallest text key as a word: the empty string.
pub(crate) const TEXT: u64 = 0x60 << 56;

/// The first eight bytes of a key as a number, zeros behind a shorter one. Encoded keys are prefix-free, so
/// that of two different words the smaller belongs to the smaller key.
#[inline(always)]
pub(crate) const fn word_of(bytes: u64, len: usize) -> u64 {
    if len < 8 { bytes & !(u64::MAX >> (8 * len)) } else { bytes }
}

/// An entry of a map that is being written: key and value are neighbours in the output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) start: usize,
    pub(crate) value: usize,
    pub(crate) end: usize,
    word: u64,
}

impl Entry {
    /// Finds the word of the key.
    #[inline(always)]
    fn look(&mut self, out: &[u8]) -> u64 {
        let word = match (out[self.start..].first_chunk(), out.last_chunk()) {
            (Some(word), _) => u64::from_be_bytes(*word),
            // What is before the key leaves at the top.
            (None, Some(word)) => u64::from_be_bytes(*word) << (8 * (8 + self.start - out.len())),
            (None, None) => {
                let mut word = [0; 8];
                word[..out.len() - self.start].copy_from_slice(&out[self.start..]);
                u64::from_be_bytes(word)
            }
        };
        self.word = word_of(word, self.value - self.start);
        self.word
    }

    #[inline(always)]
    fn is_text(&self) -> bool {
        self.word >> 61 == 3
    }

    /// True if the words alone decide between two keys, unless they are the same.
    #[inline(always)]
    fn by_word(&self, other: &Entry, order: Order) -> bool {
        matches!(order, Order::Bytewise | Order::None) || self.is_text() && other.is_text()
    }

    #[inline(always)]
    fn compare(&self, other: &Entry, order: Order, out: &[u8]) -> Ordering {
        if self.word != other.word && self.by_word(other, order) {
            return self.word.cmp(&other.word);
        }
        compare(order, &out[self.start..self.value], &out[other.start..other.value])
    }
}

/// Maps of so many entries are sorted by insertion.
const SMALL: usize = 24;

/// The entries of all open maps and the fields of all open structs, innermost last; puts them in order in place.
pub(crate) struct Sorter {
    entries: Vec<Entry>,
    fields: Vec<Field>,
    /// The structs that are known to have fields in another than the canonical order, by [`Sorter::slot`].
    unordered: u64,
    memory: Option<Box<Memory>>,
    later: Later,
}

impl Default for Sorter {
    #[inline]
    fn default() -> Self {
        let mut memory = recall();
        let (entries, fields, unordered) = match &mut memory {
            Some(memory) => {
                (mem::take(&mut memory.entries), mem::take(&mut memory.fields), memory.unordered)
            }
            None => (Vec::new(), Vec::new(), 0),
        };
        Sorter { entries, fields, unordered, memory, later: Later::default() }
    }
}

impl Sorter {
    /// How many entries there are: where those of a map that begins now will be.
    #[inline(always)]
    pub(crate) fn mark(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry. Its key is looked at when the map ends: bytes that were only just written are slow to read.
    #[inline(always)]
    pub(crate) fn push(&mut self, start: usize, value: usize, end: usize) {
        self.entries.push(Entry { start, value, end, word: 0 });
    }

    /// Adds an entry of which only the beginning is known yet; [`complete`](Self::complete) finds the rest.
    #[inline(always)]
    pub(crate) fn push_start(&mut self, start: usize) {
        self.push(start, start, start);
    }

    #[inline]
    pub(crate) fn entries(&mut self, base: usize) -> &mut [Entry] {
        &mut self.entries[base..]
    }

    /// Forgets the entries from `base` on.
    #[inline(always)]
    pub(crate) fn forget(&mut self, base: usize) {
        self.entries.truncate(base);
    }

    /// Finds where keys and values end, of entries whose keys are integers or definite-length strings.
    pub(crate) fn complete(&mut self, base: usize, out: &[u8]) {
        let mut end = out.len();
        for entry in self.entries(base).iter_mut().rev() {
            entry.value = entry.start + key_len(&out[entry.start..end]);
            entry.end = end;
            entry.look(out);
            end = entry.start;
        }
    }

    /// Puts the entries from `base` on in order and forgets them. Equal keys come back as their range in `out`.
    pub(crate) fn close(
        &mut self,
        base: usize,
        out: &mut Vec<u8>,
        order: Order,
        unique: bool,
    ) -> Result<(), Range<usize>> {
        let entries = &mut self.entries[base..];
        if are_ascending(entries.iter_mut().map(|entry| entry.look(out)), order) {
            self.forget(base);
            return Ok(());
        }
        self.close_unordered(base, out, order, unique)
    }

    /// The same for entries that are complete and known not to be in order.
    pub(crate) fn close_unordered(
        &mut self,
        base: usize,
        out: &mut Vec<u8>,
        order: Order,
        unique: bool,
    ) -> Result<(), Range<usize>> {
        let entries = &mut self.entries[base..];
        let small = (1..=SMALL).contains(&entries.len());
        let arranged = small && arrange(&mut self.memory, entries, out, order, &mut self.later);
        let result = if arranged { Ok(()) } else { sort(entries, out, order, &mut self.later) };
        self.forget(base);
        if unique { result } else { Ok(()) }
    }

    /// Moves what was put off of all from `from` on.
    #[inline(always)]
    pub(crate) fn settle(&mut self, from: usize, out: &mut Vec<u8>) {
        if self.later.is_since(from) {
            self.later.settle(from, out);
        }
    }

    /// Gives the container at `at`, written behind a one-byte head, the head it should have.
    #[inline(always)]
    pub(crate) fn set_head(&mut self, out: &mut Vec<u8>, at: usize, major: Major, argument: u64) {
        let end = out.len();
        head::set_head(out, at, major, argument);
        if self.later.is_since(at) {
            self.later.shift(at, out.len() - end);
        }
    }

    /// Which bit of `unordered` a struct has.
    #[inline(always)]
    pub(crate) fn slot(name: &'static str) -> u32 {
        hash(name.as_ptr().addr() as u64, 6)
    }

    #[inline(always)]
    pub(crate) fn is_unordered(&self, slot: u32) -> bool {
        self.unordered >> slot & 1 != 0
    }

    pub(crate) fn set_unordered(&mut self, slot: u32) {
        self.unordered |= 1 << slot;
    }

    /// How many fields there are: where those of a struct that begins now will be.
    #[inline(always)]
    pub(crate) fn mark_fields(&self) -> usize {
        self.fields.len()
    }

    #[inline(always)]
    pub(crate) fn push_field(&mut self, name: &'static str, start: usize) {
        self.fields.push(Field { address: name.as_ptr().addr(), start, len: name.len() });
    }

    /// A field of which only the place is known.
    pub(crate) fn push_nameless(&mut self, start: usize) {
        self.fields.push(Field { address: 0, start, len: 0 });
    }

    /// Forgets the fields from `base` on.
    #[inline(always)]
    pub(crate) fn forget_fields(&mut self, base: usize) {
        self.fields.truncate(base);
    }

    /// Makes entries of the fields from `base` on, whose keys are integers or definite-length strings.
    pub(crate) fn fields_to_entries(&mut self, base: usize, out: &[u8]) {
        for field in &self.fields[base..] {
            let start = field.start;
            self.entries.push(Entry { start, value: start, end: start, word: 0 });
        }
        let first = self.entries.len() - (self.fields.len() - base);
        self.complete(first, out);
        self.forget_fields(base);
    }

    /// Puts the fields from `base` on in order and forgets them. Equal names come back as the range of one.
    #[inline]
    pub(crate) fn sort_struct(
        &mut self,
        base: usize,
        out: &mut Vec<u8>,
        order: Order,
    ) -> Result<(), Range<usize>> {
        self.push_nameless(out.len());
        let fields = &self.fields[base..];
        let memory = self.memory.get_or_insert_default();
        let mut result = Ok(());
        if let Some(layout) = memory.layout(fields) {
            layout.arrange(fields, out, order, &mut self.later);
        } else {
            result = Layout::learn(fields, out).map(|layout| {
                layout.arrange(fields, out, order, &mut self.later);
                memory.keep_layout(fields, layout);
            });
        }
        self.forget_fields(base);
        result
    }
}

/// A field of a struct that is being written.
#[derive(Clone, Copy)]
struct Field {
    /// Of the name, which lives as long as the program, so that equal ones are the same name. It is not beside the length,
    /// or both would be compared as one, before they have been written: that takes long.
    address: usize,
    start: usize,
    len: usize,
}

impl Field {
    fn is_nameless(&self) -> bool {
        self.address == 0
    }
}

/// The orders that small maps and structs were put in, and the space it took. Types are written many times, and their
/// fields come the same way each time.
#[derive(Default)]
struct Memory {
    known: [Known; 8],
    layouts: Vec<Layout>,
    /// One more than the place of a layout, by its first name; 0 for none.
    places: Vec<u8>,
    unordered: u64,
    entries: Vec<Entry>,
    fields: Vec<Field>,
}

/// The canonical order of a struct's fields.
struct Layout {
    /// Their addresses and lengths.
    names: Vec<(usize, usize)>,
    /// The fields in order, those together that are neighbours already: of each run the first, and the one after it.
    runs: Vec<(u32, u32)>,
    /// How many fields are in place.
    settled: usize,
}

impl Layout {
    /// Learns from fields and the end of the last one. Equal names come back as the range of one.
    #[cold]
    fn learn(fields: &[Field], out: &[u8]) -> Result<Self, Range<usize>> {
        let fields = &fields[..fields.len() - 1];
        let range = |i: u32| {
            let start = fields[i as usize].start;
            start..start + key_len(&out[start..])
        };
        let name = |i: u32| &out[range(i)];
        let mut sorted: Vec<u32> = (0..).take(fields.len()).collect();
        sorted.sort_unstable_by(|&a, &b| name(a).cmp(name(b)));
        if let Some(pair) = sorted.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
            return Err(range(pair[0].max(pair[1])));
        }
        let names = fields.iter().map(|field| (field.address, field.len)).collect();
        let settled = sorted.iter().zip(0..).take_while(|(to, from)| *to == from).count();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for &i in &sorted[settled..] {
            match runs.last_mut() {
                Some((_, end)) if *end == i => *end += 1,
                _ => runs.push((i, i + 1)),
            }
        }
        Ok(Layout { names, runs, settled })
    }

    #[inline(always)]
    fn is_of(&self, fields: &[Field]) -> bool {
        self.names.len() + 1 == fields.len()
            && self
                .names
                .iter()
                .zip(fields)
                .all(|(name, field)| name.0 == field.address && name.1 == field.len)
    }

    #[inline(always)]
    fn arrange(&self, fields: &[Field], out: &mut Vec<u8>, order: Order, later: &mut Later) {
        // Without an order only equal names are looked for.
        if order == Order::None || self.runs.is_empty() {
            return;
        }
        let start = |i: u32| fields.get(i as usize).map_or(0, |field| field.start);
        let spans = self.runs.iter().map(|&(from, to)| (start(from), start(to)));
        rearrange(out, fields[self.settled].start, spans, later);
    }
}

impl Memory {
    /// The order of the fields of a struct, if it was kept.
    #[inline(always)]
    fn layout(&self, fields: &[Field]) -> Option<&Layout> {
        let slot = hash(fields.first()?.address as u64, 8);
        let place = usize::from(*self.places.get(slot as usize)?);
        self.layouts.get(place.wrapping_sub(1)).filter(|layout| layout.is_of(fields))
    }

    #[cold]
    fn keep_layout(&mut self, fields: &[Field], layout: Layout) {
        let Some(first) = fields.first().filter(|field| !field.is_nameless()) else { return };
        self.places.resize(256, 0);
        let place = &mut self.places[hash(first.address as u64, 8) as usize];
        match usize::from(*place).checked_sub(1) {
            // Two types that meet in one slot take turns.
            Some(place) => self.layouts[place] = layout,
            None if self.layouts.len() < 255 => {
                self.layouts.push(layout);
                *place = self.layouts.len().to_le_bytes()[0];
            }
            None => {}
        }
    }
}

/// Spreads a number over so many bits: the top of its product with 2^64 by the golden ratio.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "at most 32 bits are left")]
fn hash(number: u64, bits: u32) -> u32 {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as u32
}

/// The order of the keys of one kind of map, which is told by its first key and their number. What is remembered is only
/// tried; other keys fail the test.
#[derive(Clone, Copy, Default)]
struct Known {
    word: u64,
    len: u8,
    order: [u8; SMALL],
}

#[cfg(feature = "std")]
std::thread_local! {
    /// What one encode learns serves the next, since messages are short and many.
    static MEMORY: core::cell::Cell<Option<Box<Memory>>> = const { core::cell::Cell::new(None) };
}

#[inline(always)]
fn recall() -> Option<Box<Memory>> {
    #[cfg(feature = "std")]
    return MEMORY.try_with(core::cell::Cell::take).ok().flatten();
    #[cfg(not(feature = "std"))]
    None
}

#[cfg(feature = "std")]
impl Drop for Sorter {
    fn drop(&mut self) {
        /// More entries than these are not worth their space.
        const KEPT: usize = 1024;
        let used = self.entries.capacity() != 0 || self.fields.capacity() != 0;
        if self.memory.is_none() && !used {
            return;
        }
        let mut memory = self.memory.take().unwrap_or_default();
        memory.unordered = self.unordered;
        if self.entries.capacity() <= KEPT {
            self.entries.clear();
            memory.entries = mem::take(&mut self.entries);
        }
        if self.fields.capacity() <= KEPT {
            self.fields.clear();
            memory.fields = mem::take(&mut self.fields);
        }
        let _ = MEMORY.try_with(|kept| kept.set(Some(memory)));
    }
}

/// Puts a few entries in order that are the end of the output, if the words of their keys decide.
#[inline]
fn arrange(
    memory: &mut Option<Box<Memory>>,
    entries: &[Entry],
    out: &mut Vec<u8>,
    order: Order,
    later: &mut Later,
) -> bool {
    let (first, count) = (entries[0], entries.len());
    let slot = hash(first.word, 3);
    let known = &mut memory.get_or_insert_default().known[slot as usize];
    let word = |&i: &u8| entries[usize::from(i)].word;
    let same = known.word == first.word && usize::from(known.len) == count;
    if !same || !are_ascending(known.order[..count].iter().map(word), order) {
        let Some(sorted) = learn(entries, order) else { return false };
        *known = Known { word: first.word, len: count.to_le_bytes()[0], order: sorted };
    }
    let sorted = known.order[..count].iter().map(|&i| &entries[usize::from(i)]);
    rearrange_entries(out, first.start, sorted, later);
    true
}

/// The order of entries by the words of their keys, if those decide. The place of each is counted by comparing all pairs,
/// which for a few is cheaper than to sort: whether a key of a hash map is less than another nobody can guess.
#[inline(never)]
fn learn(entries: &[Entry], order: Order) -> Option<[u8; SMALL]> {
    let (mut places, mut sorted) = ([0; SMALL], [0; SMALL]);
    for (i, entry) in entries.iter().enumerate() {
        let mut place = 0;
        for (before, other) in places.iter_mut().zip(&entries[..i]) {
            let follows = u8::from(other.word < entry.word);
            place += follows;
            *before += 1 - follows;
        }
        places[i] = place;
    }
    for (place, i) in places.iter().zip(0..).take(entries.len()) {
        sorted[usize::from(*place)] = i;
    }
    let words = sorted[..entries.len()].iter().map(|&i| entries[usize::from(i)].word);
    are_ascending(words, order).then_some(sorted)
}

/// True if a look at the words tells that the keys are in order.
#[inline(always)]
fn are_ascending(mut words: impl Iterator<Item = u64>, order: Order) -> bool {
    let Some(mut previous) = words.next() else { return true };
    let (mut ascending, mut text) = (true, previous >> 61 == 3);
    for word in words {
        ascending &= previous < word;
        text &= word >> 61 == 3;
        previous = word;
    }
    ascending && (text && order != Order::None || order == Order::Bytewise)
}

/// Bytes of an integer or a definite-length string.
#[inline(always)]
pub(crate) fn key_len(key: &[u8]) -> usize {
    match key {
        [first @ 0x60..=0x77, ..] => 1 + usize::from(first & 31),
        [first, argument @ ..] => {
            let len = argument_len(first & 31);
            let content = match first {
                ..0x40 => 0,
                _ if len == 0 => usize::from(first & 31),
                _ => argument[..len].iter().fold(0, |n, &byte| n << 8 | usize::from(byte)),
            };
            1 + len + content
        }
        [] => 0,
    }
}

/// Puts entries in order, in place. Equal keys come back as their range.
fn sort(
    entries: &mut [Entry],
    out: &mut Vec<u8>,
    order: Order,
    later: &mut Later,
) -> Result<(), Range<usize>> {
    let Some(start) = entries.first().map(|entry| entry.start) else { return Ok(()) };
    if entries.len() <= SMALL {
        insertion_sort(entries, order, out)?;
    } else {
        if entries.is_sorted_by(|a, b| a.compare(b, order, out).is_lt()) {
            return Ok(());
        }
        entries.sort_unstable_by(|a, b| a.compare(b, order, out));
        let equal = |pair: &&[Entry]| pair[0].compare(&pair[1], order, out).is_eq();
        if let Some(pair) = entries.windows(2).find(equal) {
            return Err(pair[1].start..pair[1].value);
        }
    }
    // Without an order only equal keys were looked for; the entries stay where they are.
    if order != Order::None {
        rearrange_entries(out, start, entries.iter(), later);
    }
    Ok(())
}

/// Moves the spans of which the output consists from `start` on to where they belong, with a copy of them: on the stack,
/// or behind the output; or puts that off.
#[inline(always)]
fn rearrange(
    out: &mut Vec<u8>,
    start: usize,
    spans: impl Iterator<Item = (usize, usize)>,
    later: &mut Later,
) {
    const FEW: usize = if cfg!(fuzzing) { 0 } else { 128 };
    let (end, len) = (out.len(), out.len() - start);
    if len <= FEW {
        let mut copy = [0; FEW + BLOCK];
        copy[..len].copy_from_slice(&out[start..]);
        // Blocks need room behind them, for which nothing is moved.
        if out.capacity() - end >= BLOCK {
            out.extend_from_slice(&[0; BLOCK]);
        }
        gather(&mut out[start..], &copy, start, spans);
    } else if later.is_better(start, end) {
        later.put_off(start, end, spans);
        return;
    } else {
        out.reserve(len + 2 * BLOCK);
        out.extend_from_slice(&[0; BLOCK]);
        out.extend_from_within(start..end);
        out.extend_from_slice(&[0; BLOCK]);
        let (target, copy) = out.split_at_mut(end + BLOCK);
        gather(&mut target[start..], copy, start, spans);
    }
    out.truncate(end);
}

/// Copies spans one after the other, from what was at `start`.
#[inline(always)]
fn gather(
    mut target: &mut [u8],
    copy: &[u8],
    start: usize,
    spans: impl Iterator<Item = (usize, usize)>,
) {
    for (from, to) in spans {
        let len = to - from;
        put(target, &copy[from - start..], len);
        target = &mut target[len..];
    }
}

/// Moves entries, of which the first are often in place.
#[inline]
fn rearrange_entries<'a, I>(out: &mut Vec<u8>, mut start: usize, entries: I, later: &mut Later)
where
    I: Iterator<Item = &'a Entry> + Clone,
{
    let mut settled = 0;
    for entry in entries.clone() {
        if entry.start != start {
            break;
        }
        start = entry.end;
        settled += 1;
    }
    if start != out.len() {
        let spans = entries.skip(settled).map(|entry| (entry.start, entry.end));
        rearrange(out, start, spans, later);
    }
}

const BLOCK: usize = 64;
const HALF: usize = BLOCK / 2;

/// Copies bytes. A few are copied as a block with what follows them, which is overwritten afterwards: cheaper than
/// a copy of a length that nobody knows.
#[inline(always)]
fn put(target: &mut [u8], bytes: &[u8], len: usize) {
    if len <= HALF {
        if let (Some(target), Some(block)) = (target.first_chunk_mut(), bytes.first_chunk()) {
            put_half(target, block);
            return;
        }
    } else if len <= BLOCK {
        if let (Some(target), Some(block)) =
            (target.first_chunk_mut::<BLOCK>(), bytes.first_chunk::<BLOCK>())
        {
            if let (Some(target), Some(block)) = (target.first_chunk_mut(), block.first_chunk()) {
                put_half(target, block);
            }
            if let (Some(target), Some(block)) = (target.last_chunk_mut(), block.last_chunk()) {
                put_half(target, block);
            }
            return;
        }
    }
    target[..len].copy_from_slice(&bytes[..len]);
}

/// By words, since the compiler would make copies of two lengths one call, with a length that nobody knows.
#[inline(always)]
fn put_half(target: &mut [u8; HALF], block: &[u8; HALF]) {
    if let (Some(target), Some(word)) = (target.first_chunk_mut(), block.first_chunk()) {
        *target = u128::from_ne_bytes(*word).to_ne_bytes();
    }
    if let (Some(target), Some(word)) = (target.last_chunk_mut(), block.last_chunk()) {
        *target = u128::from_ne_bytes(*word).to_ne_bytes();
    }
}

/// A key that is equal to another meets it on its way, since all between them are greater.
fn insertion_sort(entries: &mut [Entry], order: Order, out: &[u8]) -> Result<(), Range<usize>> {
    for i in 1..entries.len() {
        let entry = entries[i];
        let mut hole = i;
        while hole > 0 {
            match entry.compare(&entries[hole - 1], order, out) {
                Ordering::Less => entries[hole] = entries[hole - 1],
                Ordering::Equal => return Err(entry.start..entry.value),
                Ordering::Greater => break,
            }
            hole -= 1;
        }
        entries[hole] = entry;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The example keys of RFC 8949 §4.2.1 and §4.2.3, and of CTAP2, each in its own order.
    #[test]
    fn three_orders() {
        let rows: [(Order, [&[u8]; 8]); 3] = [
            (
                Order::Bytewise,
                [
                    b"\x0a",
                    b"\x18\x64",
                    b"\x20",
                    b"\x61z",
                    b"\x62aa",
                    b"\x81\x18\x64",
                    b"\x81\x20",
                    b"\xf4",
                ],
            ),
            (
                Order::LengthFirst,
                [
                    b"\x0a",
                    b"\x20",
                    b"\xf4",
                    b"\x18\x64",
                    b"\x61z",
                    b"\x81\x20",
                    b"\x62aa",
                    b"\x81\x18\x64",
                ],
            ),
            (
                Order::MajorLength,
                [
                    b"\x0a",
                    b"\x18\x64",
                    b"\x20",
                    b"\x61z",
                    b"\x62aa",
                    b"\x81\x20",
                    b"\x81\x18\x64",
                    b"\xf4",
                ],
            ),
        ];
        for (order, keys) in rows {
            assert!(keys.is_sorted_by(|a, b| compare(order, a, b).is_lt()));
        }
    }

    #[test]
    fn plain_keys() {
        let plain: [&[u8]; 6] = [
            b"\x00",
            b"\x18\x18",
            b"\x39\x01\x00",
            b"\x61a",
            b"\x58\x18",
            b"\x1b\0\0\0\x01\0\0\0\0",
        ];
        let other: [&[u8]; 8] = [
            b"\x18\x17",
            b"\x19\0\xff",
            b"\x5f\xff",
            b"\x80",
            b"\xf4",
            b"\xf9\0\0",
            b"\xc0\x60",
            b"\x1b\0\0\0\0\xff\xff\xff\xff",
        ];
        assert!(plain.iter().all(|key| is_plain(key)));
        assert!(!other.iter().any(|key| is_plain(key)));
    }

    #[test]
    fn sorter_permutes_once() {
        let mut out = b"\x62aa\x01\x61b\x02\x61a\x03".to_vec();
        let mut sorter = Sorter::default();
        for (start, value, end) in [(0, 3, 4), (4, 6, 7), (7, 9, 10)] {
            sorter.push(start, value, end);
        }
        assert_eq!(sorter.close(0, &mut out, Order::Bytewise, true), Ok(()));
        assert_eq!(out, b"\x61a\x03\x61b\x02\x62aa\x01");
        assert_eq!(sorter.mark(), 0);

        let mut twice = vec![0x01, 0xf4, 0x01, 0xf5];
        sorter.push(0, 1, 2);
        sorter.push(2, 3, 4);
        assert!(sorter.close(0, &mut twice, Order::Bytewise, true).is_err());
    }
}
