//! Pods.

use super::super::{Name, Pod, PodClaim};
use super::{key, name, stamp};
use crate::ledger::requests::{PodNeeds, charged_claims};
use crate::model::pod as written;

/// What the scheduler calls the claim of extended resources in a pod's status before it is made.
const EXTENDED: &str = "<extended-resources>";

impl From<&written::Pod<'_>> for Pod {
    fn from(pod: &written::Pod<'_>) -> Self {
        let meta = pod.meta.as_ref();
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).filter(|node| !node.is_empty());
        Self {
            key: key(meta),
            stamp: stamp(meta),
            node: node.map(Name::from),
            claims: claims(pod).collect(),
            listed: charged_claims(pod),
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
