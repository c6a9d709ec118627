//! Accepted or refused: every table of verdicts, asked of `check`, `violations` and two ways to decode.

use calibor::{Deserializer, Profile, Rule, Value};
use serde_json::Value as Json;

use crate::support::{
    Mismatches, NAMES, brief, bytes, hex, judge, on_a_big_stack, profile, rows, said, text, to_hex,
};

/// A row of `profiles/*.json`: one profile's verdict.
fn single(name: &str, profile: Profile, out: &mut Mismatches) {
    for row in &rows(&format!("profiles/{name}")) {
        let why = text(row, "why");
        judge(profile, &bytes(row, "hex"), row["accept"].as_bool().unwrap(), why, out);
    }
}

#[test]
fn each_profile_by_its_own_table() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("profiles/<name>.json");
        for name in NAMES {
            // VALID alone has no table of its own: `matrix` and the seeds hold it.
            if name != "valid" {
                single(name, profile(name), &mut out);
            }
        }
        out.finish();
    });
}

fn matrix(name: &'static str) {
    let mut out = Mismatches::of(name);
    for row in &rows(name) {
        let accept = row["accept"].as_object().unwrap();
        assert_eq!(accept.len(), NAMES.len(), "a profile without a column in {row}");
        for (of, verdict) in accept {
            judge(profile(of), &bytes(row, "hex"), verdict.as_bool().unwrap(), name, &mut out);
        }
    }
    out.finish();
}

#[test]
fn every_profile_over_the_matrix() {
    on_a_big_stack(|| matrix("profiles/matrix"));
}

#[test]
fn every_profile_over_the_seeds() {
    on_a_big_stack(|| matrix("wellformed_seeds"));
}

#[test]
fn where_documents_disagree_the_recommendation_holds() {
    let mut out = Mismatches::of("profiles/contested.json");
    for row in &rows("profiles/contested") {
        let note = text(row, "note");
        match &row["recommend"] {
            Json::Bool(accept) => {
                judge(profile(text(row, "profile")), &bytes(row, "hex"), *accept, note, &mut out);
            }
            other => panic!("a recommendation nobody reads yet: {other} in {row}"),
        }
    }
    out.finish();
}

/// COSE's `Sig_structure`, `Enc_structure` and `MAC_structure` (RFC 9052 section 9): shortest arguments, definite lengths,
/// no label twice, and no order of keys. No constant says that: what VALID refuses and what CORE refuses for another
/// reason than the order of keys is what COSE refuses.
#[test]
fn cose_structures_are_core_without_its_order() {
    let mut out = Mismatches::of("profiles/cose-sigstruct.json");
    for row in &rows("profiles/cose-sigstruct") {
        let input = bytes(row, "hex");
        let refused = Profile::CORE.violations(&input).find(|e| {
            let rule = e.rule().map(Rule::name);
            rule != Some("unsorted-key") && rule != Some("long-float")
        });
        out.equal(text(row, "hex"), &refused.is_none(), &row["accept"].as_bool().unwrap());
    }
    out.finish();
}

/// Rows of `cardano-cip21` that ask for integers inside 64 bits, which is the schema's rule and not the encoding's.
const CARDANO_INTEGER_RANGE: [&str; 2] = ["c249010000000000000000", "3b8000000000000000"];

/// Cardano's CIP-0021 is RFC 7049 canonical (length-first keys, shortest arguments) without floats.
#[test]
fn cardano_is_length_first_without_floats() {
    let mut out = Mismatches::of("profiles/cardano-cip21.json");
    let profile = Profile::LENGTH_FIRST.without_floats();
    for row in &rows("profiles/cardano-cip21") {
        let hex = text(row, "hex");
        let accept = row["accept"].as_bool().unwrap() || CARDANO_INTEGER_RANGE.contains(&hex);
        judge(profile, &bytes(row, "hex"), accept, text(row, "why"), &mut out);
    }
    out.finish();
}

