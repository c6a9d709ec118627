//! Input made to hurt: no crash, no deep stack, memory within a small multiple of the input, and no long time.

use std::time::{Duration, Instant};

use calibor::{Error, Profile, Value};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::support::{Mismatches, hex, rows, said, text};

/// What a worker thread of a server may have; a frame without optimization is about four times as large.
const STACK: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// What a debug build on a slow machine may take for each 100 kB of input, and once for any.
const LONG: Duration = Duration::from_secs(2);

/// A type as deep as its input.
#[derive(Deserialize)]
#[serde(transparent)]
struct Nest {
    #[allow(dead_code, reason = "only its depth matters")]
    inner: Vec<Nest>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Untagged {
    #[allow(dead_code, reason = "only its depth matters")]
    More(Vec<Untagged>),
    #[allow(dead_code, reason = "only its depth matters")]
    End(u8),
}

/// Reads `repeat(81,N)+00` and the few recipes that are told in words.
fn cook(name: &str, recipe: &str, n: usize) -> Vec<u8> {
    match name {
        "nested_9a_chain" => (0..40_000u32 / 5)
            .flat_map(|i| [&[0x9a][..], &(40_000 - (i * 5 + 5)).to_be_bytes()].concat())
            .collect(),
        "map_distinct" => {
            [hex("ba000186a0"), map_of(100_000, |i| format!("68{}00", digits(i, 8)))].concat()
        }
        "map_dup" => [hex("ba000186a0"), map_of(100_000, |_| "616100".into())].concat(),
        "map_array_keys" => [hex("b94e20"), map_of(20_000, |i| format!("8119{i:04x}00"))].concat(),
        "map_map_keys" => {
            [hex("b91388"), map_of(5_000, |i| format!("a119{i:04x}19{:04x}00", 20_000 - i))]
                .concat()
        }
        _ => recipe
            .split('+')
            .flat_map(|part| match part.strip_prefix("repeat(").and_then(|p| p.strip_suffix(')')) {
                Some(inside) => {
                    let (unit, times) = inside.split_once(',').unwrap();
                    hex(unit).repeat(if times == "N" { n } else { times.parse().unwrap() })
                }
                None => hex(part),
            })
            .collect(),
    }
}

fn map_of(entries: u32, entry: impl Fn(u32) -> String) -> Vec<u8> {
    (0..entries).flat_map(|i| hex(&entry(i))).collect()
}

/// `number` in decimal, `wide` digits, as the hex of its ASCII.
fn digits(number: u32, wide: usize) -> String {
    crate::support::to_hex(format!("{number:0wide$}").as_bytes())
}

/// The time that a call may take: linear in the input.
fn long(input: &[u8]) -> Duration {
    LONG * u32::try_from(1 + input.len() / 100_000).unwrap()
}

type Door = (&'static str, u64, fn(Profile, &[u8]) -> Result<(), Error>);

/// The ways in, each with the bytes it may hold at once for one byte of input.
const DOORS: [Door; 7] = [
    ("check", 24, |p, b| p.check(b)),
    ("violations", 24, |p, b| p.violations(b).last().map_or(Ok(()), Err)),
    ("canonicalize", 24, |p, b| p.canonicalize(b).map(drop)),
    ("decode::<IgnoredAny>", 24, |p, b| p.decode::<IgnoredAny>(b).map(drop)),
    ("decode::<Value>", 128, |p, b| p.decode::<Value>(b).map(drop)),
    ("decode::<Vec<..>>", 64, |p, b| p.decode::<Nest>(b).map(drop)),
    ("decode::<Untagged>", 128, |p, b| p.decode::<Untagged>(b).map(drop)),
];

/// What any call may hold whatever the input.
const CONSTANT: u64 = 64 << 10;

fn hold_the_line(what: &'static str, cases: &[(String, Vec<u8>)], profiles: &[Profile]) {
    let mut out = Mismatches::of(what);
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            for (name, input) in cases {
                for profile in profiles {
                    for (door, multiple, open) in DOORS {
                        let began = Instant::now();
                        let mut answer = Ok(());
                        let used = allocation_counter::measure(|| answer = open(*profile, input));
                        let took = began.elapsed();
                        let bound = input.len() as u64 * multiple + CONSTANT;
                        let label = || format!("{name} {profile} {door}, {} bytes", input.len());
                        out.expect(used.bytes_max <= bound, || {
                            let (label, said) = (label(), said(&answer));
                            format!(
                                "{label}: {} bytes at once, bound {bound}: {said}",
                                used.bytes_max
                            )
                        });
                        out.expect(took < long(input), || format!("{}: {took:?}", label()));
                    }
                }
            }
        });
        run.unwrap().join().unwrap();
    });
    out.finish();
}

fn recipes(n: usize) -> Vec<(String, Vec<u8>)> {
    rows("dos_recipes")
        .iter()
        .filter(|row| n == 100_000 || text(row, "recipe").contains(",N)"))
        .map(|row| {
            let name = text(row, "name");
            (format!("{name} N={n}"), cook(name, text(row, "recipe"), n))
        })
        .collect()
}

