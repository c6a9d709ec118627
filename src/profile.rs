//! Profiles: the rules as plain data. The rooms that obey them read the fields; nothing else decides.

use core::fmt;
use core::str::FromStr;

/// A set of rules for CBOR: which encodings are accepted and which one is written.
///
/// A profile is a value: choose one of the constants, refine it, pass it on.
///
/// ```
/// use calibor::Profile;
///
/// assert_eq!(Profile::CORE.encode(&1.5)?, b"\xf9\x3e\x00"); // 1.5
/// assert_eq!(Profile::DAG_CBOR.encode(&1.5)?, b"\xfb\x3f\xf8\0\0\0\0\0\0"); // 1.5_3
/// assert!(Profile::DAG_CBOR.without_floats().encode(&1.5).is_err());
/// assert_eq!("dag-cbor".parse::<Profile>()?, Profile::DAG_CBOR);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Profile {
    base: Base,
    refined: u8,
    pub(crate) max_depth: u32,
    pub(crate) rules: Rules,
}

/// The rules, each one an independent switch.
#[allow(clippy::struct_excessive_bools, reason = "each switch is one rule of some document")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Rules {
    /// Text is UTF-8, chunk by chunk.
    pub(crate) utf8: bool,
    /// No two equal keys in a map.
    pub(crate) unique_keys: bool,
    /// Keys are equal by their bytes, not by RFC 8949 §5.6.1.
    pub(crate) keys_by_bytes: bool,
    /// The content of registered tags is what their definitions say.
    pub(crate) tag_validity: bool,
    /// The content of tags 2 and 3 is a byte string, the least of tag validity.
    pub(crate) bignum_content: bool,
    pub(crate) shortest_heads: bool,
    pub(crate) shortest_tags: bool,
    pub(crate) shortest_bignums: bool,
    pub(crate) definite: bool,
    pub(crate) floats: Floats,
    /// The width written where `floats` leaves it open.
    pub(crate) keep_width: bool,
    pub(crate) nan: Nan,
    pub(crate) infinity: bool,
    pub(crate) negative_zero: bool,
    /// Floats with an integer value are integers, and no integer is below -2^63.
    pub(crate) reduced: bool,
    pub(crate) order: Order,
    pub(crate) text_keys: bool,
    pub(crate) tags: Tags,
    /// Of the simple values only false, true and null.
    pub(crate) basic_simple: bool,
    pub(crate) nfc: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Floats {
    /// Any width is read.
    Any,
    /// The shortest width that keeps the value.
    Shortest,
    /// binary64 only.
    Double,
    /// No floats at all.
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Nan {
    /// Sign, quiet bit and payload are part of the value.
    Kept,
    /// Only `f97e00`; every NaN is written so.
    Canonical,
    None,
}

/// The order of map keys, by their encoded bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    /// As they come.
    None,
    /// Bytewise lexicographic (RFC 8949 §4.2.1).
    Bytewise,
    /// Shorter first, then bytewise (RFC 8949 §4.2.3).
    LengthFirst,
    /// Major type, then shorter first, then bytewise (CTAP2).
    MajorLength,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Tags {
    Any,
    None,
    /// Only tag 42 with a CID.
    Cid,
    /// Only tag 42 with one of the CIDs that DASL has.
    DaslCid,
}

/// Where each rule of a profile is written.
#[derive(PartialEq, Eq)]
pub(crate) struct Sources {
    pub(crate) heads: &'static str,
    pub(crate) floats: &'static str,
    pub(crate) nan: &'static str,
    pub(crate) infinity: &'static str,
    pub(crate) negative_zero: &'static str,
    pub(crate) integers: &'static str,
    pub(crate) bignums: &'static str,
    pub(crate) order: &'static str,
    pub(crate) duplicates: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) lengths: &'static str,
    pub(crate) tags: &'static str,
    pub(crate) simple: &'static str,
    pub(crate) text: &'static str,
    pub(crate) depth: &'static str,
}

macro_rules! bases {
    ($( $variant:ident $name:literal $konst:ident; )*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        enum Base { $( $variant, )* }

        impl Base {
            const fn name(self) -> &'static str {
                match self { $( Base::$variant => $name, )* }
            }
        }

        impl Profile {
            /// Every profile, from the most lenient on.
            pub const ALL: [Profile; 12] = [$( Profile::$konst, )*];
        }
    };
}

