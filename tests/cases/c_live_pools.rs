//! Area C in a cluster: a slice among the live slices of its pool.

use std::sync::Arc;

use draguard::guard::{Guard, Proof, Validated};
use draguard::ledger::book::Book;
use draguard::ledger::event::{Change, Deleted, Event};
use draguard::ledger::excerpt::Seen;
use draguard::ledger::object::{Kind, Object};
use draguard::ledger::view::{Freshness, Ref};
use draguard::model::request::Resource;
use draguard::model::version::Version;
use draguard::verdict::decision::Decision;
use serde_json::{Value, json};

use crate::reviewed::{pool_slice, review};
use crate::served::ask;
use crate::world::{World, claim, cpu, request, world};

const MINUTE: i64 = 60_000;

/// A slice of pool `p`.
fn slice(name: &str, node: &str, generation: i64, count: i64, devices: &Value) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
        "metadata": {"name": name, "uid": name, "resourceVersion": "7"},
        "spec": {"driver": "d.example.com", "nodeName": node, "devices": devices,
            "pool": {"name": "p", "generation": generation, "resourceSliceCount": count}},
    })
}

fn mapped(name: &str) -> Value {
    json!([{"name": name, "nodeAllocatableResources": cpu("1")}])
}

/// A server's guard that saw each slice at its time.
struct Cluster(Guard);

impl Cluster {
    fn of(slices: &[(i64, Value)]) -> Self {
        let book = Book::of(draguard::ledger::state::Ledger::new(Version::V137), Freshness::Fresh);
        let cluster = Self(Guard { book: Some(Arc::new(book)), ..Guard::default() });
        for (at, slice) in slices {
            cluster.see(*at, slice);
        }
        cluster
    }

    fn see(&self, at: i64, slice: &Value) {
        let change = Change::Applied(kept(slice));
        self.0.book.as_ref().unwrap().apply(Event { at, change });
    }

    fn lose(&self, at: i64, slice: &Value) {
        let object = kept(slice);
        let stamp = object.stamp().clone();
        let change = Change::Deleted(Deleted { kind: Kind::Slice, key: object.key().clone(), stamp });
        self.0.book.as_ref().unwrap().apply(Event { at, change });
    }

    /// Writes a slice while these are the stored ones.
    fn write(&self, now: i64, old: Option<&Value>, new: &Value, stored: &[Value]) -> Decision {
        match self.judge(now, old, new, Proof::Wanted) {
            Validated::Decided(decision) => decision,
            Validated::Doubtful(doubts) => {
                let objects: Vec<Object> = stored.iter().map(kept).collect();
                let seen: Vec<Seen> =
                    doubts.refs.into_iter().map(|asked| Seen { asked, objects: objects.clone() }).collect();
                assert!(seen.iter().all(|seen| matches!(seen.asked, Ref::Pool(_))), "{seen:?}");
                self.judge(now, old, new, Proof::Live(&seen)).decision().unwrap()
            }
        }
    }

    fn judge(&self, now: i64, old: Option<&Value>, new: &Value, proof: Proof<'_>) -> Validated {
        let (old, new) = (old.map(Value::to_string), new.to_string());
        let request = request(Resource::Slice, &new, old.as_deref());
        self.0.validate(&request, proof, now)
    }
}

fn kept(slice: &Value) -> Object {
    Object::read(Kind::Slice, &slice.to_string()).unwrap()
}

