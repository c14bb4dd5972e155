//! Area C: generations and pools, as files, requests and events show them.

use draguard::ledger::holds::Reason;
use serde_json::json;

use crate::made;
use crate::reviewed::{pool_slice, review};
use crate::served::{Cluster, ask, slice};
use crate::told::Told;

const PLAIN: &str = "[{name: dev-0}]";
const MAPPED: &str = "[{name: dev-0, nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: \"1\"}}}}]";

#[test]
fn c04_slices_of_one_generation_disagree_on_their_count() {
    let first = pool_slice("slice-1", "node-a", "{name: p, generation: 4, resourceSliceCount: 2}", PLAIN);
    let second = pool_slice("slice-2", "node-a", "{name: p, generation: 4, resourceSliceCount: 3}", "[{name: dev-1}]");
    review(&[("1.yaml", &first), ("2.yaml", &second)], &[]).warns(&["DG202"]);
    let newer = pool_slice("slice-2", "node-a", "{name: p, generation: 5, resourceSliceCount: 3}", "[{name: dev-1}]");
    let report = review(&[("1.yaml", &first), ("2.yaml", &newer)], &[]);
    assert!(!report.rules("warn").contains(&"DG202"), "{report:?}");
}

#[test]
fn c05_a_generation_goes_back() {
    let stored = pool_slice("slice-1", "node-a", "{name: p, generation: 9, resourceSliceCount: 1}", PLAIN);
    let written = pool_slice("slice-2", "node-a", "{name: p, generation: 3, resourceSliceCount: 1}", PLAIN);
    let report = review(&[("1.yaml", &stored), ("2.yaml", &written)], &[]);
    report.denies(&["DG201"]);
    report.says("DG201", "9");
    report.says("DG201", "delete");
}

#[test]
fn c05_among_stored_slices_it_may_be_a_moment_of_an_update() {
    let stored = |name: &str, generation: u8| {
        let pool = format!("{{name: p, generation: {generation}, resourceSliceCount: 1}}");
        pool_slice(&format!("{name}, resourceVersion: \"7\""), "node-a", &pool, PLAIN)
    };
    review(&[("1.yaml", &stored("a", 9)), ("2.yaml", &stored("b", 3))], &[]).warns(&["DG201"]);
}

#[test]
fn c08_a_single_slice_changes_in_place() {
    let new = slice("d.example.com", "node-a", &json!([{"name": "dev-0"}]));
    let old = slice("d.example.com", "node-a", &json!([{"name": "dev-0"}, {"name": "dev-1"}]));
    ask("resourceslices", "system:serviceaccount:ns:d", Some(old), Some(new)).on_node("node-a").send().is_clean();
}

#[test]
fn c09_one_device_on_two_nodes() {
    let pool = "{name: dx, generation: 1, resourceSliceCount: 1}";
    let both = |devices| [pool_slice("a", "node-a", pool, devices), pool_slice("b", "node-b", pool, devices)];
    let [first, second] = both(PLAIN);
    review(&[("1.yaml", &first), ("2.yaml", &second)], &[]).warns(&["DG205"]);
    let [first, second] = both(MAPPED);
    review(&[("1.yaml", &first), ("2.yaml", &second)], &[]).denies(&["DG205"]);
}

#[test]
fn c10_two_drivers_share_a_pool_name() {
    let counters = |driver: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {driver}}}\nspec:\n  driver: \
             {driver}\n  nodeName: node-a\n  pool: {{name: pool-1, generation: 1, resourceSliceCount: 1}}\n  \
             sharedCounters: [{{name: c, counters: {{x: {{value: \"4\"}}}}}}]\n"
        )
    };
    review(&[("a.yaml", &counters("driver-a.example.com")), ("b.yaml", &counters("driver-b.example.com"))], &[])
        .is_clean();
}

#[test]
fn c13_the_kubelet_wipes_its_slices() {
    let stored = slice("d.example.com", "node-a", &json!([]));
    ask("resourceslices", "system:node:node-a", Some(stored), None).send().is_clean();
}

#[test]
fn c01_nothing_is_allocated_from_a_wiped_pool() {
    let new = made::given("c", "node-a", &json!([made::result("dev-0")]), &[]);
    let node = made::node("node-a", "64");
    Cluster::of(std::slice::from_ref(&node))
        .asked(made::allocates(&new))
        .held("DG304", "the kubelet has just wiped it");
    let published = made::slice("node-a", &json!([made::whole("dev-0", "1")]));
    Cluster::of(&[node, published]).asked(made::allocates(&new)).is_clean();
}

#[test]
fn c01_c02_a_wiped_pool_is_held_and_what_is_allocated_stays_charged() {
    let published = made::slice("node-a", &json!([made::whole("dev-0", "8")]));
    let new = made::given("c", "node-a", &json!([made::result("dev-0")]), &["p"]);
    let mut told = Told::of(&[made::node("node-a", "64"), published.clone(), new]);
    assert_eq!(told.charged("c"), ["cpu: 8"]);
    assert!(!told.holds(Reason::PoolGone));
    told.deleted(&published);
    assert_eq!(told.charged("c"), ["cpu: 8"]);
    assert!(told.holds(Reason::PoolGone));
    told.applied(&published);
    assert!(!told.holds(Reason::PoolGone));
}

#[test]
fn c08_a_device_that_goes_under_a_living_claim_keeps_its_charge() {
    let published = |devices| made::slice("node-a", &devices);
    let new = made::given("c", "node-a", &json!([made::result("dev-1")]), &["p"]);
    let both = json!([made::whole("dev-0", "1"), made::whole("dev-1", "8")]);
    let mut told = Told::of(&[made::node("node-a", "64"), published(both), new]);
    told.applied(&published(json!([made::whole("dev-0", "1")])));
    assert_eq!(told.charged("c"), ["cpu: 8"]);
}
