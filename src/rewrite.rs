//! From well-formed bytes to the one form a profile has for their data, without a tree and without recursion.

use crate::error::{Error, Result, Rule};
use crate::head::{self, Head, Major};
use crate::input::{Slice, private::Input as _};
use crate::order::{self, Sorter};
use crate::profile::{Floats, Nan, Order, Profile, Rules, Sources, Tags};
use crate::scan::{Detail, Found, Frame, Scanner, cid_fault, widen};
use crate::validity;
use crate::write::{self, Habit};
use alloc::string::String;
use alloc::vec::Vec;

/// The form that keys equal by RFC 8949 §5.6.1 share: widths and order do not matter, 0.0 is -0.0, and a bignum
/// is its tag and its bytes.
const KEY_FORM: Rules = Rules {
    utf8: false,
    unique_keys: false,
    keys_by_bytes: true,
    tag_validity: false,
    bignum_content: false,
    shortest_heads: true,
    shortest_tags: true,
    shortest_bignums: false,
    definite: true,
    floats: Floats::Shortest,
    keep_width: false,
    nan: Nan::Kept,
    infinity: true,
    negative_zero: true,
    reduced: false,
    order: Order::Bytewise,
    text_keys: false,
    tags: Tags::Any,
    basic_simple: false,
    nfc: false,
};

/// Whatever is well-formed.
const ANY: Profile = Profile::WELL_FORMED.max_depth(u32::MAX);

/// Appends the form of a key that equal keys share. `key` is one well-formed item; 0.0 and -0.0 may be two keys.
pub(crate) fn key_form(key: &[u8], out: &mut Vec<u8>, fold_zero: bool) {
    let sources = Profile::WELL_FORMED.sources();
    let mut rewriter = Rewriter::new(key, out, KEY_FORM, sources);
    rewriter.fold_zero = fold_zero;
    // Nothing in these rules refuses a well-formed item, and a shorter form would only hide a duplicate.
    let _ = rewriter.item();
}

/// Appends the core deterministic encoding of one well-formed item, whether or not it has equal keys.
pub(crate) fn value_form(item: &[u8], out: &mut Vec<u8>) {
    let rules = Rules { shortest_bignums: true, ..KEY_FORM };
    // Nothing in these rules refuses a well-formed item.
    let _ = Rewriter::new(item, out, rules, Profile::WELL_FORMED.sources()).item();
}

/// Appends what the profile writes for the data of `bytes`, one valid item.
pub(crate) fn rewrite(bytes: &[u8], out: &mut Vec<u8>, profile: Profile) -> Result<()> {
    Rewriter::new(bytes, out, profile.writing(), profile.sources()).item()
}

/// The same for bytes of which nothing is known but that they should be of the profile `from`, whose rules about single
/// items are held on the way. True if equal keys were found as well, had there been any.
pub(crate) fn rewrite_checked(
    bytes: &[u8],
    out: &mut Vec<u8>,
    from: Profile,
    profile: Profile,
) -> Result<bool> {
    let mut rewriter = Rewriter::new(bytes, out, profile.writing(), profile.sources());
    rewriter.scan.set_profile(from);
    rewriter.item()?;
    Ok(rewriter.plain_keys && rewriter.scan.offset() == bytes.len() as u64)
}

struct Rewriter<'a, 'o> {
    scan: Scanner<Slice<'a>>,
    out: &'o mut Vec<u8>,
    rules: Rules,
    sources: &'static Sources,
    sorter: Sorter,
    open: Vec<Open>,
    fold_zero: bool,
    habit: Habit,
    /// Equal keys are the same bytes.
    plain_keys: bool,
}

/// A container whose children are being written.
struct Open {
    kind: Kind,
    frame: Frame,
    indefinite: bool,
    /// Where the container was read and where its head was written.
    from: u64,
    at: usize,
    children: u64,
    /// The first of the map's entries in the sorter.
    base: usize,
    /// The key being written, or the one whose value is.
    key: usize,
    value: usize,
    key_from: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Array,
    Key,
    Value,
    Tag,
}

impl<'a, 'o> Rewriter<'a, 'o> {
    fn new(bytes: &'a [u8], out: &'o mut Vec<u8>, rules: Rules, sources: &'static Sources) -> Self {
        let scan = Scanner::new(Slice::new(bytes), ANY);
        Rewriter {
            scan,
            out,
            rules,
            sources,
            sorter: Sorter::default(),
            open: Vec::new(),
            fold_zero: false,
            habit: Habit::default(),
            plain_keys: true,
        }
    }

    #[cold]
    fn refuse(&self, rule: Rule, at: u64, detail: Detail) -> Error {
        Found::new(rule, at, detail).into_error(self.sources)
    }

