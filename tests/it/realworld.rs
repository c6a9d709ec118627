//! Real files: those in `vectors/realworld` always, the whole collection beside the repository where it is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use calibor::{Category, Deserializer, Error, Profile, Rule, Value};

use crate::support::{Mismatches, path, said, to_hex};

/// File, the rules of CORE it breaks, and how many violations it has in all; counted by an independent checker.
#[rustfmt::skip]
const PINNED: [(&str, &[&str], usize); 49] = [
    ("atproto-indigo/feedpost_record.cbor", &[], 0),
    ("atproto-indigo/post_richtext_link.cbor", &[], 0),
    ("cardano-pallas/alonzo1.tx.cbor", &["unsorted-key"], 1),
    ("cardano-pallas/alonzo21.block.cbor", &["indefinite-length", "long-head", "unsorted-key"], 47),
    ("cardano-pallas/alonzo9.block.cbor", &["indefinite-length", "long-bignum", "unsorted-key"], 48),
    ("cardano-pallas/byron2.tx.cbor", &["indefinite-length"], 2),
    ("cardano-pallas/byron5.block.cbor", &["indefinite-length", "unsorted-key"], 6),
    ("cardano-pallas/conway3.tx.cbor", &[], 0),
    ("cardano-pallas/datum-only.tx.cbor", &[], 0),
    ("cose-wg-examples/CWT__A_7.cbor", &[], 0),
    ("cose-wg-examples/RFC8152__Appendix_C_3_2.cbor", &["unsorted-key"], 1),
    ("cose-wg-examples/RFC8152__Appendix_C_4_1.cbor", &[], 0),
    ("cose-wg-examples/RFC8152__Appendix_C_5_1.cbor", &[], 0),
    ("cose-wg-examples/RFC8152__Appendix_C_6_1.cbor", &[], 0),
    ("cose-wg-examples/aes-gcm-examples__aes-gcm-enc-01.cbor", &[], 0),
    ("cose-wg-examples/chacha-poly-examples__chacha-poly-enc-01.cbor", &[], 0),
    ("cose-wg-examples/encrypted-tests__enc-fail-02.cbor", &[], 0),
    ("cose-wg-examples/hkdf-aes-examples__hmac-aes-128-01.cbor", &["unsorted-key"], 1),
    ("cose-wg-examples/hkdf-aes-examples__hmac-aes-128-13.cbor", &["unsorted-key"], 1),
    ("cose-wg-examples/hkdf-hmac-sha-examples__hmac-sha-256-13.cbor", &["unsorted-key"], 1),
    ("cose-wg-examples/hmac-examples__HMac-05.cbor", &[], 0),
    ("eu-dcc/BE__2DCode__raw__4.cbor.cbor", &["indefinite-length", "unsorted-key"], 13),
    ("eu-dcc/CH__2DCode__raw__3.cbor.cbor", &[], 0),
    ("eu-dcc/ES__2DCode__raw__1003.cbor.cbor", &["indefinite-length", "unsorted-key"], 11),
    ("eu-dcc/ES__2DCode__raw__401.cbor.cbor", &["indefinite-length", "unsorted-key"], 11),
    ("eu-dcc/FR__2DCode__raw__DGC_QrCode_00009_Raw.cbor.cbor", &[], 0),
    ("eu-dcc/FR__2DCode__raw__DGC_QrCode_00017_Raw.cbor.cbor", &[], 0),
    ("eu-dcc/FR__2DCode__raw__recovery_ok.cbor.cbor", &["unsorted-key"], 8),
    ("eu-dcc/LU__2DCode__raw__INCERT_R_DCC_Vaccination.cbor.cbor", &[], 0),
    ("eu-dcc/LV__2DCode__raw__3.cbor.cbor", &["unsorted-key"], 8),
    ("eu-dcc/NL__2DCode__raw__135-NL-vaccination.cbor.cbor", &["unsorted-key"], 10),
    ("eu-dcc/RO__2DCode__raw__1.cbor.cbor", &["indefinite-length", "unsorted-key"], 13),
    ("eu-dcc/SE__2DCode__raw__1.cbor.cbor", &["indefinite-length", "unsorted-key"], 13),
    ("eu-dcc/SM__2DCode__raw__6.cbor.cbor", &[], 0),
    ("eu-dcc/VA__2DCode__raw__3.cbor.cbor", &["unsorted-key"], 9),
    ("eu-dcc/common__2DCode__raw__CBO2.cose.cbor", &["trailing-bytes"], 1),
    ("ipld-codec-fixtures/array-mixed.dag-cbor", &[], 0),
    ("ipld-codec-fixtures/cid-arrayof.dag-cbor", &[], 0),
    ("ipld-codec-fixtures/cid-bafyreidj5idub6mapiupjwjsyyxhyhedxycv4vihfsicm2vt46o7morwlm.dag-cbor", &[], 0),
    ("ipld-codec-fixtures/float--1.1.dag-cbor", &[], 0),
    ("ipld-codec-fixtures/float-0.5.dag-cbor", &[], 0),
    ("ipld-codec-fixtures/garbage-08.dag-cbor", &[], 0),
    ("ipld-codec-fixtures/map-nested.dag-cbor", &[], 0),
    ("rats-corim/comid__testcases__comid-7.cbor", &[], 0),
    ("rats-corim/corim__testcases__corim-roles.cbor", &["unsorted-key"], 1),
    ("rats-corim/coserv__testvectors__rv-class-stateful.cbor", &["unsorted-key"], 1),
    ("rats-corim/coserv__testvectors__sample_key.cbor", &[], 0),
    ("scitt-ccf/cts-hashv-cwtclaims-b64url.cose", &[], 0),
    ("scitt-ccf/manifest.spdx.json.sha384.digest.cose", &[], 0),
];

