//! Area E: who writes what, by configured identity.

use serde_json::{Value, json};

use crate::served::{ask, pod, slice};

const KUBELET: &str = "system:node:node-a";

fn list_v136(cpu: &str) -> Value {
    json!([{"resourceClaimName": "c", "containers": ["main"], "resources": {"cpu": cpu}}])
}

fn list_v137(cpu: &str) -> Value {
    json!([{"resourceClaimName": "c", "containers": ["main"], "mapping": [{"name": "cpu", "quantity": cpu}]}])
}

#[test]
fn e05_a_token_without_a_node_name() {
    let settings = |writer: &str| json!({"drivers": [{"name": "d.example.com", "serviceAccounts": ["ns/driver"], "writer": writer}]});
    let write = || {
        ask(
            "resourceslices",
            "system:serviceaccount:ns:driver",
            None,
            Some(slice("d.example.com", "node-a", &json!([]))),
        )
    };
    let verdict = write().with(&settings("NodeLocal")).send();
    verdict.denied("DG206", "ServiceAccountTokenPodNodeInfo");
    verdict.denied("DG206", "bound to a pod");
    write().with(&settings("ClusterWide")).send().is_clean();
    write().send().is_clean();
}

#[test]
fn e10_a_kubelet_drops_the_list_and_it_is_put_back() {
    let dropped = || ask("pods/status", KUBELET, Some(pod(&list_v136("4"))), Some(pod(&Value::Null)));
    let patch = dropped().mutating().send().patch();
    assert_eq!(
        patch,
        json!([{"op": "add", "path": "/status/nodeAllocatableResourceClaimStatuses", "value": list_v136("4")}])
    );
    dropped().send().warned("DG407");
}

#[test]
fn e10_what_a_binder_clears_stays_cleared() {
    ask("pods/status", "system:kube-scheduler", Some(pod(&list_v136("4"))), Some(pod(&Value::Null)))
        .mutating()
        .send()
        .is_clean();
}

#[test]
fn e10_a_list_that_v137_lost_was_cleared_on_purpose() {
    let cleared = ask("pods/status", "tenant", Some(pod(&list_v137("4"))), Some(pod(&Value::Null)));
    cleared.send().denied("DG405", "tenant");
}

#[test]
fn e12_an_ordinary_kubelet_status_is_left_alone() {
    let mut new = pod(&list_v137("4"));
    new["status"]["phase"] = json!("Succeeded");
    ask("pods/status", KUBELET, Some(pod(&list_v137("4"))), Some(new)).mutating().send().is_clean();
}

#[test]
fn e12_a_list_in_another_order_is_no_change() {
    let entry = |claim: &str| json!({"resourceClaimName": claim, "containers": ["a", "b"], "resources": {"cpu": "1", "memory": "1Gi"}});
    let (one, two) = (entry("one"), entry("two"));
    let old = pod(&json!([one, two]));
    let mut again = entry("one");
    again["containers"] = json!(["b", "a"]);
    again["resources"] = json!({"memory": "1024Mi", "cpu": "1000m"});
    ask("pods/status", KUBELET, Some(old), Some(pod(&json!([two, again])))).send().is_clean();
}

#[test]
fn e13_an_identity_that_no_list_names_writes_another_node() {
    let written = ask(
        "resourceslices",
        "system:serviceaccount:ns:chart-sa-kubeletplugin",
        None,
        Some(slice("d.example.com", "node-b", &json!([]))),
    );
    written.on_node("node-a").send().denied("DG206", "node-a");
}

#[test]
fn e13_a_kubelet_writes_its_own_node_only() {
    let write = |node: &str| ask("resourceslices", KUBELET, None, Some(slice("d.example.com", node, &json!([]))));
    write("node-a").send().is_clean();
    write("node-b").send().denied("DG206", "node-b");
}

#[test]
fn a_service_account_writes_its_own_driver_only() {
    let settings =
        json!({"drivers": [{"name": "d.example.com", "serviceAccounts": ["ns/driver"], "writer": "NodeLocal"}]});
    let write = |user: &str, driver: &str| {
        let written = ask("resourceslices", user, None, Some(slice(driver, "node-a", &json!([]))));
        written.on_node("node-a").with(&settings).send()
    };
    write("system:serviceaccount:ns:driver", "d.example.com").is_clean();
    write("system:serviceaccount:ns:other", "d.example.com").denied("DG207", "ns:other");
    write("system:serviceaccount:ns:driver", "e.example.com").denied("DG207", "d.example.com");
    write("system:serviceaccount:ns:other", "e.example.com").is_clean();
}

