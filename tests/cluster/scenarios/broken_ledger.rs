//! What is wrong only beside other objects: kubectl is told so as soon as draguard has seen them.

use draguard_testbed::objects::{self, fixed_device, why_pending};
use draguard_testbed::{Patch, Printed, path_of, wait_for};
use serde_json::{Value, json};

use super::Scene;
use super::shown::{Told, told};
use crate::bed::{Bed, SOON};
use crate::facts::pod_status::list;

const NAMES: [&str; 3] = ["dev-0", "dev-1", "dev-2"];
const CANARY: &str = "canary: {nodeSelector: {matchLabels: {node-restriction.kubernetes.io/canary: \"yes\"}}}";
const HALT: &str = "claimAdmission: {state: Halted, reason: maintenance}";

/// Slices of one pool; then a claim that is charged; then what the operator holds back.
pub fn play(scene: &mut Scene) {
    let bed = &scene.bed;
    let stored = bed.create_slice(&pool_slice(bed, 2, &devices(bed))).must();
    one_pool(bed);
    two_nodes(bed);
    charged(bed, &stored);
    placed_by_hand(bed);
    scene.guard.change_settings(|text| text.replace("mode: Enforce", &format!("mode: Enforce\n  {CANARY}")));
    waits(&scene.bed, "outside", &told("DG502", &["status.allocation"], "label the node into the canary"));
    scene.guard.change_settings(|text| text.replace(CANARY, HALT));
    waits(&scene.bed, "halted", &told("DG320", &["status.allocation"], "the scheduler tries again by itself"));
}

fn one_pool(bed: &Bed) {
    let spare = [json!({ "name": "spare" })];
    let old = beside(pool_slice(bed, 1, &spare));
    let finding = told("DG201", &["spec.pool.generation"], "publish 2 or higher");
    finding.warned(&seen(&finding, || dry(bed, "create", &old)));
    let mut larger = beside(pool_slice(bed, 2, &spare));
    larger["spec"]["pool"]["resourceSliceCount"] = json!(2);
    told("DG202", &["spec.pool.resourceSliceCount"], "raise the generation").warned(&dry(bed, "create", &larger));
    let twin = beside(pool_slice(bed, 2, &devices(bed)));
    told("DG204", &["spec.devices", "name"], "rename one of them").warned(&dry(bed, "create", &twin));
}

fn two_nodes(bed: &Bed) {
    let other = format!("{}-b", bed.node);
    bed.add_node_named(&other);
    let mut slice = objects::slice(&bed.driver, &other, &devices(bed));
    // On v1.37 a slice with mappings is refused until the server has noticed its node.
    bed.create_dry(&slice).must();
    slice["spec"]["pool"] = pool_slice(bed, 2, &[])["spec"]["pool"].take();
    told("DG205", &["spec.devices", "name"], "name each node's pool after the node")
        .refused(&dry(bed, "create", &slice));
}

/// The mapping goes while a claim is charged for it; and a binder counts less than the claim takes.
fn charged(bed: &Bed, stored: &Value) {
    bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    let mut bare = stored.clone();
    bare["spec"]["devices"] = json!(NAMES.map(objects::device));
    let finding = told("DG125", &["spec.devices"], "publish the mapping again");
    finding.warned(&seen(&finding, || dry(bed, "replace", &bare)));
    let less = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list(bed.version, "c", "cpu", "1m") } });
    let answer = bed.cluster.scheduler().patch(&(path_of(&pod) + "/status?dryRun=All"), Patch::Merge, &less);
    let path = ["status.nodeAllocatableResourceClaimStatuses"];
    told("DG406", &path, "have it counted anew").read(&answer.warnings.join("\n"));
    answer.must();
}

/// No scheduler will ever see the pod.
fn placed_by_hand(bed: &Bed) {
    bed.add_claim("free");
    let mut pod = bed.pod("placed", &["free"]);
    pod["spec"]["nodeName"] = json!(bed.node);
    let finding = told("DG411", &["spec.resourceClaims"], "remove spec.nodeName");
    finding.refused(&seen(&finding, || dry(bed, "create", &pod)));
}

/// The pod's user reads in its condition what the scheduler was told.
fn waits(bed: &Bed, name: &str, finding: &Told) {
    bed.add_claim(name);
    let pod = bed.pending(&bed.add_pod(name, &[name]), &format!("{} ", finding.rule));
    finding.read(&why_pending(&pod));
    bed.admin.delete(&path_of(&pod)).must();
}

/// draguard sees other objects in its own time.
fn seen(finding: &Told, ask: impl Fn() -> Printed) -> Printed {
    wait_for("draguard to have seen the other objects", SOON, || {
        let printed = ask();
        let told = printed.stderr.contains(&format!("{} ", finding.rule));
        if told { Ok(printed) } else { Err(format!("{printed:?}")) }
    })
}

fn dry(bed: &Bed, verb: &str, object: &Value) -> Printed {
    bed.cluster.kubectl().run_with_input(&[verb, "--dry-run=server", "-f", "-"], &object.to_string())
}

/// One for each pod that asks: none is kept waiting by another's.
fn devices(bed: &Bed) -> [Value; 3] {
    NAMES.map(|name| fixed_device(bed.version, name, &[("cpu", "2")]))
}

fn pool_slice(bed: &Bed, generation: i64, devices: &[Value]) -> Value {
    let mut slice = bed.slice(devices);
    slice["spec"]["pool"]["generation"] = json!(generation);
    slice
}

/// The same under another name.
fn beside(mut slice: Value) -> Value {
    slice["metadata"]["name"] = json!("beside");
    slice
}
