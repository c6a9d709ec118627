//! The pull scanner: one item after the other, each held to every rule that one item can break by itself.
//!
//! The scanner knows no nesting beyond a count of levels. Who reads a container keeps a [`Frame`] for it, on the
//! stack of the calls (`de`) or in a list ([`walk`](crate::walk)); the rules about the children of one container,
//! where a break may stand above all, are the frame's.

use crate::error::{Error, Result, Rule};
use crate::float::{self, Shortest};
use crate::head::{self, BREAK, Head, Major};
use crate::input::{Piece, Text, private::Input};
use crate::nfc;
use crate::profile::{Floats, Nan, Profile, Rules, Sources, Tags};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

/// Levels that are read on after a profile's own limit was passed, so that the rest can be reported.
const HARD_LIMIT: u32 = 128;

pub(crate) struct Scanner<I> {
    pub(crate) input: I,
    pub(crate) rules: Rules,
    sources: &'static Sources,
    /// Floats are shortest and any value of theirs goes.
    plain_floats: bool,
    /// The initial byte of integers that the profile has not all of, or one that no integer has.
    special_integer: u8,
    depth: u32,
    limit: u32,
    /// What the content of the tag just read has to be.
    content: Content,
    /// A list collects violations and the scan goes on; without one the first ends it.
    found: Option<Vec<Found>>,
    /// Something was read that has two forms the profile accepts, a float zero above all: two keys with one may
    /// be equal though their bytes are not.
    pub(crate) zero: bool,
}

/// A violation, small enough to be kept by the thousand.
pub(crate) struct Found {
    pub(crate) rule: Rule,
    pub(crate) at: u64,
    detail: Detail,
}

pub(crate) enum Detail {
    Head(Head),
    Words(&'static str),
    Text(String),
}

/// The byte string that a tag asks for.
#[derive(Clone, Copy)]
enum Content {
    Any,
    Bignum { at: u64, len: u64, lead: u8 },
    Cid { at: u64 },
}

impl<'de, I: Input<'de>> Scanner<I> {
    pub(crate) fn new(input: I, profile: Profile) -> Self {
        Scanner {
            input,
            rules: profile.reading(),
            sources: profile.sources(),
            plain_floats: plain_floats(&profile.reading()),
            special_integer: special_integer(&profile.reading()),
            depth: 0,
            limit: profile.max_depth,
            content: Content::Any,
            found: None,
            zero: false,
        }
    }

    /// Collects violations from here on; [`found`](Self::found) hands them out.
    pub(crate) fn collect(mut self) -> Self {
        self.found = Some(Vec::new());
        self
    }

    pub(crate) fn is_collecting(&self) -> bool {
        self.found.is_some()
    }

    pub(crate) fn found(&mut self) -> Vec<Found> {
        self.found.as_mut().map(core::mem::take).unwrap_or_default()
    }

    pub(crate) fn set_limit(&mut self, levels: u32) {
        self.limit = levels;
    }

    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Begins with another item as if nothing had been read.
    pub(crate) fn restart(&mut self) {
        self.depth = 0;
        self.zero = false;
        self.content = Content::Any;
        self.input.restart();
    }

    pub(crate) fn set_profile(&mut self, profile: Profile) {
        self.rules = profile.reading();
        self.plain_floats = plain_floats(&self.rules);
        self.special_integer = special_integer(&self.rules);
        self.sources = profile.sources();
        self.limit = profile.max_depth;
    }

    #[inline(always)]
    pub(crate) fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Reports a violation of a profile's rule, or ends the scan with it.
    #[cold]
    #[inline(never)]
    pub(crate) fn violate(&mut self, rule: Rule, at: u64, detail: Detail) -> Result<()> {
        let found = Found { rule, at, detail };
        match &mut self.found {
            Some(list) => {
                list.push(found);
                Ok(())
            }
            None => Err(found.into_error(self.sources)),
        }
    }

    pub(crate) fn error(&self, found: Found) -> Error {
        found.into_error(self.sources)
    }