bases! {
    WellFormed "well-formed" WELL_FORMED;
    Valid "valid" VALID;
    Preferred "preferred" PREFERRED;
    Core "core" CORE;
    Dtrm "dtrm" DTRM;
    LengthFirst "length-first" LENGTH_FIRST;
    Rfc7049 "rfc7049" RFC7049;
    Ctap2 "ctap2" CTAP2;
    Dcbor "dcbor" DCBOR;
    DagCbor "dag-cbor" DAG_CBOR;
    Drisl "drisl" DRISL;
    CborCore "cbor-core" CBOR_CORE;
}

/// A refinement's bit, its name, and what it does.
type Refinement = (u8, &'static str, fn(Profile) -> Profile);

/// Nesting allowed unless a profile or the caller says otherwise.
const DEFAULT_DEPTH: u32 = 128;

const WELL_FORMED: Rules = Rules {
    utf8: false,
    unique_keys: false,
    keys_by_bytes: false,
    tag_validity: false,
    bignum_content: false,
    shortest_heads: false,
    shortest_tags: false,
    shortest_bignums: false,
    definite: false,
    floats: Floats::Any,
    keep_width: false,
    nan: Nan::Kept,
    infinity: true,
    negative_zero: true,
    reduced: false,
    order: Order::None,
    text_keys: false,
    tags: Tags::Any,
    basic_simple: false,
    nfc: false,
};

const VALID: Rules = Rules { utf8: true, unique_keys: true, ..WELL_FORMED };

const PREFERRED: Rules = Rules {
    bignum_content: true,
    shortest_heads: true,
    shortest_tags: true,
    shortest_bignums: true,
    floats: Floats::Shortest,
    ..VALID
};

const CORE: Rules = Rules { definite: true, order: Order::Bytewise, ..PREFERRED };

const DAG_CBOR: Rules = Rules {
    floats: Floats::Double,
    nan: Nan::None,
    infinity: false,
    text_keys: true,
    tags: Tags::Cid,
    basic_simple: true,
    ..CORE
};

impl Profile {
    const fn new(base: Base, rules: Rules) -> Self {
        Profile { base, refined: 0, max_depth: DEFAULT_DEPTH, rules }
    }

    /// The grammar of RFC 8949 §3 and nothing else. Written as [`VALID`](Self::VALID) is.
    pub const WELL_FORMED: Profile = Profile::new(Base::WellFormed, WELL_FORMED);

    /// Well-formed and of basic validity (RFC 8949 §5.3.1): text is UTF-8, chunk by chunk (§3.2.3), and no map
    /// has two keys that are equal by §5.6.1. The profile to read what others wrote. It writes preferred
    /// serialization in the order the value has.
    ///
    /// The numeric key equality of §5.6.1 makes 0.0 and -0.0 one key and keeps 1, 1.0 and 2(h'01') apart; NaNs
    /// that differ in sign are taken as different, where the letter of §5.6.1 is silent on signs and
    /// draft-ietf-cbor-serialization Appendix C calls them distinct.
    pub const VALID: Profile = Profile::new(Base::Valid, VALID);

    /// Preferred serialization, RFC 8949 §4.1: shortest heads and floats, preferred bignums (§3.4.3). Any key
    /// order; indefinite lengths are accepted, since §4.1 prefers definite ones only "whenever known".
    pub const PREFERRED: Profile = Profile::new(Base::Preferred, PREFERRED);

    /// Core deterministic encoding, RFC 8949 §4.2.1, as draft-ietf-cbor-cde-12 spells it out: preferred
    /// serialization, definite lengths, keys in bytewise order, basic validity.
    ///
    /// -0.0 and NaN payloads are kept (CDE 3.1); integers and floats stay distinct. Rules that single tags add
    /// to determinism (RFC 9090's 112 before 111, sorted sets in 258) are not part of it, and neither is the
    /// content of byte strings such as tag 24's.
    ///
    /// ```
    /// use calibor::Profile;
    ///
    /// let mut ages = std::collections::HashMap::new();
    /// ages.insert("bob", 5);
    /// ages.insert("al", 300);
    /// // {"al": 300, "bob": 5}
    /// assert_eq!(Profile::CORE.encode(&ages)?, b"\xa2\x62al\x19\x01\x2c\x63bob\x05");
    /// # Ok::<(), calibor::Error>(())
    /// ```
    pub const CORE: Profile = Profile::new(Base::Core, CORE);

    /// The deterministic serialization of draft-ietf-cbor-serialization-08 §5: [`CORE`](Self::CORE) with
    /// `f97e00` as the only NaN (§4.1). Its plain decoders must accept bignums with leading zeros; this is the
    /// checking kind, which does not. Read with [`VALID`](Self::VALID) for the other.
    pub const DTRM: Profile = Profile::new(Base::Dtrm, Rules { nan: Nan::Canonical, ..CORE });

    /// RFC 8949 §4.2.3, length-first: [`CORE`](Self::CORE) with the shorter key first.
    ///
    /// Orders agree on text keys; on integers they do not: -1 (`20`) is before 100 (`1864`) here.
    pub const LENGTH_FIRST: Profile =
        Profile::new(Base::LengthFirst, Rules { order: Order::LengthFirst, ..CORE });

    /// Canonical CBOR of RFC 7049 §3.9: length-first order, shortest integers and lengths, definite lengths,
    /// `f97e00` as the only NaN.
    ///
    /// §3.9 is silent on the heads of tags and gives the shortest float as one example of a rule, so both are
    /// read in any width and written shortest. Bignums are not addressed either.
    pub const RFC7049: Profile = Profile::new(
        Base::Rfc7049,
        Rules {
            bignum_content: false,
            shortest_tags: false,
            shortest_bignums: false,
            floats: Floats::Any,
            nan: Nan::Canonical,
            order: Order::LengthFirst,
            ..CORE
        },
    );

    /// CTAP2 canonical CBOR (FIDO CTAP 2.3 §8 "Message Encoding"): keys by major type, then length, then
    /// bytes; no tags; at most four levels of arrays and maps.
    ///
    /// The width of a float is part of the value and never changed: the encoder writes the width of the Rust
    /// type. The order is the letter of the specification, which differs from bytewise for array and map keys.
    pub const CTAP2: Profile = Profile {
        max_depth: 4,
        ..Profile::new(
            Base::Ctap2,
            Rules {
                floats: Floats::Any,
                keep_width: true,
                order: Order::MajorLength,
                tags: Tags::None,
                ..CORE
            },
        )
    };

    /// dCBOR, draft-mcnally-deterministic-cbor-15: [`CORE`](Self::CORE) with floats that have an integer value
    /// in -2^63..2^64-1 written as integers, `f97e00` as the only NaN, no -0.0, of the simple values only
    /// false, true and null, and text in Unicode NFC.
    ///
    /// Integers below -2^63 are refused in major type 1 (Appendix A) and, as preferred serialization leaves
    /// them no other form, in tag 3 as well; a float such as -2^63-2048.0 stays a float. Bignums follow §2.2
    /// (preferred serialization), not the laxer Appendix B.
    ///
    /// Text outside ASCII needs the feature `nfc`, whose `unicode-normalization` 0.1.24 and later carry
    /// Unicode 16 or newer; without the feature such text is an error.
    pub const DCBOR: Profile = Profile::new(
        Base::Dcbor,
        Rules {
            nan: Nan::Canonical,
            negative_zero: false,
            reduced: true,
            basic_simple: true,
            nfc: true,
            ..CORE
        },
    );

    /// DAG-CBOR (ipld/ipld `specs/codecs/dag-cbor/spec.md`, 2026-06-01): text keys, 64-bit floats, no NaN or
    /// infinity, of the tags only 42 with a CID, of the simple values only false, true and null.
    ///
    /// The specification is silent on -0.0 and on integers outside int64: both are accepted. `CIDv0` is accepted.
    /// Strict is the default; see [`relaxed`](Self::relaxed).
    pub const DAG_CBOR: Profile = Profile::new(Base::DagCbor, DAG_CBOR);

    /// DRISL (dasl.ing/drisl, 2026-08-06), the DAG-CBOR of the AT Protocol: [`DAG_CBOR`](Self::DAG_CBOR) without
    /// -0.0 and with DASL CIDs only (version 1, codec raw or dag-cbor, SHA-256 or BLAKE3).
    ///
    /// The AT Protocol has no floats either: `Profile::DRISL.without_floats()`.
    pub const DRISL: Profile =
        Profile::new(Base::Drisl, Rules { negative_zero: false, tags: Tags::DaslCid, ..DAG_CBOR });

    /// `CBOR::Core`, draft-rundgren-cbor-core-26: the encoding of [`CORE`](Self::CORE), but keys are equal only
    /// where their bytes are ("5.6.1 does not apply", §2.2), so that 0.0 and -0.0 are two keys.
    pub const CBOR_CORE: Profile =
        Profile::new(Base::CborCore, Rules { keys_by_bytes: true, ..CORE });

    const TAG_VALIDITY: u8 = 1;
    const WITHOUT_FLOATS: u8 = 2;
    const CANONICAL_NAN: u8 = 4;
    const WITHOUT_TAGS: u8 = 8;
    const RELAXED: u8 = 16;

    const REFINEMENTS: [Refinement; 5] = [
        (Self::TAG_VALIDITY, "tags", Profile::tag_validity),
        (Self::WITHOUT_FLOATS, "no-floats", Profile::without_floats),
        (Self::CANONICAL_NAN, "canonical-nan", Profile::canonical_nan),
        (Self::WITHOUT_TAGS, "no-tags", Profile::forbid_tags),
        (Self::RELAXED, "relaxed", Profile::relaxed),
    ];

    /// Adds the content of registered tags to the rules: RFC 8949 §3.4 and §5.3.2 (tags 0 to 5, 24, 32 to 36),
    /// and the registrations of 30, 37, 40, 41, 52, 54, 63 to 87, 100, 110 to 112, 258, 264, 265, 268 to 270,
    /// 1001 to 1004 and 1040.
    ///
    /// Off by default, since real data breaks these harmlessly. Unknown tags are never an error (§5.4).
    #[must_use]
    pub const fn tag_validity(mut self) -> Self {
        self.rules.tag_validity = true;
        self.rules.bignum_content = true;
        self.refined |= Self::TAG_VALIDITY;
        self
    }

    /// Refuses floats both ways, as the AT Protocol data model does.
    #[must_use]
    pub const fn without_floats(mut self) -> Self {
        self.rules.floats = Floats::None;
        self.refined |= Self::WITHOUT_FLOATS;
        self
    }

    /// Makes `f97e00` the only NaN: written for every NaN, and the only one read.
    #[must_use]
    pub const fn canonical_nan(mut self) -> Self {
        if matches!(self.rules.nan, Nan::Kept) {
            self.rules.nan = Nan::Canonical;
            self.refined |= Self::CANONICAL_NAN;
        }
        self
    }

    /// Refuses every tag both ways.
    #[must_use]
    pub const fn forbid_tags(mut self) -> Self {
        self.rules.tags = Tags::None;
        self.refined |= Self::WITHOUT_TAGS;
        self
    }

    /// Reads any width of heads and floats and any key order, as the DAG-CBOR specification's "Decode
    /// strictness" allows. Tags, key types, duplicates, NaN, indefinite lengths and trailing bytes stay as
    /// strict as they were, and what is written does not change.
    #[must_use]
    pub const fn relaxed(mut self) -> Self {
        self.refined |= Self::RELAXED;
        self.rules.shortest_heads = false;
        self.rules.shortest_tags = false;
        self
    }

    /// Limits nesting: arrays, maps and tags each count one level; a scalar counts none.
    #[must_use]
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// Reads by the rules that are stored, without what [`reading`](Self::reading) lets pass where it is relaxed.
    pub(crate) const fn strict(mut self) -> Self {
        self.refined &= !Self::RELAXED;
        self
    }

    pub(crate) const fn is_relaxed(self) -> bool {
        self.refined & Self::RELAXED != 0
    }

    /// The rules for reading.
    pub(crate) const fn reading(self) -> Rules {
        let mut rules = self.rules;
        if self.is_relaxed() {
            rules.order = Order::None;
            if matches!(rules.floats, Floats::Shortest | Floats::Double) {
                rules.floats = Floats::Any;
            }
        }
        rules
    }

    /// The rules for what is written: as for reading, with every choice made that reading leaves open.
    pub(crate) const fn writing(self) -> Rules {
        let mut rules = self.rules;
        rules.shortest_heads = true;
        rules.shortest_tags = true;
        rules.shortest_bignums = true;
        rules.definite = true;
        if matches!(rules.floats, Floats::Any) && !rules.keep_width {
            rules.floats = Floats::Shortest;
        }
        rules
    }

    /// The name of the profile it was refined from.
    ///
    /// ```
    /// use calibor::Profile;
    ///
    /// assert_eq!(Profile::DRISL.without_floats().name(), "drisl");
    /// assert_eq!(Profile::DRISL.without_floats().to_string(), "drisl+no-floats");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.base.name()
    }

    /// True where each value has exactly one encoding.
    #[must_use]
    pub const fn is_deterministic(self) -> bool {
        !matches!(self.rules.order, Order::None)
    }

    pub(crate) const fn sources(self) -> &'static Sources {
        match self.base {
            Base::WellFormed | Base::Valid => &sources::RFC8949,
            Base::Preferred => &sources::PREFERRED,
            Base::Core => &sources::CORE,
            Base::Dtrm => &sources::DTRM,
            Base::LengthFirst => &sources::LENGTH_FIRST,
            Base::Rfc7049 => &sources::RFC7049,
            Base::Ctap2 => &sources::CTAP2,
            Base::Dcbor => &sources::DCBOR,
            Base::DagCbor => &sources::DAG_CBOR,
            Base::Drisl => &sources::DRISL,
            Base::CborCore => &sources::CBOR_CORE,
        }
    }

    /// The rules in words, topic by topic, each with its source: what `calibor profiles` prints.
    ///
    /// ```
    /// use calibor::Profile;
    ///
    /// let order = Profile::CTAP2.clauses().find(|c| c.topic == "key order").unwrap();
    /// assert_eq!(order.rule, "major type, length, bytes");
    /// assert_eq!(order.source, "CTAP 2.3 §8");
    /// ```
    pub fn clauses(self) -> impl Iterator<Item = Clause> {
        let (rules, sources) = (self.reading(), self.sources());
        let yes = |rule: bool, yes: &'static str, no: &'static str| if rule { yes } else { no };
        [
            ("heads", yes(rules.shortest_heads, "shortest", "any"), sources.heads),
            ("tag heads", yes(rules.shortest_tags, "shortest", "any"), sources.heads),
            ("lengths", yes(rules.definite, "definite", "any"), sources.lengths),
            ("floats", float_words(rules), sources.floats),
            ("NaN", nan_words(rules), sources.nan),
            ("infinity", yes(rules.infinity, "yes", "no"), sources.infinity),
            ("-0.0", zero_words(rules), sources.negative_zero),
            ("integers", yes(rules.reduced, "-2^63..2^64-1", "-2^64..2^64-1"), sources.integers),
            ("bignums", bignum_words(rules), sources.bignums),
            ("key order", order_words(rules.order), sources.order),
            ("equal keys", key_words(rules), sources.duplicates),
            ("key types", yes(rules.text_keys, "text", "any"), sources.keys),
            ("tags", tag_words(rules.tags), sources.tags),
            ("simple values", yes(rules.basic_simple, "false, true, null", "any"), sources.simple),
            ("text", text_words(rules), sources.text),
        ]
        .into_iter()
        .map(|(topic, rule, source)| Clause { topic, rule, source })
    }
}

