//! From diagnostic notation to bytes: one pass, the open containers on a list and not on the stack.

use super::Parser;
use super::apps;
use super::error::{ParseError, Result};
use super::lex::{Cursor, Indicator, Number};
use super::number;
use super::pieces::{GAP, Pieces};
use crate::float;
use crate::head::{self, BREAK, Major};
use crate::scan::float_bytes;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Reads the items of `text`; exactly one if `single`.
pub(super) fn read(parser: &Parser, text: &str, single: bool) -> Result<Vec<u8>> {
    let mut reader = Reader {
        parser,
        cursor: Cursor::new(text),
        out: Vec::with_capacity(text.len() / 2),
        open: Vec::new(),
        depth: 0,
    };
    reader.items(single)?;
    Ok(reader.out)
}

struct Reader<'t> {
    parser: &'t Parser,
    cursor: Cursor<'t>,
    out: Vec<u8>,
    open: Vec<Open<'t>>,
    /// Open containers; a concatenation is none.
    depth: u32,
}

/// A container whose children are being read.
struct Open<'t> {
    kind: Kind<'t>,
    indicator: Indicator,
    /// Where it begins in the bytes and in the text.
    at: usize,
    from: usize,
    children: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'t> {
    Array,
    /// A map, whose key or whose value comes.
    Key,
    Value,
    Tag,
    /// `<<…>>`, with the prefix it may have.
    Embedded(&'t str),
    /// `(_ …)`.
    Chunks,
    /// Strings with `+` between them.
    Sum,
}

/// An item that was read to its end.
#[derive(Clone, Copy)]
struct Item {
    at: usize,
    from: usize,
    /// `+` may follow.
    string: bool,
}

enum Step {
    /// Another item comes.
    More,
    /// The container is complete, and an item itself.
    Closed(Item),
}

impl<'t> Reader<'t> {
    fn items(&mut self, single: bool) -> Result<()> {
        self.cursor.blank()?;
        while single || self.cursor.at < self.cursor.text.len() {
            let item = self.item()?;
            self.rewrite(item)?;
            let separated = self.separator()?;
            if self.cursor.at == self.cursor.text.len() {
                return Ok(());
            }
            if single {
                return Err(self.cursor.unexpected("the end of the text after one item"));
            }
            if !separated {
                return Err(self.cursor.unexpected(SEPARATOR));
            }
        }
        Ok(())
    }

    /// Rewrites a whole item as the parser's profile wants it.
    fn rewrite(&mut self, item: Item) -> Result<()> {
        let Some(profile) = self.parser.profile else { return Ok(()) };
        match profile.canonicalize(&self.out[item.at..]) {
            Ok(bytes) => {
                self.out.truncate(item.at);
                self.out.extend_from_slice(&bytes);
                Ok(())
            }
            Err(error) => Err(self.cursor.error(item.from..self.cursor.at, format!("{error}"))),
        }
    }

    /// Reads one outermost item.
    fn item(&mut self) -> Result<Item> {
        loop {
            let begun = match self.begin()? {
                Some(item) => Some(item),
                None => self.enter()?,
            };
            let Some(mut item) = begun else { continue };
            loop {
                match self.sum(item)? {
                    None => break,
                    Some(whole) => item = whole,
                }
                if self.open.is_empty() {
                    return Ok(item);
                }
                match self.next(item)? {
                    Step::More => break,
                    Step::Closed(container) => item = container,
                }
            }
        }
    }