/// The rules that speak, and whether they refuse.
fn said(decision: &Decision) -> Vec<(&'static str, bool)> {
    let mut rules: Vec<_> = decision.rulings.iter().map(|one| (one.finding.rule.id, one.refuses())).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

#[test]
fn c05_a_generation_goes_back_behind_another_nodes_slice() {
    let newer = slice("b", "node-b", 9, 1, &json!([]));
    let cluster = Cluster::of(&[(0, newer.clone())]);
    let written = slice("a", "node-a", 3, 1, &mapped("d"));
    let write = |now, stored: &[Value]| cluster.write(now, None, &written, stored);
    let decision = write(2 * MINUTE, std::slice::from_ref(&newer));
    assert_eq!(said(&decision), [("DG201", true)]);
    let message = decision.rulings[0].finding.to_string();
    assert!(message.contains("generation 9") && message.contains("delete the slices"), "{message}");
    // It may be a moment of an update.
    assert_eq!(said(&write(2 * MINUTE - 1, std::slice::from_ref(&newer))), [("DG201", false)]);
    // It is gone by now, or was only just replaced by a newer one.
    assert_eq!(said(&write(2 * MINUTE, &[])), []);
    let newest = slice("b", "node-b", 10, 1, &json!([]));
    assert_eq!(said(&write(2 * MINUTE, &[newest])), [("DG201", false)]);
    // It cannot be read.
    let unread = cluster.judge(2 * MINUTE, None, &written, Proof::Unread).decision().unwrap();
    assert_eq!(said(&unread), [("DG201", false)]);
}

#[test]
fn c05_a_driver_that_starts_again_is_never_refused() {
    let newer = slice("b", "node-a", 9, 1, &json!([]));
    let cluster = Cluster::of(&[(0, newer.clone())]);
    let stored = std::slice::from_ref(&newer);
    assert_eq!(
        said(&cluster.write(9 * MINUTE, None, &slice("a", "node-a", 1, 1, &mapped("d")), stored)),
        [("DG201", false)]
    );
    // Its own slice is no neighbour, and nothing is once the pool is gone.
    assert_eq!(said(&cluster.write(9 * MINUTE, Some(&newer), &slice("b", "node-a", 1, 1, &mapped("d")), stored)), []);
    cluster.lose(9 * MINUTE, &newer);
    assert_eq!(said(&cluster.write(9 * MINUTE, None, &slice("a", "node-a", 1, 1, &mapped("d")), &[])), []);
}

#[test]
fn c05_a_step_up_and_a_slice_without_a_mapping_are_never_refused() {
    let (newer, old) = (slice("b", "node-b", 9, 1, &json!([])), slice("a", "node-a", 3, 1, &mapped("d")));
    let cluster = Cluster::of(&[(0, newer.clone()), (0, old.clone())]);
    let stored = [newer, old.clone()];
    let update = |generation| {
        let new = slice("a", "node-a", generation, 1, &mapped("d"));
        said(&cluster.write(9 * MINUTE, Some(&old), &new, &stored))
    };
    assert_eq!(update(4), [("DG201", false)]);
    assert_eq!(update(3), [("DG201", false)]);
    assert_eq!(update(2), [("DG201", true)]);
    let plain = slice("c", "node-c", 3, 1, &json!([{"name": "x"}]));
    assert_eq!(said(&cluster.write(9 * MINUTE, None, &plain, &stored)), [("DG201", false)]);
}

#[test]
fn c05_a_generation_is_as_old_as_it_was_first_seen() {
    let at = |generation, version: &str| {
        let mut slice = slice("b", "node-b", generation, 1, &json!([]));
        slice["metadata"]["resourceVersion"] = json!(version);
        slice
    };
    let cluster = Cluster::of(&[(0, at(8, "7")), (MINUTE, at(9, "8")), (2 * MINUTE, at(9, "9"))]);
    let write = |now| said(&cluster.write(now, None, &slice("a", "node-a", 3, 1, &mapped("d")), &[at(9, "9")]));
    assert_eq!(write(3 * MINUTE - 1), [("DG201", false)]);
    assert_eq!(write(3 * MINUTE), [("DG201", true)]);
}

#[test]
fn c04_slices_of_one_live_generation_disagree() {
    let stored = slice("a", "node-a", 4, 2, &json!([{"name": "x"}]));
    let cluster = Cluster::of(&[(0, stored.clone())]);
    let write = |name, count, device| {
        let new = slice(name, "node-a", 4, count, &json!([{"name": device}]));
        said(&cluster.write(0, None, &new, std::slice::from_ref(&stored)))
    };
    assert_eq!(write("b", 3, "y"), [("DG202", false)]);
    assert_eq!(write("b", 2, "y"), []);
    assert_eq!(write("b", 2, "x"), [("DG204", false)]);
    assert_eq!(write("a", 3, "x"), []);
}

#[test]
fn c09_one_live_device_on_two_nodes() {
    let of = |name, node, devices: &Value| slice(name, node, 1, 1, devices);
    let first = of("a", "node-a", &mapped("d"));
    let cluster = Cluster::of(&[(0, first.clone())]);
    let write = |devices: &Value, stored: &[Value]| cluster.write(0, None, &of("b", "node-b", devices), stored);
    let decision = write(&mapped("d"), std::slice::from_ref(&first));
    assert_eq!(said(&decision), [("DG205", true)]);
    assert!(decision.rulings[0].finding.to_string().contains("node \"node-a\" and on node \"node-b\""));
    // Mapped there is enough; and it is read again first.
    assert_eq!(said(&write(&json!([{"name": "d"}]), std::slice::from_ref(&first))), [("DG205", true)]);
    assert_eq!(said(&write(&mapped("d"), &[])), []);
    assert_eq!(said(&write(&mapped("e"), std::slice::from_ref(&first))), []);
    let bare = of("a", "node-a", &json!([{"name": "d"}]));
    let plain = Cluster::of(&[(0, bare)]);
    assert_eq!(said(&plain.write(0, None, &of("b", "node-b", &json!([{"name": "d"}])), &[])), [("DG205", false)]);
}

#[test]
fn dg203_several_files_of_a_pool_that_lacks_slices() {
    let of = |name: &str, generation: u8, count: u8, device: &str| {
        let pool = format!("{{name: p, generation: {generation}, resourceSliceCount: {count}}}");
        pool_slice(name, "node-a", &pool, &format!("[{{name: {device}}}]"))
    };
    let report = review(&[("1.yaml", &of("a", 4, 3, "dev-x")), ("2.yaml", &of("b", 4, 3, "dev-y"))], &[]);
    report.warns(&["DG203"]);
    report.says("DG203", "2 of 3 slices of generation 4");
    review(&[("1.yaml", &of("a", 4, 2, "dev-x")), ("2.yaml", &of("b", 4, 2, "dev-y"))], &[]).is_clean();
    // One slice alone is a part.
    review(&[("1.yaml", &of("a", 4, 3, "dev-x"))], &[]).is_clean();
    let names = ["a, resourceVersion: \"7\"", "b, resourceVersion: \"8\""];
    let rolling = review(&[("1.yaml", &of(names[0], 4, 1, "dev-x")), ("2.yaml", &of(names[1], 5, 2, "dev-y"))], &[]);
    rolling.warns(&["DG201", "DG203"]);
}

fn republish(world: &World, devices: &Value) -> crate::served::Verdict {
    let mut new = world.slice.clone();
    new["spec"]["devices"] = devices.clone();
    ask("resourceslices", "admin", Some(world.slice.clone()), Some(new)).send_to(&world.serve())
}

#[test]
fn dg125_a_mapping_vanishes_under_a_claim() {
    let verdict = republish(&world(), &json!([{"name": "cpus"}, {"name": "plain"}]));
    verdict.warned("DG125");
    verdict.warned("\"cpus\" (claims \"ns/c\")");
    let same = json!([{"name": "cpus", "nodeAllocatableResources": cpu("2")}, {"name": "plain"}]);
    republish(&world(), &same).is_clean();
}

#[test]
fn c08_a_device_that_goes_under_a_claim_is_told() {
    let verdict = republish(&world(), &json!([{"name": "plain"}]));
    verdict.warned("DG125");
    verdict.warned("devices are left out for which claims are charged: \"cpus\" (claims \"ns/c\")");
    let left = json!([{"name": "cpus", "nodeAllocatableResources": cpu("4")}]);
    republish(&world(), &left).is_clean();
}

#[test]
fn dg125_says_nothing_where_no_claim_was_charged() {
    let mut free = world();
    free.claim["status"] = json!({});
    republish(&free, &json!([{"name": "cpus"}])).is_clean();
    let mut other = world();
    other.claim = claim("c", "plain", &json!([]));
    republish(&other, &json!([{"name": "cpus"}, {"name": "plain"}])).is_clean();
}
