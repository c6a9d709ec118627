//! The workloads. Each builds its data only if one of its lines is wanted.

use crate::codecs::*;
use crate::data;
use crate::limits;
use crate::measure::{Against, Case, Context, Goal, Line, Run};
use calibor::{Profile, Value};
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, IgnoredAny};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::BufReader;
use std::rc::Rc;

type Build = fn(&Context) -> Vec<Line>;

/// Name and builder, in the order of the table.
pub const WORKLOADS: &[Build] = &[
    w1,
    w1s,
    w2,
    w3,
    w4,
    w5a,
    w5b,
    w5c,
    w5d,
    w6u,
    w6i,
    w6s,
    w7,
    w8,
    w9a,
    w9b,
    w10,
    w11,
    crate::tensors::lines,
    canonicalize,
    streams,
    depth,
    growth,
];

const BEST: Against = Against::Best;
const SORTING: Against = Against::Sorting;

/// What is asked of a workload's operations.
#[derive(Clone, Default)]
struct Goals {
    encode: Vec<Goal>,
    decode: Vec<Goal>,
    check: Vec<Goal>,
}

/// A line that nobody asked for is not made.
fn line(context: &Context, work: &'static str, op: &'static str, goals: Vec<Goal>) -> Option<Line> {
    context.wants(work, op).then(|| Line { work, op, goals, cases: Vec::new() })
}

impl Line {
    fn add(
        &mut self,
        context: &Context,
        codec: &'static str,
        kind: Kind,
        run: impl FnMut() + 'static,
    ) {
        self.add_case(context, Case { codec, kind, own: false, short: false, run: Box::new(run) });
    }

    fn add_case(&mut self, context: &Context, case: Case) {
        if context.wants_codec(case.codec) {
            self.cases.push(case);
        }
    }

    fn limit(&mut self, context: &Context, name: &'static str, run: impl FnMut() + 'static) {
        self.add(context, name, Kind::Limit, run);
    }
}

fn encode_case<C: Codec, T: Serialize + 'static>(value: &Rc<T>) -> Option<Case> {
    C::encode(&**value)?;
    // The shortest form of 1.5 has three bytes.
    let short = C::encode(&1.5_f64).is_some_and(|bytes| bytes.len() == 3);
    let value = Rc::clone(value);
    let run = Box::new(move || drop(black_box(C::encode(black_box(&*value)))));
    Some(Case { codec: C::NAME, kind: C::KIND, own: false, short, run })
}

