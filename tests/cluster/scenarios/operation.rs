//! What an operator lives through: draguard is gone and comes back, and its settings are changed while it runs.

use draguard_testbed::objects::{fixed_device, recorded};
use draguard_testbed::{Patch, path_of, wait_for};
use serde_json::{Value, json};

use super::Scene;
use super::shown::{create, told};
use crate::bed::{Bed, SOON};

/// draguard is gone: new allocations wait until it is back, all else goes on.
pub fn play_outage(scene: &mut Scene) {
    let (first, second) = two_devices(&scene.bed);
    let claim = scene.bed.add_claim("first");
    let pod = scene.bed.bound(&scene.bed.add_pod("first", &["first"]));
    scene.guard.kill();
    slices_are_written(&scene.bed, &first);
    statuses_are_written(&scene.bed, &pod);
    scene.bed.bound(&scene.bed.add_pod("ordinary", &[]));
    let unallocated = scene.bed.add_claim("second");
    let waiting = scene.bed.add_pod("second", &["second"]);
    scene.bed.pending(&waiting, "failed calling webhook \"allocations.draguard.dev\"");
    let status = scene.bed.admin.again(&unallocated)["status"].take();
    assert!(status["allocation"].is_null() && status["reservedFor"].is_null(), "{status}");
    everything_is_released(&scene.bed, &pod, &claim);
    scene.bed.admin.delete(&path_of(&second)).must();
    scene.guard.start_again();
    let bound = scene.bed.bound(&waiting);
    assert!(recorded(&bound).is_array(), "{bound}");
}

/// After a change from Enforce to Audit, what was refused is stored, with a warning that says what would have been.
pub fn play_audit(scene: &mut Scene) {
    let bed = &scene.bed;
    let slice = bed.slice(&[fixed_device(bed.version, "dev-0", &[("cpu", "2Gi")])]);
    let path = ["spec.devices", bed.version.slice_field(), "cpu"];
    let finding = told("DG104", &path, "write 2 for 2 cores");
    finding.refused(&create(&bed.cluster.kubectl(), &slice));
    scene.guard.change_settings(|text| text.replace("mode: Enforce", "mode: Audit"));
    let printed = create(&bed.cluster.kubectl(), &slice);
    finding.warned(&printed);
    assert!(printed.stderr.contains("would deny: DG104 "), "{}", printed.stderr);
    bed.admin.get(&path_of(&slice)).must();
    let would = scene.guard.metric("draguard_findings_total{");
    assert!(would.iter().any(|line| line.contains("rule=\"DG104\"") && line.contains("would=\"true\"")), "{would:?}");
}

/// The node's slice, and one more that is there to be deleted.
fn two_devices(bed: &Bed) -> (Value, Value) {
    let device = |name: &str| fixed_device(bed.version, name, &[("cpu", "1")]);
    let first = bed.store_slice(&[device("dev-0"), device("dev-1")]).must();
    let mut second = bed.slice(&[]);
    second["metadata"]["name"] = json!(format!("{}-empty", bed.ns));
    second["spec"]["pool"]["name"] = json!("empty");
    (first, bed.create_slice(&second).must())
}

fn slices_are_written(bed: &Bed, slice: &Value) {
    let mut slice = bed.admin.again(slice);
    slice["spec"]["pool"]["generation"] = json!(2);
    bed.admin.replace(&slice).must();
}

/// The kubelet's, and a list that changes: as the scheduler clears and writes it when it tries again.
fn statuses_are_written(bed: &Bed, pod: &Value) {
    let path = path_of(pod) + "/status";
    let status = json!({ "status": { "phase": "Running" } });
    bed.cluster.kubelet(&bed.node).patch(&path, Patch::Strategic, &status).must();
    for list in [&json!([]), recorded(pod)] {
        let status = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } });
        bed.cluster.scheduler().patch(&path, Patch::Merge, &status).must();
    }
    assert_eq!(recorded(&bed.admin.again(pod)), recorded(pod));
}

fn everything_is_released(bed: &Bed, pod: &Value, claim: &Value) {
    bed.admin.delete(&path_of(pod)).must();
    wait_for("the claim to be released", SOON, || {
        let claim = bed.admin.again(claim);
        let free = claim["status"]["allocation"].is_null() && claim["metadata"]["finalizers"].is_null();
        if free { Ok(()) } else { Err(claim["status"].to_string()) }
    });
    bed.admin.delete(&path_of(claim)).must();
    wait_for("the claim to be gone", SOON, || {
        let answer = bed.admin.get(&path_of(claim));
        if answer.code == 404 { Ok(()) } else { Err(answer.body.to_string()) }
    });
}
