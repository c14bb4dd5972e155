//! The ledger as the watch writes it and requests read it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use super::apply::Changes;
use super::event::Event;
use super::holds::{Hold, Subject};
use super::reservation::Reservations;
use super::state::Ledger;
use super::view::Freshness;
use crate::model::version::Version;

/// One server's ledger. Events are taken in one at a time; any number of requests reads between them.
#[derive(Debug)]
pub struct Book {
    ledger: RwLock<Ledger>,
    freshness: RwLock<Freshness>,
    /// Since when the view is as old as it is, in milliseconds since 1970.
    since: AtomicI64,
    reservations: Mutex<Reservations>,
}

impl Book {
    /// An empty one.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self::of(Ledger::new(version), Freshness::Rebuilding)
    }

    /// One with this content.
    #[must_use]
    pub fn of(ledger: Ledger, freshness: Freshness) -> Self {
        Self {
            ledger: RwLock::new(ledger),
            freshness: RwLock::new(freshness),
            since: AtomicI64::default(),
            reservations: Mutex::default(),
        }
    }

    /// Takes in what was seen.
    pub fn apply(&self, event: Event) -> Changes {
        // A ledger that a panic left half changed would be mended by the next list; admission goes on meanwhile.
        self.ledger.write().unwrap_or_else(PoisonError::into_inner).apply(event)
    }

    /// Takes in what was seen, and tells what it changed before anything else does.
    pub fn apply_and_tell(&self, event: Event, tell: impl FnOnce(Event, &Changes, &Ledger)) -> Changes {
        let mut ledger = self.ledger.write().unwrap_or_else(PoisonError::into_inner);
        let changes = ledger.apply(event.clone());
        tell(event, &changes, &ledger);
        changes
    }

    /// Says which release's footprints are computed. `changed` is told before anything else is taken in.
    pub fn serve(&self, version: Version, changed: impl FnOnce()) {
        if self.read().version() != version {
            let mut ledger = self.ledger.write().unwrap_or_else(PoisonError::into_inner);
            ledger.serve(version);
            changed();
        }
    }

    /// The ledger, while nothing is taken in.
    pub fn read(&self) -> RwLockReadGuard<'_, Ledger> {
        self.ledger.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How old the view may be.
    #[must_use]
    pub fn freshness(&self) -> Freshness {
        *self.freshness.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how old the view may be, since `at`, in milliseconds since 1970.
    pub fn set_freshness(&self, freshness: Freshness, at: i64) {
        self.since.store(at, Ordering::Relaxed);
        *self.freshness.write().unwrap_or_else(PoisonError::into_inner) = freshness;
    }

    /// Every hold: those of pools and nodes, and of the view itself.
    #[must_use]
    pub fn holds(&self) -> Vec<Hold> {
        let freshness = self.freshness();
        let own = freshness.hold().map(|reason| Hold {
            subject: Subject::Cluster,
            reason,
            since: self.since.load(Ordering::Relaxed),
            seen: "draguard cannot tell what is charged".to_owned(),
            ends: freshness.ends().unwrap_or(reason.ends()),
        });
        own.into_iter().chain(self.read().holds()).collect()
    }

    /// The reservations, for one request at a time.
    pub fn reservations(&self) -> MutexGuard<'_, Reservations> {
        self.reservations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
