//! DG201: generations that go back.

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
        id: "DG201",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Deny,
        fixed: false,
        title: "a slice's generation is below its pool's highest",
        detail: "Readers take only the slices of a pool's highest generation: the new content would be ignored in silence. Among \
                 stored slices it may be a moment of an update, so that it is only warned about; among files it is not. Equal \
                 generations with new content are fine, and so is any generation while no slice of the pool exists. Source: \
                 upstream.md, section 6.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(generation) = slice.generation else { return };
    let newest = inventory
        .pool_of(slice)
        .filter(|other| other.generation > Some(generation))
        .max_by_key(|other| other.generation);
    let Some(newest) = newest else { return };
    let highest = newest.generation.unwrap_or_default();
    let problem = format!(
        "pool {} of driver {} is at generation {highest} in slice {}: generation {generation} is ignored by every reader",
        quoted(&slice.pool),
        quoted(&slice.driver),
        quoted(&newest.name),
    );
    let fault = Fault::at(Path::fields(&["spec", "pool", "generation"]), generation.to_string(), problem)
        .expected(format!("at least {highest}"))
        .mend(format!("delete the slices of generation {highest} first, or publish {highest} or higher"));
    let is_settled = !slice.is_stored && !newest.is_stored;
    faults.push(if is_settled { fault } else { fault.warn() });
}
