//! The command line: which commands there are, and what they have in common.

use crate::console::{Console, Fault, Status};
use crate::{
    canon, check, diff, dump, float, from_edn, from_json, get, hash, manual, profiles, seq, show,
    tensors, to_json,
};
use anstream::ColorChoice;
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

/// Canonical CBOR: is it, why not, and make it so.
///
/// Every command reads binary, hex (any layout), base64 and diagnostic notation (EDN), from files or from
/// standard input, and finds out which it is.
#[derive(Parser)]
#[command(name = "calibor", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// When to colour the output
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    color: Color,

    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  calibor FILE                       what is in it
  calibor check FILE                 is it canonical, and if not, where and why not
  calibor check -p dag-cbor DIR      the same for every CBOR file under a directory
  calibor canon FILE -o OUT          make it canonical

Exit status: 0 yes, 1 the data is at fault, 2 the command line is, 3 a file cannot be read or written.";

#[derive(Subcommand)]
enum Command {
    Show(show::Args),
    Dump(dump::Args),
    Check(check::Args),
    Canon(canon::Args),
    Diff(diff::Args),
    Get(get::Args),
    ToJson(to_json::Args),
    FromJson(from_json::Args),
    FromEdn(from_edn::Args),
    Hash(hash::Args),
    Seq(seq::Args),
    Profiles(profiles::Args),
    Float(float::Args),
    Tensors(tensors::Args),
    Completions(manual::Completions),
    Man(manual::Man),
}

impl Command {
    fn run(self, console: &mut Console) -> Result<(), Fault> {
        match self {
            Command::Show(args) => args.run(console),
            Command::Dump(args) => args.run(console),
            Command::Check(args) => args.run(console),
            Command::Canon(args) => args.run(console),
            Command::Diff(args) => args.run(console),
            Command::Get(args) => args.run(console),
            Command::ToJson(args) => args.run(console),
            Command::FromJson(args) => args.run(console),
            Command::FromEdn(args) => args.run(console),
            Command::Hash(args) => args.run(console),
            Command::Seq(args) => args.run(console),
            Command::Profiles(args) => args.run(console),
            Command::Float(args) => args.run(console),
            Command::Tensors(args) => args.run(console),
            Command::Completions(args) => args.run(console),
            Command::Man(args) => args.run(console),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// Runs the command that `args` ask for.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = Cli::parse_from(with_default(args.collect()));
    match cli.color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
    .write_global();
    let mut console = Console::new();
    let result = cli.command.run(&mut console);
    let status: Status = console.finish(result);
    status.into()
}

/// `calibor FILE` is `calibor show FILE`, and so is `calibor` alone behind a pipe.
fn with_default(mut args: Vec<OsString>) -> Vec<OsString> {
    const INPUT: [&str; 5] = ["-e", "--expr", "--in", "--seq", "--lines"];
    let implied = match args.get(1) {
        None => !std::io::stdin().is_terminal(),
        Some(first) if first == "-" => true,
        Some(first) => {
            let name = first.to_string_lossy();
            let command = Cli::command().find_subcommand(name.as_ref()).is_some();
            // What looks like the name of a file is one, if it is there or not.
            let file = Path::new(first).is_file()
                || !name.starts_with('-') && name.contains(['/', '\\', '.']);
            !command && (file || INPUT.contains(&name.as_ref()))
        }
    };
    if implied && !args.is_empty() {
        args.insert(1, "show".into());
    }
    args
}