#[test]
fn rfc8949_appendix_a() {
    let mut out = Mismatches::of("appendix_a.json");
    for row in rows("appendix_a").iter().filter(|row| row["hex"] != "f818") {
        let input = bytes(row, "hex");
        let round_trip = row["roundtrip"].as_bool().unwrap();
        judge(Profile::WELL_FORMED, &input, true, "appendix A", &mut out);
        judge(Profile::VALID, &input, true, "appendix A", &mut out);
        judge(profile("valid+tags"), &input, true, "appendix A", &mut out);
        judge(Profile::CORE, &input, round_trip, "appendix A, roundtrip", &mut out);
        // The decoded column is JSON: where it holds the value exactly, serde reads the same.
        if let (Some(want), true) = (row.get("decoded"), row["decoded"].is_string()) {
            let got = Profile::VALID.decode::<Json>(&input);
            let same = got.as_ref().is_ok_and(|got| got == want);
            out.expect(same, || format!("{}: want {want}, got {}", brief(&input), said(&got)));
        }
    }
    judge(Profile::WELL_FORMED, &hex("f818"), false, "simple(24) is no value", &mut out);
    out.finish();
}

#[test]
fn what_the_working_group_re_encodes() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("wg_rfc8949_good.json");
        for row in &rows("wg_rfc8949_good") {
            let input = bytes(row, "hex");
            let want = text(row, "decoded_item_hex");
            let note = text(row, "description");
            let valid = Profile::VALID.max_depth(1024);
            judge(Profile::WELL_FORMED.max_depth(1024), &input, true, note, &mut out);
            judge(valid, &input, true, note, &mut out);
            // Their encoder shortens and keeps the order of keys, which is PREFERRED.
            let preferred = Profile::PREFERRED.max_depth(1024);
            let rewritten = preferred.canonicalize(&input).map(|b| to_hex(&b));
            out.expect(rewritten.as_deref().is_ok_and(|got| got == want), || {
                format!("{note}: canonicalize gives {rewritten:?}, want {want}")
            });
            let again = valid.decode::<Value>(&input).and_then(|v| preferred.encode(&v));
            let again = again.map(|b| to_hex(&b));
            out.expect(again.as_deref().is_ok_and(|got| got == want), || {
                format!("{note}: decode and encode give {again:?}, want {want}")
            });
        }
        out.finish();
    });
}

#[test]
fn examples_of_the_cde_draft() {
    let mut out = Mismatches::of("cde_examples.json");
    for row in &rows("cde_examples") {
        judge(Profile::CORE, &bytes(row, "hex"), row["kind"] != "bad", text(row, "note"), &mut out);
    }
    out.finish();
}

/// `general` are all the encodings of one value, `preferred_plus` those with nothing longer than needed,
/// `deterministic` the one form.
#[test]
fn examples_of_the_serialization_draft() {
    let mut out = Mismatches::of("cbor_serialization_examples.json");
    let list = |row: &Json, field: &str| -> Vec<String> {
        row[field].as_array().unwrap().iter().map(|h| h.as_str().unwrap().to_owned()).collect()
    };
    for row in &rows("cbor_serialization_examples") {
        let file = text(row, "file");
        let one = list(row, "deterministic");
        let preferred = list(row, "preferred_plus");
        for form in list(row, "general") {
            let input = hex(&form);
            judge(Profile::WELL_FORMED, &input, true, file, &mut out);
            judge(Profile::VALID, &input, true, file, &mut out);
            judge(Profile::DTRM, &input, one.contains(&form), file, &mut out);
            if preferred.contains(&form) {
                judge(Profile::PREFERRED, &input, true, file, &mut out);
            }
            if let [want] = one.as_slice() {
                let got = Profile::DTRM.canonicalize(&input).map(|b| to_hex(&b));
                out.expect(got.as_ref().is_ok_and(|got| got == want), || {
                    format!("{file}: {form} becomes {got:?}, want {want}")
                });
            }
        }
    }
    out.finish();
}

#[test]
fn published_sets_of_one_profile() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("published sets");
        let mut set = |name: &str, profile: Profile, accept: fn(&Json) -> bool| {
            for row in &rows(name) {
                judge(profile, &bytes(row, "hex"), accept(row), name, &mut out);
            }
        };
        set("ctap2_canonical", Profile::CTAP2, |row| row["ctap2"] == true);
        set("dcbor_valid_hildjj", Profile::DCBOR, |_| true);
        set("dcbor_invalid_hildjj", Profile::DCBOR, |_| false);
        set("dagcbor_fixtures", Profile::DAG_CBOR, |_| true);
        set("dagcbor_negative", Profile::DAG_CBOR, |_| false);
        // Listed as refused and, in the same file, as the one form of the largest single: the latter is right.
        set("cbor_core_rundgren", Profile::CBOR_CORE, |row| {
            row["kind"] != "nondeterministic_reject" || row["hex"] == "fa7f7fffff"
        });
        set("atproto_data_model", Profile::DAG_CBOR, |_| true);
        set("atproto_data_model", Profile::DRISL, |_| true);
        set("atproto_data_model", Profile::DRISL.without_floats(), |_| true);
        out.finish();
    });
}

