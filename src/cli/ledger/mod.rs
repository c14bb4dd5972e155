//! `draguard ledger`: what is charged to which node, written down, proved and compared.

mod diff;
mod export;
mod replay;
mod table;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::ended;
use crate::files::walk::Unopened;
use crate::journal::ReadError;
use crate::journal::fetch::FetchError;

/// Write down, prove and compare what is charged to which node.
#[derive(Debug, Args)]
pub(super) struct Ledger {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the whole ledger, one JSON document a line.
    Export(export::Export),
    /// Rebuild a ledger from a file, check every law, and print what is charged to each node.
    #[command(after_help = "Exit status: 0 every law holds, 1 one is broken, 2 the file could not be read.")]
    Replay(replay::Replay),
    /// Compare two ledgers, or one with what its pods' status lists say.
    #[command(after_help = "Exit status: 0 no difference, 1 differences, 2 a file could not be read.")]
    Diff(diff::Diff),
}

/// Why it could not run.
#[derive(Debug, thiserror::Error)]
enum LedgerError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{url}: {error}")]
    Fetch { url: String, error: FetchError },
    #[error("--standalone: {0}")]
    Standalone(#[from] Unopened),
    #[error("not a complete ledger: {} could not be read", .0.join("; "))]
    LeftOut(Vec<String>),
    #[error("{0} and {1} are for different releases, which count differently")]
    Releases(&'static str, &'static str),
    #[error("{} and {} are the same file", .0.display(), .0.display())]
    Same(PathBuf),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Ledger {
    /// Runs the command.
    pub(super) fn run(self) -> ExitCode {
        ended(match self.command {
            Command::Export(export) => export.run(),
            Command::Replay(replay) => replay.run(),
            Command::Diff(diff) => diff.run(),
        })
    }
}
