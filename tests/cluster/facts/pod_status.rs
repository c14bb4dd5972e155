//! The list of amounts in a pod's status: what it may hold.

use draguard_testbed::objects::{recorded, recorded_amount};
use draguard_testbed::{Answer, Client, Patch, Version, path_of};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_list_names_claims_of_the_pod_only,
        "2",
        BOTH,
        "An entry for a claim that the pod does not reference is a 422, also for the claim of an extended resource"
    ),
    fact!(
        fact_list_is_wiped_on_create_and_kept_on_update,
        "1.2",
        BOTH,
        "A list in a created pod is wiped, and an update of the pod proper does not change it"
    ),
    fact!(fact_negative_amounts_are_refused, "2", BOTH, "A negative amount in the list is a 422"),
    fact!(
        fact_containers_and_amounts_are_not_compared,
        "2",
        BOTH,
        "Container names that do not exist, and amounts of a claim that is not allocated, are stored"
    ),
    fact!(fact_entries_must_be_full, "1.3, 2", T36, "An entry without `containers` or `resources` is a 422"),
    fact!(fact_entries_may_be_bare, "1.3, 2", T37, "An entry without containers, mapping and overhead is stored"),
    fact!(fact_duplicates_are_stored, "2", T36, "Two entries for one claim, and a container name twice, are stored"),
    fact!(fact_duplicates_are_refused, "2", T37, "Two entries for one claim, and a container name twice, are a 422"),
    fact!(
        fact_anyone_with_the_right_may_inflate_the_list,
        "2, surprise 19",
        BOTH,
        "Anyone with the right to write `pods/status`, other than a kubelet, may write any amount"
    ),
];

/// A list with one entry.
pub fn list(version: Version, claim: &str, resource: &str, amount: &str) -> Value {
    json!([entry(version, claim, resource, amount)])
}

fn entry(version: Version, claim: &str, resource: &str, amount: &str) -> Value {
    let mut entry = json!({ "resourceClaimName": claim, "containers": ["main"] });
    match version {
        Version::V1_36 => entry["resources"] = json!({ resource: amount }),
        Version::V1_37 => entry["mapping"] = json!([{ "name": resource, "quantity": amount }]),
    }
    entry
}

/// A pod that nobody schedules, with a list.
pub fn listed(bed: &Bed) -> Value {
    let pod = unlisted(bed);
    set(&bed.admin, &pod, list(bed.version, "c", "cpu", "2")).must()
}

pub fn unlisted(bed: &Bed) -> Value {
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["schedulerName"] = json!("nobody");
    bed.admin.create(&pod).must()
}

pub fn set(client: &Client, pod: &Value, list: Value) -> Answer {
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } });
    client.patch(&(path_of(pod) + "/status"), Patch::Merge, &patch)
}

fn fact_list_names_claims_of_the_pod_only(bed: &Bed) {
    let pod = unlisted(bed);
    for claim in ["other", "<extended-resources>"] {
        let answer = set(&bed.admin, &pod, list(bed.version, claim, "cpu", "2"));
        assert_eq!(answer.code, 422, "{claim}: {}", answer.message());
    }
}

fn fact_list_is_wiped_on_create_and_kept_on_update(bed: &Bed) {
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["schedulerName"] = json!("nobody");
    let amounts = list(bed.version, "c", "cpu", "2");
    pod["status"] = json!({ "nodeAllocatableResourceClaimStatuses": amounts });
    let pod = bed.admin.create(&pod).must();
    assert!(recorded(&pod).is_null());
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": amounts } });
    let patched = bed.admin.patch(&path_of(&pod), Patch::Merge, &patch).must();
    assert!(recorded(&patched).is_null());
}

fn fact_negative_amounts_are_refused(bed: &Bed) {
    let pod = unlisted(bed);
    let answer = set(&bed.admin, &pod, list(bed.version, "c", "cpu", "-1"));
    answer.refused(422, "must be");
}

fn fact_containers_and_amounts_are_not_compared(bed: &Bed) {
    let pod = unlisted(bed);
    let mut odd = list(bed.version, "c", "memory", "77Gi");
    odd[0]["containers"] = json!(["nobody"]);
    let stored = set(&bed.admin, &pod, odd).must();
    assert_eq!(recorded_amount(&stored, "c", "memory").as_deref(), Some("77Gi"));
}

fn fact_entries_must_be_full(bed: &Bed) {
    let pod = unlisted(bed);
    for field in ["containers", "resources"] {
        let mut bare = entry(bed.version, "c", "cpu", "2");
        bare.as_object_mut().expect("an entry").remove(field);
        set(&bed.admin, &pod, json!([bare])).refused(422, field);
    }
}

fn fact_entries_may_be_bare(bed: &Bed) {
    let pod = unlisted(bed);
    let bare = json!([{ "resourceClaimName": "c" }]);
    let stored = set(&bed.admin, &pod, bare.clone()).must();
    assert_eq!(*recorded(&stored), bare);
}

fn duplicates(bed: &Bed) -> [Value; 2] {
    let one = entry(bed.version, "c", "cpu", "2");
    let mut twice = one.clone();
    twice["containers"] = json!(["main", "main"]);
    [json!([one, one]), json!([twice])]
}

fn fact_duplicates_are_stored(bed: &Bed) {
    let pod = unlisted(bed);
    for list in duplicates(bed) {
        let stored = set(&bed.admin, &pod, list.clone()).must();
        assert_eq!(*recorded(&stored), list);
    }
}

fn fact_duplicates_are_refused(bed: &Bed) {
    let pod = unlisted(bed);
    for list in duplicates(bed) {
        set(&bed.admin, &pod, list).refused(422, "Duplicate value");
    }
}

fn fact_anyone_with_the_right_may_inflate_the_list(bed: &Bed) {
    let pod = listed(bed);
    let someone = bed.cluster.impersonate("someone", &["system:masters"]);
    let stored = set(&someone, &pod, list(bed.version, "c", "cpu", "5000")).must();
    assert_eq!(recorded_amount(&stored, "c", "cpu").as_deref(), Some("5k"));
}
