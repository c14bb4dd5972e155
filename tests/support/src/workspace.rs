//! A temporary folder that is removed when the test process ends, however it ends.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Waits for its standard input to close and removes the folder; one line `keep` before that spares
/// the logs. It tries for a while, since programs killed at the same moment may still write.
const SWEEPER: &str = r#"
keep=
while read -r word; do keep=$word; done
left=100
while [ $left -gt 0 ]; do
  left=$((left - 1))
  if [ -n "$keep" ]; then
    find "$1" -mindepth 1 -maxdepth 1 ! -name logs -exec rm -rf {} + 2>/dev/null && exit
  else
    rm -rf "$1" 2>/dev/null
    [ -e "$1" ] || exit
  fi
  sleep 0.1
done
"#;

/// A temporary folder with a `logs` folder in it.
pub struct Workspace {
    path: PathBuf,
    sweeper: Child,
}

impl Workspace {
    /// Makes a new folder.
    pub fn new() -> io::Result<Workspace> {
        let path = std::env::temp_dir().join(format!("draguard-testbed-{:016x}", random()));
        let sweeper = Command::new("sh")
            .args(["-c", SWEEPER, "sweeper"])
            .arg(&path)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()?;
        std::fs::create_dir(&path)?;
        std::fs::create_dir(path.join("logs"))?;
        Ok(Workspace { path, sweeper })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The log file of a program.
    pub fn log(&self, program: &str) -> PathBuf {
        self.path.join("logs").join(format!("{program}.log"))
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, content: &str) -> io::Result<String> {
        let path = self.path.join(name);
        std::fs::write(&path, content)?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// Keeps the logs after the end, and gives their folder.
    pub fn keep_logs(&self) -> PathBuf {
        if let Some(mut pipe) = self.sweeper.stdin.as_ref() {
            let _ = writeln!(pipe, "keep");
        }
        self.path.join("logs")
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("logs are kept in {}", self.keep_logs().display());
        }
        drop(self.sweeper.stdin.take());
        let _ = self.sweeper.wait();
    }
}

/// A number that no other test process draws.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
