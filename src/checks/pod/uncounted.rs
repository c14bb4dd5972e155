//! DG412: a pod is bound, and nobody counts what its claims take.

use super::super::BINDING;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::binding::rests_on;
use super::placement::{Placement, is_reserved, taken};
use crate::ledger::object::{Claim, Pod};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG412",
        kinds: BINDING,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "a pod is bound, and its status does not count what its claims take",
        detail: "The scheduler of v1.36 writes no list when it tries a pod again, and other schedulers may write none: the node \
                 then looks emptier than it is. Refusing the binding cannot mend it, and on v1.36 makes it so, therefore it \
                 passes; the ledger counts the claims all the same. Spoken only after pod and claims were read again. Off with \
                 DG410. Source: upstream.md, sections 3.4 and 11.1.",
    },
    checks: &[Check::Binding(check)],
};

fn check(placement: &Placement<'_>, faults: &mut Faults) {
    let pod = placement.pod;
    for (.., claim) in placement.claims().filter(|(.., claim)| is_reserved(claim, pod) && !is_listed(pod, claim)) {
        let taken = taken(claim, pod, placement.scene).filter(|taken| !taken.is_nothing());
        if let Some(taken) = taken.filter(|_| placement.elsewhere(claim).is_none()) {
            faults.push(uncounted(placement, claim, &taken.to_string()));
        }
    }
}

/// An entry without amounts, which an upgrade leaves behind, counts nothing.
fn is_listed(pod: &Pod, claim: &Claim) -> bool {
    let mut entries = pod.listed.iter().filter(|entry| *entry.claim == *claim.key.name);
    entries.any(|entry| entry.charges.values().any(|charge| !charge.total(entry.containers).is_zero()))
}

fn uncounted(placement: &Placement<'_>, claim: &Claim, taken: &str) -> Fault {
    let (pod, name) = (quoted(&placement.pod.key.to_string()), quoted(&claim.key.to_string()));
    let problem = format!("claim {name} takes {taken} of the node, and the status of pod {pod} does not say so");
    Fault::at(Path::fields(&["metadata", "name"]), &*placement.pod.key.name, problem)
        .expected("an entry for the claim in status.nodeAllocatableResourceClaimStatuses before the pod is bound")
        .mend("let the scheduler write the list; once the pod runs, a binder can write the entry into its status")
        .rests_on(rests_on(placement))
}
