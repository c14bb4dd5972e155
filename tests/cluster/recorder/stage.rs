//! The cluster that the stories are played on, and the names of their recordings.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use draguard_testbed::objects::{add_namespace, add_node, device_class, node, object};
use draguard_testbed::{Client, ControlPlane, Hook, Options, Patch, Phase, Review, Rule, Version, Webhook};
use draguard_testbed::{path_of, wait_for};
use serde_json::{Value, json};

use crate::bed::SOON;

/// A review and the name of its file.
pub struct Recorded {
    /// `<story>-<nn>-<phase>-<operation>-<resource>[.<subresource>]`.
    pub name: String,
    /// The review.
    pub review: Review,
}

/// A small cluster: nodes a and b, drivers on them, classes `cpu` and `gpu`, all writes recorded.
pub struct Stage {
    /// The version.
    pub version: Version,
    /// An administrator.
    pub admin: Client,
    /// The cpu driver of node a.
    pub cpu_driver: Client,
    /// The cpu driver of node b.
    pub cpu_driver_b: Client,
    /// The gpu driver of node a.
    pub gpu_driver: Client,
    /// The kubelet of node a.
    pub kubelet: Client,
    recorded: Vec<Recorded>,
    expected: BTreeSet<String>,
    webhook: Webhook,
    _hooks: [Hook; 2],
    _cluster: ControlPlane,
}

/// The drivers' namespace.
const DRIVERS: &str = "dra-system";

impl Stage {
    /// Sets up the cluster and starts to record; each story is waited for until it has all of the names in `expected`.
    pub fn set(version: Version, expected: BTreeSet<String>) -> Stage {
        let cluster = ControlPlane::start(&Options::new(version));
        let admin = cluster.admin();
        wait_for("the default service account", SOON, || {
            admin.get("/api/v1/namespaces/default/serviceaccounts/default").result()
        });
        for name in ["node-a", "node-b"] {
            let mut node = node(version, name, "62", "256Gi");
            node["metadata"]["labels"]["topology.kubernetes.io/zone"] = json!("zone-1");
            for amounts in ["capacity", "allocatable"] {
                node["status"][amounts]["hugepages-2Mi"] = json!("8Gi");
            }
            add_node(&admin, &node);
        }
        add_namespace(&admin, DRIVERS);
        for name in ["cpu", "gpu"] {
            admin.create(&device_class(name, &format!("{name}.example.com"))).must();
            allow(&admin, name);
        }
        let cpu_driver = driver(&cluster, "cpu", "node-a");
        let cpu_driver_b = driver(&cluster, "cpu", "node-b");
        let gpu_driver = driver(&cluster, "gpu", "node-a");
        let webhook = Webhook::recording();
        let hooks = [Phase::Mutate, Phase::Validate].map(|phase| record(&admin, &webhook, phase));
        webhook.forget();
        let kubelet = cluster.kubelet("node-a");
        Stage {
            version,
            admin,
            cpu_driver,
            cpu_driver_b,
            gpu_driver,
            kubelet,
            recorded: Vec::new(),
            expected,
            webhook,
            _hooks: hooks,
            _cluster: cluster,
        }
    }

    /// Plays a story and keeps its reviews.
    pub fn story(&mut self, name: &str, play: impl FnOnce(&Stage)) {
        play(self);
        self.wait_expected(name);
        let reviews = self.settled();
        for (number, review) in reviews.into_iter().enumerate() {
            let name = format!("{name}-{:02}-{}", number + 1, step(&review));
            self.recorded.push(Recorded { name, review });
        }
    }

    /// The controllers and the scheduler write in their own time. What does not come at all the comparison tells.
    fn wait_expected(&self, story: &str) {
        let start = Instant::now();
        let of_story = |name: &&String| name.starts_with(&format!("{story}-"));
        let expected: BTreeSet<&String> = self.expected.iter().filter(of_story).collect();
        let seen = || -> BTreeSet<String> {
            self.webhook.seen().iter().map(|review| format!("{story}-{}", step(review))).collect()
        };
        while start.elapsed() < SOON && !expected.iter().all(|name| seen().contains(*name)) {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Does what is no story.
    pub fn quietly(&self, play: impl FnOnce(&Stage)) {
        play(self);
        self.settled();
    }

    /// What was recorded.
    pub fn recorded(&self) -> &[Recorded] {
        &self.recorded
    }

    /// The writes of a story, once nothing more has come for a while.
    fn settled(&self) -> Vec<Review> {
        let mut seen = 0;
        loop {
            std::thread::sleep(Duration::from_millis(700));
            let reviews = self.webhook.writes();
            if reviews.len() == seen {
                self.webhook.forget();
                return reviews;
            }
            seen = reviews.len();
        }
    }
}

/// Phase, operation and resource, as in a file's name.
fn step(review: &Review) -> String {
    let phase = if review.phase == Phase::Mutate { "mutate" } else { "validate" };
    format!("{phase}-{}", review.what().replace(' ', "-").replace('/', "."))
}

fn record(admin: &Client, webhook: &Webhook, phase: Phase) -> Hook {
    let dra = ["resourceslices", "resourceclaims", "resourceclaims/status", "resourceclaimtemplates"];
    let rules = [Rule::dra(&dra), Rule::core(&["pods", "pods/status", "pods/binding", "bindings"])];
    Hook::install(admin, webhook, phase, "default", &rules, |entry| {
        entry["matchConditions"] = json!([]);
    })
}

fn allow(admin: &Client, driver: &str) {
    let rule = |resource: &str, verbs: &[&str]| json!({ "apiGroups": ["resource.k8s.io"], "resources": [resource], "verbs": verbs });
    let mut own = rule("resourceclaims/driver", &["associated-node:update", "associated-node:patch"]);
    own["resourceNames"] = json!([format!("{driver}.example.com")]);
    let rbac = "rbac.authorization.k8s.io/v1";
    let mut role = object(rbac, "ClusterRole", None, &format!("{driver}-driver"));
    role["rules"] = json!([rule("resourceslices", &["*"]), rule("resourceclaims/status", &["update", "patch"]), own]);
    admin.create(&role).must();
    let mut binding = object(rbac, "ClusterRoleBinding", None, &format!("{driver}-driver"));
    let group = "rbac.authorization.k8s.io";
    binding["roleRef"] = json!({ "apiGroup": group, "kind": "ClusterRole", "name": format!("{driver}-driver") });
    binding["subjects"] =
        json!([{ "kind": "ServiceAccount", "name": format!("{driver}-driver"), "namespace": DRIVERS }]);
    admin.create(&binding).must();
    admin.create(&object("v1", "ServiceAccount", Some(DRIVERS), &format!("{driver}-driver"))).must();
}

/// A driver with a token bound to its pod on a node.
fn driver(cluster: &ControlPlane, driver: &str, node: &str) -> Client {
    let account = format!("{driver}-driver");
    let name = format!("{account}-{node}");
    let mut pod = draguard_testbed::objects::pod(DRIVERS, &name, node, &[]);
    pod["spec"]["serviceAccountName"] = json!(account);
    pod["spec"]["nodeName"] = json!(node);
    let pod = cluster.admin().create(&pod).must();
    let client = cluster.service_account(DRIVERS, &account, &pod);
    wait_for("the driver's rights to be known", SOON, || {
        client.get("/apis/resource.k8s.io/v1/resourceslices").result()
    });
    client
}

/// Merges into an object's status.
pub fn set_status(client: &Client, object: &Value, status: Value) -> draguard_testbed::Answer {
    client.patch(&(path_of(object) + "/status"), Patch::Merge, &json!({ "status": status }))
}
