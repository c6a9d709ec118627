//! Whether bytes are certainly one item of a profile: a loop over heads that knows only what deterministic encoders
//! write, and leaves all else to the walk, which knows every rule and what to say about it.

use crate::float;
use crate::head::{Head, Major, argument_len};
use crate::order::{self, word_of};
use crate::profile::{Order, Profile, Rules, Tags};
use crate::scan::{broken_float_rule, cid_fault, low32, plain_floats, widen};
use alloc::vec::Vec;

/// An open array, map or tag.
#[derive(Clone, Copy)]
struct Level {
    /// Elements or entries that are not begun yet.
    left: usize,
    is_map: bool,
    /// In a map, where the key before begins.
    key: Option<usize>,
    /// Its first eight bytes; before the first key, what any text follows.
    word: u64,
}

/// The smallest text as a key, the empty one.
const TEXT: u64 = 0x60 << 56;

impl Level {
    const fn of(left: usize, is_map: bool) -> Self {
        Level { left, is_map, key: None, word: TEXT - 1 }
    }
}

/// The length of the first item of `bytes`, if it obeys every rule of the profile and consists of what is known here:
/// definite lengths, shortest heads, sorted keys that are integers or strings.
pub(crate) fn item(bytes: &[u8], profile: Profile) -> Option<usize> {
    let glance = Glance {
        bytes,
        rules: &profile.rules,
        plain_floats: plain_floats(&profile.rules),
        any_keys: profile.rules.order == Order::None && !profile.rules.unique_keys,
    };
    let mut open: Vec<Level> = Vec::new();
    let mut level = Level::of(1, false);
    let mut at = 0;
    loop {
        while level.left == 0 {
            match open.pop() {
                Some(outer) => level = outer,
                None => return Some(at),
            }
        }
        level.left -= 1;
        if level.is_map {
            at = glance.key(at, &mut level)?;
        }
        let (first, word) = glance.head(at)?;
        let inner = match first >> 5 {
            3 if first <= SHORT && word & high_bits(first) == 0 => {
                at += 1 + usize::from(first & 31);
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
                Level::of(1, false)
            }
            major => {
                let (count, content) = glance.argument(at, first, word)?;
                at = content;
                // Each element takes a byte at least.
                Level::of(usize::try_from(count).ok()?, major == Major::Map as u8)
            }
        };
        open.push(level);
        level = inner;
        if level.left > bytes.len() - at || open.len() > profile.max_depth as usize {
            return None;
        }
    }
}

/// Initial byte of the longest text that is seen with its head.
const SHORT: u8 = 0x67;

