//! DG309: what an allocation takes cannot be told.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::footprint::{self, Unknown};
use crate::ledger::object::Mapped;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG309",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "what an allocation takes of its node cannot be computed",
        detail: "A device that maps a capacity is charged by what the result consumes of it. Without consumedCapacity no pod with \
                 the claim can be scheduled: the scheduler stops with an error. The pool is read again from the API server before \
                 this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    for result in &view.results {
        let mapped = result.device.map(|(_, device)| &*device.mapped).unwrap_or_default();
        faults.found.extend(mapped.iter().find_map(|mapped| fault(result, mapped)));
    }
}

fn fault(result: &ResultView<'_>, mapped: &Mapped) -> Option<Fault> {
    let unknown = footprint::mapping(result.given, mapped).err()?;
    let remedy = match unknown {
        Unknown::NothingConsumed(_) => "write what the share takes of each capacity, as the scheduler does",
        Unknown::TooLarge => "write what the share really takes",
    };
    let device = quoted(&result.given.key.to_string());
    let problem = format!("what device {device} takes of {} cannot be told: {unknown}", mapped.resource);
    let path = result.path().field("consumedCapacity");
    Some(
        Fault::at(path, "", problem)
            .expected("an amount for the mapped capacity")
            .mend(remedy)
            .rests_on([result.pool()]),
    )
}