/// Relaxed DAG-CBOR reads long heads, any order and any float width, and nothing else.
#[test]
fn relaxed_dag_cbor_relaxes_form_only() {
    let mut out = Mismatches::of("relaxed DAG-CBOR");
    let relaxed = Profile::DAG_CBOR.relaxed();
    for (item, accept, why) in [
        ("1800", true, "long head"),
        ("f93e00", true, "half"),
        ("fa3fc00000", true, "single"),
        ("a2616201616102", true, "order"),
        ("780161", true, "long length"),
        ("c100", false, "tag"),
        ("a10102", false, "integer key"),
        ("f97e00", false, "NaN"),
        ("f97c00", false, "Infinity"),
        ("9fff", false, "indefinite length"),
        ("5fff", false, "indefinite length"),
        ("0000", false, "trailing byte"),
        ("f7", false, "undefined"),
        ("a2616101616102", false, "duplicate key"),
        ("61ff", false, "UTF-8"),
    ] {
        judge(relaxed, &hex(item), accept, why, &mut out);
    }
    out.finish();
}

#[test]
fn refinements_narrow_a_profile() {
    let mut out = Mismatches::of("refinements");
    for (profile, item, accept) in [
        (Profile::CORE.without_floats(), "f93e00", false),
        (Profile::CORE.without_floats(), "01", true),
        (Profile::CORE.canonical_nan(), "f97e01", false),
        (Profile::CORE.canonical_nan(), "f97e00", true),
        (Profile::CORE.forbid_tags(), "c100", false),
        (Profile::CORE.forbid_tags(), "00", true),
        (Profile::CORE.max_depth(2), "818100", true),
        (Profile::CORE.max_depth(2), "81818100", false),
        (Profile::CORE.max_depth(2), "8181c100", false),
        (Profile::VALID.tag_validity(), "c000", false),
        (Profile::VALID, "c000", true),
    ] {
        judge(profile, &hex(item), accept, "refinement", &mut out);
    }
    out.finish();
}

/// CBOR sequences (RFC 8742): each item, or the error where the sequence breaks off.
#[test]
fn sequences() {
    let mut out = Mismatches::of("tags/sequences.json");
    for row in &rows("tags/sequences") {
        let input = bytes(row, "hex");
        let want: Vec<&str> = row["items"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| item.as_str().unwrap())
            .collect();
        let mut stream =
            Deserializer::from_slice(&input).profile(Profile::VALID).into_iter::<Value>();
        let (mut got, mut start, mut whole) = (Vec::new(), 0, true);
        while let Some(item) = stream.next() {
            if item.is_err() {
                whole = false;
                break;
            }
            let end = usize::try_from(stream.byte_offset()).unwrap();
            got.push(to_hex(&input[start..end]));
            start = end;
        }
        let why = text(row, "why");
        out.equal(why, &whole, &row["accept"].as_bool().unwrap());
        if whole {
            out.equal(why, &got, &want.into_iter().map(str::to_owned).collect());
        }
    }
    out.finish();
}

#[test]
fn names_and_profiles_are_one_list() {
    let mut out = Mismatches::of("profile names");
    let plain: Vec<&str> = NAMES.into_iter().filter(|name| *name != "valid+tags").collect();
    assert_eq!(plain.len(), Profile::ALL.len());
    for (name, profile) in plain.into_iter().zip(Profile::ALL) {
        out.equal(name, &profile.to_string().as_str(), &name);
        out.equal(name, &name.parse().ok(), &Some(profile));
    }
    out.equal("valid+tags", &"valid+tags".parse().ok(), &Some(Profile::VALID.tag_validity()));
    for wrong in ["", "CORE", "core ", "cde", "dag_cbor"] {
        out.expect(wrong.parse::<Profile>().is_err(), || format!("{wrong:?} names a profile"));
    }
    out.finish();
}

