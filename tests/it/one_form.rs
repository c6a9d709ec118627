//! One value, many encodings, one canonical form: values made at random, each written twice in ways that differ in all
//! that a canonical form must forget, and rewritten to the same bytes.

use calibor::{Profile, Value};

use crate::support::{DETERMINISTIC, Mismatches, brief, on_a_big_stack, said};

/// Repeatable randomness (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }

    fn coin(&mut self) -> bool {
        self.roll() & 1 == 1
    }

    /// Numbers near the places where the shortest argument changes.
    fn argument(&mut self) -> u64 {
        let edge = [0, 23, 24, 255, 256, 65535, 65536, 0xffffffff, 0x100000000, u64::MAX];
        let around = edge[usize::try_from(self.below(10)).unwrap()];
        around.wrapping_add(self.below(3)).wrapping_sub(self.below(3))
    }
}

#[derive(Clone)]
enum Item {
    /// -1 - n where negative.
    Int(bool, u64),
    /// Tag 2 or 3 with a magnitude of more than 64 bits.
    Big(bool, Vec<u8>),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Item>),
    Map(Vec<(Item, Item)>),
    Tag(u64, Box<Item>),
    Simple(u8),
    Float(f64),
}

fn make(dice: &mut Dice, depth: u32) -> Item {
    match dice.below(if depth == 0 { 7 } else { 11 }) {
        0 | 1 => Item::Int(dice.coin(), dice.argument()),
        2 => {
            let mut magnitude = vec![1 + u8::try_from(dice.below(255)).unwrap()];
            magnitude.extend((0..8 + dice.below(9)).map(|i| u8::try_from((i * 37) % 256).unwrap()));
            Item::Big(dice.coin(), magnitude)
        }
        3 => Item::Bytes((0..dice.below(30)).map(|i| u8::try_from(i).unwrap()).collect()),
        4 => Item::Text(
            "aé水𐅑~".chars().cycle().take(usize::try_from(dice.below(30)).unwrap()).collect(),
        ),
        5 => Item::Simple([20, 21, 22, 23, 16, 255][usize::try_from(dice.below(6)).unwrap()]),
        6 => {
            let floats = [
                0.0,
                -0.0,
                1.0,
                1.5,
                -4.1,
                65504.0,
                100_000.0,
                1e300,
                5e-324,
                5.960_464_477_539_063e-8,
            ];
            let floats =
                [&floats[..], &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 4_294_967_296.0]]
                    .concat();
            Item::Float(floats[usize::try_from(dice.below(14)).unwrap()])
        }
        7 | 8 => Item::List((0..dice.below(5)).map(|_| make(dice, depth - 1)).collect()),
        9 => {
            // Keys that differ in every profile's eyes: no two are the same number, text or list.
            let entries = (0..dice.below(6)).map(|i| {
                let key = match dice.below(4) {
                    0 => Item::Int(false, i * 1000),
                    1 => Item::Int(true, i * 20),
                    2 => Item::Text("k".repeat(usize::try_from(i).unwrap())),
                    _ => Item::List(vec![Item::Int(i % 2 == 0, i * 50)]),
                };
                (key, make(dice, depth - 1))
            });
            Item::Map(entries.collect::<Vec<_>>())
        }
        _ => Item::Tag(
            [6, 55799, 0x100000000][usize::try_from(dice.below(3)).unwrap()],
            Box::new(make(dice, depth - 1)),
        ),
    }
}

/// A head that is sometimes longer than it needs to be.
fn head(dice: &mut Dice, major: u8, n: u64, out: &mut Vec<u8>) {
    let least = match n {
        0..=23 => 0,
        24..=0xff => 1,
        0x100..=0xffff => 2,
        0x10000..=0xffffffff => 3,
        _ => 4,
    };
    let width = least + dice.below(5 - least);
    let bytes = n.to_be_bytes();
    if width == 0 {
        out.push(major << 5 | bytes[7]);
    } else {
        out.push(major << 5 | u8::try_from(23 + width).unwrap());
        out.extend_from_slice(&bytes[8 - (1 << (width - 1))..]);
    }
}

/// A string in one piece or in chunks, each chunk whole characters.
fn string(dice: &mut Dice, major: u8, pieces: &[&[u8]], out: &mut Vec<u8>) {
    if dice.coin() {
        let whole = pieces.concat();
        head(dice, major, whole.len() as u64, out);
        out.extend_from_slice(&whole);
    } else {
        out.push(major << 5 | 31);
        for piece in pieces {
            head(dice, major, piece.len() as u64, out);
            out.extend_from_slice(piece);
        }
        out.push(0xff);
    }
}

fn bytes(dice: &mut Dice, bytes: &[u8], out: &mut Vec<u8>) {
    let size = 1 + usize::try_from(dice.below(9)).unwrap();
    string(dice, 2, &bytes.chunks(size).collect::<Vec<_>>(), out);
}

