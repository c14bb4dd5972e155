//! The objects that lie side by side: in the reviewed files, or in the folder of a standalone server.

mod facts;
mod live;
mod read;

use std::collections::{BTreeMap, BTreeSet};

pub use facts::{
    BoundFacts, ClaimFacts, ContainerFacts, DeviceFacts, Facts, GivenFacts, MappedFacts, NodeFacts, PodFacts,
    SliceFacts,
};

use crate::model::quantity::Quantity;

/// The origin of the object at hand: after everything that is known already.
pub const AT_HAND: usize = usize::MAX;

/// Driver, pool and device together name a device.
type DeviceKey = (String, String, String);

/// The facts of many objects, found by what they are asked for.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    slices: Vec<SliceFacts>,
    pools: BTreeMap<(String, String), Vec<usize>>,
    by_node: BTreeMap<String, Vec<usize>>,
    by_device: BTreeMap<DeviceKey, Vec<(usize, usize)>>,
    by_capacity: BTreeMap<(String, String), Vec<(String, Quantity)>>,
    claims: Vec<ClaimFacts>,
    by_uid: BTreeMap<String, Vec<usize>>,
    by_name: BTreeMap<(String, String, bool), usize>,
    pods: Vec<PodFacts>,
    nodes: BTreeMap<String, NodeFacts>,
    binders: BTreeSet<String>,
    bound: Vec<BoundFacts>,
    bound_everywhere: BTreeSet<String>,
    is_live: bool,
}

impl Inventory {
    /// Adds an object's facts; `origin` comes back with every finding about it, and tells which of two came first.
    pub fn add(&mut self, facts: Facts, origin: usize) {
        match facts {
            Facts::Slice(slice) => self.add_slice(SliceFacts { origin, ..slice }),
            Facts::Claim(claim) => self.add_claim(ClaimFacts { origin, ..claim }),
            Facts::Pod(pod) => self.pods.push(PodFacts { origin, ..pod }),
            Facts::Node(node) => {
                self.nodes.insert(node.name.clone(), node);
            }
            Facts::Binder(role) => {
                self.binders.insert(role);
            }
            Facts::Bound(bound) => self.bound.push(BoundFacts { origin, ..bound }),
            Facts::BoundEverywhere(role) => {
                self.bound_everywhere.insert(role);
            }
        }
    }

    fn add_slice(&mut self, slice: SliceFacts) {
        let index = self.slices.len();
        self.pools.entry((slice.driver.clone(), slice.pool.clone())).or_default().push(index);
        if let Some(node) = &slice.node {
            self.by_node.entry(node.clone()).or_default().push(index);
        }
        for (nth, device) in slice.devices.iter().enumerate() {
            let key = (slice.driver.clone(), slice.pool.clone(), device.name.clone());
            self.by_device.entry(key).or_default().push((index, nth));
        }
        for mapped in slice.devices.iter().flat_map(|device| &device.mapped) {
            let Some((key, factor)) = &mapped.capacity else { continue };
            self.learn_capacity(&slice.driver, key, &mapped.resource, *factor);
        }
        self.slices.push(slice);
    }

    /// A capacity is asked for by its own name, or with the driver's domain before it.
    fn learn_capacity(&mut self, driver: &str, key: &str, resource: &str, factor: Quantity) {
        let other = match key.split_once('/') {
            Some((domain, id)) if domain == driver => id.to_owned(),
            Some(_) => key.to_owned(),
            None => format!("{driver}/{key}"),
        };
        for name in [key.to_owned(), other] {
            let known = self.by_capacity.entry((name, resource.to_owned())).or_default();
            if !known.iter().any(|(owner, one)| owner == driver && *one == factor) {
                known.push((driver.to_owned(), factor));
            }
        }
    }

    fn add_claim(&mut self, claim: ClaimFacts) {
        let index = self.claims.len();
        if let Some(uid) = &claim.uid {
            self.by_uid.entry(uid.clone()).or_default().push(index);
        }
        self.by_name.insert((claim.namespace.clone(), claim.name.clone(), claim.is_template), index);
        self.claims.push(claim);
    }

