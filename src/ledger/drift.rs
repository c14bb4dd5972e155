//! What pods' status lists say beside what their claims take: the scheduler and the kubelet believe the lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::amounts::add;
use super::charge;
use super::object::{Claim, Key, Name, Pod};
use super::requests::Amounts;
use super::state::Ledger;
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;

/// One amount that a pod's list has otherwise, or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The node.
    pub node: Name,
    /// The pod.
    pub pod: Key,
    /// The claim's name, in the pod's namespace.
    pub claim: String,
    /// The resource.
    pub resource: String,
    /// What the list says; `None` where it says nothing.
    pub listed: Option<Quantity>,
    /// What the claim takes of the node for this pod; `None` where it takes nothing.
    pub takes: Option<Quantity>,
}

/// Amounts by claim.
type Claims = BTreeMap<String, Amounts>;

impl Ledger {
    /// Every difference. A device whose mapping has changed since the allocation is left out: both may be right.
    #[must_use]
    pub fn drift(&self) -> Vec<Drift> {
        let mut takes = self.taken();
        let mut pods: Vec<&Pod> = self.pods.iter().filter(|pod| !pod.is_over()).collect();
        pods.sort_unstable_by_key(|pod| &pod.key);
        let bound = pods.into_iter().filter_map(|pod| Some((pod, pod.node.as_ref()?)));
        bound
            .flat_map(|(pod, node)| self.compare(pod, node, &takes.remove(&pod.stamp.uid).unwrap_or_default()))
            .collect()
    }

    /// What each pod's claims take, by the pod's uid, as if there were no lists.
    fn taken(&self) -> BTreeMap<Name, Claims> {
        let mut taken: BTreeMap<Name, Claims> = BTreeMap::new();
        for claim in self.claims.iter() {
            let Some(priced) = self.priced.get(&claim.key) else { continue };
            let users: Vec<Pod> = self.users(claim).map(|pod| Pod { listed: Vec::new(), ..pod.clone() }).collect();
            let charges = charge::of(claim, priced, &users.iter().collect::<Vec<_>>());
            for (entry, line) in charges.nodes.values().flatten() {
                if let Some(uid) = entry.pod.as_ref().or(line.payer.as_ref()) {
                    let claims = taken.entry(uid.clone()).or_default();
                    add(claims.entry(claim.key.name.to_string()).or_default(), &entry.resource, &line.amount);
                }
            }
        }
        taken
    }

    fn compare(&self, pod: &Pod, node: &Name, takes: &Claims) -> Vec<Drift> {
        let listed = listed(pod);
        let names: BTreeSet<&String> = listed.keys().chain(takes.keys()).collect();
        let nothing = Amounts::new();
        let mut drift = Vec::new();
        for claim in names.into_iter().filter(|name| !self.is_changed(pod, name)) {
            let (listed, takes) = (listed.get(claim).unwrap_or(&nothing), takes.get(claim).unwrap_or(&nothing));
            let resources: BTreeSet<&String> = listed.keys().chain(takes.keys()).collect();
            for resource in resources {
                let (listed, takes) = (listed.get(resource).copied(), takes.get(resource).copied());
                if counted(resource, listed) != counted(resource, takes) {
                    let (pod, claim, resource) = (pod.key.clone(), claim.clone(), resource.clone());
                    drift.push(Drift { node: node.clone(), pod, claim, resource, listed, takes });
                }
            }
        }
        drift
    }

    /// True when a device of the claim maps something else than when it was allocated.
    fn is_changed(&self, pod: &Pod, claim: &str) -> bool {
        let key = Key { namespace: pod.key.namespace.clone(), name: claim.into() };
        let claim: Option<&Claim> = self.claims.get(&key);
        let Some((claim, priced)) = claim.zip(self.priced.get(&key)) else { return false };
        let mut results = claim.given.iter().flatten().zip(&priced.results);
        results.any(|(given, price)| {
            let live = self.device(&given.key, &claim.selected);
            price.as_ref().zip(live).is_some_and(|(price, (_, device))| price.mapped != device.mapped)
        })
    }
}

fn listed(pod: &Pod) -> Claims {
    let mut claims = Claims::new();
    for entry in &pod.listed {
        let amounts = claims.entry(entry.claim.clone()).or_default();
        for (resource, charge) in &entry.charges {
            add(amounts, resource, &charge.total(entry.containers));
        }
    }
    claims
}

/// As the scheduler counts it.
fn counted(resource: &str, amount: Option<Quantity>) -> Option<i64> {
    match amount.zip(Kind::of(resource)) {
        Some((amount, kind)) => kind.counted(&amount),
        None => Some(0),
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, pod, claim, resource, .. } = self;
        let shown = |amount: Option<Quantity>| amount.map_or_else(|| "nothing".to_owned(), |amount| amount.to_string());
        let (listed, takes) = (shown(self.listed), shown(self.takes));
        write!(f, "node {node}: pod {pod} lists {listed} of {resource} for claim {claim}, which takes {takes}")
    }
}
