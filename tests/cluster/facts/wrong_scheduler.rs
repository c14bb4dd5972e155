//! What the API server stores for a scheduler that is wrong, as long as nobody guards it.

use draguard_testbed::{Ground, Wrong, WrongScheduler};
use serde_json::Value;

use crate::bed::Bed;
use crate::fact::{Fact, Verdict, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_wrong_scheduler_allocates_twice,
        "2, 11.10",
        BOTH,
        "A scheduler's account can allocate one exclusive device to two claims, with finalizer and time, as the real one does"
    ),
    fact!(
        fact_wrong_scheduler_overcommits,
        "2",
        BOTH,
        "A scheduler's account can allocate devices that together take more cpu than their node has",
        Verdict::Found
    ),
    fact!(
        fact_wrong_scheduler_allocates_the_unknown,
        "2",
        BOTH,
        "A scheduler's account can allocate a device that its published, complete pool does not have"
    ),
    fact!(
        fact_wrong_scheduler_consumes_less_than_nothing,
        "2",
        BOTH,
        "A scheduler's account can allocate a share of a device that consumes a negative amount"
    ),
];

/// A node of the fact, and all devices that the wrong scheduler takes.
fn ground(bed: &Bed) -> Ground {
    bed.publish(&Ground::devices(bed.version));
    ground_of(bed)
}

/// The place of a wrong scheduler, where node, class and slice of the bed are.
pub fn ground_of(bed: &Bed) -> Ground {
    Ground { namespace: bed.ns.clone(), class: bed.ns.clone(), driver: bed.driver.clone(), node: bed.node.clone() }
}

/// What the server stores, and that it can be undone.
fn stored(bed: &Bed, wrong: Wrong) -> Value {
    let (scheduler, ground) = (WrongScheduler::of(bed.cluster), ground(bed));
    let stored = scheduler.commit(wrong, &ground).must();
    scheduler.undo(wrong, &ground);
    let left = bed.admin.list(&format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims", bed.ns));
    assert!(left.is_empty(), "{left:#?}");
    stored["status"]["allocation"]["devices"]["results"][0].clone()
}

fn fact_wrong_scheduler_allocates_twice(bed: &Bed) {
    assert_eq!(stored(bed, Wrong::Twice)["device"], "once");
}

fn fact_wrong_scheduler_overcommits(bed: &Bed) {
    assert_eq!(stored(bed, Wrong::Overcommit)["device"], "big-1");
}

fn fact_wrong_scheduler_allocates_the_unknown(bed: &Bed) {
    assert_eq!(stored(bed, Wrong::Unknown)["device"], "nobody-has-it");
}

fn fact_wrong_scheduler_consumes_less_than_nothing(bed: &Bed) {
    assert_eq!(stored(bed, Wrong::Negative)["consumedCapacity"]["cores"], "-4");
}
