//! Unsorted maps inside each other, so deep and so large that they are not put in order one by one: what comes out is what
//! sorting the encoded entries gives, level by level.

use calibor::{Profile, Tagged, Value};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use crate::support::{Mismatches, brief, on_a_big_stack};

enum Tree {
    Integer(u32),
    Text(String),
    /// Whether the length is announced.
    Array(Vec<Tree>, bool),
    Map(Vec<(Tree, Tree)>, bool),
    Tag(u16, Box<Tree>),
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tree::Integer(value) => serializer.serialize_u32(*value),
            Tree::Text(text) => serializer.serialize_str(text),
            Tree::Array(items, announced) => {
                let mut seq = serializer.serialize_seq(announced.then_some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Tree::Map(entries, announced) => {
                let mut map = serializer.serialize_map(announced.then_some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
            Tree::Tag(number, content) => {
                Tagged::new(u64::from(*number), content).serialize(serializer)
            }
        }
    }
}

/// What the bytes are to look like.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    AsGiven,
    /// With no lengths where none were announced.
    Indefinite,
    Bytewise,
    LengthFirst,
}

fn head(major: u8, argument: usize) -> Vec<u8> {
    let [.., high, low] = argument.to_be_bytes();
    match argument {
        0..24 => vec![major << 5 | low],
        24..0x100 => vec![major << 5 | 24, low],
        _ => vec![major << 5 | 25, high, low],
    }
}

fn written(tree: &Tree, form: Form) -> Vec<u8> {
    let container = |major: u8, len, announced: bool, items: Vec<u8>| match form {
        Form::Indefinite if !announced => [&[major << 5 | 31], &items[..], &[0xff]].concat(),
        _ => [head(major, len), items].concat(),
    };
    match tree {
        Tree::Integer(value) => head(0, *value as usize),
        Tree::Text(text) => [head(3, text.len()), text.as_bytes().to_vec()].concat(),
        Tree::Array(items, announced) => {
            let content = items.iter().flat_map(|item| written(item, form)).collect();
            container(4, items.len(), *announced, content)
        }
        Tree::Map(entries, announced) => {
            let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = entries
                .iter()
                .map(|(key, value)| (written(key, form), written(value, form)))
                .collect();
            match form {
                Form::Bytewise => pairs.sort(),
                Form::LengthFirst => pairs.sort_by_key(|(key, _)| (key.len(), key.clone())),
                _ => {}
            }
            let content =
                pairs.into_iter().flat_map(|(key, value)| [key, value].concat()).collect();
            container(5, entries.len(), *announced, content)
        }
        Tree::Tag(number, content) => {
            [head(6, usize::from(*number)), written(content, form)].concat()
        }
    }
}

/// Numbers that look random.
struct Dice(u32);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % n
    }

    fn text(&mut self, number: usize) -> Tree {
        let padding = "-".repeat(self.below(70));
        Tree::Text(format!("{:x}{number}{padding}", self.below(256)))
    }

    /// A map around a tree, which is in one of its values, or in a key.
    fn around(&mut self, inner: Tree) -> Tree {
        let inner = match self.below(8) {
            0 => Tree::Array(vec![self.text(0), inner, Tree::Integer(1)], self.below(2) == 0),
            1 => {
                // More than a one-byte head can say, which is known at the end only.
                let mut many: Vec<Tree> = (0..30).map(Tree::Integer).collect();
                many.insert(self.below(30), inner);
                Tree::Array(many, false)
            }
            2 => Tree::Tag(1000, Box::new(inner)),
            _ => inner,
        };
        let count = if self.below(10) == 0 { 40 } else { 1 + self.below(6) };
        let mut entries: Vec<(Tree, Tree)> =
            (0..count).map(|number| (self.text(number), self.text(0))).collect();
        let place = self.below(count + 1);
        let entry = match self.below(12) {
            0 => (Tree::Array(vec![inner], true), self.text(0)),
            1 => (inner, Tree::Integer(0)),
            _ => (self.text(99), inner),
        };
        entries.insert(place, entry);
        Tree::Map(entries, self.below(4) != 0)
    }
}

impl Dice {
    fn tree(&mut self) -> Tree {
        let levels = 5 + self.below(80);
        (0..levels).fold(Tree::Map(Vec::new(), true), |tree, _| self.around(tree))
    }
}

#[test]
fn deep_maps_are_sorted_level_by_level() {
    on_a_big_stack(|| {
        let mut rows = Mismatches::of("deep maps");
        let mut largest = 0;
        for seed in 1..=20 {
            let mut dice = Dice(0x9e37_79b9_u32.wrapping_mul(seed));
            // What follows or surrounds a map that is put in order later is not to move with it: more elements than a
            // one-byte head can say, a key, and another such map.
            let mut many: Vec<Tree> = (0..30).map(Tree::Integer).collect();
            many.insert(dice.below(30), dice.tree());
            let entries = vec![
                (dice.text(1), dice.tree()),
                (Tree::Array(vec![dice.tree(), Tree::Integer(1)], true), dice.tree()),
                (dice.text(0), Tree::Integer(7)),
            ];
            let tree = Tree::Array(
                vec![
                    dice.tree(),
                    Tree::Array(many, false),
                    dice.text(0),
                    Tree::Map(entries, false),
                ],
                false,
            );

            let deep = |profile: Profile| profile.max_depth(400);
            for (profile, form) in [
                (Profile::CORE, Form::Bytewise),
                (Profile::LENGTH_FIRST, Form::LengthFirst),
                (Profile::VALID, Form::AsGiven),
            ] {
                let want = written(&tree, form);
                largest = largest.max(want.len());
                let mut expect = |way: &str, got: calibor::Result<Vec<u8>>| {
                    let same = got.as_ref().is_ok_and(|got| *got == want);
                    rows.expect(same, || {
                        let got = got.map_or_else(|e| e.to_string(), |got| brief(&got));
                        format!(
                            "{way}, seed {seed}, {}: {got}, not {}",
                            profile.name(),
                            brief(&want)
                        )
                    });
                };
                expect("encode", deep(profile).encode(&tree));
                let given = written(&tree, Form::Indefinite);
                let value: Value = deep(Profile::VALID).decode(&given).expect("valid");
                expect("Value", deep(profile).encode(&value));
                expect("Value::encode", value.encode(deep(profile)));
                if form != Form::AsGiven {
                    expect("canonicalize", deep(profile).canonicalize(&given));
                    expect(
                        "of definite",
                        deep(profile).canonicalize(&written(&tree, Form::AsGiven)),
                    );
                }
            }
        }
        rows.expect(largest > 20_000, || format!("{largest} bytes are few"));
        rows.finish();
    });
}