/// The highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The highest bits of a short text's bytes, which follow its initial byte: none are set if it is ASCII.
#[inline(always)]
const fn high_bits(first: u8) -> u64 {
    HIGH & KEPT[first as usize & 7] << 8
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
    fn argument(&self, at: usize, first: u8, word: u64) -> Option<(u64, usize)> {
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
        let (argument, content) = self.argument(at, first, word)?;
        if first < 0x40 {
            // dCBOR has no integer below -2^63.
            return (first != 0x3b || !self.rules.reduced).then_some(content);
        }
        let rest = &self.bytes[content..];
        let len = usize::try_from(argument).ok().filter(|&len| len <= rest.len())?;
        (first < 0x60 || self.is_text(rest, len)).then_some(content + len)
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

    /// Where the key at `at` ends, which comes after the one before.
    #[inline(always)]
    fn key(&self, at: usize, level: &mut Level) -> Option<usize> {
        let (first, rest) = self.head(at)?;
        let word = u64::from(first) << 56 | rest >> 8;
        if (0x60..=SHORT).contains(&first) && rest & high_bits(first) == 0 {
            // All orders agree on text, whose head carries its length.
            let len = 1 + usize::from(first & 31);
            let word = word & KEPT[len - 1];
            if level.word < word && level.word >= TEXT - 1 {
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
            return None;
        }
        (level.key, level.word) = (Some(at), word);
        Some(end)
    }

    #[inline(never)]
    fn follows(&self, before: usize, at: usize, end: usize) -> bool {
        let bytes = self.bytes;
        let before_end = self
            .head(before)
            .and_then(|(first, rest)| {
                self.argument(before, first, rest).map(|found| (first, found))
            })
            .map(|(first, (argument, content))| match first {
                ..0x40 => content,
                _ => content + usize::try_from(argument).unwrap_or(0),
            });
        before_end.is_some_and(|to| {
            order::compare(self.rules.order, &bytes[before..to], &bytes[at..end]).is_lt()
        })
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
        let (number, content) = self.argument(at, first, word)?;
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
        let (_, start) = self.argument(content, first, word)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::walked;

    /// Whatever is taken at a glance, the walk takes.
    fn assert_agreed(bytes: &[u8], profile: Profile) -> bool {
        let Some(len) = item(bytes, profile) else { return false };
        assert_eq!(walked(bytes, profile).ok(), Some(len), "{bytes:02x?} in {profile}");
        true
    }

    fn profiles() -> Vec<Profile> {
        let refined = |profile: Profile| {
            [profile, profile.tag_validity(), profile.forbid_tags(), profile.relaxed()]
        };
        let shallow = Profile::ALL.map(|profile| profile.max_depth(1));
        Profile::ALL.into_iter().flat_map(refined).chain(shallow).collect()
    }

    #[test]
    fn every_two_bytes() {
        for profile in profiles() {
            for bytes in 0..=u16::MAX {
                assert_agreed(&bytes.to_be_bytes(), profile);
                assert_agreed(&bytes.to_be_bytes()[1..], profile);
            }
        }
    }

    /// Heads, keys and floats at the edges of the rules, in any sequence.
    #[test]
    fn pieces_in_any_sequence() {
        const PIECES: [&[u8]; 48] = [
            b"\x00",
            b"\x17",
            b"\x18\x18",
            b"\x18\x17",
            b"\x19\x01\0",
            b"\x20",
            b"\x38\x18",
            b"\x3b\x80\0\0\0\0\0\0\0",
            b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x40",
            b"\x41\xff",
            b"\x49\x01\0\0\0\0\0\0\0\0",
            b"\x48\xff\0\0\0\0\0\0\0",
            b"\x49\0\0\0\0\0\0\0\0\x01",
            b"\x60",
            b"\x61a",
            b"\x61b",
            b"\x62aa",
            b"\x62\xc3\xa9",
            b"\x62\xc3\x28",
            b"\x63e\xcc\x81",
            b"\x67abcdefg",
            b"\x67abcdefh",
            b"\x68abcdefgh",
            b"\x68abcdefgi",
            b"\x69abcdefghi",
            b"\x70abcdefghijklmn\xc3\xa9",
            b"\x78\x18abcdefghijklmnopqrstuvwx",
            b"\x80",
            b"\x81",
            b"\x82",
            b"\x9f",
            b"\xa0",
            b"\xa1",
            b"\xa2",
            b"\xa3",
            b"\xbf",
            b"\xc1",
            b"\xc2",
            b"\xc3",
            b"\xd8\x2a",
            b"\xf4",
            b"\xf6",
            b"\xf7",
            b"\xf9\x80\0",
            b"\xf9\x7e\0",
            b"\xfa\x3f\x80\0\x01",
            b"\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a",
        ];
        let (profiles, mut state, mut taken) = (profiles(), 1_u64, 0);
        for round in 0..60_000 {
            let mut bytes = Vec::new();
            for _ in 0..=round % 9 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes.extend_from_slice(PIECES[(state >> 33) as usize % PIECES.len()]);
            }
            let profile = profiles[round % profiles.len()];
            taken += usize::from(assert_agreed(&bytes, profile));
            assert_agreed(&bytes[..bytes.len() - 1], profile);
        }
        assert!(taken > 10_000, "{taken} were taken");
    }

    /// What deterministic encoders write is seen at a glance: the examples of the profiles that have most rules.
    #[test]
    fn deterministic_encodings() {
        let rows: [(Profile, &[u8]); 6] = [
            (Profile::CORE, b"\xa3\x00\xf9\x3e\x00\x20\x82\xf6\xc1\x1a\x68\x00\x00\x00\x61a\xa0"),
            (Profile::CORE, b"\xc2\x49\x01\0\0\0\0\0\0\0\0"),
            (Profile::LENGTH_FIRST, b"\xa3\x00\x01\x20\x02\x18\x18\x03"),
            (Profile::CTAP2, b"\xa2\x01\x41\xff\x61a\xf5"),
            (Profile::DCBOR, b"\x83\x01\xf9\x3e\x00\xf9\x7e\x00"),
            (Profile::DAG_CBOR, b"\xa1\x61a\xfb\x3f\xf0\0\0\0\0\0\0"),
        ];
        for (profile, bytes) in rows {
            assert_eq!(item(bytes, profile), Some(bytes.len()), "{bytes:02x?} in {profile}");
        }
    }
}
