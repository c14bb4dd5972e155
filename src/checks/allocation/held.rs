//! DG320: no new mapped allocation for now.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::holds::{Cause, Reason, Subject};
use crate::ledger::object::PoolKey;
use crate::ledger::view::Ref;
use crate::settings::Action;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG320",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Hold,
        fixed: false,
        title: "a pool, a node or draguard itself is not in a state in which a mapped device can be allocated",
        detail: "What is held, why and what ends it stands in the message; `/ledger/holds` lists every hold. Only a new allocation \
                 of a mapped device waits: releasing, device status and reserving again for the same pod pass. Pool and node are \
                 read again from the API server before this is said. Reasons: PoolIncomplete, PoolGone, PoolInvalid, Quarantined, \
                 MappingVanished, NodeNotReady, Overcommitted, ViewStale, Rebuilding, and Halted by the operator \
                 (spec.claimAdmission).",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    // Before everything was listed a device that is not known may be mapped.
    let may_be_mapped = view.is_mapped() || view.results.iter().any(|result| result.device.is_none());
    if let Some(reason) = view.scene.freshness.hold().filter(|_| may_be_mapped) {
        faults.push(fault(view, 0, &Subject::Cluster, (reason, "draguard cannot tell what is charged".to_owned())));
    }
    if let Some(reason) = view.settings.halt.as_ref().filter(|_| may_be_mapped) {
        faults.push(fault(view, 0, &Subject::Cluster, (Reason::Halted, reason.clone())));
    }
    if view.is_mapped() {
        pools(view, faults);
        nodes(view, faults);
    }
}

fn pools(view: &AllocationView<'_>, faults: &mut Faults) {
    let scope = view.scope();
    for pool in &scope.pools {
        let index = view.results.iter().find(|result| result.given.key.pool == *pool).map_or(0, |result| result.index);
        let causes = view.scene.ledger.causes_of_pool(pool).into_iter();
        for cause in causes.filter(|(reason, _)| *reason != Reason::Quarantined || is_quarantined(view, pool)) {
            let fault = fault(view, index, &Subject::Pool(pool.clone()), cause);
            let claims =
                view.scene.ledger.holders_in(pool).map(|claim| Ref::Claim(claim.key.clone())).take(MOST_CLAIMS);
            faults.push(fault.rests_on([Ref::Pool(pool.clone())]).rests_on(claims));
        }
    }
}

/// A rule that the operator has made weaker quarantines nothing.
fn is_quarantined(view: &AllocationView<'_>, pool: &PoolKey) -> bool {
    let rules = view.scene.ledger.pool_state(pool).faults;
    rules.iter().any(|rule| !matches!(view.settings.action(rule), Some(Action::Off | Action::Warn)))
}

/// The most claims that are read again for one hold.
const MOST_CLAIMS: usize = 16;

fn nodes(view: &AllocationView<'_>, faults: &mut Faults) {
    for node in view.nodes() {
        for cause in view.scene.ledger.causes_of_node(&node) {
            let fault = fault(view, 0, &Subject::Node(node.clone()), cause);
            faults.push(fault.rests_on([Ref::Node(node.clone()), Ref::PodsOn(node.clone())]));
        }
    }
}

fn fault(view: &AllocationView<'_>, index: usize, subject: &Subject, (reason, seen): Cause) -> Fault {
    let path = view.results.get(index).map(ResultView::path);
    let path = path.unwrap_or_else(AllocationView::root);
    Fault::at(path, reason.as_str(), format!("{subject} takes no new mapped allocation: {}: {seen}", reason.as_str()))
        .expected(reason.ends())
        .mend("nothing is to be done: the scheduler tries again by itself, and it goes through once the hold ends")
}