    /// Goes one level down, into an array, a map, a tag, or what a type adds of its own.
    #[inline(always)]
    pub(crate) fn enter(&mut self, at: u64) -> Result<()> {
        self.depth += 1;
        if self.depth > self.limit { self.too_deep(at) } else { Ok(()) }
    }

    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&mut self, at: u64) -> Result<()> {
        let mut words = String::new();
        let _ = write!(words, "nested deeper than {} levels", self.limit);
        let found = Found { rule: Rule::TooDeep, at, detail: Detail::Text(words) };
        if self.found.is_some() && self.depth <= HARD_LIMIT {
            if self.depth == self.limit + 1 {
                self.found.get_or_insert_default().push(found);
            }
            return Ok(());
        }
        Err(found.into_error(self.sources))
    }

    /// True if the content of tags can be held to their definitions only after it was read.
    #[inline(always)]
    pub(crate) fn is_validated_later(&self) -> bool {
        self.rules.tag_validity && self.input.rest().is_none()
    }

    /// The head of the next item. Where it is a string's, [`content`](Self::content), [`text`](Self::text) or
    /// [`chunk`](Self::chunk) has to follow.
    #[inline(always)]
    pub(crate) fn head(&mut self) -> Result<Head> {
        let at = self.input.offset();
        let head = self.input.head()?;
        // Nearly every head is one of these: as short as it can be, and of nothing that a profile forbids.
        let plain = match head.first {
            ..0xc0 if head.info() < 24 => true,
            ..0xc0 => {
                head.is_shortest()
                    && head.info() != 31
                    && !(self.rules.reduced && head.first == 0x3b)
            }
            0xf4..=0xf6 => true,
            0xf9 if self.plain_floats => {
                self.zero |= head.argument << 49 == 0;
                true
            }
            0xfa => self.plain_floats && !float::f32_is_exact_f16(low32(head.argument)),
            0xfb => self.plain_floats && !float::is_exact_f32(head.argument),
            _ => false,
        };
        if !plain {
            self.special_head(head, at)?;
        }
        Ok(head)
    }

    /// The head of the next item, if it is of this type, an array or a map, and has fewer than 24 children.
    #[inline(always)]
    pub(crate) fn quick_container(&mut self, major: Major) -> Result<Option<Head>> {
        match self.input.peek()? {
            Some(first) if first ^ (major as u8) << 5 < 24 => {
                let head = Head { first, argument: u64::from(first & 31) };
                self.input.advance(1);
                self.input.owe(head.least_to_follow());
                Ok(Some(head))
            }
            _ => Ok(None),
        }
    }

    /// The next item, if it is a short text and nothing has to be said about it.
    #[inline(always)]
    pub(crate) fn quick_text(&mut self) -> Option<Text<'de, '_>> {
        if self.rules.nfc { None } else { self.input.short_text() }
    }

    /// The next item, if it is a short byte string and nothing has to be said about it.
    #[inline(always)]
    pub(crate) fn quick_bytes(&mut self) -> Option<Piece<'de, '_>> {
        if matches!(self.content, Content::Any) { self.input.short_bytes() } else { None }
    }

    /// The head of the next item, if it is an integer and nothing has to be said about it.
    #[inline(always)]
    pub(crate) fn quick_integer(&mut self) -> Option<Head> {
        let [first, a, b, c, d, e, f, g, h] = self.input.ahead()?;
        let info = first & 31;
        if first >= 0x40 || info >= 28 || first == self.special_integer {
            return None;
        }
        let word = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let (head, len) = if info < 24 {
            (Head { first, argument: u64::from(info) }, 1)
        } else {
            // Not from a table: where the next item begins waits for this.
            let width = 1 << (info & 3);
            (Head { first, argument: word >> (64 - 8 * width) }, 1 + width)
        };
        if !head.is_shortest() {
            return None;
        }
        self.input.advance(len);
        Some(head)
    }

