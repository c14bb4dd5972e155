//! DG304: an allocated device that nobody publishes.

use std::collections::BTreeSet;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG304",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Hold,
        fixed: false,
        title: "an allocated device exists in no live slice of its pool",
        detail: "The kubelet wipes the slices of its node when it starts, and those of a driver that is gone for 30 seconds; a \
                 scheduler that has not seen it yet allocates what is there no more, and the pod waits for ever \
                 (dra-driver-nvidia-gpu issue 330, kubernetes issue 141912). The allocation waits until the driver publishes \
                 again; what is allocated already stays, with its charge. The pool is read again from the API server before \
                 this is said.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() {
        return;
    }
    let mut wiped = BTreeSet::new();
    for result in view.results.iter().filter(|result| result.device.is_none()) {
        let pool = &result.given.key.pool;
        if view.scene.ledger.pool(pool).next().is_some() {
            faults.push(unpublished(result));
        } else if wiped.insert(pool) {
            faults.push(no_slice(result));
        }
    }
}

fn unpublished(result: &ResultView<'_>) -> Fault {
    let device = &result.given.key.device;
    let pool = result.given.key.pool.to_string();
    let problem = format!("device {} is in no slice of pool {}", quoted(device), quoted(&pool));
    Fault::at(result.path().field("device"), &**device, problem)
        .expected("a device that its driver publishes")
        .mend("allocate another device, or let the driver publish this one again")
        .rests_on([result.pool()])
}

fn no_slice(result: &ResultView<'_>) -> Fault {
    let pool = result.given.key.pool.to_string();
    let problem = format!(
        "pool {} has no slice: its driver does not publish it, or the kubelet has just wiped it and the driver is to publish again",
        quoted(&pool),
    );
    Fault::at(result.path().field("pool"), &*result.given.key.pool.pool, problem)
        .expected("a pool with at least one slice")
        .mend("nothing is to be done while the driver starts; if the pool stays away, restart the driver on that node")
        .rests_on([result.pool()])
}