/// The IPLD profiles' verdicts on the files of IPLD and `ATProto`: DAG-CBOR, then DRISL.
const IPLD: [(&str, bool, bool); 9] = [
    ("atproto-indigo/feedpost_record.cbor", true, true),
    ("atproto-indigo/post_richtext_link.cbor", true, true),
    ("ipld-codec-fixtures/array-mixed.dag-cbor", true, true),
    // Links of other hashes and codecs than DASL's.
    ("ipld-codec-fixtures/cid-arrayof.dag-cbor", true, false),
    (
        "ipld-codec-fixtures/cid-bafyreidj5idub6mapiupjwjsyyxhyhedxycv4vihfsicm2vt46o7morwlm.dag-cbor",
        true,
        true,
    ),
    ("ipld-codec-fixtures/float--1.1.dag-cbor", true, true),
    // The source of a fixture: one half in two bytes.
    ("ipld-codec-fixtures/float-0.5.dag-cbor", false, false),
    ("ipld-codec-fixtures/garbage-08.dag-cbor", true, true),
    ("ipld-codec-fixtures/map-nested.dag-cbor", true, true),
];

/// One folder of the collection, as its README counts it.
struct Folder {
    name: &'static str,
    ending: &'static str,
    files: usize,
    malformed: &'static [&'static str],
    canonical: usize,
    /// unsorted-key, indefinite-length, long-head, long-bignum: files that break the rule, each once.
    broken: [usize; 4],
}

const RULES: [&str; 4] = ["unsorted-key", "indefinite-length", "long-head", "long-bignum"];

#[rustfmt::skip]
const FOLDERS: [Folder; 8] = [
    Folder { name: "atproto-indigo", ending: ".cbor", files: 2, malformed: &[], canonical: 2, broken: [0, 0, 0, 0] },
    Folder { name: "cardano-pallas", ending: ".cbor", files: 91, malformed: &[], canonical: 30, broken: [35, 47, 1, 1] },
    Folder { name: "cose-wg-examples", ending: ".cbor", files: 306, malformed: &[], canonical: 179, broken: [127, 0, 0, 0] },
    Folder { name: "eu-dcc", ending: ".cbor", files: 560, malformed: &["common__2DCode__raw__CBO2.cose.cbor"], canonical: 327, broken: [232, 51, 0, 0] },
    Folder { name: "ipld-codec-fixtures", ending: ".dag-cbor", files: 108, malformed: &[], canonical: 108, broken: [0, 0, 0, 0] },
    Folder { name: "rats-corim", ending: ".cbor", files: 63, malformed: &[], canonical: 40, broken: [23, 0, 0, 0] },
    Folder { name: "scitt-ccf", ending: ".cose", files: 8, malformed: &[], canonical: 8, broken: [0, 0, 0, 0] },
    Folder { name: "webauthn-rs", ending: ".cbor", files: 20, malformed: &[], canonical: 20, broken: [0, 0, 0, 0] },
];

