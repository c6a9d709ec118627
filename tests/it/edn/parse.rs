//! Reading, against the vectors of the drafts and of other tools.

use super::{all_right, hex, real_files, rows, text, to_hex};
use calibor::edn::{self, Dialect, Parser};

fn read(dialect: Dialect, text: &str) -> Result<String, String> {
    let parser = Parser::new().dialect(dialect);
    parser.parse_seq(text).map(|bytes| to_hex(&bytes)).map_err(|e| e.to_string())
}

/// Rows of `edn.json` that this crate reads on purpose where the draft has an error.
const READ_ANYWAY: [(&str, &str); 3] = [
    ("float'7e01'", "the one way to write a NaN payload; `to_string` writes it, so both dialects read it"),
    ("float'7ff0000000000001'", "the same"),
    ("float'4711/cologne/0815//ww1'", "the same"),
];

#[test]
fn rows_of_both_drafts() {
    let mut wrong = Vec::new();
    for row in rows("edn/edn.json") {
        let source = text(&row, "edn");
        for (dialect, flag) in [(Dialect::Draft25, "draft25"), (Dialect::Draft26, "draft26")] {
            let wanted = match row.get(format!("{flag}_result")) {
                Some(result) => result.as_str(),
                None if row[flag] == true => row["hex"].as_str(),
                None => None,
            };
            let found = read(dialect, source);
            let anyway = dialect == Dialect::Draft25 && READ_ANYWAY.iter().any(|(text, _)| *text == source);
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
        ("\"Hello \" \"world\"", Some("6648656c6c6f2065776f726c64"), Some("6648656c6c6f2065776f726c64")),
        ("``a```", Some("626160"), None),
        ("` a `", Some("63206120"), Some("6161")),
        ("//1", None, None),
        ("(_ h'0123', h'4567')", Some("5f420123424567ff"), Some("5f420123424567ff")),
        // `edn.json` has the same text as an error.
        ("1 # end", None, None),
        ("18446744073709551616(0)", None, None),
    ];
    let rows = rows("edn/edn-contested.json");
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
    ("ip'192.168.1.2/13'", "masks host bits, and to the wrong length: 192.168/13 is c0a8, not c0a0"),
    ("h32'CPNMU==='", "RFC 8949 had h32'', draft 25 has not: Parser::base32"),
];

#[test]
fn rows_of_other_tools() {
    let mut wrong = Vec::new();
    for row in rows("edn_vectors.json") {
        let decoded = |field| {
            let text = text(&row, field);
            text.strip_prefix("h]").map_or(text.to_owned(), |digits| String::from_utf8(hex(digits)).unwrap())
        };
        let (input, output) = (decoded("input"), decoded("output"));
        let found = edn::parse(&input).map(|bytes| to_hex(&bytes)).map_err(|e| e.to_string());
        let right = match text(&row, "op") {
            "x" => found.as_deref() == Ok(&output),
            "=" => found.is_ok() && edn::parse(&output).map(|bytes| to_hex(&bytes)).ok() == found.clone().ok(),
            "-" => found.is_err() || edn::parse(&output).is_ok_and(|bytes| Ok(to_hex(&bytes)) != found),
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
        if !name.ends_with(".json") {
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
    ("x509-examples__signed-01.diag", "label 4 is a text string in the bytes and a byte string in the text"),
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
