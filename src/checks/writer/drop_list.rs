//! DG407: a list that a client merely leaves out.

use json_patch::PatchOperation;
use serde_json::Value;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, PodChange, Row};
use super::super::{Context, POD};
use crate::model::path::Path;
use crate::model::request::Caller;
use crate::verdict::patch;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG407",
        kinds: POD,
        phase: Phase::Mutate,
        effect: Effect::Mutate,
        fixed: false,
        title: "a v1.36 client leaves the node-allocatable list out of a pod's status",
        detail: "On v1.36 a client that does not know the field erases it with every status update, kubelets older than the server \
                 among them, and the scheduler then counts the pod as taking nothing. Refusing the update would stall the pod, \
                 so the list is put back. v1.37 restores it by itself and refuses kubelets any change. What a binder clears \
                 stays cleared. Source: kubernetes pulls 138030, 139876.",
    },
    checks: &[Check::PodWriter(check)],
};

fn check(caller: &Caller, change: &PodChange<'_>, context: &Context<'_>, faults: &mut Faults) {
    if context.settings.binders.contains(&caller.username) || !is_restored_drop(change) {
        return;
    }
    let Some(list) = change.old.status_lists().next() else { return };
    let claims: Vec<&str> = list.entries.iter().take(8).map(crate::model::status_list::Entry::claim).collect();
    faults.push(
        Fault::at(
            Path::fields(&["status"]).field(list.field),
            "absent",
            format!("the update leaves out what the claims {} take of the node", claims.join(", ")),
        )
        .expected("the list as it is stored")
        .mend("draguard puts it back; upgrade the client so that it knows the field")
        .patch(restore(change, list.field)),
    );
}

/// The operation that writes the list as it is stored.
fn restore(change: &PodChange<'_>, field: &'static str) -> Vec<PatchOperation> {
    let stored: Option<Value> = serde_json::from_str(change.old_text).ok();
    let list = stored.as_ref().and_then(|pod| pod.get("status")?.get(field));
    list.map(|list| patch::add(&Path::fields(&["status"]).field(field), list.clone())).into_iter().collect()
}

/// True when the whole list is gone, and the server is one that does not restore it by itself.
#[must_use]
pub fn is_restored_drop(change: &PodChange<'_>) -> bool {
    let is_gone = change.new.status_lists().next().is_none();
    let mut old = change
        .old
        .status_lists()
        .flat_map(|list| list.entries)
        .flat_map(crate::model::status_list::Entry::shapes)
        .peekable();
    is_gone && old.peek().is_some() && old.all(|shape| !shape.restored_by_server)
}
