//! Whether bytes are certainly one item of a profile: a loop over heads that knows only what deterministic encoders
//! write, and leaves all else to the walk, which knows every rule and what to say about it.

use crate::float;
use crate::head::{BREAK, Head, Major, argument_len};
use crate::order::{self, Sorter, TEXT, word_of};
use crate::profile::{Order, Profile, Rules, Tags};
use crate::scan::{broken_float_rule, cid_fault, low32, plain_floats, widen};
use alloc::vec::Vec;

/// An open array, map or tag.
#[derive(Clone, Copy)]
struct Level<M> {
    /// Elements or entries that are not begun yet, counted down from `usize::MAX` where there is no length.
    left: usize,
    is_map: bool,
    /// In a map, where the key before begins.
    key: Option<usize>,
    /// Its first eight bytes; before the first key, what any text follows.
    word: u64,
    /// Each key so far follows the one before.
    sorted: bool,
    /// What whoever looks on has to know of the container.
    mark: M,
}

impl<M> Level<M> {
    const fn of(left: usize, is_map: bool, mark: M) -> Self {
        Level { left, is_map, key: None, word: TEXT - 1, sorted: true, mark }
    }
}

/// Who looks on, and is told what is not in the form that is wanted.
trait Onlooker {
    /// Maps that are not in order, and containers without a length, end the glance.
    const STRICT: bool;
    /// What has to be known of an open container.
    type Mark: Default;

    fn open(&mut self, at: usize, indefinite: bool) -> Self::Mark;
    fn key(&mut self, at: usize);
    fn is_indefinite(mark: &Self::Mark) -> bool;
    fn close(&mut self, at: usize, level: &Level<Self::Mark>) -> Option<()>;
}

/// Wants everything as it should be.
struct Nobody;

impl Onlooker for Nobody {
    const STRICT: bool = true;
    type Mark = ();

    fn open(&mut self, _: usize, _: bool) {}
    fn key(&mut self, _: usize) {}
    fn is_indefinite((): &()) -> bool {
        false
    }
    fn close(&mut self, _: usize, _: &Level<()>) -> Option<()> {
        Some(())
    }
}

/// Where a container's head was written, if it has no length, and its first entry in the sorter.
#[derive(Clone, Copy, Default)]
struct Mark {
    indefinite: Option<usize>,
    base: usize,
}

/// Copies an item, with its maps in order and the lengths of its containers.
struct Copy<'a> {
    bytes: &'a [u8],
    out: Vec<u8>,
    /// How much of `bytes` is in `out`.
    copied: usize,
    sorter: Sorter,
    order: Order,
}

impl Copy<'_> {
    fn copy(&mut self, to: usize) {
        self.out.extend_from_slice(&self.bytes[self.copied..to]);
        self.copied = to;
    }
}

impl Onlooker for Copy<'_> {
    const STRICT: bool = false;
    type Mark = Mark;

    fn is_indefinite(mark: &Mark) -> bool {
        mark.indefinite.is_some()
    }

    #[inline]
    fn open(&mut self, at: usize, indefinite: bool) -> Mark {
        let base = self.sorter.mark();
        if !indefinite {
            return Mark { indefinite: None, base };
        }
        self.copy(at + 1);
        Mark { indefinite: Some(self.out.len() - 1), base }
    }

    #[inline(always)]
    fn key(&mut self, at: usize) {
        self.sorter.push_start(self.out.len() + at - self.copied);
    }

    #[inline]
    fn close(&mut self, at: usize, level: &Level<Mark>) -> Option<()> {
        if level.sorted {
            self.sorter.forget(level.mark.base);
        } else {
            self.copy(at);
            self.sorter.complete(level.mark.base, &self.out);
            self.sorter.close_unordered(level.mark.base, &mut self.out, self.order, true).ok()?;
        }
        if let Some(head) = level.mark.indefinite {
            self.copy(at);
            self.copied += 1;
            let major = if level.is_map { Major::Map } else { Major::Array };
            let children = (usize::MAX - level.left) as u64;
            self.sorter.set_head(&mut self.out, head, major, children);
        }
        Some(())
    }
}

