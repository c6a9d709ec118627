//! The head of an item (RFC 8949 §3): major type and argument, read and written in the shortest form.

use alloc::vec::Vec;

/// The break stop code, which is no item (RFC 8949 §3.2.1).
pub(crate) const BREAK: u8 = 0xff;

/// The major types (RFC 8949 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Major {
    Unsigned = 0,
    Negative = 1,
    Bytes = 2,
    Text = 3,
    Array = 4,
    Map = 5,
    Tag = 6,
    Simple = 7,
}

/// An initial byte and its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(unreachable_pub, reason = "the sealed input trait, public by name, speaks of it")]
pub struct Head {
    pub(crate) first: u8,
    /// The argument; the bits of a float; 0 where the length is indefinite.
    pub(crate) argument: u64,
}

impl Head {
    #[inline(always)]
    pub(crate) const fn major(self) -> Major {
        match self.first >> 5 {
            0 => Major::Unsigned,
            1 => Major::Negative,
            2 => Major::Bytes,
            3 => Major::Text,
            4 => Major::Array,
            5 => Major::Map,
            6 => Major::Tag,
            _ => Major::Simple,
        }
    }

    /// Additional information: the low five bits of the initial byte.
    #[inline(always)]
    pub(crate) const fn info(self) -> u8 {
        self.first & 31
    }

    #[inline(always)]
    pub(crate) const fn is_indefinite(self) -> bool {
        self.info() == 31
    }

    /// The number of children or bytes, none where the length is indefinite.
    #[inline(always)]
    pub(crate) const fn length(self) -> Option<u64> {
        if self.is_indefinite() { None } else { Some(self.argument) }
    }

    /// True if no shorter head has this argument. Not asked of floats, whose argument is no number.
    #[inline(always)]
    pub(crate) const fn is_shortest(self) -> bool {
        self.argument >= SHORTEST_FROM[self.info() as usize]
    }

    /// A head of definite length from its initial byte and the eight bytes that follow, of which the argument is the
    /// front.
    #[inline(always)]
    pub(crate) const fn at_front(first: u8, word: u64) -> Self {
        let info = first & 31;
        let argument = if info < 24 { info as u64 } else { word >> (64 - 8 * argument_len(info)) };
        Head { first, argument }
    }

    /// How many bytes have to come after the head until the item is complete, at least.
    #[inline(always)]
    pub(crate) const fn least_to_follow(self) -> u64 {
        match (self.major(), self.length()) {
            (Major::Unsigned | Major::Negative | Major::Simple, _) => 0,
            (Major::Tag, _) | (_, None) => 1,
            (Major::Map, Some(pairs)) => pairs.saturating_mul(2),
            (Major::Bytes | Major::Text | Major::Array, Some(length)) => length,
        }
    }

    /// Bytes of the head, initial byte included.
    #[inline(always)]
    pub(crate) const fn len(self) -> usize {
        1 + argument_len(self.info())
    }
}

/// The smallest argument that needs each additional information.
const SHORTEST_FROM: [u64; 32] = {
    let mut from = [0; 32];
    from[24] = 24;
    from[25] = 1 << 8;
    from[26] = 1 << 16;
    from[27] = 1 << 32;
    from
};

/// Bytes of argument after an initial byte.
#[inline(always)]
pub(crate) const fn argument_len(info: u8) -> usize {
    const LEN: [u8; 32] = {
        let mut len = [0; 32];
        len[24] = 1;
        len[25] = 2;
        len[26] = 4;
        len[27] = 8;
        len
    };
    LEN[info as usize & 31] as usize
}

/// The shortest head as nine bytes and how many of them count.
#[inline(always)]
pub(crate) const fn shortest(major: Major, argument: u64) -> ([u8; 9], usize) {
    let major = (major as u8) << 5;
    let a = argument.to_be_bytes();
    if argument < 24 {
        ([major | a[7], 0, 0, 0, 0, 0, 0, 0, 0], 1)
    } else if argument <= 0xff {
        ([major | 24, a[7], 0, 0, 0, 0, 0, 0, 0], 2)
    } else if argument <= 0xffff {
        ([major | 25, a[6], a[7], 0, 0, 0, 0, 0, 0], 3)
    } else if argument <= 0xffff_ffff {
        ([major | 26, a[4], a[5], a[6], a[7], 0, 0, 0, 0], 5)
    } else {
        ([major | 27, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]], 9)
    }
}

