//! Every way in says the same, on input that no table has: each item of the tables cut short, and with one bit changed.

use calibor::{Category, Error, Profile, Value};
use serde::de::IgnoredAny;

use crate::support::{Mismatches, brief, bytes, has_no_text, on_a_big_stack, rows, said};

fn items() -> Vec<Vec<u8>> {
    let mut items: Vec<_> = rows("wellformed_seeds").iter().map(|row| bytes(row, "hex")).collect();
    items.retain(|item| item.len() <= 40);
    items
}

#[test]
fn a_part_of_an_item_is_never_an_item() {
    let mut out = Mismatches::of("prefixes");
    for item in items() {
        for end in 0..item.len() {
            let part = &item[..end];
            for (door, got) in [
                ("check", Profile::WELL_FORMED.check(part)),
                ("decode::<IgnoredAny>", Profile::WELL_FORMED.decode::<IgnoredAny>(part).map(drop)),
                ("decode::<Value>", Profile::WELL_FORMED.decode::<Value>(part).map(drop)),
            ] {
                out.expect(got.as_ref().is_err_and(|e| e.category() == Category::Eof), || {
                    format!("{door} {}: {}", brief(part), said(&got))
                });
            }
            out.expect(Profile::CORE.canonicalize(part).is_err(), || {
                format!("canonicalize takes {}", brief(part))
            });
        }
    }
    out.finish();
}

/// A slice is looked at again once it is refused, and the fault told is the first of all; a reader tells the one it met.
fn same_kind(slice: &Result<(), Error>, reader: &Result<(), Error>) -> bool {
    match (slice, reader) {
        (Ok(()), Ok(())) => true,
        (Err(a), Err(b)) => {
            let grammar = matches!(a.category(), Category::Eof | Category::Syntax);
            b.offset().is_some() && (grammar || a.category() == b.category())
        }
        _ => false,
    }
}

#[test]
fn one_changed_bit() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("changed bits");
        for (n, item) in items().into_iter().enumerate() {
            for bit in 0..item.len() * 8 {
                let mut changed = item.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                // One profile for each change: all twelve see about ten thousand of them.
                let profile = Profile::ALL[(n + bit) % Profile::ALL.len()];
                let check = profile.check(&changed);
                let first = profile.violations(&changed).next();
                let value = profile.decode::<Value>(&changed).map(drop);
                let ignored = profile.decode::<IgnoredAny>(&changed).map(drop);
                let read = profile.decode_from::<_, Value>(&changed[..]).map(drop);
                for (door, got) in [
                    ("violations", first.is_none()),
                    ("decode::<Value>", value.is_ok()),
                    ("decode::<IgnoredAny>", ignored.is_ok()),
                    ("decode_from", read.is_ok()),
                ] {
                    let no_text = door.starts_with("decode") && has_no_text(profile, door, &read);
                    out.expect(got == check.is_ok() || no_text, || {
                        format!(
                            "{profile} {}: check {}, {door} {got}",
                            brief(&changed),
                            said(&check)
                        )
                    });
                }
                out.expect(same_kind(&value, &read), || {
                    let (value, read) = (said(&value), said(&read));
                    format!("{profile} {}: slice {value}, reader {read}", brief(&changed))
                });
                if let Ok(canonical) = profile.canonicalize(&changed) {
                    let check = profile.check(&canonical);
                    out.expect(check.is_ok(), || {
                        format!(
                            "{profile} {} becomes {}: {}",
                            brief(&changed),
                            brief(&canonical),
                            said(&check)
                        )
                    });
                }
            }
        }
        out.finish();
    });
}
