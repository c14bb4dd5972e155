//! DG203: a pool that lacks slices.

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{AT_HAND, Inventory, SliceFacts};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG203",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Hold,
        fixed: false,
        title: "a pool is incomplete or gone",
        detail: "Slices are written and deleted one by one, so that a pool is incomplete for moments, and gone after a restart of \
                 the kubelet: no write is refused for it. In a cluster it is the hold PoolIncomplete or PoolGone, which DG320 \
                 tells to new allocations; what is allocated stays. Among files it is a warning, where several slices of a pool \
                 lie side by side and its newest generation says that there are more. One slice alone is reviewed as what it \
                 is: a part.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(count) = slice.count.filter(|_| !inventory.is_live() && slice.origin != AT_HAND) else { return };
    let others: Vec<&SliceFacts> = inventory.pool_of(slice).collect();
    let is_newest = others.iter().all(|other| other.generation <= slice.generation);
    let beside: Vec<_> = others.iter().filter(|other| other.generation == slice.generation).collect();
    let is_last = beside.iter().all(|other| other.origin < slice.origin && other.count == slice.count);
    if others.is_empty() || !is_newest || !is_last {
        return;
    }
    let found = beside.len() + 1;
    if i64::try_from(found).is_ok_and(|found| found < count) {
        faults.push(lacking(slice, found, count));
    }
}

fn lacking(slice: &SliceFacts, found: usize, count: i64) -> Fault {
    let generation = slice.generation.unwrap_or_default();
    let problem = format!(
        "{found} of {count} slices of generation {generation} of pool {} of driver {} lie side by side",
        quoted(&slice.pool),
        quoted(&slice.driver),
    );
    Fault::at(Path::fields(&["spec", "pool", "resourceSliceCount"]), count.to_string(), problem)
        .expected("as many slices of one generation as each of them says: no device of an incomplete pool is allocated")
        .mend("add the missing slices, or write the real count into every slice and raise the generation")
        .warn()
}
