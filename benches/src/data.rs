//! The data of the workloads: the same in every run.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// In 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A u64 of a random number of bits.
    pub fn wide(&mut self) -> u64 {
        let shift = self.below(64);
        self.next() >> shift
    }

    pub fn word(&mut self, least: u64, most: u64) -> String {
        let len = least + self.below(most - least + 1);
        (0..len).map(|_| self.pick(b"abcdefghijklmnopqrstuvwxyz0123456789_-") as char).collect()
    }

    /// Mostly ASCII; one in ten has letters of two to four bytes.
    pub fn text(&mut self, least: u64, most: u64) -> String {
        let mut text = self.word(least, most);
        if self.chance(10) {
            text.push(self.pick(&['é', 'ß', '中', '文', '😀']));
            text.push_str(&self.word(1, 4));
        }
        text
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

// W1: a log of an HTTP server.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Address {
    pub x0: u8,
    pub x1: u8,
    pub x2: u8,
    pub x3: u8,
}

/// Fields as one would write them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Log {
    pub address: Address,
    pub identity: String,
    pub userid: String,
    pub date: String,
    pub request: String,
    pub code: u16,
    pub size: u64,
    pub referer: Option<String>,
    pub duration: Option<u32>,
}

/// The same with the fields declared in canonical order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogSorted {
    pub code: u16,
    pub date: String,
    pub size: u64,
    pub userid: String,
    pub address: Address,
    pub referer: Option<String>,
    pub request: String,
    pub duration: Option<u32>,
    pub identity: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogRef<'a> {
    pub address: Address,
    #[serde(borrow)]
    pub identity: &'a str,
    pub userid: &'a str,
    pub date: &'a str,
    pub request: &'a str,
    pub code: u16,
    pub size: u64,
    pub referer: Option<&'a str>,
    pub duration: Option<u32>,
}

pub fn log(records: usize) -> Vec<Log> {
    let mut r = Random::new(1);
    (0..records)
        .map(|_| Log {
            address: Address {
                x0: r.next() as u8,
                x1: r.next() as u8,
                x2: r.next() as u8,
                x3: r.next() as u8,
            },
            identity: "-".into(),
            userid: r.pick(&["-", "alice", "bob", "carol", "dave", "eve"]).into(),
            date: format!(
                "2026-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                1 + r.below(12),
                1 + r.below(28),
                r.below(24),
                r.below(60),
                r.below(60)
            ),
            request: format!(
                "{} /{}/{} HTTP/1.1",
                r.pick(&["GET", "POST", "PUT"]),
                r.word(3, 10),
                r.word(3, 20)
            ),
            code: r.pick(&[200, 200, 200, 301, 304, 404, 500]),
            size: r.below(1 << 24),
            referer: r.chance(50).then(|| format!("https://example.com/{}", r.word(4, 16))),
            duration: r.chance(70).then(|| r.below(1_000_000) as u32),
        })
        .collect()
}

pub fn log_sorted(records: usize) -> Vec<LogSorted> {
    let sorted = |log: Log| LogSorted {
        code: log.code,
        date: log.date,
        size: log.size,
        userid: log.userid,
        address: log.address,
        referer: log.referer,
        request: log.request,
        duration: log.duration,
        identity: log.identity,
    };
    log(records).into_iter().map(sorted).collect()
}

// W2: triangles.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vector3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triangle {
    pub v0: Vector3,
    pub v1: Vector3,
    pub v2: Vector3,
    pub normal: Vector3,
}

pub fn mesh(triangles: usize) -> Vec<Triangle> {
    let mut r = Random::new(2);
    let mut vector =
        || Vector3 { x: r.unit() as f32, y: r.unit() as f32 * 100.0, z: r.unit() as f32 - 0.5 };
    (0..triangles)
        .map(|_| Triangle { v0: vector(), v1: vector(), v2: vector(), normal: vector() })
        .collect()
}

