//! The list of amounts in a pod's status: what it may hold, and how it gets lost.

use draguard_testbed::objects::{recorded, recorded_amount};
use draguard_testbed::{Answer, Client, Patch, Version, path_of};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_put_without_the_list,
        "F5, 2.1",
        BOTH,
        "A PUT of `pods/status` without the list empties it on v1.36 and leaves it on v1.37"
    ),
    fact!(
        fact_strategic_null,
        "F5, 2.1",
        BOTH,
        "A strategic patch with `null` empties the list on v1.36 and leaves it on v1.37"
    ),
    fact!(
        fact_apply_without_the_list,
        "F5, 2.1",
        BOTH,
        "A server-side apply that gives the list up empties it on v1.36 and leaves it on v1.37"
    ),
    fact!(
        fact_explicit_empty_list_erases,
        "F5, 2.1",
        BOTH,
        "A merge patch with `[]`, or a PUT with `[]`, empties the list on both"
    ),
    fact!(fact_kubelet_may_change_the_list, "F4, 11.8", T36, "A kubelet may change and drop the list of its own pod"),
    fact!(
        fact_kubelet_cannot_change_the_list,
        "F4, 11.8",
        T37,
        "A kubelet that changes, drops or empties the list of its own pod gets a 403"
    ),
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
fn listed(bed: &Bed) -> Value {
    let pod = unlisted(bed);
    set(&bed.admin, &pod, list(bed.version, "c", "cpu", "2")).must()
}

fn unlisted(bed: &Bed) -> Value {
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["schedulerName"] = json!("nobody");
    bed.admin.create(&pod).must()
}

fn set(client: &Client, pod: &Value, list: Value) -> Answer {
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } });
    client.patch(&(path_of(pod) + "/status"), Patch::Merge, &patch)
}

/// The list is gone on v1.36 and still there on v1.37.
fn lost_on_v1_36_only(bed: &Bed, pod: &Value) {
    let now = bed.admin.again(pod);
    let amount = recorded_amount(&now, "c", "cpu");
    let expected = (bed.version == Version::V1_37).then(|| "2".to_owned());
    assert_eq!(amount, expected, "{}", recorded(&now));
}

fn without_list(pod: &Value) -> Value {
    let mut pod = pod.clone();
    let status = pod["status"].as_object_mut().expect("a status");
    status.remove("nodeAllocatableResourceClaimStatuses");
    pod
}

fn fact_put_without_the_list(bed: &Bed) {
    let pod = listed(bed);
    bed.admin.replace_status(&without_list(&pod)).must();
    lost_on_v1_36_only(bed, &pod);
}

fn fact_strategic_null(bed: &Bed) {
    let pod = listed(bed);
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": null } });
    bed.admin.patch(&(path_of(&pod) + "/status"), Patch::Strategic, &patch).must();
    lost_on_v1_36_only(bed, &pod);
}

fn fact_apply_without_the_list(bed: &Bed) {
    let pod = unlisted(bed);
    let path = path_of(&pod) + "/status";
    let mut apply = json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "p", "namespace": bed.ns },
        "status": { "nodeAllocatableResourceClaimStatuses": list(bed.version, "c", "cpu", "2") } });
    let applied = bed.admin.patch(&path, Patch::Apply, &apply).must();
    assert_eq!(recorded_amount(&applied, "c", "cpu").as_deref(), Some("2"));
    apply["status"] = json!({ "message": "something else" });
    bed.admin.patch(&path, Patch::Apply, &apply).must();
    lost_on_v1_36_only(bed, &pod);
}

fn fact_explicit_empty_list_erases(bed: &Bed) {
    let pod = listed(bed);
    let emptied = set(&bed.admin, &pod, json!([])).must();
    assert!(recorded(&emptied).is_null());
    let mut again = set(&bed.admin, &pod, list(bed.version, "c", "cpu", "2")).must();
    again["status"]["nodeAllocatableResourceClaimStatuses"] = json!([]);
    assert!(recorded(&bed.admin.replace_status(&again).must()).is_null());
}

/// A pod with a list, on the fact's node.
fn listed_on_node(bed: &Bed) -> Value {
    bed.add_node();
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["nodeName"] = json!(bed.node);
    let pod = bed.admin.create(&pod).must();
    set(&bed.admin, &pod, list(bed.version, "c", "cpu", "2")).must()
}

fn fact_kubelet_may_change_the_list(bed: &Bed) {
    let pod = listed_on_node(bed);
    let kubelet = bed.cluster.kubelet(&bed.node);
    let less = set(&kubelet, &pod, list(bed.version, "c", "cpu", "1m")).must();
    assert_eq!(recorded_amount(&less, "c", "cpu").as_deref(), Some("1m"));
    let none = kubelet.replace_status(&without_list(&less)).must();
    assert!(recorded(&none).is_null());
}

fn fact_kubelet_cannot_change_the_list(bed: &Bed) {
    let pod = listed_on_node(bed);
    let kubelet = bed.cluster.kubelet(&bed.node);
    let text = "cannot update node allocatable resource claim statuses";
    set(&kubelet, &pod, list(bed.version, "c", "cpu", "1m")).refused(403, text);
    set(&kubelet, &pod, json!([])).refused(403, text);
    let fresh = bed.admin.again(&pod);
    kubelet.replace_status(&without_list(&fresh)).refused(403, text);
    kubelet.replace_status(&fresh).must();
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