/// Decodes the deterministic bytes if this codec reads them as the same value, else what it wrote itself.
fn readable<C: Codec, T>(
    value: &T,
    bytes: &'static [u8],
    own_only: bool,
) -> Option<(&'static [u8], bool)>
where
    T: Serialize + DeserializeOwned + PartialEq,
{
    if !own_only && C::decode::<T>(bytes).is_some_and(|back| back == *value) {
        return Some((bytes, false));
    }
    let own: &'static [u8] = C::encode(value)?.leak();
    let back = C::decode::<T>(own)?;
    (back == *value).then_some((own, true))
}

fn decode_case<C: Codec, T>(value: &Rc<T>, bytes: &'static [u8]) -> Option<Case>
where
    T: Serialize + DeserializeOwned + PartialEq + 'static,
{
    let (bytes, own) = readable::<C, T>(value, bytes, C::KIND == Kind::Distance)?;
    let run: Run = Box::new(move || drop(black_box(C::decode::<T>(black_box(bytes)))));
    Some(Case { codec: C::NAME, kind: C::KIND, own, short: false, run })
}

fn borrow_case<C: Codec, T, B>(value: &Rc<T>, bytes: &'static [u8]) -> Option<Case>
where
    T: Serialize + DeserializeOwned + PartialEq + 'static,
    B: Deserialize<'static> + 'static,
{
    let (bytes, own) = readable::<C, T>(value, bytes, C::KIND == Kind::Distance)?;
    C::borrow::<B>(bytes)?;
    let run: Run = Box::new(move || drop(black_box(C::borrow::<B>(black_box(bytes)))));
    Some(Case { codec: C::NAME, kind: C::KIND, own, short: false, run })
}

/// Peers look at each item and drop it; this crate checks every rule of its profile.
fn skip_case<C: Codec>(bytes: &'static [u8]) -> Option<Case> {
    C::decode::<IgnoredAny>(bytes)?;
    let run: Run = Box::new(move || {
        black_box(C::decode::<IgnoredAny>(black_box(bytes)));
    });
    let codec = if C::KIND == Kind::Ours { "calibor IgnoredAny" } else { C::NAME };
    let kind = if C::KIND == Kind::Ours { Kind::Limit } else { C::KIND };
    Some(Case { codec, kind, own: false, short: false, run })
}

macro_rules! push_encode {
    ($codec:ident $context:ident $line:ident $value:ident) => {
        if $context.wants_codec($codec::NAME) {
            $line.cases.extend(encode_case::<$codec, _>($value));
        }
    };
}

macro_rules! push_decode {
    ($codec:ident $context:ident $line:ident $value:ident $bytes:ident) => {
        if $context.wants_codec($codec::NAME) {
            $line.cases.extend(decode_case::<$codec, _>($value, $bytes));
        }
    };
}

macro_rules! push_borrow {
    ($codec:ident $context:ident $line:ident $value:ident $bytes:ident $borrowed:ty) => {
        if $context.wants_codec($codec::NAME) {
            $line.cases.extend(borrow_case::<$codec, _, $borrowed>($value, $bytes));
        }
    };
}

macro_rules! push_skip {
    ($codec:ident $context:ident $line:ident $bytes:ident) => {
        if $context.wants_codec($codec::NAME) {
            $line.cases.extend(skip_case::<$codec>($bytes));
        }
    };
}

fn canonical<T: Serialize>(value: &T) -> &'static [u8] {
    calibor::to_vec(value).expect("workloads can be encoded").leak()
}

fn encode_line<T: Serialize + 'static>(
    context: &Context,
    work: &'static str,
    value: &Rc<T>,
    bytes: &'static [u8],
    goals: Vec<Goal>,
) -> Option<Line> {
    let mut line = line(context, work, "encode", goals)?;
    each_cbor!(push_encode!(context line value));
    line.limit(context, "memcpy", move || drop(black_box(black_box(bytes).to_vec())));
    Some(line)
}

fn check_line(
    context: &Context,
    work: &'static str,
    bytes: &'static [u8],
    goals: Vec<Goal>,
) -> Option<Line> {
    let mut line = line(context, work, "check", goals)?;
    line.add(context, "calibor", Kind::Ours, move || {
        black_box(Profile::CORE.check(black_box(bytes))).expect("canonical");
    });
    each_cbor!(push_skip!(context line bytes));
    Some(line)
}

/// Encode, decode and check of a typed value.
fn typed<T>(context: &Context, work: &'static str, value: &Rc<T>, goals: Goals) -> Vec<Line>
where
    T: Serialize + DeserializeOwned + PartialEq + Clone + 'static,
{
    let bytes = canonical(&**value);
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(encode_line(context, work, value, bytes, goals.encode));
    lines.extend(line(context, work, "decode", goals.decode).map(|mut line| {
        each_cbor!(push_decode!(context line value bytes));
        let value = Rc::clone(value);
        line.limit(context, "clone", move || drop(black_box(T::clone(black_box(&value)))));
        line
    }));
    lines.extend(check_line(context, work, bytes, goals.check));
    lines
}

/// Adds other formats to the lines of [`typed`].
#[cfg_attr(not(feature = "peers"), allow(unused_variables))]
fn far<T>(context: &Context, lines: &mut [Line], value: &Rc<T>)
where
    T: Serialize + DeserializeOwned + PartialEq + 'static,
{
    let bytes: &'static [u8] = &[];
    for line in lines {
        match line.op {
            "encode" => {
                each_distant!(push_encode!(context line value));
            }
            "decode" => {
                each_distant!(push_decode!(context line value bytes));
            }
            _ => {}
        }
    }
}

fn borrowed<T, B>(
    context: &Context,
    work: &'static str,
    value: &Rc<T>,
    goals: Vec<Goal>,
) -> Option<Line>
where
    T: Serialize + DeserializeOwned + PartialEq + 'static,
    B: Deserialize<'static> + 'static,
{
    let mut line = line(context, work, "decode borrowed", goals)?;
    let bytes = canonical(&**value);
    each_cbor!(push_borrow!(context line value bytes B));
    Some(line)
}

/// Whether any line of a workload is wanted.
fn wanted(context: &Context, work: &str) -> bool {
    ["encode", "decode", "decode borrowed", "check"].iter().any(|op| context.wants(work, op))
}

fn structs() -> Goals {
    Goals {
        encode: vec![Goal::new(1.3, BEST), Goal::new(1.0 / 6.0, SORTING)],
        decode: vec![Goal::best(0.55)],
        check: vec![Goal::best(1.0)],
    }
}

fn w1(context: &Context) -> Vec<Line> {
    let work = "W1-log";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::log(context.size(10_000)));
    let mut lines = typed(context, work, &value, structs());
    far(context, &mut lines, &value);
    lines.extend(borrowed::<_, Vec<data::LogRef<'static>>>(
        context,
        work,
        &value,
        vec![Goal::best(0.5)],
    ));
    lines
}

