//! How objects come in and go, with all that finds them by what they speak of.

use std::collections::BTreeSet;

use super::Touched;
use crate::ledger::object::{Claim, Key, Kind, Name, Node, Object, Place, Pod, Slice};
use crate::ledger::price::Priced;
use crate::ledger::state::Ledger;

impl Ledger {
    /// Puts an object in, in place of what had its name.
    pub(super) fn link(&mut self, object: Object, touched: &mut Touched) {
        match object {
            Object::Node(node) => self.put_node(node, touched),
            Object::Slice(slice) => self.put_slice(slice, touched),
            Object::Claim(claim) => self.put_claim(claim, touched),
            Object::Pod(pod) => self.put_pod(pod, touched),
        }
    }

    /// Takes an object out that was deleted at this version.
    pub(super) fn unlink(&mut self, kind: Kind, key: &Key, version: u64, touched: &mut Touched) {
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
}

/// The nodes that a slice's devices are on, as far as they are on one each.
pub(super) fn places(slice: &Slice) -> BTreeSet<Name> {
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
