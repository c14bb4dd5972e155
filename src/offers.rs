//! What drivers offer in the mutating phase, until the validating one shows what is left of it: a server whose feature
//! gate is off drops mappings between the two without a word to anybody (upstream.md, section 1.5). Each phase is a
//! request of its own, so the pair is found by what it publishes. Anyone may call the webhook: memory is bounded, and
//! what is found is a warning.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ledger::object::PoolKey;
use crate::model::slice::{Device, Slice};

/// How long the second phase is waited for, in milliseconds: longer than an API server waits for its webhooks.
const LIFETIME: i64 = 60_000;

/// The most slices between the phases at a time.
const MOST: usize = 4_096;

/// The most drivers that are remembered to publish in vain.
const MOST_DRIVERS: usize = 256;

/// One slice as one phase shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Driver and pool.
    pub pool: PoolKey,
    /// True when a device maps something.
    pub is_mapped: bool,
    /// Tells slices of one pool apart; the same in both phases.
    digest: u64,
}

/// The slices of one server between the phases, and the drivers whose mappings do not arrive.
#[derive(Debug, Default)]
pub struct Offers(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// When each was offered.
    waiting: BTreeMap<(PoolKey, u64), i64>,
    order: VecDeque<((PoolKey, u64), i64)>,
    unmapped: VecDeque<String>,
}

impl Publication {
    /// What a slice publishes. A name that the server makes up differs between the phases, so the devices tell.
    #[must_use]
    pub fn of(slice: &Slice<'_>) -> Self {
        let devices = slice.spec.as_ref().map(|spec| &*spec.devices).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        for device in devices {
            device.shown_name().hash(&mut hasher);
        }
        Self { pool: PoolKey::from(slice), is_mapped: devices.iter().any(Device::is_mapped), digest: hasher.finish() }
    }
}

impl Offers {
    /// A slice leaves the mutating phase, at `now` in milliseconds since 1970.
    pub fn offered(&self, publication: Publication, now: i64) {
        if publication.is_mapped {
            self.memory().wait((publication.pool, publication.digest), now);
        }
    }

    /// A slice reaches the validating phase. True when its mappings are gone and its driver was not told yet.
    pub fn arrived(&self, publication: &Publication, now: i64) -> bool {
        let mut memory = self.memory();
        let driver = &*publication.pool.driver;
        let offered = memory.waiting.remove(&(publication.pool.clone(), publication.digest));
        if publication.is_mapped {
            memory.unmapped.retain(|known| known != driver);
            return false;
        }
        let is_dropped = offered.is_some_and(|at| now.saturating_sub(at) < LIFETIME);
        is_dropped && memory.tell(driver)
    }

    /// How many drivers publish mappings that do not arrive.
    #[must_use]
    pub fn unmapped(&self) -> usize {
        self.memory().unmapped.len()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn wait(&mut self, slice: (PoolKey, u64), now: i64) {
        while self.order.len() >= MOST
            && let Some((oldest, at)) = self.order.pop_front()
        {
            if self.waiting.get(&oldest) == Some(&at) {
                self.waiting.remove(&oldest);
            }
        }
        self.waiting.insert(slice.clone(), now);
        self.order.push_back((slice, now));
    }

    /// False when the driver is known already.
    fn tell(&mut self, driver: &str) -> bool {
        if self.unmapped.iter().any(|known| known == driver) {
            return false;
        }
        if self.unmapped.len() >= MOST_DRIVERS {
            self.unmapped.pop_front();
        }
        self.unmapped.push_back(driver.to_owned());
        true
    }
}
