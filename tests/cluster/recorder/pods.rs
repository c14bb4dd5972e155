//! Stories 20 to 51: claims and pods.

use draguard_testbed::objects::{claim, claim_template, cores_request, object, request};
use draguard_testbed::{Patch, Version, path_of, wait_for};
use serde_json::{Value, json};

use crate::bed::SOON;
use crate::recorder::stage::{Stage, set_status};

/// Claims are asked for, allocated, used, tampered with and released.
pub fn play(stage: &mut Stage) {
    play_scheduling(stage);
    play_claim_status(stage);
    play_pod_status(stage);
    play_release(stage);
}

fn play_scheduling(stage: &mut Stage) {
    stage.story("20-pod-with-capacity-claim", |s| {
        s.admin.create(&claim("default", "train", &[cores_request("r", "cpu", "8")])).must();
        bound(s, &s.admin.create(&pod("train", "train")).must());
    });
    stage.story("21-pod-with-template-two-gpus-one-zone", |s| {
        s.admin.create(&template()).must();
        bound(s, &s.admin.create(&two_containers()).must());
    });
    stage.story("22-upstream-accepts-negative-request", |s| {
        s.admin.create(&claim("default", "negative", &[cores_request("r", "cpu", "-4")])).must();
    });
    stage.story("23-claim-deleted", |s| drop(s.admin.delete(&claim_path("negative")).must()));
    stage.story("24-admin-access-claim", |s| {
        let labels = json!({ "metadata": { "labels": { "resource.kubernetes.io/admin-access": "true" } } });
        let namespace = object("v1", "Namespace", None, "default");
        s.admin.patch(&path_of(&namespace), Patch::Merge, &labels).must();
        let mut asking = request("r", "gpu");
        asking["exactly"]["adminAccess"] = json!(true);
        s.admin.create(&claim("default", "peek", &[asking])).must();
    });
    stage.story("25-admin-access-pod", |s| bound(s, &s.admin.create(&pod("watcher", "peek")).must()));
}

fn play_claim_status(stage: &mut Stage) {
    stage.story("30-driver-writes-its-device-status", |s| {
        s.cpu_driver.replace_status(&with_device_status(s, "0-7")).must();
    });
    stage.story("31-other-driver-writes-it-refused-by-the-server", |s| {
        s.gpu_driver.replace_status(&with_device_status(s, "8-15")).refused(422, "resourceclaims/driver");
    });
    stage.story("33-driver-clears-reservation-refused-by-the-server", |s| {
        let mut train = s.admin.get(&claim_path("train")).must();
        train["status"]["reservedFor"] = json!([]);
        s.cpu_driver.replace_status(&train).refused(422, "resourceclaims/binding");
    });
    stage.story("34-device-allocated-twice-accepted-by-the-server", |s| {
        s.admin.create(&claim("default", "direct", &[request("r", "gpu")])).must();
        let thief = s.admin.create(&claim("default", "thief", &[request("r", "gpu")])).must();
        let used = s.admin.list(&claim_path("")).into_iter().find(|c| c["metadata"]["generateName"] == "infer-g-");
        let mut allocation = used.expect("the claim of infer")["status"]["allocation"].take();
        allocation["devices"]["results"].as_array_mut().expect("results").truncate(1);
        allocation.as_object_mut().expect("an allocation").remove("allocationTimestamp");
        set_status(&s.admin, &thief, json!({ "allocation": allocation })).must();
    });
    stage.quietly(|s| {
        let thief = s.admin.get(&claim_path("thief")).must();
        set_status(&s.admin, &thief, json!({ "allocation": null })).must();
    });
    stage.story("40-second-pod-wants-a-mapped-claim", |s| {
        s.admin.delete(&claim_path("thief")).must();
        let second = s.admin.create(&pod("second", "train")).must();
        draguard_testbed::objects::wait_pending(&s.admin, &second, "Unschedulable", SOON);
    });
}

fn play_pod_status(stage: &mut Stage) {
    let version = stage.version;
    stage.story("36-pod-status-amount-shrunk", |s| {
        s.admin.delete(&pod_path("second")).must();
        let list = list_of(version, "100m");
        set_status(&s.admin, &object("v1", "Pod", Some("default"), "train"), list).must();
    });
    stage.story("37-kubelet-sets-phase", |s| {
        let train = object("v1", "Pod", Some("default"), "train");
        let ready = json!({ "type": "Ready", "status": "True" });
        let patch = json!({ "status": { "phase": "Running", "conditions": [ready] } });
        s.kubelet.patch(&(path_of(&train) + "/status"), Patch::Strategic, &patch).must();
    });
    // On v1.37 the server refuses both before any webhook is called.
    let code = if version == Version::V1_36 { 200 } else { 403 };
    stage.story("38-put-without-the-list", |s| put_list(s, code, None));
    stage.story("39-put-with-empty-list", |s| put_list(s, code, Some(json!([]))));
    stage.story("41-bound-with-unallocated-claim", |s| {
        let mut direct = pod("direct", "direct");
        direct["spec"]["schedulerName"] = json!("other");
        let direct = s.admin.create(&direct).must();
        let binding = json!({ "apiVersion": "v1", "kind": "Binding", "target": { "kind": "Node", "name": "node-a" },
            "metadata": { "name": "direct", "namespace": "default" } });
        s.admin.post(&(path_of(&direct) + "/binding"), &binding).must();
    });
}

