//! Both versions on one etcd: the upgrade and the way back.

use draguard_testbed::objects::{add_namespace, claim, fixed_device, node, pod, recorded, recorded_amount, slice};
use draguard_testbed::{ControlPlane, Options, Patch, Version, path_of};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_upgrade_erases_mappings_and_numbers,
        "F1, 1.3, 11.7",
        T37,
        "A v1.37 server over v1.36 data reads slices without mappings and pods without numbers (claim name and \
         containers stay); after one write there they are gone for v1.36 too; and it takes the v1.37 form for such a pod"
    ),
    fact!(
        fact_downgrade_blocks_status_writes,
        "F2, 1.3",
        T36,
        "A pod whose status holds a v1.37 entry gets a 422 from a v1.36 server for every write of its status"
    ),
];

const NS: &str = "upgraded";

fn fact_upgrade_erases_mappings_and_numbers(_: &Bed) {
    let (old, new) = pair();
    prepare(&old);
    let admin = old.admin();
    admin.create(&node(Version::V1_37, "n", "8", "8Gi")).must();
    let stored = admin.create(&old_slice()).must();
    let pod = admin.create(&new_pod()).must();
    set_list(&old, &pod, super::pod_status::list(Version::V1_36, "c", "cpu", "2"));

    let seen = new.admin().again(&stored);
    assert_eq!(seen["spec"]["devices"][0], json!({ "name": "dev-0" }));
    let entries = new.admin().again(&pod);
    let bare = json!([{ "resourceClaimName": "c", "containers": ["main"] }]);
    assert_eq!(*recorded(&entries), bare);

    assert_eq!(amount(&admin.again(&pod)).as_deref(), Some("2"));
    let touched = json!({ "metadata": { "labels": { "touched": "yes" } } });
    for object in [&stored, &pod] {
        new.admin().patch(&path_of(object), Patch::Merge, &touched).must();
    }
    assert_eq!(admin.again(&stored)["spec"]["devices"][0], json!({ "name": "dev-0" }));
    assert_eq!(amount(&admin.again(&pod)), None);
    set_list(&new, &pod, super::pod_status::list(Version::V1_37, "c", "cpu", "2"));
}

fn fact_downgrade_blocks_status_writes(_: &Bed) {
    let (old, new) = pair();
    prepare(&new);
    let pod = new.admin().create(&new_pod()).must();
    set_list(&new, &pod, super::pod_status::list(Version::V1_37, "c", "cpu", "2"));
    let condition = json!({ "type": "example.com/touched", "status": "True" });
    let patch = json!({ "status": { "conditions": [condition] } });
    let path = path_of(&pod) + "/status";
    let answer = old.admin().patch(&path, Patch::Strategic, &patch);
    answer.refused(422, "must not be empty");
}

/// A control plane of each version on one etcd, without anybody who writes by himself.
fn pair() -> (ControlPlane, ControlPlane) {
    let old = ControlPlane::start(&Options::new(Version::V1_36).api_only());
    let new = Options::new(Version::V1_37).api_only().on_etcd_of(&old);
    let new = ControlPlane::start(&new);
    (old, new)
}

fn prepare(cluster: &ControlPlane) {
    add_namespace(&cluster.admin(), NS);
    cluster.admin().create(&claim(NS, "c", &[])).must();
}

fn old_slice() -> Value {
    let device = fixed_device(Version::V1_36, "dev-0", &[("cpu", "2")]);
    slice("d.example.com", "n", &[device])
}

fn new_pod() -> Value {
    pod(NS, "p", "n", &["c"])
}

fn amount(pod: &Value) -> Option<String> {
    recorded_amount(pod, "c", "cpu")
}

fn set_list(cluster: &ControlPlane, pod: &Value, list: Value) {
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } });
    let path = path_of(pod) + "/status";
    cluster.admin().patch(&path, Patch::Strategic, &patch).must();
}
