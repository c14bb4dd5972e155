//! `apply(event) -> changes`: pure and deterministic. The same events, in any order that respects each object's resource
//! version, with repeats and relists, end in the same ledger.

use std::collections::BTreeSet;

use super::account::Account;
use super::charge;
use super::event::{Change, Deleted, Event, Relisted};
use super::object::{Claim, Key, Kind, Name, Node, Object, Place, Pod, PoolKey, Slice, Stamp};
use super::price::Priced;
use super::state::{Ledger, Trouble};
use crate::model::version::Version;

/// What an event changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// False when all of it was known already, or older than what is known.
    pub is_new: bool,
    /// The nodes whose accounts changed.
    pub nodes: BTreeSet<Name>,
}

/// What has to be counted again.
#[derive(Debug, Default)]
struct Touched {
    is_new: bool,
    claims: BTreeSet<Key>,
    pods: BTreeSet<Key>,
    nodes: BTreeSet<Name>,
    /// Pools and nodes whose holds may have changed.
    pools: BTreeSet<PoolKey>,
    held: BTreeSet<Name>,
    /// When the objects were seen.
    at: i64,
}

impl Ledger {
    /// Takes in what was seen.
    pub fn apply(&mut self, event: Event) -> Changes {
        let mut touched = Touched { at: event.at, ..Touched::default() };
        match event.change {
            Change::Applied(object) => self.put(object, &mut touched),
            Change::Deleted(deleted) => self.delete(&deleted, &mut touched),
            Change::Relisted(relisted) => self.relist(relisted, &mut touched),
        }
        self.count(touched, event.at)
    }

    /// Counts as this release does from now on.
    pub fn serve(&mut self, version: Version) {
        self.version = version;
        let pods = self.pods.keys().into_iter().collect();
        self.count(Touched { pods, ..Touched::default() }, 0);
    }

    fn put(&mut self, object: Object, touched: &mut Touched) {
        let known = self.stamp(object.kind(), object.key()).map(|stamp| stamp.version);
        if self.is_stale(object.kind(), object.key(), object.stamp(), known) {
            return;
        }
        touched.is_new = true;
        self.accept(object, touched);
    }

    fn accept(&mut self, object: Object, touched: &mut Touched) {
        match object {
            Object::Node(node) => self.put_node(node, touched),
            Object::Slice(slice) => self.put_slice(slice, touched),
            Object::Claim(claim) => self.put_claim(claim, touched),
            Object::Pod(pod) => self.put_pod(pod, touched),
        }
    }

    fn delete(&mut self, deleted: &Deleted, touched: &mut Touched) {
        let Deleted { kind, key, stamp } = deleted;
        let known = self.stamp(*kind, key).map(|stamp| stamp.version);
        // A deletion has the version of the deletion, or that of the object as it was last seen.
        let is_repeat = known != Some(stamp.version) && self.is_stale(*kind, key, stamp, known);
        if !is_repeat {
            touched.is_new = true;
            self.remove(*kind, key, stamp.version, touched);
        }
    }

    /// What is not in the list is gone. A list that holds what should be gone, or older than it was, or that is older
    /// than what was told, is of storage that was set back: it is right, and what was known is not.
    fn relist(&mut self, relisted: Relisted, touched: &mut Touched) {
        let Relisted { kind, objects, unread, version } = relisted;
        let listed: BTreeSet<Key> = objects.iter().map(|object| object.key().clone()).chain(unread).collect();
        for key in self.keys(kind).into_iter().filter(|key| !listed.contains(key)) {
            touched.is_new = true;
            let version = self.stamp(kind, &key).map_or(0, |stamp| stamp.version);
            self.remove(kind, &key, version, touched);
        }
        if self.is_behind(kind, version) || objects.iter().any(|object| self.is_set_back(object)) {
            self.set_back(kind);
            touched.is_new = true;
            for object in objects.into_iter().filter(|object| object.kind() == kind) {
                self.accept(object, touched);
            }
            return;
        }
        let newest = objects.iter().map(|object| object.stamp().version).max().unwrap_or_default();
        for object in objects.into_iter().filter(|object| object.kind() == kind) {
            if self.reads_otherwise(&object) {
                touched.is_new = true;
                self.accept(object, touched);
            } else {
                self.put(object, touched);
            }
        }
        touched.is_new |= self.told(kind, newest);
    }