// W3: saved players of a game.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GameType {
    Survival,
    Creative,
    Adventure,
    Spectator,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub count: i8,
    pub slot: u8,
    pub id: String,
    pub damage: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Abilities {
    pub walk_speed: f32,
    pub fly_speed: f32,
    pub may_fly: bool,
    pub flying: bool,
    pub invulnerable: bool,
    pub may_build: bool,
    pub instabuild: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Vehicle {
    None,
    Boat { kind: String, health: f32 },
    Horse(ByteBuf, u16),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Player {
    pub game_type: GameType,
    pub previous_game_type: GameType,
    pub score: i64,
    pub dimension: String,
    pub selected_item_slot: u32,
    pub selected_item: Option<Item>,
    pub spawn_dimension: Option<String>,
    pub spawn_x: i64,
    pub spawn_y: i64,
    pub spawn_z: i64,
    pub food_level: i32,
    pub food_saturation: f32,
    pub xp_level: u32,
    pub xp_p: f32,
    pub inventory: Vec<Item>,
    pub ender_items: Vec<Item>,
    pub abilities: Abilities,
    pub statistics: BTreeMap<String, u64>,
    pub recipes: Vec<String>,
    pub vehicle: Vehicle,
    pub uuid: ByteBuf,
    pub position: (f64, f64, f64),
    pub motion: (f32, f32, f32),
    pub on_ground: bool,
}

const THINGS: &[&str] = &[
    "minecraft:dirt",
    "minecraft:stone",
    "minecraft:pickaxe",
    "minecraft:diamond",
    "minecraft:netherite",
    "minecraft:birch_planks",
    "minecraft:furnace",
];

pub fn players(count: usize) -> Vec<Player> {
    let mut random = Random::new(3);
    let r = &mut random;
    fn kind(r: &mut Random) -> GameType {
        match r.below(4) {
            0 => GameType::Survival,
            1 => GameType::Creative,
            2 => GameType::Adventure,
            _ => GameType::Spectator,
        }
    }
    fn item(r: &mut Random) -> Item {
        Item {
            count: r.below(64) as i8,
            slot: r.below(40) as u8,
            id: r.pick(THINGS).into(),
            damage: r.chance(30).then(|| r.below(1500) as u16),
        }
    }
    fn items(r: &mut Random, most: u64) -> Vec<Item> {
        (0..r.below(most)).map(|_| item(r)).collect()
    }
    (0..count)
        .map(|_| Player {
            game_type: kind(r),
            previous_game_type: kind(r),
            score: r.wide() as i64 >> 1,
            dimension: r.pick(&["overworld", "nether", "end"]).into(),
            selected_item_slot: r.below(9) as u32,
            selected_item: r.chance(60).then(|| item(r)),
            spawn_dimension: r.chance(40).then(|| "overworld".into()),
            spawn_x: r.below(4000) as i64 - 2000,
            spawn_y: r.below(256) as i64,
            spawn_z: r.below(4000) as i64 - 2000,
            food_level: r.below(20) as i32,
            food_saturation: r.below(20) as f32 / 4.0,
            xp_level: r.below(60) as u32,
            xp_p: r.unit() as f32,
            inventory: items(r, 24),
            ender_items: items(r, 9),
            abilities: Abilities {
                walk_speed: 0.1,
                fly_speed: 0.05,
                may_fly: r.chance(50),
                flying: r.chance(50),
                invulnerable: r.chance(50),
                may_build: r.chance(50),
                instabuild: r.chance(50),
            },
            statistics: (0..8).map(|_| (r.word(6, 14), r.wide() >> 20)).collect(),
            recipes: (0..r.below(20)).map(|_| r.pick(THINGS).into()).collect(),
            vehicle: match r.below(4) {
                0 => Vehicle::Boat { kind: r.word(3, 8), health: r.unit() as f32 },
                1 => Vehicle::Horse(ByteBuf::from(r.bytes(16)), r.below(4000) as u16),
                _ => Vehicle::None,
            },
            uuid: ByteBuf::from(r.bytes(16)),
            position: (r.unit() * 1000.0, r.unit() * 64.0, r.unit() * 1000.0),
            motion: (r.unit() as f32, 0.0, r.unit() as f32),
            on_ground: r.chance(80),
        })
        .collect()
}

// W4: updates of a naval game.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EntityType {
    ArleighBurke,
    Bismarck,
    Clemenceau,
    Fletcher,
    Mark48,
    Skipjack,
    Zubr,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    pub x: f32,
    pub y: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    pub altitude: i8,
    pub angle: u16,
    pub position: Position,
    pub velocity: i16,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guidance {
    pub angle: u16,
    pub submerge: bool,
    pub velocity: i16,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    pub damage: u8,
    pub entity_id: u32,
    pub entity_type: Option<EntityType>,
    pub guidance: Guidance,
    pub player_id: Option<u16>,
    pub reloads: Vec<bool>,
    pub transform: Transform,
    pub turret_angles: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TerrainUpdate {
    pub chunk_id: (i8, i8),
    pub data: ByteBuf,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Update {
    pub contacts: Vec<Contact>,
    pub score: u32,
    pub world_radius: f32,
    pub terrain_updates: Vec<TerrainUpdate>,
}

pub fn updates(count: usize) -> Vec<Update> {
    let mut random = Random::new(4);
    let r = &mut random;
    fn contact(r: &mut Random) -> Contact {
        Contact {
            damage: r.next() as u8,
            entity_id: r.next() as u32,
            entity_type: r.chance(80).then(|| match r.below(7) {
                0 => EntityType::ArleighBurke,
                1 => EntityType::Bismarck,
                2 => EntityType::Clemenceau,
                3 => EntityType::Fletcher,
                4 => EntityType::Mark48,
                5 => EntityType::Skipjack,
                _ => EntityType::Zubr,
            }),
            guidance: Guidance {
                angle: r.next() as u16,
                submerge: r.chance(50),
                velocity: r.next() as i16,
            },
            player_id: r.chance(50).then(|| r.next() as u16),
            reloads: (0..r.below(8)).map(|_| r.chance(50)).collect(),
            transform: Transform {
                altitude: r.next() as i8,
                angle: r.next() as u16,
                position: Position { x: r.unit() as f32 * 1000.0, y: r.unit() as f32 * 1000.0 },
                velocity: r.next() as i16,
            },
            turret_angles: (0..r.below(6)).map(|_| r.next() as u16).collect(),
        }
    }
    (0..count)
        .map(|_| Update {
            contacts: (0..8 + r.below(8)).map(|_| contact(r)).collect(),
            score: r.below(1 << 20) as u32,
            world_radius: 1000.0 + r.unit() as f32,
            terrain_updates: (0..r.below(2))
                .map(|_| TerrainUpdate {
                    chunk_id: (r.next() as i8, r.next() as i8),
                    data: ByteBuf::from(r.bytes(64)),
                })
                .collect(),
        })
        .collect()
}

// W5: floats.

/// Exact in binary16: small integers, and quotients of them by powers of two.
fn in_half(r: &mut Random) -> f64 {
    (r.below(2001) as f64 - 1000.0) / 8.0
}

/// Exact in binary32 and not in binary16.
fn in_single(r: &mut Random) -> f64 {
    f64::from(f32::from_bits(0x3f00_0001 | (r.next() as u32 & 0x817f_ffff)))
}

/// Exact in binary64 only.
fn in_double(r: &mut Random) -> f64 {
    f64::from_bits((r.unit() * 1000.0 - 500.0).to_bits() | 1)
}

pub fn halves(count: usize) -> Vec<f64> {
    let mut r = Random::new(51);
    (0..count).map(|_| in_half(&mut r)).collect()
}

pub fn singles(count: usize) -> Vec<f64> {
    let mut r = Random::new(52);
    (0..count).map(|_| in_single(&mut r)).collect()
}

pub fn doubles(count: usize) -> Vec<f64> {
    let mut r = Random::new(53);
    (0..count).map(|_| in_double(&mut r)).collect()
}

/// A third of each, in random order.
pub fn mixed(count: usize) -> Vec<f64> {
    let mut r = Random::new(54);
    (0..count)
        .map(|_| match r.below(3) {
            0 => in_half(&mut r),
            1 => in_single(&mut r),
            _ => in_double(&mut r),
        })
        .collect()
}

// W6: integers.

pub fn unsigned(count: usize) -> Vec<u64> {
    let mut r = Random::new(61);
    (0..count).map(|_| r.wide()).collect()
}

pub fn signed(count: usize) -> Vec<i64> {
    let mut r = Random::new(62);
    (0..count)
        .map(|_| {
            let magnitude = (r.wide() >> 1).cast_signed();
            if r.chance(50) { magnitude } else { -1 - magnitude }
        })
        .collect()
}

pub fn small(count: usize) -> Vec<u64> {
    let mut r = Random::new(63);
    (0..count).map(|_| r.below(24)).collect()
}

// W7, W8: strings.

pub fn strings(count: usize) -> Vec<String> {
    let mut r = Random::new(7);
    (0..count).map(|_| r.text(4, 30)).collect()
}

pub fn blobs(count: usize) -> Vec<ByteBuf> {
    let mut r = Random::new(8);
    (0..count).map(|_| ByteBuf::from(r.bytes(64 << 10))).collect()
}

// W9: maps.

/// A hash map whose order is the same in every run.
pub type Map = HashMap<String, u64, BuildHasherDefault<DefaultHasher>>;

pub fn map(keys: usize, seed: u64) -> Map {
    let mut r = Random::new(seed);
    (0..keys).map(|_| (r.word(6, 20), r.wide())).collect()
}

pub fn maps(count: usize, keys: usize) -> Vec<Map> {
    (0..count).map(|seed| map(keys, 900 + seed as u64)).collect()
}

/// What users of codecs that do not sort have to write: keys of text in canonical order.
pub struct HandSorted<'a>(pub &'a Map);

impl Serialize for HandSorted<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_unstable_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        serializer.collect_map(entries)
    }
}

pub struct HandSortedAll<'a>(pub &'a Vec<Map>);

