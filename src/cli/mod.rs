//! The command line.

mod demo;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Guards node-allocatable resources taken through Dynamic Resource Allocation.
#[derive(Debug, Parser)]
#[command(name = "draguard", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the admission webhook.
    Serve(Box<serve::Serve>),
    /// Play recorded admission reviews against the real server, without a cluster.
    Demo(demo::Demo),
}

impl Cli {
    /// Does what was asked for.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Demo(demo) => ended(demo.run()),
            Command::Serve(serve) => ended(serve.run().map(|()| ExitCode::SUCCESS)),
        }
    }
}

fn ended<E: std::error::Error>(result: Result<ExitCode, E>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("draguard: {error}");
        ExitCode::from(2)
    })
}
