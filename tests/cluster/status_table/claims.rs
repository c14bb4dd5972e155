//! The states in which claims are before somebody writes.

use serde_json::{Value, json};

use super::ground::{Ground, NETWORK, SHARED};
use super::writers::Node;

/// A claim with devices of its own.
pub struct Claim {
    pub name: &'static str,
    /// Fills in its status.
    pub status: fn(&mut Value, &Ground, &Claim),
}

/// All of them.
pub const CLAIMS: &[Claim] = &[
    Claim { name: "fresh", status: |_, _, _| {} },
    Claim { name: "allocated", status: allocated },
    Claim { name: "reserved", status: |status, ground, claim| reserved(status, ground, claim, &[0]) },
    Claim { name: "crowded", status: |status, ground, claim| reserved(status, ground, claim, &[0, 1]) },
    Claim { name: "reported", status: reported },
    Claim { name: "shared", status: shared },
    Claim { name: "node-b", status: |status, ground, claim| gpu_by(status, claim, ground, exact(ground, Node::B)) },
    Claim { name: "by-label", status: |status, ground, claim| gpu_by(status, claim, ground, by_label(ground)) },
    Claim { name: "two-terms", status: |status, ground, claim| gpu_by(status, claim, ground, two_terms(ground)) },
    Claim { name: "name-and-label", status: |status, ground, claim| gpu_by(status, claim, ground, both(ground)) },
    Claim { name: "not-node-b", status: |status, ground, claim| gpu_by(status, claim, ground, not_b(ground)) },
    Claim { name: "network", status: network },
    Claim { name: "forged", status: forged },
];

impl Claim {
    /// The names of its devices in the pools of each driver.
    pub fn devices(&self) -> [String; 2] {
        [0, 1].map(|nth| format!("{}-{nth}", self.name))
    }
}

/// The first share of a shared device.
pub const SHARE_1: &str = "11111111-1111-4111-8111-111111111111";
/// The second one.
pub const SHARE_2: &str = "22222222-2222-4222-8222-222222222222";

/// A gpu and a nic of node a, as the scheduler allocates devices of a node.
pub fn local(ground: &Ground, claim: &str) -> Value {
    let pool = ground.node(Node::A);
    let results = [
        result("gpu", &ground.gpu, pool, &format!("{claim}-0")),
        result("nic", &ground.nic, pool, &format!("{claim}-0")),
    ];
    allocation(&results, &exact(ground, Node::A))
}

/// An allocation; `null` selects no node.
pub fn allocation(results: &[Value], selector: &Value) -> Value {
    let mut allocation = json!({ "devices": { "results": results } });
    if !selector.is_null() {
        allocation["nodeSelector"] = selector.clone();
    }
    allocation
}

/// An allocated device.
pub fn result(request: &str, driver: &str, pool: &str, device: &str) -> Value {
    json!({ "request": request, "driver": driver, "pool": pool, "device": device })
}

/// What a driver says of a result's device.
pub fn entry(result: &Value) -> Value {
    let mut entry = json!({ "conditions": [ready("True")] });
    for field in ["driver", "pool", "device", "shareID"] {
        if let Some(value) = result.get(field) {
            entry[field] = value.clone();
        }
    }
    entry
}

/// A condition.
pub fn ready(is: &str) -> Value {
    json!({ "type": "Ready", "status": is, "reason": "Known", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z" })
}

/// The selector of one node, in the form that the scheduler writes.
pub fn exact(ground: &Ground, node: Node) -> Value {
    terms(&[json!({ "matchFields": [name("In", ground.node(node))] })])
}

/// The same node by its label.
pub fn by_label(ground: &Ground) -> Value {
    terms(&[json!({ "matchExpressions": [label(ground)] })])
}

fn two_terms(ground: &Ground) -> Value {
    let term = |node| json!({ "matchFields": [name("In", ground.node(node))] });
    terms(&[term(Node::A), term(Node::B)])
}

fn both(ground: &Ground) -> Value {
    terms(&[json!({ "matchFields": [name("In", ground.node(Node::A))], "matchExpressions": [label(ground)] })])
}

fn not_b(ground: &Ground) -> Value {
    terms(&[json!({ "matchFields": [name("NotIn", ground.node(Node::B))] })])
}

fn terms(terms: &[Value]) -> Value {
    json!({ "nodeSelectorTerms": terms })
}

fn name(operator: &str, value: &str) -> Value {
    json!({ "key": "metadata.name", "operator": operator, "values": [value] })
}

fn label(ground: &Ground) -> Value {
    json!({ "key": "kubernetes.io/hostname", "operator": "In", "values": [ground.node(Node::A)] })
}

fn allocated(status: &mut Value, ground: &Ground, claim: &Claim) {
    status["allocation"] = local(ground, claim.name);
}

fn reserved(status: &mut Value, ground: &Ground, claim: &Claim, pods: &[usize]) {
    allocated(status, ground, claim);
    status["reservedFor"] = pods.iter().map(|pod| ground.reservation(*pod)).collect();
}

fn reported(status: &mut Value, ground: &Ground, claim: &Claim) {
    reserved(status, ground, claim, &[0]);
    status["devices"] = json!([entry(allocated_device(status, 0)), entry(allocated_device(status, 1))]);
}

fn allocated_device(status: &Value, nth: usize) -> &Value {
    &status["allocation"]["devices"]["results"][nth]
}

/// Two shares of one gpu, of which the driver has told the first.
fn shared(status: &mut Value, ground: &Ground, _: &Claim) {
    let share = |id: &str| {
        let mut share = result("gpu", &ground.gpu, ground.node(Node::A), SHARED);
        share["shareID"] = json!(id);
        share["consumedCapacity"] = json!({ "cores": "1" });
        share
    };
    status["allocation"] = allocation(&[share(SHARE_1), share(SHARE_2)], &exact(ground, Node::A));
    status["devices"] = json!([entry(&share(SHARE_1))]);
}

fn gpu_by(status: &mut Value, claim: &Claim, ground: &Ground, selector: Value) {
    let node = if claim.name == "node-b" { Node::B } else { Node::A };
    let gpu = result("gpu", &ground.gpu, ground.node(node), &format!("{}-0", claim.name));
    status["allocation"] = allocation(&[gpu], &selector);
}

fn network(status: &mut Value, ground: &Ground, claim: &Claim) {
    let gpu = result("gpu", &ground.gpu, NETWORK, &format!("{}-0", claim.name));
    status["allocation"] = allocation(&[gpu], &Value::Null);
}

/// Says node a, with a device of node b.
fn forged(status: &mut Value, ground: &Ground, claim: &Claim) {
    let gpu = result("gpu", &ground.gpu, ground.node(Node::B), &format!("{}-0", claim.name));
    status["allocation"] = allocation(&[gpu], &exact(ground, Node::A));
}
