//! What a kubelet writes of pods that it runs, with amounts of all kinds: resizes under way, and such as never were.

use draguard_testbed::{Client, Patch, Version};
use serde_json::{Value, json};

use super::random::Random;

const CPU: &[&str] = &["10m", "50m", "110m", "1", "1700m", "3"];
const MEMORY: &[&str] = &["1Mi", "77Mi", "3Gi"];

/// Sets aside and gives amounts to containers and pod that differ from what they ask for.
pub fn report(admin: &Client, version: Version, path: &str, pod: &Value, random: &mut Random) {
    let mut status = json!({ "containerStatuses": given_to(&pod["spec"]["containers"], random) });
    if pod["spec"]["initContainers"].is_array() {
        status["initContainerStatuses"] = given_to(&pod["spec"]["initContainers"], random);
    }
    // Kubelets of both versions write this of pods that ask as a whole, those of v1.37 of all.
    if version == Version::V1_37 || pod["spec"]["resources"].is_object() {
        give(&mut status, random);
    }
    if random.chance(30) {
        let reason = random.pick(&["Infeasible", "Deferred"]);
        status["conditions"] = pod["status"]["conditions"].clone();
        let condition = json!({ "type": "PodResizePending", "status": "True", "reason": reason });
        status["conditions"].as_array_mut().expect("conditions").push(condition);
    }
    admin.patch(path, Patch::Merge, &json!({ "status": status })).must();
}

fn given_to(containers: &Value, random: &mut Random) -> Value {
    let containers = containers.as_array().into_iter().flatten();
    let statuses = containers.map(|container| {
        let mut status = json!({ "name": container["name"], "image": "none", "imageID": "none",
            "ready": true, "restartCount": 0 });
        give(&mut status, random);
        status
    });
    statuses.collect()
}

fn give(status: &mut Value, random: &mut Random) {
    if random.chance(70) {
        status["allocatedResources"] = amounts(random);
    }
    if random.chance(70) {
        status["resources"] = json!({ "requests": amounts(random) });
    }
}

fn amounts(random: &mut Random) -> Value {
    match random.below(3) {
        0 => json!({ "cpu": random.pick(CPU) }),
        _ => json!({ "cpu": random.pick(CPU), "memory": random.pick(MEMORY) }),
    }
}