/// One of the encodings of `item`.
fn write(dice: &mut Dice, item: &Item, out: &mut Vec<u8>) {
    let open = |dice: &mut Dice, major: u8, n: usize, out: &mut Vec<u8>| {
        let indefinite = dice.coin();
        if indefinite {
            out.push(major << 5 | 31);
        } else {
            head(dice, major, n as u64, out);
        }
        indefinite
    };
    match item {
        Item::Int(negative, n) => match dice.below(4) {
            0 => {
                // The same integer as a bignum, with or without leading zeros.
                head(dice, 6, 2 + u64::from(*negative), out);
                let wide = [&[0; 3][..], &n.to_be_bytes()].concat();
                let from = usize::try_from(dice.below(3)).unwrap();
                bytes(dice, &wide[from..], out);
            }
            _ => head(dice, u8::from(*negative), *n, out),
        },
        Item::Big(negative, magnitude) => {
            head(dice, 6, 2 + u64::from(*negative), out);
            let zeros = vec![0; usize::try_from(dice.below(3)).unwrap()];
            bytes(dice, &[zeros, magnitude.clone()].concat(), out);
        }
        Item::Bytes(content) => bytes(dice, content, out),
        Item::Text(text) => {
            let chars: Vec<String> = text.chars().map(String::from).collect();
            string(dice, 3, &chars.iter().map(String::as_bytes).collect::<Vec<_>>(), out);
        }
        Item::List(items) => {
            let indefinite = open(dice, 4, items.len(), out);
            for item in items {
                write(dice, item, out);
            }
            out.extend(indefinite.then_some(0xff));
        }
        Item::Map(entries) => {
            let indefinite = open(dice, 5, entries.len(), out);
            let mut entries = entries.clone();
            for i in (1..entries.len()).rev() {
                entries.swap(i, usize::try_from(dice.below(i as u64 + 1)).unwrap());
            }
            for (key, value) in &entries {
                write(dice, key, out);
                write(dice, value, out);
            }
            out.extend(indefinite.then_some(0xff));
        }
        Item::Tag(number, content) => {
            head(dice, 6, *number, out);
            write(dice, content, out);
        }
        Item::Simple(n @ ..=23) => out.push(0xe0 | n),
        Item::Simple(n) => out.extend([0xf8, *n]),
        Item::Float(value) => {
            #[allow(clippy::cast_possible_truncation, reason = "asked whether it came back whole")]
            let single = *value as f32;
            let half = value.is_nan().then_some(0x7e00u16).or(match *value {
                1.0 => Some(0x3c00),
                1.5 => Some(0x3e00),
                f64::INFINITY => Some(0x7c00),
                _ => None,
            });
            match (dice.below(3), half) {
                (0, Some(half)) => {
                    out.push(0xf9);
                    out.extend(half.to_be_bytes());
                }
                (1, _) if f64::from(single).to_bits() == value.to_bits() => {
                    out.push(0xfa);
                    out.extend(single.to_be_bytes());
                }
                _ => {
                    out.push(0xfb);
                    out.extend(value.to_be_bytes());
                }
            }
        }
    }
}

#[test]
fn many_encodings_one_form() {
    on_a_big_stack(|| {
        let mut out = Mismatches::of("random items");
        let mut formed = [0; DETERMINISTIC.len()];
        for seed in 0..4000 {
            let mut dice = Dice(seed);
            let item = make(&mut dice, 4);
            let [mut a, mut b] = [Vec::new(), Vec::new()];
            write(&mut dice, &item, &mut a);
            write(&mut dice, &item, &mut b);
            let valid = Profile::VALID.check(&a);
            out.expect(valid.is_ok(), || format!("seed {seed} {}: {}", brief(&a), said(&valid)));
            let value = Profile::VALID.decode::<Value>(&a);
            for (profile, formed) in DETERMINISTIC.into_iter().zip(&mut formed) {
                // CTAP2 keeps the width of floats: two widths are two values there.
                if profile == Profile::CTAP2 {
                    continue;
                }
                let (x, y) = (profile.canonicalize(&a), profile.canonicalize(&b));
                let same = match (&x, &y) {
                    (Ok(x), Ok(y)) => x == y,
                    (Err(_), Err(_)) => true,
                    // Without tags, an integer spelled as a bignum is refused for its tag, never read as another value.
                    (Ok(_), Err(e)) | (Err(e), Ok(_)) => {
                        e.rule().is_some_and(|rule| rule.name() == "forbidden-tag")
                    }
                };
                out.expect(same, || {
                    let show =
                        |r: &Result<Vec<u8>, _>| r.as_ref().map_or_else(|_| said(r), |v| brief(v));
                    format!(
                        "{profile} seed {seed}: {} gives {}, {} gives {}",
                        brief(&a),
                        show(&x),
                        brief(&b),
                        show(&y)
                    )
                });
                if let (Ok(x), Ok(value)) = (&x, &value) {
                    *formed += 1;
                    let check = profile.check(x);
                    out.expect(check.is_ok(), || {
                        format!("{profile} seed {seed} {}: {}", brief(x), said(&check))
                    });
                    let through = profile.encode(value);
                    out.expect(through.as_ref().is_ok_and(|bytes| bytes == x), || {
                        format!("{profile} seed {seed}: through a value {}", said(&through))
                    });
                }
            }
        }
        for (profile, formed) in DETERMINISTIC.into_iter().zip(formed) {
            out.expect(formed > 300 || profile == Profile::CTAP2, || {
                format!("{profile}: only {formed} items had a form, which tests little")
            });
        }
        out.finish();
    });
}
