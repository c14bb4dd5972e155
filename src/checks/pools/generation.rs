//! DG201: generations that go back.

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{Inventory, SliceFacts};
use crate::ledger::view::Ref;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// How long a mix of generations may be a moment of an update, in milliseconds: 30 s until the library looks again, 60 s
/// that its cache may be wrong, and some lag (upstream.md, section 6).
const SETTLED: i64 = 120_000;

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
                 stored slices it may be a moment of an update, so that it is only warned about; among files it is not. In a \
                 cluster a slice with mappings is refused once every newer slice is older than 120 s and belongs to another \
                 node, which is read again first: no update takes as long, and no restart of the driver ends it. A step up, even \
                 below the highest, is never refused. Equal generations with new content are fine, and so is any generation \
                 while no slice of the pool exists. Source: upstream.md, section 6.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(generation) = slice.generation else { return };
    let newer: Vec<&SliceFacts> =
        inventory.pool_of(slice).filter(|other| other.generation > Some(generation)).collect();
    let Some(newest) = newer.iter().max_by_key(|other| other.generation) else { return };
    let highest = newest.generation.unwrap_or_default();
    let problem = format!(
        "pool {} of driver {} is at generation {highest} in slice {}: generation {generation} is ignored by every reader",
        quoted(&slice.pool),
        quoted(&slice.driver),
        quoted(&newest.name),
    );
    let fault = Fault::at(Path::fields(&["spec", "pool", "generation"]), generation.to_string(), problem)
        .expected(format!("at least {highest}"))
        .mend(format!("delete the slices of generation {highest} first, or publish {highest} or higher"))
        .rests_on([Ref::Pool(slice.pool_key())]);
    let is_settled =
        if inventory.is_live() { stays(slice, &newer, inventory) } else { !slice.is_stored && !newest.is_stored };
    faults.push(if is_settled { fault } else { fault.warn() });
}

/// True when no update and no restart of the writer would take the newer slices away: they are old, and another node's.
fn stays(slice: &SliceFacts, newer: &[&SliceFacts], inventory: &Inventory) -> bool {
    let is_step_up = inventory.replaced(slice).is_some_and(|stored| stored.generation <= slice.generation);
    let is_mapped = slice.devices.iter().any(|device| !device.mapped.is_empty());
    let is_old = |other: &&SliceFacts| other.age.is_some_and(|age| age >= SETTLED);
    is_mapped && !is_step_up && newer.iter().all(|other| is_old(other) && other.node != slice.node)
}
