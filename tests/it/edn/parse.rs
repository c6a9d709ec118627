//! Reading, against the vectors of the drafts and of other tools.

use super::{all_right, real_files};
use crate::support::{hex, rows, text, to_hex};
use calibor::Profile;
use calibor::edn::{self, Dialect, Parser};

fn read(dialect: Dialect, text: &str) -> Result<String, String> {
    let parser = Parser::new().dialect(dialect);
    parser.parse_seq(text).map(|bytes| to_hex(&bytes)).map_err(|e| e.to_string())
}

/// Rows of `edn.json` that this crate reads on purpose where the draft has an error.
const READ_ANYWAY: [(&str, &str); 3] = [
    (
        "float'7e01'",
        "the one way to write a NaN payload; `to_string` writes it, so both dialects read it",
    ),
    ("float'7ff0000000000001'", "the same"),
    ("float'4711/cologne/0815//ww1'", "the same"),
];

#[test]
fn rows_of_both_drafts() {
    let mut wrong = Vec::new();
    for row in rows("edn/edn") {
        let source = text(&row, "edn");
        for (dialect, flag) in [(Dialect::Draft25, "draft25"), (Dialect::Draft26, "draft26")] {
            let wanted = match row.get(format!("{flag}_result")) {
                Some(result) => result.as_str(),
                None if row[flag] == true => row["hex"].as_str(),
                None => None,
            };
            let found = read(dialect, source);
            let anyway =
                dialect == Dialect::Draft25 && READ_ANYWAY.iter().any(|(text, _)| *text == source);
            let wanted = if anyway { row["hex"].as_str() } else { wanted };
            if found.as_deref().ok() != wanted {
                wrong.push(format!("{flag} {source:?}: {found:?}, wanted {wanted:?}"));
            }
        }
    }
    all_right(&wrong);
}

#[test]
fn contested_rows_as_recommended() {
    let rows_26 = ["``a```", "` a `"];
    let recommended = [
        ("IP'192.0.2.1/24'", None, None),
        ("1e400", None, None),
        ("1e-400", Some("f90000"), Some("f90000")),
        ("1.1_2", None, None),
        ("h'01' + \"b\"", None, None),
        (
            "\"Hello \" \"world\"",
            Some("6648656c6c6f2065776f726c64"),
            Some("6648656c6c6f2065776f726c64"),
        ),
        ("``a```", Some("626160"), None),
        ("` a `", Some("63206120"), Some("6161")),
        ("//1", None, None),
        ("(_ h'0123', h'4567')", Some("5f420123424567ff"), Some("5f420123424567ff")),
        // `edn.json` has the same text as an error.
        ("1 # end", None, None),
        ("18446744073709551616(0)", None, None),
    ];
    let rows = rows("edn/edn-contested");
    assert_eq!(rows.len(), recommended.len());
    for (row, (source, in_25, in_26)) in rows.iter().zip(recommended) {
        assert_eq!(text(row, "edn"), source);
        assert_eq!(read(Dialect::Draft25, source).ok().as_deref(), in_25, "{source}");
        assert_eq!(read(Dialect::Draft26, source).ok().as_deref(), in_26, "{source}");
        assert!(in_25 == in_26 || rows_26.contains(&source));
    }
}

/// Rows of other tools' tests that contradict draft 25, and why.
const CONTRADICTIONS: [(&str, &str); 9] = [
    ("``` ``d``d`` ```", "draft 26: a space inside each delimiter is stripped"),
    ("``` x`` ```", "draft 26: the same"),
    ("``` a = ``foo`` ```", "draft 26: the same"),
    ("`` \n`a` ``", "draft 26: the same"),
    ("same<<b64'AA'>>", "draft 26: same<<…>>"),
    ("same<<b64'AA', b64'AA'>>", "draft 26: the same"),
    ("same<<b64'AA',h'00'>>", "draft 26: the same"),
    (
        "ip'192.168.1.2/13'",
        "masks host bits, and to the wrong length: 192.168/13 is c0a8, not c0a0",
    ),
    ("h32'CPNMU==='", "RFC 8949 had h32'', draft 25 has not: Parser::base32"),
];

