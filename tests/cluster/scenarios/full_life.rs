//! A full life: whatever drivers, users, the scheduler, the controllers and the kubelet rightfully write, draguard
//! neither refuses nor says a word.

use std::time::Duration;

use draguard_testbed::objects::{claim_template, cores_request, recorded, request};
use draguard_testbed::{Answer, Patch, path_of, wait_for};
use serde_json::{Value, json};

use super::Scene;
use super::driver::{Driver, extended_resource, plain_class, whole_class};
use crate::bed::{Bed, SOON};
use crate::facts::claim_status::label_for_admin_access;

/// Controllers delete what belonged to a node in their own time.
const LATER: Duration = Duration::from_mins(4);

/// From the first slice to the end of the node.
pub fn play(scene: &mut Scene) {
    let bed = &scene.bed;
    let mut driver = Driver::install(bed);
    driver.publish(bed);
    let mut pods = start_pods(bed);
    pods.extend(start_uncounted_pods(bed));
    driver.report_device(bed, "capacity");
    stop_pods(bed, &pods);
    reboot(bed, &mut driver);
    let again = start(bed, &bed.pod("again", &["whole"]));
    stop_pods(bed, &[again]);
    remove_node(bed, driver);
    let asked =
        ["resourceslices", "resourceclaims", "resourceclaimtemplates", "resourceclaims/status", "pods/status", "pods"];
    for resource in asked {
        let label = format!("resource=\"{resource}\"");
        assert_ne!(scene.guard.requests(&[&label]), 0, "{resource}: {:?}", scene.guard.metric("draguard_requests"));
    }
    scene.guard.must_be_content();
}

/// One pod for each way to ask for devices.
fn start_pods(bed: &Bed) -> Vec<Value> {
    label_for_admin_access(bed);
    let whole = whole_class(bed);
    bed.add_claim_for("capacity", &[cores_request("r", &bed.ns, "2")]);
    bed.add_claim_for("whole", &[request("r", &whole)]);
    let mut peek = request("r", &whole);
    peek["exactly"]["adminAccess"] = json!(true);
    bed.add_claim_for("admin", &[peek]);
    let many = json!({ "name": "many", "deviceClassName": whole, "count": 9 });
    let one = json!({ "name": "one", "deviceClassName": whole });
    bed.add_claim_for("listed", &[json!({ "name": "r", "firstAvailable": [many, one] })]);
    bed.admin.create(&claim_template(&bed.ns, "template", &[cores_request("r", &bed.ns, "1")])).must();
    let mut pods: Vec<Value> =
        ["capacity", "whole", "admin", "listed"].map(|name| start(bed, &bed.pod(name, &[name]))).into();
    pods.push(start(bed, &templated(bed)));
    pods
}

/// What takes nothing of the node: a claim that two pods share, and an extended resource.
fn start_uncounted_pods(bed: &Bed) -> Vec<Value> {
    bed.add_claim_for("shared", &[request("r", &plain_class(bed))]);
    let mut extended = bed.pod("extended", &[]);
    let amount = json!({ extended_resource(bed): "1" });
    extended["spec"]["containers"][0]["resources"] = json!({ "requests": amount, "limits": amount });
    let pods = [bed.pod("shared-a", &["shared"]), bed.pod("shared-b", &["shared"]), extended];
    pods.map(|pod| bed.bound(&silent(bed.admin.create(&pod)))).into()
}

fn templated(bed: &Bed) -> Value {
    let mut pod = bed.pod("templated", &["t"]);
    pod["spec"]["resourceClaims"] = json!([{ "name": "t", "resourceClaimTemplateName": "template" }]);
    pod
}

/// Bound by the scheduler, counted, and running as its kubelet says.
fn start(bed: &Bed, pod: &Value) -> Value {
    let pod = bed.bound(&silent(bed.admin.create(pod)));
    assert!(recorded(&pod).is_array(), "{pod}");
    let ready = json!({ "type": "Ready", "status": "True" });
    let status = json!({ "status": { "phase": "Running", "conditions": [ready] } });
    silent(bed.cluster.kubelet(&bed.node).patch(&(path_of(&pod) + "/status"), Patch::Strategic, &status))
}

/// Deletes pods and waits for their claims: those that were made for a pod go, the others are free. The first
/// one is removed.
fn stop_pods(bed: &Bed, pods: &[Value]) {
    for pod in pods {
        silent(bed.admin.delete(&path_of(pod)));
    }
    let claims = format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims", bed.ns);
    wait_for("the claims to be released", SOON, || {
        let held = |claim: &Value| {
            let template = claim["metadata"]["ownerReferences"].is_array();
            template || !claim["status"]["allocation"].is_null() || !claim["metadata"]["finalizers"].is_null()
        };
        let held: Vec<Value> = bed.admin.list(&claims).into_iter().filter(held).collect();
        if held.is_empty() { Ok(()) } else { Err(json!(held).to_string()) }
    });
    let first = pods[0]["spec"]["resourceClaims"][0]["resourceClaimName"].as_str().expect("a claim");
    silent(bed.admin.delete(&format!("{claims}/{first}")));
}

/// The kubelet wipes the slices of its node, and the driver begins anew.
fn reboot(bed: &Bed, driver: &mut Driver) {
    driver.stop(bed);
    let of_node = format!("/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3D{}", bed.node);
    silent(bed.cluster.kubelet(&bed.node).delete(&of_node));
    no_slices(bed);
    driver.publish(bed);
}

fn remove_node(bed: &Bed, mut driver: Driver) {
    driver.stop(bed);
    silent(bed.admin.delete(&format!("/api/v1/nodes/{}", bed.node)));
    no_slices(bed);
}

fn no_slices(bed: &Bed) {
    wait_for("the slices to be gone", LATER, || {
        let slices = bed.admin.list("/apis/resource.k8s.io/v1/resourceslices");
        if slices.is_empty() { Ok(()) } else { Err(json!(slices).to_string()) }
    });
}

/// The object of a request that has to succeed without a warning.
#[track_caller]
pub fn silent(answer: Answer) -> Value {
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
    answer.must()
}
