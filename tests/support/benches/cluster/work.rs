//! The writes that are measured.

use std::time::{Duration, Instant};

use draguard_testbed::objects::{
    add_namespace, add_node, claim, device_class, fixed_device, node, pod, request, slice, wait_bound,
};
use draguard_testbed::{Client, ControlPlane, Patch, path_of, wait_for};
use serde_json::{Value, json};

/// What one measurement consists of.
pub const KINDS: [&str; 3] = ["slice update", "claim allocation", "pod start"];

const UPDATES: usize = 30;
const ALLOCATIONS: usize = 30;
const PODS: usize = 6;
const DEVICES: usize = 16;
const NODE: &str = "bench";
const NAMESPACE: &str = "bench";
const SOON: Duration = Duration::from_secs(60);
/// Short against a pod's start, long enough to leave the API server alone.
const PAUSE: Duration = Duration::from_millis(2);

/// A node with slices, on which the same work is done again and again.
pub struct Work {
    admin: Client,
    scheduler: Client,
    slice: Value,
    made: usize,
}

impl Work {
    /// Sets up node, class and slices: of one driver for pods, of another one for updates.
    pub fn new(cluster: &ControlPlane) -> Work {
        let admin = cluster.admin();
        add_namespace(&admin, NAMESPACE);
        add_node(&admin, &node(cluster.version(), NODE, "64", "256Gi"));
        admin.create(&device_class("bench", "pods.example.com")).must();
        let device = |nth| fixed_device(cluster.version(), &format!("cpu-{nth}"), &[("cpu", "2")]);
        let devices: Vec<Value> = (0..DEVICES).map(device).collect();
        let [_, slice] = ["pods", "updates"].map(|driver| {
            let slice = slice(&format!("{driver}.example.com"), NODE, &devices);
            // A server looks for a new node in a cache that may be behind.
            wait_for("the slice to be stored", SOON, || admin.create(&slice).result())
        });
        Work { scheduler: cluster.scheduler(), admin, slice, made: 0 }
    }

    /// Does all of it once, and gives the times by kind.
    pub fn measure(&mut self) -> [Vec<Duration>; 3] {
        let updates = (0..UPDATES).map(|_| self.update()).collect();
        let allocations = (0..ALLOCATIONS).map(|_| self.allocate()).collect();
        let pods = (0..PODS).map(|_| self.start_pod()).collect();
        [updates, allocations, pods]
    }

    /// A driver's update: the next generation of its pool.
    fn update(&mut self) -> Duration {
        let generation = self.slice["spec"]["pool"]["generation"].as_i64().unwrap_or_default();
        self.slice["spec"]["pool"]["generation"] = json!(generation + 1);
        let start = Instant::now();
        let answer = self.admin.replace(&self.slice);
        let time = start.elapsed();
        self.slice = answer.must();
        time
    }

    /// What the scheduler writes first for a pod with a claim.
    fn allocate(&mut self) -> Duration {
        let claim = self.claim();
        let device = format!("cpu-{}", self.made % DEVICES);
        let result = json!({ "request": "cpu", "driver": "updates.example.com", "pool": NODE, "device": device });
        let field = json!({ "key": "metadata.name", "operator": "In", "values": [NODE] });
        let allocation = json!({
            "devices": { "results": [result] },
            "nodeSelector": { "nodeSelectorTerms": [{ "matchFields": [field] }] },
        });
        let path = path_of(&claim) + "/status";
        let patch = json!({ "status": { "allocation": allocation } });
        let start = Instant::now();
        let answer = self.scheduler.patch(&path, Patch::Merge, &patch);
        let time = start.elapsed();
        answer.must();
        self.admin.delete(&path_of(&claim));
        time
    }

    /// From the pod's creation until the real scheduler has bound it.
    fn start_pod(&mut self) -> Duration {
        let claim = self.claim();
        let name = claim["metadata"]["name"].as_str().unwrap_or_default();
        let pod = pod(NAMESPACE, name, NODE, &[name]);
        let start = Instant::now();
        let created = self.admin.create(&pod).must();
        while !self.admin.again(&created)["spec"]["nodeName"].is_string() && start.elapsed() < SOON {
            std::thread::sleep(PAUSE);
        }
        let time = start.elapsed();
        wait_bound(&self.admin, &created, SOON);
        self.clear(&[&created, &claim]);
        time
    }

    fn claim(&mut self) -> Value {
        self.made += 1;
        let name = format!("work-{}", self.made);
        self.admin.create(&claim(NAMESPACE, &name, &[request("cpu", "bench")])).must()
    }

    /// Deletes objects at once, and waits until they are gone, so that the next pod finds all devices free.
    fn clear(&self, objects: &[&Value]) {
        for object in objects {
            let path = path_of(object);
            self.admin.delete(&format!("{path}?gracePeriodSeconds=0"));
            wait_for(&format!("{path} to be gone"), SOON, || match self.admin.get(&path).code {
                404 => Ok(()),
                code => Err(format!("code {code}")),
            });
        }
    }
}
