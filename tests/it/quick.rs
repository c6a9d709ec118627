//! Where a few bytes are looked at at once, or an order is remembered: the answer is the one of the long way.

use calibor::{Deserializer, IntKeys, Profile, Rule, Value};
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use std::io::Read;
use std::marker::PhantomData;

use crate::support::{DETERMINISTIC, Mismatches, hex, said, to_hex};

const PROFILES: [Profile; 11] = [
    Profile::VALID,
    Profile::PREFERRED,
    Profile::CORE,
    Profile::DTRM,
    Profile::LENGTH_FIRST,
    Profile::RFC7049,
    Profile::CTAP2,
    Profile::DCBOR,
    Profile::DAG_CBOR,
    Profile::DRISL,
    Profile::CBOR_CORE,
];

/// What a head says by RFC 8949 §3 and §3.3, from its initial byte and the eight bytes that follow.
fn number(first: u8, tail: [u8; 8]) -> (usize, Option<i128>, Option<f64>) {
    let len = match first & 31 {
        0..24 | 28.. => 0,
        info => 1 << (info - 24),
    };
    let short = u64::from(first & 31);
    let argument = match len {
        0 => short,
        _ => tail[..len].iter().fold(0, |n, &byte| n << 8 | u64::from(byte)),
    };
    let single = |bits: u64| f64::from(f32::from_bits(u32::try_from(bits).unwrap()));
    let half = |bits: u64| f64::from(half::f16::from_bits(u16::try_from(bits).unwrap()));
    match (first >> 5, first & 31) {
        (_, 28..) => (len, None, None),
        (0, _) => (len, Some(argument.into()), None),
        (1, _) => (len, Some(-1 - i128::from(argument)), None),
        (7, 25) => (len, None, Some(half(argument))),
        (7, 26) => (len, None, Some(single(argument))),
        (7, 27) => (len, None, Some(f64::from_bits(argument))),
        _ => (len, None, None),
    }
}

/// Every initial byte before every kind of argument: a number is read if the profile accepts it, and as what it is.
#[test]
#[allow(clippy::cast_possible_truncation, reason = "reading into f32 rounds")]
fn a_typed_number_is_what_its_head_says() {
    let tails = [
        0,
        1 << 32,
        1 << 48,
        0x0017 << 48,
        0x1700 << 48,
        0x1800 << 48,
        0x0100 << 48,
        0x00ff_ffff << 32,
        0x3c00 << 48,
        0x3e00 << 48,
        0x3f80_0000 << 32,
        0x3dcc_cccd << 32,
        0x3ff8_0000_0000_0000,
        0x3fb9_9999_9999_999a,
        0x47f0_0000_0000_0000,
        0x7c00 << 48,
        0x7e00 << 48,
        0x7e01 << 48,
        0x7f80_0000 << 32,
        0x7fc0_0001 << 32,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0001,
        1 << 63,
        u64::MAX,
    ];
    let mut out = Mismatches::of("numbers by their heads");
    for (first, tail) in (0..=u8::MAX).flat_map(|first| tails.map(|tail| (first, tail))) {
        let tail = u64::to_be_bytes(tail);
        let (len, integer, float) = number(first, tail);
        // What follows is at hand, so that no look ahead is too long.
        let item = [&[0x82, first], &tail[..len], b"\x6finput goes on.."].concat();
        for profile in PROFILES {
            let accepted = profile.check(&item).is_ok();
            let label = || format!("{profile} {}", to_hex(&item));
            let got = profile.decode::<(i128, String)>(&item).ok().map(|(n, _)| n);
            match (integer, float) {
                (Some(_), _) => out.equal(label(), &got, &integer.filter(|_| accepted)),
                // Whether a float may be read as an integer is not what this is about.
                (_, Some(_)) if accepted => {}
                _ => out.expect(first >> 5 == 6 || got.is_none(), label),
            }
            let got = profile.decode::<(f64, String)>(&item).ok().map(|(x, _)| x);
            let single = profile.decode::<(f32, String)>(&item).ok().map(|(x, _)| x);
            match float.filter(|_| accepted) {
                Some(want) => {
                    let same = got.is_some_and(|x| x == want || x.is_nan() && want.is_nan());
                    out.expect(same, || format!("{}: {got:?}, want {want:?}", label()));
                    let want = want as f32;
                    let same = single.is_some_and(|x| x == want || x.is_nan() && want.is_nan());
                    out.expect(same, || format!("{}: {single:?}, want {want:?}", label()));
                }
                None if integer.is_some() && accepted => {}
                None => out.expect(first >> 5 == 6 || got.is_none() && single.is_none(), || {
                    format!("{}: {got:?} {single:?}", label())
                }),
            }
        }
    }
    out.finish();
}