fn w1s(context: &Context) -> Vec<Line> {
    let work = "W1s-log-in-order";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::log_sorted(context.size(10_000)));
    let encode = vec![Goal::new(0.85, BEST), Goal::new(1.0 / 6.0, SORTING)];
    typed(context, work, &value, Goals { encode, ..structs() })
}

fn w2(context: &Context) -> Vec<Line> {
    let work = "W2-mesh";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::mesh(context.size(125_000)));
    let encode = vec![Goal::new(0.65, BEST), Goal::new(1.0 / 6.0, SORTING)];
    let mut lines = typed(context, work, &value, Goals { encode, ..structs() });
    far(context, &mut lines, &value);
    lines
}

fn w3(context: &Context) -> Vec<Line> {
    let work = "W3-savedata";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::players(context.size(1_000)));
    let mut lines = typed(context, work, &value, structs());
    far(context, &mut lines, &value);
    lines
}

fn w4(context: &Context) -> Vec<Line> {
    let work = "W4-mk48";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::updates(context.size(1_000)));
    let mut lines = typed(context, work, &value, structs());
    far(context, &mut lines, &value);
    lines
}

fn floats(
    context: &Context,
    work: &'static str,
    make: fn(usize) -> Vec<f64>,
    goals: Goals,
) -> Vec<Line> {
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(make(context.size(1_000_000)));
    let mut lines = typed(context, work, &value, goals);
    for line in lines.iter_mut().filter(|line| line.op == "encode") {
        let value = Rc::clone(&value);
        line.limit(context, "head writing", move || {
            drop(black_box(limits::write_floats(black_box(&value))))
        });
    }
    lines
}

macro_rules! float_goals {
    ($encode:literal $decode:literal) => {
        Goals {
            encode: vec![Goal::new($encode, Against::Shortening)],
            decode: vec![Goal::new($decode, Against::Reading)],
            check: Vec::new(),
        }
    };
}

fn w5a(context: &Context) -> Vec<Line> {
    floats(context, "W5a-f16-exact", data::halves, float_goals!(0.4 0.7))
}

fn w5b(context: &Context) -> Vec<Line> {
    floats(context, "W5b-f32-exact", data::singles, float_goals!(0.4 0.8))
}

fn w5c(context: &Context) -> Vec<Line> {
    floats(context, "W5c-random", data::doubles, float_goals!(1.0 1.0))
}

fn w5d(context: &Context) -> Vec<Line> {
    floats(context, "W5d-mixed", data::mixed, float_goals!(0.6 0.8))
}

fn w6u(context: &Context) -> Vec<Line> {
    let work = "W6u-u64";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::unsigned(context.size(1_000_000)));
    let goals =
        Goals { encode: vec![Goal::best(0.5)], decode: vec![Goal::best(0.45)], check: Vec::new() };
    let mut lines = typed(context, work, &value, goals);
    for line in lines.iter_mut().filter(|line| line.op == "encode") {
        let value = Rc::clone(&value);
        line.limit(context, "head writing", move || {
            drop(black_box(limits::write_heads(black_box(&value))))
        });
    }
    lines
}

fn w6i(context: &Context) -> Vec<Line> {
    let work = "W6i-i64";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::signed(context.size(1_000_000)));
    let goals =
        Goals { encode: vec![Goal::best(0.5)], decode: vec![Goal::best(0.45)], check: Vec::new() };
    typed(context, work, &value, goals)
}

fn w6s(context: &Context) -> Vec<Line> {
    let work = "W6s-small";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::small(context.size(1_000_000)));
    let goals =
        Goals { encode: vec![Goal::best(1.0)], decode: vec![Goal::best(1.0)], check: Vec::new() };
    typed(context, work, &value, goals)
}

