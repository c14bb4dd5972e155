//! The ledger as the watch writes it and requests read it.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use super::apply::Changes;
use super::event::Event;
use super::reservation::Reservations;
use super::state::Ledger;
use super::view::Freshness;
use crate::model::version::Version;

/// One server's ledger. Events are taken in one at a time; any number of requests reads between them.
#[derive(Debug)]
pub struct Book {
    ledger: RwLock<Ledger>,
    freshness: RwLock<Freshness>,
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
        Self { ledger: RwLock::new(ledger), freshness: RwLock::new(freshness), reservations: Mutex::default() }
    }

    /// Takes in what was seen.
    pub fn apply(&self, event: Event) -> Changes {
        // A ledger that a panic left half changed would be mended by the next list; admission goes on meanwhile.
        self.ledger.write().unwrap_or_else(PoisonError::into_inner).apply(event)
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

    /// Says how old the view may be.
    pub fn set_freshness(&self, freshness: Freshness) {
        *self.freshness.write().unwrap_or_else(PoisonError::into_inner) = freshness;
    }

    /// The reservations, for one request at a time.
    pub fn reservations(&self) -> MutexGuard<'_, Reservations> {
        self.reservations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
