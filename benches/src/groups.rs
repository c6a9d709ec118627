//! The lines as groups of criterion, for who wants its statistics of one codec from run to run.
//!
//! The table needs ratios, for which all codecs have to be measured in one round; criterion measures one after the other.

use crate::measure::Context;
use crate::workloads;
use criterion::Criterion;
use std::time::Duration;

/// Measures the wanted lines, a group for each and a function for each codec; criterion keeps what it finds in
/// `target/criterion`.
pub fn run(context: &Context) {
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    for build in workloads::WORKLOADS {
        for mut line in build(context) {
            let mut group = criterion.benchmark_group(format!("{} {}", line.work, line.op));
            for case in &mut line.cases {
                group.bench_function(case.codec, |bencher| bencher.iter(&mut case.run));
            }
            group.finish();
        }
    }
    criterion.final_summary();
}