    /// Rewrites one item.
    fn item(&mut self) -> Result<()> {
        loop {
            let mut complete = self.begin()?;
            while complete {
                match self.open.last_mut() {
                    None => {
                        self.sorter.settle(0, self.out);
                        return Ok(());
                    }
                    Some(open) if open.kind == Kind::Key => {
                        self.sorter.settle(open.key, self.out);
                        open.value = self.out.len();
                        open.kind = Kind::Value;
                        self.plain_keys &= order::is_plain(&self.out[open.key..]);
                        self.key_type()?;
                        complete = false;
                    }
                    Some(open) => {
                        if open.kind == Kind::Value {
                            self.sorter.push(open.key, open.value, self.out.len());
                            open.kind = Kind::Key;
                        }
                        complete = self.next_child()?;
                    }
                }
            }
        }
    }

    /// Moves on to the next child of the innermost container, or closes it; true if it is closed.
    fn next_child(&mut self) -> Result<bool> {
        let Some(open) = self.open.last_mut() else { return Ok(true) };
        if open.frame.more(&mut self.scan)? {
            open.children += 1;
            open.key = self.out.len();
            open.key_from = self.scan.offset();
            return Ok(false);
        }
        let Some(open) = self.open.pop() else { return Ok(true) };
        self.scan.leave();
        if open.kind == Kind::Key {
            let (order, unique) = (self.rules.order, self.rules.unique_keys);
            if let Err(key) = self.sorter.close(open.base, self.out, order, unique) {
                return Err(self.twice(open.from, &self.out[key]));
            }
        } else if open.kind == Kind::Tag && self.rules.tag_validity {
            self.sorter.settle(open.at, self.out);
            self.tag_content(&open)?;
        }
        if open.indefinite {
            let major = if open.kind == Kind::Key { Major::Map } else { Major::Array };
            self.sorter.set_head(self.out, open.at, major, open.children);
        }
        Ok(true)
    }

    /// The error of a map at `from` in which two keys became `key`; the second is the one at fault.
    #[cold]
    fn twice(&self, from: u64, key: &[u8]) -> Error {
        let mut words = String::from("map has the key ");
        crate::diag::write_key(&mut words, key);
        words.push_str(" twice");
        let map = self.scan.input.held(from, self.scan.offset());
        let at = self.second(map, key).map_or(from, |at| from + at as u64);
        self.refuse(Rule::DuplicateKey, at, Detail::Text(words))
    }

    /// Where in `map` the second key is that is rewritten to `key`.
    fn second(&self, map: &[u8], key: &[u8]) -> Option<usize> {
        let head = Slice::new(map).head().ok()?;
        let (mut at, mut found) = (head.len(), 0);
        while at < map.len() {
            let len = |at: usize| ANY.first_item(map.get(at..)?).ok();
            let item = map.get(at..at + len(at)?)?;
            let mut form = Vec::new();
            Rewriter::new(item, &mut form, self.rules, self.sources).item().ok()?;
            found += usize::from(form == key);
            if found == 2 {
                return Some(at);
            }
            at += item.len();
            at += len(at)?;
        }
        None
    }

    /// Elements of a set, for one, may have become equal.
    fn tag_content(&self, open: &Open) -> Result<()> {
        let mut written = Slice::new(&self.out[open.at..]);
        let number = written.head()?.argument;
        match validity::fault(number, written.rest().unwrap_or_default()) {
            Some(words) => {
                Err(self.refuse(Rule::InvalidTagContent, open.from, Detail::Words(words)))
            }
            None => Ok(()),
        }
    }

    fn key_type(&mut self) -> Result<()> {
        let Some(open) = self.open.last() else { return Ok(()) };
        if self.rules.text_keys && self.out.get(open.key).is_some_and(|first| first >> 5 != 3) {
            let words = Detail::Words("map key is not a text string");
            return Err(self.refuse(Rule::ForbiddenKey, open.key_from, words));
        }
        Ok(())
    }

