//! A progress bar on a terminal, and nothing elsewhere.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Short runs show no bar, and long ones do not spend their time on it.
const PAUSE: Duration = Duration::from_millis(150);

/// How far the review has come, on standard error.
pub(super) struct Progress {
    done: usize,
    total: usize,
    drawn: Instant,
    shown: bool,
    is_terminal: bool,
}

impl Progress {
    /// A bar over this many files.
    pub(super) fn new(total: usize) -> Self {
        Self { done: 0, total, drawn: Instant::now(), shown: false, is_terminal: io::stderr().is_terminal() }
    }

    /// One file more is begun.
    pub(super) fn step(&mut self) {
        if self.is_terminal && self.drawn.elapsed() >= PAUSE {
            eprint!("\r{}", bar(self.done, self.total));
            (self.drawn, self.shown) = (Instant::now(), true);
        }
        self.done += 1;
    }

    /// Leaves the line to others.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            eprint!("\r\x1b[K");
            let _ = io::stderr().flush();
        }
    }
}

fn bar(done: usize, total: usize) -> String {
    const WIDTH: usize = 30;
    let filled = (done * WIDTH).checked_div(total).unwrap_or(WIDTH);
    format!("[{}{}] {done}/{total} files", "=".repeat(filled), " ".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        assert_eq!(bar(0, 9), format!("[{}] 0/9 files", " ".repeat(30)));
        assert_eq!(bar(3, 9), format!("[{}{}] 3/9 files", "=".repeat(10), " ".repeat(20)));
        assert_eq!(bar(9, 9), format!("[{}] 9/9 files", "=".repeat(30)));
        assert_eq!(bar(0, 0), format!("[{}] 0/0 files", "=".repeat(30)));
    }
}
