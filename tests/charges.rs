//! What the ledger charges for a claim, in cases that the real scheduler taught.
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "tests fail loudly")]
#![allow(clippy::needless_pass_by_value, reason = "`json!` right in the call reads better")]

use draguard::ledger::event::{Change, Event};
use draguard::ledger::object::{Kind, Object};
use draguard::ledger::state::Ledger;
use draguard::model::quantity::Quantity;
use draguard::model::version::Version;
use serde_json::{Value, json};

/// A ledger of v1.37 that was told these objects.
fn told(objects: &[(Kind, Value)]) -> Ledger {
    let mut ledger = Ledger::new(Version::V137);
    for (kind, object) in objects {
        let object = Object::read(*kind, &object.to_string()).expect("an object");
        ledger.apply(Event { at: 0, change: Change::Applied(object) });
    }
    ledger
}

fn slice(resources: Value) -> (Kind, Value) {
    let device = json!({ "name": "dev-0", "nodeAllocatableResources": resources });
    let pool = json!({ "name": "n", "generation": 1, "resourceSliceCount": 1 });
    let spec = json!({ "driver": "d.example.com", "nodeName": "n", "pool": pool, "devices": [device] });
    (Kind::Slice, json!({ "metadata": { "name": "s", "uid": "s", "resourceVersion": "1" }, "spec": spec }))
}

fn claim() -> (Kind, Value) {
    let result = json!({ "request": "r", "driver": "d.example.com", "pool": "n", "device": "dev-0" });
    let status = json!({ "allocation": { "devices": { "results": [result] } },
        "reservedFor": [{ "resource": "pods", "name": "p", "uid": "p" }] });
    let meta = json!({ "namespace": "x", "name": "c", "uid": "c", "resourceVersion": "2" });
    (Kind::Claim, json!({ "metadata": meta, "status": status }))
}

/// A bound pod that knows the claim by these names, each in a container of its own.
fn pod(names: &[&str], list: Value) -> (Kind, Value) {
    let containers: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": format!("with-{name}"), "resources": { "claims": [{ "name": name }] } }))
        .collect();
    let claims: Vec<Value> = names.iter().map(|name| json!({ "name": name, "resourceClaimName": "c" })).collect();
    let spec = json!({ "nodeName": "n", "containers": containers, "resourceClaims": claims });
    let meta = json!({ "namespace": "x", "name": "p", "uid": "p", "resourceVersion": "3" });
    (Kind::Pod, json!({ "metadata": meta, "spec": spec, "status": { "nodeAllocatableResourceClaimStatuses": list } }))
}

fn charged(ledger: &Ledger) -> i64 {
    ledger.account("n").expect("an account").sums().charged.get("cpu").and_then(Quantity::milli_ceil).expect("cpu")
}

#[test]
fn containers_count_under_every_name_that_a_pod_has_for_a_claim() {
    let overhead = slice(json!({ "cpu": { "overhead": { "perPod": "1", "perContainer": "100m" } } }));
    assert_eq!(charged(&told(&[overhead, claim(), pod(&["a", "b"], json!([]))])), 1200);
}

#[test]
fn an_entry_with_numbers_is_believed_as_a_whole() {
    // The device took only overhead when its claim was bound; that it takes more by now re-prices nobody.
    let since = slice(json!({ "cpu": { "mapping": { "deviceMultiplier": "4" }, "overhead": { "perPod": "1" } } }));
    let entry = json!({ "resourceClaimName": "c", "containers": ["with-a"],
        "overhead": [{ "name": "cpu", "perPod": "500m" }] });
    assert_eq!(charged(&told(&[since.clone(), claim(), pod(&["a"], json!([entry]))])), 500);
    // An upgrade of the server leaves entries without numbers: they say nothing.
    let bare = json!({ "resourceClaimName": "c", "containers": ["with-a"] });
    assert_eq!(charged(&told(&[since, claim(), pod(&["a"], json!([bare]))])), 5000);
}

/// Counted once: a device takes of the node it is on, whatever the status of a pod elsewhere says.
#[test]
fn a_list_on_another_node_than_the_devices_moves_no_charge() {
    let own = slice(json!({ "cpu": { "mapping": { "deviceMultiplier": "4" } } }));
    let entry = json!({ "resourceClaimName": "c", "containers": ["with-a"],
        "mapping": [{ "name": "cpu", "quantity": "2" }] });
    let (kind, mut elsewhere) = pod(&["a"], json!([entry]));
    elsewhere["spec"]["nodeName"] = json!("elsewhere");
    let ledger = told(&[own, claim(), (kind, elsewhere)]);
    assert_eq!(charged(&ledger), 4000);
    let other = ledger.account("elsewhere").expect("the pod's node").contributions();
    assert!(other.is_empty(), "{other:?}");
}
