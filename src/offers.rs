//! What drivers offer in the mutating phase, until the validating one shows what is left of it: a server whose feature
//! gate is off drops mappings between the two without a word to anybody (upstream.md, section 1.5). Each phase is a
//! request of its own, so the pair is found by what it publishes. Anyone may call the webhook: only hashes are kept, of
//! keys that nobody knows and in bounded number, and what is found is a warning.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, Hash, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ledger::object::PoolKey;
use crate::model::slice::{Device, Slice};

/// How long the second phase is waited for, in milliseconds: longer than an API server waits for its webhooks.
const LIFETIME: i64 = 60_000;

/// How long a driver is known to publish in vain, after it did so last, in milliseconds.
const MEMORY: i64 = 3_600_000;

/// The most slices between the phases at a time.
const MOST: usize = 4_096;

/// The most drivers that are known to publish in vain.
const MOST_DRIVERS: usize = 256;

/// One slice as one phase shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Driver and pool.
    pub pool: PoolKey,
    /// True when a device maps something.
    pub is_mapped: bool,
    /// Tells slices of one pool apart; the same in both phases.
    devices: u64,
}

/// The slices of one server between the phases, and the drivers whose mappings do not arrive.
#[derive(Debug, Default)]
pub struct Offers {
    keys: RandomState,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    /// When each was offered.
    waiting: HashMap<u64, i64>,
    order: VecDeque<(u64, i64)>,
    /// When each driver published in vain last.
    unmapped: HashMap<u64, i64>,
}

impl Publication {
    /// What a slice publishes. A name that the server makes up differs between the phases, so the devices tell.
    #[must_use]
    pub fn of(slice: &Slice<'_>) -> Self {
        let devices = slice.spec.as_ref().map(|spec| &*spec.devices).unwrap_or_default();
        let mut hasher = std::hash::DefaultHasher::new();
        for device in devices {
            device.shown_name().hash(&mut hasher);
        }
        let is_mapped = devices.iter().any(Device::is_mapped);
        Self { pool: PoolKey::from(slice), is_mapped, devices: hasher.finish() }
    }
}

impl Offers {
    /// A slice leaves the mutating phase, at `now` in milliseconds since 1970.
    pub fn offered(&self, publication: &Publication, now: i64) {
        let slice = self.slice(publication);
        let mut memory = self.memory();
        if publication.is_mapped {
            memory.wait(slice, now);
        } else {
            memory.waiting.remove(&slice);
        }
    }

    /// A slice reaches the validating phase. True when its mappings are gone and its driver was not told yet.
    pub fn arrived(&self, publication: &Publication, now: i64) -> bool {
        let driver = self.keys.hash_one(&publication.pool.driver);
        let mut memory = self.memory();
        let offered = memory.waiting.remove(&self.slice(publication));
        if publication.is_mapped {
            memory.unmapped.remove(&driver);
            return false;
        }
        let is_dropped = offered.is_some_and(|at| now.saturating_sub(at) < LIFETIME);
        is_dropped && memory.is_news(driver, now)
    }

    /// How many drivers publish mappings that do not arrive.
    #[must_use]
    pub fn unmapped(&self, now: i64) -> usize {
        let mut memory = self.memory();
        memory.forget(now);
        memory.unmapped.len()
    }

    fn slice(&self, publication: &Publication) -> u64 {
        self.keys.hash_one((&publication.pool, publication.devices))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn wait(&mut self, slice: u64, now: i64) {
        while self.order.len() >= MOST
            && let Some((oldest, at)) = self.order.pop_front()
        {
            if self.waiting.get(&oldest) == Some(&at) {
                self.waiting.remove(&oldest);
            }
        }
        self.waiting.insert(slice, now);
        self.order.push_back((slice, now));
    }

    /// False when the driver is known already, and where there is no room to know it.
    fn is_news(&mut self, driver: u64, now: i64) -> bool {
        self.forget(now);
        if self.unmapped.len() >= MOST_DRIVERS && !self.unmapped.contains_key(&driver) {
            return false;
        }
        self.unmapped.insert(driver, now).is_none()
    }

    fn forget(&mut self, now: i64) {
        self.unmapped.retain(|_, last| now.saturating_sub(*last) < MEMORY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(driver: &str, device: u64, is_mapped: bool) -> Publication {
        Publication { pool: PoolKey { driver: driver.into(), pool: "p".into() }, is_mapped, devices: device }
    }

    /// True when a slice that was offered with mappings arrives without, and that is told.
    fn dropped(offers: &Offers, driver: &str, now: i64) -> bool {
        offers.offered(&slice(driver, 0, true), now);
        offers.arrived(&slice(driver, 0, false), now + 1)
    }

    #[test]
    fn an_offer_is_waited_for_so_long_and_no_longer() {
        let offers = Offers::default();
        offers.offered(&slice("d", 0, true), 0);
        assert!(!offers.arrived(&slice("d", 0, false), LIFETIME));
        offers.offered(&slice("d", 0, true), LIFETIME);
        assert!(offers.arrived(&slice("d", 0, false), 2 * LIFETIME - 1));
    }

    #[test]
    fn what_is_offered_without_mappings_takes_the_place_of_what_was_refused() {
        let offers = Offers::default();
        offers.offered(&slice("d", 0, true), 0);
        offers.offered(&slice("d", 0, false), 1);
        assert!(!offers.arrived(&slice("d", 0, false), 2));
    }

    #[test]
    fn a_driver_that_gave_up_is_forgotten() {
        let offers = Offers::default();
        assert!(dropped(&offers, "d", 0));
        assert!(!dropped(&offers, "d", 10));
        assert_eq!((offers.unmapped(MEMORY), offers.unmapped(MEMORY + 11)), (1, 0));
        assert!(dropped(&offers, "d", MEMORY + 12));
    }

    #[test]
    fn made_up_reviews_find_bounds() {
        let offers = Offers::default();
        for nth in 0..2 * MOST as u64 {
            offers.offered(&slice("d", nth, true), 0);
        }
        assert_eq!(offers.memory().waiting.len(), MOST);
        assert_eq!(offers.memory().order.len(), MOST);
        for nth in 0..2 * MOST_DRIVERS {
            dropped(&offers, &nth.to_string(), 0);
        }
        assert_eq!(offers.unmapped(0), MOST_DRIVERS);
    }
}
