//! What the watches count, for metrics.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::ledger::object::Kind;

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
    /// Objects left out because they cannot be read.
    pub unreadable: Counter,
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