/// Bytes of the shortest head for an argument.
#[inline(always)]
pub(crate) const fn shortest_len(argument: u64) -> usize {
    shortest(Major::Unsigned, argument).1
}

/// Appends the shortest head.
///
/// Nine bytes are stored whatever the width and those that do not count are dropped again, so that the processor
/// has no width to guess.
#[inline(always)]
pub(crate) fn push(out: &mut Vec<u8>, major: Major, argument: u64) {
    push_behind(out, (major as u8) << 5, argument);
}

/// The same for an integer of either sign, without a jump that random signs would make a guess.
#[inline(always)]
pub(crate) fn push_signed(out: &mut Vec<u8>, value: i64) {
    // All ones for a negative value, whose argument is -1 - value.
    let sign = value >> 63;
    push_behind(
        out,
        (Major::Negative as u8) << 5 & sign.to_be_bytes()[7],
        (value ^ sign).unsigned_abs(),
    );
}

/// True if any head fits into the space there is.
#[inline(always)]
pub(crate) fn fits(out: &Vec<u8>) -> bool {
    out.capacity() - out.len() >= 9
}

#[inline(always)]
fn push_behind(out: &mut Vec<u8>, initial: u8, argument: u64) {
    if argument < 24 {
        out.push(initial | argument.to_be_bytes()[7]);
        return;
    }
    let wide = &WIDE[(argument.leading_zeros() / 8) as usize & 7];
    push_first(out, initial | wide.info, argument << (wide.shift & 63), wide.len.into());
}

/// Appends the shortest head of an argument below 256: two bytes are stored, of which the first may be all.
#[inline(always)]
pub(crate) fn push_byte(out: &mut Vec<u8>, major: Major, argument: u8) {
    let initial = (major as u8) << 5;
    let short = argument < 24;
    out.extend_from_slice(&[initial | if short { argument } else { 24 }, argument]);
    out.truncate(out.len() - usize::from(short));
}

/// What an argument of 24 or more takes.
struct Wide {
    /// Additional information.
    info: u8,
    /// The bits above the argument's bytes.
    shift: u8,
    /// The bytes of the head.
    len: u8,
}

/// By the number of zero bytes at the top of the argument.
static WIDE: [Wide; 8] = {
    const fn wide(info: u8) -> Wide {
        let bytes = 1 << (info - 24);
        Wide { info, shift: 64 - 8 * bytes, len: 1 + bytes }
    }
    [wide(27), wide(27), wide(27), wide(27), wide(26), wide(26), wide(25), wide(24)]
};

/// Appends the first `len` of a byte and the eight of `argument`: all are stored, and the rest is left for what follows.
#[inline(always)]
pub(crate) fn push_first(out: &mut Vec<u8>, initial: u8, argument: u64, len: usize) {
    let mut head = [initial; 9];
    head[1..].copy_from_slice(&argument.to_be_bytes());
    let end = out.len() + len;
    out.extend_from_slice(&head);
    out.truncate(end);
}

/// Gives the item at `at`, written behind a one-byte head, the head it should have.
///
/// The content moves only where the head turns out longer than one byte.
pub(crate) fn set_head(out: &mut Vec<u8>, at: usize, major: Major, argument: u64) {
    let (bytes, len) = shortest(major, argument);
    out[at] = bytes[0];
    if len > 1 {
        let end = out.len();
        out.resize(end + len - 1, 0);
        out.copy_within(at + 1..end, at + len);
        out[at + 1..at + len].copy_from_slice(&bytes[1..len]);
    }
}

/// Appends an integer of major type 0 or 1, or tells that it needs a bignum.
#[inline]
pub(crate) fn push_integer(out: &mut Vec<u8>, value: i128) -> bool {
    let (major, argument) =
        if value < 0 { (Major::Negative, !value) } else { (Major::Unsigned, value) };
    match u64::try_from(argument) {
        Ok(argument) => {
            push(out, major, argument);
            true
        }
        Err(_) => false,
    }
}

