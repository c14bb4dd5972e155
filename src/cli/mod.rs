//! The command line.

pub mod certs;
pub mod render;

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
    /// Make development certificates.
    Certs(certs::Certs),
    /// Print the manifests that install draguard.
    Render(render::Render),
}

impl Cli {
    /// Does what was asked for.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Certs(certs) => ended(certs.run()),
            Command::Render(render) => ended(render.run()),
        }
    }
}

fn ended<E: std::error::Error>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("draguard: {error}");
            ExitCode::from(2)
        }
    }
}
