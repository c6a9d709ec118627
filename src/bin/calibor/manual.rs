//! `calibor completions` and `calibor man`: what a shell and a manual need.

use crate::cli::Cli;
use crate::console::{Console, Fault};
use crate::render::write_file;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use std::path::PathBuf;

/// Prints the completions for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  calibor completions bash > ~/.local/share/bash-completion/completions/calibor"
)]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "calibor", &mut text);
        console.text(&String::from_utf8_lossy(&text))
    }
}

/// Prints the manual page, or writes the pages of all commands
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  calibor man | man -l -\n  calibor man -d ~/.local/share/man/man1"
)]
pub(crate) struct Man {
    /// Writes calibor.1 and a page for each command into a directory
    #[arg(short, long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        let mut command = Cli::command();
        command.build();
        let Some(dir) = &self.dir else {
            return console.text(&String::from_utf8_lossy(&page(command)?));
        };
        std::fs::create_dir_all(dir).map_err(|error| Fault::path(dir, &error))?;
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            let name = format!("calibor-{}", sub.get_name());
            write_file(&dir.join(format!("{name}.1")), &page(sub.clone())?)?;
        }
        write_file(&dir.join("calibor.1"), &page(command)?)
    }
}

fn page(command: Command) -> Result<Vec<u8>, Fault> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(page)
}