fn w7(context: &Context) -> Vec<Line> {
    let work = "W7-strings";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::strings(context.size(200_000)));
    let goals = Goals {
        encode: vec![Goal::best(1.0)],
        decode: vec![Goal::best(0.75)],
        check: vec![Goal::best(2.2)],
    };
    let mut lines = typed(context, work, &value, goals);
    for line in lines.iter_mut().filter(|line| line.op == "check") {
        let value = Rc::clone(&value);
        line.limit(context, "utf-8 of each", move || {
            limits::validate_each(black_box(&value));
        });
    }
    far(context, &mut lines, &value);
    lines.extend(borrowed::<_, Vec<&'static str>>(context, work, &value, vec![Goal::best(0.6)]));
    lines
}

fn w8(context: &Context) -> Vec<Line> {
    let work = "W8-blobs";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::blobs(context.size(128).max(4)));
    // Of a blob, only the head may cost; the fastest peers take a nanosecond or two for it.
    let goals = Goals {
        encode: vec![Goal::best(1.05)],
        decode: vec![Goal::best(1.05)],
        check: vec![Goal::best(2.0)],
    };
    typed(context, work, &value, goals)
}

macro_rules! push_hand_sorted {
    ($codec:ident $context:ident $line:ident $value:ident $wrapper:expr) => {
        if $codec::KIND == Kind::Plain && $context.wants_codec($codec::NAME) {
            let value = Rc::clone(&$value);
            $line.add($context, concat_name($codec::NAME), Kind::HandSorted, move || {
                drop(black_box($codec::encode(&$wrapper(black_box(&value)))));
            });
        }
    };
}

/// The name of a codec after sorting by hand.
fn concat_name(name: &str) -> &'static str {
    format!("{name} by hand").leak()
}

fn w9a(context: &Context) -> Vec<Line> {
    let work = "W9a-map-100k";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::map(context.size(100_000), 9));
    let goals = Goals {
        encode: vec![Goal::new(0.65, Against::HandSorted)],
        check: vec![Goal::best(1.0)],
        ..Goals::default()
    };
    let mut lines = typed(context, work, &value, goals);
    for line in lines.iter_mut().filter(|line| line.op == "encode") {
        each_cbor!(push_hand_sorted!(context line value data::HandSorted));
    }
    lines
}

fn w9b(context: &Context) -> Vec<Line> {
    let work = "W9b-maps-of-10";
    if !wanted(context, work) {
        return Vec::new();
    }
    let value = Rc::new(data::maps(context.size(10_000), 10));
    let goals = Goals {
        encode: vec![Goal::new(1.0, Against::HandSorted)],
        check: vec![Goal::best(1.0)],
        ..Goals::default()
    };
    let mut lines = typed(context, work, &value, goals);
    for line in lines.iter_mut().filter(|line| line.op == "encode") {
        each_cbor!(push_hand_sorted!(context line value data::HandSortedAll));
    }
    lines
}

fn w10(context: &Context) -> Vec<Line> {
    let mut lines = Vec::new();
    let log = |context: &Context| canonical(&data::log(context.size(10_000)));
    lines.extend(values(context, "W10a-value-log", log));
    let players = |context: &Context| canonical(&data::players(context.size(1_000)));
    lines.extend(values(context, "W10b-value-save", players));
    let posts = |context: &Context| canonical(&data::posts(context.size(500)));
    lines.extend(values(context, "W10c-value-posts", posts));
    let catalogue = |context: &Context| canonical(&data::catalogue(context.size(1_000)));
    lines.extend(values(context, "W10d-value-catalogue", catalogue));
    lines
}

/// What a thread makes in memory of its own. In that of the main thread the first tree would be scattered over the holes
/// that the data left, and be slower to go through than those of later codecs.
fn apart<T: Send + 'static>(make: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    std::thread::spawn(make).join().ok().flatten()
}

macro_rules! push_value {
    ($codec:ident $value:ty, $context:ident $lines:ident $bytes:ident) => {
        for line in $lines.iter_mut().filter(|_| $context.wants_codec($codec::NAME)) {
            let Some(value) = apart(move || $codec::decode::<$value>($bytes)) else { continue };
            if line.op == "encode" {
                line.add($context, $codec::NAME, $codec::KIND, move || {
                    drop(black_box($codec::encode(black_box(&value))));
                });
            } else if line.op == "decode" {
                line.add($context, $codec::NAME, $codec::KIND, move || {
                    drop(black_box($codec::decode::<$value>(black_box($bytes))));
                });
            }
        }
    };
}

