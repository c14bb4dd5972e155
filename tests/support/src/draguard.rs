//! draguard itself, as a process.

use std::path::Path;

use crate::{Process, Workspace};

/// A running `draguard serve`; dropped means killed.
pub struct Draguard {
    process: Process,
    // After the process, so that the folder goes last.
    _workspace: Workspace,
}

impl Draguard {
    /// Starts the binary at `program` (a test passes `env!("CARGO_BIN_EXE_draguard")`) with
    /// certificates that it makes itself in `certificates` and its settings in `config`.
    pub fn start(program: &Path, certificates: &Path, config: &Path, more: &[&str]) -> Draguard {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let flags = ["--self-signed".to_owned(), text(certificates), "--config".to_owned()];
        let mut args = vec!["serve".to_owned()];
        args.extend(flags);
        args.push(text(config));
        args.extend(more.iter().map(|arg| arg.to_string()));
        let workspace = Workspace::new().expect("make a temporary folder");
        let process = Process::start(program, &args, &workspace.log("draguard"));
        Draguard { process: process.expect("start draguard"), _workspace: workspace }
    }

    /// The process, to signal it or to read its log.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }
}