impl Serialize for HandSortedAll<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(HandSorted))
    }
}

// W10: trees.

/// Posts of a social network: text in many scripts, nulls, flags, ids, four levels.
pub fn posts(count: usize) -> calibor::Value {
    use calibor::cbor;
    let mut r = Random::new(101);
    let user = |r: &mut Random| {
        let id = r.below(1 << 40);
        cbor!({
            "id" => id,
            "id_str" => id.to_string(),
            "name" => r.text(4, 20),
            "screen_name" => r.word(4, 15),
            "location" => r.text(0, 12),
            "description" => format!("{} ラーメン大好き。{}", r.text(4, 20), r.text(4, 30)),
            "url" => null,
            "protected" => false,
            "followers_count" => r.below(5000),
            "friends_count" => r.below(500),
            "created_at" => "Mon Sep 01 00:00:00 +0000 2014",
            "verified" => r.chance(5),
            "profile_image_url" => format!("http://example.com/{}.png", r.word(8, 20)),
        })
    };
    let posts: Vec<calibor::Value> = (0..count)
        .map(|_| {
            let id = r.below(1 << 60);
            cbor!({
                "metadata" => { "result_type" => "recent", "iso_language_code" => "ja" },
                "created_at" => "Sun Aug 31 00:29:15 +0000 2014",
                "id" => id,
                "id_str" => id.to_string(),
                "text" => format!("@{} 名前:{} 一言:{}", r.word(3, 10), r.text(3, 20), r.text(10, 60)),
                "source" => format!("<a href=\"http://example.com\">{}</a>", r.word(4, 12)),
                "truncated" => false,
                "in_reply_to_status_id" => null,
                "user" => user(&mut r),
                "geo" => null,
                "coordinates" => null,
                "retweet_count" => r.below(100),
                "favorite_count" => r.below(100),
                "entities" => {
                    "hashtags" => [],
                    "symbols" => [],
                    "urls" => [],
                    "user_mentions" => [{
                        "screen_name" => r.word(4, 15),
                        "name" => r.text(4, 20),
                        "id" => r.below(1 << 32),
                        "indices" => [0, r.below(20)],
                    }],
                },
                "favorited" => false,
                "retweeted" => false,
                "lang" => "ja",
            })
        })
        .collect();
    calibor::Value::Map(vec![("statuses".into(), calibor::Value::Array(posts))])
}