/// One rule of a [`Profile`] in words, from [`Profile::clauses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clause {
    /// What the rule is about: `heads`, `key order`, ...
    pub topic: &'static str,
    /// The rule: `shortest`, `bytewise`, ...
    pub rule: &'static str,
    /// The document and section it is taken from.
    pub source: &'static str,
}

fn float_words(rules: Rules) -> &'static str {
    match rules.floats {
        Floats::None => "none",
        Floats::Double => "64-bit",
        Floats::Shortest if rules.reduced => "integer, else shortest",
        Floats::Shortest => "shortest",
        Floats::Any if rules.keep_width => "kept as given",
        Floats::Any => "any",
    }
}

fn nan_words(rules: Rules) -> &'static str {
    match (rules.floats, rules.nan) {
        (Floats::None, _) | (_, Nan::None) => "none",
        (_, Nan::Canonical) => "f97e00",
        (_, Nan::Kept) => "any, payload kept",
    }
}

fn zero_words(rules: Rules) -> &'static str {
    match (rules.reduced, rules.negative_zero) {
        (true, _) => "is 0",
        (_, true) => "yes",
        (_, false) => "no",
    }
}

fn bignum_words(rules: Rules) -> &'static str {
    match (rules.tags, rules.shortest_bignums) {
        (Tags::Any, true) => "preferred",
        (Tags::Any, false) => "any",
        _ => "none",
    }
}