/// The collection, or `None` and a line that says that the test looked at nothing.
fn collection(test: &str) -> Option<PathBuf> {
    let dir = path("../shared/realworld");
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!(
        "SKIPPED {test}: ../shared/realworld is not there; vectors/realworld is checked by its own tests"
    );
    None
}

fn files(dir: &Path, ending: &str) -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(ending))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), std::fs::read(dir.join(name)).unwrap())).collect()
}

fn rules(violations: &[Error]) -> BTreeSet<&str> {
    violations.iter().filter_map(|e| e.rule().map(Rule::name)).collect()
}

/// A well-formed real file becomes canonical, stays so, and means the same.
fn rewrites_well(name: &str, input: &[u8], out: &mut Mismatches) {
    let canonical = Profile::CORE.canonicalize(input);
    let Ok(canonical) = canonical else {
        return out.expect(false, || format!("{name}: canonicalize: {}", said(&canonical)));
    };
    let check = Profile::CORE.check(&canonical);
    out.expect(check.is_ok(), || format!("{name}: canonicalized, {}", said(&check)));
    out.expect((canonical == input) == Profile::CORE.check(input).is_ok(), || {
        format!("{name}: canonical or not, but rewritten or not")
    });
    let through = Profile::VALID.decode::<Value>(input).and_then(|v| Profile::CORE.encode(&v));
    out.expect(through.as_ref().is_ok_and(|bytes| *bytes == canonical), || {
        format!("{name}: through a value: {}", said(&through))
    });
}

#[test]
fn the_files_of_the_repository() {
    let mut out = Mismatches::of("vectors/realworld");
    let mut seen = BTreeSet::new();
    for (name, broken, count) in PINNED {
        let input = std::fs::read(path("vectors/realworld").join(name)).unwrap();
        seen.insert(name.to_owned());
        let violations: Vec<Error> = Profile::CORE.violations(&input).collect();
        out.equal(name, &rules(&violations), &broken.iter().copied().collect());
        out.equal(format!("{name} violations"), &violations.len(), &count);
        out.equal(
            format!("{name} check"),
            &Profile::CORE.check(&input).is_ok(),
            &broken.is_empty(),
        );
        let offsets: Vec<_> = violations.iter().map(Error::offset).collect();
        out.expect(offsets.is_sorted(), || format!("{name}: offsets out of order {offsets:?}"));
        if broken != ["trailing-bytes"] {
            rewrites_well(name, &input, &mut out);
        }
    }
    let mut there = BTreeSet::new();
    for folder in std::fs::read_dir(path("vectors/realworld")).unwrap() {
        let folder = folder.unwrap();
        for (name, _) in files(&folder.path(), "").into_iter().filter(|(name, _)| name != "NOTE.md")
        {
            there.insert(format!("{}/{name}", folder.file_name().to_str().unwrap()));
        }
    }
    out.equal("files without a row", &there, &seen);
    out.finish();
}

#[test]
fn the_files_of_ipld_and_atproto() {
    let mut out = Mismatches::of("IPLD files in vectors/realworld");
    for (name, dag_cbor, drisl) in IPLD {
        let input = std::fs::read(path("vectors/realworld").join(name)).unwrap();
        for (profile, accept) in [(Profile::DAG_CBOR, dag_cbor), (Profile::DRISL, drisl)] {
            crate::support::judge(profile, &input, accept, name, &mut out);
            if accept {
                let again = profile.decode::<Value>(&input).and_then(|v| profile.encode(&v));
                out.expect(again.is_ok_and(|b| b == input), || {
                    format!("{profile} {name}: not the same again")
                });
            }
        }
    }
    out.finish();
}

