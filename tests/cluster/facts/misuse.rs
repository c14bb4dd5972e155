//! What can be planted in, kept from and taken out of the scheduler's count.

use draguard_testbed::objects::{cores_request, fixed_device, recorded, recorded_amount, requesting, shared_device};
use draguard_testbed::{Patch, path_of, wait_for};
use serde_json::{Value, json};

use super::counting::allocated_early;
use super::pod_status::list;
use crate::bed::{Bed, SOON};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_preset_node_name_rides_free,
        "F8, 11.20",
        BOTH,
        "A pod with `spec.nodeName` and an allocated mapped claim is added to `reservedFor` and gets no list; \
         the fit check counts what it requests itself and nothing of its device"
    ),
    fact!(
        fact_planted_numbers_survive,
        "F9, surprise 29",
        T37,
        "Amounts planted on a pending pod survive the scheduler's own write, which merges, and are counted on the node"
    ),
    fact!(
        fact_planted_numbers_are_replaced,
        "3.4",
        T36,
        "Amounts planted on a pending pod are replaced by the scheduler's own list"
    ),
    fact!(
        fact_negative_request_runs_uncounted,
        "F12",
        T36,
        "A claim for `-4` of a shared device ends as a bound pod without a list, and another claim can then consume more \
         than the device has"
    ),
    fact!(
        fact_negative_request_never_runs,
        "F12",
        T37,
        "A pod whose claim asks for `-4` of a shared device stays pending: capacity value is negative"
    ),
    fact!(
        fact_one_negative_capacity_stops_the_class,
        "F20, surprise 30",
        T37,
        "A device with a negative capacity, first in its slice, keeps every pod that reaches it pending although others are free"
    ),
    fact!(
        fact_list_in_the_status_is_believed,
        "3.3, 11.5",
        BOTH,
        "What the scheduler counts of a bound pod is its list: emptied, the node takes more than it has; written back, it \
         is counted again"
    ),
    fact!(
        fact_bindings_need_no_allocation,
        "11.10",
        BOTH,
        "A Binding for a pod whose claim has no allocation is accepted"
    ),
];

fn fact_preset_node_name_rides_free(bed: &Bed) {
    let claim = allocated_early(bed);
    let mut pod = requesting(bed.pod("p", &["c"]), &[("cpu", "1")]);
    pod["spec"]["nodeName"] = json!(bed.node);
    let pod = bed.admin.create(&pod).must();
    wait_for("the claim to be reserved", SOON, || {
        let now = bed.admin.again(&claim);
        match now["status"]["reservedFor"][0]["name"] == "p" {
            true => Ok(()),
            false => Err(now["status"].to_string()),
        }
    });
    assert!(recorded(&bed.admin.again(&pod)).is_null());
    let asking = |name: &str, cpu: &str| {
        let pod = requesting(bed.pod(name, &[]), &[("cpu", cpu)]);
        bed.admin.create(&pod).must()
    };
    // One core and the device's two leave five.
    bed.bound(&asking("rest", "7"));
    bed.pending(&asking("more", "100m"), "Insufficient cpu");
}

fn fact_planted_numbers_survive(bed: &Bed) {
    let pod = planted(bed);
    assert_eq!(recorded_amount(&pod, "c", "memory").as_deref(), Some("12Gi"));
    let big = requesting(bed.pod("big", &[]), &[("memory", "8Gi")]);
    bed.pending(&bed.admin.create(&big).must(), "Insufficient memory");
}

fn fact_planted_numbers_are_replaced(bed: &Bed) {
    assert_eq!(recorded_amount(&planted(bed), "c", "memory"), None);
}

fn fact_negative_request_runs_uncounted(bed: &Bed) {
    let pod = bed.bound(&negative_claim(bed));
    assert!(recorded(&pod).is_null());
    bed.add_cores_claim("more", "6");
    let more = bed.bound(&bed.add_pod("more", &["more"]));
    assert_eq!(recorded_amount(&more, "more", "cpu").as_deref(), Some("6"));
}

fn fact_negative_request_never_runs(bed: &Bed) {
    let pod = negative_claim(bed);
    bed.pending(&pod, "capacity value is negative");
}

fn fact_one_negative_capacity_stops_the_class(bed: &Bed) {
    let mut bad = json!({ "name": "bad" });
    bad["capacity"] = json!({ "x": { "value": "-1" } });
    bed.publish(&[bad, bed.device()]);
    bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    bed.pending(&pod, "negative");
}

fn fact_list_in_the_status_is_believed(bed: &Bed) {
    bed.publish(&[fixed_device(bed.version, "dev-0", &[("cpu", "6")])]);
    bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    let set = |list: &Value| {
        let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } });
        bed.admin.patch(&(path_of(&pod) + "/status"), Patch::Merge, &patch).must();
    };
    set(&json!([]));
    let four = |name: &str| {
        let pod = requesting(bed.pod(name, &[]), &[("cpu", "4")]);
        bed.admin.create(&pod).must()
    };
    let over = bed.bound(&four("over"));
    set(recorded(&pod));
    bed.admin.delete(&(path_of(&over) + "?gracePeriodSeconds=0")).must();
    bed.pending(&four("again"), "Insufficient cpu");
}

fn fact_bindings_need_no_allocation(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["schedulerName"] = json!("nobody");
    let pod = bed.admin.create(&pod).must();
    let target = json!({ "kind": "Node", "name": bed.node });
    let binding = json!({ "apiVersion": "v1", "kind": "Binding",
        "metadata": { "name": "p", "namespace": bed.ns }, "target": target });
    bed.admin.post(&(path_of(&pod) + "/binding"), &binding).must();
    assert_eq!(bed.admin.again(&pod)["spec"]["nodeName"], json!(bed.node));
    assert!(bed.admin.again(&claim)["status"]["allocation"].is_null());
}

/// A pod that had memory planted for its claim before the scheduler took it up, now bound.
fn planted(bed: &Bed) -> Value {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["schedulingGates"] = json!([{ "name": "example.com/wait" }]);
    let pod = bed.admin.create(&pod).must();
    let planted = list(bed.version, "c", "memory", "12Gi");
    let status = json!({ "status": { "nodeAllocatableResourceClaimStatuses": planted } });
    bed.admin.patch(&(path_of(&pod) + "/status"), Patch::Merge, &status).must();
    let go = json!({ "spec": { "schedulingGates": null } });
    bed.admin.patch(&path_of(&pod), Patch::Merge, &go).must();
    let pod = bed.bound(&pod);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
    pod
}

fn negative_claim(bed: &Bed) -> Value {
    bed.publish(&[shared_device(bed.version, "numa0", "4")]);
    bed.add_claim_for("c", &[cores_request("r", &bed.ns, "-4")]);
    bed.add_pod("p", &["c"])
}