fn order_words(order: Order) -> &'static str {
    match order {
        Order::None => "any",
        Order::Bytewise => "bytewise",
        Order::LengthFirst => "length, bytes",
        Order::MajorLength => "major type, length, bytes",
    }
}

fn key_words(rules: Rules) -> &'static str {
    match (rules.unique_keys, rules.keys_by_bytes) {
        (false, _) => "accepted",
        (_, true) => "refused, by bytes",
        (_, false) => "refused",
    }
}

fn tag_words(tags: Tags) -> &'static str {
    match tags {
        Tags::Any => "any",
        Tags::None => "none",
        Tags::Cid => "42 with a CID",
        Tags::DaslCid => "42 with a DASL CID",
    }
}

fn text_words(rules: Rules) -> &'static str {
    match (rules.utf8, rules.nfc) {
        (false, _) => "any bytes",
        (_, false) => "UTF-8",
        (_, true) => "UTF-8 in NFC",
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        for (bit, name, _) in Self::REFINEMENTS {
            if self.refined & bit != 0 {
                write!(f, "+{name}")?;
            }
        }
        if self.max_depth != Self::ALL[self.base as usize].max_depth {
            write!(f, "+max-depth={}", self.max_depth)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Profile({self})")
    }
}

/// No profile has this name, from [`Profile::from_str`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownProfile(());

