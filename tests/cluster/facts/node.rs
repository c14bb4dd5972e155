//! What a real node does: kubelet, containerd and a driver on the kubelet plugin library.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use draguard_testbed::objects::{FEATURE, recorded};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};
use crate::node_life::life;

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
    fact!(
        fact_slices_of_a_gone_driver_are_wiped,
        "11.16",
        BOTH,
        "When a driver has been gone for half a minute the kubelet deletes its slices and no other's; its pods run on"
    ),
    fact!(
        fact_denied_wipe_is_tried_again,
        "6, 11.16",
        BOTH,
        "A wipe that is denied the kubelet tries again within seconds"
    ),
    fact!(
        fact_pods_of_a_gone_driver_cannot_end,
        "11.16",
        BOTH,
        "A deleted pod of a driver that is gone stays, with its claim's reservation, until the driver is back"
    ),
    fact!(
        fact_kubelet_deletes_a_pod_more_than_once,
        "11.17",
        BOTH,
        "The kubelet deletes an ended pod by its uid, and asks for it more than once: a review of a deletion is no deletion"
    ),
    fact!(
        fact_kubelet_counts_the_list,
        "11.18",
        BOTH,
        "The kubelet believes a forged list: it rejects the pod with OutOfcpu"
    ),
    fact!(
        fact_old_kubelet_limits_the_container_alone,
        "11.18",
        T36,
        "A container's cgroup limits, and what the pod's status says of resources, are those of its spec, without the \
         mapping"
    ),
    fact!(
        fact_new_kubelet_adds_the_mapping_to_limits,
        "11.18",
        T37,
        "A container's cgroup limits, and `resources` and `allocatedResources` in the pod's status, are those of its spec \
         plus the mapping"
    ),
    fact!(
        fact_kubelet_holds_a_resize_beyond_the_node,
        "F26",
        T37,
        "A resize with which container and claim together exceed the node is not done: the kubelet says so in the pod's \
         condition"
    ),
    fact!(
        fact_rejected_pods_make_the_claim_controller_loop,
        "11.20",
        BOTH,
        "While a pod that the kubelet rejected names another pod's claim, the claim controller adds and takes back its \
         reservation again and again"
    ),
];

fn fact_node_runs_a_pod_with_a_mapped_claim(bed: &Bed) {
    let ran = &life(bed.version).ran;
    assert_eq!(ran.running["status"]["phase"], "Running");
    assert!(recorded(&ran.bound).is_array(), "{:#}", ran.bound);
    assert_eq!(recorded(&ran.running), recorded(&ran.bound));
    let prepared: BTreeSet<&str> = ran.prepared.iter().filter_map(|event| event["claim"].as_str()).collect();
    assert!(prepared.contains("stays") && prepared.contains("capacity"), "{prepared:?}");
}

fn fact_new_kubelet_declares_the_feature(bed: &Bed) {
    let declared = &life(bed.version).node["status"]["declaredFeatures"];
    let features = declared.as_array().expect("features");
    assert!(features.contains(&json!(FEATURE)), "{declared}");
}

fn fact_old_kubelet_declares_nothing(bed: &Bed) {
    let declared = life(bed.version).node["status"]["declaredFeatures"].to_string();
    assert!(!declared.contains(FEATURE), "{declared}");
}

fn fact_kubelet_never_changes_the_list(bed: &Bed) {
    let life = life(bed.version);
    // Nor did draguard have to put anything back.
    assert!(life.objections.is_empty(), "{:#?}", life.objections);
    let kubelet = life.by_kubelet("update pods/status");
    let with_list: Vec<_> = kubelet.iter().filter(|r| recorded(r.object()).is_array()).collect();
    assert!(with_list.len() >= 2, "{} updates", with_list.len());
    for review in kubelet {
        assert_eq!(recorded(review.object()), recorded(review.old_object()));
    }
}

fn fact_driver_token_names_its_node(bed: &Bed) {
    let life = life(bed.version);
    let writes = life.by_driver("create resourceslices");
    assert!(!writes.is_empty());
    for review in writes {
        let extra = &review.request()["userInfo"]["extra"];
        let of = |key: &str| extra[format!("authentication.kubernetes.io/{key}")][0].clone();
        assert_eq!(of("node-name"), life.node["metadata"]["name"]);
        assert_eq!(of("node-uid"), life.node["metadata"]["uid"]);
        assert_eq!(of("pod-name"), "driver");
    }
}

fn fact_kubelet_start_wipes_the_slices_of_its_node(bed: &Bed) {
    let life = life(bed.version);
    let names: BTreeSet<String> = life.restarted.wiped.iter().map(ToString::to_string).collect();
    assert_eq!(names, names_of(&life.restarted.slices[0]));
    let wiped = life.by_kubelet("delete resourceslices");
    assert!(wiped.iter().all(|r| r.request()["name"].as_str().unwrap_or_default().is_empty()));
}

fn fact_driver_publishes_again_after_a_wipe(bed: &Bed) {
    let [before, after] = &life(bed.version).restarted.slices;
    assert_eq!(after.len(), before.len());
    assert!(names_of(before).is_disjoint(&names_of(after)));
    let devices = |slices: &[Value]| -> BTreeSet<String> {
        slices.iter().map(|slice| slice["spec"]["devices"].to_string()).collect()
    };
    assert_eq!(devices(before), devices(after));
    for slice in after {
        let generation = slice["spec"]["pool"]["generation"].as_i64().expect("a generation");
        assert!((1..=2).contains(&generation), "{generation}");
    }
}

