//! A child that is spoken to in lines, and ends when the test process ends, however it ends: its
//! standard input closes then, which the kernel does for us even after `kill -9`.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A running program that reads and writes lines.
pub(crate) struct Lines {
    child: Child,
    input: Option<ChildStdin>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    /// Starts the program with its standard error in `log`, out of reach of the terminal's Ctrl-C.
    pub(crate) fn start(command: &mut Command, log: &Path) -> io::Result<Lines> {
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).process_group(0).spawn()?;
        let output = child.stdout.take().expect("a pipe");
        let heard = Arc::default();
        let sink = Arc::clone(&heard);
        std::thread::spawn(move || collect(BufReader::new(output), &sink));
        Ok(Lines { input: child.stdin.take(), child, heard })
    }

    /// Sends one line.
    ///
    /// # Panics
    /// When the program has ended.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the pipe is open");
        writeln!(input, "{line}").expect("the program reads");
    }

    /// Every line heard so far.
    pub(crate) fn heard(&self) -> Vec<String> {
        lock(&self.heard).clone()
    }

    /// Whether the program has ended.
    pub(crate) fn ended(&mut self) -> bool {
        self.child.try_wait().expect("wait for a child").is_some()
    }

    /// Kills the program the hard way.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Closes standard input, and kills the program only when it has not ended by then.
    pub(crate) fn close(&mut self, patience: Duration) {
        drop(self.input.take());
        let start = Instant::now();
        while !self.ended() && start.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(10));
        }
        self.kill();
    }
}

fn collect(output: impl BufRead, sink: &Mutex<Vec<String>>) {
    for line in output.lines().map_while(Result::ok) {
        lock(sink).push(line);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