#[test]
fn a_scheduler_of_ones_own_is_a_binder_when_configured() {
    let write =
        || ask("pods/status", "system:serviceaccount:kai:binder", Some(pod(&Value::Null)), Some(pod(&list_v137("4"))));
    write().send().denied("DG405", "spec.binders");
    write().with(&json!({"binders": ["system:serviceaccount:kai:binder"]})).send().is_clean();
}

#[test]
fn numbers_cannot_be_planted_before_a_pod_is_bound() {
    let planted = ask("pods/status", "tenant", Some(pod(&Value::Null)), Some(pod(&list_v137("1"))));
    planted.send().denied("DG405", "from nothing to container main, cpu 1");
}

#[test]
fn audit_refuses_nothing() {
    let settings = json!({"mode": "Audit"});
    let dropped = ask("pods/status", KUBELET, Some(pod(&list_v136("4"))), Some(pod(&Value::Null)));
    let verdict = dropped.mutating().with(&settings).send();
    assert!(verdict.0.get("patch").is_none(), "{verdict:?}");
    ask("pods/status", "tenant", Some(pod(&Value::Null)), Some(pod(&list_v137("1"))))
        .with(&settings)
        .send()
        .warned("DG405");
}

#[test]
fn warnings_never_crowd_out_a_denial() {
    let zone = json!({"int": -1});
    let names = ["resource.kubernetes.io/numaNode", "dra.cpu/numaNodeID", "dra.net/numaNode", "numaNode", "numaNodeID"];
    let attributes: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), zone.clone())).collect();
    let devices: Vec<Value> =
        (0..128).map(|nth| json!({"name": format!("d{nth}"), "attributes": attributes})).collect();
    let written = ask(
        "resourceslices",
        "system:serviceaccount:ns:d",
        None,
        Some(slice("d.example.com", "node-b", &json!(devices))),
    );
    written.on_node("node-a").send().denied("DG206", "node-a");
}

#[test]
fn removing_a_finalizer_from_a_slice_is_everybodys_right() {
    let settings =
        json!({"drivers": [{"name": "d.example.com", "serviceAccounts": ["ns/driver"], "writer": "NodeLocal"}]});
    let mut old = slice(
        "d.example.com",
        "node-a",
        &json!([{"name": "x", "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "2Gi"}}}}]),
    );
    let new = old.clone();
    old["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
    let collector = "system:serviceaccount:kube-system:generic-garbage-collector";
    ask("resourceslices", collector, Some(old), Some(new)).with(&settings).send().warned("DG104");
}

#[test]
fn a_binder_is_warned_of_a_claim_that_stands_twice() {
    let entry = json!({"resourceClaimName": "c", "containers": ["main"], "resources": {"cpu": "1"}});
    let write = |user| ask("pods/status", user, Some(pod(&Value::Null)), Some(pod(&json!([entry, entry])))).send();
    write("system:kube-scheduler").warned("DG302");
    assert_eq!(write("tenant").0["allowed"], false);
}

#[test]
fn a_container_named_once_more_is_a_change() {
    let twice = json!([{"resourceClaimName": "c", "containers": ["main", "main"], "resources": {"cpu": "4"}}]);
    ask("pods/status", KUBELET, Some(pod(&list_v136("4"))), Some(pod(&twice))).send().denied("DG405", "claim");
}

#[test]
fn an_update_is_refused_for_what_it_adds_only() {
    let device = |name: &str, cpu: &str| json!({"name": name, "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": cpu}}}});
    let of = |devices: Value| slice("d.example.com", "node-a", &devices);
    let update = |old: Value, new: Value| ask("resourceslices", "admin", Some(of(old)), Some(of(new))).send();
    let moved = json!([device("good", "1"), device("bad", "2Gi")]);
    update(json!([device("bad", "2Gi")]), moved).warned("DG104");
    update(json!([device("bad", "2Gi")]), json!([device("bad", "3Gi")])).denied("DG104", "3Gi");
}

#[test]
fn a_capacity_that_grows_beyond_64_bits_is_new_although_its_multiplier_is_not() {
    let device = |value: &str| {
        json!([{"name": "d", "allowMultipleAllocations": true, "capacity": {"c": {"value": value}},
            "nodeAllocatableResources": {"cpu": {"mapping": {"capacityKey": "c", "capacityMultiplier": "1"}}}}])
    };
    let of = |value| slice("d.example.com", "node-a", &device(value));
    ask("resourceslices", "admin", Some(of("10P")), Some(of("8Ei"))).send().denied("DG109", "8Ei");
    ask("resourceslices", "admin", Some(of("10P")), Some(of("10P"))).send().warned("DG109");
}
