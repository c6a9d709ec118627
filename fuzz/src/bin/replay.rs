//! Runs every target over its seeds, and over what has been found since if asked: `replay [--corpus] [TARGET...]`.
//! Needs no fuzzer and no nightly compiler.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let (options, names): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    let corpus = match options.as_slice() {
        [] => false,
        [option] if option == "--corpus" => true,
        _ => {
            eprintln!("usage: replay [--corpus] [TARGET...]");
            return ExitCode::from(2);
        }
    };
    let chosen = |name: &str| names.is_empty() || names.iter().any(|it| it == name);
    let mut failed = 0;
    for target in calibor_fuzz::TARGETS.into_iter().filter(|target| chosen(target.name)) {
        let began = Instant::now();
        let seeds = (target.seeds)();
        let kept = if corpus { found(target.name) } else { Vec::new() };
        let fails = |ask: &dyn Fn()| catch_unwind(AssertUnwindSafe(ask)).is_err();
        let failures = seeds.iter().filter(|seed| fails(&|| target.ask_all(seed))).count()
            + kept.iter().filter(|input| fails(&|| target.ask_one(input))).count();
        println!(
            "{}: {} inputs, {failures} failed, {:.1?}",
            target.name,
            seeds.len() + kept.len(),
            began.elapsed()
        );
        failed += failures;
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What `cargo fuzz` has kept.
fn found(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| fs::read(entry.ok()?.path()).ok()).collect()
}
