//! A cluster of any size, as JSON: one slice of 16 mapped devices a node, half of them allocated.

use serde_json::{Value, json};

/// Devices of a node.
pub const DEVICES: usize = 16;

/// A node with room for all of its devices.
pub fn node(n: usize) -> Value {
    json!({
        "metadata": {"name": format!("node-{n}"), "uid": format!("n{n}"), "resourceVersion": "1"},
        "status": {
            "allocatable": {"cpu": "128", "memory": "1Ti"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "declaredFeatures": ["DRANodeAllocatableResources"],
        },
    })
}

/// The slice of a node.
pub fn slice(n: usize) -> Value {
    let device = |d: usize| {
        json!({
            "name": format!("gpu-{d}"),
            "attributes": {"model": {"string": "m"}, "resource.kubernetes.io/numaNode": {"int": d % 2}},
            "capacity": {"memory": {"value": "80Gi"}},
            "nodeAllocatableResources": {
                "cpu": {"mapping": {"deviceMultiplier": "4"}},
                "memory": {"mapping": {"deviceMultiplier": "16Gi"}, "overhead": {"perPod": "256Mi"}},
            },
        })
    };
    json!({
        "metadata": {"name": format!("slice-{n}"), "uid": format!("s{n}"), "resourceVersion": "2"},
        "spec": {
            "driver": "gpu.example.com", "nodeName": format!("node-{n}"),
            "pool": {"name": format!("node-{n}"), "generation": 1, "resourceSliceCount": 1},
            "devices": (0..DEVICES).map(device).collect::<Vec<_>>(),
        },
    })
}

/// A claim for one device of a node; `allocated` or still to be.
pub fn claim(n: usize, d: usize, allocated: bool) -> Value {
    let mut claim = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": format!("claim-{n}-{d}"), "namespace": "ns", "uid": format!("c{n}-{d}"), "resourceVersion": "3"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
    });
    if allocated {
        claim["status"] = json!({
            "allocation": {
                "devices": {"results": [
                    {"request": "r", "driver": "gpu.example.com", "pool": format!("node-{n}"), "device": format!("gpu-{d}")},
                ]},
                "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                    {"key": "metadata.name", "operator": "In", "values": [format!("node-{n}")]},
                ]}]},
            },
            "reservedFor": [{"resource": "pods", "name": format!("pod-{n}-{d}"), "uid": format!("p{n}-{d}")}],
        });
    }
    claim
}

/// The pod of a claim, bound and counted, or still pending.
pub fn pod(n: usize, d: usize, bound: bool) -> Value {
    let mut pod = json!({
        "metadata": {"name": format!("pod-{n}-{d}"), "namespace": "ns", "uid": format!("p{n}-{d}"), "resourceVersion": "4"},
        "spec": {
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "claims": [{"name": "g"}]}}],
            "resourceClaims": [{"name": "g", "resourceClaimName": format!("claim-{n}-{d}")}],
        },
        "status": {"phase": "Pending"},
    });
    if bound {
        pod["spec"]["nodeName"] = json!(format!("node-{n}"));
        pod["status"] = json!({
            "phase": "Running",
            "nodeAllocatableResourceClaimStatuses": [{
                "resourceClaimName": format!("claim-{n}-{d}"), "containers": ["c"],
                "mapping": [{"name": "cpu", "quantity": "4"}, {"name": "memory", "quantity": "16Gi"}],
                "overhead": [{"name": "memory", "perPod": "256Mi"}],
            }],
        });
    }
    pod
}

/// The review of the allocation that comes next on a node.
pub fn review(n: usize) -> String {
    let d = DEVICES / 2;
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "u", "operation": "UPDATE", "subResource": "status", "name": format!("claim-{n}-{d}"), "namespace": "ns",
            "resource": {"group": "resource.k8s.io", "version": "v1", "resource": "resourceclaims"},
            "userInfo": {"username": "system:kube-scheduler", "groups": ["system:authenticated"]},
            "object": claim(n, d, true), "oldObject": claim(n, d, false), "dryRun": true,
        },
    })
    .to_string()
}
