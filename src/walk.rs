//! Walking over one item with every rule of the profile, without recursion: what `check` is, and how the
//! deserializer reads over what nobody wants.

use crate::diag;
use crate::error::{Result, Rule};
use crate::head::{Head, Major};
use crate::input::private::Input;
use crate::order::{self, Mark, Seen};
use crate::profile::{Order, Rules};
use crate::rewrite;
use crate::scan::{Detail, Frame, Scanner};
use crate::validity;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// What one open map knows of its keys.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    previous: (u64, u64),
    /// The first eight bytes of the previous key.
    word: Option<u64>,
    any: bool,
    mark: Mark,
    /// Whether a float zero had been read before the key; a map may be inside a key itself.
    zero_before: bool,
}

impl Keys {
    const NONE: Keys =
        Keys { previous: (0, 0), word: None, any: false, mark: Mark::NONE, zero_before: false };

    #[inline]
    pub(crate) fn open<'de, I: Input<'de>>(scan: &mut Scanner<I>, seen: &mut Seen) -> Self {
        scan.input.hold();
        if scan.is_collecting() {
            seen.open_set();
        }
        Keys { mark: seen.mark(), ..Keys::NONE }
    }

    /// Before a key is read.
    #[inline(always)]
    pub(crate) fn before<'de, I: Input<'de>>(&mut self, scan: &mut Scanner<I>) {
        self.zero_before = core::mem::take(&mut scan.zero);
    }

    /// After the key that began at `from` was read.
    #[inline(always)]
    pub(crate) fn after<'de, I: Input<'de>>(
        &mut self,
        scan: &mut Scanner<I>,
        seen: &mut Seen,
        from: u64,
    ) -> Result<()> {
        let to = scan.offset();
        let len = usize::try_from(to - from).unwrap_or(usize::MAX);
        let word = scan.input.word(from).map(|bytes| order::word_of(bytes, len));
        if !scan.zero && self.follows(word, &scan.rules) && !scan.is_collecting() {
            scan.zero = self.zero_before;
            self.previous = (from, to);
            self.word = word;
            return Ok(());
        }
        self.word = word;
        self.compare(scan, seen, from, to)
    }

    /// True if the first eight bytes tell that a key comes after the previous one.
    ///
    /// All orders agree on text, whose head carries its length.
    #[inline(always)]
    fn follows(&self, word: Option<u64>, rules: &Rules) -> bool {
        const TEXT: u64 = 0b011 << 61;
        let text = |word: u64| word & (0b111 << 61) == TEXT;
        match (self.word, word) {
            (Some(previous), Some(word)) => {
                previous < word
                    && (text(previous) && text(word) && rules.order != Order::None
                        || rules.order == Order::Bytewise && !rules.text_keys)
            }
            _ => false,
        }
    }

    #[inline(never)]
    fn compare<'de, I: Input<'de>>(
        &mut self,
        scan: &mut Scanner<I>,
        seen: &mut Seen,
        from: u64,
        to: u64,
    ) -> Result<()> {
        let zero = scan.zero;
        scan.zero |= self.zero_before;
        let key = scan.input.held(from, to);
        let rules = &scan.rules;
        let ordered = rules.order != Order::None;
        let comparison = if self.any {
            let (a, b) = self.previous;
            order::compare(rules.order, scan.input.held(a, b), key)
        } else {
            Ordering::Less
        };
        if rules.text_keys && key.first().is_some_and(|first| first >> 5 != Major::Text as u8) {
            forbidden_key(scan, from)?;
        }
        if scan.is_collecting() {
            self.report(scan, seen, from, comparison)?;
        } else if ordered && comparison != Ordering::Less {
            self.misplaced(scan, from, comparison)?;
        } else if scan.rules.unique_keys && (!ordered || zero && !scan.rules.keys_by_bytes) {
            remember(scan, seen, from);
        }
        self.previous = (from, to);
        self.any = true;
        Ok(())
    }

