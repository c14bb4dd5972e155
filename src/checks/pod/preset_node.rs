//! DG411: a pod that is put on a node past the scheduler.

use super::super::POD;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::placement::Placement;
use crate::ledger::object::{Claim, Pod, PodClaim};
use crate::ledger::view::Ref;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG411",
        kinds: POD,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a pod is created with spec.nodeName, and its claims are not allocated to it",
        detail: "Only a scheduler allocates claims and writes what they take of the node. With spec.nodeName no scheduler ever \
                 sees the pod: a claim that is not allocated, one of a template among them, stays so and the pod never starts; \
                 one that is allocated on another node cannot be used; and a mapped one that another pod uses would be used a \
                 second time, uncounted. A mapped claim that nobody uses is only warned about: the pod runs, and the scheduler \
                 counts nothing for it. The claims are read again from the API server before a pod is refused. In a review only \
                 pods that were never stored are judged: a stored one has its nodeName from the scheduler. Source: upstream.md, \
                 sections 3.2 and 11.20.",
    },
    checks: &[Check::Placement(check)],
};

fn check(placement: &Placement<'_>, faults: &mut Faults) {
    for (index, claim) in placement.pod.claims.iter().enumerate().filter(|(_, claim)| claim.claim.is_none()) {
        let problem =
            format!("claim {} is made from a template, and no scheduler ever allocates it", quoted(&claim.name));
        faults.push(fault(placement, index, claim, &problem));
    }
    for (index, named, claim) in placement.claims() {
        let key = Ref::Claim(claim.key.clone());
        if claim.given.is_none() {
            let problem = format!("claim {} is not allocated", shown(claim));
            faults.push(fault(placement, index, named, &problem).rests_on([key]));
        } else if let Some(node) = placement.elsewhere(claim) {
            let problem = format!("claim {} is allocated on node {}", shown(claim), quoted(node));
            faults.push(fault(placement, index, named, &problem).rests_on([key]));
        } else if placement.is_mapped(claim) {
            mapped(placement, (index, named, claim), faults);
        }
    }
}

/// A mapped claim on the right node serves one pod.
fn mapped(placement: &Placement<'_>, (index, named, claim): (usize, &PodClaim, &Claim), faults: &mut Faults) {
    if claim.reserved.is_empty() {
        let problem =
            format!("claim {} is mapped, and nobody writes what it takes into the pod's status", shown(claim));
        return faults.push(fault(placement, index, named, &problem).warn());
    }
    if let Some(other) = owner(placement, claim) {
        let problem = format!("claim {} is mapped, and pod {} uses it", shown(claim), quoted(&other.key.to_string()));
        let refs = [Ref::Claim(claim.key.clone()), Ref::Pod(other.key.clone())];
        faults.push(fault(placement, index, named, &problem).rests_on(refs));
    }
}

/// Another living pod that the claim is reserved for. Where it is reserved for something larger than a pod, this one may
/// belong to it.
fn owner<'a>(placement: &Placement<'a>, claim: &'a Claim) -> Option<&'a Pod> {
    if claim.reserved.iter().any(|consumer| !consumer.is_pod) {
        return None;
    }
    placement.scene.ledger.users(claim).find(|user| user.stamp.uid != placement.pod.stamp.uid)
}

fn shown(claim: &Claim) -> String {
    quoted(&claim.key.to_string())
}

fn fault(placement: &Placement<'_>, index: usize, claim: &PodClaim, problem: &str) -> Fault {
    let value = claim.claim.as_ref().unwrap_or(&claim.name);
    let node = quoted(placement.node);
    Fault::at(
        Placement::path(index, claim),
        &**value,
        format!("spec.nodeName puts the pod on node {node} past the scheduler: {problem}"),
    )
    .expected(format!("no spec.nodeName, or a claim that is allocated on node {node} and reserved for nobody else"))
    .mend("remove spec.nodeName and let a scheduler choose; to ask for the node use nodeAffinity on metadata.name")
}
