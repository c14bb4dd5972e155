//! DG405: only a binder writes what a pod's claims take.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, PodChange, Row};
use super::super::{Context, POD};
use super::drop_list::is_restored_drop;
use crate::model::path::Path;
use crate::model::request::Caller;
use crate::model::shape::STATUS_SHAPES;
use crate::model::status_list::{Charges, Line};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG405",
        kinds: POD,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a pod's node-allocatable list is changed by someone who is no binder",
        detail: "The scheduler believes this list for ever: a smaller number, or a lost entry, makes the node look emptier than it \
                 is. Only the scheduler that binds the pod writes it; kubelets never do. Rights on pods/status make nobody a \
                 binder: list other schedulers under spec.binders of the rollout. Numbers written before the pod is bound are \
                 refused as well: v1.37's scheduler merges into them, and they stay. Source: kubernetes \
                 pkg/scheduler/framework/plugins/dynamicresources; upstream.md, section 3.4.",
    },
    checks: &[Check::PodWriter(check)],
};

fn check(caller: &Caller, change: &PodChange<'_>, context: &Context<'_>, faults: &mut Faults) {
    if context.settings.binders.contains(&caller.username) || is_restored_drop(change) {
        return;
    }
    let (old, new) = (change.old.charges(), change.new.charges());
    let claims: Vec<&String> = old.keys().chain(new.keys().filter(|claim| !old.contains_key(*claim))).collect();
    for claim in claims.into_iter().filter(|claim| old.get(*claim) != new.get(*claim)) {
        faults.push(changed(caller, change, claim, &old, &new, context));
    }
}

fn changed(
    caller: &Caller,
    change: &PodChange<'_>,
    claim: &str,
    old: &Charges,
    new: &Charges,
    context: &Context<'_>,
) -> Fault {
    let problem = format!(
        "{} is no binder and changes what claim {} takes of the node from {} to {}",
        quoted(&caller.username),
        quoted(claim),
        shown(old, claim),
        shown(new, claim)
    );
    Fault::at(place(change, claim), shown(new, claim), problem)
        .expected(format!("the list unchanged, or a write by {}", context.settings.binders.join(" or ")))
        .mend("leave the list as it is; a scheduler of your own is listed under spec.binders of the rollout")
}

fn place(change: &PodChange<'_>, claim: &str) -> Path {
    let placed = change.new.status_lists().find_map(|list| {
        let index = list.entries.iter().position(|entry| entry.claim() == claim)?;
        Some(Path::fields(&["status"]).field(list.field).named(index, claim))
    });
    placed.unwrap_or_else(|| {
        let [first, ..] = &STATUS_SHAPES;
        Path::fields(&["status"]).field(change.old.status_lists().next().map_or(first.field, |list| list.field))
    })
}

fn shown(charges: &Charges, claim: &str) -> String {
    let Some(lines) = charges.get(claim) else { return "nothing".to_owned() };
    let amounts: Vec<String> = lines.iter().map(line).collect();
    if amounts.is_empty() { "no amounts".to_owned() } else { amounts.join(", ") }
}

fn line(line: &Line) -> String {
    let (kind, resource, amount) = match line {
        Line::Container(name) => return format!("container {name}"),
        Line::Amount(kind, resource, amount) => (kind, resource, amount),
    };
    let amount = amount.map_or_else(|| "unreadable".to_owned(), |amount| amount.to_string());
    let kind = if *kind == "amount" { String::new() } else { format!(" {kind}") };
    format!("{resource}{kind} {amount}")
}
