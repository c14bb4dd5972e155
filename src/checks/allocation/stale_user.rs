//! DG312: a claim is reserved for a pod that is gone or has ended.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::AllocationView;
use crate::ledger::object::{Consumer, Key, Pod};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG312",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "reservedFor names a pod that is gone or has ended",
        detail: "Pods are told apart by uid, since names come again (HAMi-DRA issue 21). The claim controller removes such entries; it \
                 stops doing so once an entry names something that is no pod (kubernetes issue 136406). Told when a write allocates \
                 or adds a user. A pod that is added and not seen yet is not gone.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    let gives = view.is_new() || view.added().next().is_some();
    if !gives || !view.scene.is_fresh() {
        return;
    }
    for (index, user) in view.claim.reserved.iter().enumerate().filter(|(_, user)| user.is_pod) {
        faults.found.extend(gone(view, user).map(|seen| fault(index, user, &seen)));
    }
}

/// How it was seen that the pod is gone.
fn gone(view: &AllocationView<'_>, user: &Consumer) -> Option<String> {
    let key = Key { namespace: view.claim.key.namespace.clone(), name: user.name.clone() };
    match view.scene.ledger.pod(&key) {
        Some(pod) if pod.stamp.uid == user.uid => {
            (pod.is_over() && view.old.reserved.contains(user)).then(|| "it has ended".to_owned())
        }
        Some(pod) if !has_uid(pod) => None,
        Some(pod) => Some(format!("the pod of that name has uid {}", pod.stamp.uid)),
        None if view.old.reserved.contains(user) => Some("there is no pod of that name".to_owned()),
        None => None,
    }
}

/// A pod from a file may have none.
fn has_uid(pod: &Pod) -> bool {
    *pod.stamp.uid != *pod.key.to_string()
}

fn fault(index: usize, user: &Consumer, seen: &str) -> Fault {
    let problem = format!("pod {} with uid {} does not run any more: {seen}", quoted(&user.name), quoted(&user.uid));
    Fault::at(Path::fields(&["status", "reservedFor"]).named(index, &*user.name), &*user.uid, problem)
        .expected("pods that run, or are to run")
        .mend("the claim controller removes the entry by itself; where it stays, remove it from status.reservedFor")
}
