//! DG202: slices that disagree on how many they are.

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{Inventory, SliceFacts};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG202",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Warn,
        fixed: false,
        title: "slices of one pool generation disagree on resourceSliceCount",
        detail: "The pool is complete when as many slices exist as they say. Where they disagree, readers take the first one's \
                 word, and which that is may change. A newer generation clears it. Source: kubernetes pull 141118, issue 141117.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(count) = slice.count else { return };
    let other = inventory.pool_of(slice).find(|other| {
        other.origin < slice.origin
            && other.generation == slice.generation
            && other.count.is_some_and(|other| other != count)
    });
    let Some(other) = other else { return };
    let said = other.count.unwrap_or_default();
    let problem = format!(
        "slice {} of the same generation of pool {} says {said}, this one {count}",
        quoted(&other.name),
        quoted(&slice.pool)
    );
    faults.push(
        Fault::at(Path::fields(&["spec", "pool", "resourceSliceCount"]), count.to_string(), problem)
            .expected("one count in all slices of a generation")
            .mend("raise the generation and write the real count into every slice"),
    );
}
