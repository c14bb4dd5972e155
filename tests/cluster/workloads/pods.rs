//! Random claims and pods.

use draguard_testbed::objects::{claim, claim_template, object};
use serde_json::{Value, json};

use super::mapping::CAPACITY;
use super::random::Random;
use super::world::{Driver, HEAVY, NAMESPACE, NODES, node_name};

/// The names of pods whose first binding is refused begin so.
pub const RETRIED: &str = "retried-";

/// The names of pods that are never bound begin so: their claims stay allocated when they go.
pub const STRANDED: &str = "stranded-";

/// A pod and what has to be made before it.
pub struct Workload {
    /// Claims and templates.
    pub before: Vec<Value>,
    /// The pod.
    pub pod: Value,
}

/// Makes workloads, and remembers which claims others can use too.
pub struct Pods<'r> {
    random: &'r mut Random,
    made: usize,
    /// Named claims that the next pods may share.
    shared: Vec<String>,
    /// Those of the pod that is being made.
    sharable: Vec<String>,
    /// Named claims that were used before, and are free again.
    pub free: Vec<String>,
}

impl<'r> Pods<'r> {
    pub fn new(random: &'r mut Random) -> Pods<'r> {
        Pods { random, made: 0, shared: Vec::new(), sharable: Vec::new(), free: Vec::new() }
    }

    /// The source of numbers.
    pub fn random(&mut self) -> &mut Random {
        self.random
    }

    /// Nobody joins claims that are in use: what they cost has changed since.
    pub fn forget_shared(&mut self) {
        self.shared.clear();
    }

    /// The next workload.
    pub fn next(&mut self, may_strand: bool) -> Workload {
        self.made += 1;
        let kind = match self.random.below(20) {
            0 | 1 => RETRIED,
            2 if may_strand => STRANDED,
            _ => "pod-",
        };
        let name = format!("{kind}{}", self.made);
        let mut pod = self.bare_pod(&name);
        let mut before = Vec::new();
        let count = self.random.pick(&[0, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
        for nth in 0..count {
            let (reference, made) = self.claim(&format!("c{nth}"), &name);
            before.extend(made);
            self.refer(&mut pod, reference);
        }
        self.shared.append(&mut self.sharable);
        Workload { before, pod }
    }

    /// The reference of a pod, and what has to be made for it.
    fn claim(&mut self, reference: &str, pod: &str) -> (Value, Option<Value>) {
        let named = |claim: &str| json!({ "name": reference, "resourceClaimName": claim });
        if self.random.chance(15) && !self.shared.is_empty() {
            let nth = self.random.below(self.shared.len());
            return (named(&self.shared.swap_remove(nth)), None);
        }
        let free = if self.random.chance(50) { self.free.pop() } else { None };
        if let Some(free) = free {
            return (named(&free), None);
        }
        let name = format!("{pod}-{reference}");
        let (requests, can_be_shared) = self.requests();
        if self.random.chance(50) {
            let reference = json!({ "name": reference, "resourceClaimTemplateName": name });
            return (reference, Some(claim_template(NAMESPACE, &name, &requests)));
        }
        if can_be_shared {
            self.sharable.push(name.clone());
        }
        (named(&name), Some(claim(NAMESPACE, &name, &requests)))
    }

    /// One or two requests, and whether the scheduler lets several pods use the claim: without a mapping it does.
    fn requests(&mut self) -> (Vec<Value>, bool) {
        let driver = self.driver();
        let mut requests = vec![self.request("r0", driver)];
        if self.random.chance(20) {
            let second = self.driver();
            requests.push(self.request("r1", second));
            return (requests, false);
        }
        (requests, matches!(driver, Driver::Plain | Driver::Light))
    }

    fn driver(&mut self) -> Driver {
        use Driver as D;
        let often = [D::Fixed, D::Fixed, D::Fixed, D::Shared, D::Shared, D::Heavy, D::Heavy, D::Light];
        let seldom = [D::Everywhere, D::Everywhere, D::Somewhere, D::Each, D::Plain];
        if self.random.chance(65) { self.random.pick(&often) } else { self.random.pick(&seldom) }
    }

    fn request(&mut self, name: &str, driver: Driver) -> Value {
        let mut exactly = json!({ "deviceClassName": driver.class() });
        if driver.is_shared() {
            for (key, amounts) in CAPACITY.map(|(key, _)| key).iter().zip([["1", "2"], ["512Mi", "1Gi"]]) {
                exactly["capacity"]["requests"][key] = json!(self.random.pick(&amounts));
            }
            return json!({ "name": name, "exactly": exactly });
        }
        match self.random.below(10) {
            0 => exactly["adminAccess"] = json!(true),
            1 | 2 => exactly["count"] = json!(2),
            3 => return list(name, driver),
            _ => {}
        }
        json!({ "name": name, "exactly": exactly })
    }

    /// Each claim in at least one container.
    fn refer(&mut self, pod: &mut Value, reference: Value) {
        let name = reference["name"].clone();
        push(&mut pod["spec"]["resourceClaims"], reference);
        let mut users: Vec<(&str, usize)> = Vec::new();
        for field in ["containers", "initContainers"] {
            let count = pod["spec"][field].as_array().map_or(0, Vec::len);
            users.extend((0..count).map(|nth| (field, nth)));
        }
        let sure = self.random.below(users.len());
        for (nth, (field, container)) in users.into_iter().enumerate() {
            if nth == sure || self.random.chance(25) {
                push(&mut pod["spec"][field][container]["resources"]["claims"], json!({ "name": name }));
            }
        }
    }

    fn bare_pod(&mut self, name: &str) -> Value {
        let mut pod = object("v1", "Pod", Some(NAMESPACE), name);
        let main = 1 + self.random.below(2);
        let first = self.random.pick(&[0, 0, 0, 1, 2]);
        let main: Vec<Value> = (0..main).map(|nth| self.container(&format!("main-{nth}"))).collect();
        pod["spec"] = json!({ "automountServiceAccountToken": false, "terminationGracePeriodSeconds": 0,
            "containers": main });
        for nth in 0..first {
            let mut container = self.container(&format!("init-{nth}"));
            if self.random.chance(50) {
                container["restartPolicy"] = json!("Always");
            }
            push(&mut pod["spec"]["initContainers"], container);
        }
        if self.random.chance(60) {
            let node = node_name(self.random.below(NODES));
            pod["spec"]["nodeSelector"] = json!({ "kubernetes.io/hostname": node });
        }
        if self.random.chance(15) {
            pod["spec"]["runtimeClassName"] = json!(HEAVY);
        }
        if self.random.chance(10) {
            pod["spec"]["resources"] = json!({ "requests": { "cpu": "9" }, "limits": { "cpu": "20" } });
        }
        pod
    }

    fn container(&mut self, name: &str) -> Value {
        let mut resources = json!({});
        if self.random.chance(60) {
            let amounts = if self.random.chance(30) { "limits" } else { "requests" };
            resources[amounts] = json!({ "cpu": self.random.pick(&["50m", "110m", "1"]), "memory": "77Mi" });
        }
        if self.random.chance(15) {
            resources["requests"]["ephemeral-storage"] = json!("10Mi");
        }
        json!({ "name": name, "image": "none", "resources": resources })
    }
}

/// More devices than there are, or else one.
fn list(name: &str, driver: Driver) -> Value {
    let sub = |name: &str, count: usize| json!({ "name": name, "deviceClassName": driver.class(), "count": count });
    json!({ "name": name, "firstAvailable": [sub("many", 31), sub("one", 1)] })
}

fn push(list: &mut Value, value: Value) {
    match list.as_array_mut() {
        Some(all) => all.push(value),
        None => *list = json!([value]),
    }
}
