//! The ledger: the newest objects, how they hang together, and one account a node.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::account::Account;
use super::gone::GoneDevices;
use super::groups::Groups;
use super::holds::{Reason, Subject};
use super::object::{Claim, Consumer, Device, DeviceKey, Fit, Key, Kind, Name, Node, Pod, PoolKey, Selected, Slice};
use super::price::{Price, Priced};
use super::since::Generations;
use super::store::{Kept, Store};
use crate::model::version::Version;

/// Everything that is known of a cluster. Only events change it ([`Ledger::apply`]).
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(super) version: Version,
    /// True once a node was seen that declares features.
    pub(super) has_declared: bool,
    pub(super) nodes: Store<Node>,
    pub(super) slices: Store<Slice>,
    pub(super) claims: Store<Claim>,
    pub(super) pods: Store<Pod>,
    pub(super) index: Index,
    pub(super) priced: HashMap<Key, Priced>,
    pub(super) gone: GoneDevices,
    pub(super) generations: Generations,
    pub(super) accounts: BTreeMap<Name, Account>,
    /// The highest version of an account that was closed. New ones start there, so that versions only grow.
    pub(super) closed: u64,
    pub(super) troubles: BTreeMap<Key, Trouble>,
    /// Since when what is held, and what was seen.
    pub(super) held: BTreeMap<(Subject, Reason), (i64, String)>,
}

/// How objects are found by what they speak of.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// The live slices of a pool.
    pub(super) pools: Groups<PoolKey, Key>,
    /// The claims that hold devices of a pool.
    pub(super) claims: Groups<PoolKey, Key>,
    /// The claims that hold a device.
    pub(super) holders: Groups<DeviceKey, Key>,
    /// The pods that name a claim.
    pub(super) users: Groups<Key, Key>,
    /// The pools of a node's own slices.
    pub(super) node_pools: Groups<Name, PoolKey>,
    /// The nodes on which a claim is charged.
    pub(super) charged: Groups<Key, Name>,
}

/// What could not be counted of a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Entries that came twice under one key.
    pub duplicates: u64,
    /// Why footprints cannot be told.
    pub unknown: BTreeSet<String>,
}

