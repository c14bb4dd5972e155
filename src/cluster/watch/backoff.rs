//! How long to wait after a failure.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const LAST: Duration = Duration::from_secs(20);

/// Doubles with each failure, and is never the same for two that failed together.
#[derive(Debug, Default)]
pub(in crate::cluster) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The next wait: half of it is sure, half is chance.
    pub(in crate::cluster) fn next(&mut self) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.failures.min(16)).min(LAST);
        self.failures = self.failures.saturating_add(1);
        whole / 2 + whole.mul_f64(chance()) / 2
    }

    /// All is well again.
    pub(in crate::cluster) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// A number from 0 to 1. The keys of hash maps are the chance that the standard library has.
fn chance() -> f64 {
    f64::from(u16::try_from(RandomState::new().hash_one(0_u8) >> 48).unwrap_or_default()) / f64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Backoff, FIRST, LAST};

    #[test]
    fn it_grows_to_a_bound_and_starts_again() {
        let mut backoff = Backoff::default();
        let waits: Vec<Duration> = (0..100).map(|_| backoff.next()).collect();
        assert!(waits[0] <= FIRST && waits[0] >= FIRST / 2, "{waits:?}");
        assert!(waits[20..].iter().all(|wait| *wait <= LAST && *wait >= LAST / 2), "{waits:?}");
        assert!(waits[20..].windows(2).any(|two| two[0] != two[1]), "{waits:?}");
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }
}
