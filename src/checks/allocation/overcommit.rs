//! DG307: more is charged to a node than it has.

use std::collections::{BTreeMap, BTreeSet};

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::proof::on_claims;
use super::view::{AllocationView, ResultView};
use crate::ledger::account::Account;
use crate::ledger::amounts::{add, add_all};
use crate::ledger::contribution::{Basis, Lines};
use crate::ledger::object::{Key, Node};
use crate::ledger::requests::{Amounts, pod_requests_without_claims};
use crate::ledger::view::Ref;
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG307",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "what is charged to a node would exceed what is allocatable there",
        detail: "Counted is what the node's pods request, what its claims take whether or not a pod's status says so, this claim, \
                 and what its pods that are not bound yet request; rounded as the scheduler rounds, administration left out. The \
                 scheduler believes pod statuses alone: it does not see claims whose pods have no list (v1.36 after any retry, \
                 other schedulers) and claims that no pod uses at the moment; the message names them. Node, pods, pool and the \
                 claims charged there are read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() || !view.is_mapped() {
        return;
    }
    for (node, lines) in &view.charges().nodes {
        let own = of_pods(lines);
        if let Some(node) = view.scene.ledger.node(node).filter(|node| may_exceed(view, node, &own)) {
            judge(view, node, &own, faults);
        }
    }
}

/// What the claim takes, administration left out.
fn of_pods(lines: &Lines) -> Amounts {
    let mut own = Amounts::new();
    for (entry, line) in lines.iter().filter(|(_, line)| !line.is_admin) {
        add(&mut own, &entry.resource, &line.amount);
    }
    own
}

/// False when even the plain sum fits: pods that ask as a whole take less, never more.
fn may_exceed(view: &AllocationView<'_>, node: &Node, own: &Amounts) -> bool {
    let ledger = view.scene.ledger;
    let mut most = ledger.account(&node.key.name).map(Account::counted).unwrap_or_default();
    add_all(&mut most, own);
    for pod in view.users().iter().filter(|pod| pod.node.is_none()) {
        add_all(&mut most, &pod_requests_without_claims(&pod.needs, &[], ledger.version()));
    }
    own.keys().any(|resource| excess(node, resource, &most).is_some())
}

fn judge(view: &AllocationView<'_>, node: &Node, own: &Amounts, faults: &mut Faults) {
    let then = view.scene.ledger.imagined(view.claim, &node.key.name);
    let Some(account) = then.account(&node.key.name) else { return };
    let counted = account.counted();
    for (resource, taken) in own {
        if let Some((sum, there)) = excess(node, resource, &counted) {
            let problem = format!(
                "node {} has {there} of {resource} allocatable, and {sum} would be charged, {taken} of it by this claim{}",
                quoted(&node.key.name),
                unseen(account, &view.claim.key, resource),
            );
            faults.push(fault(view, node, resource, account, problem).expected("a charge that fits the node"));
        }
    }
}

/// What is charged and what is there, where that is more.
fn excess(node: &Node, resource: &str, charged: &Amounts) -> Option<(Quantity, Quantity)> {
    let kind = Kind::of(resource)?;
    let (charged, there) = (charged.get(resource)?, node.allocatable.get(resource)?);
    let (counted, most) = (kind.counted(charged), kind.counted(there)?);
    counted.is_none_or(|counted| counted > most).then_some((*charged, *there))
}

fn fault(view: &AllocationView<'_>, node: &Node, resource: &str, account: &Account, problem: String) -> Fault {
    let maps = |result: &&ResultView<'_>| {
        result.device.is_some_and(|(_, device)| device.mapped.iter().any(|mapped| *mapped.resource == *resource))
    };
    let result = view.results.iter().find(maps);
    let device = result.map(|result| &*result.given.key.device).unwrap_or_default();
    let path = result.map_or_else(AllocationView::root, |result| result.path().field("device"));
    let name = &node.key.name;
    let claims = account.contributions().keys().map(|entry| &entry.claim).filter(|key| **key != view.claim.key);
    let claims: BTreeSet<&Key> = claims.collect();
    let fault = Fault::at(path, device, problem)
        .mend("let the scheduler take another node, or wait until claims or pods leave this one")
        .rests_on([Ref::Node(name.clone()), Ref::PodsOn(name.clone())])
        .rests_on(view.scope().pools.into_iter().map(Ref::Pool))
        .rests_on(view.users().into_iter().map(|pod| Ref::Pod(pod.key.clone())));
    on_claims(fault, &claims)
}

/// What is counted there that no pod's status tells the scheduler.
fn unseen(account: &Account, own: &Key, resource: &str) -> String {
    const MOST: usize = 3;
    let mut amounts: BTreeMap<&Key, Quantity> = BTreeMap::new();
    for (entry, line) in account.contributions() {
        let is_seen = line.basis == Basis::Recorded && line.payer.is_some();
        if is_seen || line.is_admin || entry.claim == *own || *entry.resource != *resource {
            continue;
        }
        let amount = amounts.entry(&entry.claim).or_insert(Quantity::whole(0));
        *amount = amount.checked_add(&line.amount).unwrap_or(*amount);
    }
    if amounts.is_empty() {
        return String::new();
    }
    let words: Vec<String> = amounts.iter().take(MOST).map(|(claim, amount)| format!("{claim} {amount}")).collect();
    let rest = amounts.len().checked_sub(MOST).filter(|rest| *rest > 0);
    let rest = rest.map(|rest| format!(" and {rest} more")).unwrap_or_default();
    format!("; the scheduler does not see what is charged for claim {}{rest}", words.join(", "))
}
