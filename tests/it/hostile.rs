//! Input made to hurt: no crash, no deep stack, memory within a small multiple of the input, and no long time.

use std::time::{Duration, Instant};

use calibor::{Deserializer, Error, Profile, RawValue, Tagged, Value};
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

/// Newtypes and options around each level of an array, and around what ends it.
#[derive(Deserialize)]
struct Chain(#[allow(dead_code, reason = "only its depth matters")] Option<Box<Link>>);

#[derive(Deserialize)]
struct Link(#[allow(dead_code, reason = "only its depth matters")] Option<Vec<Chain>>);

/// The same with tags, which may be there or not.
#[derive(Deserialize)]
#[allow(dead_code, reason = "only its depth matters")]
struct Tags(Option<Tagged<Vec<Tags>>>);

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
const DOORS: [Door; 14] = [
    ("check", 24, |p, b| p.check(b)),
    ("violations", 24, |p, b| p.violations(b).last().map_or(Ok(()), Err)),
    ("canonicalize", 32, |p, b| p.canonicalize(b).map(drop)),
    ("decode::<IgnoredAny>", 24, |p, b| p.decode::<IgnoredAny>(b).map(drop)),
    ("decode::<RawValue>", 24, |p, b| p.decode::<RawValue<'_>>(b).map(drop)),
    ("decode_from::<IgnoredAny>", 32, |p, b| p.decode_from::<_, IgnoredAny>(b).map(drop)),
    ("decode::<Value>", 128, |p, b| p.decode::<Value>(b).map(drop)),
    ("decode_from::<Value>", 128, |p, b| p.decode_from::<_, Value>(b).map(drop)),
    ("decode::<Value>, cloned and written", 256, |p, b| {
        let value: Value = p.decode(b)?;
        let bytes = p.encode(&value.clone())?;
        assert_eq!(value, p.decode::<Value>(&bytes)?);
        Ok(())
    }),
    ("sequence", 128, |p, b| {
        let items = Deserializer::from_slice(b).profile(p).into_iter::<Value>();
        items.last().map_or(Ok(()), |item| item.map(drop))
    }),
    ("decode::<Vec<..>>", 64, |p, b| p.decode::<Nest>(b).map(drop)),
    ("decode::<Untagged>", 128, |p, b| p.decode::<Untagged>(b).map(drop)),
    ("decode::<Option<..>>", 64, |p, b| p.decode::<Chain>(b).map(drop)),
    ("decode::<Tagged<..>>", 64, |p, b| p.decode::<Tags>(b).map(drop)),
];

/// What any call may hold whatever the input: what is asked of a reader at once, and an error.
const CONSTANT: u64 = (64 << 10) + 1024;

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

/// Beside the recipes: maps whose keys want much of whoever compares them, and what costs most for its length.
fn attacks(n: u32) -> Vec<(String, Vec<u8>)> {
    // A map of `n` entries, which come in falling order.
    let map = |key: &dyn Fn(u32) -> Vec<u8>| {
        let entries = (0..n).rev().flat_map(|i| [key(i), vec![0]].concat());
        [vec![0xba], n.to_be_bytes().to_vec(), entries.collect()].concat()
    };
    let array =
        |item: &str| [vec![0x9a], n.to_be_bytes().to_vec(), hex(item).repeat(n as usize)].concat();
    let key = |head: &'static str| move |i: u32| [hex(head), i.to_be_bytes().to_vec()].concat();
    let cases: [(&str, Vec<u8>); 18] = [
        ("keys in falling order", map(&key("1a"))),
        ("keys that begin alike", map(&key("4c0000000000000000"))),
        ("bignum keys", map(&key("c244"))),
        ("tagged keys", map(&key("d81e82011a"))),
        ("keys in chunks", map(&|i| [hex("5f44"), i.to_be_bytes().to_vec(), hex("ff")].concat())),
        ("maps as keys", map(&|i| [hex("a11a"), i.to_be_bytes().to_vec(), hex("00")].concat())),
        ("float keys", map(&key("fa"))),
        ("NaN keys", map(&|i| [hex("fb7ff00000"), (i + 1).to_be_bytes().to_vec()].concat())),
        ("equal keys", map(&|_| hex("6161"))),
        ("equal zeros", map(&|i| hex(if i % 2 == 0 { "f90000" } else { "f98000" }))),
        ("a map without an end", [hex("bf"), hex("6161f6").repeat(n as usize)].concat()),
        ("keys of keys", hex("a1").repeat(n as usize)),
        ("long heads", array("1b0000000000000000")),
        ("long floats", array("fb0000000000000000")),
        ("decimals far out of range", array("c4821b7fffffffffffffff01")),
        ("bigfloats far out of range", array("c5823b7fffffffffffffff01")),
        ("zeros before a bignum", array("c2480000000000000000")),
        ("empty chunks", array("7f6060ff")),
    ];
    cases.into_iter().map(|(name, bytes)| (format!("{name} N={n}"), bytes)).collect()
}

#[test]
fn maps_that_want_much() {
    let profiles = [Profile::CORE, Profile::VALID, Profile::RFC7049, Profile::CBOR_CORE];
    hold_the_line("attacks", &attacks(40_000), &profiles);
}

/// Sixteen times the input takes no more than some sixteen times the time: nothing is quadratic.
#[test]
fn time_grows_with_the_input() {
    const FACTOR: u32 = 16;
    let small: Vec<_> = attacks(2_000).into_iter().chain(recipes(2_000)).collect();
    let large: Vec<_> = attacks(2_000 * FACTOR).into_iter().chain(recipes(2_000 * 16)).collect();
    let mut out = Mismatches::of("time");
    for ((name, small), (_, large)) in small.iter().zip(&large) {
        for profile in [Profile::CORE, Profile::VALID] {
            for (door, _, open) in DOORS {
                let took = |input| {
                    let began = Instant::now();
                    let _ = open(profile, input);
                    began.elapsed()
                };
                // Others use the machine as well: what is too long must be so each time.
                let mut times = (0..40).map(|_| (took(small), took(large)));
                let bound = |short: Duration| short * FACTOR * 4 + Duration::from_millis(5);
                let last = times.find(|&(short, long)| long <= bound(short));
                out.expect(last.is_some(), || {
                    let (short, long) = (took(small), took(large));
                    format!("{name} {profile} {door}: {short:?}, and {long:?} for {FACTOR} times as much")
                });
            }
        }
    }
    out.finish();
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

/// Equal keys are refused at the second one where that is a rule, so that they are also read by a profile that takes them.
#[test]
fn a_million_keys() {
    let keys = |name: &str| name.starts_with("equal keys") || name.starts_with("keys that begin");
    let attacks: Vec<_> = attacks(1_000_000).into_iter().filter(|(name, _)| keys(name)).collect();
    assert_eq!(attacks.len(), 2);
    hold_the_line("a million keys", &attacks, &[Profile::VALID, Profile::WELL_FORMED]);
}

/// The table of docs/trust.md: of each way in the most bytes held at once, and the longest time, for one byte of input.
#[test]
#[ignore = "measures; run it optimized and with nothing beside it"]
fn figures() {
    const SIZES: [u32; 4] = [4_000, 16_000, 64_000, 256_000];
    let profiles = [Profile::CORE, Profile::VALID];
    // What is told by a few bytes takes as long as a call takes.
    let inputs = |n: u32| {
        let all = attacks(n).into_iter().chain(recipes(n as usize));
        all.filter(move |(_, input)| input.len() >= n as usize)
    };
    let million: Vec<_> = attacks(1_000_000).into_iter().chain(recipes(1_000_000)).collect();
    hold_the_line("a million", &million, &profiles);

    let sizes = SIZES.map(|n| format!("{}k", n / 1000)).join(" | ");
    println!("| way in | bytes at once | bound | at most by | ns, N = {sizes} | at most by |");
    println!("|---|--:|--:|---|{}---|", "--:|".repeat(SIZES.len()));
    for (door, bound, open) in DOORS {
        let (mut most, mut longest) = ((Tenths(0), String::new()), (Tenths(0), String::new()));
        let mut times = Vec::new();
        for n in SIZES {
            longest = (Tenths(0), String::new());
            for (name, input) in inputs(n) {
                for profile in profiles {
                    let by = || format!("{} in `{profile}`", name.split(" N=").next().unwrap());
                    let used = allocation_counter::measure(|| drop(open(profile, &input)));
                    // What any call may hold would hide the rest of a short input.
                    let held = used.bytes_max.saturating_sub(CONSTANT);
                    most = most.max((Tenths::of(held.into(), &input), by()));
                    let took = (0..3).map(|_| {
                        let began = Instant::now();
                        let _ = open(profile, &input);
                        began.elapsed()
                    });
                    longest =
                        longest.max((Tenths::of(took.min().unwrap().as_nanos(), &input), by()));
                }
            }
            times.push(longest.0.to_string());
        }
        assert!(most.0 <= Tenths(u128::from(bound) * 10), "{door}: {} by {}", most.0, most.1);
        let times = times.join(" | ");
        println!("| `{door}` | {} | {bound} | {} | {times} | {} |", most.0, most.1, longest.1);
    }
}

/// So much for each byte of an input, in tenths.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Tenths(u128);

impl Tenths {
    fn of(what: u128, input: &[u8]) -> Self {
        Tenths(what * 10 / input.len() as u128)
    }
}

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
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
