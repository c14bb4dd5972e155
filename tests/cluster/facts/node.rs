//! What a real node does: kubelet, containerd and a driver on the kubelet plugin library.

use draguard_testbed::objects::{FEATURE, recorded};
use serde_json::{Value, json};

use super::node_story::{Story, story};
use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_node_runs_a_pod_with_a_mapped_claim,
        "11.15",
        BOTH,
        "On a real node a pod with a mapped claim runs, and its list stays as the scheduler wrote it"
    ),
    fact!(
        fact_new_kubelet_declares_the_feature,
        "11.19",
        T37,
        "A v1.37 kubelet with the gate on puts `DRANodeAllocatableResources` into its node's `declaredFeatures`"
    ),
    fact!(
        fact_old_kubelet_declares_nothing,
        "11.19",
        T36,
        "A v1.36 kubelet says nothing of the feature in `declaredFeatures`"
    ),
    fact!(
        fact_kubelet_never_changes_the_list,
        "11.15",
        BOTH,
        "None of the kubelet's `pods/status` updates changes the list of node-allocatable amounts"
    ),
    fact!(
        fact_driver_token_names_its_node,
        "11.15",
        BOTH,
        "A driver's slice writes carry node name and node uid in `userInfo.extra`, from the token bound to its pod"
    ),
    fact!(
        fact_kubelet_start_wipes_the_slices_of_its_node,
        "6, 11.12, 11.16",
        BOTH,
        "A starting kubelet deletes its node's slices by collection: one review a slice, without `request.name`"
    ),
    fact!(
        fact_driver_publishes_again_after_a_wipe,
        "11.16",
        BOTH,
        "A running driver creates its slices again after the kubelet's wipe, with a new name, at generation 1 or 2"
    ),
    fact!(
        fact_pod_survives_the_wipe,
        "6, F23",
        BOTH,
        "A kubelet restart with its wipe leaves running pods, their claims' allocation and their list alone"
    ),
    fact!(
        fact_driver_restart_is_no_wipe,
        "11.16",
        BOTH,
        "A driver that is back within seconds finds its slices and writes nothing while it wants the same"
    ),
];

fn fact_node_runs_a_pod_with_a_mapped_claim(bed: &Bed) {
    let story = story(bed);
    assert_eq!(story.running["status"]["phase"], "Running");
    assert!(recorded(&story.bound).is_array(), "{:#}", story.bound);
    assert_eq!(recorded(&story.running), recorded(&story.bound));
    assert_eq!(story.prepared["claim"], "claim");
}

fn fact_new_kubelet_declares_the_feature(bed: &Bed) {
    let declared = &story(bed).node["status"]["declaredFeatures"];
    let features = declared.as_array().expect("features");
    assert!(features.contains(&json!(FEATURE)), "{declared}");
}

fn fact_old_kubelet_declares_nothing(bed: &Bed) {
    let declared = story(bed).node["status"]["declaredFeatures"].to_string();
    assert!(!declared.contains(FEATURE), "{declared}");
}

fn fact_kubelet_never_changes_the_list(bed: &Bed) {
    let story = story(bed);
    let kubelet = story.by_kubelet("update pods/status");
    assert!(kubelet.len() >= 2, "{} updates", kubelet.len());
    let with_list = kubelet.iter().filter(|r| recorded(r.object()).is_array());
    assert!(with_list.count() > 0);
    for review in kubelet {
        assert_eq!(recorded(review.object()), recorded(review.old_object()));
    }
}

fn fact_driver_token_names_its_node(bed: &Bed) {
    let story = story(bed);
    let writes = story.by_driver("create resourceslices");
    assert!(!writes.is_empty());
    for review in writes {
        let extra = &review.request()["userInfo"]["extra"];
        let of = |key: &str| extra[format!("authentication.kubernetes.io/{key}")][0].clone();
        assert_eq!(of("node-name"), story.node["metadata"]["name"]);
        assert_eq!(of("node-uid"), story.node["metadata"]["uid"]);
        assert_eq!(of("pod-name"), "driver");
    }
}

fn fact_kubelet_start_wipes_the_slices_of_its_node(bed: &Bed) {
    let story = story(bed);
    let wiped = story.by_kubelet("delete resourceslices");
    let names: Vec<&Value> = wiped.iter().map(|r| &r.old_object()["metadata"]["name"]).collect();
    let before: Vec<&Value> = story.slices_before.iter().map(|s| &s["metadata"]["name"]).collect();
    assert_eq!(names, before);
    assert!(wiped.iter().all(|r| r.request()["name"].as_str().unwrap_or_default().is_empty()));
}

fn fact_driver_publishes_again_after_a_wipe(bed: &Bed) {
    let story = story(bed);
    let (before, after) = (&story.slices_before, &story.slices_after);
    assert_eq!(after.len(), before.len());
    for (old, new) in before.iter().zip(after) {
        assert_ne!(old["metadata"]["name"], new["metadata"]["name"]);
        assert_eq!(old["spec"]["devices"], new["spec"]["devices"]);
        let generation = new["spec"]["pool"]["generation"].as_i64().expect("a generation");
        assert!((1..=2).contains(&generation), "{generation}");
    }
}

fn fact_pod_survives_the_wipe(bed: &Bed) {
    let Story { running, survived, claim, claim_survived, .. } = story(bed);
    assert_eq!(survived["status"]["phase"], "Running");
    assert_eq!(recorded(survived), recorded(running));
    assert_eq!(container_id(survived), container_id(running));
    assert_eq!(claim_survived["status"], claim["status"]);
}

fn fact_driver_restart_is_no_wipe(bed: &Bed) {
    let story = story(bed);
    assert_eq!(story.writes_after_restart, Vec::<Value>::new());
    assert_eq!(story.slices_at_end, story.slices_after);
}

fn container_id(pod: &Value) -> &Value {
    &pod["status"]["containerStatuses"][0]["containerID"]
}
