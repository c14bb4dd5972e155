//! The `draguard` binary.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    draguard::cli::Cli::parse().run()
}