    /// The bits of the next item as binary64, if it is a float and nothing has to be said about it.
    #[inline(never)]
    pub(crate) fn quick_float(&mut self) -> Option<u64> {
        let [first, a, b, c, d, e, f, g, h] = self.input.ahead()?;
        if !self.plain_floats {
            return None;
        }
        let (bits, len) = match first {
            0xf9 => {
                self.zero |= a & 0x7f | b == 0;
                (float::f16_to_f64_bits(u16::from_be_bytes([a, b])), 3)
            }
            0xfa => {
                let bits = u32::from_be_bytes([a, b, c, d]);
                if float::f32_is_exact_f16(bits) {
                    return None;
                }
                (float::f32_to_f64_bits(bits), 5)
            }
            0xfb => {
                let bits = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
                if float::is_exact_f32(bits) {
                    return None;
                }
                (bits, 9)
            }
            _ => return None,
        };
        self.input.advance(len);
        Some(bits)
    }

    /// The bits of the next item as binary32, if it is a float no wider and nothing has to be said about it.
    #[inline(never)]
    pub(crate) fn quick_single(&mut self) -> Option<u32> {
        let [first, a, b, c, d, ..] = self.input.ahead()?;
        let (bits, len) = match first {
            0xfa if self.plain_floats => {
                let bits = u32::from_be_bytes([a, b, c, d]);
                if float::f32_is_exact_f16(bits) {
                    return None;
                }
                (bits, 5)
            }
            0xf9 if self.plain_floats => {
                self.zero |= a & 0x7f | b == 0;
                (float::f16_to_f32_bits(u16::from_be_bytes([a, b])), 3)
            }
            _ => return None,
        };
        self.input.advance(len);
        Some(bits)
    }

    #[inline(never)]
    fn special_head(&mut self, head: Head, at: u64) -> Result<()> {
        match head.major() {
            Major::Simple => match head.info() {
                25..=27 => self.float(head, at),
                _ => self.simple(head, at),
            },
            Major::Tag => self.tag(head, at),
            Major::Unsigned | Major::Negative if head.is_indefinite() => {
                Err(bad_indefinite(head, at))
            }
            _ if head.is_indefinite() => {
                if self.rules.definite {
                    let detail = Detail::Words(match head.major() {
                        Major::Bytes => "byte string has no definite length",
                        Major::Text => "text string has no definite length",
                        Major::Array => "array has no definite length",
                        _ => "map has no definite length",
                    });
                    self.violate(Rule::IndefiniteLength, at, detail)?;
                }
                Ok(())
            }
            major => {
                if self.rules.shortest_heads && !head.is_shortest() {
                    self.violate(Rule::LongHead, at, Detail::Head(head))?;
                }
                if self.rules.reduced && major == Major::Negative {
                    self.reduced_range(head, at)?;
                }
                Ok(())
            }
        }
    }

    /// dCBOR has no integer below -2^63.
    #[inline]
    fn reduced_range(&mut self, head: Head, at: u64) -> Result<()> {
        if head.argument > i64::MAX.unsigned_abs() {
            return self.violate(Rule::IntOutOfRange, at, Detail::Head(head));
        }
        Ok(())
    }

    #[inline]
    fn simple(&mut self, head: Head, at: u64) -> Result<()> {
        match head.info() {
            31 => return Err(Error::syntax(Rule::UnexpectedBreak, at, NO_BREAK)),
            24 if head.argument < 32 => return Err(bad_simple(head, at)),
            _ => {}
        }
        if self.rules.basic_simple && !matches!(head.argument, 20..=22) {
            return self.violate(Rule::ForbiddenSimple, at, Detail::Head(head));
        }
        Ok(())
    }

    #[inline]
    fn float(&mut self, head: Head, at: u64) -> Result<()> {
        let bits = widen(head);
        self.zero |= bits << 1 == 0 || self.rules.floats == Floats::Any;
        match broken_float_rule(&self.rules, head, bits) {
            None => Ok(()),
            Some(rule) => self.violate(rule, at, Detail::Head(head)),
        }
    }

