//! How many questions a caller, and all of them together, may cause.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// Callers of which the rate is kept. The names come from requests that anyone may send.
const MOST: usize = 1024;
/// Questions of one caller: at once, and in a second.
const CALLER: Rate = Rate { burst: 64.0, second: 16.0 };
/// Questions of all callers.
const ALL: Rate = Rate { burst: 256.0, second: 64.0 };

#[derive(Debug, Clone, Copy)]
struct Rate {
    burst: f64,
    second: f64,
}

/// What is left of the rates.
#[derive(Debug, Default)]
pub(super) struct Limits {
    all: Bucket,
    callers: HashMap<String, Bucket>,
    /// All callers for which there is no room.
    others: Bucket,
}

/// What was taken of one rate, and has not come back.
#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    taken: f64,
    at: Option<Instant>,
}

impl Limits {
    /// True when one more question may be asked for this caller.
    pub(super) fn take(&mut self, caller: &str, now: Instant) -> bool {
        if self.callers.len() >= MOST {
            self.callers.retain(|_, bucket| bucket.left(CALLER, now) > 0.0);
        }
        let bucket = if self.callers.contains_key(caller) || self.callers.len() < MOST {
            self.callers.entry(caller.to_owned()).or_default()
        } else {
            &mut self.others
        };
        bucket.take(CALLER, now) && self.all.take(ALL, now)
    }
}

impl Bucket {
    fn take(&mut self, rate: Rate, now: Instant) -> bool {
        let taken = self.left(rate, now) + 1.0;
        if taken > rate.burst {
            return false;
        }
        *self = Self { taken, at: Some(now) };
        true
    }

    /// What has not come back yet.
    fn left(&self, rate: Rate, now: Instant) -> f64 {
        let passed = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        (self.taken - passed.as_secs_f64() * rate.second).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(limits: &mut Limits, caller: &str, now: Instant) -> usize {
        (0..1000).take_while(|_| limits.take(caller, now)).count()
    }

    #[test]
    fn a_caller_has_a_burst_and_then_a_rate() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        assert_eq!(taken(&mut limits, "one", now), 64);
        assert_eq!(taken(&mut limits, "two", now), 64);
        assert_eq!(taken(&mut limits, "one", now + Duration::from_secs(1)), 16);
        assert_eq!(taken(&mut limits, "one", now + Duration::from_mins(1)), 64);
    }

    #[test]
    fn all_callers_together_have_one_too() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let all: usize = (0..100).map(|nth| taken(&mut limits, &nth.to_string(), now)).sum();
        assert_eq!(all, 256);
    }

    #[test]
    fn only_so_many_callers_are_known() {
        let (mut limits, mut now) = (Limits::default(), Instant::now());
        for nth in 0..3 * MOST {
            limits.take(&nth.to_string(), now);
            now += Duration::from_micros(1);
        }
        assert_eq!(limits.callers.len(), MOST);
        now += Duration::from_mins(1);
        assert!(limits.take("late", now));
        assert_eq!(limits.callers.len(), 1);
    }
}
