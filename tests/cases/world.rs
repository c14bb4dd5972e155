//! A folder in place of a cluster: one node, one mapped device, one claim that has it, and one pod that uses the claim.

use draguard::model::request::{Caller, Operation, Request, Resource};
use serde_json::{Value, json};

use crate::common::server::{Folder, Server};
use crate::served::slice;

/// The objects, to be changed before the server starts.
pub struct World {
    /// The slice of `node-a`: `cpus` takes 4 cpu, `plain` nothing.
    pub slice: Value,
    /// `ns/c`, allocated on `node-a` and reserved for the pod.
    pub claim: Value,
    /// `ns/p` with uid `u1`, not bound, its list written.
    pub pod: Value,
    /// Whatever else there is.
    pub others: Vec<Value>,
}

/// Everything as it should be.
pub fn world() -> World {
    World {
        slice: slice(
            "d.example.com",
            "node-a",
            &json!([{"name": "cpus", "nodeAllocatableResources": cpu("4")}, {"name": "plain"}]),
        ),
        claim: claim("c", "cpus", &json!([consumer("p", "u1")])),
        pod: pod("p", "u1", &entry("4")),
        others: Vec::new(),
    }
}

/// A request as the guard gets it.
pub fn request<'a>(resource: Resource, object: &'a str, old: Option<&'a str>) -> Request<'a> {
    let caller =
        Caller { username: "admin".to_owned(), groups: vec!["system:masters".to_owned()], ..Caller::default() };
    Request {
        uid: "case".to_owned(),
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        resource,
        name: String::new(),
        namespace: String::new(),
        caller,
        dry_run: false,
        object: Some(object),
        old_object: old,
    }
}

/// The mapping of a device that takes this much.
pub fn cpu(amount: &str) -> Value {
    json!({"cpu": {"mapping": {"deviceMultiplier": amount}}})
}

/// A list of one entry, as v1.37 writes it.
pub fn entry(cpu: &str) -> Value {
    json!([{"resourceClaimName": "c", "containers": ["main"], "mapping": [{"name": "cpu", "quantity": cpu}]}])
}

/// A pod for which a claim is reserved.
pub fn consumer(name: &str, uid: &str) -> Value {
    json!({"resource": "pods", "name": name, "uid": uid})
}

/// A claim of `ns` that was given a device of `node-a`.
pub fn claim(name: &str, device: &str, reserved: &Value) -> Value {
    let result = json!({"request": "r", "driver": "d.example.com", "pool": "node-a", "device": device});
    let on = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]}]);
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ns", "uid": format!("uid-{name}"), "resourceVersion": "5"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "x"}}]}},
        "status": {
            "allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": on}},
            "reservedFor": reserved,
        },
    })
}

/// A pod of `ns` whose container `main` uses claim `c`; `idle` uses nothing.
pub fn pod(name: &str, uid: &str, list: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "ns", "uid": uid, "resourceVersion": "6"},
        "spec": {
            "containers": [{"name": "main", "resources": {"claims": [{"name": "dev"}]}}, {"name": "idle"}],
            "resourceClaims": [{"name": "dev", "resourceClaimName": "c"}],
        },
        "status": {"phase": "Pending", "nodeAllocatableResourceClaimStatuses": list},
    })
}

impl World {
    /// The real server, which knows these objects and no others.
    pub fn serve(&self) -> Server {
        let dir = Folder::new();
        let objects = [&self.slice, &self.claim, &self.pod].into_iter().chain(&self.others);
        for (index, object) in objects.filter(|object| !object.is_null()).enumerate() {
            std::fs::write(dir.path().join(format!("{index}.json")), object.to_string()).unwrap();
        }
        // The folder is read before the server is ready.
        Server::start(&["--standalone", dir.path().to_str().unwrap()])
    }

    /// The same objects as text, for a review.
    pub fn files(&self) -> Vec<(String, String)> {
        let objects = [&self.slice, &self.claim, &self.pod].into_iter().chain(&self.others);
        let objects = objects.filter(|object| !object.is_null()).enumerate();
        objects.map(|(index, object)| (format!("{index}.json"), object.to_string())).collect()
    }
}
