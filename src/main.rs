//! The `draguard` binary.

use std::process::ExitCode;

use clap::Parser as _;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The one crypto provider of the process; an error would only say that it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    draguard::cli::Cli::parse().run()
}
