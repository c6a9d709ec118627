//! Lines of the table and how they are measured.

use crate::alloc::{self, Use};
use crate::codecs::Kind;
use crate::data::Random;
use std::time::Duration;

/// One piece of work, done once; whatever it makes is dropped in it too.
pub type Run = Box<dyn FnMut()>;

/// One codec doing the work of a line.
pub struct Case {
    pub codec: &'static str,
    pub kind: Kind,
    /// It could not read the deterministic bytes and decodes its own.
    pub own: bool,
    /// It writes floats in their shortest form.
    pub short: bool,
    pub run: Run,
}

/// What a goal compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The fastest codec that does not sort, or for decoding the fastest of all.
    Best,
    /// The fastest of those that write floats in their shortest form.
    Shortening,
    /// The fastest of those that read the deterministic bytes.
    Reading,
    /// The fastest of those that sort.
    Sorting,
    /// The fastest after sorting by hand.
    HandSorted,
    /// Another case of the same line.
    Case(&'static str),
}

/// At most this ratio of our time to another's.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    pub most: f64,
    pub against: Against,
}

impl Goal {
    pub const fn new(most: f64, against: Against) -> Self {
        Goal { most, against }
    }

    pub const fn best(most: f64) -> Self {
        Goal::new(most, Against::Best)
    }
}

pub struct Line {
    pub work: &'static str,
    pub op: &'static str,
    pub goals: Vec<Goal>,
    pub cases: Vec<Case>,
}

/// Which lines and cases to make, and how large.
#[derive(Clone, Default)]
pub struct Context {
    pub filters: Vec<String>,
    /// Only this codec.
    pub only: Option<String>,
    /// Sizes are divided by this.
    pub scale: usize,
}

impl Context {
    /// Whether a line is wanted: `W5` takes W5a to W5d and not W50, `W1-log encode` one line, `decode` all of them.
    pub fn wants(&self, work: &str, op: &str) -> bool {
        let name = format!("{work} {op}");
        self.filters.is_empty()
            || self.filters.iter().any(|filter| {
                let prefix = name.strip_prefix(filter.as_str());
                let prefix =
                    prefix.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
                prefix || op == filter
            })
    }

    pub fn wants_codec(&self, codec: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == codec)
    }

    pub fn size(&self, full: usize) -> usize {
        full / self.scale.max(1)
    }
}

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: usize,
    pub sample: Duration,
}

impl Effort {
    pub const QUICK: Effort = Effort { rounds: 9, sample: Duration::from_millis(1) };
    pub const FULL: Effort = Effort { rounds: 31, sample: Duration::from_millis(4) };
}

/// The samples of a case in seconds for one run of its work, by round.
pub struct Measured {
    pub codec: &'static str,
    pub kind: Kind,
    pub own: bool,
    pub short: bool,
    pub samples: Vec<Option<f64>>,
    pub memory: Use,
}

impl Measured {
    pub fn median(&self) -> f64 {
        quantile(self.samples.iter().flatten().copied(), 0.5)
    }

    /// The median of the ratios to another case, each from one round, and the tenth and ninetieth percentile.
    ///
    /// The machine may be slow for seconds at a time; both sides of a ratio then are.
    pub fn ratio(&self, other: &Measured) -> Ratio {
        let pairs = self.samples.iter().zip(&other.samples);
        let ratios: Vec<f64> = pairs.filter_map(|(a, b)| Some((*a)? / (*b)?)).collect();
        let at = |q| quantile(ratios.iter().copied(), q);
        Ratio { median: at(0.5), low: at(0.1), high: at(0.9) }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

fn quantile(values: impl Iterator<Item = f64>, q: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    values.get((last * q).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Measures all cases of a line, one sample of each in a new order in every round.
pub fn measure(line: &mut Line, effort: Effort) -> Vec<Measured> {
    let mut measured = Vec::new();
    let mut repeats = Vec::new();
    for case in &mut line.cases {
        (case.run)();
        let memory = alloc::count(&mut case.run);
        let once = sample(&mut case.run, 1).max(1e-9);
        let wanted = effort.sample.as_secs_f64();
        repeats.push(((wanted / once).ceil() as usize).clamp(1, 1 << 20));
        measured.push(Measured {
            codec: case.codec,
            kind: case.kind,
            own: case.own,
            short: case.short,
            samples: Vec::new(),
            memory,
        });
    }
    let mut order: Vec<usize> = (0..line.cases.len()).collect();
    let mut random = Random::new(99);
    for round in 0..effort.rounds {
        random.shuffle(&mut order);
        for &at in &order {
            // The slowest peers need not be known as well as the fastest.
            let slow = measured[at].samples.first().is_some_and(|s| s.is_some_and(|s| s > 0.06));
            let taken = round == 0 || !slow || round % 4 == 0;
            let time = taken.then(|| sample(&mut line.cases[at].run, repeats[at]));
            measured[at].samples.push(time);
        }
    }
    measured
}

/// Seconds for one of `repeats` runs.
pub fn sample(run: &mut dyn FnMut(), repeats: usize) -> f64 {
    let start = alloc::now();
    for _ in 0..repeats {
        run();
    }
    (alloc::now() - start) / repeats as f64
}
