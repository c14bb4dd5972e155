//! The ledger of one node: what its pods ask for, and what their claims take on top.

use std::collections::BTreeMap;

use litemap::LiteMap;

use super::amounts::{add, add_all, left};
use super::contribution::{Contribution, Entry, Lines};
use super::object::{Key, Name, Pod};
use super::requests::{Amounts, Charge, ChargedClaim, compact, pod_requests, pod_requests_without_claims};
use crate::model::version::Version;

/// One node's account. All amounts are exact, in each resource's own unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// Raised by every change.
    pub version: u64,
    lines: Lines,
    pods: LiteMap<Key, Share>,
    sums: Sums,
}

/// What one pod takes of its node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Share {
    /// Without its claims.
    requests: Amounts,
    /// With them.
    total: Amounts,
}

/// The sums of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// What the pods ask for beside their claims.
    pub requests: Amounts,
    /// What the devices of claims take.
    pub mapping: Amounts,
    /// What the pods take on top for their claims.
    pub overhead: Amounts,
    /// The part of mapping and overhead that is for administration, beside the devices' owners.
    pub admin: Amounts,
    /// The part of mapping and overhead that a pod's requests as a whole contain already.
    pub absorbed: Amounts,
    /// The part of mapping and overhead that is in no pod's requests: no pod uses the claim there.
    pub unused: Amounts,
    /// Everything: requests, mapping and overhead without what is absorbed.
    pub charged: Amounts,
    /// Mapping by NUMA zone.
    pub zones: LiteMap<i64, Amounts>,
    /// Mapping without a zone.
    pub unzoned: Amounts,
}

impl Account {
    /// An empty account that goes on from this version.
    pub(super) fn since(version: u64) -> Self {
        Self { version, ..Self::default() }
    }

    /// The contributions, each counted once.
    #[must_use]
    pub const fn contributions(&self) -> &Lines {
        &self.lines
    }

    /// The sums.
    #[must_use]
    pub const fn sums(&self) -> &Sums {
        &self.sums
    }

    /// What counts against the node's allocatable: everything but administration.
    #[must_use]
    pub fn counted(&self) -> Amounts {
        left(&self.sums.charged, &self.sums.admin)
    }

    /// The names of the pods on the node.
    pub fn pods(&self) -> impl Iterator<Item = &Key> {
        self.pods.keys()
    }

    /// What a pod takes of the node, its claims included. The scheduler rounds it up before it adds it to others.
    #[must_use]
    pub fn taken(&self, pod: &Key) -> Option<&Amounts> {
        self.pods.get(pod).map(|share| &share.total)
    }

    /// True when nothing is left to account for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.pods.is_empty()
    }

    /// Replaces what a claim takes here. True when that changed anything.
    pub(super) fn set_claim(&mut self, claim: &Key, lines: Lines) -> bool {
        let mine = |entry: &Entry| entry.claim == *claim;
        if self.lines.iter().filter(|(entry, _)| mine(entry)).eq(lines.iter()) {
            return false;
        }
        self.lines.retain(|entry, _| !mine(entry));
        self.lines.extend(lines);
        self.lines = compact(std::mem::take(&mut self.lines));
        true
    }

    /// Replaces what a pod takes here. True when that changed anything.
    pub(super) fn set_pod(&mut self, pod: &Pod, version: Version) -> bool {
        let share = self.share(pod, version);
        if self.pods.insert(pod.key.clone(), share.clone()).as_ref() == Some(&share) {
            return false;
        }
        self.pods = compact(std::mem::take(&mut self.pods));
        true
    }

    /// True when the pod is counted as what it takes now.
    pub(super) fn is_current(&self, pod: &Pod, version: Version) -> bool {
        self.pods.get(&pod.key) == Some(&self.share(pod, version))
    }

    fn share(&self, pod: &Pod, version: Version) -> Share {
        let charged = self.charged(&pod.stamp.uid);
        Share {
            requests: compact(pod_requests_without_claims(&pod.needs, &pod.listed, version)),
            total: compact(pod_requests(&pod.needs, &charged, version)),
        }
    }

    /// Takes a pod out. True when it was there.
    pub(super) fn remove_pod(&mut self, pod: &Key) -> bool {
        self.pods.remove(pod).is_some()
    }

    /// What the ledger charges for the claims that this pod pays for, in the form of its status list.
    fn charged(&self, uid: &Name) -> Vec<ChargedClaim> {
        let mut claims: BTreeMap<&Key, ChargedClaim> = BTreeMap::new();
        for (entry, line) in self.lines.iter().filter(|(_, line)| line.payer.as_ref() == Some(uid)) {
            let claim = claims.entry(&entry.claim).or_insert_with(|| ChargedClaim {
                claim: entry.claim.name.to_string(),
                containers: 1,
                ..ChargedClaim::default()
            });
            let charge: &mut Charge = claim.charges.entry(entry.resource.to_string()).or_default();
            let part = if entry.pod.is_some() { &mut charge.per_pod } else { &mut charge.mapping };
            *part = part.checked_add(&line.amount).unwrap_or(*part);
        }
        claims.into_values().collect()
    }

    /// Brings the sums up to date and raises the version.
    pub(super) fn settle(&mut self) {
        self.version += 1;
        let mut sums = Sums::default();
        for (entry, line) in &self.lines {
            sums.count(entry, line);
        }
        for share in self.pods.values() {
            add_all(&mut sums.requests, &share.requests);
            add_all(&mut sums.charged, &share.total);
        }
        let mut apart = sums.requests.clone();
        for more in [&sums.mapping, &sums.overhead] {
            add_all(&mut apart, more);
        }
        add_all(&mut sums.charged, &sums.unused);
        sums.absorbed = left(&apart, &sums.charged);
        self.sums = sums.compact();
    }
}

impl Sums {
    /// Nearly all that a large cluster's ledger takes is such sums: none keeps room for more.
    fn compact(self) -> Self {
        let Self { requests, mapping, overhead, admin, absorbed, unused, charged, zones, unzoned } = self;
        let [requests, mapping, overhead, admin, absorbed, unused, charged, unzoned] =
            [requests, mapping, overhead, admin, absorbed, unused, charged, unzoned].map(compact);
        let zones = zones.into_iter().map(|(zone, amounts)| (zone, compact(amounts))).collect();
        Self { requests, mapping, overhead, admin, absorbed, unused, charged, zones, unzoned }
    }

    fn count(&mut self, entry: &Entry, line: &Contribution) {
        let (resource, amount) = (&*entry.resource, &line.amount);
        if line.is_admin {
            add(&mut self.admin, resource, amount);
        }
        if line.payer.is_none() {
            add(&mut self.unused, resource, amount);
        }
        if entry.pod.is_some() {
            return add(&mut self.overhead, resource, amount);
        }
        add(&mut self.mapping, resource, amount);
        let zone = line.zone.map_or(&mut self.unzoned, |zone| self.zones.entry(zone).or_default());
        add(zone, resource, amount);
    }
}
