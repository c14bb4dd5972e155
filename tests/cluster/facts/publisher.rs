//! How the publishing library of Kubernetes writes slices when nobody is in its way.

use std::time::Duration;

use draguard_testbed::objects::fixed_device;
use draguard_testbed::{Publisher, pool};
use serde_json::{Value, json};

use crate::bed::{Bed, SOON};
use crate::fact::{self, Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_single_slice_update_keeps_its_generation,
        "6",
        BOTH,
        "A driver's change of the only slice of a pool is an UPDATE under the same generation"
    ),
    fact!(
        fact_change_of_two_slices_updates_all_under_the_next_generation,
        "6",
        BOTH,
        "A change of two of three slices is three UPDATEs, one after the other, to the next generation"
    ),
    fact!(
        fact_added_slice_is_created_after_the_updates,
        "6",
        BOTH,
        "One more slice in a pool: first an UPDATE of each old slice to the next generation, then the CREATE"
    ),
    fact!(
        fact_removed_slice_is_deleted_before_the_update,
        "6",
        BOTH,
        "From two slices to one: DELETE, then an UPDATE of the count under the same generation"
    ),
    fact!(
        fact_publisher_restart_continues,
        "6",
        BOTH,
        "A restarted driver writes nothing while nothing changed, and then goes on from the generation it finds"
    ),
    fact!(
        fact_generation_wanted_by_the_driver_is_used,
        "6",
        BOTH,
        "A generation that the driver asks for is used when it is higher than the stored one, else ignored"
    ),
    fact!(
        fact_slice_with_a_foreign_name_is_deleted_by_its_driver,
        "6",
        BOTH,
        "A slice of the driver's pool whose name the library did not make is deleted; the next generation follows"
    ),
    fact!(
        fact_pool_with_a_duplicate_device_is_not_published,
        "6",
        BOTH,
        "The library itself refuses a device name twice in a pool: an error for the driver and no request"
    ),
    fact!(
        fact_single_pool_publisher_owns_slices_without_node_name,
        "6",
        BOTH,
        "`ReconcilePoolWithName` makes slices that a Node owns and that have no `spec.nodeName`"
    ),
    fact!(
        fact_old_single_pool_publisher_needs_plain_lists,
        "6",
        T36,
        "A v1.36 library with `ReconcilePoolWithName` hangs while starting unless `WatchListClient` is switched off",
        fact::Verdict::Found
    ),
];

/// Long enough for several rounds of a publisher that looks again every 300 ms.
pub const QUIET: Duration = Duration::from_secs(3);

fn fact_single_slice_update_keeps_its_generation(bed: &Bed) {
    let mut publisher = started(bed, &[&[device(bed, "a", "1")]]);
    let written = publish(bed, &mut publisher, &[&[device(bed, "a", "2")]], 1);
    assert_eq!(story(&written), ["update 0 g1"]);
}

fn fact_change_of_two_slices_updates_all_under_the_next_generation(bed: &Bed) {
    let mut publisher = started(bed, &three(bed, "1", "1").each_ref().map(|s| &s[..]));
    let written = publish(bed, &mut publisher, &three(bed, "2", "2").each_ref().map(|s| &s[..]), 3);
    let mut written = story(&written);
    // The library walks over a map: the order is any.
    written.sort();
    assert_eq!(written, ["update 0 g2", "update 1 g2", "update 2 g2"]);
}

fn fact_added_slice_is_created_after_the_updates(bed: &Bed) {
    let slices = three(bed, "1", "1");
    let mut publisher = started(bed, &[&slices[0], &slices[1]]);
    let written = publish(bed, &mut publisher, &slices.each_ref().map(|s| &s[..]), 3);
    let verbs: Vec<&str> = written.iter().map(verb).collect();
    assert_eq!(verbs, ["update", "update", "create"]);
    assert!(written.iter().all(|w| w["generation"] == 2 && w["sliceCount"] == 3), "{written:?}");
}

fn fact_removed_slice_is_deleted_before_the_update(bed: &Bed) {
    let slices = three(bed, "1", "1");
    let mut publisher = started(bed, &[&slices[0], &slices[1]]);
    let written = publish(bed, &mut publisher, &[&slices[0]], 2);
    assert_eq!(verb(&written[0]), "delete");
    assert_eq!(story(&written)[1], "update 0 g1");
    assert_eq!(written[1]["sliceCount"], 1);
}

fn fact_publisher_restart_continues(bed: &Bed) {
    let mut publisher = started(bed, &three(bed, "1", "1").each_ref().map(|s| &s[..]));
    publish(bed, &mut publisher, &three(bed, "2", "2").each_ref().map(|s| &s[..]), 3);
    let before = publisher.writes().len();
    publisher.restart(&bed.driver, &bed.node);
    std::thread::sleep(QUIET);
    assert_eq!(publisher.writes().len(), before, "{:?}", publisher.writes());
    let written = publish(bed, &mut publisher, &three(bed, "3", "3").each_ref().map(|s| &s[..]), 3);
    assert!(written.iter().all(|w| w["generation"] == 3 && verb(w) == "update"), "{written:?}");
}

