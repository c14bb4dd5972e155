//! What an export says beside its objects, put back.

use std::collections::BTreeMap;

use super::decode::Totals;
use crate::ledger::object::{Key, Kind, Name, Object};
use crate::ledger::price::Priced;
use crate::ledger::state::Ledger;

impl Ledger {
    /// An object of any kind.
    pub(super) fn object(&self, kind: Kind, key: &Key) -> Option<Object> {
        match kind {
            Kind::Node => self.nodes.get(key).cloned().map(Object::Node),
            Kind::Slice => self.slices.get(key).cloned().map(Object::Slice),
            Kind::Claim => self.claims.get(key).cloned().map(Object::Claim),
            Kind::Pod => self.pods.get(key).cloned().map(Object::Pod),
        }
    }

    /// How many objects of each kind there are.
    pub(super) fn counts(&self) -> Vec<(Kind, usize)> {
        Kind::ALL.into_iter().map(|kind| (kind, self.kept(kind).keys().len())).collect()
    }

    /// What is charged to each node that is charged anything.
    pub(super) fn totals(&self) -> BTreeMap<Name, Totals> {
        let charged = self.accounts().iter().filter(|(_, account)| !account.sums().charged.is_empty());
        charged.map(|(node, account)| (node.clone(), account.sums().into())).collect()
    }

    /// Charges an allocation under these prices. False when they are not this allocation's.
    pub(super) fn pin(&mut self, claim: &Key, prices: Priced) -> bool {
        let given = self.claims.get(claim).and_then(|claim| claim.given.as_ref());
        if given.is_none_or(|given| given.len() != prices.results.len()) {
            return false;
        }
        self.set_price(claim, prices);
        true
    }

    /// Sets the versions of the accounts, and of those that were closed.
    pub(super) fn set_versions(&mut self, nodes: BTreeMap<Name, u64>, closed: u64) {
        self.closed = closed;
        for (node, version) in nodes {
            self.accounts.entry(node).or_default().version = version;
        }
    }
}
