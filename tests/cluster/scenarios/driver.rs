//! A driver as it is installed: a service account, a token bound to its pod, and the real publishing library.

use std::time::Duration;

use draguard_testbed::objects::{device_class, fixed_device, object, shared_device};
use draguard_testbed::{Client, Identity, Node, Patch, Publisher, bound_token, driver_pod, path_of, wait_for};
use serde_json::{Value, json};

use super::full_life::silent;
use crate::bed::{Bed, SOON};

const RBAC: &str = "rbac.authorization.k8s.io/v1";
const NAME: &str = "driver";
/// Time in which a driver that starts would write, if it had to.
const SETTLED: Duration = Duration::from_secs(5);

/// A driver on the node of a scenario.
pub struct Driver {
    client: Client,
    publisher: Publisher,
}

impl Driver {
    /// Installs a driver that only publishes, with its rights and device classes.
    pub fn install(bed: &Bed) -> Driver {
        Self::install_with(bed, |_, token| Publisher::start_as(bed.cluster, bed.version, token))
    }

    /// Installs a driver of a real node, on the kubelet plugin library.
    pub fn install_on(bed: &Bed, node: &Node) -> Driver {
        Self::install_with(bed, |pod, _| node.driver(bed.cluster, pod))
    }

    fn install_with(bed: &Bed, launch: impl FnOnce(&Value, &str) -> Publisher) -> Driver {
        let pod = driver_pod(&bed.admin, &bed.ns, NAME, &bed.node);
        grant_device_status(bed);
        let mine = format!("device.driver == '{}'", bed.driver);
        let plain = format!("'plain' in device.attributes['{}']", bed.driver);
        let whole = format!("{mine} && !device.allowMultipleAllocations && !({plain})");
        bed.admin.create(&class(bed, &whole_class(bed), &whole)).must();
        let mut unmapped = class(bed, &plain_class(bed), &format!("{mine} && {plain}"));
        unmapped["spec"]["extendedResourceName"] = json!(extended_resource(bed));
        bed.admin.create(&unmapped).must();
        let token = bound_token(&bed.admin, &pod);
        let client = bed.cluster.client(&Identity::Token(token.clone()));
        wait_for("the driver's rights to be known", SOON, || {
            client.get("/apis/resource.k8s.io/v1/resourceslices").result()
        });
        Driver { client, publisher: launch(&pod, &token) }
    }

    /// Publishes a pool of one slice and a pool of two, from generation 1.
    pub fn publish(&mut self, bed: &Bed) {
        let before = self.publisher.writes().len();
        let whole = |name: &str| vec![fixed_device(bed.version, name, &[("memory", "64Mi"), ("cpu", "100m")])];
        let slices = |slices: &[Vec<Value>]| {
            let slices: Vec<Value> = slices.iter().map(|devices| json!({ "devices": devices })).collect();
            json!({ "slices": slices })
        };
        let shared = slices(&[vec![shared_device(bed.version, "shared", "4")]]);
        let wide = slices(&[[whole("dev-0"), whole("dev-1"), whole("dev-2")].concat(), plain(&["dev-3", "dev-4"])]);
        let pools = json!({ bed.node.as_str(): shared, format!("{}-wide", bed.node): wide });
        self.publisher.publish(&bed.driver, &bed.node, pools);
        let written = self.publisher.wait_of_kind("write", before + 3, SOON).split_off(before);
        let fresh = |write: &Value| write["verb"] == "create" && write["generation"] == 1;
        assert!(written.iter().all(fresh), "{written:#?}");
        assert_eq!(self.publisher.errors(), Vec::<Value>::new());
    }

    /// Ends and starts again, and gives what it has written since.
    pub fn restart(&mut self, bed: &Bed) -> Vec<Value> {
        let (writes, starts) = (self.publisher.writes().len(), self.publisher.of_kind("started").len());
        self.publisher.restart(&bed.driver, &bed.node);
        self.publisher.wait_of_kind("started", starts + 1, SOON);
        std::thread::sleep(SETTLED);
        self.publisher.writes().split_off(writes)
    }

    /// The claims that the kubelet had it prepare, in order.
    pub fn prepared(&self) -> Vec<Value> {
        self.publisher.of_kind("prepared")
    }

    /// Ends without a write.
    pub fn stop(&mut self, bed: &Bed) {
        let stops = self.publisher.of_kind("stopped").len();
        self.publisher.stop(&bed.driver, &bed.node);
        self.publisher.wait_of_kind("stopped", stops + 1, SOON);
    }

    /// Writes into a claim's status how its device is.
    pub fn report_device(&self, bed: &Bed, claim: &str) {
        let path = format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/{claim}", bed.ns);
        let result = bed.admin.get(&path).must()["status"]["allocation"]["devices"]["results"][0].take();
        let up = json!({ "type": "Ready", "status": "True", "reason": "Up", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z" });
        let mut entry = json!({ "conditions": [up] });
        for field in ["driver", "pool", "device", "shareID"] {
            entry[field] = result[field].clone();
        }
        let status = json!({ "status": { "devices": [entry] } });
        silent(self.client.patch(&(path + "/status"), Patch::Merge, &status));
    }
}

/// Devices without a mapping.
fn plain(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| json!({ "name": name, "attributes": { "plain": { "bool": true } } })).collect()
}

fn class(bed: &Bed, name: &str, expression: &str) -> Value {
    let mut class = device_class(name, &bed.driver);
    class["spec"]["selectors"] = json!([{ "cel": { "expression": expression } }]);
    class
}

/// The class of the driver's devices without a mapping.
pub fn plain_class(bed: &Bed) -> String {
    format!("{}-plain", bed.ns)
}

/// The extended resource that such a device is, too.
pub fn extended_resource(bed: &Bed) -> String {
    format!("{}/plain", bed.driver)
}

/// The class of the driver's devices with a mapping that are not shared.
pub fn whole_class(bed: &Bed) -> String {
    format!("{}-whole", bed.ns)
}

/// The rights to write the status of its own devices, on its own node.
fn grant_device_status(bed: &Bed) {
    let name = format!("{}-device-status", bed.ns);
    let verbs = ["associated-node:update", "associated-node:patch"];
    let mut role = object(RBAC, "ClusterRole", None, &name);
    role["rules"] = json!([
        { "apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims/status"], "verbs": ["update", "patch"] },
        { "apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims/driver"], "verbs": verbs,
            "resourceNames": [bed.driver] },
    ]);
    bed.admin.create(&role).must();
    let mut binding = object(RBAC, "ClusterRoleBinding", None, &name);
    binding["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name });
    binding["subjects"] = json!([{ "kind": "ServiceAccount", "namespace": bed.ns, "name": NAME }]);
    let stored = bed.admin.create(&binding).must();
    assert_eq!(path_of(&stored), path_of(&binding));
}
