//! DG603: devices that do not have in common what the claim wants them to.

use std::collections::BTreeSet;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::object::{Constraint, Device, Name};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG603",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the allocation breaks a matchAttribute constraint of its claim",
        detail: "All devices of the requests that a constraint names must have one value of its attribute in common, in type too; \
                 lists match when they intersect, and a device without the attribute matches nothing. Without a constraint devices \
                 may be spread at will. Not judged while a device is not known, nor where no device has the attribute: it may be \
                 derived. The pools are read again from the API server before this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    for (index, constraint) in view.claim.constraints.iter().enumerate() {
        let covered: Vec<&ResultView<'_>> =
            view.results.iter().filter(|result| covers(constraint, &result.given.request)).collect();
        let known: Vec<(&ResultView<'_>, &Device)> =
            covered.iter().filter_map(|result| Some((*result, result.device?.1))).collect();
        if known.len() == covered.len() {
            faults.found.extend(broken(&known, &constraint.attribute).map(|(odd, problem)| {
                let path = odd.path().field("device");
                let expected = format!("devices that spec.devices.constraints[{index}] accepts together");
                Fault::at(path, &*odd.given.key.device, problem)
                    .expected(expected)
                    .mend("allocate devices that agree in it, as the scheduler does, or drop the constraint")
                    .rests_on(covered.iter().map(|result| result.pool()))
            }));
        }
    }
}

/// A constraint names requests, or one alternative of a request.
fn covers(constraint: &Constraint, request: &str) -> bool {
    let parent = request.split_once('/').map_or(request, |(parent, _)| parent);
    constraint.requests.is_empty() || constraint.requests.iter().any(|name| **name == *request || **name == *parent)
}

/// The first device that does not match those before it.
fn broken<'r, 'a>(
    known: &[(&'r ResultView<'a>, &'a Device)],
    attribute: &Name,
) -> Option<(&'r ResultView<'a>, String)> {
    let values = |device: &'a Device| device.attributes.iter().find(|(name, _)| name == attribute).map(|(_, all)| all);
    let (first, rest) = known.split_first()?;
    if rest.is_empty() || known.iter().all(|(_, device)| values(device).is_none()) {
        return None;
    }
    let mut common: BTreeSet<&Name> = values(first.1).into_iter().flatten().collect();
    for (result, device) in rest {
        let own: BTreeSet<&Name> = values(device).into_iter().flatten().collect();
        let left: BTreeSet<&Name> = common.intersection(&own).copied().collect();
        if left.is_empty() {
            let problem = format!(
                "devices must agree in {}: {} has {}, and those before it have {}",
                quoted(attribute),
                quoted(&device.name),
                shown(&own),
                shown(&common),
            );
            return Some((result, problem));
        }
        common = left;
    }
    None
}

fn shown(values: &BTreeSet<&Name>) -> String {
    if values.is_empty() {
        return "no value".to_owned();
    }
    values.iter().map(|value| &***value).collect::<Vec<_>>().join(", ")
}
