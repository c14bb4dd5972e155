//! The real scheduler and claim controller: what they write, and in which order.

use draguard_testbed::objects::{fixed_device, object, recorded, recorded_amount, shared_device, why_pending};
use draguard_testbed::{Patch, Phase, Review, Rule, Version, Webhook, path_of, wait_for, wait_until};
use serde_json::{Value, json};

use crate::bed::{Bed, SOON, stories};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_order_of_the_schedulers_writes,
        "3.4, 11.4",
        BOTH,
        "For a pod with a mapped claim the scheduler writes, in this order: `pods/status` (nominated node), \
         `resourceclaims` (finalizer), `resourceclaims/status`, `pods/status` (the list), `pods/binding`"
    ),
    fact!(
        fact_order_of_the_release,
        "11.4",
        BOTH,
        "After the pod is gone the claim controller writes `resourceclaims/status` once (reservation and allocation go \
         together) and then `resourceclaims` (finalizer), as `kube-system/resource-claim-controller`"
    ),
    fact!(
        fact_allocation_and_reservation_come_together,
        "3.4",
        BOTH,
        "Allocation and `reservedFor` are set by one write"
    ),
    fact!(
        fact_binding_reviews_carry_no_pod,
        "5.3, surprise 16",
        BOTH,
        "The review of `pods/binding` holds a Binding with the node as target, no old object; and no pod update is \
         reviewed when the node name is set"
    ),
    fact!(
        fact_too_small_a_node_is_refused,
        "3.1",
        BOTH,
        "A pod whose claim maps more cpu than its node has is Unschedulable: Insufficient cpu"
    ),
    fact!(
        fact_taint_rules_steer_the_scheduler,
        "11.6",
        BOTH,
        "A DeviceTaintRule NoSchedule on the driver makes its pods Unschedulable, the claim stays untouched, and the pod is \
         scheduled once the rule is gone"
    ),
    fact!(
        fact_incomplete_pools_are_not_used,
        "6",
        BOTH,
        "No device of a pool is allocated while slices of its generation are missing"
    ),
    fact!(
        fact_extended_resource_on_a_mapped_device_never_runs,
        "F7, 3.2",
        BOTH,
        "A pod whose extended resource is a mapped device stays pending: \"not referenced by any container\" on v1.36, \
         \"no mapping found in pod reference\" on v1.37"
    ),
];

fn everything() -> [Rule; 2] {
    let dra = Rule::dra(&["resourceclaims", "resourceclaims/status"]);
    [dra, Rule::core(&["pods", "pods/status", "pods/binding"])]
}

/// A pod bound to a part of a shared device, and all that validating webhooks saw of it.
fn bound_and_seen(bed: &Bed) -> (Value, Vec<Review>) {
    bed.publish(&[shared_device(bed.version, "numa0", "8")]);
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &everything());
    bed.add_cores_claim("c", "2");
    let pod = bed.add_pod("p", &["c"]);
    let pod = bed.bound(&pod);
    (pod, webhook.writes())
}

fn fact_order_of_the_schedulers_writes(bed: &Bed) {
    let (pod, seen) = bound_and_seen(bed);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
    let expected = [
        "create resourceclaims",
        "create pods",
        "update pods/status",
        "update resourceclaims",
        "update resourceclaims/status",
        "update pods/status",
        "create pods/binding",
    ];
    assert_eq!(stories(&seen), expected);
    assert!(seen[2..].iter().all(|review| review.user() == "system:kube-scheduler"));
    assert_eq!(seen[2].object()["status"]["nominatedNodeName"], json!(bed.node));
    assert!(recorded(seen[2].object()).is_null());
    assert!(recorded(seen[5].object()).is_array());
}

fn fact_order_of_the_release(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    bed.bound(&pod);
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &everything()[..1]);
    bed.admin.delete(&(path_of(&pod) + "?gracePeriodSeconds=0")).must();
    wait_for("the finalizer to go", SOON, || {
        let now = bed.admin.again(&claim);
        match now["metadata"]["finalizers"].is_null() {
            true => Ok(()),
            false => Err(now["status"].to_string()),
        }
    });
    let seen = webhook.writes();
    assert_eq!(stories(&seen), ["update resourceclaims/status", "update resourceclaims"]);
    let status = &seen[0].object()["status"];
    assert!(status["allocation"].is_null() && status["reservedFor"].is_null(), "{status}");
    let controller = "system:serviceaccount:kube-system:resource-claim-controller";
    assert!(seen.iter().all(|review| review.user() == controller));
}