fn names_of(slices: &[Value]) -> BTreeSet<String> {
    slices.iter().map(|slice| slice["metadata"]["name"].to_string()).collect()
}

fn fact_pod_survives_the_wipe(bed: &Bed) {
    let life = life(bed.version);
    let (survived, running) = (&life.restarted.pod, &life.ran.running);
    assert_eq!(survived["status"]["phase"], "Running");
    assert_eq!(recorded(survived), recorded(running));
    assert_eq!(container_id(survived), container_id(running));
    let [before, after] = &life.restarted.claims;
    assert_eq!(after["status"]["allocation"], before["status"]["allocation"]);
    assert_eq!(after["status"]["reservedFor"], before["status"]["reservedFor"]);
}

fn container_id(pod: &Value) -> &Value {
    &pod["status"]["containerStatuses"][0]["containerID"]
}

fn fact_driver_restart_is_no_wipe(bed: &Bed) {
    let life = life(bed.version);
    assert_eq!(life.writes_after_restart, Vec::<Value>::new());
    assert_eq!(life.left.others, [3, 3]);
}

fn fact_slices_of_a_gone_driver_are_wiped(bed: &Bed) {
    let left = &life(bed.version).left;
    let first = left.wipes.first().expect("a wipe");
    assert!(*first >= Duration::from_secs(25), "{first:?}");
    assert_eq!(left.others[0], left.others[1]);
    assert_eq!(left.running["status"]["phase"], "Running");
}

fn fact_denied_wipe_is_tried_again(bed: &Bed) {
    let wipes = &life(bed.version).left.wipes;
    assert!(wipes.len() >= 3, "{wipes:?}");
    assert!(wipes.windows(2).all(|pair| pair[1] < pair[0] + Duration::from_secs(30)), "{wipes:?}");
}

fn fact_pods_of_a_gone_driver_cannot_end(bed: &Bed) {
    let left = &life(bed.version).left;
    assert!(left.hanging["metadata"]["deletionTimestamp"].is_string(), "{}", left.hanging);
    assert_eq!(left.held["status"]["reservedFor"][0]["name"], "leaving");
    assert_eq!(left.slices[0]["spec"]["pool"]["generation"], 1);
}

fn fact_kubelet_deletes_a_pod_more_than_once(bed: &Bed) {
    let deletions = life(bed.version).by_kubelet("delete pods");
    let uids =
        deletions.iter().map(|review| review.request()["options"]["preconditions"]["uid"].as_str().expect("a uid"));
    let mut times = BTreeMap::<&str, usize>::new();
    uids.for_each(|uid| *times.entry(uid).or_default() += 1);
    assert!(times.len() >= 3 && times.values().any(|times| *times > 1), "{times:?}");
}

fn fact_kubelet_counts_the_list(bed: &Bed) {
    let end = &life(bed.version).end;
    end.refused.refused(403, "DG405");
    let status = &end.forged["status"];
    assert_eq!((&status["phase"], &status["reason"]), (&json!("Failed"), &json!("OutOfcpu")), "{status}");
    assert!(status["message"].as_str().unwrap_or_default().contains("requested: 1000000"), "{status}");
}

// The container asks for 100m of cpu and 32Mi and may use 500m and 128Mi; its device takes 100m and 64Mi.
const MIB: u64 = 1 << 20;

fn fact_old_kubelet_limits_the_container_alone(bed: &Bed) {
    let limits = &life(bed.version).limits;
    assert_eq!((limits.cpu_millis, limits.memory), (500, 128 * MIB));
    assert_eq!(limits.pod["status"]["resources"]["limits"], json!({ "cpu": "500m", "memory": "128Mi" }));
    assert_eq!(limits.pod["status"]["allocatedResources"], json!({ "cpu": "100m", "memory": "32Mi" }));
}

fn fact_new_kubelet_adds_the_mapping_to_limits(bed: &Bed) {
    let limits = &life(bed.version).limits;
    assert_eq!((limits.cpu_millis, limits.memory), (600, 192 * MIB));
    assert_eq!(limits.pod["status"]["resources"]["limits"], json!({ "cpu": "600m", "memory": "192Mi" }));
    assert_eq!(limits.pod["status"]["allocatedResources"], json!({ "cpu": "200m", "memory": "96Mi" }));
}

fn fact_kubelet_holds_a_resize_beyond_the_node(bed: &Bed) {
    let condition = life(bed.version).end.resized.as_ref().expect("a condition");
    assert_eq!(condition["type"], "PodResizePending", "{condition}");
    assert!(["Infeasible", "Deferred"].iter().any(|reason| condition["reason"] == *reason), "{condition}");
}

fn fact_rejected_pods_make_the_claim_controller_loop(bed: &Bed) {
    let restarted = &life(bed.version).restarted;
    assert_eq!(restarted.rejected["status"]["reason"], "OutOfcpu");
    assert!(restarted.looped < Duration::from_mins(1), "{:?}", restarted.looped);
}
