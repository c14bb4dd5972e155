//! Waiting for what a cluster does in its own time.

use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(60);

/// Looks again and again until `look` gives `Ok`; its `Err` says what was seen instead.
///
/// # Panics
/// When the time is over, with what was last seen.
pub fn wait_for<T>(what: &str, timeout: Duration, mut look: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        let seen = match look() {
            Ok(found) => return found,
            Err(seen) => seen,
        };
        if start.elapsed() > timeout {
            panic!("waited {timeout:?} for {what}; last seen: {seen}");
        }
        std::thread::sleep(PAUSE);
    }
}

/// Like [`wait_for`] for a plain condition over a value, which the message shows.
pub fn wait_until<T: std::fmt::Debug>(
    what: &str,
    timeout: Duration,
    mut look: impl FnMut() -> T,
    holds: impl Fn(&T) -> bool,
) -> T {
    wait_for(what, timeout, || {
        let seen = look();
        if holds(&seen) { Ok(seen) } else { Err(format!("{seen:?}")) }
    })
}
