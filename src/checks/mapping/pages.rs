//! DG106: whole pages.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::{MappingView, shown};
use super::super::{Context, SLICE};
use crate::model::resource::Kind;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG106",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "a footprint of hugepages is not whole pages",
        detail: "The kernel gives whole pages only: of 5Mi in pages of 2Mi it gives 4Mi while the node counts 5Mi. Pod specs are \
                 checked for it (kubernetes pull 98515), mappings are not. For a mapped capacity its minimum, step, default, \
                 maximum and valid values are judged after the multiplier.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let Some(Kind::Hugepages(page)) = view.kind else { return };
    for reach in view.reaches {
        if reach.footprint.is_some_and(|footprint| !footprint.is_multiple_of(&page)) {
            let problem = format!("{} is not whole pages of {page}", shown(reach, view.mapping.capacity_key));
            faults.push(
                Fault::at(view.amount_path(reach.role), &*reach.written, problem)
                    .expected(format!("a multiple of {page}"))
                    .mend(format!("round it to a multiple of {page}")),
            );
        }
    }
}
