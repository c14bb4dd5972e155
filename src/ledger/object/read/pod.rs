//! Pods.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Listed, Name, Pod, PodClaim};
use super::{amounts, key, name, stamp};
use crate::ledger::requests::PodNeeds;
use crate::model::pod as written;
use crate::model::quantity::Quantity;
use crate::model::status_list::Entry;

/// What the scheduler calls the claim of extended resources in a pod's status before it is made.
const EXTENDED: &str = "<extended-resources>";

impl From<&written::Pod<'_>> for Pod {
    fn from(pod: &written::Pod<'_>) -> Self {
        let meta = pod.meta.as_ref();
        let status = pod.status.as_ref();
        let phase = status.and_then(|status| status.phase.as_deref());
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).filter(|node| !node.is_empty());
        Self {
            key: key(meta),
            stamp: stamp(meta),
            node: node.map(Name::from),
            is_over: matches!(phase, Some("Succeeded" | "Failed")),
            claims: claims(pod).collect(),
            listed: pod.status_lists().flat_map(|list| list.entries).map(listed).collect(),
            needs: PodNeeds::from(pod),
        }
    }
}

/// The claims of the spec, and the one that was made for extended resources.
fn claims<'p>(pod: &'p written::Pod<'_>) -> impl Iterator<Item = PodClaim> + 'p {
    let made = pod.status.as_ref().map(|status| &*status.made).unwrap_or_default();
    let claim = |wanted: &'p written::PodClaim<'_>| {
        let of_template = || made.iter().find(|made| made.name == wanted.name)?.claim.as_ref();
        let claim = wanted.claim.as_ref().or_else(of_template).map(|text| Name::from(&**text));
        PodClaim { name: name(wanted.name.as_ref()), claim, containers: references(pod, wanted.name.as_deref()) }
    };
    let extended = pod.status.as_ref().and_then(|status| status.extended.as_ref()?.claim.as_ref());
    let extended =
        extended.map(|claim| PodClaim { name: EXTENDED.into(), claim: Some(Name::from(&**claim)), containers: 0 });
    pod.claims().iter().map(claim).chain(extended)
}

/// How many containers refer to a claim, each counted once however often it does.
fn references(pod: &written::Pod<'_>, claim: Option<&str>) -> u32 {
    let refers = |container: &written::Container<'_>| {
        let uses = container.resources.as_ref().map(|needs| &*needs.claims).unwrap_or_default();
        uses.iter().any(|one| one.name.as_deref() == claim)
    };
    u32::try_from(pod.containers().filter(|(.., container)| refers(container)).count()).unwrap_or(u32::MAX)
}

fn listed(entry: &Entry<'_>) -> Listed {
    let containers: BTreeSet<&str> = entry.containers.iter().map(|name| &**name).collect();
    let mut listed = Listed {
        claim: entry.claim().into(),
        containers: u32::try_from(containers.len()).unwrap_or(u32::MAX),
        mapping: amounts(entry.resources.get().map(|map| &**map).unwrap_or_default()).collect(),
        per_pod: BTreeMap::new(),
        per_container: BTreeMap::new(),
    };
    for charge in entry.mapping.get().map(|list| &**list).unwrap_or_default() {
        add(&mut listed.mapping, charge.name.as_ref(), charge.quantity.as_ref());
    }
    for charge in entry.overhead.get().map(|list| &**list).unwrap_or_default() {
        add(&mut listed.per_pod, charge.name.as_ref(), charge.per_pod.as_ref());
        add(&mut listed.per_container, charge.name.as_ref(), charge.per_container.as_ref());
    }
    listed
}

fn add(
    amounts: &mut BTreeMap<Name, Quantity>,
    resource: Option<&crate::model::decode::Text<'_>>,
    amount: Option<&crate::model::decode::Amount<'_>>,
) {
    if let Some(amount) = amount.and_then(crate::model::decode::Amount::quantity) {
        amounts.insert(name(resource), amount);
    }
}