/// A catalogue of concerts: mostly numbers, short keys that are numbers too.
pub fn catalogue(count: usize) -> calibor::Value {
    use calibor::{Value, cbor};
    let mut r = Random::new(102);
    let names = (0..count)
        .map(|_| (Value::from((200_000_000 + r.below(1 << 30)).to_string()), r.word(4, 20).into()));
    let names: Vec<(Value, Value)> = names.collect();
    let performances: Vec<Value> = (0..count)
        .map(|_| {
            let areas: Vec<Value> = (0..6)
                .map(|_| cbor!({ "areaId" => 205_705_993 + r.below(100), "blockIds" => [] }))
                .collect();
            let prices: Vec<Value> = (0..3)
                .map(|_| {
                    cbor!({
                        "amount" => 90_250 + r.below(1000),
                        "audienceSubCategoryId" => 337_100_890,
                        "seatCategoryId" => 338_937_295 + r.below(10),
                    })
                })
                .collect();
            cbor!({
                "eventId" => 138_586_341 + r.below(1000),
                "id" => 339_887_544 + r.below(10_000),
                "logo" => null,
                "name" => null,
                "prices" => (Value::Array(prices)),
                "seatCategories" => [{ "areas" => (Value::Array(areas)), "seatCategoryId" => 338_937_295 }],
                "seatMapImage" => null,
                "start" => 1_372_701_600_000u64 + r.below(1 << 30),
                "venueCode" => "PLEYEL_PLEYEL",
            })
        })
        .collect();
    cbor!({ "areaNames" => (Value::Map(names)), "performances" => (Value::Array(performances)) })
}

