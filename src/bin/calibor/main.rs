//! The command `calibor`: one file per command, each over the public API of the crate.

extern crate alloc;

mod canon;
mod car;
mod check;
mod cli;
mod console;
mod diff;
mod dump;
mod float;
mod from_edn;
mod from_json;
mod get;
mod hash;
mod input;
mod manual;
mod node;
mod profiles;
mod render;
mod seq;
mod show;
mod tensors;
mod to_json;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