    /// In a list of violations a key is either a duplicate or out of order.
    #[cold]
    fn report<'de, I: Input<'de>>(
        &self,
        scan: &mut Scanner<I>,
        seen: &mut Seen,
        from: u64,
        comparison: Ordering,
    ) -> Result<()> {
        if scan.rules.unique_keys {
            let key = scan.input.held(from, scan.offset());
            let new = if order::is_plain(key) {
                seen.insert(key)
            } else {
                let mut form = Vec::new();
                rewrite::key_form(key, &mut form, !scan.rules.keys_by_bytes);
                seen.insert(&form)
            };
            if !new {
                return duplicate(scan, from, scan.offset());
            }
        }
        if scan.rules.order != Order::None && comparison == Ordering::Greater {
            return self.misplaced(scan, from, comparison);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn misplaced<'de, I: Input<'de>>(
        &self,
        scan: &mut Scanner<I>,
        from: u64,
        comparison: Ordering,
    ) -> Result<()> {
        if comparison == Ordering::Equal {
            return duplicate(scan, from, scan.offset());
        }
        let mut words = String::from("map key ");
        diag::write_key(&mut words, scan.input.held(from, scan.offset()));
        words.push_str(" comes after ");
        diag::write_key(&mut words, scan.input.held(self.previous.0, self.previous.1));
        words.push_str(" but sorts before it");
        scan.violate(Rule::UnsortedKey, from, Detail::Text(words))
    }

    /// After the last entry.
    #[inline]
    pub(crate) fn close<'de, I: Input<'de>>(
        self,
        scan: &mut Scanner<I>,
        seen: &mut Seen,
    ) -> Result<()> {
        if scan.is_collecting() {
            seen.close_set();
        }
        if !seen.is_empty_since(self.mark) {
            let repeated = seen.close(self.mark, |from, to| scan.input.held(from, to));
            if let Some(key) = repeated {
                duplicate(scan, key.from, key.to)?;
            }
        }
        scan.input.release();
        Ok(())
    }
}

#[inline]
fn remember<'de, I: Input<'de>>(scan: &Scanner<I>, seen: &mut Seen, from: u64) {
    let to = scan.offset();
    let key = scan.input.held(from, to);
    if order::is_plain(key) {
        seen.keep_plain(from, to);
    } else {
        // Keys that are equal by their bytes are compared in the form whose bytes count.
        let fold_zero = !scan.rules.keys_by_bytes;
        seen.keep(from, to, |out| rewrite::key_form(key, out, fold_zero));
    }
}

#[cold]
#[inline(never)]
fn duplicate<'de, I: Input<'de>>(scan: &mut Scanner<I>, from: u64, to: u64) -> Result<()> {
    let mut words = String::from("map has the key ");
    diag::write_key(&mut words, scan.input.held(from, to));
    words.push_str(" twice");
    scan.violate(Rule::DuplicateKey, from, Detail::Text(words))
}

#[cold]
#[inline(never)]
fn forbidden_key<'de, I: Input<'de>>(scan: &mut Scanner<I>, from: u64) -> Result<()> {
    let mut words = String::from("map key ");
    diag::write_key(&mut words, scan.input.held(from, scan.offset()));
    words.push_str(" is not a text string");
    scan.violate(Rule::ForbiddenKey, from, Detail::Text(words))
}

/// A container that is being walked over.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    frame: Frame,
    kind: Kind,
    keys: Keys,
    /// Where the child that is being read began.
    child: u64,
    /// How many children have begun.
    begun: u64,
    /// Where the container begins; of a map, its key, once one was read.
    key: (u64, u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Array,
    /// A map, whose key or whose value comes.
    Key,
    Value,
    Tag(u64),
}

/// One walk over one item. The parts are borrowed, so that a deserializer can lend its own.
pub(crate) struct Walk<'w, I> {
    pub(crate) scan: &'w mut Scanner<I>,
    pub(crate) seen: &'w mut Seen,
    pub(crate) open: &'w mut Vec<Level>,
}

impl<'de, I: Input<'de>> Walk<'_, I> {
    /// Reads over one item.
    pub(crate) fn item(&mut self) -> Result<()> {
        loop {
            let done = match self.open.last() {
                Some(Level { kind: Kind::Array, frame, .. }) if !frame.indefinite => {
                    self.elements()?
                }
                Some(Level { kind: Kind::Key, frame, .. }) if !frame.indefinite => {
                    self.entries()?
                }
                _ => self.step()?,
            };
            if done {
                return Ok(());
            }
        }
    }

    /// Reads one scalar or head; true if the outermost item is complete.
    fn step(&mut self) -> Result<bool> {
        Ok(self.begin()? && self.complete()?)
    }

    /// Reads elements of an array in a run, the count in a register, for as long as they are scalars.
    fn elements(&mut self) -> Result<bool> {
        let mut left = self.open.last().map_or(0, |level| level.frame.left);
        loop {
            let scalar = self.scan.next_is_scalar()?;
            if scalar {
                self.begin()?;
            }
            if !scalar || left == 0 {
                if let Some(level) = self.open.last_mut() {
                    level.begun += level.frame.left - left;
                    level.frame.left = left;
                }
                return if scalar { self.complete() } else { self.step() };
            }
            left -= 1;
        }
    }

    /// The same for entries of a map. What the level knows is written back before anyone can look at it.
    fn entries(&mut self) -> Result<bool> {
        let Some(level) = self.open.last() else { return Ok(true) };
        let (mut left, mut keys, mut child) = (level.frame.left, level.keys, level.child);
        loop {
            let scalar_key = self.scan.next_is_scalar()?;
            let mut scalar_value = false;
            let mut key = (child, child);
            if scalar_key {
                self.begin()?;
                key.1 = self.scan.offset();
                keys.after(self.scan, self.seen, child)?;
                scalar_value = self.scan.next_is_scalar()?;
                if scalar_value {
                    self.begin()?;
                }
            }
            if !scalar_value || left == 0 {
                if let Some(level) = self.open.last_mut() {
                    let kind = if scalar_key { Kind::Value } else { Kind::Key };
                    level.begun += level.frame.left - left;
                    level.frame.left = left;
                    *level = Level { kind, keys, child, key, ..*level };
                }
                return if scalar_value { self.complete() } else { self.step() };
            }
            left -= 1;
            child = self.scan.offset();
            keys.before(self.scan);
        }
    }