/// The length of the first item of `bytes`, if it obeys every rule of the profile and consists of what is known here:
/// definite lengths, shortest heads, sorted keys that are integers or strings.
pub(crate) fn item(bytes: &[u8], profile: Profile) -> Option<usize> {
    look(bytes, profile, &mut Nobody)
}

/// The one item of `bytes` in the form of a profile that finds equal keys, if nothing has to be done for it but to sort maps
/// and to count what is in containers.
pub(crate) fn rewritten(bytes: &[u8], profile: Profile) -> Option<Vec<u8>> {
    let mut copy = Copy {
        bytes,
        out: Vec::with_capacity(bytes.len()),
        copied: 0,
        sorter: Sorter::default(),
        order: profile.rules.order,
    };
    let len = look(bytes, profile, &mut copy)?;
    copy.copy(len);
    copy.sorter.settle(0, &mut copy.out);
    (len == bytes.len()).then_some(copy.out)
}

#[inline(always)]
fn look<O: Onlooker>(bytes: &[u8], profile: Profile, onlooker: &mut O) -> Option<usize> {
    let glance = Glance {
        bytes,
        rules: &profile.rules,
        plain_floats: plain_floats(&profile.rules),
        any_keys: profile.rules.order == Order::None && !profile.rules.unique_keys,
    };
    let mut open = Vec::new();
    let mut level = Level::of(1, false, O::Mark::default());
    let mut at = 0;
    loop {
        loop {
            let indefinite = O::is_indefinite(&level.mark);
            if level.left != 0 && !(indefinite && bytes.get(at) == Some(&BREAK)) {
                break;
            }
            onlooker.close(at, &level)?;
            at += usize::from(indefinite);
            match open.pop() {
                Some(outer) => level = outer,
                None => return Some(at),
            }
        }
        level.left -= 1;
        if level.is_map {
            onlooker.key(at);
            at = glance.key(at, &mut level, O::STRICT)?;
        }
        let (first, word) = glance.head(at)?;
        let begin = at;
        let left = match first >> 5 {
            3 if first <= SHORT && word & high_bits(first) == 0 => {
                at += 1 + usize::from(first & 31);
                continue;
            }
            3 if level.left >= MANY && !level.is_map => {
                (at, level.left) = glance.texts(at, level.left + 1)?;
                continue;
            }
            0..=3 => {
                at = glance.integer_or_string(at, first, word)?;
                continue;
            }
            7 => {
                at = glance.simple(at, first, word)?;
                continue;
            }
            6 => {
                at = glance.tag(at, first, word)?;
                1
            }
            _ if !O::STRICT && first & 31 == 31 => {
                at += 1;
                usize::MAX
            }
            _ => {
                let (count, content) = Glance::argument(at, first, word)?;
                at = content;
                // Each element takes a byte at least.
                usize::try_from(count).ok().filter(|&count| count <= bytes.len() - at)?
            }
        };
        open.push(level);
        let is_map = first >> 5 == Major::Map as u8;
        level = Level::of(left, is_map, onlooker.open(begin, left == usize::MAX));
        if open.len() > profile.max_depth as usize {
            return None;
        }
    }
}

/// So many elements still to come are worth a loop of their own.
const MANY: usize = 8;

/// Initial byte of the longest text that is seen with its head.
const SHORT: u8 = 0x67;

/// The highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The highest bits of a short text's bytes, which follow its initial byte: none are set if it is ASCII.
#[inline(always)]
const fn high_bits(first: u8) -> u64 {
    const BITS: [u64; 8] = {
        let mut bits = KEPT;
        let mut len = 0;
        while len < 8 {
            bits[len] = bits[len] << 8 & HIGH;
            len += 1;
        }
        bits
    };
    BITS[first as usize & 7]
}

/// The bytes of a short text key in its word.
const KEPT: [u64; 8] = {
    let mut kept = [0; 8];
    let mut len = 0;
    while len < 8 {
        kept[len] = word_of(u64::MAX, len + 1);
        len += 1;
    }
    kept
};

#[inline(always)]
fn word(bytes: &[u8; 8]) -> u64 {
    u64::from_ne_bytes(*bytes)
}

struct Glance<'a> {
    bytes: &'a [u8],
    rules: &'a Rules,
    plain_floats: bool,
    /// Keys are not compared.
    any_keys: bool,
}

