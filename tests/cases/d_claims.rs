//! Area D: the life of a claim, as far as no ledger is needed.

use serde_json::{Value, json};

use crate::served::{ask, pod};

const SCHEDULER: &str = "system:kube-scheduler";

fn writes_list(list: &Value) {
    ask("pods/status", SCHEDULER, Some(pod(&Value::Null)), Some(pod(list))).send().is_clean();
}

fn claim(status: &Value) -> Value {
    let request = json!({"name": "r", "firstAvailable": [{"name": "gpu", "deviceClassName": "g"}, {"name": "cpu", "deviceClassName": "c"}]});
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ns", "uid": "u1"},
        "spec": {"devices": {"requests": [request]}}, "status": status,
    })
}

fn allocation(request: &str, consumed: &Value) -> Value {
    json!({"devices": {"results": [
        {"request": request, "driver": "dra.cpu", "pool": "node-a", "device": "cpudevnuma000", "shareID": "s1", "consumedCapacity": consumed}
    ]}})
}

#[test]
fn d03_a_claim_of_an_extended_resource_is_listed() {
    writes_list(&json!([{
        "resourceClaimName": "pod-x-extended-resources-abc12", "containers": ["c1"],
        "mapping": [{"name": "cpu", "quantity": "1"}],
    }]));
}

#[test]
fn d07_a_zombie_claim_loses_its_finalizer() {
    let mut old = claim(&json!({"allocation": allocation("r/cpu", &json!({}))}));
    old["metadata"]["finalizers"] = json!(["resource.kubernetes.io/delete-protection"]);
    old["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let mut new = old.clone();
    new["metadata"]["finalizers"] = json!([]);
    ask("resourceclaims", "system:serviceaccount:kube-system:resource-claim-controller", Some(old), Some(new))
        .send()
        .is_clean();
}

#[test]
fn d10_a_user_that_is_no_pod() {
    let users = json!([
        {"apiGroup": "example.com", "resource": "workloads", "name": "w", "uid": "w1"},
        {"resource": "pods", "name": "p1", "uid": "u1"},
    ]);
    let old = claim(&json!({"allocation": allocation("r/cpu", &json!({})), "reservedFor": []}));
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({})), "reservedFor": users}));
    ask("resourceclaims/status", SCHEDULER, Some(old), Some(new)).send().is_clean();
}

#[test]
fn d12_the_chosen_alternative_is_allocated() {
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({"dra.cpu/cpu": "30"}))}));
    ask("resourceclaims/status", SCHEDULER, Some(claim(&json!({}))), Some(new)).send().is_clean();
}

#[test]
fn d15_a_claim_that_no_container_refers_to_is_listed() {
    writes_list(&json!([{"resourceClaimName": "c", "mapping": [{"name": "cpu", "quantity": "16"}]}]));
}

#[test]
fn d16_a_claim_is_reserved_again() {
    let allocated = allocation("r/cpu", &json!({"dra.cpu/cpu": "30"}));
    let old = claim(&json!({"allocation": allocated, "reservedFor": []}));
    let new =
        claim(&json!({"allocation": allocated, "reservedFor": [{"resource": "pods", "name": "p1", "uid": "u1"}]}));
    ask("resourceclaims/status", SCHEDULER, Some(old), Some(new)).send().is_clean();
}

#[test]
fn negative_consumption_is_refused_whoever_writes_it() {
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({"dra.cpu/cpu": "-4"}))}));
    ask("resourceclaims/status", SCHEDULER, Some(claim(&json!({}))), Some(new)).send().denied("DG301", "-4");
}

#[test]
fn f09_a_dry_run_gets_the_real_verdict() {
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({"dra.cpu/cpu": "-4"}))}));
    ask("resourceclaims/status", SCHEDULER, Some(claim(&json!({}))), Some(new)).dry_run().send().denied("DG301", "-4");
}
