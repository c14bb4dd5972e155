//! A pod that is to run on a node, and the ledger beside it.

use std::collections::BTreeMap;

use crate::ledger::amounts::add;
use crate::ledger::charge;
use crate::ledger::excerpt::Scope;
use crate::ledger::object::{Claim, Key, Name, Pod, PodClaim, Selected};
use crate::ledger::requests::Amounts;
use crate::ledger::view::{Ref, Scene};
use crate::model::path::Path;
use crate::model::resource::Kind;

/// The most claims of a pod that are looked at.
const MOST: usize = 64;

/// A pod, its node and the ledger.
#[derive(Debug, Clone, Copy)]
pub struct Placement<'a> {
    /// The pod.
    pub pod: &'a Pod,
    /// The node it is to run on.
    pub node: &'a Name,
    /// The ledger.
    pub scene: Scene<'a>,
}

/// What a claim takes by its allocation, and the mapping under which it is charged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// For the devices.
    pub mapping: Amounts,
    /// For the pod, on top.
    pub overhead: Amounts,
}

impl<'a> Placement<'a> {
    /// The pod's claims that are known, each with its place in the spec.
    pub fn claims(&self) -> impl Iterator<Item = (usize, &'a PodClaim, &'a Claim)> {
        let (pod, scene) = (self.pod, self.scene);
        let named = pod.claims.iter().take(MOST).enumerate();
        named.filter_map(move |(index, claim)| Some((index, claim, scene.ledger.claim(&key(pod, claim)?)?)))
    }

    /// All that bears on it.
    #[must_use]
    pub fn scope(&self) -> Scope {
        let given = self.claims().flat_map(|(.., claim)| claim.given.iter().flatten());
        let pools = given.map(|given| given.key.pool.clone()).collect();
        Scope { pools, claims: self.keys().collect(), ..Scope::default() }
    }

    /// The pod's claims, to be read again.
    pub fn refs(&self) -> impl Iterator<Item = Ref> {
        self.keys().map(Ref::Claim)
    }

    fn keys(&self) -> impl Iterator<Item = Key> {
        self.pod.claims.iter().take(MOST).filter_map(|claim| key(self.pod, claim))
    }

    /// True when the claim was charged for a mapping.
    #[must_use]
    pub fn is_mapped(&self, claim: &Claim) -> bool {
        self.scene.ledger.priced(&claim.key).is_some_and(crate::ledger::price::Priced::is_mapped)
    }

    /// The other node that the claim is allocated on.
    #[must_use]
    pub fn elsewhere(&self, claim: &'a Claim) -> Option<&'a Name> {
        let selected = match &claim.selected {
            Selected::Node(node) => Some(node),
            Selected::Any | Selected::Selector => None,
        };
        let prices = self.scene.ledger.priced(&claim.key).map(|priced| &*priced.results).unwrap_or_default();
        let devices = prices.iter().flatten().filter_map(crate::ledger::price::Price::node);
        selected.into_iter().chain(devices).find(|node| *node != self.node)
    }

    /// The path of a claim.
    #[must_use]
    pub fn path(index: usize, claim: &PodClaim) -> Path {
        Path::fields(&["spec", "resourceClaims"]).named(index, &*claim.name)
    }
}

fn key(pod: &Pod, claim: &PodClaim) -> Option<Key> {
    Some(Key { namespace: pod.key.namespace.clone(), name: claim.claim.clone()? })
}

/// True when the claim is reserved for this pod, by its uid.
#[must_use]
pub fn is_reserved(claim: &Claim, pod: &Pod) -> bool {
    claim.reserved.iter().any(|consumer| consumer.is_pod && consumer.uid == pod.stamp.uid)
}

/// What a claim takes for a pod that it is reserved for, whatever the pod's status says; `None` while not all of it is
/// known.
#[must_use]
pub fn taken(claim: &Claim, pod: &Pod, scene: Scene<'_>) -> Option<Taken> {
    let priced = scene.ledger.priced(&claim.key).filter(|priced| priced.is_complete())?;
    claim.given.as_ref().filter(|_| is_reserved(claim, pod))?;
    // The list is written before the pod is bound: any one node does.
    let selected = match &claim.selected {
        Selected::Node(node) => Some(node),
        Selected::Any | Selected::Selector => None,
    };
    let on = || priced.results.iter().flatten().find_map(crate::ledger::price::Price::node);
    let node = pod.node.clone().or_else(|| selected.or_else(on).cloned()).unwrap_or_else(|| "".into());
    let user = Pod { node: Some(node), listed: Vec::new(), ..pod.clone() };
    let charges = charge::of(claim, priced, &[&user]);
    if charges.duplicates > 0 || !charges.unknown.is_empty() {
        return None;
    }
    let mut taken = Taken::default();
    for (entry, line) in charges.nodes.values().flatten() {
        let sums = if entry.pod.is_some() { &mut taken.overhead } else { &mut taken.mapping };
        add(sums, &entry.resource, &line.amount);
    }
    Some(taken)
}

impl Taken {
    /// True when nothing is taken.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        counted(&self.mapping).is_some_and(|all| all.is_empty())
            && counted(&self.overhead).is_some_and(|all| all.is_empty())
    }

    /// True when both come to the same after the scheduler's rounding; `None` when that cannot be told.
    #[must_use]
    pub fn agrees(&self, other: &Self) -> Option<bool> {
        let same = |one, other| Some(counted(one)? == counted(other)?);
        Some(same(&self.mapping, &other.mapping)? && same(&self.overhead, &other.overhead)?)
    }
}

/// The amounts as the scheduler counts them, without those that are zero.
fn counted(amounts: &Amounts) -> Option<BTreeMap<&str, i64>> {
    let known = amounts.iter().filter_map(|(resource, amount)| Some((resource, Kind::of(resource)?.counted(amount))));
    let all: Option<BTreeMap<&str, i64>> = known.map(|(resource, amount)| Some((resource.as_str(), amount?))).collect();
    all.map(|all| all.into_iter().filter(|(_, amount)| *amount != 0).collect())
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |amounts: &Amounts| {
            let all: Vec<String> = amounts.iter().map(|(resource, amount)| format!("{resource} {amount}")).collect();
            if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
        };
        f.write_str(&list(&self.mapping))?;
        if self.overhead.is_empty() { Ok(()) } else { write!(f, " and overhead {}", list(&self.overhead)) }
    }
}
