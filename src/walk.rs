//! Walking over one item with every rule of the profile, without recursion: what `check` is, and how the
//! deserializer reads over what nobody wants.

use crate::diag;
use crate::error::{Result, Rule};
use crate::head::{Head, Major};
use crate::input::private::Input;
use crate::order::{self, Mark, Seen, TEXT};
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
    /// The first eight bytes of the previous key; before the first, those of the smallest text there is, so that text is
    /// told to follow. 0 where they are not at hand.
    word: u64,
    /// The profile has an order, and violations end the walk.
    ordered: bool,
    mark: Mark,
    /// Whether a float zero had been read before the key; a map may be inside a key itself.
    zero_before: bool,
}

impl Keys {
    const NONE: Keys =
        Keys { previous: (0, 0), word: TEXT, ordered: false, mark: Mark::NONE, zero_before: false };

    #[inline]
    pub(crate) fn open<'de, I: Input<'de>>(scan: &mut Scanner<I>, seen: &mut Seen) -> Self {
        scan.input.hold();
        if scan.is_collecting() {
            seen.open_set();
        }
        let ordered = scan.rules.order != Order::None && !scan.is_collecting();
        Keys { mark: seen.mark(), ordered, ..Keys::NONE }
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
        let word = Self::word(scan, from, to);
        if self.ordered && !scan.zero && self.follows(word, &scan.rules) {
            scan.zero = self.zero_before;
            self.previous = (from, to);
            self.word = word;
            return Ok(());
        }
        self.word = word;
        self.compare(scan, seen, from, to)
    }

    /// The same for a text key, before which nothing has to be done: no text is like another.
    #[inline(always)]
    pub(crate) fn after_text<'de, I: Input<'de>>(
        &mut self,
        scan: &mut Scanner<I>,
        seen: &mut Seen,
        from: u64,
    ) -> Result<()> {
        let to = scan.offset();
        let word = Self::word(scan, from, to);
        if self.ordered && self.word < word && self.word >= TEXT {
            self.previous = (from, to);
            self.word = word;
            return Ok(());
        }
        self.before(scan);
        self.word = word;
        self.compare(scan, seen, from, to)
    }

    #[inline(always)]
    fn word<'de, I: Input<'de>>(scan: &Scanner<I>, from: u64, to: u64) -> u64 {
        let len = usize::try_from(to - from).unwrap_or(usize::MAX);
        scan.input.word(from).map_or(0, |bytes| order::word_of(bytes, len))
    }

    /// True if the first eight bytes tell that a key comes after the previous one.
    ///
    /// All orders agree on text, whose head carries its length.
    #[inline(always)]
    fn follows(&self, word: u64, rules: &Rules) -> bool {
        let text = self.word >= TEXT && word >> 61 == 3;
        self.word < word
            && (text
                || rules.order == Order::Bytewise
                    && !rules.text_keys
                    && self.previous.1 != 0
                    && self.word != 0)
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
        let comparison = if self.previous.1 != 0 {
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
    /// How many children have begun, which paths ask for. A run counts none: who asks goes step by step.
    begun: u64,
    /// Where the container begins; of a map, its key, once one was read by a step.
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
            let at = self.scan.offset();
            let head = self.scan.head()?;
            let scalar = is_scalar(head);
            if scalar {
                self.scalar(head, at)?;
            }
            if !scalar || left == 0 {
                if let Some(level) = self.open.last_mut() {
                    level.frame.left = left;
                    level.child = at;
                }
                return Ok((scalar || self.descend(head, at)?) && self.complete()?);
            }
            left -= 1;
        }
    }

    /// The same for entries of a map. What the level knows is written back before anyone can look at it.
    fn entries(&mut self) -> Result<bool> {
        let Some(level) = self.open.last() else { return Ok(true) };
        let (mut left, mut keys, mut child) = (level.frame.left, level.keys, level.child);
        loop {
            let (mut at, mut kind) = (child, Kind::Key);
            let mut head = self.scan.head()?;
            if is_scalar(head) {
                self.scalar(head, at)?;
                keys.after(self.scan, self.seen, child)?;
                at = self.scan.offset();
                kind = Kind::Value;
                head = self.scan.head()?;
            }
            let complete = kind == Kind::Value && is_scalar(head);
            if complete {
                self.scalar(head, at)?;
            }
            if !complete || left == 0 {
                if let Some(level) = self.open.last_mut() {
                    level.frame.left = left;
                    *level = Level { kind, keys, child, ..*level };
                }
                return Ok((complete || self.descend(head, at)?) && self.complete()?);
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
        if is_scalar(head) {
            self.scalar(head, at)?;
            return Ok(true);
        }
        self.descend(head, at)
    }

    /// Reads what follows the head of an item that is no container.
    #[inline(always)]
    fn scalar(&mut self, head: Head, at: u64) -> Result<()> {
        match head.major() {
            Major::Text if self.scan.skip_ascii(head) => Ok(()),
            Major::Bytes | Major::Text => self.scan.skip_string(head, at),
            _ => Ok(()),
        }
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

#[inline(always)]
fn is_scalar(head: Head) -> bool {
    !matches!(head.major(), Major::Array | Major::Map | Major::Tag)
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