#[test]
fn rows_of_other_tools() {
    let mut wrong = Vec::new();
    for row in rows("edn_vectors") {
        let decoded = |field| {
            let text = text(&row, field);
            text.strip_prefix("h]")
                .map_or(text.to_owned(), |digits| String::from_utf8(hex(digits)).unwrap())
        };
        let (input, output) = (decoded("input"), decoded("output"));
        let found = edn::parse(&input).map(|bytes| to_hex(&bytes)).map_err(|e| e.to_string());
        let right = match text(&row, "op") {
            "x" => found.as_deref() == Ok(&output),
            "=" => {
                found.is_ok()
                    && edn::parse(&output).map(|bytes| to_hex(&bytes)).ok() == found.clone().ok()
            }
            "-" => {
                found.is_err() || edn::parse(&output).is_ok_and(|bytes| Ok(to_hex(&bytes)) != found)
            }
            op => panic!("op {op}"),
        };
        if right == CONTRADICTIONS.iter().any(|(text, _)| *text == input) {
            wrong.push(format!("{input:?} {} {output:?}: {found:?}", text(&row, "op")));
        }
    }
    all_right(&wrong);
}

#[test]
fn every_diag_of_the_profile_vectors() {
    let mut wrong = Vec::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/profiles");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name == "NOTE.md" {
            continue;
        }
        for row in rows(&format!("profiles/{name}")) {
            let (source, bytes) = match row["diag"].as_str() {
                Some(diag) if !diag.is_empty() => (diag, text(&row, "hex")),
                Some(_) => continue,
                None => match row["input_hex"].as_str() {
                    Some(bytes) => (text(&row, "input"), bytes),
                    None => continue,
                },
            };
            count += 1;
            let found = read(Dialect::Draft25, source);
            if found.as_deref() != Ok(bytes) {
                wrong.push(format!("{name} {source:?}: {found:?}, wanted {bytes}"));
            }
        }
    }
    assert!(count > 500, "{count}");
    all_right(&wrong);
}

/// Real files whose own text says something else than their bytes.
const NEIGHBOURS_DIFFER: [(&str, &str); 2] = [
    (
        "x509-examples__signed-01.diag",
        "label 4 is a text string in the bytes and a byte string in the text",
    ),
    ("x509-examples__signed-02.diag", "the same"),
];

#[test]
fn every_text_beside_a_real_file() {
    let mut wrong = Vec::new();
    for path in real_files(&["diag", "edn"]) {
        let source = std::fs::read_to_string(&path).unwrap();
        let found = edn::parse(&source);
        let name = path.file_name().unwrap().to_string_lossy().replace("__src__", "__");
        let binary = path.with_file_name(name).with_extension("cbor");
        let right = match (&found, std::fs::read(&binary)) {
            (Ok(found), Ok(bytes)) => *found == bytes,
            (Ok(_), Err(_)) => true,
            (Err(_), _) => false,
        };
        if right == NEIGHBOURS_DIFFER.iter().any(|(end, _)| path.ends_with(end)) {
            wrong.push(format!("{}: {:?}", path.display(), found.map(|b| to_hex(&b))));
        }
    }
    all_right(&wrong);
}