    /// Reads a scalar, or the beginning of a container, which is none yet.
    fn begin(&mut self) -> Result<Option<Item>> {
        let (from, at) = (self.cursor.at, self.out.len());
        let scalar = Item { at, from, string: false };
        match self.cursor.peek() {
            Some(b'[') => self.bracket(Kind::Array, 0x80),
            Some(b'{') => self.bracket(Kind::Key, 0xa0),
            Some(b'<') if self.cursor.eat("<<") => {
                self.out.push(0x40);
                self.open(Kind::Embedded(""), Indicator::None, at, from)
            }
            Some(b'(') if self.cursor.eat("(_") => {
                self.out.push(0x5f);
                self.open(Kind::Chunks, Indicator::None, at, from)
            }
            Some(b'"' | b'\'') => self.quoted().map(Some),
            Some(b'`') => {
                self.out.push(0x60);
                self.cursor.raw(self.parser.dialect, &mut self.out)?;
                self.end_string(at, from, Major::Text).map(Some)
            }
            Some(b'.') if self.cursor.starts("...") => {
                self.cursor.run(|b| b == b'.');
                self.out.extend_from_slice(&GAP);
                Ok(Some(Item { string: true, ..scalar }))
            }
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
                let number = self.cursor.number()?;
                self.number(number, scalar)
            }
            Some(b) if b.is_ascii_alphabetic() => self.word(),
            _ => Err(self.cursor.unexpected("an item")),
        }
    }

    fn open(
        &mut self,
        kind: Kind<'t>,
        indicator: Indicator,
        at: usize,
        from: usize,
    ) -> Result<Option<Item>> {
        if kind != Kind::Sum {
            self.depth += 1;
            if self.depth > self.parser.max_depth {
                let words = format!("nested deeper than {} levels", self.parser.max_depth);
                return Err(self.cursor.error(from..self.cursor.at, words));
            }
        }
        self.open.push(Open { kind, indicator, at, from, children: 0 });
        Ok(None)
    }

    fn bracket(&mut self, kind: Kind<'t>, initial: u8) -> Result<Option<Item>> {
        let (from, at) = (self.cursor.at, self.out.len());
        self.cursor.at += 1;
        let indicator = self.cursor.indicator()?;
        self.out.push(if indicator == Indicator::Indefinite { initial | 31 } else { initial });
        self.open(kind, indicator, at, from)
    }

    /// Reads on to the first child of what was just opened, or closes it if there is none.
    fn enter(&mut self) -> Result<Option<Item>> {
        let blank = self.cursor.blank()?;
        let Some(open) = self.open.last() else { return Ok(None) };
        let needs_blank = open.kind == Kind::Chunks || open.indicator != Indicator::None;
        match open.kind {
            Kind::Array | Kind::Key | Kind::Embedded(_) if self.cursor.eat(closing(open.kind)) => {
                self.close().map(Some)
            }
            Kind::Array | Kind::Key | Kind::Chunks if needs_blank && !blank => {
                Err(self.cursor.unexpected("a blank after the encoding indicator"))
            }
            _ => Ok(None),
        }
    }

    /// Reads blanks and at most one comma; true if there was anything.
    fn separator(&mut self) -> Result<bool> {
        let blank = self.cursor.blank()?;
        let comma = self.cursor.eat(",");
        if comma {
            self.cursor.blank()?;
        }
        Ok(blank || comma)
    }

    /// Goes on in the innermost container after a child.
    fn next(&mut self, item: Item) -> Result<Step> {
        let Some(open) = self.open.last_mut() else { return Ok(Step::More) };
        match open.kind {
            Kind::Key => {
                open.kind = Kind::Value;
                self.cursor.blank()?;
                if !self.cursor.eat(":") {
                    return Err(self.cursor.unexpected("a colon after a map key"));
                }
                self.cursor.blank()?;
                return Ok(Step::More);
            }
            Kind::Tag => {
                self.cursor.blank()?;
                if !self.cursor.eat(")") {
                    return Err(self.cursor.unexpected("the ) of a tag"));
                }
                return self.close().map(Step::Closed);
            }
            Kind::Value => open.kind = Kind::Key,
            Kind::Chunks => self.chunk(item)?,
            Kind::Array | Kind::Embedded(_) | Kind::Sum => {}
        }
        let separated = self.separator()?;
        let Some(open) = self.open.last_mut() else { return Ok(Step::More) };
        open.children += 1;
        let kind = open.kind;
        if self.cursor.eat(closing(kind)) {
            return self.close().map(Step::Closed);
        }
        if !separated {
            let wanted = if self.cursor.peek().is_some() { SEPARATOR } else { closing(kind) };
            return Err(self.cursor.unexpected(wanted));
        }
        Ok(Step::More)
    }

    /// All chunks are strings of definite length and of one type, that of the first.
    fn chunk(&mut self, item: Item) -> Result<()> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let byte = |at: usize| self.out.get(at).copied().unwrap_or_default();
        let (whole, first) = (byte(open.at), byte(item.at));
        let fits = open.children == 0 || whole >> 5 == first >> 5;
        if !matches!(first >> 5, 2 | 3) || first & 31 == 31 || !fits {
            let words = "chunks are strings of definite length, all text or all bytes";
            return Err(self.cursor.error(item.from..self.cursor.at, words));
        }
        if let Some(whole) = self.out.get_mut(open.at) {
            *whole = first | 31;
        }
        Ok(())
    }

    /// Ends the innermost container, whose closing bracket was read.
    fn close(&mut self) -> Result<Item> {
        let Some(open) = self.open.pop() else { return Err(self.cursor.unexpected("an item")) };
        self.depth = self.depth.saturating_sub(u32::from(open.kind != Kind::Sum));
        let item =
            Item { at: open.at, from: open.from, string: matches!(open.kind, Kind::Embedded(_)) };
        match open.kind {
            Kind::Array => self.count(open.indicator, item, Major::Array, open.children)?,
            Kind::Key | Kind::Value => {
                self.count(open.indicator, item, Major::Map, open.children)?;
            }
            Kind::Chunks => self.out.push(BREAK),
            Kind::Embedded("") => {
                let len = self.out.len() - open.at - 1;
                let indicator = self.cursor.indicator()?;
                self.length(indicator, item, Major::Bytes, len)?;
            }
            Kind::Embedded(prefix) => {
                let items = self.out.split_off(open.at);
                apps::sequence(self.parser, prefix, &items, &mut self.out)
                    .map_err(|words| self.cursor.error(open.from..self.cursor.at, words))?;
                self.widen(item)?;
            }
            Kind::Tag | Kind::Sum => {}
        }
        Ok(item)
    }

    fn count(
        &mut self,
        indicator: Indicator,
        item: Item,
        major: Major,
        children: u64,
    ) -> Result<()> {
        if indicator == Indicator::Indefinite {
            self.out.push(BREAK);
            return Ok(());
        }
        self.head(indicator, item, major, children)
    }

    fn length(&mut self, indicator: Indicator, item: Item, major: Major, len: usize) -> Result<()> {
        if indicator == Indicator::Indefinite {
            if len > 0 {
                let words = "only an empty string takes the indicator _";
                return Err(self.cursor.error(item.from..self.cursor.at, words));
            }
            if let Some(first) = self.out.get_mut(item.at) {
                *first |= 31;
            }
            self.out.push(BREAK);
            return Ok(());
        }
        self.head(indicator, item, major, len as u64)
    }

    /// Replaces the one byte kept free at the item's beginning by its head.
    fn head(
        &mut self,
        indicator: Indicator,
        item: Item,
        major: Major,
        argument: u64,
    ) -> Result<()> {
        let Some(info) = info(indicator) else {
            head::set_head(&mut self.out, item.at, major, argument);
            return Ok(());
        };
        let mut head = Vec::with_capacity(9);
        if !apps::push_head(&mut head, major, argument, info) {
            return Err(self.unfit(item));
        }
        self.out.splice(item.at..=item.at, head);
        Ok(())
    }

    #[cold]
    fn unfit(&self, item: Item) -> ParseError {
        let words = "encoding indicator does not fit the value";
        self.cursor.error(item.from..self.cursor.at, words)
    }

    fn quoted(&mut self) -> Result<Item> {
        let (from, at) = (self.cursor.at, self.out.len());
        let major = if self.cursor.peek() == Some(b'"') { Major::Text } else { Major::Bytes };
        self.out.push((major as u8) << 5);
        self.cursor.quoted(&mut self.out)?;
        self.end_string(at, from, major)
    }

    fn end_string(&mut self, at: usize, from: usize, major: Major) -> Result<Item> {
        let len = self.out.len() - at - 1;
        let indicator = self.cursor.indicator()?;
        let item = Item { at, from, string: true };
        self.length(indicator, item, major, len)?;
        Ok(item)
    }

    fn number(&mut self, number: Number<'t>, item: Item) -> Result<Option<Item>> {
        match number {
            Number::Float(bits) => self.float(bits, item).map(Some),
            Number::Integer { negative, digits, bits_per_digit, plain } => {
                let before = self.cursor;
                let indicator = self.cursor.indicator()?;
                if plain && self.cursor.peek() == Some(b'(') {
                    return self.tag(digits, indicator, item);
                }
                self.cursor = before;
                if !number::push_integer(&mut self.out, negative, digits, bits_per_digit) {
                    let words = format!(
                        "integer has more than {} decimal digits: write 2(h'…') or 3(h'…')",
                        number::DECIMAL_DIGITS
                    );
                    return Err(self.cursor.error(item.from..self.cursor.at, words));
                }
                self.widen(item)?;
                Ok(Some(item))
            }
        }
    }

    fn tag(&mut self, digits: &str, indicator: Indicator, item: Item) -> Result<Option<Item>> {
        let Ok(number) = digits.parse::<u64>() else {
            let words = "tag number is above 18446744073709551615";
            return Err(self.cursor.error(item.from..self.cursor.at, words));
        };
        if indicator == Indicator::Indefinite {
            return Err(self
                .cursor
                .error(item.from..self.cursor.at, "tag has no indefinite length"));
        }
        self.out.push(0xc0);
        self.head(indicator, item, Major::Tag, number)?;
        self.cursor.at += 1;
        self.open(Kind::Tag, Indicator::None, item.at, item.from)
    }

    fn float(&mut self, bits: u64, item: Item) -> Result<Item> {
        let indicator = self.cursor.indicator()?;
        if indicator == Indicator::Indefinite {
            let words = "number has no indefinite length";
            return Err(self.cursor.error(item.from..self.cursor.at, words));
        }
        match info(indicator) {
            None => {
                let (bytes, len) = float_bytes(float::shortest_bits(bits));
                self.out.extend_from_slice(&bytes[..len]);
                Ok(item)
            }
            Some(info) if apps::push_float(&mut self.out, bits, info) => Ok(item),
            Some(_) => Err(self.unfit(item)),
        }
    }

    /// Reads the encoding indicator of an item that was written in its preferred form.
    fn widen(&mut self, item: Item) -> Result<()> {
        match self.cursor.indicator()? {
            Indicator::None => Ok(()),
            Indicator::Indefinite => match self.out.get(item.at..) {
                Some([0x40]) => self.length(Indicator::Indefinite, item, Major::Bytes, 0),
                _ => Err(self
                    .cursor
                    .error(item.from..self.cursor.at, "item has no indefinite length")),
            },
            indicator => {
                let info = info(indicator).unwrap_or_default();
                if apps::widen_item(&mut self.out, item.at, info) {
                    Ok(())
                } else {
                    Err(self.unfit(item))
                }
            }
        }
    }

    /// A name: a simple value, a float that is no number, or what stands before a string.
    fn word(&mut self) -> Result<Option<Item>> {
        let (from, at) = (self.cursor.at, self.out.len());
        let word = self.cursor.run(|b| b.is_ascii_alphanumeric() || b == b'-');
        let item = Item { at, from, string: false };
        match self.cursor.peek() {
            Some(b'\'' | b'`') => {
                self.check_prefix(word, from)?;
                let mut text = Vec::new();
                if self.cursor.peek() == Some(b'`') {
                    self.cursor.raw(self.parser.dialect, &mut text)?;
                } else {
                    self.cursor.quoted(&mut text)?;
                }
                let text = String::from_utf8(text).unwrap_or_default();
                apps::literal(self.parser, word, &text, &mut self.out)
                    .map_err(|words| self.cursor.error(from..self.cursor.at, words))?;
                self.widen(item)?;
                return Ok(Some(Item { string: true, ..item }));
            }
            Some(b'<') if self.cursor.starts("<<") => {
                self.check_prefix(word, from)?;
                self.cursor.at += 2;
                return self.open(Kind::Embedded(word), Indicator::None, at, from);
            }
            _ => {}
        }
        match word {
            "false" => self.out.push(0xf4),
            "true" => self.out.push(0xf5),
            "null" => self.out.push(0xf6),
            "undefined" => self.out.push(0xf7),
            "simple" if self.cursor.eat("(") => self.simple(from)?,
            "Infinity" => return self.float(0x7ff << 52, item).map(Some),
            "NaN" => return self.float(0x7ff8 << 48, item).map(Some),
            _ => return Err(self.cursor.error(from..self.cursor.at, format!("{word} is no item"))),
        }
        Ok(Some(item))
    }

    /// A prefix is all in lower or all in upper case.
    fn check_prefix(&self, prefix: &str, from: usize) -> Result<()> {
        let lower = prefix.bytes().any(|b| b.is_ascii_lowercase());
        if lower && prefix.bytes().any(|b| b.is_ascii_uppercase()) {
            let words = format!("application prefix {prefix} mixes upper and lower case");
            return Err(self.cursor.error(from..self.cursor.at, words));
        }
        Ok(())
    }

    fn simple(&mut self, from: usize) -> Result<()> {
        self.cursor.blank()?;
        let digits = self.cursor.run(|b| b.is_ascii_digit());
        self.cursor.blank()?;
        let plain = digits == "0" || !digits.starts_with('0');
        let closed = self.cursor.eat(")");
        match digits.parse::<u8>() {
            Ok(value @ (0..=23 | 32..)) if plain && closed => {
                head::push(&mut self.out, Major::Simple, u64::from(value));
                Ok(())
            }
            _ => {
                let words =
                    "simple values are simple(0) to simple(23) and simple(32) to simple(255)";
                Err(self.cursor.error(from..self.cursor.at, words))
            }
        }
    }

    /// Looks for a `+` after a string. None if one came and another string does; else the item, or the sum it
    /// was the last of.
    fn sum(&mut self, item: Item) -> Result<Option<Item>> {
        let sum =
            self.open.last().filter(|open| open.kind == Kind::Sum).map(|open| (open.at, open.from));
        let before = self.cursor.at;
        if item.string {
            self.cursor.blank()?;
            if self.cursor.peek() == Some(b'+') && !self.is_number_after_plus() {
                if self.parser.joins_by_name() {
                    let words = "draft 26 has no +: write t1<<…>> or b1<<…>>";
                    return Err(self.cursor.error(self.cursor.at..self.cursor.at + 1, words));
                }
                self.cursor.at += 1;
                self.cursor.blank()?;
                if sum.is_none() {
                    self.open(Kind::Sum, Indicator::None, item.at, item.from)?;
                }
                return if self.begins_string() {
                    Ok(None)
                } else {
                    Err(self.cursor.unexpected("a string after +"))
                };
            }
            self.cursor.at = before;
        }
        let Some((at, from)) = sum else { return Ok(Some(item)) };
        self.open.pop();
        let items = self.out.split_off(at);
        Pieces::of(None, &apps::split(&items))
            .and_then(|pieces| pieces.push(&mut self.out, self.parser.any_text))
            .map_err(|words| self.cursor.error(from..self.cursor.at, words))?;
        Ok(Some(Item { at, from, string: false }))
    }

    /// `["a" +1]` are two items.
    fn is_number_after_plus(&self) -> bool {
        let next = self.cursor.text.as_bytes().get(self.cursor.at + 1);
        next.is_some_and(|&b| b.is_ascii_digit())
            || self.cursor.rest().starts_with("+.") && !self.cursor.starts("+...")
    }

    fn begins_string(&self) -> bool {
        let rest = self.cursor.rest();
        let word = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        rest.starts_with(['"', '\'', '`'])
            || rest.starts_with("<<")
            || rest.starts_with("...")
            || word.len() < rest.len() && (word.starts_with(['\'', '`']) || word.starts_with("<<"))
    }
}

const SEPARATOR: &str = "a comma or a blank between items";

/// The additional information that an indicator asks for; 0 for the argument itself.
fn info(indicator: Indicator) -> Option<u8> {
    match indicator {
        Indicator::None | Indicator::Indefinite => None,
        Indicator::Immediate => Some(0),
        Indicator::Width(power) => Some(24 + power),
    }
}

fn closing(kind: Kind<'_>) -> &'static str {
    match kind {
        Kind::Array => "]",
        Kind::Key | Kind::Value => "}",
        Kind::Embedded(_) => ">>",
        Kind::Tag | Kind::Chunks | Kind::Sum => ")",
    }
}