/// Appends a bignum's tag and its magnitude (RFC 8949 §3.4.3), or the integer it is where it fits one.
///
/// `magnitude` is `n` for a value `n` and for a value `-1 - n`, big-endian, leading zeros allowed.
pub(crate) fn push_bignum(out: &mut Vec<u8>, negative: bool, magnitude: &[u8]) {
    let zeros = magnitude.iter().take_while(|&&b| b == 0).count();
    let magnitude = &magnitude[zeros..];
    if magnitude.len() <= 8 {
        let argument = magnitude.iter().fold(0, |n, &b| n << 8 | u64::from(b));
        push(out, if negative { Major::Negative } else { Major::Unsigned }, argument);
    } else {
        out.push(if negative { 0xc3 } else { 0xc2 });
        push(out, Major::Bytes, magnitude.len() as u64);
        out.extend_from_slice(magnitude);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8949 §3: the argument at both sides of every width.
    #[test]
    fn shortest_heads() {
        let rows: [(u64, &[u8]); 10] = [
            (0, &[0x00]),
            (23, &[0x17]),
            (24, &[0x18, 24]),
            (0xff, &[0x18, 0xff]),
            (0x100, &[0x19, 1, 0]),
            (0xffff, &[0x19, 0xff, 0xff]),
            (0x1_0000, &[0x1a, 0, 1, 0, 0]),
            (0xffff_ffff, &[0x1a, 0xff, 0xff, 0xff, 0xff]),
            (0x1_0000_0000, &[0x1b, 0, 0, 0, 1, 0, 0, 0, 0]),
            (u64::MAX, &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ];
        for (argument, bytes) in rows {
            let mut out = Vec::new();
            push(&mut out, Major::Unsigned, argument);
            assert_eq!(out, bytes);
            if let Ok(value) = i64::try_from(argument) {
                out.clear();
                push_signed(&mut out, value);
                assert_eq!(out, bytes);
                out.clear();
                push_signed(&mut out, -1 - value);
                assert_eq!((out[0], &out[1..]), (bytes[0] | 0x20, &bytes[1..]));
            }
            if let Ok(argument) = u8::try_from(argument) {
                out.clear();
                push_byte(&mut out, Major::Unsigned, argument);
                assert_eq!(out, bytes);
            }
            let (head, len) = shortest(Major::Unsigned, argument);
            assert_eq!(&head[..len], bytes);
            assert_eq!(shortest_len(argument), bytes.len());
            assert!(Head { first: bytes[0], argument }.is_shortest());
        }
    }

    /// RFC 8949 §4.1: an argument in a head that is wider than it has to be.
    #[test]
    fn longer_heads() {
        let rows: [(u8, u64, bool); 8] = [
            (24, 23, false),
            (24, 24, true),
            (25, 0xff, false),
            (25, 0x100, true),
            (26, 0xffff, false),
            (26, 0x1_0000, true),
            (27, 0xffff_ffff, false),
            (27, 0x1_0000_0000, true),
        ];
        for (first, argument, shortest) in rows {
            let head = Head { first, argument };
            assert_eq!(head.is_shortest(), shortest, "{first} {argument:x}");
            let bytes = argument << (64 - 8 * (head.len() - 1));
            assert_eq!(Head::at_front(first, bytes | 0xff >> head.len().min(8)), head);
        }
        assert_eq!(Head::at_front(0x17, u64::MAX), Head { first: 0x17, argument: 23 });
    }

    #[test]
    fn bignums_fit_integers_where_they_can() {
        let rows: [(bool, &[u8], &[u8]); 5] = [
            (false, &[], &[0x00]),
            (true, &[0, 0], &[0x20]),
            (false, &[0, 1, 2], &[0x19, 1, 2]),
            (true, &[0xff; 8], &[0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            (false, &[1, 0, 0, 0, 0, 0, 0, 0, 0], &[0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ];
        for (negative, magnitude, bytes) in rows {
            let mut out = Vec::new();
            push_bignum(&mut out, negative, magnitude);
            assert_eq!(out, bytes);
        }
    }
}
