//! Child processes that end when the test process ends, however it ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Runs the real program and kills it when its standard input closes, which the kernel does for us
/// even after `kill -9` of the test. Each line read before that is the name of a signal to deliver.
const WRAPPER: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
{ while read -r signal; do kill -s "$signal" $child; done; kill -9 $child; } <&3 2>/dev/null &
guard=$!
wait $child
code=$?
kill -9 $guard 2>/dev/null
exit $code
"#;

/// A running program; dropped means killed.
pub struct Process {
    name: String,
    log: PathBuf,
    wrapper: Child,
}

impl Process {
    /// Starts `program` with its output in `log`, outside the terminal's process group, so that
    /// Ctrl-C reaches the test alone.
    pub fn start(program: &Path, args: &[String], log: &Path) -> io::Result<Process> {
        Self::start_with(program, args, &[], log)
    }

    /// Like [`Process::start`], with more variables in the environment.
    pub fn start_with(program: &Path, args: &[String], env: &[(&str, &str)], log: &Path) -> io::Result<Process> {
        let output = open_log(log)?;
        let wrapper = Command::new("sh")
            .args(["-c", WRAPPER, "wrapper"])
            .arg(program)
            .args(args)
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0)
            .spawn()?;
        let name = program.file_name().unwrap_or_default();
        Ok(Process { name: name.to_string_lossy().into_owned(), log: log.to_owned(), wrapper })
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let mut pipe = self.wrapper.stdin.as_ref().expect("the pipe is open");
        // A program that is gone already has closed its pipe: nothing is left to signal.
        let _ = writeln!(pipe, "{name}");
    }

    /// The exit code, once the program has ended.
    pub fn exit_code(&mut self) -> Option<i32> {
        let status = self.wrapper.try_wait().expect("wait for a child");
        status.map(|s| s.code().unwrap_or(-1))
    }

    /// Fails with the last lines of the log when the program has ended.
    pub fn still_running(&mut self) -> Result<(), String> {
        match self.exit_code() {
            None => Ok(()),
            Some(code) => {
                let (name, tail) = (&self.name, self.log_tail(15));
                Err(format!("{name} ended with code {code}:\n{tail}"))
            }
        }
    }

    /// Everything that the program has written so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    fn log_tail(&self, lines: usize) -> String {
        let log = self.log();
        let all: Vec<&str> = log.lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.wrapper.stdin.take());
        let _ = self.wrapper.wait();
    }
}

fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}
