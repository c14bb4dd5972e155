//! `draguard completions` and `draguard man`: made from the command line's own description.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, written};

/// Print a completion script.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a manual page.
#[derive(Debug, Args)]
pub struct Man {
    /// The command that the page is about; without it, draguard itself.
    command: Option<String>,
}

impl Completions {
    /// Prints the script.
    pub fn run(&self) -> io::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "draguard", &mut script);
        print(&script)
    }
}

impl Man {
    /// Prints the page.
    pub fn run(&self) -> io::Result<ExitCode> {
        let Some(command) = self.of() else {
            eprintln!("draguard: no such command; `draguard help` lists them");
            return Ok(ExitCode::from(2));
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        print(&page)
    }

    fn of(&self) -> Option<clap::Command> {
        let mut all = Cli::command();
        all.build();
        match &self.command {
            None => Some(all),
            Some(name) => all.find_subcommand(name).cloned(),
        }
    }
}

fn print(text: &[u8]) -> io::Result<ExitCode> {
    written(io::stdout().lock().write_all(text))?;
    Ok(ExitCode::SUCCESS)
}
