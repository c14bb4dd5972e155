//! How the list in a pod's status gets lost, and who may take it away.

use draguard_testbed::objects::{recorded, recorded_amount};
use draguard_testbed::{Patch, Version, path_of};
use serde_json::{Value, json};

use super::pod_status::{list, listed, set, unlisted};
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
];

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

/// A pod with a list, on the fact's node.
fn listed_on_node(bed: &Bed) -> Value {
    bed.add_node();
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["nodeName"] = json!(bed.node);
    let pod = bed.admin.create(&pod).must();
    set(&bed.admin, &pod, list(bed.version, "c", "cpu", "2")).must()
}