impl Ledger {
    /// An empty ledger, for the footprints of this release.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self {
            version,
            has_declared: false,
            nodes: Store::default(),
            slices: Store::default(),
            claims: Store::default(),
            pods: Store::default(),
            index: Index::default(),
            priced: HashMap::new(),
            gone: GoneDevices::default(),
            generations: Generations::default(),
            accounts: BTreeMap::new(),
            closed: 0,
            troubles: BTreeMap::new(),
            held: BTreeMap::new(),
        }
    }

    /// The release whose footprints are computed.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// What is known of the versions of one kind's objects.
    pub(super) fn kept(&self, kind: Kind) -> &dyn Kept {
        match kind {
            Kind::Node => &self.nodes,
            Kind::Slice => &self.slices,
            Kind::Claim => &self.claims,
            Kind::Pod => &self.pods,
        }
    }

    /// The same, to be changed.
    pub(super) fn kept_mut(&mut self, kind: Kind) -> &mut dyn Kept {
        match kind {
            Kind::Node => &mut self.nodes,
            Kind::Slice => &mut self.slices,
            Kind::Claim => &mut self.claims,
            Kind::Pod => &mut self.pods,
        }
    }

    /// The account of a node.
    #[must_use]
    pub fn account(&self, node: &str) -> Option<&Account> {
        self.accounts.get(node)
    }

    /// Every account, by node.
    #[must_use]
    pub const fn accounts(&self) -> &BTreeMap<Name, Account> {
        &self.accounts
    }

    /// A node.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(&Key::cluster(name))
    }

    /// A claim.
    #[must_use]
    pub fn claim(&self, key: &Key) -> Option<&Claim> {
        self.claims.get(key)
    }

    /// A pod.
    #[must_use]
    pub fn pod(&self, key: &Key) -> Option<&Pod> {
        self.pods.get(key)
    }

    /// What could not be counted, by claim.
    #[must_use]
    pub const fn troubles(&self) -> &BTreeMap<Key, Trouble> {
        &self.troubles
    }

    /// The prices of an allocated claim.
    #[must_use]
    pub fn priced(&self, claim: &Key) -> Option<&Priced> {
        self.priced.get(claim)
    }

    /// When the oldest mapping that is charged to a node was first seen, in milliseconds since 1970.
    #[must_use]
    pub fn oldest_mapping(&self, node: &str) -> Option<i64> {
        let entries = self.account(node)?.contributions().keys();
        let prices = entries.filter_map(|entry| self.priced(&entry.claim));
        prices.flat_map(|priced| &priced.results).flatten().map(|price| price.seen).min()
    }

    /// The live slices of a pool, by name.
    pub fn pool(&self, pool: &PoolKey) -> impl Iterator<Item = &Slice> {
        let slices = self.index.pools.of(pool);
        slices.filter_map(|key| self.slices.get(key))
    }

    /// Since when a slice has been seen with the generation it has, in milliseconds since 1970.
    #[must_use]
    pub fn since(&self, slice: &Slice) -> Option<i64> {
        self.generations.since(slice)
    }

    /// The claims that hold a device, or a share of it, by name.
    pub fn holders(&self, device: &DeviceKey) -> impl Iterator<Item = &Claim> {
        let holders = self.index.holders.of(device);
        holders.filter_map(|key| self.claims.get(key))
    }

    /// The claims that hold any device of a pool, by name.
    pub fn holders_in(&self, pool: &PoolKey) -> impl Iterator<Item = &Claim> {
        let holders = self.index.claims.of(pool);
        holders.filter_map(|key| self.claims.get(key))
    }

    /// The living pods that use a claim: those it is reserved for, and where it is reserved for something larger than a
    /// pod, those that are bound.
    pub fn users<'l>(&'l self, claim: &'l Claim) -> impl Iterator<Item = &'l Pod> {
        let pods = self.index.users.of(&claim.key);
        let pods = pods.filter_map(|key| self.pods.get(key));
        pods.filter(move |pod| !pod.is_over() && claim.reserved.iter().any(|consumer| serves(consumer, pod)))
    }

    /// The device as the newest generation of its pool has it; where several nodes publish the same name, the one on
    /// the node that the allocation selects.
    #[must_use]
    pub fn device(&self, key: &DeviceKey, selected: &Selected) -> Option<(&Slice, &Device)> {
        let published = self.pool(&key.pool).filter_map(|slice| Some((slice, slice.device(&key.device)?)));
        published.max_by_key(|(slice, device)| {
            let place = device.place.as_ref().unwrap_or(&slice.place);
            (place.fits(selected), slice.generation, std::cmp::Reverse(&slice.key))
        })
    }

    /// What a device costs: as it is published, else as it was last. The same name on another node than the selected one
    /// is another device, whichever of the two is seen first.
    pub(super) fn price(&self, key: &DeviceKey, selected: &Selected, at: i64) -> Option<Price> {
        let live = self.device(key, selected).map(|(slice, device)| Price::of(slice, device, at));
        let live = live.filter(|price| price.place.fits(selected) != Fit::Elsewhere);
        live.or_else(|| self.gone.price(key, selected, at))
    }
}

fn serves(consumer: &Consumer, pod: &Pod) -> bool {
    if consumer.is_pod { consumer.uid == pod.stamp.uid } else { pod.node.is_some() }
}

impl Slice {
    /// The device of this name.
    #[must_use]
    pub fn device(&self, name: &str) -> Option<&Device> {
        let place = self.devices.binary_search_by(|device| (*device.name).cmp(name)).ok()?;
        self.devices.get(place)
    }
}