#[test]
fn the_counts_of_the_collection() {
    let Some(dir) = collection("the_counts_of_the_collection") else { return };
    let mut out = Mismatches::of("counts of ../shared/realworld");
    for folder in FOLDERS {
        let name = folder.name;
        let files = files(&dir.join(name), folder.ending);
        out.equal(format!("{name} files"), &files.len(), &folder.files);
        let (mut canonical, mut broken, mut malformed) = (0, [0; 4], Vec::new());
        for (file, input) in &files {
            let violations: Vec<Error> = Profile::CORE.violations(input).collect();
            canonical += usize::from(Profile::CORE.check(input).is_ok());
            if violations.iter().any(|e| matches!(e.category(), Category::Eof | Category::Syntax)) {
                malformed.push(file.as_str());
                continue;
            }
            let rules = rules(&violations);
            for (count, rule) in broken.iter_mut().zip(RULES) {
                *count += usize::from(rules.contains(rule));
            }
            let other: Vec<_> = rules.iter().filter(|rule| !RULES.contains(rule)).collect();
            out.expect(other.is_empty(), || format!("{name}/{file} breaks {other:?} too"));
            rewrites_well(&format!("{name}/{file}"), input, &mut out);
        }
        out.equal(format!("{name} canonical"), &canonical, &folder.canonical);
        out.equal(format!("{name} broken"), &broken, &folder.broken);
        out.equal(format!("{name} malformed"), &malformed.as_slice(), &folder.malformed);
    }
    out.finish();
}

#[test]
fn the_blocks_of_atproto_repositories() {
    let Some(dir) = collection("the_blocks_of_atproto_repositories") else { return };
    let mut out = Mismatches::of("ATProto blocks");
    for (file, blocks) in
        [("fakermaker.repo.car.blocks.cborseq", 691), ("paul_staging.repo.car.blocks.cborseq", 459)]
    {
        let sequence = std::fs::read(dir.join("atproto-indigo").join(file)).unwrap();
        for profile in [Profile::DAG_CBOR, Profile::DRISL] {
            let mut items =
                Deserializer::from_slice(&sequence).profile(profile).into_iter::<Value>();
            let (mut start, mut count) = (0, 0);
            while let Some(item) = items.next() {
                let end = usize::try_from(items.byte_offset()).unwrap();
                let Ok(value) = item else {
                    out.expect(false, || format!("{profile} {file} at {start}: {}", said(&item)));
                    break;
                };
                let block = &sequence[start..end];
                let check = profile.check(block);
                out.expect(check.is_ok(), || {
                    format!("{profile} {file} at {start}: {}", said(&check))
                });
                let again = profile.encode(&value);
                out.expect(again.as_ref().is_ok_and(|b| b == block), || {
                    format!(
                        "{profile} {file} at {start}: {} becomes {}",
                        to_hex(block),
                        said(&again)
                    )
                });
                (start, count) = (end, count + 1);
            }
            out.equal(format!("{profile} {file} blocks"), &count, &blocks);
        }
    }
    out.finish();
}

/// The collection holds the sources the IPLD fixtures are made from: four have short floats, which strict DAG-CBOR
/// refuses; DRISL refuses links that are not DASL CIDs besides.
#[test]
fn the_fixtures_of_ipld() {
    let Some(dir) = collection("the_fixtures_of_ipld") else { return };
    let mut out = Mismatches::of("IPLD fixtures");
    let short: BTreeSet<&str> = [
        "float--0.5.dag-cbor",
        "float--8.940696716308594e-8.dag-cbor",
        "float-0.5.dag-cbor",
        "float-8.940696716308594e-8.dag-cbor",
    ]
    .into();
    let mut drisl = 0;
    for (file, input) in files(&dir.join("ipld-codec-fixtures"), ".dag-cbor") {
        let strict = !short.contains(&*file);
        crate::support::judge(Profile::DAG_CBOR, &input, strict, &file, &mut out);
        crate::support::judge(Profile::DAG_CBOR.relaxed(), &input, true, &file, &mut out);
        drisl += usize::from(Profile::DRISL.check(&input).is_ok());
        if strict {
            let again = Profile::DAG_CBOR
                .decode::<Value>(&input)
                .and_then(|v| Profile::DAG_CBOR.encode(&v));
            out.expect(again.is_ok_and(|b| b == input), || format!("{file}: not the same again"));
        }
    }
    out.equal("accepted by DRISL", &drisl, &74);
    out.finish();
}