    /// True when these are the slices of a cluster, which change one by one, and not files that belong together.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.is_live
    }

    /// Every slice.
    #[must_use]
    pub fn slices(&self) -> &[SliceFacts] {
        &self.slices
    }

    /// Every claim.
    #[must_use]
    pub fn claims(&self) -> &[ClaimFacts] {
        &self.claims
    }

    /// Every pod that uses claims.
    #[must_use]
    pub fn pods(&self) -> &[PodFacts] {
        &self.pods
    }

    /// Every binding of a `ClusterRole` in one namespace.
    #[must_use]
    pub fn bound(&self) -> &[BoundFacts] {
        &self.bound
    }

    /// True for the name of a role that is bound in the whole cluster.
    #[must_use]
    pub fn is_bound_everywhere(&self, role: &str) -> bool {
        self.bound_everywhere.contains(role)
    }

    /// True for the name of a `ClusterRole` that grants `resourceclaims/binding` by name.
    #[must_use]
    pub fn is_binder(&self, role: &str) -> bool {
        self.binders.contains(role)
    }

    /// The node of this name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&NodeFacts> {
        self.nodes.get(name)
    }

    /// The other slices of a slice's pool. A slice is not its own neighbour, nor is the stored version it replaces.
    pub fn pool_of<'i>(&'i self, slice: &'i SliceFacts) -> impl Iterator<Item = &'i SliceFacts> {
        let key = (slice.driver.clone(), slice.pool.clone());
        self.pick(self.pools.get(&key)).filter(|other| !is_same(other, slice))
    }

    /// The stored version that a slice replaces.
    #[must_use]
    pub fn replaced(&self, slice: &SliceFacts) -> Option<&SliceFacts> {
        let key = (slice.driver.clone(), slice.pool.clone());
        self.pick(self.pools.get(&key)).find(|other| is_same(other, slice))
    }

    /// The same device in the other slices of the pool, earlier ones first.
    pub fn twins<'i>(
        &'i self,
        slice: &'i SliceFacts,
        device: &DeviceFacts,
    ) -> impl Iterator<Item = (&'i SliceFacts, &'i DeviceFacts)> {
        let key = (slice.driver.clone(), slice.pool.clone(), device.name.clone());
        let places = self.by_device.get(&key).into_iter().flatten();
        places.filter_map(|(index, nth)| {
            let other = self.slices.get(*index).filter(|other| !is_same(other, slice))?;
            Some((other, other.devices.get(*nth)?))
        })
    }

    /// The other slices of a slice's node.
    pub fn beside<'i>(&'i self, slice: &'i SliceFacts) -> impl Iterator<Item = &'i SliceFacts> {
        let indices = slice.node.as_ref().and_then(|node| self.by_node.get(node));
        self.pick(indices).filter(|other| !is_same(other, slice))
    }

    fn pick<'i>(&'i self, indices: Option<&'i Vec<usize>>) -> impl Iterator<Item = &'i SliceFacts> {
        indices.into_iter().flatten().filter_map(|index| self.slices.get(*index))
    }

    /// The claims of this id.
    pub fn claims_of_uid(&self, uid: &str) -> impl Iterator<Item = &ClaimFacts> {
        self.by_uid.get(uid).into_iter().flatten().filter_map(|index| self.claims.get(*index))
    }

    /// The claim, or template, that a pod uses under this name.
    #[must_use]
    pub fn claim_of(&self, pod: &PodFacts, name: &str) -> Option<&ClaimFacts> {
        let (_, target, is_template) = pod.claims.iter().find(|(own, ..)| own == name)?;
        let index = self.by_name.get(&(pod.namespace.clone(), target.clone(), *is_template))?;
        self.claims.get(*index)
    }

    /// What a claim may come to, for one resource: exactly, once it is allocated; else each single capacity it asks for
    /// under every mapping of that capacity that is known.
    #[must_use]
    pub fn footprints(&self, claim: &ClaimFacts, resource: &str) -> Vec<Quantity> {
        if !claim.given.is_empty() {
            return self.charged(claim, resource).into_iter().collect();
        }
        let mappings = |key: &String| self.by_capacity.get(&(key.clone(), resource.to_owned())).into_iter().flatten();
        let times = |(key, amount): &(String, Quantity)| {
            let amount = *amount;
            mappings(key).filter_map(move |(_, factor)| amount.checked_mul(factor)).collect::<Vec<_>>()
        };
        claim.asked.iter().flat_map(times).collect()
    }

    fn charged(&self, claim: &ClaimFacts, resource: &str) -> Option<Quantity> {
        let parts = claim.given.iter().filter_map(|given| {
            let slices = self.pick(self.pools.get(&(given.driver.clone(), given.pool.clone())));
            let device = slices.flat_map(|slice| &slice.devices).find(|one| one.name == given.device)?;
            let mapped = device.mapped.iter().find(|mapped| mapped.resource == resource)?;
            let Some((key, factor)) = &mapped.capacity else { return mapped.device };
            let (_, amount) = given.consumed.iter().find(|(name, _)| name == key)?;
            amount.checked_mul(factor)
        });
        parts.reduce(|sum, part| sum.checked_add(&part).unwrap_or(sum))
    }
}

fn is_same(one: &SliceFacts, other: &SliceFacts) -> bool {
    one.origin == other.origin || (one.is_named && other.is_named && one.name == other.name)
}