    /// True for a version that is known with another content: another release of the API server serves it, or another
    /// release of draguard had read it.
    fn reads_otherwise(&self, object: &Object) -> bool {
        match object {
            Object::Node(new) => self.nodes.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
            Object::Slice(new) => self.slices.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
            Object::Claim(new) => self.claims.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
            Object::Pod(new) => self.pods.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
        }
    }

    fn is_set_back(&self, object: &Object) -> bool {
        let known = self.stamp(object.kind(), object.key());
        let is_same = known == Some(object.stamp());
        !is_same && self.is_stale(object.kind(), object.key(), object.stamp(), known.map(|stamp| stamp.version))
    }

    fn remove(&mut self, kind: Kind, key: &Key, version: u64, touched: &mut Touched) {
        match kind {
            Kind::Node => {
                self.nodes.remove(key, version);
                touched.held.insert(key.name.clone());
            }
            Kind::Slice => {
                self.generations.forget(key);
                if let Some(slice) = self.slices.remove(key, version) {
                    self.unlink_slice(&slice);
                    touched.held.extend(places(&slice));
                    touched.pools.insert(slice.pool);
                }
            }
            Kind::Claim => {
                if let Some(claim) = self.claims.remove(key, version) {
                    self.unlink_claim(&claim, touched);
                    touched.claims.insert(claim.key);
                }
            }
            Kind::Pod => {
                if let Some(pod) = self.pods.remove(key, version) {
                    self.unlink_pod(&pod, touched);
                }
            }
        }
    }

    /// Puts an object in, whatever its version: for ledgers that are not kept.
    pub(super) fn put_object(&mut self, object: Object) {
        // What is put in so has no time: it is as new as can be.
        let mut touched = Touched { at: i64::MAX, ..Touched::default() };
        self.accept(object, &mut touched);
        self.count(touched, 0);
    }

    /// Takes an object out, whatever its version: for ledgers that are not kept.
    pub(super) fn drop_object(&mut self, kind: Kind, key: &Key) {
        let mut touched = Touched::default();
        self.remove(kind, key, 0, &mut touched);
        self.count(touched, 0);
    }

    /// Sets the prices of an allocation that is known from elsewhere.
    pub(super) fn set_price(&mut self, key: &Key, priced: Priced) {
        self.priced.insert(key.clone(), priced);
        let touched = Touched { claims: BTreeSet::from([key.clone()]), ..Touched::default() };
        self.count(touched, 0);
    }

    fn put_node(&mut self, node: Node, touched: &mut Touched) {
        touched.held.insert(node.key.name.clone());
        self.has_declared |= node.declared.is_some();
        self.nodes.put(node.key.clone(), node);
    }

    fn put_slice(&mut self, slice: Slice, touched: &mut Touched) {
        self.generations.note(&slice, touched.at);
        if let Some(old) = self.slices.take(&slice.key) {
            self.unlink_slice(&old);
        }
        self.index.pools.put(slice.pool.clone(), slice.key.clone());
        for node in places(&slice) {
            self.index.node_pools.put(node, slice.pool.clone());
        }
        touched.pools.insert(slice.pool.clone());
        touched.held.extend(places(&slice));
        let claims = self.index.claims.of(&slice.pool);
        let unpriced = claims.filter(|key| self.priced.get(key).is_some_and(|priced| !priced.is_complete()));
        touched.claims.extend(unpriced.cloned());
        self.slices.put(slice.key.clone(), slice);
    }

    fn unlink_slice(&mut self, slice: &Slice) {
        self.gone.remember(slice);
        self.index.pools.take(&slice.pool, &slice.key);
        for node in places(slice) {
            let is_left = self.pool(&slice.pool).any(|other| places(other).contains(&node));
            if !is_left {
                self.index.node_pools.take(&node, &slice.pool);
            }
        }
    }

    fn put_claim(&mut self, claim: Claim, touched: &mut Touched) {
        touched.claims.insert(claim.key.clone());
        let old = self.claims.take(&claim.key);
        let is_same = |old: &Claim| old.stamp.uid == claim.stamp.uid && old.given == claim.given;
        if !old.as_ref().is_some_and(is_same) {
            if let Some(old) = &old {
                self.unlink_claim(old, touched);
            }
            self.link_claim(&claim);
        }
        self.claims.put(claim.key.clone(), claim);
    }

    fn link_claim(&mut self, claim: &Claim) {
        let Some(given) = &claim.given else { return };
        for one in given {
            self.index.claims.put(one.key.pool.clone(), claim.key.clone());
            self.index.holders.put(one.key.clone(), claim.key.clone());
        }
        self.priced.insert(claim.key.clone(), Priced { results: vec![None; given.len()] });
    }

