//! DG502: mapped devices are allocated outside the canary.

use super::super::allocation::view::AllocationView;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::view::Ref;
use crate::model::text::quoted;
use crate::settings::Outside;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG502",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a mapped device is allocated on a node outside the canary",
        detail: "Slices that were stored before the canary was set, or past the webhook, keep their mappings until they are written \
                 again; their devices are not allocated meanwhile. outside: Warn only warns. Speaks only where the node and its \
                 labels are known; the node is read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    let Some(canary) = view.settings.canary.as_ref().filter(|_| view.is_new()) else { return };
    for (name, result) in view.mapped_nodes() {
        let Some(node) = view.scene.ledger.node(&name).filter(|node| !canary.holds(&node.labels)) else { continue };
        let device = &result.given.key;
        let problem = format!(
            "device {} takes from node {}, which is outside the canary",
            quoted(&device.to_string()),
            quoted(&node.key.name),
        );
        let fault = Fault::at(result.path().field("device"), &*device.device, problem)
            .expected("a node that spec.canary.nodeSelector of the rollout selects")
            .mend("label the node into the canary, or let the driver publish its slices there again")
            .rests_on([Ref::Node(name)]);
        faults.push(if canary.outside == Outside::Warn { fault.warn() } else { fault });
    }
}
