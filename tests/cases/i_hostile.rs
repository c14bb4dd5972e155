//! Area I: hostile and odd input. What is about bytes on the wire is in `tests/hostile.rs` and `tests/server.rs`.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::reviewed::{one, review, slice};
use crate::served::ask;

#[test]
fn i01_an_alias_bomb_in_a_file() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let previous = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![previous; 9].join(", ")));
    }
    let since = Instant::now();
    one(&bomb).denies(&["DG001"]);
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn i06_requests_without_an_object() {
    ask("resourceslices", "system:node:node-a", Some(json!({"metadata": {"name": "s"}})), None).send().is_clean();
    let none = ask("resourceslices", "system:node:node-a", None, None).send();
    assert_eq!(none.0["allowed"], false, "a creation of nothing: {none:?}");
}

#[test]
fn i08_inside_an_object_the_last_of_two_keys_wins() {
    let text = |first: &str, last: &str| {
        format!(
            "{{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": {{\"name\": \"s\"}}, \"spec\": {{\
             \"driver\": \"d.example.com\", \"nodeName\": \"n\", \"pool\": {{\"name\": \"n\", \"generation\": 1, \
             \"resourceSliceCount\": 1}}, \"devices\": [{{\"name\": \"x\", \"nodeAllocatableResources\": {{\"cpu\": {{\"mapping\": \
             {{\"deviceMultiplier\": \"{first}\", \"deviceMultiplier\": \"{last}\"}}}}}}}}]}}}}"
        )
    };
    review(&[("slice.json", &text("1", "2Gi"))], &[]).denies(&["DG104"]);
    review(&[("slice.json", &text("2Gi", "1"))], &[]).is_clean();
}

#[test]
fn i09_names_are_case_sensitive() {
    let report = one(&slice("allowMultipleAllocations: true, Capacity: {x: {value: \"1\"}}"));
    report.denies(&["DG121"]);
    report.says("DG121", "did you mean capacity?");
    let spec = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: d.example.com, nodename: a, \
                nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}}\n";
    one(spec).denies(&["DG121"]);
}

#[test]
fn i11_selectors_are_never_evaluated() {
    let selector = json!({"cel": {"expression": "device.attributes['x'].y.matches('(a+)+$')"}});
    let exactly = json!({"deviceClassName": "c", "selectors": vec![selector; 32]});
    let claim = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}},
    });
    ask("resourceclaims", "tenant", None, Some(claim)).send().is_clean();
}

#[test]
fn i13_a_look_alike_name_is_printed_escaped() {
    let report = one(&slice("attributes: {}").replace("dev-0", "\"dev-\\u0430\""));
    report.denies(&["DG116"]);
    report.says("DG116", "\\\\u{430}");
}

#[test]
fn i14_objects_at_the_edge_of_what_the_api_takes() {
    let devices = |count: usize| (0..count).map(|nth| json!({"name": format!("d{nth}")})).collect::<Vec<_>>();
    let slice = |devices| crate::served::slice("d.example.com", "node-a", &json!(devices));
    ask("resourceslices", "admin", None, Some(slice(devices(128)))).send().is_clean();
    let mut listed = devices(65);
    listed[0]["attributes"] = json!({"x": {"ints": [1, 2]}});
    ask("resourceslices", "admin", None, Some(slice(listed))).send().is_clean();
    let users: Vec<_> =
        (0..256).map(|nth| json!({"resource": "pods", "name": "p", "uid": format!("u{nth}")})).collect();
    let results: Vec<_> =
        (0..32).map(|nth| json!({"request": "r", "driver": "d", "pool": "p", "device": format!("d{nth}")})).collect();
    let claim = |status| json!({"metadata": {"name": "c"}, "status": status});
    let full = claim(json!({"allocation": {"devices": {"results": results}}, "reservedFor": users}));
    ask("resourceclaims/status", "system:kube-scheduler", Some(claim(json!({}))), Some(full)).send().is_clean();
}

#[test]
fn content_in_the_place_of_another_version_is_dropped() {
    let mapping = "nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: \"1\"}}}";
    one(&slice(&format!("basic: {{{mapping}}}"))).denies(&["DG121"]);
    let old = |content: &str| slice(content).replace("resource.k8s.io/v1", "resource.k8s.io/v1beta1");
    one(&old(mapping)).denies(&["DG121"]);
    one(&old(&format!("basic: {{}}, {mapping}"))).denies(&["DG121"]);
    one(&old(&format!("basic: {{{mapping}}}"))).is_clean();
}