    fn unlink_claim(&mut self, claim: &Claim, touched: &mut Touched) {
        self.priced.remove(&claim.key);
        for one in claim.given.iter().flatten() {
            touched.pools.insert(one.key.pool.clone());
            self.index.claims.take(&one.key.pool, &claim.key);
            self.index.holders.take(&one.key, &claim.key);
        }
    }

    fn put_pod(&mut self, pod: Pod, touched: &mut Touched) {
        let old = self.pods.take(&pod.key);
        if !old.as_ref().is_some_and(|old| old.takes_the_same(&pod)) {
            if let Some(old) = &old {
                self.unlink_pod(old, touched);
            }
            for claim in claims_of(&pod) {
                self.index.users.put(claim.clone(), pod.key.clone());
                touched.claims.insert(claim);
            }
            touched.pods.insert(pod.key.clone());
        }
        self.pods.put(pod.key.clone(), pod);
    }

    fn unlink_pod(&mut self, pod: &Pod, touched: &mut Touched) {
        for claim in claims_of(pod) {
            self.index.users.take(&claim, &pod.key);
            touched.claims.insert(claim);
        }
        let account = pod.node.as_ref().and_then(|node| self.accounts.get_mut(node));
        if let Some((node, true)) = pod.node.clone().zip(account.map(|account| account.remove_pod(&pod.key))) {
            touched.nodes.insert(node);
        }
    }

    /// Counts again what was touched: claims first, then the pods that pay for them, then the sums.
    fn count(&mut self, mut touched: Touched, at: i64) -> Changes {
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

    fn stamp(&self, kind: Kind, key: &Key) -> Option<&Stamp> {
        match kind {
            Kind::Node => self.nodes.get(key).map(|node| &node.stamp),
            Kind::Slice => self.slices.get(key).map(|slice| &slice.stamp),
            Kind::Claim => self.claims.get(key).map(|claim| &claim.stamp),
            Kind::Pod => self.pods.get(key).map(|pod| &pod.stamp),
        }
    }

    fn is_stale(&self, kind: Kind, key: &Key, stamp: &Stamp, known: Option<u64>) -> bool {
        match kind {
            Kind::Node => self.nodes.is_stale(key, stamp, known),
            Kind::Slice => self.slices.is_stale(key, stamp, known),
            Kind::Claim => self.claims.is_stale(key, stamp, known),
            Kind::Pod => self.pods.is_stale(key, stamp, known),
        }
    }

    pub(super) fn keys(&self, kind: Kind) -> Vec<Key> {
        match kind {
            Kind::Node => self.nodes.keys(),
            Kind::Slice => self.slices.keys(),
            Kind::Claim => self.claims.keys(),
            Kind::Pod => self.pods.keys(),
        }
    }

    /// Forgets what is gone: its versions are of another time.
    fn set_back(&mut self, kind: Kind) {
        match kind {
            Kind::Node => self.nodes.set_deletions(0, Vec::new()),
            Kind::Slice => self.slices.set_deletions(0, Vec::new()),
            Kind::Claim => self.claims.set_deletions(0, Vec::new()),
            Kind::Pod => self.pods.set_deletions(0, Vec::new()),
        }
    }

    /// True when the storage had been further than this version already.
    fn is_behind(&self, kind: Kind, version: u64) -> bool {
        version != 0
            && match kind {
                Kind::Node => self.nodes.is_ahead_of(version),
                Kind::Slice => self.slices.is_ahead_of(version),
                Kind::Claim => self.claims.is_ahead_of(version),
                Kind::Pod => self.pods.is_ahead_of(version),
            }
    }

    fn told(&mut self, kind: Kind, version: u64) -> bool {
        match kind {
            Kind::Node => self.nodes.told(version),
            Kind::Slice => self.slices.told(version),
            Kind::Claim => self.claims.told(version),
            Kind::Pod => self.pods.told(version),
        }
    }
}

/// The nodes that a slice's devices are on, as far as they are on one each.
fn places(slice: &Slice) -> BTreeSet<Name> {
    let places = slice.devices.iter().filter_map(|device| device.place.as_ref());
    let nodes = places.chain([&slice.place]).filter_map(|place| match place {
        Place::Node(node) => Some(node.clone()),
        Place::Many => None,
    });
    nodes.collect()
}

fn claims_of(pod: &Pod) -> impl Iterator<Item = Key> + use<'_> {
    let names = pod.claims.iter().filter_map(|claim| claim.claim.clone());
    names.map(|name| Key { namespace: pod.key.namespace.clone(), name })
}