    #[inline]
    fn tag(&mut self, head: Head, at: u64) -> Result<()> {
        if head.is_indefinite() {
            return Err(bad_indefinite(head, at));
        }
        self.zero |= !self.rules.shortest_tags;
        if self.rules.shortest_tags && !head.is_shortest() {
            self.violate(Rule::LongHead, at, Detail::Head(head))?;
        }
        let allowed = match self.rules.tags {
            Tags::Any => true,
            Tags::None => false,
            Tags::Cid | Tags::DaslCid => head.argument == 42,
        };
        if !allowed {
            self.violate(Rule::ForbiddenTag, at, Detail::Head(head))?;
        }
        let bignums = self.rules.bignum_content || self.rules.shortest_bignums;
        let (content, required) = match (head.argument, self.rules.tags) {
            (2 | 3, Tags::Any) if bignums => {
                (Content::Bignum { at, len: 0, lead: 0 }, self.rules.bignum_content)
            }
            (42, Tags::Cid | Tags::DaslCid) => (Content::Cid { at }, true),
            _ => return Ok(()),
        };
        if self.expect_bytes(head, at, required)? {
            self.content = content;
        }
        Ok(())
    }

    /// True if the tag's content is a byte string; whether it has to be is the profile's to say.
    fn expect_bytes(&mut self, head: Head, at: u64, required: bool) -> Result<bool> {
        let next = self.input.peek()?;
        if next.is_none_or(|first| first >> 5 == Major::Bytes as u8) {
            return Ok(next.is_some());
        }
        if !required {
            return Ok(false);
        }
        let mut words = String::new();
        let _ = write!(words, "tag {} does not hold a byte string", head.argument);
        self.violate(Rule::InvalidTagContent, at, Detail::Text(words))?;
        Ok(false)
    }

    /// The content of a definite-length string, or of a chunk, whose head was at `at`.
    #[inline(always)]
    pub(crate) fn content(&mut self, head: Head, at: u64) -> Result<Piece<'de, '_>> {
        if head.major() == Major::Text {
            if self.rules.utf8 {
                self.check_text(head, at)
            } else {
                self.input.take(head.argument, at)
            }
        } else if matches!(self.content, Content::Any) {
            self.input.take(head.argument, at)
        } else {
            self.tagged_bytes(head, at)
        }
    }

    /// Reads over the content of a text string, if it is ASCII and that is seen at once.
    #[inline(always)]
    pub(crate) fn skip_ascii(&mut self, head: Head) -> bool {
        !head.is_indefinite() && self.input.skip_ascii(head.argument)
    }

    /// Text for someone who does not want it as a `&str`.
    fn check_text(&mut self, head: Head, at: u64) -> Result<Piece<'de, '_>> {
        let from = self.input.offset();
        if self.input.skip_ascii(head.argument) {
            return Ok(self.input.held_piece(from, from + head.argument));
        }
        let piece = self.input.take(head.argument, at)?;
        let fault = match core::str::from_utf8(piece.bytes()) {
            Ok(text) if self.rules.nfc => nfc::fault(text).map(|words| (Rule::NotNfc, words)),
            Ok(_) => None,
            Err(_) => Some((Rule::InvalidUtf8, NO_UTF8)),
        };
        if let Some((rule, words)) = fault {
            self.violate(rule, at, Detail::Words(words))?;
        }
        Ok(self.input.held_piece(from, from + head.argument))
    }

    /// The content of a definite-length text string, or of a chunk, whose head was at `at`.
    #[inline(always)]
    pub(crate) fn text(&mut self, head: Head, at: u64) -> Result<Text<'de, '_>> {
        let (nfc, sources) = (self.rules.nfc, self.sources);
        let text = self.input.take_text(head.argument, at)?;
        let fault = match text {
            Some(Text::Borrowed(text) | Text::Passing(text)) if nfc => {
                nfc::fault(text).map(|words| (Rule::NotNfc, words))
            }
            Some(_) => None,
            None => Some((Rule::InvalidUtf8, NO_UTF8)),
        };
        match (text, fault) {
            (Some(text), None) => Ok(text),
            (_, fault) => Err(bad_text(fault, at, sources)),
        }
    }