macro_rules! push_sorting_value {
    ($codec:ident $value:ty, $by:ident $context:ident $lines:ident $bytes:ident) => {
        for line in $lines.iter_mut().filter(|line| line.op == "encode") {
            let Some(value) = apart(move || $by::decode::<$value>($bytes)) else { continue };
            line.add($context, $codec::NAME, $codec::KIND, move || {
                drop(black_box($codec::encode(black_box(&value))));
            });
        }
    };
}

/// Trees of each codec's own type.
fn values(
    context: &Context,
    work: &'static str,
    bytes: fn(&Context) -> &'static [u8],
) -> Vec<Line> {
    if !wanted(context, work) {
        return Vec::new();
    }
    let bytes = bytes(context);
    let goals: [(&'static str, Vec<Goal>); 2] = [
        ("encode", vec![Goal::new(0.45, BEST), Goal::new(0.1, SORTING)]),
        ("decode", vec![Goal::best(0.45)]),
    ];
    let lines = goals.into_iter().filter_map(|(op, goals)| line(context, work, op, goals));
    let mut lines: Vec<Line> = lines.collect();
    push_value!(Calibor Value, context lines bytes);
    push_value!(Ciborium ciborium::Value, context lines bytes);
    push_value!(Cbor4ii cbor4ii::core::Value, context lines bytes);
    push_value!(SerdeCbor serde_cbor::Value, context lines bytes);
    push_value!(Cbor2 cbor2::Value, context lines bytes);
    push_value!(C2pa c2pa_cbor::Value, context lines bytes);
    push_sorting_value!(Cbor2Canonical cbor2::Value, Cbor2 context lines bytes);
    push_sorting_value!(C2paDeterministic c2pa_cbor::Value, C2pa context lines bytes);
    for line in lines.iter_mut().filter(|line| line.op == "encode") {
        let Some(value) = apart(move || Calibor::decode::<Value>(bytes)) else { continue };
        line.limit(context, "calibor Value::encode", move || {
            drop(black_box(black_box(&value).encode(Profile::CORE)));
        });
    }
    lines.extend(check_line(context, work, bytes, vec![Goal::best(1.0)]));
    lines
}

/// Messages one at a time, out of 64 that differ, so that no branch is learnt by heart.
macro_rules! push_messages {
    ($codec:ident $context:ident $lines:ident $messages:ident $all:ident $type:ty) => {
        if $context.wants_codec($codec::NAME) {
            let readable = $all.iter().all(|(value, bytes)| {
                $codec::decode::<$type>(bytes).is_some_and(|back| back == *value)
            });
            let writable = $codec::encode(&$all[0].0).is_some();
            for line in $lines.iter_mut() {
                if line.op == "encode" && writable {
                    let all = Rc::clone(&$all);
                    line.add($context, $codec::NAME, $codec::KIND, move || {
                        for (value, _) in all.iter() {
                            drop(black_box($codec::encode(black_box(value))));
                        }
                    });
                } else if line.op == "decode" && readable {
                    let all = Rc::clone(&$all);
                    line.add($context, $codec::NAME, $codec::KIND, move || {
                        for (_, bytes) in all.iter() {
                            drop(black_box($codec::decode::<$type>(black_box(bytes))));
                        }
                    });
                }
            }
        }
    };
}

fn w11(context: &Context) -> Vec<Line> {
    let mut lines = messages_of_claims(context);
    lines.extend(messages_of_sign1(context));
    lines
}

macro_rules! messages {
    ($name:ident $work:literal $type:ty, $make:path) => {
        fn $name(context: &Context) -> Vec<Line> {
            if !wanted(context, $work) {
                return Vec::new();
            }
            let all = $make(64).into_iter().map(|value| (canonical(&value), value));
            let all: Rc<Vec<($type, &'static [u8])>> = Rc::new(all.map(|(b, v)| (v, b)).collect());
            let goals: [(&'static str, Vec<Goal>); 2] = [
                ("encode", vec![Goal::new(1.2, BEST), Goal::new(1.0 / 6.0, SORTING)]),
                ("decode", vec![Goal::best(0.55)]),
            ];
            let lines = goals.into_iter().filter_map(|(op, goals)| line(context, $work, op, goals));
            let mut lines: Vec<Line> = lines.collect();
            each_cbor!(push_messages!(context lines messages all $type));
            lines
        }
    };
}

messages!(messages_of_claims "W11a-claims-104" data::Claims, data::claims);
messages!(messages_of_sign1 "W11b-sign1-158" data::Sign1, data::sign1);

/// Bytes to bytes. What has to be done at least is a check, and a copy.
fn canonicalize(context: &Context) -> Vec<Line> {
    let work = "canonicalize";
    let ops = ["of canonical", "of unsorted", "of indefinite"];
    if !ops.iter().any(|op| context.wants(work, op)) {
        return Vec::new();
    }
    let value = data::log(context.size(10_000));
    let sorted = canonical(&value);
    let unsorted: &'static [u8] = Cbor4ii::encode(&value).unwrap_or_default().leak();
    let indefinite: &'static [u8] = limits::indefinite(&value).leak();
    let inputs = [
        (sorted, Goal::new(1.1, Against::Case("check + memcpy"))),
        (unsorted, Goal::new(2.0, Against::Case("check"))),
        (indefinite, Goal::new(2.0, Against::Case("check"))),
    ];
    let mut lines = Vec::new();
    for (op, (input, goal)) in ops.into_iter().zip(inputs) {
        let Some(mut line) = line(context, work, op, vec![goal]) else { continue };
        assert!(Profile::CORE.canonicalize(input).is_ok_and(|out| out == sorted), "{op}");
        line.add(context, "calibor", Kind::Ours, move || {
            drop(black_box(Profile::CORE.canonicalize(black_box(input))));
        });
        line.limit(context, "check", move || {
            drop(black_box(Profile::CORE.check(black_box(sorted))));
        });
        line.limit(context, "check + memcpy", move || {
            drop(black_box(Profile::CORE.check(black_box(sorted))));
            drop(black_box(black_box(sorted).to_vec()));
        });
        line.add(context, "cbor2-canon", Kind::Sorting, move || {
            let value: Option<cbor2::Value> = cbor2::from_slice(black_box(input)).ok();
            drop(black_box(value.map(|value| cbor2::to_canonical_vec(&value))));
        });
        line.add(context, "c2pa-det", Kind::Sorting, move || {
            let value: Option<c2pa_cbor::Value> = c2pa_cbor::from_slice(black_box(input)).ok();
            drop(black_box(value.map(|value| c2pa_cbor::to_vec_deterministic(&value))));
        });
        lines.push(line);
    }
    lines
}

/// A reader instead of a slice, a writer instead of a vector.
fn streams(context: &Context) -> Vec<Line> {
    let work = "streams";
    let ops = ["from a reader", "to a writer"];
    if !ops.iter().any(|op| context.wants(work, op)) {
        return Vec::new();
    }
    let value = Rc::new(data::log(context.size(10_000)));
    let bytes = canonical(&*value);
    let mut lines = Vec::new();
    if let Some(mut line) =
        line(context, work, ops[0], vec![Goal::new(1.3, Against::Case("slice"))])
    {
        line.add(context, "calibor", Kind::Ours, move || {
            let reader = BufReader::new(black_box(bytes));
            drop(black_box(calibor::from_reader::<_, Vec<data::Log>>(reader)));
        });
        line.limit(context, "slice", move || {
            drop(black_box(calibor::from_slice::<Vec<data::Log>>(black_box(bytes))));
        });
        line.add(context, "ciborium", Kind::Plain, move || {
            let reader = BufReader::new(black_box(bytes));
            drop(black_box(ciborium::from_reader::<Vec<data::Log>, _>(reader).ok()));
        });
        line.add(context, "serde_cbor", Kind::Plain, move || {
            let reader = BufReader::new(black_box(bytes));
            drop(black_box(serde_cbor::from_reader::<Vec<data::Log>, _>(reader).ok()));
        });
        line.add(context, "cbor4ii", Kind::Plain, move || {
            let reader = BufReader::new(black_box(bytes));
            drop(black_box(cbor4ii::serde::from_reader::<Vec<data::Log>, _>(reader).ok()));
        });
        line.add(context, "cbor2", Kind::Plain, move || {
            let reader = BufReader::new(black_box(bytes));
            drop(black_box(cbor2::from_reader::<Vec<data::Log>, _>(reader).ok()));
        });
        lines.push(line);
    }
    if let Some(mut line) =
        line(context, work, ops[1], vec![Goal::new(1.3, Against::Case("vector"))])
    {
        let (ours, vector) = (Rc::clone(&value), Rc::clone(&value));
        line.add(context, "calibor", Kind::Ours, move || {
            let mut out = Vec::new();
            drop(black_box(calibor::to_writer(&mut out, black_box(&*ours))));
            drop(black_box(out));
        });
        line.limit(context, "vector", move || {
            drop(black_box(calibor::to_vec(black_box(&*vector))));
        });
        lines.push(line);
    }
    lines
}

/// The same number of levels, in shallow messages and in deep ones.
fn depth(context: &Context) -> Vec<Line> {
    let work = "depth-10-to-250";
    if !wanted(context, work) {
        return Vec::new();
    }
    let profile = Profile::CORE.max_depth(2_000);
    let levels = context.size(10_000);
    let make = |depth| (data::nested(depth), levels / depth);
    let mut lines = Vec::new();
    let goal = Goal::new(1.2, Against::Case("depth 10"));
    for op in ["encode", "decode", "check"] {
        let Some(mut line) = line(context, work, op, vec![goal]) else { continue };
        for depth in [10, 50, 250] {
            let (value, times) = make(depth);
            let name =
                ["depth 10", "depth 50", "calibor"][[10, 50, 250].partition_point(|&d| d < depth)];
            let kind = if depth == 250 { Kind::Ours } else { Kind::Limit };
            let bytes = profile.encode(&value).expect("workloads can be encoded");
            match op {
                "encode" => line.add(context, name, kind, move || {
                    for _ in 0..times {
                        drop(black_box(profile.encode(black_box(&value))));
                    }
                }),
                "decode" => line.add(context, name, kind, move || {
                    for _ in 0..times {
                        drop(black_box(profile.decode::<data::Nested>(black_box(&bytes))));
                    }
                }),
                _ => line.add(context, name, kind, move || {
                    for _ in 0..times {
                        black_box(profile.check(black_box(&bytes))).expect("canonical");
                    }
                }),
            }
        }
        lines.push(line);
    }
    lines
}

/// Ten times the input in the time of ten: anything above 1 is more than linear, or the cache.
fn growth(context: &Context) -> Vec<Line> {
    let mut lines = Vec::new();
    let log = |factor| data::log(1_000 * factor);
    lines.extend(growing::<Vec<data::Log>>(context, "growth-log", log));
    let ints = |factor| data::small(100_000 * factor);
    lines.extend(growing::<Vec<u64>>(context, "growth-small-ints", ints));
    // Not a hash table, whose own leaps through memory would be what is measured.
    let map = |factor| data::map(10_000 * factor, 9).into_iter().collect();
    lines.extend(growing::<BTreeMap<String, u64>>(context, "growth-map", map));
    // 100 MB and 1 GB: both are fresh pages from the system, which 10 MB would not be.
    let text = |factor| "canonical ".repeat(1_000_000 * factor);
    lines.extend(growing::<String>(context, "growth-text", text));
    lines
}

fn growing<T>(context: &Context, work: &'static str, make: fn(usize) -> T) -> Vec<Line>
where
    T: Serialize + DeserializeOwned + 'static,
{
    if !wanted(context, work) {
        return Vec::new();
    }
    // Both are beyond the nearer caches, but not equally far: linear is not quite 1.
    let goal = Goal::new(1.5, Against::Case("a tenth, ten times"));
    let mut lines = Vec::new();
    for op in ["encode", "decode", "check"] {
        let Some(mut line) = line(context, work, op, vec![goal]) else { continue };
        for (factor, times) in [(1, 10), (10, 1)] {
            let value = make(context.size(10).max(1) * factor);
            let bytes = canonical(&value);
            let (name, kind) = if factor == 1 {
                ("a tenth, ten times", Kind::Limit)
            } else {
                ("calibor", Kind::Ours)
            };
            match op {
                "encode" => line.add(context, name, kind, move || {
                    for _ in 0..times {
                        drop(black_box(calibor::to_vec(black_box(&value))));
                    }
                }),
                "decode" => line.add(context, name, kind, move || {
                    for _ in 0..times {
                        drop(black_box(calibor::from_slice::<T>(black_box(bytes))));
                    }
                }),
                _ => line.add(context, name, kind, move || {
                    for _ in 0..times {
                        black_box(Profile::CORE.check(black_box(bytes))).expect("canonical");
                    }
                }),
            }
        }
        lines.push(line);
    }
    lines
}
