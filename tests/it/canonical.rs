//! One byte string for each value: what a deterministic profile accepts is what it writes, from bytes and from a value.

use calibor::{Error, Profile, Value};

use crate::support::{
    DETERMINISTIC, Mismatches, NAMES, brief, bytes, nfc_is_missing, on_a_big_stack, profile, rows,
    said, text, to_hex,
};

/// Every byte string of the tables, each once.
fn items() -> Vec<Vec<u8>> {
    let mut items: Vec<Vec<u8>> = ["wellformed_seeds", "profiles/matrix", "wg_rfc8949_good"]
        .into_iter()
        .chain(["appendix_a", "cde_examples", "cbor_core_rundgren", "ctap2_canonical"])
        .chain(["dcbor_valid_hildjj", "dcbor_invalid_hildjj", "dagcbor_fixtures"])
        .chain(["atproto_data_model", "profiles/contested"])
        .flat_map(rows)
        .chain(
            NAMES
                .into_iter()
                .filter(|n| *n != "valid")
                .flat_map(|n| rows(&format!("profiles/{n}"))),
        )
        .map(|row| bytes(&row, "hex"))
        .collect();
    items.sort();
    items.dedup();
    items
}

fn again(profile: Profile, item: &[u8]) -> Result<Vec<u8>, Error> {
    profile.decode::<Value>(item).and_then(|value| profile.encode(&value))
}

#[test]
fn what_is_accepted_is_what_is_written() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("accepted items, written again");
        let items = items();
        for profile in DETERMINISTIC {
            let mut accepted = 0;
            for item in items.iter().filter(|item| profile.check(item).is_ok()) {
                accepted += 1;
                let rewritten = profile.canonicalize(item);
                let encoded = again(profile, item);
                // RFC 7049 reads any float width and any bignum, and writes the shortest.
                let want = match &rewritten {
                    Ok(rewritten) if profile == Profile::RFC7049 => rewritten,
                    _ => item,
                };
                out.expect(rewritten.as_ref().is_ok_and(|got| got == want), || {
                    format!("{profile} canonicalize {}: {}", brief(item), show(&rewritten))
                });
                // CTAP2 writes the width of the Rust type, and a `Value` has one type for all floats.
                let same = |got: &Vec<u8>| {
                    got == want || profile == Profile::CTAP2 && same_value(got, want)
                };
                out.expect(encoded.as_ref().is_ok_and(same), || {
                    format!("{profile} decode and encode {}: {}", brief(item), show(&encoded))
                });
            }
            out.expect(accepted > 50, || {
                format!("{profile} accepts {accepted} items of the tables")
            });
        }
        out.finish();
    });
}

fn same_value(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes: &[u8]| Profile::VALID.decode::<Value>(bytes);
    matches!((value(a), value(b)), (Ok(a), Ok(b)) if a == b)
}

fn show(result: &Result<Vec<u8>, Error>) -> String {
    result.as_ref().map_or_else(|_| said(result), |bytes| brief(bytes))
}

#[test]
fn what_is_written_is_accepted_and_stays() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("canonicalize of every valid item");
        for item in items().iter().filter(|item| Profile::VALID.check(item).is_ok()) {
            for profile in Profile::ALL {
                let Ok(once) = profile.canonicalize(item) else { continue };
                let check = profile.check(&once);
                out.expect(check.is_ok(), || {
                    format!("{profile} {} becomes {}: {}", brief(item), brief(&once), said(&check))
                });
                let twice = profile.canonicalize(&once);
                out.expect(twice.as_ref().is_ok_and(|twice| *twice == once), || {
                    format!(
                        "{profile} {} once {} twice {}",
                        brief(item),
                        brief(&once),
                        show(&twice)
                    )
                });
            }
        }
        out.finish();
    });
}

/// A canonical form is refused only where the profile has none for the data: never by the profiles that have all of it.
#[test]
fn every_valid_item_has_a_core_form() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("canonicalize of every valid item in full profiles");
        for item in items().iter().filter(|item| Profile::VALID.check(item).is_ok()) {
            // Tag 2 and 3 around anything but a byte string have no preferred form (RFC 8949 section 3.4.3).
            if Profile::PREFERRED
                .violations(item)
                .any(|e| e.rule().is_some_and(|r| r.name() == "invalid-tag-content"))
            {
                continue;
            }
            for profile in [Profile::CORE, Profile::DTRM, Profile::LENGTH_FIRST, Profile::CBOR_CORE]
            {
                let got = profile.canonicalize(item);
                // Two NaN of different payload are one NaN in DTRM, and then one key twice.
                let merged = profile == Profile::DTRM
                    && got
                        .as_ref()
                        .err()
                        .and_then(Error::rule)
                        .is_some_and(|r| r.name() == "duplicate-key");
                out.expect(got.is_ok() || merged, || {
                    format!("{profile} {}: {}", brief(item), said(&got))
                });
            }
        }
        out.finish();
    });
}