    /// The content of a byte string below a tag that cares.
    #[cold]
    fn tagged_bytes(&mut self, head: Head, at: u64) -> Result<Piece<'de, '_>> {
        let content = core::mem::replace(&mut self.content, Content::Any);
        let from = self.input.offset();
        let piece = self.input.take(head.argument, at)?;
        let piece_len = head.argument;
        match content {
            Content::Any => {}
            Content::Cid { at } => {
                let dasl = self.rules.tags == Tags::DaslCid;
                if let Some(words) = cid_fault(piece.bytes(), dasl) {
                    self.violate(Rule::InvalidTagContent, at, Detail::Words(words))?;
                }
            }
            Content::Bignum { at, len, lead } => {
                let first = piece.bytes().first().copied().unwrap_or(0);
                self.end_bignum(at, len + piece_len, if len == 0 { first } else { lead })?;
            }
        }
        Ok(self.input.held_piece(from, from + piece_len))
    }

    /// RFC 8949 §3.4.3: no leading zeros, and nothing that major type 0 or 1 can hold.
    fn end_bignum(&mut self, at: u64, len: u64, lead: u8) -> Result<()> {
        if self.rules.reduced && len == 8 && lead >= 0x80 {
            let words = "bignum is an integer below -2^63 or fits major type 0";
            return self.violate(Rule::LongBignum, at, Detail::Words(words));
        }
        if self.rules.shortest_bignums && (len <= 8 || lead == 0) {
            let words = if len > 0 && lead == 0 {
                "bignum has a leading zero byte"
            } else {
                "bignum fits an integer of major type 0 or 1"
            };
            return self.violate(Rule::LongBignum, at, Detail::Words(words));
        }
        Ok(())
    }

    /// The head of the next chunk of an indefinite-length string and where it was; none after the last.
    #[inline]
    pub(crate) fn chunk(&mut self, major: Major) -> Result<Option<(Head, u64)>> {
        let at = self.input.offset();
        match self.input.peek()? {
            Some(BREAK) => {
                self.input.advance(1);
                if let Content::Bignum { at, len, lead } =
                    core::mem::replace(&mut self.content, Content::Any)
                {
                    self.end_bignum(at, len, lead)?;
                }
                Ok(None)
            }
            Some(first) if first >> 5 == major as u8 && first & 31 != 31 => {
                self.input.owe(1);
                let head = self.input.head()?;
                if self.rules.shortest_heads && !head.is_shortest() {
                    self.violate(Rule::LongHead, at, Detail::Head(head))?;
                }
                Ok(Some((head, at)))
            }
            Some(first) => {
                let mut words = String::new();
                let _ = write!(words, "{first:02x} begins no definite-length {}", string(major));
                Err(Error::syntax(Rule::BadChunk, at, words))
            }
            None => Err(Error::syntax(Rule::Truncated, at, NO_CHUNK)),
        }
    }

    /// The content of a chunk.
    pub(crate) fn chunk_content(&mut self, head: Head, at: u64) -> Result<Piece<'de, '_>> {
        let content = self.content;
        if let Content::Bignum { at: tag_at, len, lead } = content {
            self.content = Content::Any;
            let first = self.content(head, at)?.bytes().first().copied().unwrap_or(0);
            let lead = if len == 0 { first } else { lead };
            self.content = Content::Bignum { at: tag_at, len: len + head.argument, lead };
            let end = self.input.offset();
            return Ok(self.input.held_piece(end - head.argument, end));
        }
        self.content(head, at)
    }

    /// Reads over a string of either length.
    #[inline]
    pub(crate) fn skip_string(&mut self, head: Head, at: u64) -> Result<()> {
        if !head.is_indefinite() {
            self.content(head, at)?;
            return Ok(());
        }
        while let Some((chunk, at)) = self.chunk(head.major())? {
            self.chunk_content(chunk, at)?;
        }
        Ok(())
    }
}

pub(crate) const fn plain_floats(rules: &Rules) -> bool {
    matches!((rules.floats, rules.nan), (Floats::Shortest, Nan::Kept))
        && rules.infinity
        && rules.negative_zero
        && !rules.reduced
}

const fn special_integer(rules: &Rules) -> u8 {
    if rules.reduced { 0x3b } else { 0xff }
}

const NO_BREAK: &str = "break where no indefinite-length item is open";
const NO_CHUNK: &str = "input ends inside an indefinite-length string";
const NO_UTF8: &str = "text string is not UTF-8";