fn fact_allocation_and_reservation_come_together(bed: &Bed) {
    let (_, seen) = bound_and_seen(bed);
    let write = seen.iter().find(|r| r.what() == "update resourceclaims/status");
    let write = write.expect("the allocation");
    let (old, new) = (&write.old_object()["status"], &write.object()["status"]);
    assert!(old["allocation"].is_null() && old["reservedFor"].is_null());
    assert!(new["allocation"].is_object() && new["reservedFor"].is_array());
}

fn fact_binding_reviews_carry_no_pod(bed: &Bed) {
    let (pod, seen) = bound_and_seen(bed);
    let binding = seen.last().expect("the binding");
    assert_eq!(binding.object()["kind"], "Binding");
    assert_eq!(binding.object()["target"]["name"], json!(bed.node));
    assert_eq!(binding.object()["metadata"]["uid"], pod["metadata"]["uid"]);
    assert!(binding.old_object().is_null());
    let updates = stories(&seen).iter().filter(|s| *s == "update pods").count();
    assert_eq!(updates, 0);
}

fn fact_too_small_a_node_is_refused(bed: &Bed) {
    bed.publish(&[fixed_device(bed.version, "dev-0", &[("cpu", "9")])]);
    bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    bed.pending(&pod, "Insufficient cpu");
}

fn fact_taint_rules_steer_the_scheduler(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.slices_known();
    let version = match bed.version {
        Version::V1_36 => "resource.k8s.io/v1beta2",
        Version::V1_37 => "resource.k8s.io/v1",
    };
    let mut rule = object(version, "DeviceTaintRule", None, &bed.ns);
    let taint = json!({ "key": "draguard.dev/hold", "effect": "NoSchedule" });
    rule["spec"] = json!({ "deviceSelector": { "driver": bed.driver }, "taint": taint });
    let rule = bed.admin.create(&rule).must();
    let (claim, pod) = held_back(bed);
    assert!(bed.admin.again(&claim)["status"]["allocation"].is_null());
    bed.admin.delete(&path_of(&rule)).must();
    bed.bound(&pod);
}

/// The scheduler reads rules and pods by two watches: the first pods may be quicker than the rule.
fn held_back(bed: &Bed) -> (Value, Value) {
    let mut tries = 0;
    wait_for("a pod to be held back", SOON, || {
        tries += 1;
        let name = format!("p{tries}");
        let claim = bed.add_claim(&name);
        let pod = bed.add_pod(&name, &[&name]);
        let told = |pod: &Value| pod["spec"]["nodeName"].is_string() || why_pending(pod).contains(HELD);
        let pod = wait_until("the scheduler's word", SOON, || bed.admin.again(&pod), told);
        if pod["spec"]["nodeName"].is_null() {
            return Ok((claim, pod));
        }
        bed.admin.delete(&(path_of(&pod) + "?gracePeriodSeconds=0")).must();
        let allocation = || bed.admin.again(&claim)["status"]["allocation"].take();
        wait_until("the device to be free", SOON, allocation, Value::is_null);
        Err(format!("{name} was bound"))
    })
}

/// What the scheduler says of a pod for which no device may be used.
const HELD: &str = "cannot allocate all claims";

fn fact_incomplete_pools_are_not_used(bed: &Bed) {
    bed.add_node();
    bed.add_class();
    let mut slice = bed.slice(&[bed.device()]);
    slice["spec"]["pool"]["resourceSliceCount"] = json!(2);
    let stored = bed.create_slice(&slice).must();
    bed.slices_known();
    bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    bed.pending(&pod, HELD);
    let whole = json!({ "spec": { "pool": { "resourceSliceCount": 1 } } });
    bed.admin.patch(&path_of(&stored), Patch::Merge, &whole).must();
    bed.bound(&pod);
}

fn fact_extended_resource_on_a_mapped_device_never_runs(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let name = format!("{}/gpu", bed.driver);
    let class = object("resource.k8s.io/v1", "DeviceClass", None, &bed.ns);
    let patch = json!({ "spec": { "extendedResourceName": name } });
    bed.admin.patch(&path_of(&class), Patch::Merge, &patch).must();
    let mut pod = bed.pod("p", &[]);
    pod["spec"]["containers"][0]["resources"] = json!({ "requests": { &name: "1" }, "limits": { &name: "1" } });
    let pod = bed.admin.create(&pod).must();
    let text = match bed.version {
        Version::V1_36 => "not referenced by any container",
        Version::V1_37 => "no mapping found in pod reference",
    };
    bed.pending(&pod, text);
}
