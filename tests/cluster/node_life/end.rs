//! What should not be done to a node's pods: draguard refuses a forged list; without draguard the kubelet believes it.

use draguard_testbed::{Answer, Patch, Version, path_of, runnable, wait_for};
use serde_json::{Value, json};

use super::stage::Stage;
use crate::bed::SOON;
use crate::facts::pod_status::{list, set};

/// What was seen.
pub struct End {
    /// What draguard said of the forged list.
    pub refused: Answer,
    /// The pod with the forged list, after the kubelet had judged it.
    pub forged: Value,
    /// On v1.37, the condition of a pod that is to grow beyond its node.
    pub resized: Option<Value>,
}

/// A list is forged, first in vain and then without draguard; and a running pod is to grow.
pub fn play(stage: &mut Stage, running: &Value) -> End {
    let bed = stage.bed;
    bed.add_claim("idle");
    let mut pod = runnable(bed.pod("forged", &["idle"]));
    pod["spec"]["schedulerName"] = json!("nobody");
    let pod = bed.admin.create(&pod).must();
    let forgery = || list(bed.version, "idle", "cpu", "1000");
    let refused = set(&bed.admin, &pod, forgery());
    stage.guard.withdraw(bed);
    set(&bed.admin, &pod, forgery()).must();
    let target = json!({ "kind": "Node", "name": bed.node });
    let binding = json!({ "apiVersion": "v1", "kind": "Binding", "target": target,
        "metadata": { "name": "forged", "namespace": bed.ns } });
    bed.admin.post(&(path_of(&pod) + "/binding"), &binding).must();
    let forged = wait_for("the kubelet to judge the pod", SOON, || {
        let now = bed.admin.again(&pod);
        if now["status"]["reason"].is_string() { Ok(now) } else { Err(now["status"].to_string()) }
    });
    let resized = (bed.version == Version::V1_37).then(|| grow(stage, running));
    End { refused, forged, resized }
}

/// Asks for all of the node for one container, which alone would fit.
fn grow(stage: &Stage, running: &Value) -> Value {
    let bed = stage.bed;
    let all = stage.node.object()["status"]["allocatable"]["cpu"].take();
    let resources = json!({ "requests": { "cpu": all }, "limits": { "cpu": all } });
    let patch = json!({ "spec": { "containers": [{ "name": "main", "resources": resources }] } });
    bed.admin.patch(&(path_of(running) + "/resize"), Patch::Strategic, &patch).must();
    wait_for("the kubelet to judge the resize", SOON, || {
        let now = bed.admin.again(running);
        let conditions = now["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let found =
            conditions.into_iter().find(|c| c["type"] == "PodResizePending" || c["type"] == "PodResizeInProgress");
        found.ok_or_else(|| now["status"].to_string())
    })
}
