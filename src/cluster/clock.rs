//! The time of the cluster's events: the wall clock of the start, and from there only forwards.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Tells milliseconds since 1970 that never go back, whatever is done to the machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    epoch: i64,
}

impl Clock {
    /// A clock that is right now.
    #[must_use]
    pub fn start() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: Instant::now(), epoch: i64::try_from(since.as_millis()).unwrap_or(i64::MAX) }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.epoch.saturating_add(i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}
