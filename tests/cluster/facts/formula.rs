//! How the scheduler computes what a claim takes of its node.

use draguard_testbed::objects::{fixed_device, recorded, recorded_amount, request, requesting, shared_device};
use draguard_testbed::{Version, path_of};
use serde_json::{Value, json};

use super::claim_status::label_for_admin_access;
use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_capacity_times_multiplier,
        "3.1",
        BOTH,
        "A mapping by capacity takes the consumed capacity times the multiplier"
    ),
    fact!(
        fact_consumed_capacity_holds_every_capacity,
        "3.2",
        BOTH,
        "`consumedCapacity` holds every capacity of a shared device; one that was not requested counts in full"
    ),
    fact!(
        fact_request_policy_rounds_consumed_capacity,
        "11.21",
        BOTH,
        "A request between two steps of the policy is rounded up in `consumedCapacity`"
    ),
    fact!(
        fact_fixed_amounts_add_up_per_result,
        "3.1, surprise 10",
        BOTH,
        "A fixed amount counts once for each allocated device"
    ),
    fact!(
        fact_overhead_adds_up_per_device,
        "3.1, surprise 10",
        T37,
        "`perPod` and `perContainer` are summed over the allocated devices and recorded apart from the mapping"
    ),
    fact!(
        fact_admin_access_is_charged_in_full,
        "3.2, 11.13",
        BOTH,
        "A claim with admin access is charged the device's full mapping although it allocates nothing"
    ),
    fact!(
        fact_prioritized_list_counts_what_was_chosen,
        "3.2",
        BOTH,
        "Of a prioritized list the chosen sub-request's device counts"
    ),
    fact!(
        fact_capacity_key_on_exclusive_device_never_schedules,
        "3.2, surprise 9",
        BOTH,
        "A pod whose claim gets a `capacityKey` mapping of a device without `allowMultipleAllocations` never schedules"
    ),
    fact!(
        fact_pod_level_request_replaces_the_sum,
        "3.1, surprise 12",
        BOTH,
        "A pod-level request is the pod's footprint: it is refused when containers and claims exceed it, and the claim's \
         amount is not added when it does not"
    ),
    fact!(
        fact_several_containers_count_a_claim_once,
        "3.2",
        BOTH,
        "A claim used by two containers is charged once, with both names in `containers`"
    ),
];

/// A pod bound with a claim of these requests.
fn bound_with(bed: &Bed, requests: &[Value]) -> Value {
    bed.add_claim_for("c", requests);
    let pod = bed.add_pod("p", &["c"]);
    bed.bound(&pod)
}

fn cpu(pod: &Value) -> Option<String> {
    recorded_amount(pod, "c", "cpu")
}

fn fact_capacity_times_multiplier(bed: &Bed) {
    let mut device = shared_device(bed.version, "numa0", "8");
    let mapping = &mut device[bed.version.slice_field()]["cpu"];
    match bed.version {
        Version::V1_36 => mapping["allocationMultiplier"] = json!("500m"),
        Version::V1_37 => mapping["mapping"]["capacityMultiplier"] = json!("500m"),
    }
    bed.publish(&[device]);
    let three = draguard_testbed::objects::cores_request("r", &bed.ns, "3");
    assert_eq!(cpu(&bound_with(bed, &[three])).as_deref(), Some("1500m"));
}

