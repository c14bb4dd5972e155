//! What each fact gets: a namespace, a node and a driver of its own on a shared control plane.

use std::time::Duration;

use draguard_testbed::objects::{self, add_namespace, add_node};
use draguard_testbed::{Answer, Client, ControlPlane, Hook, Phase, Review, Rule, Version, Webhook};
use serde_json::Value;

use crate::planes::Planes;

/// Long enough for whatever the cluster does soon, also on a busy machine.
pub const SOON: Duration = Duration::from_mins(2);

/// A fact's own corner of a cluster.
pub struct Bed<'a> {
    /// The control plane, which others use too.
    pub cluster: &'a ControlPlane,
    /// Its version.
    pub version: Version,
    /// An administrator.
    pub admin: Client,
    /// The fact's namespace; also the name of its device class.
    pub ns: String,
    /// The fact's node.
    pub node: String,
    /// The fact's driver.
    pub driver: String,
}

impl<'a> Bed<'a> {
    /// A corner with a namespace.
    pub fn new(planes: &'a Planes, version: Version, fact: &str) -> Bed<'a> {
        Self::on(planes.of(version), fact)
    }

    /// A corner on a control plane of the fact's own.
    pub fn on(cluster: &'a ControlPlane, fact: &str) -> Bed<'a> {
        let bed = Self::at(cluster, fact);
        add_namespace(&bed.admin, &bed.ns);
        bed
    }

    /// A corner that is there already, on another control plane's etcd.
    pub fn at(cluster: &'a ControlPlane, fact: &str) -> Bed<'a> {
        let ns = short_name(fact);
        Bed {
            cluster,
            version: cluster.version(),
            admin: cluster.admin(),
            node: format!("{ns}-node"),
            driver: format!("{ns}.example.com"),
            ns,
        }
    }

    /// Adds the node, with 8 cpu and 16 Gi.
    pub fn add_node(&self) {
        self.add_node_named(&self.node);
    }

    /// Adds another node of that size.
    pub fn add_node_named(&self, name: &str) {
        add_node(&self.admin, &objects::node(self.version, name, "8", "16Gi"));
    }

    /// Adds the node, the device class and a slice with these devices.
    pub fn publish(&self, devices: &[Value]) {
        self.add_node();
        self.add_class();
        self.store_slice(devices).must();
    }

    /// Adds the device class.
    pub fn add_class(&self) {
        self.admin.create(&objects::device_class(&self.ns, &self.driver)).must();
    }

    /// Stores the node's slice. On v1.37 the server looks for the node in a cache that may be behind.
    pub fn store_slice(&self, devices: &[Value]) -> Answer {
        self.create_slice(&self.slice(devices))
    }

    /// Stores a slice, again and again while the server has not noticed its node yet.
    pub fn create_slice(&self, slice: &Value) -> Answer {
        self.post_slice(slice, "")
    }

    /// Asks whether a slice would be stored.
    pub fn create_dry(&self, slice: &Value) -> Answer {
        self.post_slice(slice, "?dryRun=All")
    }

    fn post_slice(&self, slice: &Value, query: &str) -> Answer {
        let version = slice["apiVersion"].as_str().expect("apiVersion");
        let path = format!("/apis/{version}/resourceslices{query}");
        let start = std::time::Instant::now();
        loop {
            let answer = self.admin.post(&path, slice);
            let unnoticed = answer.code == 403 && answer.message().contains("not found for device");
            if !unnoticed || start.elapsed() > SOON {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the scheduler knows every slice stored so far: it binds a pod to a device of another driver, whose
    /// slice is stored after them. A pod that is quicker than its slice is told that nothing fits, whatever would.
    pub fn slices_known(&self) {
        let (driver, class) = (format!("control-{}", self.driver), format!("control-{}", self.ns));
        self.admin.create(&objects::device_class(&class, &driver)).must();
        self.create_slice(&objects::slice(&driver, &self.node, &[objects::device("control")])).must();
        self.add_claim_for("control", &[objects::request("r", &class)]);
        self.bound(&self.add_pod("control", &["control"]));
    }

    /// The node's slice.
    pub fn slice(&self, devices: &[Value]) -> Value {
        objects::slice(&self.driver, &self.node, devices)
    }

    /// A device that takes two cpu.
    pub fn device(&self) -> Value {
        objects::fixed_device(self.version, "dev-0", &[("cpu", "2")])
    }

    /// Creates a claim for one whole device.
    pub fn add_claim(&self, name: &str) -> Value {
        self.add_claim_for(name, &[objects::request("r", &self.ns)])
    }

    /// Creates a claim for a part of a shared device.
    pub fn add_cores_claim(&self, name: &str, cores: &str) -> Value {
        self.add_claim_for(name, &[objects::cores_request("r", &self.ns, cores)])
    }

    /// Creates a claim with these requests.
    pub fn add_claim_for(&self, name: &str, requests: &[Value]) -> Value {
        self.admin.create(&objects::claim(&self.ns, name, requests)).must()
    }

    /// Creates a pod that uses claims.
    pub fn add_pod(&self, name: &str, claims: &[&str]) -> Value {
        self.admin.create(&self.pod(name, claims)).must()
    }

    /// A pod that uses claims.
    pub fn pod(&self, name: &str, claims: &[&str]) -> Value {
        objects::pod(&self.ns, name, &self.node, claims)
    }

    /// Waits until a pod is bound.
    pub fn bound(&self, pod: &Value) -> Value {
        objects::wait_bound(&self.admin, pod, SOON)
    }

    /// Waits until the scheduler says of a pending pod what contains `text`.
    pub fn pending(&self, pod: &Value, text: &str) -> Value {
        objects::wait_pending(&self.admin, pod, text, SOON)
    }

    /// Has a webhook called for the fact's own objects.
    pub fn hook(&self, webhook: &Webhook, phase: Phase, rules: &[Rule]) -> Hook {
        self.hook_with(webhook, phase, rules, |_| {})
    }

    /// Likewise, with a change of the webhook's entry.
    pub fn hook_with(&self, webhook: &Webhook, phase: Phase, rules: &[Rule], change: impl FnOnce(&mut Value)) -> Hook {
        Hook::install(&self.admin, webhook, phase, &self.ns, rules, change)
    }
}

impl Drop for Bed<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: logs are kept in {}", self.ns, self.cluster.keep_logs().display());
        }
    }
}

/// What the reviews of a webhook were about, in order: `update pods/status` and so on.
pub fn stories(reviews: &[Review]) -> Vec<String> {
    reviews.iter().map(Review::what).collect()
}

/// A name that fits wherever Kubernetes wants a label, with room for a suffix.
fn short_name(fact: &str) -> String {
    let name = fact.trim_start_matches("fact_").replace('_', "-");
    let hash = name.bytes().fold(7u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
    let start: String = name.chars().take(24).collect();
    format!("{}-{:04x}", start.trim_end_matches('-'), hash & 0xffff)
}
