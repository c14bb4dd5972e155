//! The command line.

mod certs;
mod demo;
mod explain;
mod ledger;
mod render;
mod report;
mod review;
pub mod rules;
mod serve;
mod shell;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Guards node-allocatable resources taken through Dynamic Resource Allocation.
#[derive(Debug, Parser)]
#[command(name = "draguard", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge manifests before they reach a cluster.
    Review(review::Review),
    /// Tell what a rule is for and what to do about its findings.
    Explain(explain::Explain),
    /// List the rules.
    Rules(rules::Rules),
    /// Write down, prove and compare what is charged to which node.
    Ledger(ledger::Ledger),
    /// Run the admission webhook.
    Serve(Box<serve::Serve>),
    /// Play recorded admission reviews against the real server, without a cluster.
    Demo(demo::Demo),
    /// Print the manifests that install draguard.
    Render(render::Render),
    /// Make development certificates.
    Certs(certs::Certs),
    /// Print a completion script.
    Completions(shell::Completions),
    /// Print a manual page.
    Man(shell::Man),
}

impl Cli {
    /// Runs the command: 0 when it went well, 1 for findings, 2 when it could not run.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Review(review) => ended(review.run()),
            Command::Explain(explain) => ended(explain.run()),
            Command::Rules(rules) => ended(rules.run()),
            Command::Ledger(ledger) => ledger.run(),
            Command::Serve(serve) => ended(serve.run().map(|()| ExitCode::SUCCESS)),
            Command::Demo(demo) => ended(demo.run()),
            Command::Render(render) => ended(render.run().map(|()| ExitCode::SUCCESS)),
            Command::Certs(certs) => ended(certs.run().map(|()| ExitCode::SUCCESS)),
            Command::Completions(completions) => ended(completions.run()),
            Command::Man(man) => ended(man.run()),
        }
    }
}

fn ended<E: std::error::Error>(result: Result<ExitCode, E>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("draguard: {error}");
        ExitCode::from(2)
    })
}

/// False when nobody reads any more, which is no fault.
fn written(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}
