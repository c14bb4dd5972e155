//! DG310: an allocation that is said to be usable elsewhere than its devices are.

use std::collections::BTreeSet;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::object::{Name, Selected};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG310",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the allocation's node selector does not name the node of its devices",
        detail: "The scheduler places pods by the selector and the ledger charges the node of the device: where they differ, a pod \
                 runs on one node and takes from another. Without a selector a pod can land anywhere: a warning, where the device \
                 is mapped. Selectors that name no single node are not judged. The pool is read again from the API server before \
                 this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    let mut told = BTreeSet::new();
    for result in &view.results {
        let Some(node) = result.node() else { continue };
        if let Some(fault) = fault(view, result, &node)
            && told.insert(node)
        {
            faults.push(fault.rests_on([result.pool()]));
        }
    }
}

fn fault(view: &AllocationView<'_>, result: &ResultView<'_>, node: &Name) -> Option<Fault> {
    let path = Path::fields(&["status", "allocation", "nodeSelector"]);
    let device = quoted(&result.given.key.to_string());
    let expected = format!("a selector that names node {}", quoted(node));
    let remedy = "write the nodeSelector as the scheduler does: matchFields metadata.name In [node]";
    let fault = match &view.claim.selected {
        Selected::Node(selected) if selected != node => {
            let problem =
                format!("the selector names node {}, and device {device} is on {}", quoted(selected), quoted(node));
            Fault::at(path, &**selected, problem)
        }
        Selected::Any if result.is_mapped() => {
            let problem = format!("there is no selector, and device {device} takes from node {}", quoted(node));
            Fault::at(path, "", problem).warn()
        }
        _ => return None,
    };
    Some(fault.expected(expected).mend(remedy))
}
