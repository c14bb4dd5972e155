//! What a write changes in a claim's status, as Go's `equality.Semantic.DeepEqual` and `getModifiedDrivers` see it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use draguard::model::status_change::{Change, StatusChange};
use serde_json::{Value, json};

/// Allocation, reservation, and each changed entry by driver, device and share.
type Seen = (Option<Change>, bool, Vec<(String, Change, Option<usize>)>);

fn change(old: &Value, new: &Value) -> Seen {
    let claim = |status: &Value| json!({"metadata": {"name": "c"}, "status": status}).to_string();
    let (old, new) = (claim(old), claim(new));
    let change = StatusChange::between(&old, &new).unwrap();
    let entries = change.entries.iter().map(|entry| {
        let name = [&*entry.key.driver, &*entry.key.pool, &*entry.key.device, &*entry.key.share].join("/");
        (name, entry.change, entry.index)
    });
    (change.allocation, change.reservation, entries.collect())
}

fn nothing() -> Seen {
    (None, false, Vec::new())
}

fn allocation() -> Value {
    let result = json!({"request": "r", "driver": "a", "pool": "p", "device": "d", "consumedCapacity": {"x": "1Gi"}});
    let term = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]});
    json!({"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [term]}})
}

fn with(devices: &Value) -> Value {
    json!({"allocation": allocation(), "devices": devices})
}

fn entry(driver: &str) -> Value {
    json!({"driver": driver, "pool": "p", "device": "d"})
}

#[test]
fn nothing_is_no_change() {
    for (old, new) in [
        (json!(null), json!({})),
        (json!({}), json!({"allocation": null, "reservedFor": [], "devices": null})),
        (with(&json!([])), with(&json!(null))),
        (json!({"devices": [entry("a")]}), json!({})),
    ] {
        assert_eq!(change(&old, &new), nothing(), "{old} {new}");
    }
}

#[test]
fn an_allocation_comes_changes_and_goes() {
    let (none, one) = (json!({}), json!({"allocation": allocation()}));
    assert_eq!(change(&none, &one).0, Some(Change::Added));
    assert_eq!(change(&one, &none).0, Some(Change::Removed));
    assert_eq!(change(&none, &json!({"allocation": {}})).0, Some(Change::Added));
    for (pointer, value, expected) in [
        ("/devices/results/0/consumedCapacity/x", json!("1073741824"), None),
        ("/devices/results/0/consumedCapacity/x", json!("1G"), Some(Change::Changed)),
        ("/devices/results/0/device", json!("e"), Some(Change::Changed)),
        ("/devices/results/0/tolerations", json!([]), None),
        ("/devices/results/0/adminAccess", json!(null), None),
        ("/devices/results/0/adminAccess", json!(false), Some(Change::Changed)),
        ("/devices/results/0/inventedLater", json!("x"), Some(Change::Changed)),
        ("/devices/config", json!([]), None),
        ("/devices/config", json!([{"source": "FromClass"}]), Some(Change::Changed)),
        ("/nodeSelector", json!({}), Some(Change::Changed)),
    ] {
        let mut other = one.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        other["allocation"].pointer_mut(parent).unwrap()[field] = value;
        assert_eq!(change(&one, &other).0, expected, "{other}");
        assert_eq!(change(&other, &one).0, expected, "{other}");
    }
}

#[test]
fn reservations_count_in_order() {
    let user = |name: &str| json!({"resource": "pods", "name": name, "uid": name});
    let of = |users: &[Value]| json!({"reservedFor": users});
    let (a, b) = (user("a"), user("b"));
    assert!(!change(&of(&[a.clone(), b.clone()]), &of(&[a.clone(), b.clone()])).1);
    assert!(change(&of(&[a.clone(), b.clone()]), &of(&[b.clone(), a.clone()])).1);
    assert!(change(&of(&[]), &of(std::slice::from_ref(&a))).1);
    assert!(change(&of(std::slice::from_ref(&a)), &of(&[])).1);
    let mut empty_group = a.clone();
    empty_group["apiGroup"] = json!("");
    assert!(!change(&of(&[a]), &of(&[empty_group])).1);
}

#[test]
fn entries_are_told_apart_by_their_whole_key() {
    let old = with(&json!([entry("a"), entry("b")]));
    assert_eq!(change(&old, &with(&json!([entry("b"), entry("a")]))), nothing());
    let mut share = entry("a");
    share["shareID"] = json!("s");
    let seen = change(&old, &with(&json!([entry("b"), share])));
    let expected = vec![("a/p/d/s".to_owned(), Change::Added, Some(1)), ("a/p/d/".to_owned(), Change::Removed, None)];
    assert_eq!(seen, (None, false, expected));
}

#[test]
fn an_entry_changes_by_what_it_decodes_to() {
    let condition = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "r", "message": ""});
    for (field, value, changes) in [
        ("conditions", json!([]), false),
        ("conditions", json!([condition]), true),
        ("networkData", json!(null), false),
        ("networkData", json!({}), true),
        ("networkData", json!({"interfaceName": "eth1", "ips": ["10.0.0.1/24"]}), true),
        ("data", json!({"x": 1}), true),
        ("shareID", json!(""), true),
    ] {
        let mut other = entry("a");
        other[field] = value;
        let seen = change(&with(&json!([entry("a")])), &with(&json!([other])));
        assert_eq!(!seen.2.is_empty(), changes, "{other}");
    }
}

#[test]
fn a_key_that_stands_twice_counts_as_go_counts_it() {
    let twice = with(&json!([entry("a"), entry("a")]));
    let seen = change(&with(&json!([entry("a")])), &twice);
    assert_eq!(seen.2, [("a/p/d/".to_owned(), Change::Added, Some(1))]);
    assert_eq!(change(&twice, &with(&json!([entry("a")]))), nothing());
}

#[test]
fn what_goes_with_a_cleared_allocation_is_no_change_of_its_own() {
    let seen = change(&with(&json!([entry("a")])), &json!({}));
    assert_eq!(seen, (Some(Change::Removed), false, Vec::new()));
    let seen = change(&json!({}), &with(&json!([entry("a")])));
    assert_eq!((seen.0, seen.2.len()), (Some(Change::Added), 1));
}

#[test]
fn what_has_another_form_is_told() {
    for status in [json!({"devices": 5}), json!({"allocation": {}, "devices": [5]}), json!([])] {
        let text = json!({"status": status}).to_string();
        assert!(StatusChange::between("{}", &text).is_err(), "{text}");
    }
}