    /// Reads the next scalar, or the head of a container; true if that is all of an item.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> Result<bool> {
        let at = self.scan.offset();
        let head = self.scan.head()?;
        match head.major() {
            Major::Bytes | Major::Text => self.scan.skip_string(head, at)?,
            Major::Array | Major::Map | Major::Tag => return self.descend(head, at),
            _ => {}
        }
        Ok(true)
    }

    #[inline]
    fn descend(&mut self, head: Head, at: u64) -> Result<bool> {
        self.scan.enter(at)?;
        let (kind, frame) = match head.major() {
            Major::Array => (Kind::Array, Frame::new(head)),
            Major::Map => (Kind::Key, Frame::new(head)),
            _ => {
                tag_content(self.scan, head.argument, at)?;
                if self.scan.is_validated_later() {
                    self.scan.input.hold();
                }
                (Kind::Tag(head.argument), Frame { left: 1, indefinite: false })
            }
        };
        let keys = if kind == Kind::Key { Keys::open(self.scan, self.seen) } else { Keys::NONE };
        let level = Level { frame, kind, keys, child: at, begun: 0, key: (at, at) };
        self.open.push(level);
        self.next_child().map(|more| !more)
    }

    /// Accounts for a complete item in what contains it; true if the outermost one is complete.
    #[inline(always)]
    pub(crate) fn complete(&mut self) -> Result<bool> {
        loop {
            let Some(level) = self.open.last_mut() else { return Ok(true) };
            if level.kind == Kind::Key {
                level.key = (level.child, self.scan.offset());
                level.kind = Kind::Value;
                level.keys.after(self.scan, self.seen, level.child)?;
                level.frame.value(self.scan)?;
                return Ok(false);
            }
            if level.kind == Kind::Value {
                level.kind = Kind::Key;
            }
            if self.next_child()? {
                return Ok(false);
            }
        }
    }

    /// Moves on to the next child of the innermost container, or leaves it; true if there is one.
    #[inline(always)]
    fn next_child(&mut self) -> Result<bool> {
        let Some(level) = self.open.last_mut() else { return Ok(false) };
        if level.frame.more(self.scan)? {
            level.child = self.scan.offset();
            level.begun += 1;
            if level.kind == Kind::Key {
                level.keys.before(self.scan);
            }
            return Ok(true);
        }
        match level.kind {
            Kind::Key => level.keys.close(self.scan, self.seen)?,
            Kind::Tag(number) if self.scan.is_validated_later() => {
                held_tag_content(self.scan, number, level.key.0, level.child)?;
            }
            _ => {}
        }
        self.open.pop();
        self.scan.leave();
        Ok(false)
    }
}

/// Holds the content of a registered tag to its definition, where the profile asks for that.
#[inline(always)]
pub(crate) fn tag_content<'de, I: Input<'de>>(
    scan: &mut Scanner<I>,
    number: u64,
    at: u64,
) -> Result<()> {
    if scan.rules.tag_validity {
        if let Some(words) = scan.input.rest().and_then(|rest| validity::fault(number, rest)) {
            return scan.violate(Rule::InvalidTagContent, at, Detail::Words(words));
        }
    }
    Ok(())
}

/// The same for an input that cannot be looked at ahead: after the content, which was held. The tag was at `at`,
/// its content at `from`.
#[cold]
pub(crate) fn held_tag_content<'de, I: Input<'de>>(
    scan: &mut Scanner<I>,
    number: u64,
    at: u64,
    from: u64,
) -> Result<()> {
    if let Some(words) = validity::fault(number, scan.input.held(from, scan.offset())) {
        scan.violate(Rule::InvalidTagContent, at, Detail::Words(words))?;
    }
    scan.input.release();
    Ok(())
}

/// True while the walk is inside a map key, the path to which is not known yet.
pub(crate) fn is_in_key(open: &[Level]) -> bool {
    open.iter().any(|level| level.kind == Kind::Key && level.begun > 0)
}

/// Levels that a path shows, the innermost.
const PATH_LIMIT: usize = 256;

/// The way to the child being read of the innermost of these containers.
pub(crate) fn path<'de, I: Input<'de>>(scan: &Scanner<I>, open: &[Level]) -> String {
    let mut path = String::new();
    // Who raises the depth limit to a million is spared a path of a million steps for each violation.
    let shown = open.len().saturating_sub(PATH_LIMIT);
    if shown > 0 {
        path.push_str("/…");
    }
    for level in &open[shown..] {
        match level.kind {
            Kind::Array => {
                use core::fmt::Write as _;
                let _ = write!(path, "/{}", level.begun.saturating_sub(1));
            }
            Kind::Value => diag::write_step(&mut path, scan.input.held(level.key.0, level.key.1)),
            Kind::Key | Kind::Tag(_) => {}
        }
    }
    if path.is_empty() {
        path.push('/');
    }
    path
}
