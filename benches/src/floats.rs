//! The numeric core beside its peers: nanoseconds are the machine's, the ratios are what the document keeps.

use crate::codecs::Kind;
use crate::data::{self, Random};
use crate::measure::{Case, Effort, Line, Measured, Run, measure};
use crate::report;
use calibor::float::{BF16, F8E4M3FN, F8E5M2, F16, Overflow, Shortest, SmallFloat, slice};
use half::slice::HalfFloatSliceExt;
use std::fmt::Write as _;
use std::hint::black_box;

/// Fits the first-level cache with its result.
const CACHED: usize = 4 << 10;
/// Fits no cache.
const DRAM: usize = 16 << 20;

type Cases = Vec<(&'static str, Run)>;

fn case(name: &'static str, run: impl FnMut() + 'static) -> (&'static str, Run) {
    (name, Box::new(run))
}

/// How an encoder without a ladder of its own finds the shortest width: convert down, compare back.
fn half_ladder(value: f64) -> (u32, u64) {
    let narrow = value as f32;
    if f64::from(narrow).to_bits() != value.to_bits() {
        return (3, value.to_bits());
    }
    let small = half::f16::from_f32(narrow);
    if small.to_f32().to_bits() == narrow.to_bits() {
        (1, u64::from(small.to_bits()))
    } else {
        (2, u64::from(narrow.to_bits()))
    }
}

fn fold(values: &[f64], mut one: impl FnMut(u64) -> u64) {
    let mut sum = 0u64;
    for value in black_box(values) {
        sum = sum.wrapping_add(one(value.to_bits()));
    }
    black_box(sum);
}

fn ladders(values: &[f64]) -> Cases {
    let (a, b, c) = (values.to_vec(), values.to_vec(), values.to_vec());
    vec![
        case("calibor", move || {
            fold(&a, |bits| {
                let (width, bits) = calibor::float::narrowest(bits);
                bits + u64::from(width)
            });
        }),
        case("calibor shortest", move || {
            fold(&b, |bits| match calibor::float::shortest_bits(bits) {
                Shortest::F16(bits) => bits.into(),
                Shortest::F32(bits) => bits.into(),
                Shortest::F64(bits) => bits,
            });
        }),
        case("half, down and back", move || {
            fold(&c, |bits| {
                let (width, bits) = half_ladder(f64::from_bits(bits));
                bits + u64::from(width)
            });
        }),
    ]
}

fn singles(count: usize) -> Vec<f32> {
    let mut r = Random::new(77);
    (0..count).map(|_| (r.unit() as f32 - 0.5) * 200.0).collect()
}

fn narrow<T: SmallFloat + Default>(from: &[f32]) -> Run {
    let (from, mut to) = (from.to_vec(), vec![T::default(); from.len()]);
    Box::new(move || {
        slice::from_f32_into(black_box(&from), &mut to, Overflow::Ieee).expect("same length");
        black_box(&to);
    })
}

fn widen<T: SmallFloat>(from: &[f32]) -> Run {
    let from: Vec<T> = slice::from_f32(from, Overflow::Ieee);
    let mut to = vec![0f32; from.len()];
    Box::new(move || {
        slice::to_f32_into(black_box(&from), &mut to).expect("same length");
        black_box(&to);
    })
}

/// The default build, without feature `simd`.
const PORTABLE: &str = "without simd";

macro_rules! portable_narrow {
    ($type:ident, $from:expr) => {{
        use calibor_portable::float::{self, $type};
        let (from, mut to) = ($from.to_vec(), vec![$type::default(); $from.len()]);
        let run: Run = Box::new(move || {
            float::slice::from_f32_into(black_box(&from), &mut to, float::Overflow::Ieee)
                .expect("same length");
            black_box(&to);
        });
        (PORTABLE, run)
    }};
}

macro_rules! portable_widen {
    ($type:ident, $from:expr) => {{
        use calibor_portable::float::{self, $type};
        let from: Vec<$type> = $from.iter().map(|&x| $type::from_f32(x)).collect();
        let mut to = vec![0f32; from.len()];
        let run: Run = Box::new(move || {
            float::slice::to_f32_into(black_box(&from), &mut to).expect("same length");
            black_box(&to);
        });
        (PORTABLE, run)
    }};
}

macro_rules! half_narrow {
    ($type:ty, $from:expr) => {{
        let (from, mut to) = ($from.to_vec(), vec![<$type>::default(); $from.len()]);
        let run: Run = Box::new(move || {
            to.convert_from_f32_slice(black_box(&from));
            black_box(&to);
        });
        run
    }};
}

macro_rules! half_widen {
    ($type:ty, $from:expr) => {{
        let from: Vec<$type> = $from.iter().map(|&x| <$type>::from_f32(x)).collect();
        let mut to = vec![0f32; from.len()];
        let run: Run = Box::new(move || {
            black_box(&from).convert_to_f32_slice(&mut to);
            black_box(&to);
        });
        run
    }};
}

/// What memory allows.
fn copy(from: &[f32]) -> Run {
    let (from, mut to) = (from.to_vec(), vec![0f32; from.len()]);
    Box::new(move || {
        to.copy_from_slice(black_box(&from));
        black_box(&to);
    })
}

/// For crates without slices: what their users write.
fn each<A: Copy + 'static, B: Clone + Default + 'static>(
    from: Vec<A>,
    convert: impl Fn(A) -> B + 'static,
) -> Run {
    let mut to = vec![B::default(); from.len()];
    Box::new(move || {
        for (to, from) in to.iter_mut().zip(black_box(&from)) {
            *to = convert(*from);
        }
        black_box(&to);
    })
}

fn small_narrow(from: &[f32]) -> Cases {
    vec![
        ("calibor", narrow::<F8E4M3FN>(from)),
        portable_narrow!(F8E4M3FN, from),
        ("float8", each(from.to_vec(), |x| float8::F8E4M3::from_f32(x).to_bits())),
        ("microfloat", each(from.to_vec(), |x| microfloat::f8e4m3fn::from_f32(x).to_bits())),
    ]
}

fn small_widen(from: &[f32]) -> Cases {
    let codes: Vec<u8> = from.iter().map(|&x| F8E4M3FN::from_f32(x).to_bits()).collect();
    vec![
        ("calibor", widen::<F8E4M3FN>(from)),
        portable_widen!(F8E4M3FN, from),
        ("float8", each(codes.clone(), |x| float8::F8E4M3::from_bits(x).to_f32())),
        ("microfloat", each(codes, |x| microfloat::f8e4m3fn::from_bits(x).to_f32())),
    ]
}

fn small_narrow_e5m2(from: &[f32]) -> Cases {
    vec![
        ("calibor", narrow::<F8E5M2>(from)),
        portable_narrow!(F8E5M2, from),
        ("float8", each(from.to_vec(), |x| float8::F8E5M2::from_f32(x).to_bits())),
        ("microfloat", each(from.to_vec(), |x| microfloat::f8e5m2::from_f32(x).to_bits())),
    ]
}

/// Prints nanoseconds for each value, and writes the section of ratios.
pub fn run(effort: Effort) -> std::io::Result<()> {
    let count = 1 << 16;
    let cached = singles(CACHED);
    let dram = singles(DRAM);
    let groups: Vec<(&str, usize, Cases)> = vec![
        ("shortest width, all exact in f16", count, ladders(&data::halves(count))),
        ("shortest width, all exact in f32", count, ladders(&data::singles(count))),
        ("shortest width, random f64", count, ladders(&data::doubles(count))),
        ("shortest width, a third of each", count, ladders(&data::mixed(count))),
        (
            "f32 to f16, in cache",
            CACHED,
            vec![
                ("calibor", narrow::<F16>(&cached)),
                portable_narrow!(F16, cached),
                ("half", half_narrow!(half::f16, cached)),
            ],
        ),
        (
            "f16 to f32, in cache",
            CACHED,
            vec![
                ("calibor", widen::<F16>(&cached)),
                portable_widen!(F16, cached),
                ("half", half_widen!(half::f16, cached)),
            ],
        ),
        (
            "f32 to bf16, in cache",
            CACHED,
            vec![
                ("calibor", narrow::<BF16>(&cached)),
                portable_narrow!(BF16, cached),
                ("half", half_narrow!(half::bf16, cached)),
            ],
        ),
        (
            "bf16 to f32, in cache",
            CACHED,
            vec![
                ("calibor", widen::<BF16>(&cached)),
                portable_widen!(BF16, cached),
                ("half", half_widen!(half::bf16, cached)),
            ],
        ),
        ("f32 to f8e4m3fn, in cache", CACHED, small_narrow(&cached)),
        ("f8e4m3fn to f32, in cache", CACHED, small_widen(&cached)),
        ("f32 to f8e5m2, in cache", CACHED, small_narrow_e5m2(&cached)),
        (
            "f32 to f16, in memory",
            DRAM,
            vec![
                ("calibor", narrow::<F16>(&dram)),
                portable_narrow!(F16, dram),
                ("half", half_narrow!(half::f16, dram)),
                ("copy", copy(&dram)),
            ],
        ),
        (
            "bf16 to f32, in memory",
            DRAM,
            vec![
                ("calibor", widen::<BF16>(&dram)),
                portable_widen!(BF16, dram),
                ("half", half_widen!(half::bf16, dram)),
                ("copy", copy(&dram)),
            ],
        ),
    ];
    let mut rows = String::new();
    for (name, count, cases) in groups {
        let cases = cases.into_iter().map(|(codec, run)| Case {
            codec,
            kind: if codec == "calibor" { Kind::Ours } else { Kind::Plain },
            own: false,
            short: false,
            run,
        });
        let mut line = Line { work: "floats", op: "", goals: Vec::new(), cases: cases.collect() };
        let measured = measure(&mut line, effort);
        println!("{name}");
        for case in &measured {
            println!("    {:24} {:8.3} ns each", case.codec, case.median() * 1e9 / count as f64);
        }
        let _ = writeln!(rows, "| {name} | {} |", ratios(&measured).join(" | "));
    }
    let body = format!(
        "## The numeric core

Time for each value as a multiple of Calibor's with feature `simd`; above 1 is slower than Calibor. `without simd` is the default build.
The compiler's baseline target, no flags. `half` uses the processor's conversion instructions where it finds them;
`half, down and back` is the usual way to the shortest width. `copy` is from one `Vec<f32>` to another, which is a third more bytes.
half {}, float8 {}, microfloat {}. Rounding from binary64 is not compared: the peers round twice, or cut bits off.

| conversion | peers |
|---|---|
{rows}
    cargo run --release --manifest-path benches/Cargo.toml -- floats
",
        report::version("half"),
        report::version("float8"),
        report::version("microfloat"),
    );
    report::replace_section("floats", &body)
}

fn ratios(measured: &[Measured]) -> Vec<String> {
    let Some(ours) = measured.iter().find(|case| case.kind == Kind::Ours) else {
        return Vec::new();
    };
    let others = measured.iter().filter(|case| case.kind != Kind::Ours);
    vec![
        others
            .map(|case| format!("{} {:.2}", case.codec, case.ratio(ours).median))
            .collect::<Vec<_>>()
            .join(", "),
    ]
}
