//! What the life is lived on: a real node with two drivers, draguard in front, and a webhook that records.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use draguard_testbed::objects::{device_class, fixed_device};
use draguard_testbed::{
    Hook, Node, Phase, Publisher, Review, Rule, Verdict, Webhook, driver_pod, path_of, pool, wait_for, wait_until,
};
use serde_json::{Value, json};

use crate::bed::{Bed, SOON};
use crate::scenarios::driver::Driver;
use crate::scenarios::guard::Guard;

/// The node and all that runs on it and in front of it. Fields are dropped in this order.
pub struct Stage<'a> {
    /// A driver that stays.
    pub driver: Driver,
    /// A driver that leaves for a while.
    pub leaver: Publisher,
    /// The node.
    pub node: Node,
    _hook: Hook,
    /// Sees every write, and refuses those that [`Stage::refuse_wipes`] says.
    pub webhook: Webhook,
    /// draguard.
    pub guard: Guard,
    /// The cluster's corner.
    pub bed: &'a Bed<'a>,
}

impl<'a> Stage<'a> {
    /// Starts everything; both drivers have published.
    pub fn set(bed: &'a Bed<'a>) -> Stage<'a> {
        let node = Node::start(bed.cluster, &bed.node);
        bed.add_class();
        let guard = Guard::before(bed);
        let webhook = Webhook::recording();
        let hook = Hook::install(&bed.admin, &webhook, Phase::Validate, &bed.ns, &everything(), |entry| {
            entry["matchConditions"] = json!([]);
        });
        let mut driver = Driver::install_on(bed, &node);
        driver.publish(bed);
        let pod = driver_pod(&bed.admin, &bed.ns, "leaver", &bed.node);
        let leaver = node.driver(bed.cluster, &pod);
        let mut stage = Stage { driver, leaver, node, _hook: hook, webhook, guard, bed };
        bed.admin.create(&device_class(&stage.leaving_class(), &stage.leaving_driver())).must();
        stage.publish_leaver();
        stage
    }

    /// Starts the driver that leaves, with one device.
    pub fn publish_leaver(&mut self) {
        let device = fixed_device(self.bed.version, "dev-0", &[("cpu", "100m")]);
        let (driver, node) = (self.leaving_driver(), &self.bed.node);
        self.leaver.publish(&driver, node, pool(node, &[&[device]]));
        wait_until("the slice of the driver", SOON, || self.slices(&driver).len(), |count| *count == 1);
    }

    /// The name of the driver that leaves.
    pub fn leaving_driver(&self) -> String {
        format!("{}-leaver.example.com", self.bed.ns)
    }

    /// The class of its devices.
    pub fn leaving_class(&self) -> String {
        format!("{}-leaver", self.bed.ns)
    }

    /// The slices of a driver.
    pub fn slices(&self, driver: &str) -> Vec<Value> {
        self.bed.admin.list(&format!("/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.driver%3D{driver}"))
    }

    /// Waits until a pod runs.
    pub fn runs(&self, pod: &Value) -> Value {
        wait_for("the pod to run", SOON, || {
            let now = self.bed.admin.get(&path_of(pod)).result()?;
            if now["status"]["phase"] == json!("Running") { Ok(now) } else { Err(now["status"].to_string()) }
        })
    }

    /// Waits until an object is gone.
    pub fn gone(&self, object: &Value) {
        let look = || self.bed.admin.get(&path_of(object));
        wait_for(&format!("{} to be gone", path_of(object)), SOON, || match look() {
            answer if answer.code == 404 => Ok(()),
            answer => Err(answer.body.to_string()),
        });
    }

    /// Waits until nobody holds a claim.
    pub fn released(&self, claim: &Value) {
        wait_for("the claim to be released", SOON, || {
            let now = self.bed.admin.get(&path_of(claim)).result()?;
            let free = now["status"]["allocation"].is_null() && now["metadata"]["finalizers"].is_null();
            if free { Ok(()) } else { Err(now["status"].to_string()) }
        });
    }

    /// Refuses the next `count` deletions of a driver's slices, and gives when each deletion was asked for.
    pub fn refuse_wipes(&self, driver: &str, count: usize) -> Arc<Mutex<Vec<Instant>>> {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (driver, times) = (driver.to_owned(), Arc::clone(&asked));
        self.webhook.behave(move |review| {
            if !deletes_slice_of(review, &driver) {
                return Verdict::Allow;
            }
            let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
            times.push(Instant::now());
            if times.len() > count { Verdict::Allow } else { Verdict::deny(403, "the slices are needed") }
        });
        asked
    }
}

fn deletes_slice_of(review: &Review, driver: &str) -> bool {
    review.what() == "delete resourceslices" && review.old_object()["spec"]["driver"] == json!(driver)
}

fn everything() -> [Rule; 2] {
    let dra = ["resourceslices", "resourceclaims", "resourceclaims/status", "resourceclaimtemplates"];
    [Rule::dra(&dra), Rule::core(&["pods", "pods/status", "pods/binding"])]
}