/// The entries of a map as they come.
struct Entries<K>(Vec<K>);

impl<'de, K: Deserialize<'de>> Deserialize<'de> for Entries<K> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All<K>(PhantomData<K>);
        impl<'de, K: Deserialize<'de>> Visitor<'de> for All<K> {
            type Value = Entries<K>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<K, String>()? {
                    keys.push(key);
                }
                Ok(Entries(keys))
            }
        }
        deserializer.deserialize_map(All(PhantomData))
    }
}

/// RFC 8949 §5.6.1: 0.0 and -0.0 are one key, whatever stands between them, and where keys are bytes they are two.
#[test]
fn two_zeros_are_one_key_of_any_type() {
    // keys, whether they are all different: as numbers, as bytes
    let rows: [(&[&str], bool, bool); 6] = [
        (&["f90000", "f98000"], false, true),
        (&["f90000", "f93e00", "f98000"], false, true),
        (&["f90000", "f98000", "f9be00"], false, true),
        (&["f90000", "f93e00"], true, true),
        (&["f93e00", "f9be00"], true, true),
        (&["f93e00", "f93e00"], false, false),
    ];
    fn held<K: DeserializeOwned>(profile: Profile, item: &[u8]) -> Result<usize, calibor::Error> {
        profile.decode::<Entries<K>>(item).map(|entries| entries.0.len())
    }
    let mut out = Mismatches::of("zeros as keys");
    for (keys, as_numbers, as_bytes) in rows {
        let mut item = vec![0xa0 + u8::try_from(keys.len()).unwrap()];
        for key in keys {
            item.extend(hex(key));
            item.extend(b"\x6fand something..");
        }
        for (profile, different) in [
            (Profile::VALID, as_numbers),
            (Profile::PREFERRED, as_numbers),
            (Profile::CORE, as_numbers),
            (Profile::LENGTH_FIRST, as_numbers),
            (Profile::DTRM, as_numbers),
            (Profile::CBOR_CORE, as_bytes),
        ] {
            for (door, got) in [
                ("check", profile.check(&item).map(|()| keys.len())),
                ("f64", held::<f64>(profile, &item)),
                ("f32", held::<f32>(profile, &item)),
                ("Value", held::<Value>(profile, &item)),
            ] {
                let rule = got.as_ref().err().and_then(calibor::Error::rule);
                let holds = if different {
                    got.as_ref().is_ok_and(|&n| n == keys.len())
                } else {
                    rule == Some(Rule::DuplicateKey)
                };
                out.expect(holds, || format!("{profile} {keys:?} {door}: {}", said(&got)));
            }
        }
    }
    out.finish();
}

/// The same inside a key: {{0.0: 0}: 0, {-0.0: 0}: 0} and {[0.0]: 0, [-0.0]: 0}.
#[test]
fn two_zeros_make_two_keys_one() {
    for item in ["a2a1f900000000a1f980000000", "a281f900000081f9800000"] {
        for (profile, different) in [
            (Profile::VALID, false),
            (Profile::CORE, false),
            (Profile::LENGTH_FIRST, false),
            (Profile::CBOR_CORE, true),
        ] {
            // With and without more to come, for those who look ahead.
            for tail in ["", "727365652077686174206973206e6f206b6579"] {
                let item = hex(&match tail {
                    "" => item.to_owned(),
                    tail => format!("82{item}{tail}"),
                });
                for got in [profile.check(&item), profile.decode::<Value>(&item).map(drop)] {
                    let rule = got.as_ref().err().and_then(calibor::Error::rule);
                    let want = (!different).then_some(Rule::DuplicateKey);
                    assert_eq!(rule, want, "{profile} {}: {}", to_hex(&item), said(&got));
                }
            }
        }
    }
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "read for its keys")]
struct Known {
    a: Option<u8>,
    b: Option<u8>,
    cc: Option<u8>,
    last: String,
}

