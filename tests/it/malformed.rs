//! Input that is no CBOR item: refused by every profile and every way in, with the offset of the item at fault.

use calibor::{Category, Profile, Value};
use serde::de::IgnoredAny;

use crate::support::{Mismatches, brief, bytes, judge, on_a_big_stack, profile, rows, said, text};

/// Deeper than any row, so that the grammar and not the depth limit refuses.
const DEEP: u32 = 1024;

#[test]
fn no_profile_lets_a_malformed_row_through() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("malformed.json");
        let table = rows("malformed");
        assert_eq!(table.len(), 887);
        for row in &table {
            let input = bytes(row, "hex");
            for profile in Profile::ALL {
                for (door, refused) in [
                    ("check", profile.check(&input).is_err()),
                    ("violations", profile.violations(&input).next().is_some()),
                    ("canonicalize", profile.canonicalize(&input).is_err()),
                    ("decode::<Value>", profile.decode::<Value>(&input).is_err()),
                    ("decode::<IgnoredAny>", profile.decode::<IgnoredAny>(&input).is_err()),
                ] {
                    out.expect(refused, || {
                        format!(
                            "{profile} {door} {}: accepted ({})",
                            brief(&input),
                            text(row, "reason")
                        )
                    });
                }
            }
        }
        out.finish();
    });
}

#[test]
fn the_offset_is_that_of_the_item_at_fault() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("malformed.json offsets");
        for row in &rows("malformed") {
            let input = bytes(row, "hex");
            let offset = row["offset"].as_u64().unwrap();
            for profile in Profile::ALL.map(|p| p.max_depth(DEEP)) {
                for (door, refusal) in [
                    ("check", profile.check(&input)),
                    ("violations", profile.violations(&input).last().map_or(Ok(()), Err)),
                    ("canonicalize", profile.canonicalize(&input).map(drop)),
                    ("decode::<Value>", profile.decode::<Value>(&input).map(drop)),
                    ("decode::<IgnoredAny>", profile.decode::<IgnoredAny>(&input).map(drop)),
                ] {
                    let right = refusal.as_ref().is_err_and(|e| {
                        e.offset() == Some(offset)
                            && matches!(e.category(), Category::Eof | Category::Syntax)
                    });
                    out.expect(right, || {
                        let (input, reason) = (brief(&input), text(row, "reason"));
                        format!(
                            "{profile} {door} {input}: want {offset} ({reason}), got {}",
                            said(&refusal)
                        )
                    });
                }
            }
        }
        out.finish();
    });
}

/// Rows of the set that are items, only not valid ones: the weakest profile that refuses each.
const ILL_VALUED: [(&str, &str); 3] =
    [("62c0ae", "valid"), ("c1a1616100", "valid+tags"), ("c0a1616100", "valid+tags")];

#[test]
fn the_working_groups_bad_items_are_refused() {
    let mut out = Mismatches::of("wg_rfc8949_bad.json");
    for row in &rows("wg_rfc8949_bad") {
        let input = bytes(row, "hex");
        let note = text(row, "description");
        match ILL_VALUED.iter().find(|(hex, _)| *hex == text(row, "hex")) {
            None => Profile::ALL.iter().for_each(|p| judge(*p, &input, false, note, &mut out)),
            Some((_, refuses)) => {
                judge(Profile::WELL_FORMED, &input, true, note, &mut out);
                judge(profile(refuses), &input, false, note, &mut out);
            }
        }
    }
    out.finish();
}
