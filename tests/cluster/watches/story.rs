//! What happens in a cluster, as the watches tell it.

use std::time::Duration;

use draguard::cluster::freshness::Freshness;
use draguard::cluster::served::Served;
use draguard::ledger::event::Change;
use draguard::ledger::object::{Key, Kind};
use draguard_testbed::{Patch, path_of, wait_for};
use serde_json::{Value, json};

use super::view::{View, read};
use crate::bed::{Bed, SOON};

pub const WINDOW: Duration = Duration::from_mins(2);

/// Nodes, slices, claims and pods, those of before and those of after the start, each with uid and version.
pub fn all_kinds_arrive(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let early = bed.add_claim("early");
    let view = View::with(&bed.cluster.admin_kubeconfig(), WINDOW);
    view.wait_until_fresh();
    view.wait_for(Kind::Claim, &early);
    bed.add_claim("late");
    let pod = bed.bound(&bed.add_pod("p", &["late"]));
    for (kind, path) in [
        (Kind::Node, format!("/api/v1/nodes/{}", bed.node)),
        (Kind::Slice, format!("/apis/resource.k8s.io/v1/resourceslices/{}-{}", bed.node, bed.driver)),
        (Kind::Claim, format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/late", bed.ns)),
        (Kind::Pod, path_of(&pod)),
    ] {
        // Controllers still write to some of them.
        wait_for("the object as it is now", SOON, || {
            let now = read(kind, &bed.admin.get(&path).must());
            if view.has(&now) { Ok(()) } else { Err(format!("{now:?}")) }
        });
    }
    let served = Served { version: Some("v1"), shape: Some(bed.version.name()) };
    assert_eq!(view.cluster().served(), served);
    assert_eq!(view.cluster().freshness(), Freshness::Fresh);
    for kind in Kind::ALL {
        let signs = view.cluster().signs().of(kind);
        assert_eq!((signs.unreadable.count(), signs.relists.count()), (0, 1), "{kind:?}");
    }
}

/// Deleted and made again under its name: two lives, and the end of the first has a version of its own.
pub fn same_name_other_life(bed: &Bed) {
    bed.add_class();
    let view = View::with(&bed.cluster.admin_kubeconfig(), WINDOW);
    view.wait_until_fresh();
    let first = bed.add_claim("c");
    bed.admin.delete(&path_of(&first)).must();
    let second = bed.add_claim("c");
    view.wait_for(Kind::Claim, &second);
    let changes = view.changes_of(Kind::Claim, &Key::new(&bed.ns, "c"));
    let lives: Vec<(&str, &str)> = changes
        .iter()
        .map(|change| match change {
            Change::Applied(object) => ("applied", &*object.stamp().uid),
            Change::Deleted(gone) => ("deleted", &*gone.stamp.uid),
            Change::Relisted(_) => unreachable!(),
        })
        .collect();
    let uid = |object: &Value| object["metadata"]["uid"].as_str().expect("a uid").to_owned();
    let (first, second) = (uid(&first), uid(&second));
    assert_eq!(lives, [("applied", &*first), ("deleted", &first), ("applied", &second)]);
    let versions: Vec<u64> = changes.iter().map(version).collect();
    assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
}

/// A pod that has ended takes nothing of its node any more: it is told as gone, though it is still stored.
pub fn pods_that_end_are_gone(bed: &Bed) {
    bed.add_node();
    let view = View::with(&bed.cluster.admin_kubeconfig(), WINDOW);
    let pod = bed.bound(&bed.add_pod("p", &[]));
    let key = Key::new(&bed.ns, "p");
    wait_for("the pod", SOON, || {
        let now = read(Kind::Pod, &bed.admin.again(&pod));
        if view.has(&now) { Ok(()) } else { Err(format!("{now:?}")) }
    });
    let ended = json!({ "status": { "phase": "Succeeded" } });
    bed.cluster.kubelet(&bed.node).patch(&(path_of(&pod) + "/status"), Patch::Strategic, &ended).must();
    let stored = bed.admin.again(&pod);
    let gone = wait_for("the end of the pod", SOON, || match view.changes_of(Kind::Pod, &key).pop() {
        Some(Change::Deleted(gone)) => Ok(gone),
        other => Err(format!("{other:?}")),
    });
    assert_eq!(json!(*gone.stamp.uid), stored["metadata"]["uid"]);
    assert_eq!(json!(gone.stamp.version.to_string()), stored["metadata"]["resourceVersion"]);
}

fn version(change: &Change) -> u64 {
    match change {
        Change::Applied(object) => object.stamp().version,
        Change::Deleted(gone) => gone.stamp.version,
        Change::Relisted(_) => 0,
    }
}