/// All maps of up to three of these keys, and a last one: read into a struct if the profile's order and the rule of
/// RFC 8949 §5.6.1 hold, for keys that the struct has and for others.
#[test]
fn the_keys_of_a_struct_are_in_order() {
    let keys = ["a", "b", "c", "cc", "zz"];
    let mut orders: Vec<Vec<&str>> = vec![vec![]];
    for _ in 0..3 {
        let longer = |order: &Vec<_>| keys.map(|key| [&order[..], &[key]].concat());
        let more: Vec<_> = orders.iter().flat_map(longer).collect();
        orders.extend(more);
    }
    let mut out = Mismatches::of("structs by the order of their keys");
    for order in orders {
        let mut item = vec![0xa1 + u8::try_from(order.len()).unwrap()];
        for key in &order {
            item.push(0x60 + u8::try_from(key.len()).unwrap());
            item.extend(key.bytes());
            item.push(1);
        }
        item.extend(b"\x64last\x6fso much follows");
        let sorted = order.is_sorted_by(|a, b| (a.len(), a) < (b.len(), b));
        let mut once = order.clone();
        once.sort_unstable();
        once.dedup();
        for profile in PROFILES {
            let accept = once.len() == order.len() && (sorted || !DETERMINISTIC.contains(&profile));
            let got = profile.decode::<Known>(&item);
            out.expect(got.is_ok() == accept, || {
                format!("{profile} {order:?}: {}, want {accept}", said(&got))
            });
        }
    }
    // {1000: 1, "a": 1, "last": ..}: a key of three bytes before one of two.
    let item = b"\xa3\x19\x03\xe8\x01\x61a\x01\x64last\x6fso much follows";
    let error = Profile::LENGTH_FIRST.decode::<Known>(item).unwrap_err();
    out.equal("an integer first", &error.rule(), &Some(Rule::UnsortedKey));
    out.finish();
}

/// A struct with these names, each field holding its number.
struct Fields(Vec<&'static str>);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Fields", self.0.len())?;
        for (i, name) in self.0.iter().enumerate() {
            fields.serialize_field(name, &i)?;
        }
        fields.end()
    }
}

/// A head of RFC 8949 §3 in its shortest form, for arguments below 65 536.
fn head(major: u8, argument: usize) -> Vec<u8> {
    let bytes = u16::try_from(argument).unwrap().to_be_bytes();
    match argument {
        0..24 => vec![major << 5 | bytes[1]],
        24..256 => vec![major << 5 | 24, bytes[1]],
        _ => vec![major << 5 | 25, bytes[0], bytes[1]],
    }
}

/// RFC 8949 §4.2.1, of entries that are written already.
fn map_of(mut entries: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<u8> {
    entries.sort();
    let start = head(5, entries.len());
    entries.into_iter().fold(start, |out, (key, value)| [out, key, value].concat())
}

fn names(of: impl IntoIterator<Item = String>) -> Vec<&'static str> {
    of.into_iter().map(|name| &*name.leak()).collect()
}

/// Structs whose fields come in any order, one after the other, since what was learned of one is tried on the next.
#[test]
fn the_fields_of_a_struct_are_sorted_each_time() {
    let long = |len: usize| {
        // The first bytes decide nothing, whichever way they are read.
        ["b", "a", "c"]
            .map(|last| format!("{}{last}", "same".repeat(len / 4 + 1).split_at(len - 1).0))
    };
    let lists = [
        names([]),
        names(["m", "a", "b", "c", "d"].map(Into::into)),
        names(["m", "a", "b"].map(Into::into)),
        names(["m"].map(Into::into)),
        names(["m", "d", "c", "b", "a"].map(Into::into)),
        names(["m", "a", "b", "c", "d"].map(Into::into)),
        names(["abcdefg", "abcdefh", "abcdef", "zz", ""].map(Into::into)),
        names(["zzzzzzzzzzz", "aaaaaaaa", "aaaaaaab"].map(Into::into)),
        names([8, 9, 10, 23, 24, 25, 255, 256, 300].into_iter().rev().flat_map(long).take(24)),
        names([255, 256, 300].into_iter().rev().flat_map(long)),
        names((0..24).rev().map(|i| format!("f{i:02}"))),
        names((0..25).rev().map(|i| format!("f{i:02}"))),
        names((0..40).map(|i| format!("f{}", i * 7 % 40))),
        names([3, 300, 24, 23].into_iter().flat_map(long).chain((0..30).map(|i| i.to_string()))),
    ];
    for list in &lists {
        for _ in 0..2 {
            let numbered = || list.iter().zip(0..).map(|(name, i)| (*name, head(0, i)));
            let text = |name: &str| [head(3, name.len()), name.into()].concat();
            let integer = |name: &str| match name.parse() {
                Ok(integer) if integer == 0 || !name.starts_with('0') => head(0, integer),
                _ => text(name),
            };
            let want = map_of(numbered().map(|(name, i)| (text(name), i)).collect());
            // Of text, all three orders are one: the head has the length.
            for profile in [Profile::CORE, Profile::LENGTH_FIRST, Profile::CTAP2] {
                let got = profile.encode(&Fields(list.clone())).unwrap();
                assert_eq!(to_hex(&got), to_hex(&want), "{profile} {list:?}");
            }
            let want = map_of(numbered().map(|(name, i)| (integer(name), i)).collect());
            let got = Profile::CORE.encode(&IntKeys(Fields(list.clone()))).unwrap();
            assert_eq!(to_hex(&got), to_hex(&want), "{list:?}");
            let entries = numbered().flat_map(|(name, i)| [text(name), i].concat());
            let want: Vec<u8> = head(5, list.len()).into_iter().chain(entries).collect();
            let got = Profile::VALID.encode(&Fields(list.clone())).unwrap();
            assert_eq!(to_hex(&got), to_hex(&want), "{list:?}");
        }
    }
}