impl fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown profile, expected one of")?;
        for (i, profile) in Profile::ALL.iter().enumerate() {
            write!(f, "{} {}", if i == 0 { "" } else { "," }, profile.name())?;
        }
        f.write_str(", refined by")?;
        for (_, name, _) in Profile::REFINEMENTS {
            write!(f, " +{name}")?;
        }
        f.write_str(" or +max-depth=N")
    }
}

impl core::error::Error for UnknownProfile {}

impl FromStr for Profile {
    type Err = UnknownProfile;

    /// Reads what `Display` writes: `core`, `valid+tags`, `drisl+no-floats`.
    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let mut profile = *Self::ALL.iter().find(|p| p.name() == name).ok_or(UnknownProfile(()))?;
        for part in parts {
            profile = match part.strip_prefix("max-depth=") {
                Some(levels) => profile.max_depth(levels.parse().map_err(|_| UnknownProfile(()))?),
                None => Self::REFINEMENTS
                    .iter()
                    .find(|(_, name, _)| *name == part)
                    .map(|(_, _, refine)| refine(profile))
                    .ok_or(UnknownProfile(()))?,
            };
        }
        Ok(profile)
    }
}

/// The documents, profile by profile; a row says what it changes of the one it builds on.
mod sources {
    use super::Sources;

