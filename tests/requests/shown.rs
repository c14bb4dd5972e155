//! Pods as JSON in, amounts as text out: what the rules are written with.

use draguard::ledger::requests::{Amounts, PodNeeds, charged_claims, pod_requests, pod_requests_without_claims};
use draguard::model::pod::Pod;
use draguard::model::read::read;
use draguard::model::version::Version;
use serde_json::{Value, json};

pub(crate) const BOTH: [Version; 2] = [Version::V136, Version::V137];

/// What the pod requests, such as `cpu 1500m, memory 1Gi`.
pub(crate) fn requests(pod: &Value, version: Version) -> String {
    let text = pod.to_string();
    let pod: Pod = read(&text).expect("a pod");
    shown(&pod_requests(&PodNeeds::from(&pod), &charged_claims(&pod), version))
}

/// What it would request without its claims.
pub(crate) fn without_claims(pod: &Value, version: Version) -> String {
    let text = pod.to_string();
    let pod: Pod = read(&text).expect("a pod");
    shown(&pod_requests_without_claims(&PodNeeds::from(&pod), &charged_claims(&pod), version))
}

pub(crate) fn container(name: &str, requests: &Value) -> Value {
    json!({ "name": name, "resources": { "requests": requests } })
}

pub(crate) fn sidecar(name: &str, requests: &Value) -> Value {
    json!({ "name": name, "restartPolicy": "Always", "resources": { "requests": requests } })
}

/// The list in the shape of a release, with one claim that takes 2 cores and 1Gi of memory.
pub(crate) fn claim(version: Version) -> Value {
    match version {
        Version::V136 => json!([{
            "resourceClaimName": "gpu", "containers": ["a"], "resources": { "cpu": "2", "memory": "1Gi" },
        }]),
        Version::V137 => json!([{
            "resourceClaimName": "gpu",
            "containers": ["a"],
            "mapping": [{ "name": "cpu", "quantity": "2" }, { "name": "memory", "quantity": "1Gi" }],
        }]),
    }
}

fn shown(amounts: &Amounts) -> String {
    let parts = amounts.iter().filter(|(_, amount)| !amount.is_zero());
    parts.map(|(resource, amount)| format!("{resource} {amount}")).collect::<Vec<_>>().join(", ")
}
