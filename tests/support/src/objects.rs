//! Objects as plain JSON, in the shortest form that Kubernetes takes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{Client, Patch, Version, path_of, wait_for};

/// The group and version of the DRA objects.
pub const DRA: &str = "resource.k8s.io/v1";

/// The feature that a v1.37 node declares when its kubelet knows mappings.
pub const FEATURE: &str = "DRANodeAllocatableResources";

/// A namespaced or cluster-scoped object without content.
pub fn object(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Value {
    let mut object = json!({ "apiVersion": api_version, "kind": kind,
        "metadata": { "name": name } });
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = json!(namespace);
    }
    object
}

/// Creates a namespace with the service account that its pods need.
pub fn add_namespace(admin: &Client, name: &str) {
    admin.create(&object("v1", "Namespace", None, name)).must();
    // The controller manager may be quicker, or not run at all.
    let account = object("v1", "ServiceAccount", Some(name), "default");
    assert!(matches!(admin.create(&account).code, 201 | 409));
}

/// A node with a Ready condition, as a kubelet of `version` would register it.
pub fn node(version: Version, name: &str, cpu: &str, memory: &str) -> Value {
    let resources = json!({ "cpu": cpu, "memory": memory, "pods": "110",
        "ephemeral-storage": "100Gi" });
    let mut node = object("v1", "Node", None, name);
    node["metadata"]["labels"] = json!({ "kubernetes.io/hostname": name });
    node["status"] = json!({
        "capacity": resources, "allocatable": resources,
        "conditions": [{ "type": "Ready", "status": "True", "reason": "KubeletReady" }],
    });
    if version == Version::V1_37 {
        node["status"]["declaredFeatures"] = json!([FEATURE]);
    }
    node
}

/// Creates a node and takes away the taint that every new node gets.
pub fn add_node(admin: &Client, node: &Value) {
    admin.create(node).must();
    let untaint = json!({ "spec": { "taints": null } });
    admin.patch(&path_of(node), Patch::Merge, &untaint).must();
}

/// A device without a mapping.
pub fn device(name: &str) -> Value {
    json!({ "name": name })
}

/// A device that takes a fixed amount of each resource.
pub fn fixed_device(version: Version, name: &str, amounts: &[(&str, &str)]) -> Value {
    let mut device = device(name);
    for (resource, amount) in amounts {
        device[version.slice_field()][*resource] = match version {
            Version::V1_36 => json!({ "allocationMultiplier": amount }),
            Version::V1_37 => json!({ "mapping": { "deviceMultiplier": amount } }),
        };
    }
    device
}

/// A device shared by the capacity `cores`, of which each unit takes one cpu.
pub fn shared_device(version: Version, name: &str, cores: &str) -> Value {
    let mapping = match version {
        Version::V1_36 => json!({ "capacityKey": "cores", "allocationMultiplier": "1" }),
        Version::V1_37 => json!({ "mapping": { "capacityKey": "cores",
            "capacityMultiplier": "1" } }),
    };
    json!({
        "name": name, "allowMultipleAllocations": true,
        "capacity": { "cores": { "value": cores } },
        version.slice_field(): { "cpu": mapping },
    })
}

/// The only slice of a pool named like its node.
pub fn slice(driver: &str, node: &str, devices: &[Value]) -> Value {
    let mut slice = object(DRA, "ResourceSlice", None, &format!("{node}-{driver}"));
    slice["spec"] = json!({
        "driver": driver, "nodeName": node, "devices": devices,
        "pool": { "name": node, "generation": 1, "resourceSliceCount": 1 },
    });
    slice
}

/// A class of all devices of a driver.
pub fn device_class(name: &str, driver: &str) -> Value {
    let mut class = object(DRA, "DeviceClass", None, name);
    let expression = format!("device.driver == '{driver}'");
    class["spec"] = json!({ "selectors": [{ "cel": { "expression": expression } }] });
    class
}

/// A request for one device of a class.
pub fn request(name: &str, class: &str) -> Value {
    json!({ "name": name, "exactly": { "deviceClassName": class } })
}