// W11: messages.

/// Claims of a web token; 104 bytes when encoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    pub iss: String,
    pub sub: String,
    pub aud: String,
    pub exp: u64,
    pub nbf: u64,
    pub iat: u64,
    pub cti: ByteBuf,
}

pub fn claims(count: usize) -> Vec<Claims> {
    let mut r = Random::new(111);
    (0..count)
        .map(|_| Claims {
            iss: format!("coap://{}", r.word(16, 16)),
            sub: r.word(10, 10),
            aud: r.word(15, 15),
            exp: 1_444_064_944 + r.below(1 << 20),
            nbf: 1_443_944_944 + r.below(1 << 20),
            iat: 1_443_944_944 + r.below(1 << 20),
            cti: ByteBuf::from(r.bytes(8)),
        })
        .collect()
}

/// A COSE_Sign1 without its tag; 158 bytes when encoded.
pub type Sign1 = (ByteBuf, BTreeMap<i64, ByteBuf>, ByteBuf, ByteBuf);

pub fn sign1(count: usize) -> Vec<Sign1> {
    let mut r = Random::new(112);
    (0..count)
        .map(|_| {
            let headers = [(4, ByteBuf::from(r.bytes(11)))];
            (
                ByteBuf::from(vec![0xa1, 0x01, 0x26]),
                headers.into(),
                ByteBuf::from(r.bytes(71)),
                ByteBuf::from(r.bytes(64)),
            )
        })
        .collect()
}

// Depth.

/// A list whose fields are not in canonical order, so that each level is put in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nested {
    pub number: u32,
    pub text: String,
    pub child: Option<Box<Nested>>,
}

pub fn nested(levels: usize) -> Nested {
    let mut r = Random::new(12);
    let mut level = |child| Nested { number: r.next() as u32, text: r.word(4, 12), child };
    let mut root = level(None);
    for _ in 1..levels {
        root = level(Some(Box::new(root)));
    }
    root
}
