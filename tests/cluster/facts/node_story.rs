//! One life of a real node, lived once for each version; the facts about nodes look at its record.

use std::sync::OnceLock;
use std::time::Duration;

use draguard_testbed::{Node, Phase, Publisher, Review, Rule, Version, Webhook};
use draguard_testbed::{driver_pod, path_of, pool, runnable, wait_for, wait_until};
use serde_json::{Value, json};

use super::publisher::device;
use crate::bed::{Bed, SOON};

/// The kubelet wipes, and the driver's library looks again half a minute after that.
const REPUBLISHED: Duration = Duration::from_mins(2);

/// What was seen.
pub struct Story {
    /// The node, once it was ready.
    pub node: Value,
    /// The pod when it had been bound, when it ran, and after the kubelet's restart.
    pub bound: Value,
    pub running: Value,
    pub survived: Value,
    /// Its claim before and after that restart.
    pub claim: Value,
    pub claim_survived: Value,
    /// What the driver was told to prepare.
    pub prepared: Value,
    /// The driver's slices before and after the wipe, and at the end.
    pub slices_before: Vec<Value>,
    pub slices_after: Vec<Value>,
    pub slices_at_end: Vec<Value>,
    /// What the driver wrote after its own restart.
    pub writes_after_restart: Vec<Value>,
    reviews: Vec<Review>,
    driver: String,
}

impl Story {
    /// The kubelet's writes of one kind.
    pub fn by_kubelet(&self, what: &str) -> Vec<&Review> {
        let user = format!("system:node:{}", self.node["metadata"]["name"].as_str().expect("name"));
        self.by(&user, what)
    }

    /// The driver's writes of one kind.
    pub fn by_driver(&self, what: &str) -> Vec<&Review> {
        self.by(&self.driver, what)
    }

    fn by(&self, user: &str, what: &str) -> Vec<&Review> {
        self.reviews.iter().filter(|r| r.user() == user && r.what() == what).collect()
    }
}

/// The record of the version's node: the first fact that asks lives the story in its own corner.
pub fn story(bed: &Bed) -> &'static Story {
    static V1_36: OnceLock<Story> = OnceLock::new();
    static V1_37: OnceLock<Story> = OnceLock::new();
    let told = match bed.version {
        Version::V1_36 => &V1_36,
        Version::V1_37 => &V1_37,
    };
    told.get_or_init(|| live(bed))
}

fn live(bed: &Bed) -> Story {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceslices"]), Rule::core(&["pods/status"])];
    let _hook = bed.hook(&webhook, Phase::Validate, &rules);
    let mut node = Node::start(bed.cluster, &bed.node);
    let account = driver_pod(&bed.admin, &bed.ns, "driver", &bed.node);
    let mut driver = node.driver(bed.cluster, &account);
    publish(bed, &mut driver);
    let node_object = node.object();
    bed.add_class();
    let claim = bed.add_claim("claim");
    let created = bed.admin.create(&runnable(bed.pod("pod", &["claim"]))).must();
    let bound = bed.bound(&created);
    let running = runs(bed, &created);
    let prepared = driver.of_kind("prepared").remove(0);
    let claim = bed.admin.again(&claim);
    let slices_before = slices(bed);
    node.stop_kubelet();
    node.start_kubelet();
    let slices_after = published_again(bed, &slices_before);
    let (survived, claim_survived) = (runs(bed, &created), bed.admin.again(&claim));
    let writes_after_restart = restart(bed, &mut driver);
    bed.admin.delete(&path_of(&created)).must();
    let gone = || bed.admin.get(&path_of(&created)).code;
    wait_until("the pod to be gone", SOON, gone, |code| *code == 404);
    Story {
        node: node_object,
        bound,
        running,
        survived,
        claim,
        claim_survived,
        prepared,
        slices_before,
        slices_after,
        slices_at_end: slices(bed),
        writes_after_restart,
        reviews: webhook.seen(),
        driver: format!("system:serviceaccount:{}:driver", bed.ns),
    }
}

/// Denials count for nothing: v1.37 may take a moment to notice what the node declares.
fn publish(bed: &Bed, driver: &mut Publisher) {
    driver.publish(&bed.driver, &bed.node, pool(&bed.node, &[&[device(bed, "a", "100m")]]));
    wait_until("the first slice", SOON, || slices(bed).len(), |count| *count == 1);
}

fn published_again(bed: &Bed, before: &[Value]) -> Vec<Value> {
    wait_for("the driver's new slices", REPUBLISHED, || {
        let now = slices(bed);
        let new = now.iter().all(|slice| !before.iter().any(|old| same_name(old, slice)));
        if new && now.len() == before.len() { Ok(now) } else { Err(format!("{} slices", now.len())) }
    })
}

fn same_name(one: &Value, other: &Value) -> bool {
    one["metadata"]["name"] == other["metadata"]["name"]
}

fn restart(bed: &Bed, driver: &mut Publisher) -> Vec<Value> {
    let before = driver.writes().len();
    driver.restart(&bed.driver, &bed.node);
    driver.wait_of_kind("started", 2, SOON);
    std::thread::sleep(Duration::from_secs(5));
    driver.writes().split_off(before)
}

fn runs(bed: &Bed, pod: &Value) -> Value {
    wait_for("the pod to run", SOON, || {
        let now = bed.admin.get(&path_of(pod)).result()?;
        if now["status"]["phase"] == json!("Running") { Ok(now) } else { Err(now["status"].to_string()) }
    })
}

fn slices(bed: &Bed) -> Vec<Value> {
    let all = "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.driver%3D";
    bed.admin.list(&format!("{all}{}", bed.driver))
}
