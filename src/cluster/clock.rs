//! The time of the cluster's events: the wall clock of the start, and from there only forwards.

use std::time::Instant;

use crate::wire::clock::millis;

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
        Self { start: Instant::now(), epoch: millis() }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.epoch.saturating_add(i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}