/// A name that a struct has twice is refused, however many bytes tell that it is the same.
#[test]
fn no_field_is_written_twice() {
    let long = "a name of so many bytes that they do not fit in one word";
    let many = (0..30).map(|i| format!("f{i}")).chain(["f7".into()]);
    for list in [
        vec!["a", "a"],
        vec!["b", "a", "a"],
        vec!["b", "a", "c", "a"],
        vec!["longish", "zz", "longish"],
        vec!["b", long, long],
        vec![long, "b", long],
        names(many),
    ] {
        for profile in DETERMINISTIC {
            let error = profile.encode(&Fields(list.clone())).unwrap_err();
            assert_eq!(error.rule(), Some(Rule::DuplicateKey), "{profile} {list:?}: {error}");
        }
    }
}

/// A reader that has `first` bytes at once, and all others when it is asked again.
struct Split<'a> {
    bytes: &'a [u8],
    first: usize,
}

impl Read for Split<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let most = std::mem::replace(&mut self.first, usize::MAX);
        let n = self.bytes.len().min(buf.len()).min(most);
        buf[..n].copy_from_slice(&self.bytes[..n]);
        self.bytes = &self.bytes[n..];
        Ok(n)
    }
}

/// Wherever the input of a reader is cut, keys are held to their order, though only what was asked for is at hand.
#[test]
fn a_cut_between_keys_changes_no_verdict() {
    let tail = "6f736f206d75636820666f6c6c6f7773";
    let mut out = Mismatches::of("maps in two parts");
    for (keys, accept) in [
        (&["00", "01", "02"][..], true),
        (&["01", "00", "02"], false),
        (&["02", "01", "03"], false),
        (&["02", "03", "01"], false),
        (&["20", "1b0000000100000000"], false),
        (&["1b0000000100000000", "20"], true),
        (&["6161", "480102030405060708"], false),
        (&["480102030405060708", "6161"], true),
        (&["1818", "1819", "1900ff"], false),
        (&["1818", "1819", "190100"], true),
        (&["6161", "6162", "626161"], true),
        (&["6162", "6161", "626161"], false),
        (&["6161", "6161", "626161"], false),
        (&["626161", "6161", "6162"], false),
        (&["6a73616d6573616d656161", "6a73616d6573616d656162", "6b"], true),
        (&["6a73616d6573616d656162", "6a73616d6573616d656161", "6b"], false),
    ] {
        let entries: String = keys
            .iter()
            .map(|key| match *key {
                // Eleven bytes: the last key of those that share eight.
                "6b" => format!("6b{}{tail}", "73616d6573616d65616162"),
                key => format!("{key}{tail}"),
            })
            .collect();
        let item = hex(&format!("a{}{entries}", keys.len()));
        out.expect(Profile::CORE.check(&item).is_ok() == accept, || format!("{keys:?}"));
        for first in 1..item.len() {
            let reader = Split { bytes: &item, first };
            let got: Result<Value, _> =
                Deserializer::from_reader(reader).into_iter::<Value>().next().unwrap();
            out.expect(got.is_ok() == accept, || format!("{keys:?} {first}: {}", said(&got)));
        }
    }
    out.finish();
}

