//! From a claim, its prices and its pods to contributions. Nothing is remembered here: the same objects charge the same.

use std::collections::{BTreeMap, BTreeSet};

use super::amounts::add;
use super::contribution::{Basis, Contribution, Entry, Lines};
use super::footprint;
use super::object::{Claim, Given, Name, Pod, Selected};
use super::price::{Price, Priced};
use super::requests::Amounts;
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;

/// What one claim takes of each node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Charges {
    /// The contributions by node.
    pub nodes: BTreeMap<Name, Lines>,
    /// How many entries came a second time under the same key; they are not counted.
    pub duplicates: u64,
    /// Why a footprint cannot be told.
    pub unknown: BTreeSet<String>,
}

/// What a claim takes. `users` are the living pods that use it, in the order of their names.
#[must_use]
pub fn of(claim: &Claim, priced: &Priced, users: &[&Pod]) -> Charges {
    let mut charging = Charging { claim, priced, users, charges: Charges::default() };
    charging.devices();
    charging.overhead();
    for user in users {
        charging.record(user);
    }
    charging.charges
}

struct Charging<'c> {
    claim: &'c Claim,
    priced: &'c Priced,
    users: &'c [&'c Pod],
    charges: Charges,
}

impl<'c> Charging<'c> {
    /// The devices that are known to map something. Of one that maps nothing it is forgotten that it was ever seen:
    /// nothing may depend on it.
    fn results(&self) -> impl Iterator<Item = (&'c Given, &'c Price)> + use<'c> {
        let given = self.claim.given.as_deref().unwrap_or_default();
        let known = given.iter().zip(&self.priced.results).filter_map(|(given, price)| Some((given, price.as_ref()?)));
        known.filter(|(_, price)| !price.mapped.is_empty())
    }

    fn devices(&mut self) {
        for (given, price) in self.results() {
            for mapped in price.mapped.iter().filter(|mapped| mapped.is_mapping()) {
                match footprint::mapping(given, mapped) {
                    Ok(None) => {}
                    Ok(Some(amount)) => {
                        for node in self.nodes(price) {
                            let payer = self.payer(&node);
                            let line = self.line(amount, price.zone, given.is_admin, payer);
                            self.put(&node, self.entry(given, &mapped.resource, None), line);
                        }
                    }
                    Err(unknown) => self.unknown(given, &unknown),
                }
            }
        }
    }

    /// The scheduler takes overhead from the node's general pool: it has no zone.
    fn overhead(&mut self) {
        for (given, price) in self.results() {
            for mapped in price.mapped.iter() {
                for user in self.users {
                    let Some(node) = user.node.as_ref().or(price.node()) else { continue };
                    match footprint::overhead(mapped, self.references(user)) {
                        Ok(None) => {}
                        Ok(Some(amount)) => {
                            let uid = user.stamp.uid.clone();
                            let payer = user.node.as_ref().map(|_| uid.clone());
                            let line = self.line(amount, None, given.is_admin, payer);
                            self.put(node, self.entry(given, &mapped.resource, Some(uid)), line);
                        }
                        Err(unknown) => self.unknown(given, &unknown),
                    }
                }
            }
        }
    }

    /// What the pod's status says counts, where it says anything and the devices can be: the scheduler and the kubelet
    /// believe it. An entry whose numbers are gone (an upgrade drops them) says nothing.
    fn record(&mut self, user: &Pod) {
        let Some(node) = &user.node else { return };
        let Some(listed) = user.listed.iter().find(|listed| *listed.claim == *self.claim.key.name) else { return };
        let mut mapping = Amounts::new();
        let mut overhead = Amounts::new();
        for (resource, charge) in &listed.charges {
            add(&mut mapping, resource, &charge.mapping);
            let on_top = charge.total(listed.containers).checked_sub(&charge.mapping);
            add(&mut overhead, resource, &on_top.unwrap_or(charge.per_pod));
        }
        let says_something = mapping.values().chain(overhead.values()).any(|amount| amount.signum() > 0);
        if !says_something {
            return;
        }
        let uid = &user.stamp.uid;
        if self.payer(node).as_ref() == Some(uid) && self.may_be_on(node) {
            self.believe(node, None, &mapping);
        }
        self.believe(node, Some(uid), &overhead);
    }

    fn believe(&mut self, node: &Name, pod: Option<&Name>, recorded: &Amounts) {
        let lines = self.charges.nodes.entry(Name::clone(node)).or_default();
        let mut computed = Amounts::new();
        for (entry, line) in lines.iter().filter(|(entry, _)| entry.pod.as_ref() == pod) {
            add(&mut computed, &entry.resource, &line.amount);
        }
        if agree(&computed, recorded) {
            let mine = lines.iter_mut().filter(|(entry, _)| entry.pod.as_ref() == pod);
            mine.for_each(|(_, line)| line.basis = Basis::Recorded);
            return;
        }
        let zones = zones(lines, pod);
        let is_admin = self.results().all(|(given, _)| given.is_admin) && self.results().next().is_some();
        let payer = pod.cloned().or_else(|| self.payer(node));
        let lines = self.charges.nodes.entry(Name::clone(node)).or_default();
        lines.retain(|entry, _| entry.pod.as_ref() != pod);
        for (resource, amount) in recorded.iter().filter(|(_, amount)| amount.signum() > 0) {
            let resource = Name::from(resource.as_str());
            let zone = zones.get(&resource).copied().flatten();
            let uid = self.claim.stamp.uid.clone();
            let line =
                Contribution { uid, amount: *amount, zone, is_admin, basis: Basis::Recorded, payer: payer.clone() };
            let claim = self.claim.key.clone();
            lines.insert(Entry { claim, device: None, share: None, resource, pod: pod.cloned() }, line);
        }
    }

    /// False where every device that maps something is known to be on other nodes: a pod that was bound past them takes
    /// nothing of its own. While none is known, the allocation's node stands for them.
    fn may_be_on(&self, node: &Name) -> bool {
        let mut known = self.results().peekable();
        if known.peek().is_some() {
            return known.any(|(_, price)| price.node().is_none_or(|own| own == node));
        }
        !matches!(&self.claim.selected, Selected::Node(selected) if selected != node)
    }

    /// The nodes that a device is charged to. One that many nodes can use is charged where its pods are.
    fn nodes(&self, price: &Price) -> BTreeSet<Name> {
        if let Some(node) = price.node() {
            return BTreeSet::from([Name::clone(node)]);
        }
        let nodes: BTreeSet<Name> = self.users.iter().filter_map(|user| user.node.clone()).collect();
        match &self.claim.selected {
            Selected::Node(node) if nodes.is_empty() => BTreeSet::from([Name::clone(node)]),
            _ => nodes,
        }
    }

    /// The pod in whose requests the scheduler counts the devices: the first on that node.
    fn payer(&self, node: &Name) -> Option<Name> {
        let user = self.users.iter().find(|user| user.node.as_ref() == Some(node))?;
        Some(user.stamp.uid.clone())
    }

    /// A pod may know a claim by several names: the scheduler adds up the containers of each.
    fn references(&self, user: &Pod) -> u32 {
        let mine = user.claims.iter().filter(|claim| claim.claim.as_ref() == Some(&self.claim.key.name));
        mine.map(|claim| claim.containers).sum()
    }

    fn entry(&self, given: &Given, resource: &Name, pod: Option<Name>) -> Entry {
        let device = Some(given.key.clone());
        Entry { claim: self.claim.key.clone(), device, share: given.share.clone(), resource: resource.clone(), pod }
    }

    fn line(&self, amount: Quantity, zone: Option<i64>, is_admin: bool, payer: Option<Name>) -> Contribution {
        Contribution { uid: self.claim.stamp.uid.clone(), amount, zone, is_admin, basis: Basis::Mapping, payer }
    }

    /// Counted once: a second entry under the same key is told, not added. What is negative would give back what was
    /// never taken.
    fn put(&mut self, node: &Name, entry: Entry, line: Contribution) {
        if line.amount.signum() <= 0 {
            return;
        }
        let lines = self.charges.nodes.entry(Name::clone(node)).or_default();
        if lines.contains_key(&entry) {
            self.charges.duplicates += 1;
            return;
        }
        lines.insert(entry, line);
    }

    fn unknown(&mut self, given: &Given, unknown: &footprint::Unknown) {
        self.charges.unknown.insert(format!("{}: {unknown}", given.key));
    }
}

/// True when both come to the same after the scheduler's rounding.
fn agree(one: &Amounts, other: &Amounts) -> bool {
    let counted = |amounts: &Amounts| {
        let counted = amounts.iter().filter_map(|(name, amount)| Some((name.clone(), Kind::of(name)?.counted(amount))));
        counted.filter(|(_, amount)| *amount != Some(0)).collect::<BTreeMap<_, _>>()
    };
    counted(one) == counted(other)
}

/// The zone that all lines of a resource have in common.
fn zones(lines: &Lines, pod: Option<&Name>) -> BTreeMap<Name, Option<i64>> {
    let mut zones = BTreeMap::new();
    for (entry, line) in lines.iter().filter(|(entry, _)| entry.pod.as_ref() == pod) {
        let zone = zones.entry(entry.resource.clone()).or_insert(line.zone);
        *zone = zone.filter(|zone| line.zone == Some(*zone));
    }
    zones
}
