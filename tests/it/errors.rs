//! What a refusal says: category, rule, offset, path, and one line that a person understands.

use calibor::{Category, Error, Profile, Rule, Value, from_slice};
use serde::Deserialize;

use crate::support::{Mismatches, hex, rows, said};

struct Case(&'static str, Profile, Category, &'static str, u64, &'static str);

/// Item, profile, category, rule, offset, and the path where it says more than the place of the outermost item.
#[rustfmt::skip]
const FIRST: [Case; 35] = [
    Case("", Profile::CORE, Category::Eof, "truncated", 0, ""),
    Case("1800", Profile::CORE, Category::Profile, "long-head", 0, ""),
    Case("18", Profile::CORE, Category::Eof, "truncated", 0, ""),
    Case("0001", Profile::CORE, Category::Syntax, "trailing-bytes", 1, ""),
    Case("811c", Profile::CORE, Category::Syntax, "reserved-info", 1, "/0"),
    Case("81f818", Profile::CORE, Category::Syntax, "bad-simple", 1, "/0"),
    Case("81ff", Profile::CORE, Category::Syntax, "unexpected-break", 1, "/0"),
    Case("5f01ff", Profile::VALID, Category::Syntax, "bad-chunk", 1, ""),
    Case("bf01ff", Profile::VALID, Category::Syntax, "odd-map", 2, ""),
    Case("811f", Profile::CORE, Category::Syntax, "bad-indefinite", 1, "/0"),
    Case("81818100", Profile::CORE.max_depth(2), Category::Syntax, "too-deep", 2, "/0/0"),
    Case("8161ff", Profile::VALID, Category::Profile, "invalid-utf8", 1, "/0"),
    Case("a2616100616101", Profile::VALID, Category::Profile, "duplicate-key", 4, "/a"),
    Case("a2616200616101", Profile::CORE, Category::Profile, "unsorted-key", 4, "/a"),
    Case("c201", Profile::CORE, Category::Profile, "invalid-tag-content", 0, ""),
    Case("82fa3fc0000000", Profile::CORE, Category::Profile, "long-float", 1, "/0"),
    Case("81c24101", Profile::CORE, Category::Profile, "long-bignum", 1, "/0"),
    Case("819fff", Profile::CORE, Category::Profile, "indefinite-length", 1, "/0"),
    Case("81c100", Profile::CTAP2, Category::Profile, "forbidden-tag", 1, "/0"),
    Case("81f7", Profile::DAG_CBOR, Category::Profile, "forbidden-simple", 1, "/0"),
    Case("81f93e00", Profile::CORE.without_floats(), Category::Profile, "forbidden-float", 1, "/0"),
    Case("81fb7ff8000000000000", Profile::DAG_CBOR, Category::Profile, "forbidden-nan", 1, "/0"),
    Case("81fb7ff0000000000000", Profile::DAG_CBOR, Category::Profile, "forbidden-infinity", 1, "/0"),
    Case("81fb8000000000000000", Profile::DRISL, Category::Profile, "forbidden-negative-zero", 1, "/0"),
    Case("81f93c00", Profile::DCBOR, Category::Profile, "integral-float", 1, "/0"),
    Case("813b8000000000000000", Profile::DCBOR, Category::Profile, "int-out-of-range", 1, "/0"),
    Case("81a10102", Profile::DAG_CBOR, Category::Profile, "forbidden-key", 2, "/0/1"),
    Case("816345cc88", Profile::DCBOR, Category::Profile, "not-nfc", 1, "/0"),
    Case("81f97e01", Profile::DTRM, Category::Profile, "nan-payload", 1, "/0"),
    Case("81f93e00", Profile::DAG_CBOR, Category::Profile, "short-float", 1, "/0"),
    // {"servers": [{"port": 0}, {"port": 0_0}]}
    Case("a16773657276657273 82a164706f727400 a164706f72741800", Profile::CORE, Category::Profile, "long-head", 23, "/servers/1/port"),
    // Keys that are not plain text stand in diagnostic notation.
    Case("a1201800", Profile::CORE, Category::Profile, "long-head", 2, "/-1"),
    Case("a14101 1800", Profile::CORE, Category::Profile, "long-head", 3, "/h'01'"),
    Case("a1617e 1800", Profile::CORE, Category::Profile, "long-head", 3, "/\"~\""),
    Case("a1f5 811800", Profile::CORE, Category::Profile, "long-head", 3, "/true/0"),
];

#[test]
fn the_first_violation_by_name_and_place() {
    let mut out = Mismatches::of("first violations");
    for Case(item, profile, category, rule, offset, path) in FIRST {
        let input = hex(&item.replace(' ', ""));
        let check = profile.check(&input).err();
        let first = profile.violations(&input).next();
        for (door, got) in [("check", check), ("violations", first)] {
            let Some(e) = got else {
                out.expect(false, || format!("{profile} {item} {door}: accepted, want {rule}"));
                continue;
            };
            let got = (e.category(), e.rule().map(Rule::name), e.offset());
            out.equal(
                format!("{profile} {item} {door}"),
                &got,
                &(category, Some(rule), Some(offset)),
            );
            out.expect(path.is_empty() || e.path() == Some(path), || {
                format!("{profile} {item} {door}: path {:?}, want {path}", e.path())
            });
        }
    }
    out.finish();
}

#[test]
fn every_violation_in_order() {
    let mut out = Mismatches::of("all violations");
    // {"b": 0_0, "a": [_ 1.5_2], "a": h''_, 2(h''): 0}
    let input = hex("a461621800 61619ffa3fc00000ff 61615fff c24000".replace(' ', "").as_str());
    let got: Vec<_> = Profile::CORE
        .violations(&input)
        .map(|e| (e.offset().unwrap(), e.rule().unwrap().name(), e.path().unwrap_or("").to_owned()))
        .collect();
    let want: Vec<_> = [
        (3, "long-head", "/b"),
        (5, "unsorted-key", "/a"),
        (7, "indefinite-length", "/a"),
        (8, "long-float", "/a/0"),
        (14, "duplicate-key", "/a"),
        (16, "indefinite-length", "/a"),
        (18, "long-bignum", "/2(h'')"),
    ]
    .map(|(offset, rule, path)| (offset, rule, path.to_owned()))
    .into();
    out.equal("violations", &got, &want);
    // Where the structure is lost, that is the last word.
    let rules = |item: &str| -> Vec<_> {
        Profile::CORE.violations(&hex(item)).map(|e| e.rule().unwrap().name()).collect()
    };
    out.equal("cut", &rules("82180018"), &vec!["long-head", "truncated"]);
    out.equal("trailing", &rules("180000"), &vec!["long-head", "trailing-bytes"]);
    out.finish();
}

/// Every violation as rule and offset.
fn found(profile: Profile, item: &str) -> Vec<(&'static str, u64)> {
    let item = hex(item);
    profile.violations(&item).map(|e| (e.rule().unwrap().name(), e.offset().unwrap())).collect()
}

#[test]
fn nothing_is_left_out_of_the_list() {
    // {[0_0, 1_0]: 0}: both were found before the path to either was known.
    assert_eq!(found(Profile::CORE, "a1821800180100"), [("long-head", 2), ("long-head", 4)]);
    // [[[0_0]]]: the limit is told once, and what is below it is read on.
    for (levels, want) in [
        (0, vec![("too-deep", 0), ("long-head", 3)]),
        (1, vec![("too-deep", 1), ("long-head", 3)]),
        (2, vec![("too-deep", 2), ("long-head", 3)]),
        (3, vec![("long-head", 3)]),
    ] {
        assert_eq!(found(Profile::CORE.max_depth(levels), "8181811800"), want, "{levels}");
    }
}

/// A path has the 256 innermost steps, and says that there are more.
#[test]
fn a_path_is_only_so_long() {
    for (levels, start) in [(255, "/0/0"), (256, "/0/0"), (257, "/…/0"), (300, "/…/0")] {
        let item = [&vec![0x81; levels], &[0x18, 0x00][..]].concat();
        let error = Profile::CORE.max_depth(400).check(&item).unwrap_err();
        let path = error.path().unwrap();
        assert!(path.starts_with(start), "{levels}: {path}");
        assert_eq!(path.matches("/0").count(), levels.min(256), "{path}");
    }
}

/// Item, profile, and the first words of the message: what was found, and what is wanted.
#[rustfmt::skip]
const WORDS: [(&str, Profile, &str); 29] = [
    ("5fff", Profile::CORE, "byte string has no definite length"),
    ("7fff", Profile::CORE, "text string has no definite length"),
    ("9fff", Profile::CORE, "array has no definite length"),
    ("bfff", Profile::CORE, "map has no definite length"),
    ("1f", Profile::CORE, "integer has an indefinite length"),
    ("3f", Profile::CORE, "integer has an indefinite length"),
    ("df00", Profile::CORE, "tag number has no value"),
    ("1801", Profile::CORE, "head 1801 is longer than it has to be, 01 is wanted"),
    ("3a00000100", Profile::CORE, "head 3a00000100 is longer than it has to be, 390100 is wanted"),
    ("fa3fc00000", Profile::CORE, "float fa3fc00000 is longer than it has to be, f93e00 is wanted"),
    ("fb3fb99999a0000000", Profile::CORE, "float fb3fb99999a0000000 is longer than it has to be, fa3dcccccd is wanted"),
    ("f93e00", Profile::DAG_CBOR, "float f93e00 is not 64 bits wide, fb3ff8000000000000 is wanted"),
    ("f93c00", Profile::DCBOR, "float f93c00 has the integer value 1, the integer is wanted"),
    ("fbc3e0000000000000", Profile::DCBOR, "float fbc3e0000000000000 has the integer value -9223372036854775808, the integer is wanted"),
    ("f93e00", Profile::CORE.without_floats(), "float f93e00 in a profile without floats"),
    ("fb7ff8000000000000", Profile::DAG_CBOR, "NaN fb7ff8000000000000 in a profile without NaN"),
    ("f97e01", Profile::DTRM, "NaN f97e01 is not f97e00, the only one"),
    ("fb7ff0000000000000", Profile::DAG_CBOR, "infinity fb7ff0000000000000 in a profile without infinities"),
    ("fb8000000000000000", Profile::DRISL, "float fb8000000000000000 is -0.0, which the profile lacks"),
    ("3b8000000000000000", Profile::DCBOR, "integer -9223372036854775809 is below -2^63"),
    ("c100", Profile::CTAP2, "tag 1 is not in the profile"),
    ("f7", Profile::DAG_CBOR, "simple value f7 is not false, true or null"),
    ("c240", Profile::CORE, "bignum fits an integer of major type 0 or 1"),
    ("c24101", Profile::CORE, "bignum fits an integer of major type 0 or 1"),
    ("c2420001", Profile::CORE, "bignum has a leading zero byte"),
    ("c249000000000000000001", Profile::CORE, "bignum has a leading zero byte"),
    ("c2488000000000000000", Profile::DCBOR, "bignum is an integer below -2^63 or fits major type 0"),
    ("c2487fffffffffffffff", Profile::DCBOR, "bignum fits an integer of major type 0 or 1"),
    ("c2480000000000000001", Profile::DCBOR, "bignum has a leading zero byte"),
];

#[test]
fn the_words_of_every_rule() {
    let mut out = Mismatches::of("messages");
    for (item, profile, words) in WORDS {
        let error = profile.check(&hex(item)).unwrap_err();
        out.equal(format!("{profile} {item}"), &error.detail().as_str(), &words);
    }
    out.finish();
}

/// Topic of a profile's clauses, a rule about it, and an item that breaks it in some profiles.
const TOPICS: [(&str, &str, &str); 19] = [
    ("heads", "long-head", "1800"),
    ("floats", "long-float", "fa3fc00000"),
    ("floats", "short-float", "f93e00"),
    ("floats", "integral-float", "f93c00"),
    ("floats", "forbidden-float", "f93e00"),
    ("NaN", "nan-payload", "f97e01"),
    ("NaN", "forbidden-nan", "fb7ff8000000000000"),
    ("infinity", "forbidden-infinity", "fb7ff0000000000000"),
    ("-0.0", "forbidden-negative-zero", "fb8000000000000000"),
    ("integers", "int-out-of-range", "3b8000000000000000"),
    ("bignums", "long-bignum", "c24101"),
    ("key order", "unsorted-key", "a2616200616100"),
    ("equal keys", "duplicate-key", "a2616100616100"),
    ("key types", "forbidden-key", "a10000"),
    ("lengths", "indefinite-length", "9fff"),
    ("tags", "forbidden-tag", "c100"),
    ("simple values", "forbidden-simple", "f7"),
    ("text", "invalid-utf8", "61ff"),
    ("text", "not-nfc", "6345cc88"),
];

/// A refusal names the document that the profile's own list of rules has for it.
#[test]
fn a_refusal_names_the_source_of_its_rule() {
    let mut out = Mismatches::of("references");
    let refined = Profile::ALL.map(Profile::without_floats);
    for (topic, rule, item) in TOPICS {
        let mut broken = 0;
        for profile in Profile::ALL.into_iter().chain(refined) {
            let want = profile.clauses().find(|clause| clause.topic == topic).unwrap().source;
            for error in profile.violations(&hex(item)) {
                if error.rule().is_some_and(|r| r.name() == rule) {
                    out.equal(format!("{profile} {rule}"), &error.reference(), &Some(want));
                    broken += 1;
                }
            }
        }
        out.expect(broken > 0, || format!("no profile has {rule} for {item}"));
    }
    let depth = |profile: Profile| profile.check(&hex("8181818181818100")).unwrap_err().reference();
    out.equal("CTAP2", &depth(Profile::CTAP2), &Some("CTAP 2.3 §8"));
    out.equal("CORE", &depth(Profile::CORE.max_depth(3)), &Some("RFC 8949 §10"));
    out.finish();
}

fn is_one_plain_line(e: &Error) -> bool {
    let text = e.to_string();
    let lower = text.starts_with(|c: char| !c.is_uppercase()) || text.starts_with("NaN ");
    let ends = e.offset().is_none_or(|offset| text.ends_with(&format!("at byte {offset}")));
    let names = e.reference().is_none_or(|reference| text.contains(reference));
    !text.contains('\n') && lower && ends && names
}

#[test]
fn every_refusal_is_one_line() {
    let mut out = Mismatches::of("messages");
    for row in rows("malformed").iter().chain(&rows("profiles/matrix")) {
        let input = hex(row["hex"].as_str().unwrap());
        for profile in Profile::ALL {
            for e in
                profile.violations(&input).take(20).chain(profile.decode::<Value>(&input).err())
            {
                out.expect(is_one_plain_line(&e), || format!("{profile}: {e}"));
                out.expect(e.rule().is_some() == (e.category() != Category::Data), || {
                    format!("{profile}: {e}: {:?} with rule {:?}", e.category(), e.rule())
                });
                out.expect(e.to_string().len() < 400, || format!("{profile}: long: {e}"));
            }
        }
    }
    out.finish();
}

#[test]
fn the_sentence_for_an_unsorted_key() {
    let e = Profile::CORE.check(&hex("a2616200616101")).unwrap_err();
    let want = r#"map key "a" comes after "b" but sorts before it, RFC 8949 §4.2.1, at byte 4"#;
    assert_eq!(e.to_string(), want);
}

#[test]
fn valid_data_that_is_not_canonical_says_how_to_read_it() {
    let mut out = Mismatches::of("the way out");
    for item in ["1800", "a2616200616101", "9fff", "fa3fc00000", "c24101"] {
        let e = from_slice::<Value>(&hex(item)).unwrap_err();
        out.expect(e.to_string().contains("Profile::VALID.decode"), || format!("{item}: {e}"));
    }
    // Where VALID would refuse it too, there is no such way.
    for item in ["61ff", "a201000100", "18", "0000"] {
        let e = from_slice::<Value>(&hex(item)).unwrap_err();
        out.expect(!e.to_string().contains("Profile::VALID.decode"), || format!("{item}: {e}"));
    }
    out.finish();
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "read to fail")]
struct Server {
    port: u16,
    name: String,
}