/// RFC 8949 §5.6.1: an integer is the same key in a head of any width (§3), and another integer is another.
#[test]
fn a_key_is_its_number_and_not_its_head() {
    let wide = |n: u64, len: usize| {
        let info = [0x18, 0x19, 0x1a, 0x1b][len.trailing_zeros() as usize];
        [&[info], &n.to_be_bytes()[8 - len..]].concat()
    };
    for n in [0, 23, 24, 0xff, 0x100, 0xffff, 0x1_0000, 0xff_ffff, 0x0100_0000, 0xffff_ffff] {
        for other in [n, n + 1] {
            for lens in [[1, 2], [1, 4], [2, 4], [2, 8], [4, 4], [4, 8], [8, 4], [8, 8]] {
                if lens.iter().any(|&len| len < 8 && other >> (8 * len) != 0) {
                    continue;
                }
                let [a, b] = [wide(n, lens[0]), wide(other, lens[1])];
                let item = [&[0xa2][..], &a, &[0], &b, &[0]].concat();
                let got = Profile::VALID.check(&item);
                assert_eq!(got.is_ok(), n != other, "{}: {}", to_hex(&item), said(&got));
                let got = Profile::VALID.decode::<Value>(&item);
                assert_eq!(got.is_ok(), n != other, "{}: {}", to_hex(&item), said(&got));
            }
        }
    }
}

/// One byte of a text decides, wherever it is, however long the text, and whatever is around it.
#[test]
fn a_text_is_judged_to_its_last_byte() {
    fn text(content: &[u8]) -> Vec<u8> {
        let [len, ..] = content.len().to_le_bytes();
        let head = if len < 24 { vec![0x60 | len] } else { vec![0x78, len] };
        [&head, content].concat()
    }
    let mut out = Mismatches::of("texts with one odd character");
    // What stands in a text of ASCII, whether it is UTF-8, and whether it is in Normalization Form C.
    let odd: [(&[u8], bool, bool); 4] = [
        (b"\xff", false, false),
        (b"\x80", false, false),
        ("\u{e9}".as_bytes(), true, true),
        ("e\u{301}".as_bytes(), true, false),
    ];
    for len in 1..=70 {
        let plain = text(&b"a".repeat(len));
        for (character, utf8, nfc) in odd {
            for at in 0..=len.saturating_sub(character.len()) {
                let mut content = b"a".repeat(len);
                content.splice(at..len.min(at + character.len()), character.iter().copied());
                let text = text(&content);
                let few = [b"\x82", &text[..], &plain].concat();
                let many = [b"\x98\x1e".to_vec(), plain.repeat(20), text.clone(), plain.repeat(9)];
                let key = [b"\xa2\x61\x20\x00", &text[..], b"\x00"].concat();
                let value = [b"\xa1\x00", &text[..]].concat();
                for bytes in [text.clone(), few, many.concat(), key, value] {
                    for (profile, taken) in [(Profile::CORE, utf8), (Profile::DCBOR, nfc)] {
                        if cfg!(not(feature = "nfc")) && profile == Profile::DCBOR {
                            continue;
                        }
                        let got = profile.check(&bytes);
                        out.expect(got.is_ok() == taken, || {
                            format!("{} {}: {}", profile.name(), to_hex(&bytes), said(&got))
                        });
                        let written = profile.canonicalize(&bytes).is_ok();
                        out.expect(written == utf8, || {
                            format!(
                                "{} {} is canonicalized: {written}",
                                profile.name(),
                                to_hex(&bytes)
                            )
                        });
                    }
                }
            }
        }
    }
    out.finish();
}

/// Any two bytes among the texts of an array: what is taken is what the walk, which says what is wrong, finds nothing in.
#[test]
fn what_follows_texts_is_judged_as_it_is() {
    let mut out = Mismatches::of("elements after texts");
    let seconds = [0x00, 0x01, 0x17, 0x18, 0x1f, 0x20, 0x60, 0x61, 0x78, 0x80, 0xc3, 0xff];
    let mut taken = 0;
    for first in 0..=0xff_u8 {
        for second in seconds {
            for len in [12, 20, 24] {
                let texts = b"\x61a".repeat(40);
                let head: &[u8] = if len < 24 { &[0x80 | len] } else { &[0x98, len] };
                let bytes = [head, &texts[..14], &[first, second], &texts, &texts].concat();
                // As long as the array is, if the two bytes are two elements, or one, or the head of a text.
                let others = 2 * (usize::from(len) - 7);
                for rest in [others - 4, others - 2, others - 2 + usize::from(second)] {
                    let bytes = bytes.get(..head.len() + 16 + rest).unwrap_or(&bytes);
                    let check = Profile::CORE.check(bytes);
                    let found = Profile::CORE.violations(bytes).count();
                    out.expect(check.is_ok() == (found == 0), || {
                        format!("{}: {}, {found} violations", to_hex(bytes), said(&check))
                    });
                    taken += usize::from(check.is_ok());
                }
            }
        }
    }
    out.expect(taken > 1000, || format!("{taken} arrays taken"));
    out.finish();
}
