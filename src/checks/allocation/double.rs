//! DG303: one device for two claims.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::object::Claim;
use crate::ledger::view::Ref;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG303",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: true,
        title: "a device that another claim holds is allocated again",
        detail: "A device without allowMultipleAllocations belongs to one claim at a time; the API server does not check it, and a \
                 fast scheduler was seen to break it (kubernetes pull 136269). Shares, adminAccess and the same claim again are \
                 no second allocation. The holder is read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    for result in view.results.iter().filter(|result| result.is_exclusive()) {
        let holders = view.scene.ledger.holders(&result.given.key);
        let mut others = holders.filter(|holder| holder.stamp.uid != view.claim.stamp.uid);
        if let Some(holder) = others.find(|holder| holds(holder, result)) {
            faults.push(held_by(result, holder));
        }
    }
}

/// Administration beside the owner holds nothing.
fn holds(holder: &Claim, result: &ResultView<'_>) -> bool {
    holder.given.iter().flatten().any(|given| given.key == result.given.key && !given.is_admin)
}

fn held_by(result: &ResultView<'_>, holder: &Claim) -> Fault {
    let device = &result.given.key;
    let problem = format!(
        "device {} is allocated to claim {} (uid {}) already",
        quoted(&device.to_string()),
        quoted(&holder.key.to_string()),
        holder.stamp.uid,
    );
    Fault::at(result.path().field("device"), &*device.device, problem)
        .expected("a device that no other claim holds")
        .mend("allocate another device, or wait until that claim is released")
        .rests_on([Ref::Claim(holder.key.clone())])
}
