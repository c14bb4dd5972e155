//! Scratch folders and runs of the binary.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_draguard");

/// A folder that goes when the test ends.
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder for the test of this name.
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("draguard-review-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The folder's path.
    pub fn path(&self) -> String {
        self.0.display().to_string()
    }

    /// Writes a file, and gives its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a run ended.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs `draguard review`.
pub fn run(args: &[&str]) -> Ended {
    run_with(args, b"")
}

/// Runs `draguard review` with this on standard input.
pub fn run_with(args: &[&str], stdin: &[u8]) -> Ended {
    command_with(&[&["review"], args].concat(), stdin)
}

/// Runs `draguard`.
pub fn command(args: &[&str]) -> Ended {
    command_with(args, b"")
}

fn command_with(args: &[&str], stdin: &[u8]) -> Ended {
    let mut child = Command::new(BINARY)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that stops reading early is judged by how it ends.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// The most memory that a running process held, in KiB.
pub fn peak_memory(process: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}
