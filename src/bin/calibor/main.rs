//! The command `calibor`: one file per command, each over the public API of the crate.

mod canon;
mod check;
mod cli;
mod console;
mod hash;
mod input;
mod profiles;
mod render;
mod show;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
