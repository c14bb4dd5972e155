//! What the scheduler counts, counts twice, and forgets.

use draguard_testbed::objects::{fixed_device, recorded, recorded_amount, request, requesting};
use draguard_testbed::{Patch, Version, path_of};
use serde_json::{Value, json};

use super::claim_status::{allocation, set_status};
use crate::bed::Bed;
use crate::fact::{Fact, Verdict, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_allocated_claims_are_not_counted,
        "3.2, surprise 1",
        T36,
        "A pod whose claim is allocated already is bound without a list: nobody counts it"
    ),
    fact!(
        fact_allocated_claims_are_counted,
        "3.2",
        T37,
        "A pod whose claim is allocated already is bound with its list"
    ),
    fact!(
        fact_allocations_need_a_time,
        "-",
        BOTH,
        "An allocation written without `allocationTimestamp` is useless: the scheduler adds the time when it reserves the \
         claim, which the server refuses as a change",
        Verdict::Found
    ),
    fact!(
        fact_mapped_claims_are_not_shared_between_pods,
        "3.2",
        BOTH,
        "A second pod with the same mapped claim stays pending"
    ),
    fact!(
        fact_unreferenced_claims,
        "3.2",
        BOTH,
        "A mapped claim that no container uses keeps the pod pending on v1.36 and is counted, without containers, on v1.37"
    ),
    fact!(
        fact_claim_twice_in_a_container,
        "F6, surprise 23",
        BOTH,
        "A container that lists one mapped claim twice runs on v1.36 with its name twice, and never on v1.37: Duplicate value"
    ),
    fact!(
        fact_claim_under_two_names_in_a_pod,
        "3.2",
        BOTH,
        "A pod that knows one claim by two names is never bound: the scheduler looks for devices for each name, \
         and reserves the claim for the pod twice, which the server refuses as a duplicate",
        Verdict::Differs("a claim under two pod claim names is only refused where one container uses both")
    ),
    fact!(fact_bound_pods_are_not_repriced, "3.3", BOTH, "A changed or deleted slice changes nothing for a bound pod"),
];

/// The claim `c` of the fact, allocated by a scheduler's account before any pod wants it.
pub fn allocated_early(bed: &Bed) -> Value {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let finalizers = json!({ "metadata": { "finalizers":
        ["resource.kubernetes.io/delete-protection"] } });
    bed.admin.patch(&path_of(&claim), Patch::Merge, &finalizers).must();
    let mut allocation = allocation(bed, "dev-0");
    allocation["allocationTimestamp"] = json!("2026-01-01T00:00:00Z");
    let status = json!({ "allocation": allocation });
    set_status(&bed.cluster.scheduler(), &claim, status).must()
}

fn fact_allocations_need_a_time(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let status = json!({ "allocation": allocation(bed, "dev-0") });
    set_status(&bed.cluster.scheduler(), &claim, status).must();
    let pod = bed.add_pod("p", &["c"]);
    bed.pending(&pod, "status.allocation: Invalid value");
}

fn fact_allocated_claims_are_not_counted(bed: &Bed) {
    allocated_early(bed);
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    assert!(recorded(&pod).is_null(), "{}", recorded(&pod));
}

fn fact_allocated_claims_are_counted(bed: &Bed) {
    allocated_early(bed);
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
}

fn fact_mapped_claims_are_not_shared_between_pods(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    bed.bound(&bed.add_pod("first", &["c"]));
    let second = bed.add_pod("second", &["c"]);
    let text = match bed.version {
        Version::V1_36 => "already used by another pod",
        Version::V1_37 => "cannot be shared across pods",
    };
    bed.pending(&second, text);
}

fn fact_unreferenced_claims(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["containers"][0]["resources"] = json!({});
    let pod = bed.admin.create(&pod).must();
    if bed.version == Version::V1_36 {
        bed.pending(&pod, "not referenced by any container");
        return;
    }
    let pod = bed.bound(&pod);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
    assert!(recorded(&pod)[0]["containers"].is_null());
}

fn fact_claim_twice_in_a_container(bed: &Bed) {
    let device = |name: &str| fixed_device(bed.version, name, &[("cpu", "1")]);
    bed.publish(&[device("dev-0"), device("dev-1")]);
    bed.add_claim_for("c", &[request("a", &bed.ns), request("b", &bed.ns)]);
    let mut pod = bed.pod("p", &["c"]);
    let rows = json!([{ "name": "c", "request": "a" }, { "name": "c", "request": "b" }]);
    pod["spec"]["containers"][0]["resources"]["claims"] = rows;
    let pod = bed.admin.create(&pod).must();
    if bed.version == Version::V1_37 {
        bed.pending(&pod, "Duplicate value");
        return;
    }
    let pod = bed.bound(&pod);
    assert_eq!(recorded(&pod)[0]["containers"], json!(["main", "main"]));
}

fn fact_claim_under_two_names_in_a_pod(bed: &Bed) {
    let device = |name: &str| fixed_device(bed.version, name, &[("cpu", "1")]);
    bed.publish(&[device("dev-0"), device("dev-1")]);
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["a", "b"]);
    for reference in pod["spec"]["resourceClaims"].as_array_mut().expect("references") {
        reference["resourceClaimName"] = json!("c");
    }
    let mut second = pod["spec"]["containers"][0].clone();
    second["name"] = json!("second");
    second["resources"]["claims"] = json!([{ "name": "b" }]);
    pod["spec"]["containers"][0]["resources"]["claims"] = json!([{ "name": "a" }]);
    pod["spec"]["containers"].as_array_mut().expect("containers").push(second);
    let pod = bed.admin.create(&pod).must();
    bed.pending(&pod, "status.reservedFor[1]: Duplicate value");
}

fn fact_bound_pods_are_not_repriced(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    let mut slice = bed.admin.again(&bed.slice(&[]));
    slice["spec"]["devices"][0] = fixed_device(bed.version, "dev-0", &[("cpu", "8")]);
    bed.admin.replace(&slice).must();
    bed.admin.delete(&path_of(&slice)).must();
    let rest = requesting(bed.pod("rest", &[]), &[("cpu", "6")]);
    bed.bound(&bed.admin.create(&rest).must());
    let now = bed.admin.again(&pod);
    assert_eq!(recorded_amount(&now, "c", "cpu").as_deref(), Some("2"));
}
