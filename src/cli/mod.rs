//! The command line.

mod certs;
mod demo;
mod render;
mod serve;

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
    /// Run the admission webhook.
    Serve(Box<serve::Serve>),
    /// Play recorded admission reviews against the real server, without a cluster.
    Demo(demo::Demo),
    /// Print the manifests that install draguard.
    Render(render::Render),
    /// Make development certificates.
    Certs(certs::Certs),
}

impl Cli {
    /// Runs the command: 0 when it went well, 1 for findings, 2 when it could not run.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Serve(serve) => ended(serve.run().map(|()| ExitCode::SUCCESS)),
            Command::Demo(demo) => ended(demo.run()),
            Command::Render(render) => ended(render.run().map(|()| ExitCode::SUCCESS)),
            Command::Certs(certs) => ended(certs.run().map(|()| ExitCode::SUCCESS)),
        }
    }
}

fn ended<E: std::error::Error>(result: Result<ExitCode, E>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("draguard: {error}");
        ExitCode::from(2)
    })
}