    pub(super) const RFC8949: Sources = Sources {
        heads: "RFC 8949 §3",
        floats: "RFC 8949 §3.3",
        nan: "RFC 8949 §3.3",
        infinity: "RFC 8949 §3.3",
        negative_zero: "RFC 8949 §3.3",
        integers: "RFC 8949 §3.1",
        bignums: "RFC 8949 §3.4.3",
        order: "RFC 8949 §3.1",
        duplicates: "RFC 8949 §5.6.1",
        keys: "RFC 8949 §3.1",
        lengths: "RFC 8949 §3.2",
        tags: "RFC 8949 §3.4",
        simple: "RFC 8949 §3.3",
        text: "RFC 8949 §5.3.1",
        depth: "RFC 8949 §10",
    };
    pub(super) const PREFERRED: Sources = Sources {
        heads: "RFC 8949 §4.1",
        floats: "RFC 8949 §4.1",
        nan: "RFC 8949 §4.1",
        lengths: "RFC 8949 §4.1",
        ..RFC8949
    };
    pub(super) const CORE: Sources = Sources {
        heads: "RFC 8949 §4.2.1",
        floats: "RFC 8949 §4.2.1",
        nan: "draft-ietf-cbor-cde-12 §3.1",
        order: "RFC 8949 §4.2.1",
        lengths: "RFC 8949 §4.2.1",
        ..PREFERRED
    };
    pub(super) const DTRM: Sources = Sources {
        heads: "draft-ietf-cbor-serialization-08 §4.1",
        floats: "draft-ietf-cbor-serialization-08 §4.1",
        nan: "draft-ietf-cbor-serialization-08 §4.1",
        bignums: "draft-ietf-cbor-serialization-08 §4.1",
        lengths: "draft-ietf-cbor-serialization-08 §4.1",
        order: "draft-ietf-cbor-serialization-08 §5.1",
        ..CORE
    };
    pub(super) const LENGTH_FIRST: Sources = Sources { order: "RFC 8949 §4.2.3", ..CORE };
    pub(super) const RFC7049: Sources = Sources {
        heads: "RFC 7049 §3.9",
        floats: "RFC 7049 §3.9",
        nan: "RFC 7049 §3.9",
        order: "RFC 7049 §3.9",
        lengths: "RFC 7049 §3.9",
        duplicates: "RFC 7049 §3.7",
        ..CORE
    };
    pub(super) const CTAP2: Sources = Sources {
        heads: "CTAP 2.3 §8",
        floats: "CTAP 2.3 §8",
        nan: "CTAP 2.3 §8",
        order: "CTAP 2.3 §8",
        duplicates: "CTAP 2.3 §8",
        lengths: "CTAP 2.3 §8",
        tags: "CTAP 2.3 §8",
        depth: "CTAP 2.3 §8",
        ..CORE
    };
    pub(super) const DCBOR: Sources = Sources {
        heads: "draft-mcnally-deterministic-cbor-15 §2.2",
        floats: "draft-mcnally-deterministic-cbor-15 §2.5",
        nan: "draft-mcnally-deterministic-cbor-15 §2.5",
        negative_zero: "draft-mcnally-deterministic-cbor-15 §2.5",
        integers: "draft-mcnally-deterministic-cbor-15 §A",
        bignums: "draft-mcnally-deterministic-cbor-15 §2.2",
        order: "draft-mcnally-deterministic-cbor-15 §2.3",
        duplicates: "draft-mcnally-deterministic-cbor-15 §2.4",
        lengths: "draft-mcnally-deterministic-cbor-15 §2.1",
        simple: "draft-mcnally-deterministic-cbor-15 §2.6",
        text: "draft-mcnally-deterministic-cbor-15 §2.7",
        ..CORE
    };
    pub(super) const DAG_CBOR: Sources = Sources {
        heads: "DAG-CBOR Strictness 2",
        floats: "DAG-CBOR Strictness 4",
        nan: "DAG-CBOR Strictness 5",
        infinity: "DAG-CBOR Strictness 5",
        bignums: "DAG-CBOR Strictness 1",
        order: "DAG-CBOR Strictness 2",
        duplicates: "DAG-CBOR Strictness",
        keys: "DAG-CBOR Map Keys",
        lengths: "DAG-CBOR Strictness 2",
        tags: "DAG-CBOR Strictness 1",
        simple: "DAG-CBOR Strictness 3",
        ..CORE
    };
    pub(super) const DRISL: Sources = Sources {
        heads: "DRISL",
        floats: "DRISL",
        nan: "DRISL",
        infinity: "DRISL",
        negative_zero: "DRISL",
        bignums: "DRISL",
        order: "DRISL",
        duplicates: "DRISL",
        keys: "DRISL",
        lengths: "DRISL",
        tags: "DRISL",
        simple: "DRISL",
        ..DAG_CBOR
    };
    pub(super) const CBOR_CORE: Sources = Sources {
        heads: "draft-rundgren-cbor-core-26 §2.2",
        floats: "draft-rundgren-cbor-core-26 §2.2",
        nan: "draft-rundgren-cbor-core-26 §2.2",
        infinity: "draft-rundgren-cbor-core-26 §2.2",
        negative_zero: "draft-rundgren-cbor-core-26 §2.2",
        integers: "draft-rundgren-cbor-core-26 §2.2",
        bignums: "draft-rundgren-cbor-core-26 §2.2",
        order: "draft-rundgren-cbor-core-26 §2.2",
        duplicates: "draft-rundgren-cbor-core-26 §2.2",
        lengths: "draft-rundgren-cbor-core-26 §2.2",
        tags: "draft-rundgren-cbor-core-26 §2.1",
        simple: "draft-rundgren-cbor-core-26 §2.1",
        text: "draft-rundgren-cbor-core-26 §2.1",
        ..CORE
    };
}
