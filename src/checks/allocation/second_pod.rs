//! DG308: a claim with a mapped device for two pods.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::object::{Consumer, Key, Mapped, Pod};
use crate::ledger::view::Ref;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG308",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a claim with a mapped device would serve a second living pod",
        detail: "What a mapped device takes is counted in one pod's requests: a second pod would use it for nothing, and keep it when \
                 the first one ends. The scheduler refuses it too; pods with spec.nodeName and other schedulers get past it. A claim \
                 whose devices have only overhead may be shared: each pod pays. Pods that are over or gone do not count. The pods are \
                 read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    let Some(result) = view.results.iter().find(|result| is_mapped(view, result)) else { return };
    for (index, user) in view.added().filter(|(_, user)| user.is_pod && may_live(view, user)) {
        // Of two that one write adds, the second is one too many.
        let others = view.claim.reserved.iter().enumerate().filter(|(nth, other)| {
            other.is_pod && other.uid != user.uid && (*nth < index || view.old.reserved.contains(other))
        });
        if let Some(other) = others.map(|(_, other)| other).find_map(|other| living(view, other)) {
            faults.push(second(view, result, (index, user), other));
            return;
        }
    }
}

/// As the device is published; where it is gone, as it was charged.
fn is_mapped(view: &AllocationView<'_>, result: &ResultView<'_>) -> bool {
    let any = |mapped: &[Mapped]| mapped.iter().any(Mapped::is_mapping);
    if result.given.is_admin {
        return false;
    }
    if let Some((_, device)) = result.device {
        return any(&device.mapped);
    }
    let priced = view.scene.ledger.priced(&view.claim.key).filter(|_| !view.is_new());
    priced.and_then(|priced| priced.results.get(result.index)?.as_ref()).is_some_and(|price| any(&price.mapped))
}

/// A pod that is added may be newer than what the ledger knows.
fn may_live(view: &AllocationView<'_>, user: &Consumer) -> bool {
    view.scene.ledger.pod(&key(view, user)).is_none_or(|pod| pod.stamp.uid == user.uid && !pod.is_over())
}

fn living<'l>(view: &AllocationView<'l>, user: &Consumer) -> Option<&'l Pod> {
    view.scene.ledger.pod(&key(view, user)).filter(|pod| pod.stamp.uid == user.uid && !pod.is_over())
}

fn key(view: &AllocationView<'_>, user: &Consumer) -> Key {
    Key { namespace: view.claim.key.namespace.clone(), name: user.name.clone() }
}

fn second(view: &AllocationView<'_>, result: &ResultView<'_>, (index, user): (usize, &Consumer), other: &Pod) -> Fault {
    let problem = format!(
        "pod {} would use device {}, which takes from its node, beside pod {}, which is alive",
        quoted(&user.name),
        quoted(&result.given.key.to_string()),
        quoted(&other.key.name),
    );
    let path = Path::fields(&["status", "reservedFor"]).named(index, &*user.name);
    Fault::at(path, &*user.name, problem)
        .expected("one pod at a time for a claim with a mapped device")
        .mend("give each pod its own claim, for example by resourceClaimTemplateName")
        .rests_on([Ref::Pod(other.key.clone()), Ref::Pod(key(view, user)), result.pool()])
}