impl Glance<'_> {
    /// The initial byte at `at`, and the eight after it, of which those beyond the end are zeros.
    #[inline(always)]
    fn head(&self, at: usize) -> Option<(u8, u64)> {
        match self.bytes[at..].first_chunk() {
            Some(&[first, a, b, c, d, e, f, g, h]) => {
                Some((first, u64::from_be_bytes([a, b, c, d, e, f, g, h])))
            }
            None => self.last_head(at),
        }
    }

    #[inline(never)]
    fn last_head(&self, at: usize) -> Option<(u8, u64)> {
        let (&first, rest) = self.bytes[at..].split_first()?;
        // A short text is seen with its head, and so has to be there.
        let len = match first {
            0x60..=SHORT => usize::from(first & 31),
            _ => argument_len(first & 31),
        };
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        (len <= rest.len()).then_some((first, u64::from_be_bytes(word)))
    }

    /// The argument of a shortest head, and where the head ends.
    #[inline(always)]
    fn argument(at: usize, first: u8, word: u64) -> Option<(u64, usize)> {
        match first & 31 {
            info @ 0..24 => Some((info.into(), at + 1)),
            24..28 => {
                let head = Head::at_front(first, word);
                head.is_shortest().then_some((head.argument, at + head.len()))
            }
            _ => None,
        }
    }

    /// Where an integer or a string ends.
    #[inline(always)]
    fn integer_or_string(&self, at: usize, first: u8, word: u64) -> Option<usize> {
        let (argument, content) = Self::argument(at, first, word)?;
        if first < 0x40 {
            // dCBOR has no integer below -2^63.
            return (first != 0x3b || !self.rules.reduced).then_some(content);
        }
        let rest = &self.bytes[content..];
        let len = usize::try_from(argument).ok().filter(|&len| len <= rest.len())?;
        (first < 0x60 || self.is_text(rest, len)).then_some(content + len)
    }

    /// Where the text ends that the next elements of an array are, one at least, and how many are left of `all`.
    #[inline(never)]
    fn texts(&self, mut at: usize, all: usize) -> Option<(usize, usize)> {
        /// The highest bits of a head and the content of so many bytes.
        const BITS: [[u64; 3]; 24] = {
            let mut bits = [[0; 3]; 24];
            let mut len = 0;
            while len < 24 {
                let mut word = 0;
                while word < 3 {
                    let above =
                        if len < 8 * word { 8 } else { (8 * word + 7_usize).saturating_sub(len) };
                    bits[len][word] = if above < 8 { HIGH << (8 * above) } else { 0 };
                    word += 1;
                }
                len += 1;
            }
            bits
        };
        let mut left = all;
        while left > 0 {
            let rest = &self.bytes[at..];
            let Some(block) = rest.first_chunk::<24>() else { break };
            let len = usize::from(block[0] ^ 0x60);
            let (ascii, content) = match BITS.get(len) {
                Some([a, b, c]) => {
                    let word =
                        |i: usize| u64::from_be_bytes(core::array::from_fn(|j| block[8 * i + j]));
                    (word(0) & a | word(1) & b | word(2) & c == 0, &block[1..=len])
                }
                None if block[0] == 0x78 && block[1] >= 24 => {
                    let content = rest.get(2..2 + usize::from(block[1]))?;
                    at += 1;
                    (content.is_ascii(), content)
                }
                None => break,
            };
            if !ascii && !self.is_wide_text(content) {
                return None;
            }
            at += 1 + content.len();
            left -= 1;
        }
        if left == all {
            let (first, word) = self.head(at)?;
            at = self.integer_or_string(at, first, word)?;
            left -= 1;
        }
        Some((at, left))
    }

    /// True if the first `len` bytes are text.
    #[inline(always)]
    fn is_text(&self, rest: &[u8], len: usize) -> bool {
        let content = &rest[..len];
        let ascii = match (content.first_chunk(), content.last_chunk()) {
            (Some(a), Some(b)) if len <= 16 => (word(a) | word(b)) & HIGH == 0,
            _ => content.is_ascii(),
        };
        ascii || self.is_wide_text(content)
    }

    #[inline(never)]
    fn is_wide_text(&self, content: &[u8]) -> bool {
        !self.rules.utf8 || !self.rules.nfc && core::str::from_utf8(content).is_ok()
    }

    /// Where the key at `at` ends. Where the glance is strict it comes after the one before.
    #[inline(always)]
    fn key<M>(&self, at: usize, level: &mut Level<M>, strict: bool) -> Option<usize> {
        let (first, rest) = self.head(at)?;
        let word = u64::from(first) << 56 | rest >> 8;
        // All orders agree on text, whose head carries its length.
        if matches!(first, 0x60..0x78) && level.word >= TEXT - 1 {
            let len = 1 + usize::from(first & 31);
            let (ascii, word) = if first <= SHORT {
                (rest & high_bits(first) == 0, word & KEPT[len - 1])
            } else {
                (self.is_name(at, len, rest), word)
            };
            if ascii && level.word < word {
                (level.key, level.word) = (Some(at), word);
                return Some(at + len);
            }
        }
        if first >= 0x80 || self.rules.text_keys && first >> 5 != Major::Text as u8 {
            return None;
        }
        let end = self.integer_or_string(at, first, rest)?;
        let word = word_of(word, end - at);
        let comparable = level.word >> 61 == word >> 61 || self.rules.order != Order::LengthFirst;
        let follows = level.word < word && comparable || self.any_keys;
        if !follows && level.key.is_some_and(|before| !self.follows(before, at, end)) {
            if strict {
                return None;
            }
            level.sorted = false;
        }
        (level.key, level.word) = (Some(at), word);
        Some(end)
    }

    /// True if a text of 8 to 23 bytes is there and ASCII; `begin` is the first eight.
    #[inline(always)]
    fn is_name(&self, at: usize, len: usize, begin: u64) -> bool {
        let Some(text) = self.bytes.get(at..at + len) else { return false };
        let end = text.last_chunk().map_or(HIGH, word);
        let middle = text.get(9..17).and_then(<[u8]>::first_chunk).map_or(0, word);
        (begin | middle | end) & HIGH == 0
    }

    #[inline(never)]
    fn follows(&self, before: usize, at: usize, end: usize) -> bool {
        let (before, key) = (&self.bytes[before..at], &self.bytes[at..end]);
        order::compare(self.rules.order, &before[..order::key_len(before)], key).is_lt()
    }

    /// Where a simple value or a float ends.
    #[inline(always)]
    fn simple(&self, at: usize, first: u8, word: u64) -> Option<usize> {
        if first < 0xf8 {
            let fine = matches!(first, 0xf4..=0xf6) || !self.rules.basic_simple;
            return fine.then_some(at + 1);
        }
        if !matches!(first, 0xf9..=0xfb) {
            return None;
        }
        let head = Head::at_front(first, word);
        let fine = match first {
            0xf9 if self.plain_floats => true,
            0xfa if self.plain_floats => !float::f32_is_exact_f16(low32(head.argument)),
            0xfb if self.plain_floats => !float::is_exact_f32(head.argument),
            _ => broken_float_rule(self.rules, head, widen(head)).is_none(),
        };
        fine.then_some(at + head.len())
    }

    /// Where the content of a tag begins.
    fn tag(&self, at: usize, first: u8, word: u64) -> Option<usize> {
        let (number, content) = Self::argument(at, first, word)?;
        if self.rules.tag_validity {
            return None;
        }
        if self.rules.tags == Tags::Any && !matches!(number, 2 | 3) {
            return Some(content);
        }
        let (first, word) = self.head(content)?;
        if first >> 5 != Major::Bytes as u8 {
            return None;
        }
        let end = self.integer_or_string(content, first, word)?;
        let (_, start) = Self::argument(content, first, word)?;
        let bytes = &self.bytes[start..end];
        let fine = match (number, self.rules.tags) {
            // A bignum that is as short as it can be, and larger than any integer.
            (2 | 3, Tags::Any) => bytes.len() > 8 && bytes[0] != 0,
            (42, Tags::Cid | Tags::DaslCid) => {
                cid_fault(bytes, self.rules.tags == Tags::DaslCid).is_none()
            }
            _ => false,
        };
        fine.then_some(content)
    }
}
