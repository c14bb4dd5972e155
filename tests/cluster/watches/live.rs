//! Live reads of the real API server.

use std::time::Duration;

use draguard::ledger::object::{Key, Kind, Object, PoolKey};
use draguard_testbed::objects::object;
use draguard_testbed::{Patch, path_of};
use serde_json::json;

use super::story::WINDOW;
use super::view::{View, read};
use crate::bed::{Bed, SOON};

/// What was answered with yes is read the next moment, whatever the watches have seen.
pub fn sees_a_write_at_once(bed: &Bed) {
    bed.add_class();
    let (view, key) = seen(bed);
    let live = view.cluster().live();
    let claim = |time: Duration| view.run(live.claim(&key, time)).expect("an answer");
    for round in 0..20 {
        let stored = bed.add_claim("c");
        assert_eq!(claim(SOON), Some(read(Kind::Claim, &stored)), "round {round}");
        let labelled = json!({ "metadata": { "labels": { "round": round.to_string() } } });
        let stored = bed.admin.patch(&path_of(&stored), Patch::Merge, &labelled).must();
        assert_eq!(claim(SOON), Some(read(Kind::Claim, &stored)), "round {round}");
        bed.admin.delete(&path_of(&stored)).must();
        assert_eq!(claim(SOON), None, "round {round}");
    }
    assert_eq!(view.run(live.node("no-such-node", SOON)).expect("an answer"), None);
}

/// The pods of a node without those that have ended, and the slices of one pool of a driver that has two.
pub fn finds_what_belongs_together(bed: &Bed) {
    bed.add_node();
    bed.add_node_named("other-node-of-live-reads");
    let (view, _) = seen(bed);
    let live = view.cluster().live();
    let node = bed.admin.get(&path_of(&object("v1", "Node", None, &bed.node))).must();
    assert_eq!(view.run(live.node(&bed.node, SOON)).expect("an answer"), Some(read(Kind::Node, &node)));

    let slice = bed.store_slice(&[bed.device()]).must();
    let mut other = bed.slice(&[]);
    other["metadata"]["name"] = json!(format!("{}-other", bed.ns));
    other["spec"]["pool"]["name"] = json!("other");
    bed.create_slice(&other).must();
    let pool = PoolKey { driver: bed.driver.as_str().into(), pool: bed.node.as_str().into() };
    assert_eq!(view.run(live.slices_of(&pool, SOON)).expect("an answer"), [read(Kind::Slice, &slice)]);

    let kept = bed.bound(&bed.add_pod("kept", &[]));
    let ended = bed.bound(&bed.add_pod("ended", &[]));
    let status = json!({ "status": { "phase": "Failed" } });
    bed.admin.patch(&(path_of(&ended) + "/status"), Patch::Strategic, &status).must();
    let pods = view.run(live.pods_on(&bed.node, SOON)).expect("an answer");
    let keys: Vec<&Key> = pods.iter().map(Object::key).collect();
    assert_eq!(keys, [read(Kind::Pod, &kept).key()]);
}

fn seen(bed: &Bed) -> (View, Key) {
    let view = View::with(&bed.cluster.admin_kubeconfig(), WINDOW);
    view.wait_until_fresh();
    (view, Key::new(&bed.ns, "c"))
}