/// A request for a part of a shared device.
pub fn cores_request(name: &str, class: &str, cores: &str) -> Value {
    let mut request = request(name, class);
    request["exactly"]["capacity"] = json!({ "requests": { "cores": cores } });
    request
}

/// A claim.
pub fn claim(namespace: &str, name: &str, requests: &[Value]) -> Value {
    let mut claim = object(DRA, "ResourceClaim", Some(namespace), name);
    claim["spec"] = json!({ "devices": { "requests": requests } });
    claim
}

/// A template of claims.
pub fn claim_template(namespace: &str, name: &str, requests: &[Value]) -> Value {
    let mut template = object(DRA, "ResourceClaimTemplate", Some(namespace), name);
    template["spec"] = json!({ "spec": { "devices": { "requests": requests } } });
    template
}

/// A pod for one node, whose only container uses all of the claims.
pub fn pod(namespace: &str, name: &str, node: &str, claims: &[&str]) -> Value {
    let mut pod = object("v1", "Pod", Some(namespace), name);
    let users: Vec<Value> = claims.iter().map(|claim| json!({ "name": claim })).collect();
    let references = claims.iter().map(|claim| json!({ "name": claim, "resourceClaimName": claim }));
    pod["spec"] = json!({
        "nodeSelector": { "kubernetes.io/hostname": node },
        "automountServiceAccountToken": false,
        "terminationGracePeriodSeconds": 0,
        "containers": [{ "name": "main", "image": "none", "resources": { "claims": users } }],
        "resourceClaims": references.collect::<Vec<Value>>(),
    });
    pod
}

/// Sets what the pod's first container requests.
pub fn requesting(mut pod: Value, resources: &[(&str, &str)]) -> Value {
    for (name, amount) in resources {
        pod["spec"]["containers"][0]["resources"]["requests"][*name] = json!(amount);
    }
    pod
}

/// Waits until a pod is bound, and gives it.
pub fn wait_bound(client: &Client, pod: &Value, timeout: Duration) -> Value {
    wait_for("the pod to be bound", timeout, || {
        let now = client.get(&path_of(pod)).result()?;
        match now["spec"]["nodeName"].is_string() {
            true => Ok(now),
            false => Err(why_pending(&now)),
        }
    })
}

/// Waits until the scheduler has said of a pending pod what contains `text`, and gives the pod.
pub fn wait_pending(client: &Client, pod: &Value, text: &str, timeout: Duration) -> Value {
    wait_for(&format!("the pod to be pending with {text:?}"), timeout, || {
        let now = client.get(&path_of(pod)).result()?;
        let why = why_pending(&now);
        match why.contains(text) && now["spec"]["nodeName"].is_null() {
            true => Ok(now),
            false => Err(format!("node {}: {why}", now["spec"]["nodeName"])),
        }
    })
}

/// Reason and message of the pod's `PodScheduled` condition.
pub fn why_pending(pod: &Value) -> String {
    let none = Vec::new();
    let conditions = pod["status"]["conditions"].as_array().unwrap_or(&none);
    let scheduled = conditions.iter().find(|c| c["type"] == "PodScheduled");
    scheduled.map_or("no condition yet".to_owned(), |c| {
        let text = |field: &str| c[field].as_str().unwrap_or_default().to_owned();
        format!("{}: {}", text("reason"), text("message"))
    })
}

/// The pod's list of node-allocatable amounts.
pub fn recorded(pod: &Value) -> &Value {
    &pod["status"]["nodeAllocatableResourceClaimStatuses"]
}

/// What the pod's list records of one claim and resource, per device mapping: `None` where absent.
pub fn recorded_amount(pod: &Value, claim: &str, resource: &str) -> Option<String> {
    let entries = recorded(pod).as_array()?;
    let entry = entries.iter().find(|e| e["resourceClaimName"] == claim)?;
    let flat = entry["resources"][resource].as_str();
    let rows = entry["mapping"].as_array();
    let row = rows.and_then(|rows| rows.iter().find(|row| row["name"] == resource));
    let keyed = row.and_then(|row| row["quantity"].as_str());
    flat.or(keyed).map(str::to_owned)
}
