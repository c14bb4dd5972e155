//! A cluster moves from v1.36 to v1.37, and gets draguard then: what was born before is no reason to say a word.

use draguard_testbed::objects::{FEATURE, fixed_device, recorded, recorded_amount};
use draguard_testbed::{
    ControlPlane, Identity, Options, Patch, Publisher, Version, bound_token, driver_pod, path_of, pool, wait_for,
};
use serde_json::{Value, json};

use super::full_life::silent;
use super::guard::Guard;
use crate::bed::{Bed, SOON};

const NAME: &str = "upgrade";

/// From a pod of v1.36 to its end under v1.37.
pub fn run() {
    let mut old = ControlPlane::start(&Options::new(Version::V1_36));
    let (account, pod) = born(&Bed::on(&old, NAME));
    old.stop_controllers();
    let new = ControlPlane::start(&Options::new(Version::V1_37).on_etcd_of(&old));
    let bed = Bed::at(&new, NAME);
    declare(&bed);
    let guard = Guard::before(&bed);
    nothing_is_left(&bed, &pod);
    kubelet_goes_on(&bed, &pod);
    let _publisher = published(&bed, &account);
    let fresh = next_pod(&bed, "fresh");
    assert_eq!(recorded_amount(&fresh, "fresh", "cpu").as_deref(), Some("2"));
    released(&bed, &pod);
    guard.must_be_content();
}

/// The driver's pod, and a counted pod with a claim.
fn born(bed: &Bed) -> (Value, Value) {
    bed.add_node();
    bed.add_class();
    let account = driver_pod(&bed.admin, &bed.ns, "driver", &bed.node);
    let _publisher = published(bed, &account);
    let pod = next_pod(bed, "born");
    assert_eq!(recorded_amount(&pod, "born", "cpu").as_deref(), Some("2"));
    (account, pod)
}

/// The real library of the cluster's version, until its slice is stored with the mappings.
fn published(bed: &Bed, account: &Value) -> Publisher {
    let token = bound_token(&bed.admin, account);
    let client = bed.cluster.client(&Identity::Token(token.clone()));
    let slices = format!("/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.driver%3D{}", bed.driver);
    wait_for("the driver's rights to be known", SOON, || client.get(&slices).result());
    let mut publisher = Publisher::start_as(bed.cluster, bed.version, &token);
    let devices = ["dev-0", "dev-1"].map(|name| fixed_device(bed.version, name, &[("cpu", "2")]));
    publisher.publish(&bed.driver, &bed.node, pool(&bed.node, &[&devices]));
    wait_for("the mappings to be stored", SOON, || {
        let stored = bed.admin.list(&slices);
        let mapped = stored.iter().any(|slice| slice["spec"]["devices"] == json!(devices));
        if mapped { Ok(()) } else { Err(format!("{stored:?} {:?}", publisher.events())) }
    });
    publisher
}

fn next_pod(bed: &Bed, name: &str) -> Value {
    bed.add_claim(name);
    bed.bound(&silent(bed.admin.create(&bed.pod(name, &[name]))))
}

/// What the node's new kubelet says of itself.
fn declare(bed: &Bed) {
    let declared = json!({ "status": { "declaredFeatures": [FEATURE] } });
    bed.admin.patch(&format!("/api/v1/nodes/{}/status", bed.node), Patch::Merge, &declared).must();
}

/// Neither mapping nor amount survives.
fn nothing_is_left(bed: &Bed, pod: &Value) {
    let slices = bed.admin.list("/apis/resource.k8s.io/v1/resourceslices");
    let devices = &slices.first().expect("the slice")["spec"]["devices"];
    assert_eq!(*devices, json!([{ "name": "dev-0" }, { "name": "dev-1" }]));
    let bare = json!([{ "resourceClaimName": "born", "containers": ["main"] }]);
    assert_eq!(*recorded(&bed.admin.again(pod)), bare);
}

/// A patch, and the whole status as it was read.
fn kubelet_goes_on(bed: &Bed, pod: &Value) {
    let kubelet = bed.cluster.kubelet(&bed.node);
    let running = json!({ "status": { "phase": "Running" } });
    let now = silent(kubelet.patch(&(path_of(pod) + "/status"), Patch::Strategic, &running));
    silent(kubelet.replace_status(&now));
}

fn released(bed: &Bed, pod: &Value) {
    silent(bed.admin.delete(&path_of(pod)));
    let claim = format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/born", bed.ns);
    wait_for("the claim to be released", SOON, || {
        let now = bed.admin.get(&claim).result()?;
        let free = now["status"]["allocation"].is_null() && now["metadata"]["finalizers"].is_null();
        if free { Ok(()) } else { Err(now["status"].to_string()) }
    });
    silent(bed.admin.delete(&claim));
}