const fn string(major: Major) -> &'static str {
    if matches!(major, Major::Text) { "text string" } else { "byte string" }
}

#[cold]
#[inline(never)]
fn bad_indefinite(head: Head, at: u64) -> Error {
    let words = if head.major() == Major::Tag {
        "tag number has no value"
    } else {
        "integer has an indefinite length"
    };
    Error::syntax(Rule::BadIndefinite, at, words)
}

#[cold]
#[inline(never)]
fn bad_text(fault: Option<(Rule, &'static str)>, at: u64, sources: &'static Sources) -> Error {
    let (rule, words) = fault.unwrap_or((Rule::InvalidUtf8, NO_UTF8));
    Found { rule, at, detail: Detail::Words(words) }.into_error(sources)
}

#[cold]
#[inline(never)]
fn bad_simple(head: Head, at: u64) -> Error {
    let mut words = String::new();
    let _ = write!(words, "simple value {} is written in two bytes", head.argument);
    Error::syntax(Rule::BadSimple, at, words)
}

/// The bits of a float as binary64, exactly.
#[inline(always)]
pub(crate) fn widen(head: Head) -> u64 {
    match head.info() {
        25 => float::f16_to_f64_bits(low16(head.argument)),
        26 => float::f32_to_f64_bits(low32(head.argument)),
        _ => head.argument,
    }
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the argument of f9 has two bytes")]
pub(crate) const fn low16(argument: u64) -> u16 {
    argument as u16
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the argument of fa has four bytes")]
pub(crate) const fn low32(argument: u64) -> u32 {
    argument as u32
}

const EXPONENT: u64 = 0x7ff << 52;
const QUIET_NAN: u64 = 0x7ff8 << 48;

/// The first rule about floats that one breaks; the value's rules come before the width's.
#[inline]
pub(crate) fn broken_float_rule(rules: &Rules, head: Head, bits: u64) -> Option<Rule> {
    if rules.floats == Floats::None {
        return Some(Rule::ForbiddenFloat);
    }
    let magnitude = bits << 1 >> 1;
    if magnitude > EXPONENT {
        match rules.nan {
            Nan::None => return Some(Rule::ForbiddenNan),
            Nan::Canonical if bits != QUIET_NAN => return Some(Rule::NanPayload),
            Nan::Canonical if head.info() != 25 => return Some(Rule::LongFloat),
            _ => {}
        }
    } else if magnitude == EXPONENT {
        if !rules.infinity {
            return Some(Rule::ForbiddenInfinity);
        }
    } else if bits == 1 << 63 {
        if !rules.negative_zero {
            return Some(Rule::ForbiddenNegativeZero);
        }
    } else if rules.reduced && float_integer(bits).is_some() {
        return Some(Rule::IntegralFloat);
    }
    let too_long = match (rules.floats, head.info()) {
        (Floats::Shortest, 26 | 27) => head.info() > shortest_info(head),
        (Floats::Double, 25 | 26) => return Some(Rule::ShortFloat),
        _ => false,
    };
    too_long.then_some(Rule::LongFloat)
}

/// The additional information of a float's shortest form.
#[inline(always)]
fn shortest_info(head: Head) -> u8 {
    match head.info() {
        27 if !float::is_exact_f32(head.argument) => 27,
        26 if !float::f32_is_exact_f16(low32(head.argument)) => 26,
        _ => match float::shortest_bits(widen(head)) {
            Shortest::F16(_) => 25,
            Shortest::F32(_) => 26,
            Shortest::F64(_) => 27,
        },
    }
}

/// The integer in -2^63..2^64-1 that a float is, for dCBOR's numeric reduction. The sign of zero is dropped.
pub(crate) fn float_integer(bits: u64) -> Option<i128> {
    if bits << 1 == 0 {
        return Some(0);
    }
    let exponent = i64::from(low16(bits >> 52) & 0x7ff) - 1075;
    let significand = i128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // 2^64 needs a shift by 12 at most; below 2^0 all 52 fraction bits have to go.
    let magnitude = match exponent {
        0..=11 => significand << exponent,
        -52..0 if significand.trailing_zeros() >= exponent.unsigned_abs().try_into().ok()? => {
            significand >> -exponent
        }
        _ => return None,
    };
    let value = if bits >> 63 == 0 { magnitude } else { -magnitude };
    (-(1 << 63)..1 << 64).contains(&value).then_some(value)
}

/// What is wrong with the content of tag 42 as IPLD uses it.
pub(crate) fn cid_fault(bytes: &[u8], dasl: bool) -> Option<&'static str> {
    let [0, cid @ ..] = bytes else {
        return Some("tag 42 content does not begin with the byte 00");
    };
    if dasl {
        return match cid {
            [1, 0x55 | 0x71, 0x12 | 0x1e, 32, digest @ ..] if digest.len() == 32 => None,
            _ => Some("tag 42 holds no DASL CID: version 1, raw or dag-cbor, SHA-256 or BLAKE3"),
        };
    }
    let version_0 = matches!(cid, [0x12, 32, digest @ ..] if digest.len() == 32);
    if version_0 || version_1(cid).is_some() { None } else { Some("tag 42 holds no CID") }
}

/// A CID of version 1 is a version, a codec, a hash code and a digest length, all varints, and the digest.
fn version_1(cid: &[u8]) -> Option<()> {
    let (version, rest) = varint(cid)?;
    let (_codec, rest) = varint(rest)?;
    let (_hash, rest) = varint(rest)?;
    let (len, digest) = varint(rest)?;
    (version == 1 && digest.len() as u64 == len).then_some(())
}

/// An unsigned varint of the multiformats: at most nine bytes, no trailing zero byte.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().take(9).position(|b| b & 0x80 == 0)?;
    let (varint, rest) = bytes.split_at(end + 1);
    if end > 0 && varint[end] == 0 {
        return None;
    }
    Some((varint.iter().rev().fold(0, |n, b| n << 7 | u64::from(b & 0x7f)), rest))
}

/// The children of one container: how many are to come, and where a break may end them.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Elements, or pairs, to come; meaningless where the length is indefinite.
    pub(crate) left: u64,
    pub(crate) indefinite: bool,
}

