//! Pods from a fixed sequence: containers, sidecars, pod-level resources, overhead, resizes and lists in every mix.

use draguard::model::version::Version;
use serde_json::{Map, Value, json};

/// Amounts that a resource is written with.
const AMOUNTS: [(&str, &[&str]); 5] = [
    ("cpu", &["0", "100u", "250m", "1", "1.5", "1500m", "3"]),
    ("memory", &["64Mi", "1Gi", "1.5Gi", "128974848", "1e9", "3G", "400m"]),
    ("ephemeral-storage", &["1Gi", "2G", "512Mi"]),
    ("hugepages-2Mi", &["2Mi", "4Mi", "1Gi"]),
    ("example.com/device", &["1", "2"]),
];

/// A linear congruential sequence: the same pods in every run.
pub(crate) struct Pods {
    random: u64,
    version: Version,
}

impl Pods {
    pub(crate) fn of(version: Version) -> Self {
        Self { random: 5517, version }
    }

    fn pod(&mut self) -> Value {
        let mut containers = Vec::new();
        for nth in 0..=self.below(3) {
            containers.push(self.container(&format!("c{nth}"), 8));
        }
        let mut init_containers = Vec::new();
        for nth in 0..self.below(4) {
            init_containers.push(self.container(&format!("i{nth}"), 2));
        }
        let mut spec = json!({ "containers": containers, "initContainers": init_containers });
        if self.one_in(3) {
            spec["resources"] = json!({ "requests": self.amounts() });
        }
        if self.one_in(3) {
            spec["overhead"] = self.amounts();
        }
        json!({ "spec": spec, "status": self.status() })
    }

    fn container(&mut self, name: &str, sidecar: usize) -> Value {
        let mut container = json!({ "name": name, "resources": { "requests": self.amounts() } });
        if self.one_in(sidecar) {
            container["restartPolicy"] = json!("Always");
        }
        container
    }

    fn status(&mut self) -> Value {
        let mut status = json!({ "phase": "Running", "conditions": self.conditions() });
        if self.one_in(2) {
            status["containerStatuses"] = self.statuses(&["c0", "c1", "c2", "i0"]);
            status["initContainerStatuses"] = self.statuses(&["i0", "i1", "i2", "c0"]);
        }
        if self.one_in(3) {
            self.give(&mut status);
        }
        let mut claims = Vec::new();
        for nth in 0..self.below(4) {
            claims.push(self.claim(nth));
        }
        status["nodeAllocatableResourceClaimStatuses"] = json!(claims);
        status
    }

    fn conditions(&mut self) -> Value {
        let pending = |reason| json!({ "type": "PodResizePending", "reason": reason });
        let ready = json!({ "type": "Ready", "reason": "Infeasible" });
        self.pick(&[
            json!([]),
            json!([ready]),
            json!([ready, pending("Infeasible")]),
            json!([pending("Deferred"), pending("Infeasible")]),
            json!([pending("Infeasible"), pending("Deferred")]),
        ])
    }

    /// A status may be missing, or stand there twice.
    fn statuses(&mut self, names: &[&str]) -> Value {
        let mut statuses = Vec::new();
        for _ in 0..self.below(5) {
            let mut status = json!({ "name": self.pick(names) });
            self.give(&mut status);
            statuses.push(status);
        }
        json!(statuses)
    }

    fn give(&mut self, status: &mut Value) {
        if !self.one_in(4) {
            status["allocatedResources"] = self.amounts();
        }
        if !self.one_in(4) {
            status["resources"] = self.pick(&[json!({}), json!({ "requests": {} }), json!(null)]);
        }
        if !self.one_in(4) {
            status["resources"] = json!({ "requests": self.amounts(), "limits": self.amounts() });
        }
    }

    fn claim(&mut self, nth: usize) -> Value {
        let containers: Vec<String> = (0..self.below(4)).map(|nth| format!("c{nth}")).collect();
        let mut claim = json!({ "resourceClaimName": format!("claim-{nth}"), "containers": containers });
        match self.version {
            Version::V136 => claim["resources"] = self.amounts(),
            Version::V137 => {
                claim["mapping"] = self.list(&["quantity"]);
                claim["overhead"] = self.list(&["perPod", "perContainer"]);
            }
        }
        claim
    }

    /// Amounts as a list, each under some of the fields.
    fn list(&mut self, fields: &[&str]) -> Value {
        let mut list = Vec::new();
        for (resource, texts) in AMOUNTS {
            if self.one_in(2) {
                continue;
            }
            let mut item = json!({ "name": resource });
            for field in fields {
                if !self.one_in(4) {
                    item[*field] = json!(self.pick(texts));
                }
            }
            list.push(item);
        }
        json!(list)
    }

    fn amounts(&mut self) -> Value {
        let mut amounts = Map::new();
        for (resource, texts) in AMOUNTS {
            if self.one_in(2) {
                amounts.insert(resource.to_owned(), json!(self.pick(texts)));
            }
        }
        Value::Object(amounts)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).expect("31 bits") % end
    }
}

impl Iterator for Pods {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        Some(self.pod())
    }
}