/// c69, and the other recipes of that length.
#[test]
fn a_hundred_thousand() {
    let profiles = [Profile::CORE, Profile::VALID, Profile::WELL_FORMED, Profile::DCBOR];
    hold_the_line("dos_recipes, N=100000", &recipes(100_000), &profiles);
}

#[test]
fn a_million() {
    let profiles = [Profile::CORE, Profile::VALID, Profile::DAG_CBOR];
    hold_the_line("dos_recipes, N=1000000", &recipes(1_000_000), &profiles);
}

#[test]
fn tag_validity_bounds_numbers_and_times() {
    let tags: Vec<_> = recipes(100_000)
        .into_iter()
        .filter(|(name, _)| {
            ["big", "dec", "rat", "tim"].iter().any(|start| name.starts_with(start))
        })
        .collect();
    assert!(tags.len() > 9);
    hold_the_line("dos_recipes with tags", &tags, &[Profile::VALID.tag_validity()]);
}

/// A long key over many violations: no path or message may repeat the key's whole length for each.
#[test]
fn a_long_key_is_not_printed_again_and_again() {
    let many = [hex("992710"), hex("1800").repeat(10_000)].concat();
    let with_key = |key: &[u8]| [&hex("a1"), key, &many].concat();
    let text = [hex("794e20"), hex("61").repeat(20_000)].concat();
    let blob = [hex("594e20"), hex("61").repeat(20_000)].concat();
    let list = [hex("994e20"), hex("00").repeat(20_000)].concat();
    let cases = [("text", text), ("bytes", blob), ("list", list)]
        .map(|(name, key)| (format!("long {name} key"), with_key(&key)));
    hold_the_line("long keys", &cases, &[Profile::CORE]);
}

/// Violations inside a key wait for the key's end, which is when their path is known.
#[test]
fn a_key_full_of_violations_costs_no_more() {
    let mut out = Mismatches::of("violations in a key");
    let input = [hex("a199c350"), hex("1800").repeat(50_000), hex("00")].concat();
    for (door, multiple, open) in [
        ("check", 24, DOORS[0].2),
        ("violations", 96, DOORS[1].2),
        ("decode::<IgnoredAny>", 24, DOORS[3].2),
    ] {
        let used = allocation_counter::measure(|| drop(open(Profile::CORE, &input)));
        let bound = input.len() as u64 * multiple + CONSTANT;
        out.expect(used.bytes_max <= bound, || {
            format!("{door}: {} bytes at once, bound {bound}", used.bytes_max)
        });
    }
    out.finish();
}

/// However deep the caller lets it go, asking costs no stack.
#[test]
fn no_depth_limit_no_stack() {
    const LEVELS: usize = 50_000;
    let deep = [hex("81").repeat(LEVELS), hex("00")].concat();
    let tags = [hex("c6").repeat(LEVELS), hex("00")].concat();
    let open = hex("9f").repeat(LEVELS);
    let mut out = Mismatches::of("as many levels as the caller likes");
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            let profile = Profile::VALID.max_depth(2_000_000);
            for (name, input, accept) in
                [("arrays", &deep, true), ("tags", &tags, true), ("open", &open, false)]
            {
                for (door, _, open) in DOORS.iter().take(4) {
                    let began = Instant::now();
                    let got = open(profile, input);
                    out.expect(got.is_ok() == accept, || format!("{name} {door}: {}", said(&got)));
                    let took = began.elapsed();
                    out.expect(took < LONG, || format!("{name} {door}: {took:?}"));
                }
            }
        });
        run.unwrap().join().unwrap();
    });
    out.finish();
}

/// Lengths that lie: an answer before a byte is set aside for them (rows c70 and c71 of the serde cases).
#[test]
fn a_length_is_not_trusted() {
    let mut out = Mismatches::of("lying lengths");
    for head in ["9bffffffffffffffff", "9b00ffffffffffffff", "9a04000000", "bb8000000000000000"]
        .into_iter()
        .chain(["5b0000000400000000", "5a05f5e100", "7affffffff", "7b7fffffffffffffff"])
    {
        let input = hex(head);
        let used = allocation_counter::measure(|| {
            for refused in [
                Profile::CORE.decode::<Vec<u8>>(&input).is_err(),
                Profile::CORE.decode::<Vec<()>>(&input).is_err(),
                Profile::CORE.decode::<String>(&input).is_err(),
                Profile::CORE.decode::<serde_bytes::ByteBuf>(&input).is_err(),
                Profile::CORE.decode::<std::collections::HashMap<u8, u8>>(&input).is_err(),
                calibor::from_reader::<_, Value>(&input[..]).is_err(),
                calibor::from_reader::<_, serde_bytes::ByteBuf>(&input[..]).is_err(),
            ] {
                out.expect(refused, || format!("{head} accepted"));
            }
        });
        // serde's own `Vec` visitor sets aside at most one mebibyte for a hint.
        out.expect(used.bytes_max <= 2 << 20, || format!("{head}: {} bytes", used.bytes_max));
    }
    out.finish();
}