impl Frame {
    #[inline(always)]
    pub(crate) const fn new(head: Head) -> Self {
        Frame { left: head.argument, indefinite: head.is_indefinite() }
    }

    /// True if another element, or another pair, comes; the break after the last is consumed.
    #[inline(always)]
    pub(crate) fn more<'de, I: Input<'de>>(&mut self, scan: &mut Scanner<I>) -> Result<bool> {
        if self.indefinite {
            if open_end(&mut scan.input)? {
                scan.input.owe(1);
                return Ok(true);
            }
            // The break is read once; whoever asks again is told the same.
            *self = Frame { left: 0, indefinite: false };
            return Ok(false);
        }
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        Ok(true)
    }

    /// Between a key and its value no break may stand (RFC 8949 §3.2.2).
    #[inline(always)]
    pub(crate) fn value<'de, I: Input<'de>>(self, scan: &mut Scanner<I>) -> Result<()> {
        if self.indefinite {
            if scan.input.peek()? == Some(BREAK) {
                let words = "break between a map key and its value";
                return Err(Error::syntax(Rule::OddMap, scan.offset(), words));
            }
            scan.input.owe(1);
        }
        Ok(())
    }
}

fn open_end<'de, I: Input<'de>>(input: &mut I) -> Result<bool> {
    match input.peek()? {
        Some(BREAK) => {
            input.advance(1);
            Ok(false)
        }
        Some(_) => Ok(true),
        None => {
            let words = "input ends inside an indefinite-length array or map";
            Err(Error::syntax(Rule::Truncated, input.offset(), words))
        }
    }
}

impl Found {
    pub(crate) fn new(rule: Rule, at: u64, detail: Detail) -> Self {
        Found { rule, at, detail }
    }

    #[cold]
    pub(crate) fn into_error(self, sources: &Sources) -> Error {
        let reference = source(sources, self.rule);
        let detail = match self.detail {
            Detail::Head(head) => words(self.rule, head),
            Detail::Words(words) => words.into(),
            Detail::Text(text) => text,
        };
        Error::broken(self.rule, reference, Some(self.at), detail)
    }
}