#[test]
fn a_type_error_has_an_offset() {
    let mut out = Mismatches::of("type errors");
    for (item, offset) in [
        // port is a text, port is too large, port is negative, name is missing.
        ("a264706f72746178646e616d656178", 6),
        ("a264706f72741a00010000646e616d656178", 6),
        ("a264706f727420646e616d656178", 6),
        ("a164706f727401", 0),
    ] {
        let got = Profile::VALID.decode::<Server>(&hex(item));
        let right = got.as_ref().is_err_and(|e| {
            e.category() == Category::Data && e.offset() == Some(offset) && is_one_plain_line(e)
        });
        out.expect(right, || format!("{item}: want an error at {offset}, got {}", said(&got)));
    }
    out.finish();
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "read to fail")]
struct Config {
    servers: Vec<Server>,
}

#[test]
fn serde_path_to_error_finds_the_way() {
    let input =
        hex("a16773657276657273 82a264706f727401646e616d656178 a264706f72746178646e616d656178"
            .replace(' ', "")
            .as_str());
    let mut de = calibor::Deserializer::from_slice(&input).profile(Profile::VALID);
    let e = serde_path_to_error::deserialize::<_, Config>(&mut de).unwrap_err();
    assert_eq!(e.path().to_string(), "servers[1].port");
}

/// How much follows an item is told where that is known.
#[test]
fn trailing_bytes_are_counted() {
    for (input, words) in [("01f6", "1 byte"), ("8101f6f6", "2 bytes"), ("6161000000", "3 bytes")] {
        let bytes = hex(input);
        for error in [
            Profile::CORE.check(&bytes).unwrap_err(),
            Profile::CORE.decode::<Value>(&bytes).unwrap_err(),
            Profile::CORE.violations(&bytes).next().unwrap(),
        ] {
            assert_eq!(error.rule(), Some(Rule::TrailingBytes), "{input}");
            assert!(error.to_string().contains(words), "{input}: {error}");
        }
    }
}
