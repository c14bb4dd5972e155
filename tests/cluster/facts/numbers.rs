//! Numbers that the API takes and the scheduler misreads.

use draguard_testbed::objects::{fixed_device, recorded_amount, requesting};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_huge_memory_counts_nothing,
        "F13, 3.5, 11.9",
        BOTH,
        "A mapping of memory `10E` is charged as nothing: a pod for the whole node fits beside it, one for more does not"
    ),
    fact!(
        fact_huge_cpu_counts_nothing,
        "F13, 3.5, 11.9",
        BOTH,
        "A mapping of cpu `10P` is charged as nothing: a pod for the whole node fits beside it, one for more does not"
    ),
    fact!(
        fact_eight_exbi_cpu_credits_a_core,
        "F13, 3.5, 11.9",
        BOTH,
        "A mapping of cpu `8Ei` is charged as minus one core: the node of 8 cpu then takes a pod of 9, not one of 10"
    ),
    fact!(
        fact_quantities_arrive_canonical,
        "3.5",
        BOTH,
        "Quantities arrive in the canonical form of their own notation: `1000` as `1k`, `0.5` as `500m`; `1e3` and `4Gi` stay"
    ),
    fact!(
        fact_milli_bytes_are_recorded_as_written,
        "3.5",
        BOTH,
        "A mapping of memory `400m` is recorded in the pod's status as `400m`, unrounded"
    ),
];

/// A pod with a device of this amount on the fact's node, bound and recorded.
fn charge(bed: &Bed, resource: &str, amount: &str) -> Value {
    bed.publish(&[fixed_device(bed.version, "dev-0", &[(resource, amount)])]);
    bed.add_claim("odd");
    let pod = bed.add_pod("odd", &["odd"]);
    bed.bound(&pod)
}

/// The node takes a pod of the first amount, and none of the second.
fn assert_room(bed: &Bed, resource: &str, fits: &str, too_much: &str) {
    let asking = |name: &str, amount: &str| {
        let pod = requesting(bed.pod(name, &[]), &[(resource, amount)]);
        bed.admin.create(&pod).must()
    };
    bed.pending(&asking("more", too_much), &format!("Insufficient {resource}"));
    bed.bound(&asking("whole", fits));
}

fn fact_huge_memory_counts_nothing(bed: &Bed) {
    let pod = charge(bed, "memory", "10E");
    assert_eq!(recorded_amount(&pod, "odd", "memory").as_deref(), Some("10E"));
    assert_room(bed, "memory", "16Gi", "17Gi");
}

fn fact_huge_cpu_counts_nothing(bed: &Bed) {
    let pod = charge(bed, "cpu", "10P");
    assert_eq!(recorded_amount(&pod, "odd", "cpu").as_deref(), Some("10P"));
    assert_room(bed, "cpu", "8", "9");
}

fn fact_eight_exbi_cpu_credits_a_core(bed: &Bed) {
    let pod = charge(bed, "cpu", "8Ei");
    let recorded = recorded_amount(&pod, "odd", "cpu");
    assert_eq!(recorded.as_deref(), Some("9223372036854775807"));
    assert_room(bed, "cpu", "9", "10");
}

fn fact_quantities_arrive_canonical(bed: &Bed) {
    bed.add_node();
    for (written, read) in [("1e3", "1e3"), ("1000", "1k"), ("4Gi", "4Gi"), ("0.5", "500m")] {
        let slice = bed.slice(&[fixed_device(bed.version, "dev-0", &[("cpu", written)])]);
        let stored = bed.create_dry(&slice).must();
        let text = stored["spec"]["devices"][0].to_string();
        assert!(text.contains(&json!(read).to_string()), "{written}: {text}");
    }
}

fn fact_milli_bytes_are_recorded_as_written(bed: &Bed) {
    let pod = charge(bed, "memory", "400m");
    assert_eq!(recorded_amount(&pod, "odd", "memory").as_deref(), Some("400m"));
}
