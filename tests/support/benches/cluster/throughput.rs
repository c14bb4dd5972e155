//! How many pods a second the scheduler binds, and what it costs when each of its writes takes five milliseconds more
//! (F16 of the facts to prove: less than 5 %).

use std::time::{Duration, Instant};

use draguard_testbed::objects::{add_namespace, add_node, claim, cores_request, device_class, node, pod};
use draguard_testbed::objects::{shared_device, slice};
use draguard_testbed::{Client, ControlPlane, Hook, Phase, Rule, Webhook, path_of, wait_for};
use serde_json::{Value, json};

const PODS: u32 = 500;
const ROUNDS: usize = 2;
const NAME: &str = "throughput";
const DRIVER: &str = "throughput.example.com";
const DELAY: Duration = Duration::from_millis(5);
const LATER: Duration = Duration::from_mins(5);

/// Measures both in turn, so that noise hits them alike, and prints them.
pub fn print(cluster: &ControlPlane) {
    let admin = cluster.admin();
    set_up(cluster, &admin);
    let webhook = Webhook::slow(DELAY);
    let rules = [Rule::dra(&["resourceclaims/status"]), Rule::core(&["pods/status", "pods/binding"])];
    let (mut free, mut slowed) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        free += bound_a_second(&admin);
        let _hook = Hook::install(&admin, &webhook, Phase::Validate, NAME, &rules, |_| {});
        slowed += bound_a_second(&admin);
    }
    let calls = webhook.seen().len() / ROUNDS;
    let [free, slowed] = [free, slowed].map(|sum| sum / ROUNDS as f64);
    println!(
        "{PODS} pods with a claim each, {ROUNDS} rounds: {free:.1} bound a second without a webhook, {slowed:.1} with {} ms \
         more in each of {calls} calls, ratio {:.2}",
        DELAY.as_millis(),
        slowed / free
    );
}

/// One node and one shared device that are large enough for all.
fn set_up(cluster: &ControlPlane, admin: &Client) {
    let version = cluster.version();
    add_namespace(admin, NAME);
    let mut wide = node(version, NAME, "1000", "256Gi");
    for amounts in ["capacity", "allocatable"] {
        wide["status"][amounts]["pods"] = json!("1000");
    }
    add_node(admin, &wide);
    admin.create(&device_class(NAME, DRIVER)).must();
    let slice = slice(DRIVER, NAME, &[shared_device(version, "shared", "1000")]);
    wait_for("the slice to be stored", LATER, || admin.create(&slice).result());
}

/// Creates all pods, waits until the last one is bound, and removes them.
fn bound_a_second(admin: &Client) -> f64 {
    let start = Instant::now();
    let objects: Vec<[Value; 2]> = (0..PODS).map(|number| add(admin, number)).collect();
    let pods = format!("/api/v1/namespaces/{NAME}/pods?fieldSelector=spec.nodeName%3D{NAME}");
    wait_for("all pods to be bound", LATER, || match admin.list(&pods).len() {
        bound if bound == objects.len() => Ok(()),
        fewer => Err(format!("{fewer} are bound")),
    });
    let seconds = start.elapsed().as_secs_f64();
    for object in objects.iter().flat_map(|[pod, claim]| [pod, claim]) {
        admin.delete(&(path_of(object) + "?gracePeriodSeconds=0")).must();
    }
    let claims = format!("/apis/resource.k8s.io/v1/namespaces/{NAME}/resourceclaims");
    wait_for("all claims to be gone", LATER, || match admin.list(&claims).len() {
        0 => Ok(()),
        left => Err(format!("{left} are left")),
    });
    f64::from(PODS) / seconds
}

fn add(admin: &Client, number: u32) -> [Value; 2] {
    let name = format!("pod-{number}");
    let claim = admin.create(&claim(NAME, &name, &[cores_request("r", NAME, "1")])).must();
    [admin.create(&pod(NAME, &name, NAME, &[&name])).must(), claim]
}