    /// Writes a scalar, or the head of a container; true if the item is complete.
    fn begin(&mut self) -> Result<bool> {
        let from = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Unsigned => head::push(self.out, Major::Unsigned, head.argument),
            Major::Negative => {
                if self.rules.reduced && i64::try_from(head.argument).is_err() {
                    return Err(self.refuse(Rule::IntOutOfRange, from, Detail::Head(head)));
                }
                head::push(self.out, Major::Negative, head.argument);
            }
            Major::Bytes | Major::Text => self.string(head, from)?,
            Major::Array => return self.open(Kind::Array, head, from),
            Major::Map => return self.open(Kind::Key, head, from),
            Major::Tag => return self.tag(head, from),
            Major::Simple => self.simple(head, from)?,
        }
        Ok(true)
    }

    fn open(&mut self, kind: Kind, head: Head, from: u64) -> Result<bool> {
        self.scan.enter(from)?;
        let at = self.out.len();
        if head.is_indefinite() {
            self.out.push(head.first);
        } else {
            head::push(self.out, head.major(), head.argument);
        }
        let base = self.sorter.mark();
        let frame =
            if kind == Kind::Tag { Frame { left: 1, indefinite: false } } else { Frame::new(head) };
        let (key, value, key_from) = (at, at, from);
        let indefinite = frame.indefinite;
        self.open.push(Open {
            kind,
            frame,
            indefinite,
            from,
            at,
            children: 0,
            base,
            key,
            value,
            key_from,
        });
        self.next_child()
    }

    fn tag(&mut self, head: Head, from: u64) -> Result<bool> {
        let number = head.argument;
        let link = matches!(self.rules.tags, Tags::Cid | Tags::DaslCid);
        if self.rules.tags == Tags::None || link && number != 42 {
            return Err(self.refuse(Rule::ForbiddenTag, from, Detail::Head(head)));
        }
        let bytes_next = self.scan.input.peek()?.is_some_and(|first| first >> 5 == 2);
        let bytes_wanted = matches!(number, 2 | 3) && self.rules.bignum_content || link;
        if bytes_wanted && !bytes_next {
            let words = Detail::Words("tag content is not a byte string");
            return Err(self.refuse(Rule::InvalidTagContent, from, words));
        }
        if matches!(number, 2 | 3) && self.rules.shortest_bignums && bytes_next {
            self.scan.enter(from)?;
            self.bignum(number == 3, from)?;
            self.scan.leave();
            return Ok(true);
        }
        if link {
            self.scan.enter(from)?;
            let at = self.out.len();
            head::push(self.out, Major::Tag, number);
            let content_at = self.scan.offset();
            let content_head = self.scan.head()?;
            let written = self.out.len();
            self.string(content_head, content_at)?;
            let content_len = head_len(&self.out[written..]);
            let dasl = self.rules.tags == Tags::DaslCid;
            if let Some(words) = cid_fault(&self.out[written + content_len..], dasl) {
                self.out.truncate(at);
                return Err(self.refuse(Rule::InvalidTagContent, from, Detail::Words(words)));
            }
            self.scan.leave();
            return Ok(true);
        }
        self.open(Kind::Tag, head, from)
    }

    fn bignum(&mut self, negative: bool, from: u64) -> Result<()> {
        let at = self.scan.offset();
        let head = self.scan.head()?;
        let start = self.out.len();
        self.append_content(head, at)?;
        let magnitude = self.out.split_off(start);
        let zeros = magnitude.iter().take_while(|&&byte| byte == 0).count();
        let below = negative && magnitude.len() - zeros == 8 && magnitude[zeros] >= 0x80;
        if self.rules.reduced && below {
            let words = Detail::Words("integer is below -2^63");
            return Err(self.refuse(Rule::IntOutOfRange, from, words));
        }
        head::push_bignum(self.out, negative, &magnitude);
        Ok(())
    }

    fn string(&mut self, head: Head, from: u64) -> Result<()> {
        let (major, at) = (head.major(), self.out.len());
        if head.is_indefinite() {
            self.out.push(0);
            self.append_content(head, from)?;
            let len = self.out.len() - at - 1;
            head::set_head(self.out, at, major, len as u64);
        } else {
            head::push(self.out, major, head.argument);
            self.append_content(head, from)?;
        }
        if major == Major::Text && self.rules.nfc {
            self.normalize(at, from)?;
        }
        Ok(())
    }

    fn append_content(&mut self, head: Head, from: u64) -> Result<()> {
        if !head.is_indefinite() {
            self.out.extend_from_slice(self.scan.content(head, from)?.bytes());
            return Ok(());
        }
        while let Some((chunk, at)) = self.scan.chunk(head.major())? {
            self.out.extend_from_slice(self.scan.content(chunk, at)?.bytes());
        }
        Ok(())
    }

    /// Replaces the text string written at `at` by its NFC.
    fn normalize(&mut self, at: usize, from: u64) -> Result<()> {
        let content = at + head_len(&self.out[at..]);
        let text = self.out.split_off(content);
        self.out.truncate(at);
        let text = core::str::from_utf8(&text).unwrap_or_default();
        write::push_text(self.out, &self.rules, text)
            .map_err(|words| self.refuse(Rule::NotNfc, from, Detail::Words(words)))
    }

    fn simple(&mut self, head: Head, from: u64) -> Result<()> {
        match head.info() {
            25..=27 => {
                let mut bits = widen(head);
                if self.fold_zero && bits << 1 == 0 {
                    bits = 0;
                }
                if write::push_usual_float(self.out, bits, &self.habit)
                    || write::push_normal_float(self.out, &self.rules, bits, &mut self.habit)
                {
                    return Ok(());
                }
                write::push_float(self.out, &self.rules, bits, head.info())
                    .map_err(|rule| self.refuse(rule, from, Detail::Head(head)))
            }
            _ if self.rules.basic_simple && !matches!(head.argument, 20..=22) => {
                Err(self.refuse(Rule::ForbiddenSimple, from, Detail::Head(head)))
            }
            _ => {
                head::push(self.out, Major::Simple, head.argument);
                Ok(())
            }
        }
    }
}

/// Bytes of the head that something written begins with.
fn head_len(written: &[u8]) -> usize {
    1 + written.first().map_or(0, |first| head::argument_len(first & 31))
}