fn fact_consumed_capacity_holds_every_capacity(bed: &Bed) {
    let mut device = shared_device(bed.version, "numa0", "4");
    device["capacity"]["other"] = json!({ "value": "7" });
    bed.publish(&[device]);
    let pod = bound_with(bed, &[request("r", &bed.ns)]);
    assert_eq!(cpu(&pod).as_deref(), Some("4"));
    let claim = bed.admin.get(&format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/c", bed.ns));
    let result = &claim.must()["status"]["allocation"]["devices"]["results"][0];
    assert_eq!(result["consumedCapacity"], json!({ "cores": "4", "other": "7" }));
}

fn fact_request_policy_rounds_consumed_capacity(bed: &Bed) {
    let mut device = shared_device(bed.version, "numa0", "4");
    let range = json!({ "min": "1", "step": "1" });
    device["capacity"]["cores"]["requestPolicy"] = json!({ "default": "1", "validRange": range });
    bed.publish(&[device]);
    let odd = draguard_testbed::objects::cores_request("r", &bed.ns, "1500m");
    assert_eq!(cpu(&bound_with(bed, &[odd])).as_deref(), Some("2"));
}

fn fact_fixed_amounts_add_up_per_result(bed: &Bed) {
    let device = |name: &str| fixed_device(bed.version, name, &[("cpu", "1500m"), ("memory", "1Gi")]);
    bed.publish(&[device("dev-0"), device("dev-1")]);
    let mut two = request("r", &bed.ns);
    two["exactly"]["count"] = json!(2);
    let pod = bound_with(bed, &[two]);
    assert_eq!(cpu(&pod).as_deref(), Some("3"));
    assert_eq!(recorded_amount(&pod, "c", "memory").as_deref(), Some("2Gi"));
}

fn fact_overhead_adds_up_per_device(bed: &Bed) {
    let device = |name: &str| {
        let overhead = json!({ "perPod": "100m", "perContainer": "10m" });
        json!({ "name": name, bed.version.slice_field(): { "cpu": { "overhead": overhead } } })
    };
    bed.publish(&[device("dev-0"), device("dev-1")]);
    let mut two = request("r", &bed.ns);
    two["exactly"]["count"] = json!(2);
    let pod = bound_with(bed, &[two]);
    let overhead = json!([{ "name": "cpu", "perPod": "200m", "perContainer": "20m" }]);
    assert_eq!(recorded(&pod)[0]["overhead"], overhead);
    assert!(recorded(&pod)[0]["mapping"].is_null());
}

fn fact_admin_access_is_charged_in_full(bed: &Bed) {
    bed.publish(&[bed.device()]);
    label_for_admin_access(bed);
    let mut asking = request("r", &bed.ns);
    asking["exactly"]["adminAccess"] = json!(true);
    assert_eq!(cpu(&bound_with(bed, &[asking])).as_deref(), Some("2"));
}

fn fact_prioritized_list_counts_what_was_chosen(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let sub = |name: &str, count: u32| json!({ "name": name, "deviceClassName": bed.ns, "count": count });
    let list = json!({ "name": "r", "firstAvailable": [sub("many", 5), sub("one", 1)] });
    let pod = bound_with(bed, &[list]);
    assert_eq!(cpu(&pod).as_deref(), Some("2"));
}

fn fact_capacity_key_on_exclusive_device_never_schedules(bed: &Bed) {
    let mut device = shared_device(bed.version, "dev-0", "4");
    device["allowMultipleAllocations"] = json!(false);
    bed.publish(&[device]);
    bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    bed.pending(&pod, "onsumedCapacity is nil");
}

fn fact_pod_level_request_replaces_the_sum(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let sized = |name: &str, claims: &[&str], amount: &str| {
        let mut pod = bed.pod(name, claims);
        pod["spec"]["resources"] = json!({ "requests": { "cpu": amount } });
        bed.admin.create(&pod).must()
    };
    let small = sized("small", &["c"], "1");
    bed.pending(&small, "pod level request for cpu is insufficient to cover");
    bed.admin.delete(&(path_of(&small) + "?gracePeriodSeconds=0")).must();
    let pod = bed.bound(&sized("enough", &["c"], "3"));
    assert_eq!(cpu(&pod).as_deref(), Some("2"));
    let rest = requesting(bed.pod("rest", &[]), &[("cpu", "5")]);
    bed.bound(&bed.admin.create(&rest).must());
}

fn fact_several_containers_count_a_claim_once(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    let mut second = pod["spec"]["containers"][0].clone();
    second["name"] = json!("second");
    pod["spec"]["containers"].as_array_mut().expect("containers").push(second);
    let pod = bed.bound(&bed.admin.create(&pod).must());
    assert_eq!(recorded(&pod)[0]["containers"], json!(["main", "second"]));
    assert_eq!(cpu(&pod).as_deref(), Some("2"));
}
