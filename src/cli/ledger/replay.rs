//! `draguard ledger replay`.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{LedgerError, table};
use crate::cli::written;
use crate::journal::read_file;
use crate::ledger::journal::Replayed;

/// Rebuild a ledger from a file, check every law, and print what is charged to each node.
#[derive(Debug, Args)]
pub(super) struct Replay {
    /// An export or a file of the journal; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Replay {
    pub(super) fn run(self) -> Result<ExitCode, LedgerError> {
        let replayed = read_file(&self.file)?;
        if replayed.is_torn {
            eprintln!("draguard: {}: the last line is torn and left out", self.file.display());
        }
        let broken = broken(&replayed);
        let text = format!("{}{}", table::of(&replayed.ledger), summary(&replayed, &broken));
        written(write!(io::stdout().lock(), "{text}"))?;
        Ok(ExitCode::from(u8::from(!broken.is_empty())))
    }
}

/// Every law that is broken, one line each.
fn broken(replayed: &Replayed) -> Vec<String> {
    let mismatches = replayed.mismatches.iter().map(ToString::to_string);
    mismatches.chain(replayed.ledger.broken().iter().map(ToString::to_string)).collect()
}

fn summary(replayed: &Replayed, broken: &[String]) -> String {
    let mut text = String::new();
    for law in broken {
        let _ = writeln!(text, "broken: {law}");
    }
    let version = replayed.ledger.version().as_str();
    let accounts = replayed.ledger.accounts().values();
    let lines: usize = accounts.map(|account| account.contributions().len()).sum();
    let verdict = match broken.len() {
        0 => "every law holds".to_owned(),
        count => format!("{count} broken"),
    };
    let events = replayed.events;
    let _ = writeln!(text, "Kubernetes {version}, {lines} contributions, {events} events after the export: {verdict}");
    text
}
