//! DG410: a pod is bound to a node where its claims are not.

use super::super::BINDING;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::placement::{Placement, is_reserved};
use crate::ledger::object::Claim;
use crate::ledger::view::Ref;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG410",
        kinds: BINDING,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a pod is bound to a node where its mapped claim is not allocated, or not for this pod",
        detail: "Off unless `draguard render --check-bindings` has installed its webhook: a Binding carries no pod, so that every \
                 binding of the cluster would be asked about. The API server binds whatever it is told; the kubelet then keeps \
                 the pod from starting, or runs it uncounted. Pod and claims are read again first; without that nothing is said, \
                 and anything that is not known passes. Source: upstream.md, sections 5.3 and 11.10.",
    },
    checks: &[Check::Binding(check)],
};

fn check(placement: &Placement<'_>, faults: &mut Faults) {
    for (.., claim) in placement.claims().filter(|(.., claim)| claim.given.is_some() && placement.is_mapped(claim)) {
        if let Some(node) = placement.elsewhere(claim) {
            faults.push(fault(placement, claim, &format!("is allocated on node {}", quoted(node))));
        } else if !is_reserved(claim, placement.pod) && claim.reserved.iter().all(|consumer| consumer.is_pod) {
            faults.push(fault(placement, claim, "is not reserved for it"));
        }
    }
}

fn fault(placement: &Placement<'_>, claim: &Claim, what: &str) -> Fault {
    let (pod, node) = (quoted(&placement.pod.key.to_string()), quoted(placement.node));
    let problem =
        format!("pod {pod} is bound to node {node}, and its mapped claim {} {what}", quoted(&claim.key.to_string()));
    Fault::at(Path::fields(&["target", "name"]), &**placement.node, problem)
        .expected("every mapped claim of the pod allocated on that node and reserved for the pod's uid")
        .mend("bind the pod where its claims are, after they are reserved for it; a scheduler does so by itself")
        .rests_on(rests_on(placement))
}

/// The pod and all its claims: what is spoken of them is spoken of all as they are now.
pub(super) fn rests_on(placement: &Placement<'_>) -> Vec<Ref> {
    [Ref::Pod(placement.pod.key.clone())].into_iter().chain(placement.refs()).collect()
}
