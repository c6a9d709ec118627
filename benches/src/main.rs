//! Calibor measured beside its peers. `bench help` says how.
#![recursion_limit = "512"]

mod alloc;
mod chart;
mod codecs;
#[cfg(feature = "peers")]
mod conformance;
mod data;
mod floats;
#[cfg(feature = "peers")]
mod groups;
mod instructions;
mod limits;
mod measure;
mod report;
mod size;
mod tensors;
mod workloads;

use measure::{Context, Effort};
use report::Results;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

const HELP: &str = "\
bench COMMAND [OPTIONS]

  table [--quick] [--filter LINE]...    every workload and codec; without --filter it writes docs/performance.md and .svg
  floats [--quick]                      the numeric core beside half, float8 and microfloat; writes its section
  instructions [--check] [--write] [--peers] [--filter LINE]...
                                        instructions by callgrind, beside the bounds of benches/instructions.json;
                                        --check fails where one is exceeded by 5 %, --write makes the counts the bounds,
                                        --peers prints ratios to the peers' counts
  size                                  code size and compile time of derived types; writes its section
  conformance                           what each codec accepts of the vectors; writes its table in COMPARE.md
  criterion [--filter LINE]...          the same lines as groups of criterion, a function for each codec, beside its run before
  profile LINE [--codec NAME] [--seconds N | --times N] [--scale N]
                                        one workload in a loop, for perf and callgrind
  list                                  the names of the lines
  help

Built with --no-default-features it knows Calibor alone in most lines, and is built in a fraction of the time: enough for
`instructions` and `profile`.

LINE is the beginning of a line's name, such as `W1-log`, `W5`, `\"W1-log decode\"`, or an operation, such as `decode`.
";

struct Options {
    flags: Vec<String>,
    filters: Vec<String>,
    words: Vec<String>,
    codec: String,
    seconds: u64,
    times: Option<usize>,
    scale: usize,
}

impl Options {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options {
            flags: Vec::new(),
            filters: Vec::new(),
            words: Vec::new(),
            codec: "calibor".into(),
            seconds: 5,
            times: None,
            scale: 1,
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            let number =
                |text: String| text.parse::<usize>().map_err(|_| format!("{text} is no number"));
            match argument.as_str() {
                "--filter" => options.filters.push(value()?),
                "--codec" => options.codec = value()?,
                "--seconds" => options.seconds = number(value()?)? as u64,
                "--times" => options.times = Some(number(value()?)?),
                "--scale" => options.scale = number(value()?)?,
                "--quick" | "--check" | "--write" | "--peers" => options.flags.push(argument),
                _ if argument.starts_with('-') => return Err(format!("unknown option {argument}")),
                _ => options.words.push(argument),
            }
        }
        Ok(options)
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    fn context(&self) -> Context {
        Context { filters: self.filters.clone(), only: None, scale: self.scale }
    }

    fn effort(&self) -> Effort {
        if self.has("--quick") { Effort::QUICK } else { Effort::FULL }
    }
}

fn main() -> ExitCode {
    alloc::keep_memory();
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_else(|| "help".into());
    let done =
        Options::read(arguments).map_err(Into::into).and_then(|options| run(&command, &options));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: &str, options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    match command {
        "table" => table(options)?,
        "floats" => floats::run(options.effort())?,
        "instructions" => {
            let (check, write) = (options.has("--check"), options.has("--write"));
            return instructions::run(check, write, options.has("--peers"), &options.filters);
        }
        "size" => size::run()?,
        #[cfg(feature = "peers")]
        "conformance" => conformance::run()?,
        #[cfg(feature = "peers")]
        "criterion" => groups::run(&options.context()),
        "profile" => profile(options)?,
        "list" => {
            let context = Context { only: Some("none".into()), scale: 1000, ..Context::default() };
            for line in workloads::WORKLOADS.iter().flat_map(|build| build(&context)) {
                println!("{} {}", line.work, line.op);
            }
        }
        "help" | "--help" | "-h" => print!("{HELP}"),
        _ => return Err(format!("unknown command {command}\n\n{HELP}").into()),
    }
    Ok(true)
}

/// The build profile this program was built in, which is the name of its folder.
fn build_profile() -> String {
    let path = std::env::current_exe().ok();
    let folder = path.as_ref().and_then(|path| path.parent()?.file_name());
    folder.map_or_else(|| "release".into(), |folder| folder.to_string_lossy().into_owned())
}

fn table(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let context = options.context();
    let mut results = Results::default();
    for build in workloads::WORKLOADS {
        for mut line in build(&context) {
            let measured = measure::measure(&mut line, options.effort());
            results.add(&line, &measured);
            report::print_line(&results, &line, &measured);
        }
    }
    if !options.filters.is_empty() || options.scale != 1 || cfg!(not(feature = "peers")) {
        return Ok(());
    }
    let profile = build_profile();
    report::keep(&results, &profile)?;
    let (results, nolto) = match &*profile {
        "release" => (results, report::kept_results("nolto")),
        // The page is about the release build; others only add a column.
        _ => (report::kept_results("release").unwrap_or_default(), Some(results)),
    };
    std::fs::create_dir_all(report::docs())?;
    let page = report::document(&results, nolto.as_ref(), options.has("--quick"));
    std::fs::write(report::docs().join("performance.md"), page)?;
    std::fs::write(report::docs().join("performance.svg"), chart::svg(&results))?;
    Ok(())
}

fn profile(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let name = options.words.first().ok_or("profile needs the name of a line")?;
    let line = instructions::find(name, &options.codec, options.scale);
    let mut line = line.ok_or_else(|| format!("no line {name}; see `bench list`"))?;
    let case =
        line.cases.first_mut().ok_or_else(|| format!("{} cannot do {name}", options.codec))?;
    if let Some(times) = options.times {
        // What only the first run has to do, such as the allocator's tidying up after the data was made, is not counted.
        (case.run)();
        instructions::measured_region(&mut case.run, times);
        return Ok(());
    }
    let (start, mut times) = (Instant::now(), 0u64);
    while start.elapsed() < Duration::from_secs(options.seconds) {
        instructions::measured_region(&mut case.run, 1);
        times += 1;
    }
    println!("{name}: {times} times, {:?} each", start.elapsed() / times.max(1) as u32);
    Ok(())
}
