//! Pods with claims run, report their devices, and end.

use std::time::{Duration, Instant};

use draguard_testbed::objects::{claim_template, cores_request, recorded, request};
use draguard_testbed::{path_of, runnable, wait_for};
use serde_json::{Value, json};

use super::stage::Stage;
use crate::bed::{Bed, SOON};
use crate::scenarios::driver::whole_class;
use crate::scenarios::full_life::silent;

/// What was seen of the pods.
pub struct Ran {
    /// The pod that stays, when it had been bound.
    pub bound: Value,
    /// The same, when it ran.
    pub running: Value,
    /// What the driver was told to prepare, in order.
    pub prepared: Vec<Value>,
    /// How long the kubelet took to end pods that it could end.
    pub ended_in: Duration,
    ending: Vec<Value>,
}

/// Starts three pods: one that stays, one by capacity, one with two containers and a template.
pub fn start(stage: &mut Stage) -> Ran {
    let bed = stage.bed;
    let whole = whole_class(bed);
    bed.add_claim_for("stays", &[request("r", &whole)]);
    bed.add_claim_for("capacity", &[cores_request("r", &bed.ns, "1")]);
    silent(bed.admin.create(&claim_template(&bed.ns, "template", &[request("r", &whole)])));
    let [stays, capacity, templated] = [limited(bed), bed.pod("capacity", &["capacity"]), templated(bed)]
        .map(|pod| silent(bed.admin.create(&runnable(pod))));
    let bound = bed.bound(&stays);
    assert!(recorded(&bound).is_array(), "{bound}");
    let [running, capacity, templated] = [stays, capacity, templated].map(|pod| stage.runs(&pod));
    Ran {
        bound,
        running,
        prepared: stage.driver.prepared(),
        ended_in: Duration::ZERO,
        ending: vec![capacity, templated],
    }
}

/// A device is reported on, two pods are deleted, and their claims go with them.
pub fn end(stage: &Stage, ran: &mut Ran) {
    let bed = stage.bed;
    stage.driver.report_device(bed, "capacity");
    let claims = format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims", bed.ns);
    let start = Instant::now();
    for pod in &ran.ending {
        silent(bed.admin.delete(&path_of(pod)));
    }
    ran.ending.iter().for_each(|pod| stage.gone(pod));
    ran.ended_in = start.elapsed();
    let capacity = bed.admin.get(&format!("{claims}/capacity")).must();
    stage.released(&capacity);
    silent(bed.admin.delete(&path_of(&capacity)));
    wait_for("the template's claim to be gone", SOON, || {
        let left = bed.admin.list(&claims);
        let made = left.iter().find(|claim| claim["metadata"]["ownerReferences"].is_array());
        made.map_or(Ok(()), |claim| Err(claim.to_string()))
    });
}

/// A container with a limit, so that the kubelet has one to set.
fn limited(bed: &Bed) -> Value {
    let mut pod = bed.pod("stays", &["stays"]);
    let resources = &mut pod["spec"]["containers"][0]["resources"];
    resources["requests"] = json!({ "cpu": "100m", "memory": "32Mi" });
    resources["limits"] = json!({ "cpu": "500m", "memory": "128Mi" });
    pod
}

fn templated(bed: &Bed) -> Value {
    let mut pod = bed.pod("templated", &["t"]);
    pod["spec"]["resourceClaims"] = json!([{ "name": "t", "resourceClaimTemplateName": "template" }]);
    let mut second = pod["spec"]["containers"][0].clone();
    second["name"] = json!("second");
    pod["spec"]["containers"].as_array_mut().expect("containers").push(second);
    pod
}