/// RFC 8949 §3.4.3 in chunks (§3.2.3), which preferred serialization accepts: the bytes count, not how they are cut.
#[test]
fn a_bignum_in_chunks_is_the_bignum() {
    let mut out = Mismatches::of("bignums in chunks");
    for (chunks, accept, why) in [
        ("44 01020304 45 0506070809", true, "nine bytes"),
        ("40  49 010203040506070809", true, "the second chunk is the first with a byte"),
        ("49 010203040506070809 40 ", true, "the last chunk is empty"),
        ("41 01 48 0000000000000000", true, "2^64"),
        ("48 0102030405060708", false, "fits major type 0"),
        ("41 01 41 02", false, "fits major type 0"),
        ("", false, "is 0"),
        ("40", false, "is 0"),
        ("41 00 48 0102030405060708", false, "leading zero"),
        ("40 49 000102030405060708", false, "leading zero"),
    ] {
        for tag in ["c2", "c3"] {
            let item = hex(&format!("{tag}5f{chunks}ff").replace(' ', ""));
            judge(Profile::PREFERRED, &item, accept, why, &mut out);
            judge(Profile::VALID, &item, true, why, &mut out);
            judge(Profile::CORE, &item, false, "no definite length", &mut out);
            if accept {
                // 4x of the chunks is left out, and what they hold is one string.
                let digits: String = chunks.split(' ').skip(1).step_by(2).collect();
                let whole = hex(&format!("{tag}{:02x}{digits}", 0x40 + digits.len() / 2));
                let [got, want] =
                    [&item, &whole].map(|item| Profile::PREFERRED.decode::<Value>(item));
                out.equal(why, &got.unwrap(), &want.unwrap());
            }
        }
    }
    out.finish();
}

/// CIDs of version 0 and 1 by their specification, varints in their one form, and those of DASL.
#[test]
fn tag_42_holds_a_cid() {
    let digest = |len: usize| "ab".repeat(len);
    let mut out = Mismatches::of("CIDs");
    for (start, len, ipld, dasl, why) in [
        ("00 01 55 12 20", 32, true, true, "raw, SHA-256"),
        ("00 01 71 1e 20", 32, true, true, "dag-cbor, BLAKE3"),
        ("00 01 71 13 20", 32, true, false, "another hash"),
        ("00 01 70 12 20", 32, true, false, "another codec"),
        ("00 01 a902 12 20", 32, true, false, "a codec of two bytes"),
        ("00 01 55 00 c801", 200, true, false, "a digest of 200 bytes"),
        ("00 12 20", 32, true, false, "version 0"),
        ("00 01 55 12 20", 31, false, false, "a byte is missing"),
        ("00 01 55 12 20", 33, false, false, "a byte too many"),
        ("00 01 55 00 c801", 72, false, false, "a length whose high bits are forgotten"),
        ("00 01 55 00 c801", 199, false, false, "a byte of 200 is missing"),
        ("00 12 20", 31, false, false, "version 0, a byte is missing"),
        ("00 02 55 12 20", 32, false, false, "there is no version 2"),
        ("00 01 d500 12 20", 32, false, false, "a varint that is longer than it has to be"),
        ("00 01 55 12 a000", 32, false, false, "the same of the length"),
        ("01 55 12 20", 32, false, false, "the zero byte is missing"),
        ("00 01 55", 0, false, false, "ends after the codec"),
        ("00", 0, false, false, "no CID"),
        ("", 0, false, false, "nothing"),
    ] {
        let cid = hex(&format!("{start}{}", digest(len)).replace(' ', ""));
        let len = u8::try_from(cid.len()).unwrap();
        let head = if len < 24 { vec![0x40 | len] } else { vec![0x58, len] };
        let item = [&[0xd8, 0x2a], &head[..], &cid].concat();
        judge(Profile::DAG_CBOR, &item, ipld, why, &mut out);
        judge(Profile::DRISL, &item, dasl, why, &mut out);
        judge(Profile::CORE, &item, true, "tags mean nothing to it", &mut out);
    }
    out.finish();
}

/// {"a": 0, [1]: 0} is in order, and still has a key that is no text.
#[test]
fn a_key_that_is_no_text_is_refused_after_text() {
    for profile in [Profile::DAG_CBOR, Profile::DRISL] {
        for item in ["a2616100810100", "a26161008101727365652077686174206973206e6f206b6579"] {
            let error = profile.check(&hex(item)).unwrap_err();
            assert_eq!(error.rule(), Some(Rule::ForbiddenKey), "{item}: {error}");
        }
    }
}