#[test]
fn bytes_to_bytes_and_through_a_value_agree() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("canonicalize against decode and encode");
        for item in items().iter().filter(|item| Profile::VALID.check(item).is_ok()) {
            let value: Value = match Profile::VALID.decode(item) {
                Ok(value) => value,
                Err(e) => {
                    out.expect(false, || format!("VALID decode {}: {e}", brief(item)));
                    continue;
                }
            };
            for profile in DETERMINISTIC {
                let (direct, through) = (profile.canonicalize(item), profile.encode(&value));
                let same = match (&direct, &through) {
                    (Ok(a), Ok(b)) => a == b || profile == Profile::CTAP2 && same_value(a, b),
                    (Err(_), Err(_)) => true,
                    _ => false,
                };
                out.expect(same, || {
                    let (direct, through) = (show(&direct), show(&through));
                    format!("{profile} {}: canonicalize {direct}, encode {through}", brief(item))
                });
            }
        }
        out.finish();
    });
}

#[test]
fn what_an_encoder_makes_of_a_value() {
    let mut out = Mismatches::of("profiles/encode.json");
    for row in &rows("profiles/encode") {
        let profile = match text(row, "profile") {
            // Length-first keys, shortest arguments, definite lengths; its schemas have no floats.
            "cardano-cip21" => Profile::LENGTH_FIRST.without_floats(),
            name => profile(name),
        };
        let input = bytes(row, "input_hex");
        let want = row["hex"].as_str();
        let label = format!("{profile} {} ({})", text(row, "input"), text(row, "why"));
        let direct = profile.canonicalize(&input);
        if nfc_is_missing(profile, &direct) {
            continue;
        }
        let hold =
            |got: &Result<Vec<u8>, Error>| got.as_ref().ok().map(|b| to_hex(b)).as_deref() == want;
        out.expect(hold(&direct), || {
            format!("{label}: canonicalize gives {}, want {want:?}", show(&direct))
        });
        // A value is read by VALID where VALID reads it: {1: 2, 1_3: 4} has no value.
        if let Ok(value) = Profile::VALID.decode::<Value>(&input) {
            let encoded = profile.encode(&value);
            let same = hold(&encoded)
                || profile == Profile::CTAP2
                    && matches!((&encoded, &direct), (Ok(a), Ok(b)) if same_value(a, b));
            out.expect(same, || format!("{label}: encode gives {}, want {want:?}", show(&encoded)));
        }
    }
    out.finish();
}

/// A writer may expect another float of the width it has met so far, and must see what is none.
#[test]
fn a_run_of_floats_of_one_width_says_nothing_of_the_next() {
    // bits, RFC 8949 §4.1, CDE: payloads are kept, DTRM: one NaN
    let rows: [(u64, &[u8], &[u8]); 12] = [
        (1.5_f64.to_bits(), b"\xf9\x3e\0", b"\xf9\x3e\0"),
        ((-0.0_f64).to_bits(), b"\xf9\x80\0", b"\xf9\x80\0"),
        (2.0_f64.powi(-24).to_bits(), b"\xf9\0\x01", b"\xf9\0\x01"),
        (65504.0_f64.to_bits(), b"\xf9\x7b\xff", b"\xf9\x7b\xff"),
        (65536.0_f64.to_bits(), b"\xfa\x47\x80\0\0", b"\xfa\x47\x80\0\0"),
        (2.0_f64.powi(-149).to_bits(), b"\xfa\0\0\0\x01", b"\xfa\0\0\0\x01"),
        (f64::INFINITY.to_bits(), b"\xf9\x7c\0", b"\xf9\x7c\0"),
        (1, b"\xfb\0\0\0\0\0\0\0\x01", b"\xfb\0\0\0\0\0\0\0\x01"),
        (0x7ff8_0000_0000_0000, b"\xf9\x7e\0", b"\xf9\x7e\0"),
        (0x7ff8_0000_2000_0000, b"\xfa\x7f\xc0\0\x01", b"\xf9\x7e\0"),
        (0x7ff8_0000_0000_0001, b"\xfb\x7f\xf8\0\0\0\0\0\x01", b"\xf9\x7e\0"),
        (0xfff0_0000_0000_0001, b"\xfb\xff\xf0\0\0\0\0\0\x01", b"\xf9\x7e\0"),
    ];
    for usual in [1.5, 100_000.5, 0.1] {
        for (bits, core, dtrm) in rows {
            let floats: Vec<f64> = [[usual; 9].as_slice(), &[f64::from_bits(bits)]].concat();
            for (profile, want) in [(Profile::CORE, core), (Profile::DTRM, dtrm)] {
                let run = profile.encode(&floats[..9]).unwrap();
                let want = [b"\x8a", &run[1..], want].concat();
                assert_eq!(to_hex(&profile.encode(&floats).unwrap()), to_hex(&want), "{profile}");
                let value: Value = floats.iter().copied().collect();
                assert_eq!(to_hex(&profile.encode(&value).unwrap()), to_hex(&want), "{profile}");
            }
        }
    }
}
