//! A small ledger of all that bears on one write, so that live objects, or allocations on their way, can be put
//! into it and the same rules asked again. The ledger itself learns from events only.

use std::collections::BTreeSet;

use super::event::{Change, Event, Relisted};
use super::object::{Claim, DeviceKey, Key, Kind, Name, Object, Pod, PoolKey};
use super::state::Ledger;
use super::view::Ref;

/// What was read from the API server for one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What was asked for.
    pub asked: Ref,
    /// The objects; none where there are none.
    pub objects: Vec<Object>,
}

/// The part of a cluster that a write touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Its devices.
    pub devices: BTreeSet<DeviceKey>,
    /// The pools of its devices.
    pub pools: BTreeSet<PoolKey>,
    /// The nodes it is charged to.
    pub nodes: BTreeSet<Name>,
    /// The claim itself.
    pub claim: Option<Key>,
    /// Other claims, such as those of a pod.
    pub claims: BTreeSet<Key>,
}

impl Ledger {
    /// All that bears on `scope`: the nodes with their pods, slices and charges, the pools with their holders, and the
    /// claim with its pods.
    #[must_use]
    pub fn excerpt(&self, scope: &Scope) -> Self {
        let mut pools = scope.pools.clone();
        let mut claims: BTreeSet<&Key> = scope.claim.iter().chain(&scope.claims).collect();
        for node in &scope.nodes {
            pools.extend(self.index.node_pools.of(node).cloned());
            let account = self.account(node);
            claims.extend(
                account.into_iter().flat_map(|account| account.contributions().keys()).map(|entry| &entry.claim),
            );
        }
        for pool in &pools {
            claims.extend(self.index.claims.of(pool));
        }
        let mut part = Self::new(self.version);
        part.has_declared = self.has_declared;
        let nodes = scope.nodes.iter().filter_map(|name| self.node(name).cloned());
        part.take(Kind::Node, nodes.map(Object::Node).collect());
        let slices: Vec<_> = pools.iter().flat_map(|pool| self.pool(pool)).collect();
        for slice in &slices {
            part.generations.note(slice, self.since(slice).unwrap_or(i64::MAX));
        }
        part.take(Kind::Slice, slices.into_iter().cloned().map(Object::Slice).collect());
        part.take(Kind::Pod, self.pods_around(scope, &claims).into_iter().cloned().map(Object::Pod).collect());
        let known = claims.iter().filter_map(|key| self.claims.get(key));
        part.take(Kind::Claim, known.cloned().map(Object::Claim).collect());
        part.keep_prices(self, &claims);
        part
    }

    fn pods_around(&self, scope: &Scope, claims: &BTreeSet<&Key>) -> Vec<&Pod> {
        let on_nodes = scope.nodes.iter().filter_map(|node| self.account(node)).flat_map(super::account::Account::pods);
        let using = claims.iter().flat_map(|key| self.index.users.of(*key));
        // A pod that a claim is reserved for may not name it yet.
        let reserved = claims.iter().filter_map(|key| self.claims.get(key)).flat_map(|claim| {
            let namespace = &claim.key.namespace;
            claim.reserved.iter().map(|user| Key { namespace: namespace.clone(), name: user.name.clone() })
        });
        let keys: BTreeSet<Key> = on_nodes.chain(using).cloned().chain(reserved).collect();
        keys.iter().filter_map(|key| self.pods.get(key)).collect()
    }

    fn take(&mut self, kind: Kind, objects: Vec<Object>) {
        self.apply(Event { at: 0, change: Change::Relisted(Relisted::of(kind, objects)) });
    }

    /// Claims keep the prices under which they were first seen.
    fn keep_prices(&mut self, from: &Self, claims: &BTreeSet<&Key>) {
        for key in claims {
            if let Some(priced) = from.priced.get(key) {
                self.set_price(key, priced.clone());
            }
        }
    }

    /// Puts in what was just read: it is newer than what was watched, or the same.
    pub fn refresh(&mut self, seen: Vec<Seen>) {
        for Seen { asked, objects } in seen {
            for gone in self.gone_of(&asked, &objects) {
                self.drop_object(gone.0, &gone.1);
            }
            for object in objects {
                self.put_object(object);
            }
        }
    }

    /// What was known under a reference and was not read again.
    fn gone_of(&self, asked: &Ref, objects: &[Object]) -> Vec<(Kind, Key)> {
        let listed: BTreeSet<&Key> = objects.iter().map(Object::key).collect();
        let known: Vec<(Kind, Key)> = match asked {
            Ref::Claim(key) => vec![(Kind::Claim, key.clone())],
            Ref::Pod(key) => vec![(Kind::Pod, key.clone())],
            Ref::Node(name) => vec![(Kind::Node, Key::cluster(name))],
            Ref::PodsOn(node) => {
                let pods = self.account(node).into_iter().flat_map(super::account::Account::pods);
                pods.map(|key| (Kind::Pod, key.clone())).collect()
            }
            Ref::Pool(pool) => self.pool(pool).map(|slice| (Kind::Slice, slice.key.clone())).collect(),
        };
        known.into_iter().filter(|(_, key)| !listed.contains(key)).collect()
    }

    /// The part around one node as it would be with this claim stored, and its pods that are not bound yet bound there.
    #[must_use]
    pub fn imagined(&self, claim: &Claim, node: &Name) -> Self {
        let pools = claim.given.iter().flatten().map(|given| given.key.pool.clone()).collect();
        let nodes = BTreeSet::from([node.clone()]);
        let scope = Scope { pools, nodes, claim: Some(claim.key.clone()), ..Scope::default() };
        let mut part = self.excerpt(&scope);
        part.presume(claim.clone());
        let waiting: Vec<Pod> = part.users(claim).filter(|pod| pod.node.is_none()).cloned().collect();
        for pod in waiting {
            // The scheduler writes the list anew.
            part.put_object(Object::Pod(Pod { node: Some(node.clone()), listed: Vec::new(), ..pod }));
        }
        part
    }

    /// Puts in an allocation that was allowed and is not seen yet.
    pub fn presume(&mut self, claim: Claim) {
        self.put_object(Object::Claim(claim));
    }
}
