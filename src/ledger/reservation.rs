//! Allocations that were allowed a moment ago and are not seen by the watch yet, so that two that exclude each other
//! cannot both pass. Anyone may call the webhook: a reservation is taken only for a claim that the watch shows
//! unallocated at exactly the version that is to be replaced, once for that version, for seconds, and in bounded number.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::excerpt::Scope;
use super::object::{Claim, Key, Name};
use super::state::Ledger;

/// How long a reservation lives, in milliseconds.
pub const LIFETIME: i64 = 5_000;

/// The most reservations at a time.
pub const MOST: usize = 4_096;

/// The most reservations that one request is judged beside.
const MOST_BESIDE: usize = 64;

/// The most versions that are remembered to have had theirs.
const MOST_SPENT: usize = 4 * MOST;

/// The reservations of one server.
#[derive(Debug, Clone, Default)]
pub struct Reservations {
    live: BTreeMap<Key, Reservation>,
    spent: BTreeSet<(Name, u64)>,
    order: VecDeque<(Name, u64)>,
}

/// One allocation on its way.
#[derive(Debug, Clone)]
struct Reservation {
    /// The claim as it will be, with the version that it replaces.
    claim: Claim,
    /// Until when, in milliseconds since 1970.
    until: i64,
}

impl Reservations {
    /// Reserves what `claim` is to hold. `replaced` is the version of the stored claim that it replaces. False where
    /// that is not how the watch shows the claim, where this version had its reservation, or where there are too many.
    pub fn take(&mut self, claim: Claim, replaced: u64, ledger: &Ledger, now: i64) -> bool {
        if self.live.len() >= MOST {
            self.forget(ledger, now);
        }
        let shown = ledger.claim(&claim.key);
        let is_as_shown = shown.is_some_and(|shown| {
            shown.given.is_none() && shown.stamp.uid == claim.stamp.uid && shown.stamp.version == replaced
        });
        let version = (claim.stamp.uid.clone(), replaced);
        if !is_as_shown || claim.given.is_none() || self.live.len() >= MOST || self.spent.contains(&version) {
            return false;
        }
        self.spend(version);
        let mut claim = claim;
        claim.stamp.version = replaced;
        self.live.insert(claim.key.clone(), Reservation { claim, until: now.saturating_add(LIFETIME) });
        true
    }

    fn spend(&mut self, version: (Name, u64)) {
        if self.order.len() >= MOST_SPENT
            && let Some(oldest) = self.order.pop_front()
        {
            self.spent.remove(&oldest);
        }
        self.order.push_back(version.clone());
        self.spent.insert(version);
    }

    /// The reserved claims that bear on `scope`, the scope's own claim aside: those with one of its devices first, and
    /// no more than what one node starts in a lifetime.
    #[must_use]
    pub fn beside(&self, scope: &Scope, ledger: &Ledger, now: i64) -> Vec<&Claim> {
        let others = self.live.iter().filter(|(key, _)| Some(*key) != scope.claim.as_ref());
        let touching = others.filter(|(_, one)| touches(&one.claim, scope));
        let live = touching.filter(|(key, one)| one.is_live(key, ledger, now)).map(|(_, one)| &one.claim);
        let (mut nearest, farther): (Vec<_>, Vec<_>) = live.partition(|claim| shares(claim, scope));
        nearest.extend(farther);
        nearest.truncate(MOST_BESIDE);
        nearest
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Gives back what is over: its time, or the wait for the watch, which counts it from now on.
    pub fn forget(&mut self, ledger: &Ledger, now: i64) {
        self.live.retain(|key, one| one.is_live(key, ledger, now));
    }
}

impl Reservation {
    /// True while the watch shows the claim as it was before, and for no longer than a lifetime.
    fn is_live(&self, key: &Key, ledger: &Ledger, now: i64) -> bool {
        let is_waiting = |shown: &Claim| shown.stamp == self.claim.stamp;
        self.until > now && ledger.claim(key).is_some_and(is_waiting)
    }
}

fn shares(claim: &Claim, scope: &Scope) -> bool {
    claim.given.iter().flatten().any(|given| scope.devices.contains(&given.key))
}

fn touches(claim: &Claim, scope: &Scope) -> bool {
    let on_node = matches!(&claim.selected, super::object::Selected::Node(node) if scope.nodes.contains(node));
    on_node || claim.given.iter().flatten().any(|given| scope.pools.contains(&given.key.pool))
}
