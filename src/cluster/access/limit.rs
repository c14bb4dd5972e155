//! How many questions a caller, and all of them together, may cause.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::model::access::Question;

/// Callers of which the rate is kept, by a hash of all that they say of themselves: anyone may send requests.
const MOST: usize = 1024;
/// Questions of one caller about drivers: at once, and in a second. About binding there is one, remembered for seconds.
const CALLER: Rate = Rate { burst: 64.0, second: 16.0 };
/// Questions of all callers of one kind: those about drivers leave those about binding their own.
const ALL: Rate = Rate { burst: 256.0, second: 64.0 };

#[derive(Debug, Clone, Copy)]
struct Rate {
    burst: f64,
    second: f64,
}

/// What is left of the rates.
#[derive(Debug, Default)]
pub(super) struct Limits {
    binding: Bucket,
    driver: Bucket,
    callers: HashMap<u64, Bucket>,
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
    pub(super) fn take(&mut self, caller: u64, question: &Question, now: Instant) -> bool {
        match question {
            Question::Binding => self.binding.take(ALL, now),
            Question::Driver { .. } => self.take_driver(caller, now),
        }
    }

    fn take_driver(&mut self, caller: u64, now: Instant) -> bool {
        if self.callers.len() >= MOST {
            self.callers.retain(|_, bucket| bucket.owed(CALLER, now) > 0.0);
        }
        let own = if self.callers.contains_key(&caller) || self.callers.len() < MOST {
            self.callers.entry(caller).or_default()
        } else {
            &mut self.others
        };
        own.has_room(CALLER, now) && self.driver.take(ALL, now) && own.take(CALLER, now)
    }
}

impl Bucket {
    fn has_room(&self, rate: Rate, now: Instant) -> bool {
        self.owed(rate, now) + 1.0 <= rate.burst
    }

    /// Takes one more, if there is room.
    fn take(&mut self, rate: Rate, now: Instant) -> bool {
        let has_room = self.has_room(rate, now);
        if has_room {
            *self = Self { taken: self.owed(rate, now) + 1.0, at: Some(now) };
        }
        has_room
    }

    /// What has not come back yet.
    fn owed(&self, rate: Rate, now: Instant) -> f64 {
        let passed = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        (self.taken - passed.as_secs_f64() * rate.second).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(limits: &mut Limits, caller: u64, now: Instant) -> usize {
        (0..1000).take_while(|_| limits.take(caller, &driver(), now)).count()
    }

    fn driver() -> Question {
        Question::Driver { name: "d".to_owned(), namespace: "ns".to_owned(), is_associated: false }
    }

    #[test]
    fn a_caller_has_a_burst_and_then_a_rate() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        assert_eq!(taken(&mut limits, 1, now), 64);
        assert_eq!(taken(&mut limits, 2, now), 64);
        assert_eq!(taken(&mut limits, 1, now + Duration::from_secs(1)), 16);
        assert_eq!(taken(&mut limits, 1, now + Duration::from_mins(1)), 64);
    }

    #[test]
    fn who_asks_much_about_drivers_is_still_asked_about_binding() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        assert_eq!(taken(&mut limits, 1, now), 64);
        assert!(limits.take(1, &Question::Binding, now));
    }

    #[test]
    fn all_callers_together_have_one_too() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let all: usize = (0..100).map(|nth| taken(&mut limits, nth, now)).sum();
        assert_eq!(all, 256);
        assert!(limits.take(200, &Question::Binding, now), "drivers leave binders their own");
        // Who was refused for the sake of all owes nothing himself.
        assert_eq!(taken(&mut limits, 99, now + Duration::from_secs(1)), 64);
    }

    #[test]
    fn only_so_many_callers_are_known() {
        let (mut limits, mut now) = (Limits::default(), Instant::now());
        for nth in 0..3 * MOST as u64 {
            limits.take(nth, &driver(), now);
            now += Duration::from_micros(1);
        }
        assert!(limits.callers.len() <= MOST);
        now += Duration::from_mins(1);
        assert!(limits.take(u64::MAX, &driver(), now));
        assert!(limits.callers.len() <= MOST);
    }
}
