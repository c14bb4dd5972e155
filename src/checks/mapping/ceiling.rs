//! DG110, as far as no node is needed: amounts that no machine has.

use super::super::Context;
use super::super::fault::{Fault, Faults};
use super::super::view::{MappingView, shown};
use crate::model::quantity::Quantity;
use crate::model::reach::Reach;
use crate::model::resource::Kind;

/// Cores: a hundred times the largest machine there is.
const MOST_CORES: Quantity = Quantity::whole(1_000_000);
/// Bytes (1Pi): sixteen times the memory of the largest machine there is.
const MOST_BYTES: Quantity = Quantity::whole(1 << 50);

/// Warns of a footprint that counts, and that no node can ever give.
pub fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let Some(kind) = view.kind else { return };
    let ceiling = if kind == Kind::Cpu { MOST_CORES } else { MOST_BYTES };
    for reach in view
        .reaches
        .iter()
        .filter(|reach| is_fixed(reach) && !is_misspelt(reach, kind) && is_beyond(reach, kind, &ceiling))
    {
        let problem =
            format!("{} is more than any node has: no pod can ever fit", shown(reach, view.mapping.capacity_key));
        let fault = Fault::at(view.amount_path(reach.role), &*reach.written, problem);
        faults.push(
            fault
                .expected(format!("at most the node's allocatable {}", view.mapping.resource))
                .mend("check the unit")
                .warn(),
        );
    }
}

/// Only what every allocation takes: of a capacity less may be asked for.
fn is_fixed(reach: &Reach<'_>) -> bool {
    reach.consumed.is_none()
}

/// A binary suffix on cpu, which DG104 tells already.
fn is_misspelt(reach: &Reach<'_>, kind: Kind) -> bool {
    kind == Kind::Cpu && reach.written.ends_with('i')
}

fn is_beyond(reach: &Reach<'_>, kind: Kind, ceiling: &Quantity) -> bool {
    reach.footprint.is_some_and(|footprint| footprint > *ceiling && kind.counted(&footprint).is_some())
}
