//! What the watches count, for metrics.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ledger::object::{Key, Kind};

/// Counters of all four kinds.
#[derive(Debug, Default)]
pub struct Signs {
    kinds: [KindSigns; Kind::ALL.len()],
}

impl Signs {
    /// The counters of a kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> &KindSigns {
        let [node, slice, claim, pod] = &self.kinds;
        match kind {
            Kind::Node => node,
            Kind::Slice => slice,
            Kind::Claim => claim,
            Kind::Pod => pod,
        }
    }
}

/// Counters of one kind.
#[derive(Debug, Default)]
pub struct KindSigns {
    /// Complete lists.
    pub relists: Counter,
    /// Objects told as new or changed, those of lists left out.
    pub applied: Counter,
    /// Objects told as gone.
    pub deleted: Counter,
    /// Bookmarks.
    pub bookmarks: Counter,
    /// How often an object could not be read.
    pub unreadable: Counter,
    /// The objects that cannot be read as they are now.
    pub left_out: LeftOut,
    /// Lists, watches and probes that failed.
    pub failures: Counter,
    /// When the stream last gave a sign of life, in milliseconds since 1970; 0 before the first.
    heard: AtomicI64,
}

impl KindSigns {
    /// When an event, a bookmark or the end of a list was last seen, in milliseconds since 1970.
    #[must_use]
    pub fn last_heard(&self) -> Option<i64> {
        Some(self.heard.load(Ordering::Relaxed)).filter(|at| *at != 0)
    }

    pub(super) fn hear(&self, at: i64) {
        self.heard.fetch_max(at, Ordering::Relaxed);
    }
}

/// Objects that are there but cannot be read. What is not known of them must not be taken for nothing.
#[derive(Debug, Default)]
pub struct LeftOut(Mutex<BTreeSet<Key>>);

impl LeftOut {
    /// Their names, of at most [`Self::SHOWN`] of them.
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        self.locked().iter().cloned().collect()
    }

    /// More are not remembered.
    pub const SHOWN: usize = 1000;

    pub(super) fn add(&self, key: Key) {
        let mut keys = self.locked();
        if keys.len() < Self::SHOWN {
            keys.insert(key);
        }
    }

    pub(super) fn forget(&self, key: Option<&Key>) {
        key.map(|key| self.locked().remove(key));
    }

    pub(super) fn replace(&self, keys: Vec<Key>) {
        *self.locked() = keys.into_iter().take(Self::SHOWN).collect();
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<Key>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// The number so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
