//! A cluster to play with: a real control plane with draguard in front, two nodes, a driver's slices, a claim and a pod.
//!
//! Ends with Ctrl-C, SIGTERM or its terminal, and leaves nothing behind; after `kill -9` neither.

#![forbid(unsafe_code)]

mod end;
mod flags;
mod sample;

use std::io::{self, Write};
use std::process::ExitCode;

use draguard_testbed::{ControlPlane, Front, Options, draguard_program};

use crate::flags::{Flags, USAGE};

fn main() -> ExitCode {
    let told = match Flags::read(std::env::args().skip(1)) {
        Ok(Some(flags)) => run(&flags),
        Ok(None) => {
            println!("{USAGE}");
            Ok(())
        }
        Err(error) => Err(format!("{error}\n\n{USAGE}")),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("draguard-dev: {error}");
            ExitCode::from(2)
        }
    }
}

/// Until the last line is printed a signal simply ends the process: its children see that and end too.
fn run(flags: &Flags) -> Result<(), String> {
    let program = draguard_program(flags.draguard.as_deref())?;
    eprintln!("starting Kubernetes {} and {} …", flags.version, program.display());
    let cluster = ControlPlane::try_start(&Options::new(flags.version))?;
    let front = Front::start(&cluster, &program)?;
    front.install()?;
    sample::fill(&cluster)?;
    let text = sample::guide(&cluster, &front).map_err(|e| e.to_string())?;
    let ended = end::wait(&text).map_err(|e| e.to_string());
    drop(front);
    drop(cluster);
    // The terminal may be gone.
    let _ = writeln!(io::stdout(), "\nstopped, nothing is left");
    ended
}
