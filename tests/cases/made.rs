//! Objects made for one test: a driver `dra.cpu` whose pools are named after their nodes.

use serde_json::{Value, json};

use crate::served::{self, Ask, ask};

pub const SCHEDULER: &str = "system:kube-scheduler";

/// A ready node.
pub fn node(name: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name},
        "status": {
            "allocatable": {"cpu": cpu, "memory": "256Gi"}, "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

/// The only slice of a node's pool.
pub fn slice(node: &str, devices: &Value) -> Value {
    let mut slice = served::slice("dra.cpu", node, devices);
    slice["metadata"]["uid"] = json!(format!("slice-{node}"));
    slice
}

/// CPUs of one zone, shared by capacity and mapped one to one.
pub fn cpus(name: &str, zone: i64, amount: &str) -> Value {
    json!({
        "name": name, "allowMultipleAllocations": true,
        "attributes": {"resource.kubernetes.io/numaNode": {"int": zone}},
        "capacity": {"dra.cpu/cpu": {"value": amount}},
        "nodeAllocatableResources": {"cpu": {"mapping": {"capacityKey": "dra.cpu/cpu", "capacityMultiplier": "1"}}},
    })
}

/// A device for one claim that takes so many CPUs.
pub fn whole(name: &str, cpu: &str) -> Value {
    json!({"name": name, "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": cpu}}}})
}

/// A claim; its uid is `uid-NAME`.
pub fn claim(name: &str, status: &Value) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ns", "uid": format!("uid-{name}")},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "cpu"}}]}},
        "status": status,
    })
}

/// A device of node-a.
pub fn result(device: &str) -> Value {
    json!({"request": "r", "driver": "dra.cpu", "pool": "node-a", "device": device})
}

/// A share of a device of node-a.
pub fn share(device: &str, id: &str, cpu: &str) -> Value {
    let mut share = result(device);
    share["shareID"] = json!(id);
    share["consumedCapacity"] = json!({"dra.cpu/cpu": cpu});
    share
}

/// A claim that has these devices on this node, reserved for these pods.
pub fn given(name: &str, node: &str, results: &Value, pods: &[&str]) -> Value {
    let users: Vec<Value> =
        pods.iter().map(|pod| json!({"resource": "pods", "name": pod, "uid": format!("uid-{pod}")})).collect();
    let term = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]});
    let allocation = json!({"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": [term]}});
    claim(name, &json!({"allocation": allocation, "reservedFor": users}))
}

/// A pod with so many CPUs beside its claims; its uid is `uid-NAME`. Its one container refers to the claims.
pub fn pod(name: &str, node: Option<&str>, cpu: &str, claims: &[&str]) -> Value {
    let uses: Vec<Value> = claims.iter().map(|claim| json!({"name": claim})).collect();
    let named: Vec<Value> = claims.iter().map(|claim| json!({"name": claim, "resourceClaimName": claim})).collect();
    let container = json!({"name": "c1", "resources": {"requests": {"cpu": cpu}, "claims": uses}});
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ns", "uid": format!("uid-{name}")},
        "spec": {"containers": [container], "resourceClaims": named}, "status": {"phase": "Pending"},
    });
    if let Some(node) = node {
        pod["spec"]["nodeName"] = json!(node);
        pod["status"]["phase"] = json!("Running");
    }
    pod
}

/// The scheduler allocates: the claim was free before.
pub fn allocates(new: &Value) -> Ask {
    let mut old = new.clone();
    old["status"] = json!({});
    ask("resourceclaims/status", SCHEDULER, Some(old), Some(new.clone()))
}

/// The scheduler changes an allocated claim.
pub fn changes(old: &Value, new: &Value) -> Ask {
    ask("resourceclaims/status", SCHEDULER, Some(old.clone()), Some(new.clone()))
}