fn fact_generation_wanted_by_the_driver_is_used(bed: &Bed) {
    ready(bed);
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    let wanting = |generation: i64, cpu: &str| {
        let mut pools = pool(&bed.node, &[&[device(bed, "a", cpu)]]);
        pools[&bed.node]["generation"] = json!(generation);
        pools
    };
    publisher.publish(&bed.driver, &bed.node, wanting(7, "1"));
    publisher.wait_of_kind("write", 1, SOON);
    publisher.publish(&bed.driver, &bed.node, wanting(3, "2"));
    let written = publisher.wait_of_kind("write", 2, SOON);
    assert_eq!(story(&written), ["create 0 g7", "update 0 g7"]);
}

fn fact_slice_with_a_foreign_name_is_deleted_by_its_driver(bed: &Bed) {
    bed.publish(&[device(bed, "a", "1")]);
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    let written = publish(bed, &mut publisher, &[&[device(bed, "a", "1")]], 2);
    assert_eq!(written[0]["name"], bed.slice(&[])["metadata"]["name"]);
    assert_eq!(verb(&written[0]), "delete");
    assert_eq!(story(&written)[1], "create 0 g2");
}

fn fact_pool_with_a_duplicate_device_is_not_published(bed: &Bed) {
    ready(bed);
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    let devices = [device(bed, "a", "1")];
    publisher.publish(&bed.driver, &bed.node, pool(&bed.node, &[&devices, &devices]));
    let errors = publisher.wait_of_kind("error", 1, SOON);
    let message = errors[0]["message"].as_str().expect("a message");
    assert!(message.contains("pool validation failed"), "{message}");
    std::thread::sleep(QUIET);
    assert_eq!(publisher.writes(), Vec::<Value>::new());
}

fn fact_single_pool_publisher_owns_slices_without_node_name(bed: &Bed) {
    bed.add_node();
    // The fact below tells why.
    let mut publisher = Publisher::start_with(bed.cluster, bed.version, WATCH_LIST, "false");
    publisher.send(single_pool(bed));
    let written = publisher.wait_of_kind("write", 1, SOON);
    let slice = bed.admin.get(&path_of_written(&written[0])).must();
    assert_eq!(slice["metadata"]["ownerReferences"][0]["kind"], "Node");
    assert_eq!(slice["metadata"]["ownerReferences"][0]["name"], json!(bed.node));
    assert_eq!(slice["spec"]["nodeName"], Value::Null);
}

/// Its filter drops the bookmark that ends a watch's initial list.
fn fact_old_single_pool_publisher_needs_plain_lists(bed: &Bed) {
    bed.add_node();
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    publisher.send(single_pool(bed));
    std::thread::sleep(QUIET * 2);
    assert_eq!(publisher.events(), Vec::<Value>::new());
}

const WATCH_LIST: &str = "KUBE_FEATURE_WatchListClient";

fn single_pool(bed: &Bed) -> Value {
    let slices = json!([{ "devices": [{ "name": "a" }] }]);
    json!({ "do": "publish", "driver": bed.driver, "node": bed.node,
        "onlyPool": "shared", "pools": { "shared": { "allNodes": true, "slices": slices } } })
}

/// Three slices, of which the last never changes.
pub fn three(bed: &Bed, first: &str, second: &str) -> [Vec<Value>; 3] {
    [("a", first), ("b", second), ("c", "1")].map(|(name, cpu)| vec![device(bed, name, cpu)])
}

/// A device that takes this much cpu.
pub fn device(bed: &Bed, name: &str, cpu: &str) -> Value {
    fixed_device(bed.version, name, &[("cpu", cpu)])
}

/// Adds the node, and waits until v1.37 has noticed it and takes mappings for it.
pub fn ready(bed: &Bed) {
    bed.add_node();
    let mut slice = bed.slice(&[bed.device()]);
    slice["metadata"]["name"] = json!(format!("{}-ready", bed.ns));
    bed.create_slice(&slice).must();
    bed.admin.delete(&draguard_testbed::path_of(&slice));
}

/// A publisher that has stored these slices of the node's pool.
pub fn started(bed: &Bed, slices: &[&[Value]]) -> Publisher {
    ready(bed);
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    let written = publish(bed, &mut publisher, slices, slices.len());
    assert!(written.iter().all(|w| verb(w) == "create" && w["generation"] == 1), "{written:?}");
    publisher
}

/// Publishes these slices and gives the next `count` writes; the publisher looks again soon and often.
pub fn publish(bed: &Bed, publisher: &mut Publisher, slices: &[&[Value]], count: usize) -> Vec<Value> {
    let before = publisher.writes().len();
    publisher.send(json!({ "do": "publish", "driver": bed.driver, "node": bed.node,
        "syncDelayMs": 300, "cacheTtlMs": 1000, "pools": pool(&bed.node, slices) }));
    publisher.wait_of_kind("write", before + count, SOON).split_off(before)
}

/// Verb, index of the slice and generation of each write.
pub fn story(writes: &[Value]) -> Vec<String> {
    let line = |write: &Value| {
        let name = write["name"].as_str().unwrap_or_default();
        let index = name.split('-').next().unwrap_or_default().trim_start_matches('0');
        let index = if index.is_empty() { "0" } else { index };
        format!("{} {index} g{}", verb(write), write["generation"])
    };
    writes.iter().map(line).collect()
}

/// The verb of a write.
pub fn verb(write: &Value) -> &str {
    write["verb"].as_str().unwrap_or_default()
}

/// Where the written slice is.
pub fn path_of_written(write: &Value) -> String {
    let name = write["name"].as_str().expect("a name");
    format!("/apis/resource.k8s.io/v1/resourceslices/{name}")
}
