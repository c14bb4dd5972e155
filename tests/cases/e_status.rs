//! Area E: who may write which part of a claim's status. Where no cluster can be asked, the settings decide; the answers of
//! one stand beside in `asked`.

use serde_json::{Value, json};

use crate::made::{claim, given};
use crate::served::{Ask, Verdict, ask};

const BINDER: &str = "system:serviceaccount:kai-scheduler:binder";
const DRIVER: &str = "system:serviceaccount:kube-system:net-driver";
const SYNCER: &str = "system:serviceaccount:vcluster-x:vc-x";

fn result(driver: &str, device: &str) -> Value {
    json!({"request": "r", "driver": driver, "pool": "node-a", "device": device})
}

fn entry(driver: &str, device: &str) -> Value {
    json!({"driver": driver, "pool": "node-a", "device": device, "conditions": []})
}

/// A claim of node-a with one device of each driver, and these entries.
fn with(drivers: &[&str], entries: &[Value]) -> Value {
    let results: Vec<Value> = drivers.iter().map(|driver| result(driver, "dev")).collect();
    let mut claim = given("c", "node-a", &json!(results), &["p"]);
    claim["status"]["devices"] = json!(entries);
    claim
}

/// The driver adds its entry.
fn reports(user: &str) -> Ask {
    let driver = "networkdriver.example.com";
    update(user, with(&[driver], &[]), with(&[driver], &[entry(driver, "dev")]))
}

fn allocates(user: &str) -> Ask {
    update(user, claim("c", &json!({})), with(&["dra.cpu"], &[]))
}

fn update(user: &str, old: Value, new: Value) -> Ask {
    ask("resourceclaims/status", user, Some(old), Some(new))
}

fn rules(verdict: &Verdict) -> Vec<String> {
    let causes = verdict.0["status"]["details"]["causes"].as_array().unwrap();
    causes.iter().map(|cause| cause["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn e01_a_scheduler_of_ones_own_allocates_when_it_is_configured() {
    allocates(BINDER).with(&json!({"binders": [BINDER]})).send().is_clean();
    let verdict = allocates(BINDER).send();
    verdict.denied("DG401", "kai-scheduler:binder");
    verdict.denied("DG401", "spec.binders");
    verdict.denied("DG401", "resourceclaims/binding");
}

#[test]
fn e01_releases_are_not_refused_for_rights_that_nobody_can_see() {
    let allocated = with(&["dra.cpu"], &[entry("dra.cpu", "dev")]);
    update(BINDER, allocated.clone(), claim("c", &json!({}))).send().is_clean();
    let mut unreserved = allocated.clone();
    unreserved["status"]["reservedFor"] = json!([]);
    update(BINDER, allocated, unreserved).send().is_clean();
}

#[test]
fn e03_a_driver_writes_its_device_status() {
    reports(DRIVER).on_node("node-a").send().is_clean();
}

#[test]
fn e04_a_driver_writes_for_another_node() {
    let verdict = reports(DRIVER).on_node("node-b").send();
    verdict.denied("DG403", "belongs to node \"node-b\"");
    verdict.denied("DG403", "allocated on node \"node-a\"");
}

#[test]
fn e05_a_token_without_a_node_name_writes_device_status() {
    let settings = |writer: &str| {
        let driver = json!({"name": "networkdriver.example.com", "serviceAccounts": ["kube-system/net-driver"], "writer": writer});
        json!({"drivers": [driver]})
    };
    for verdict in [reports(DRIVER).send(), reports(DRIVER).with(&settings("NodeLocal")).send()] {
        verdict.denied("DG403", "names no node");
        verdict.denied("DG403", "ServiceAccountTokenPodNodeInfo");
        verdict.denied("DG403", "bound to a pod");
        verdict.denied("DG403", "ClusterWide");
    }
    reports(DRIVER).with(&settings("ClusterWide")).send().is_clean();
    reports("some-certificate").send().denied("DG403", "no service account");
}

#[test]
fn e07_an_embedded_scheduler_allocates_when_it_is_configured() {
    let operator = "system:serviceaccount:tensor-fusion-sys:operator";
    allocates(operator).with(&json!({"binders": [operator]})).send().is_clean();
    allocates(operator).send().denied("DG401", "tensor-fusion-sys:operator");
}

#[test]
fn e08_a_syncer_lacks_several_rights_and_hears_of_each() {
    let drivers = ["a.example.com", "b.example.com"];
    let entries = drivers.map(|driver| entry(driver, "dev"));
    let write = || update(SYNCER, claim("c", &json!({})), with(&drivers, &entries));
    let wide =
        drivers.map(|driver| json!({"name": driver, "serviceAccounts": ["vcluster-x/vc-x"], "writer": "ClusterWide"}));
    let verdict = write().send();
    assert_eq!(rules(&verdict), ["DG401", "DG403", "DG403", "DG404"]);
    let message = verdict.0["status"]["message"].as_str().unwrap().to_owned();
    let all = "lacks 3 rights: resourceclaims/binding, resourceclaims/driver \"a.example.com\", resourceclaims/driver \"b.example.com\"";
    assert!(message.contains(all), "{message}");
    assert_eq!(rules(&write().with(&json!({"binders": [SYNCER]})).send()), ["DG403", "DG403", "DG404"]);
    assert_eq!(rules(&write().with(&json!({"drivers": wide})).send()), ["DG401"]);
    assert_eq!(rules(&write().with(&json!({"binders": [SYNCER], "drivers": [wide[0]]})).send()), ["DG403"]);
    write().with(&json!({"binders": [SYNCER], "drivers": wide})).send().is_clean();
}

#[test]
fn an_entry_of_a_device_that_is_not_allocated_is_refused_whoever_writes_it() {
    let driver = "dra.cpu";
    let write = |user: &str, entries: &[Value]| update(user, with(&[driver], &[]), with(&[driver], entries));
    write("admin", &[entry(driver, "other")]).send().denied("DG402", "not allocated to the claim");
    let mut share = entry(driver, "dev");
    share["shareID"] = json!("s");
    write("admin", &[share]).send().denied("DG402", "share s");
    write("admin", &[entry(driver, "dev")]).send().is_clean();
    let untouched = with(&[driver], &[entry(driver, "other")]);
    let mut more = untouched.clone();
    more["status"]["devices"] = json!([entry(driver, "dev"), entry(driver, "other")]);
    update("admin", untouched, more).send().is_clean();
}

#[test]
fn what_decodes_to_the_same_is_nobodys_business() {
    let (one, two) = (entry("a", "dev"), entry("b", "dev"));
    let old = with(&["a", "b"], &[one.clone(), two.clone()]);
    let mut new = with(&["a", "b"], &[two, json!({"driver": "a", "pool": "node-a", "device": "dev"})]);
    new["status"]["allocation"]["devices"]["config"] = json!([]);
    update("tenant", old, new).send().is_clean();
}

#[test]
fn rules_that_are_switched_off_say_nothing() {
    let off = json!({"binders": [], "rules": {"DG401": "Off", "DG402": "Off", "DG403": "Off"}});
    let entries = [entry("a", "dev")];
    let write = || update(SYNCER, claim("c", &json!({})), with(&["a"], &entries));
    write().with(&off).send().is_clean();
    let verdict = write().with(&json!({"rules": {"DG401": "Warn"}})).send();
    assert_eq!(rules(&verdict), ["DG403"]);
}
