//! A kubelet's writes of `pods/status`: one that loses the list, and thousands that do not touch it.

use draguard_testbed::objects::recorded;
use draguard_testbed::{Patch, path_of};
use serde_json::{Value, json};

use super::Scene;
use crate::bed::Bed;

const HEARTBEATS: usize = 200;

/// A v1.36 kubelet that does not know the list sends the status without it.
pub fn play_loss(scene: &mut Scene) {
    let bed = &scene.bed;
    let pod = counted(bed);
    let mut update = pod.clone();
    update["status"].as_object_mut().expect("a status").remove("nodeAllocatableResourceClaimStatuses");
    update["status"]["phase"] = json!("Running");
    let answer = bed.cluster.kubelet(&bed.node).replace_status(&update);
    assert!(answer.warnings.iter().any(|text| text.starts_with("DG407 ")), "{:?}", answer.warnings);
    answer.must();
    let now = bed.admin.again(&pod);
    assert_eq!(now["status"]["phase"], "Running");
    assert_eq!(recorded(&now), recorded(&pod));
    let patched = ["endpoint=\"mutate\"", "resource=\"pods/status\"", "verdict=\"patched\""];
    assert_eq!(scene.guard.requests(&patched), 1, "{:?}", scene.guard.metric("draguard_requests_total"));
}

/// What kubelets write all day costs no call, also for a pod with a list.
pub fn play_heartbeats(scene: &mut Scene) {
    let bed = &scene.bed;
    let pods = [counted(bed), ordinary(bed)];
    let kubelet = bed.cluster.kubelet(&bed.node);
    let before = scene.guard.metric("draguard_requests_total{");
    for beat in 0..HEARTBEATS {
        let pod = &pods[beat % 2];
        let ready = json!({ "type": "Ready", "status": "True", "message": beat.to_string() });
        let status = json!({ "status": { "phase": "Running", "conditions": [ready] } });
        let answer = kubelet.patch(&(path_of(pod) + "/status"), Patch::Strategic, &status);
        assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
        answer.must();
    }
    for pod in &pods {
        let whole = bed.admin.again(pod);
        kubelet.replace_status(&whole).must();
    }
    assert_eq!(scene.guard.metric("draguard_requests_total{"), before);
    scene.guard.must_be_content();
}

fn counted(bed: &Bed) -> Value {
    bed.store_slice(&[bed.device()]).must();
    bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    assert!(recorded(&pod).is_array(), "{pod}");
    pod
}

fn ordinary(bed: &Bed) -> Value {
    bed.bound(&bed.add_pod("ordinary", &[]))
}
