//! Counts again what an event touched.

use std::collections::BTreeSet;

use super::link::places;
use super::{Changes, Touched};
use crate::ledger::account::Account;
use crate::ledger::charge;
use crate::ledger::object::{Key, Name, Pod};
use crate::ledger::price::Priced;
use crate::ledger::state::{Ledger, Trouble};

impl Ledger {
    /// Counts again what was touched: claims first, then the pods that pay for them, then the sums.
    pub(super) fn count(&mut self, mut touched: Touched, at: i64) -> Changes {
        for claim in std::mem::take(&mut touched.claims) {
            let given = self.claims.get(&claim).and_then(|claim| claim.given.as_ref());
            touched.pools.extend(given.into_iter().flatten().map(|given| given.key.pool.clone()));
            self.reprice(&claim, at);
            self.recharge(&claim, &mut touched);
        }
        for pod in std::mem::take(&mut touched.pods) {
            self.recount(&pod, &mut touched);
        }
        for node in &touched.nodes {
            if let Some(account) = self.accounts.get_mut(node) {
                account.settle();
            }
        }
        touched.held.extend(touched.nodes.iter().cloned());
        self.close(&touched.held);
        // Whether a node is watched depends on what its pools map, and on what was charged for them.
        touched.held.extend(touched.pools.iter().flat_map(|pool| self.pool(pool)).flat_map(places));
        self.hold(&touched.pools, &touched.held, at);
        Changes { is_new: touched.is_new, nodes: touched.nodes }
    }

    /// Finds prices for the results that have none yet.
    fn reprice(&mut self, key: &Key, at: i64) {
        let Some(claim) = self.claims.get(key) else { return };
        let Some(priced) = self.priced.get(key).filter(|priced| !priced.is_complete()) else { return };
        let given = claim.given.iter().flatten();
        let results = given
            .zip(&priced.results)
            .map(|(given, price)| price.clone().or_else(|| self.price(&given.key, &claim.selected, at)));
        let results = results.collect();
        self.priced.insert(key.clone(), Priced { results });
    }

    fn recharge(&mut self, key: &Key, touched: &mut Touched) {
        let mut charges = charge::Charges::default();
        if let Some((claim, priced)) = self.claims.get(key).zip(self.priced.get(key)) {
            let users: Vec<&Pod> = self.users(claim).collect();
            charges = charge::of(claim, priced, &users);
        }
        touched.pods.extend(self.index.users.of(key).cloned());
        self.note_trouble(key, &charges);
        let before: BTreeSet<Name> = self.index.charged.of(key).cloned().collect();
        let after: BTreeSet<Name> = charges.nodes.keys().cloned().collect();
        for node in before.union(&after) {
            let lines = charges.nodes.remove(node).unwrap_or_default();
            let account = self.accounts.entry(node.clone()).or_insert_with(|| Account::since(self.closed));
            if account.set_claim(key, lines) {
                touched.nodes.insert(node.clone());
            }
        }
        for node in before.difference(&after) {
            self.index.charged.take(key, node);
        }
        for node in after {
            self.index.charged.put(key.clone(), node);
        }
    }

    fn note_trouble(&mut self, key: &Key, charges: &charge::Charges) {
        let trouble = Trouble { duplicates: charges.duplicates, unknown: charges.unknown.clone() };
        if trouble == Trouble::default() {
            self.troubles.remove(key);
        } else {
            self.troubles.insert(key.clone(), trouble);
        }
    }

    fn recount(&mut self, key: &Key, touched: &mut Touched) {
        let Some(pod) = self.pods.get(key) else { return };
        let Some(node) = &pod.node else { return };
        let changed = if pod.is_over() {
            self.accounts.get_mut(node).is_some_and(|account| account.remove_pod(key))
        } else {
            let account = self.accounts.entry(node.clone()).or_insert_with(|| Account::since(self.closed));
            account.set_pod(pod, self.version)
        };
        if changed {
            touched.nodes.insert(node.clone());
        }
    }

    /// Closes accounts with nothing in them. Pods can name any node: those that do not exist would stay for ever.
    fn close(&mut self, nodes: &BTreeSet<Name>) {
        for node in nodes.iter().filter(|node| self.nodes.get(&Key::cluster(node)).is_none()) {
            if let Some(account) = self.accounts.get(node).filter(|account| account.is_empty()) {
                self.closed = self.closed.max(account.version);
                self.accounts.remove(node);
            }
        }
    }
}