#[test]
fn texts_and_their_bytes() {
    let mut wrong = Vec::new();
    let rows = [
        // Decimals are rounded once.
        ("9007199254740993.0", "fa5a000000"),
        ("1.00000017881393432617187499", "fb3ff0000030000000"),
        ("0.1e-307", "fb000730d67819e8d2"),
        // Times before 1970, with a fraction that counts against the seconds.
        ("dt'1969-12-31T23:59:58.5Z'", "f9be00"),
        ("dt'1969-12-31T23:59:59.75Z'", "f9b400"),
        ("dt'1969-12-31T23:59:59.000Z'", "f9bc00"),
        ("dt'1970-01-01t00:00:00.0z'", "f90000"),
        ("dt'1969-12-31T23:59:58.500Z'", "f9be00"),
        ("dt'0000-01-01T00:00:00Z'", "3b0000000e79747bff"),
        ("dt'2000-02-29T23:59:60-00:01'", "1a38bc5dbc"),
        ("DT<<\"1970-01-01T00:00:00Z\">>_0", "refused"),
        ("dt'1970-01-01T00:00:00Z'_1", "190000"),
        ("IP'::/0'", "d836820040"),
        ("ip'255.255.255.255/32'", "82182044ffffffff"),
        ("IP'192.0.2.128/25'", "d83482181944c0000280"),
        (
            "hash<<'foo', -16>>",
            "58202c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        ),
        ("hash<<\"foo\", \"SHA-256/64\">>", "482c26b46b68ffc68f"),
        ("hash<<'foo', -15>>", "482c26b46b68ffc68f"),
        (
            "hash<<'foo', -17>>",
            "5820d58042e6aa5a335e03ad576c6a9e43b41591bfd2077f72dec9df7930e492055d",
        ),
        ("dt<<\"1970-01-01T00:00:00Z\">>", "00"),
        ("h'' + 'a'", "4161"),
        ("\"a\" + h'c3' + h'a9'", "6361c3a9"),
        ("\"a\" + \"b\"_1 + 'c'", "790003616263"),
        ("[\"a\" +1]", "82616101"),
        ("[1 -2 +3 .5 ...]", "85012103f93800d90378f6"),
        ("\"a\" + ... + ... + 'b'", "d90378836161d90378f64162"),
        ("h'...'", "d90378f6"),
        ("....", "d90378f6"),
        ("(_ \"a\" + 'b', \"\")", "7f62616260ff"),
        ("<<1, <<'a' 2>>_1>>", "47015900034161 02"),
        ("h``12 # x``", "4112"),
        (r#""\/\"\\""#, "632f225c"),
        ("h''_", "5fff"),
        ("``\n``", "60"),
        ("simple( 32 )", "f820"),
        ("0_i(0)", "c000"),
        ("18446744073709551615_3(0)", "dbffffffffffffffff00"),
        ("[_i/*x*/1]", "8101"),
        ("{\"a\":1 2 :3}", "a26161010203"),
        ("1,", "01"),
        ("float'7ff8000000000001'_3", "fb7ff8000000000001"),
    ];
    for (source, wanted) in rows {
        let wanted = wanted.replace(' ', "");
        let found = edn::parse(source).map(|bytes| to_hex(&bytes)).map_err(|e| e.to_string());
        let right = match &found {
            Ok(found) => *found == wanted,
            Err(_) => wanted == "refused",
        };
        if !right {
            wrong.push(format!("{source}: {found:?}, wanted {wanted}"));
        }
    }
    all_right(&wrong);
}

#[test]
fn refusals_say_where_and_why() {
    let mut wrong = Vec::new();
    let rows = [
        ("", "text ends where an item is expected, at line 1, column 1"),
        ("[1, 2", "text ends where ] is expected, at line 1, column 6"),
        ("{1 2}", "'2' where a colon after a map key is expected, at line 1, column 4"),
        (
            "[1\"a\"]",
            "'\"' where a comma or a blank between items is expected, at line 1, column 3",
        ),
        (
            "[\n \"é\", 1_0 300_0]",
            "encoding indicator does not fit the value, at line 2, column 11",
        ),
        ("1(2", "text ends where the ) of a tag is expected, at line 1, column 4"),
        ("/ no end", "comment has no / at its end, at line 1, column 1"),
        ("h'1'", "hexadecimal string has an odd number of digits, at line 1, column 1"),
        ("foo'bar'", "application prefix foo is not known, at line 1, column 1"),
        ("Foo'bar'", "application prefix Foo mixes upper and lower case, at line 1, column 1"),
        ("H'00'", "application prefix H is not known, at line 1, column 1"),
        ("e'x'", "e'' names a definition, and there are none here, at line 1, column 1"),
        ("nul", "nul is no item, at line 1, column 1"),
        ("'a' + 1", "'1' where a string after + is expected, at line 1, column 7"),
        ("dt'2023-02-29T00:00:00Z'", "no date and time of RFC 3339, at line 1, column 1"),
        ("\"a\u{1}\"", "control character in a string has to be escaped, at line 1, column 3"),
        ("1 2", "'2' where the end of the text after one item is expected, at line 1, column 3"),
        (
            "(_ 'a', \"b\")",
            "chunks are strings of definite length, all text or all bytes, at line 1, column 9",
        ),
        ("''_ + 'a'", "only strings of definite length can be joined, at line 1, column 1"),
        (
            "dt'1970-01-01T00:00:00Z' + 'a'",
            "only strings of definite length can be joined, at line 1, column 1",
        ),
        ("0b", "number has no digits of its base, at line 1, column 1"),
        ("0o8", "number has no digits of its base, at line 1, column 1"),
        ("-0b12", "number has no digits of its base, at line 1, column 1"),
        (r"'\/'", "no such escape, at line 1, column 2"),
        ("h<<\"12\\t\">>", "'\\t' in a hexadecimal string, at line 1, column 1"),
        ("dt<<1>>", "dt<<…>> takes one string, at line 1, column 1"),
        ("dt<<\"a\", \"b\">>", "dt<<…>> takes one string, at line 1, column 1"),
        ("foo<<1>>", "application prefix foo is not known, at line 1, column 1"),
        ("foo<<>>", "application prefix foo is not known, at line 1, column 1"),
        ("same<<1, 1>>", "same<<>> is of draft 26, at line 1, column 1"),
        (
            "hash<<'foo', -18>>",
            "hash algorithm is none of SHA-256, SHA-256/64, SHA-384, SHA-512, SHA-512/256, at line 1, column 1",
        ),
        ("hash<<1>>", "what is hashed has to be a string, at line 1, column 1"),
        ("256_0(1)", "encoding indicator does not fit the value, at line 1, column 1"),
        (
            "'aaaaaaaaaaaaaaaaaaaaaaaa'_i",
            "encoding indicator does not fit the value, at line 1, column 1",
        ),
        (
            "[_i 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
            "encoding indicator does not fit the value, at line 1, column 1",
        ),
        ("\"a\"_1 + ... + \"b\"", "what has gaps takes no encoding indicator, at line 1, column 1"),
    ];
    let long = format!("\"a\"_0 + \"{}\"", "b".repeat(255));
    let too_small = "encoding indicator is too small for the joined string, at line 1, column 1";
    for (source, wanted) in rows.into_iter().chain([(&long[..], too_small)]) {
        let found = edn::parse(source).map(|b| to_hex(&b)).map_err(|e| e.to_string());
        if found.as_ref().err().map(String::as_str) != Some(wanted) {
            wrong.push(format!("{source}: {found:?}, wanted {wanted}"));
        }
    }
    all_right(&wrong);
    let error = edn::parse("[1, 1.1_1]").unwrap_err();
    assert_eq!(format!("{error:?}"), format!("ParseError({:?})", error.to_string()));
    assert_eq!((error.span(), error.line(), error.column()), (4..9, 1, 5));
    assert_eq!(calibor::Error::from(error).category(), calibor::Category::Data);
}

/// Draft 26 joins and compares by name, and has no `+`.
#[test]
fn what_draft_26_joins_by_name() {
    let mut wrong = Vec::new();
    for (source, wanted) in [
        ("t1<<>>", "60"),
        ("b1<<>>", "40"),
        ("t1<<'a', \"b\">>", "626162"),
        ("b1<<\"a\", h'ff'>>", "4261ff"),
        ("t1<<...>>", "d90378f6"),
        ("t1<<..., 'a'>>", "d9037882d90378f66161"),
        ("b1<<h'01...02', '', 'a'>>", "d90378834101d90378f6420261"),
        ("same<<1>>", "01"),
        ("same<<[1], [1], [1]>>", "8101"),
        ("same<<1, 1_0>>", "items of same<<…>> differ, at line 1, column 1"),
        ("same<<>>", "same<<>> is of draft 26, at line 1, column 1"),
        ("t1<<1>>", "only strings of definite length can be joined, at line 1, column 1"),
        ("t1<<h'ff'>>", "text that was joined is not UTF-8, at line 1, column 1"),
    ] {
        let found = read(Dialect::Draft26, source).unwrap_or_else(|words| words);
        if found != wanted {
            wrong.push(format!("{source}: {found}, wanted {wanted}"));
        }
    }
    all_right(&wrong);
}

#[test]
fn a_profile_rewrites_or_refuses() {
    let read =
        |profile, text| Parser::default().profile(profile).parse_seq(text).map(|b| to_hex(&b));
    assert_eq!(
        read(Profile::CORE, "{_ 2: 1_3, 1: (_ 'a', 'b')} 1.0_3").unwrap(),
        "a2014261620201f93c00"
    );
    assert_eq!(read(Profile::DCBOR, "1.0").unwrap(), "01");
    let error = read(Profile::CORE, "1 {1: 2, 1_0: 3}").unwrap_err();
    assert_eq!(error.span(), 2..16);
    assert!(error.detail().contains("twice"), "{error}");
    assert!(read(Profile::DAG_CBOR, "NaN").is_err());
}