/// The profile's own document for a rule.
pub(crate) const fn source(sources: &Sources, rule: Rule) -> &'static str {
    match rule {
        Rule::LongHead => sources.heads,
        Rule::LongFloat | Rule::ShortFloat | Rule::IntegralFloat | Rule::ForbiddenFloat => {
            sources.floats
        }
        Rule::ForbiddenNan | Rule::NanPayload => sources.nan,
        Rule::ForbiddenInfinity => sources.infinity,
        Rule::ForbiddenNegativeZero => sources.negative_zero,
        Rule::IntOutOfRange => sources.integers,
        Rule::LongBignum => sources.bignums,
        Rule::UnsortedKey => sources.order,
        Rule::DuplicateKey => sources.duplicates,
        Rule::ForbiddenKey => sources.keys,
        Rule::IndefiniteLength => sources.lengths,
        Rule::ForbiddenTag => sources.tags,
        Rule::ForbiddenSimple => sources.simple,
        Rule::NotNfc | Rule::InvalidUtf8 => sources.text,
        Rule::TooDeep => sources.depth,
        _ => rule.reference(),
    }
}

/// Bytes in hex, as they are quoted in messages.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What was found and what is wanted, for rules about one head.
#[cold]
fn words(rule: Rule, head: Head) -> String {
    let mut out = String::new();
    let argument = head.argument.to_be_bytes();
    let mut bytes = [head.first; 9];
    bytes[1..head.len()].copy_from_slice(&argument[9 - head.len()..]);
    let found = Hex(&bytes[..head.len()]);
    let _ = match rule {
        Rule::LongHead => {
            let (short, len) = head::shortest(head.major(), head.argument);
            write!(
                out,
                "head {found} is longer than it has to be, {} is wanted",
                Hex(&short[..len])
            )
        }
        Rule::LongFloat => {
            let (short, len) = float_bytes(float::shortest_bits(widen(head)));
            write!(
                out,
                "float {found} is longer than it has to be, {} is wanted",
                Hex(&short[..len])
            )
        }
        Rule::ShortFloat => {
            write!(out, "float {found} is not 64 bits wide, fb{:016x} is wanted", widen(head))
        }
        Rule::IntegralFloat => {
            let value = float_integer(widen(head)).unwrap_or(0);
            write!(out, "float {found} has the integer value {value}, the integer is wanted")
        }
        Rule::ForbiddenFloat => write!(out, "float {found} in a profile without floats"),
        Rule::ForbiddenNan => write!(out, "NaN {found} in a profile without NaN"),
        Rule::NanPayload => write!(out, "NaN {found} is not f97e00, the only one"),
        Rule::ForbiddenInfinity => write!(out, "infinity {found} in a profile without infinities"),
        Rule::ForbiddenNegativeZero => {
            write!(out, "float {found} is -0.0, which the profile lacks")
        }
        Rule::IntOutOfRange => {
            write!(out, "integer {} is below -2^63", -1 - i128::from(head.argument))
        }
        Rule::ForbiddenTag => write!(out, "tag {} is not in the profile", head.argument),
        Rule::ForbiddenSimple => {
            write!(out, "simple value {found} is not false, true or null")
        }
        _ => write!(out, "{found} breaks the rule {rule}"),
    };
    out
}

/// A float item in its chosen width, and how many of the bytes count.
#[inline(always)]
pub(crate) const fn float_bytes(shortest: Shortest) -> ([u8; 9], usize) {
    match shortest {
        Shortest::F16(bits) => {
            let b = bits.to_be_bytes();
            ([0xf9, b[0], b[1], 0, 0, 0, 0, 0, 0], 3)
        }
        Shortest::F32(bits) => {
            let b = bits.to_be_bytes();
            ([0xfa, b[0], b[1], b[2], b[3], 0, 0, 0, 0], 5)
        }
        Shortest::F64(bits) => {
            let b = bits.to_be_bytes();
            ([0xfb, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]], 9)
        }
    }
}