fn play_release(stage: &mut Stage) {
    stage.story("50-pod-gone-claim-released", |s| {
        s.admin.delete(&(pod_path("train") + "?gracePeriodSeconds=0")).must();
        wait_for("the claim to be released", SOON, || {
            let claim = s.admin.get(&claim_path("train")).must();
            let free = claim["status"]["allocation"].is_null() && claim["metadata"]["finalizers"].is_null();
            if free { Ok(()) } else { Err(claim["status"].to_string()) }
        });
    });
    stage.story("51-claim-removed", |s| drop(s.admin.delete(&claim_path("train")).must()));
}

fn claim_path(name: &str) -> String {
    let path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    if name.is_empty() { path.to_owned() } else { format!("{path}/{name}") }
}

fn pod_path(name: &str) -> String {
    format!("/api/v1/namespaces/default/pods/{name}")
}

fn bound(stage: &Stage, pod: &Value) {
    draguard_testbed::objects::wait_bound(&stage.admin, pod, SOON);
}

fn pod(name: &str, claim: &str) -> Value {
    let mut pod = object("v1", "Pod", Some("default"), name);
    let resources = json!({ "requests": { "cpu": "1", "memory": "1Gi" }, "claims": [{ "name": "c" }] });
    pod["spec"] = json!({
        "automountServiceAccountToken": false,
        "containers": [{ "name": "main", "image": "x", "resources": resources }],
        "resourceClaims": [{ "name": "c", "resourceClaimName": claim }],
    });
    pod
}

fn two_containers() -> Value {
    let mut pod = pod("infer", "none");
    let user = json!([{ "name": "g" }]);
    let first = json!({ "name": "a", "image": "x", "resources": { "requests": { "cpu": "500m" }, "claims": user } });
    let second = json!({ "name": "b", "image": "x", "resources": { "claims": user } });
    pod["spec"]["containers"] = json!([first, second]);
    pod["spec"]["resourceClaims"] = json!([{ "name": "g", "resourceClaimTemplateName": "gpus" }]);
    pod
}

fn template() -> Value {
    let mut two = request("r", "gpu");
    two["exactly"]["count"] = json!(2);
    let mut template = claim_template("default", "gpus", &[two]);
    let constraint = json!({ "matchAttribute": "resource.kubernetes.io/numaNode" });
    template["spec"]["spec"]["devices"]["constraints"] = json!([constraint]);
    template
}

/// The claim `train` with the cpu driver's device status in it.
fn with_device_status(stage: &Stage, cpus: &str) -> Value {
    let mut train = stage.admin.get(&claim_path("train")).must();
    let mut entry = train["status"]["allocation"]["devices"]["results"][0].take();
    train = stage.admin.get(&claim_path("train")).must();
    let fields = entry.as_object_mut().expect("a result");
    fields.retain(|name, _| ["driver", "pool", "device", "shareID"].contains(&name.as_str()));
    entry["conditions"] = json!([{ "type": "Ready", "status": "True", "reason": "Prepared", "message": "ok",
        "lastTransitionTime": "2026-01-01T00:00:00Z" }]);
    entry["data"] = json!({ "cpus": cpus });
    train["status"]["devices"] = json!([entry]);
    train
}

fn list_of(version: Version, amount: &str) -> Value {
    let mut entry = json!({ "resourceClaimName": "train", "containers": ["main"] });
    match version {
        Version::V1_36 => entry["resources"] = json!({ "cpu": amount }),
        Version::V1_37 => {
            entry["mapping"] = json!([{ "name": "cpu", "quantity": amount }]);
            entry["overhead"] = json!([{ "name": "cpu", "perPod": "100m", "perContainer": "10m" }]);
        }
    }
    json!({ "nodeAllocatableResourceClaimStatuses": [entry] })
}

fn put_list(stage: &Stage, code: u16, list: Option<Value>) {
    let mut train = stage.admin.get(&pod_path("train")).must();
    let status = train["status"].as_object_mut().expect("a status");
    status.remove("nodeAllocatableResourceClaimStatuses");
    if let Some(list) = list {
        train["status"]["nodeAllocatableResourceClaimStatuses"] = list;
    }
    let answer = stage.kubelet.replace_status(&train);
    assert_eq!(answer.code, code, "{}", answer.message());
}
