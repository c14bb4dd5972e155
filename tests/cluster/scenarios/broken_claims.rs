//! A tenant breaks the rules of claims and pods, and reads in the terminal what is wrong.

use draguard_testbed::objects::{claim, claim_template, cores_request, recorded, recorded_amount};
use draguard_testbed::{Kubectl, Patch, Printed, Version, path_of};
use serde_json::{Value, json};

use super::Scene;
use super::shown::{create, told};
use crate::bed::Bed;
use crate::facts::pod_status::list;

/// Refused or warned about with all that is to be known.
pub fn play(scene: &mut Scene) {
    let bed = &scene.bed;
    let kubectl = bed.cluster.kubectl();
    negative_requests(bed, &kubectl);
    claim_under_two_names(bed, &kubectl);
    let pod = counted(bed);
    shrunk_list(bed, &kubectl, &pod);
    if bed.version == Version::V1_36 {
        claim_twice_in_the_list(bed, &kubectl, &pod);
    }
    assert_eq!(recorded(&bed.admin.again(&pod)), recorded(&pod));
}

fn negative_requests(bed: &Bed, kubectl: &Kubectl) {
    let negative = [cores_request("r", &bed.ns, "-4")];
    let remedy = "write the amount that the workload needs";
    let printed = create(kubectl, &claim(&bed.ns, "negative", &negative));
    told("DG301", &["spec.devices.requests", "capacity.requests", "cores"], remedy).refused(&printed);
    let printed = create(kubectl, &claim_template(&bed.ns, "negative", &negative));
    told("DG301", &["spec.spec.devices.requests", "capacity.requests", "cores"], remedy).refused(&printed);
}

fn claim_under_two_names(bed: &Bed, kubectl: &Kubectl) {
    let mut pod = bed.pod("twice", &["a", "b"]);
    pod["spec"]["schedulerName"] = json!("nobody");
    for reference in pod["spec"]["resourceClaims"].as_array_mut().expect("references") {
        reference["resourceClaimName"] = json!("same");
    }
    let told = told("DG302", &["spec.resourceClaims", "resourceClaimName"], "use the first name in every container");
    told.warned(&create(kubectl, &pod));
}

/// A pod that the scheduler has bound and counted.
fn counted(bed: &Bed) -> Value {
    bed.store_slice(&[bed.device()]).must();
    bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
    pod
}

fn shrunk_list(bed: &Bed, kubectl: &Kubectl, pod: &Value) {
    let field = "status.nodeAllocatableResourceClaimStatuses";
    let less = patch(bed, kubectl, pod, &list(bed.version, "c", "cpu", "1m"));
    told("DG405", &[field], "leave the list as it is").refused(&less);
    let none = patch(bed, kubectl, pod, &json!([]));
    // On v1.36 a list that is left out looks the same: it is put back instead.
    match bed.version {
        Version::V1_36 => told("DG407", &[field], "draguard puts it back").warned(&none),
        Version::V1_37 => told("DG405", &[field], "leave the list as it is").refused(&none),
    }
}

/// Nobody may, but a binder is only warned: refusing it would strand the allocation.
fn claim_twice_in_the_list(bed: &Bed, kubectl: &Kubectl, pod: &Value) {
    let one = list(bed.version, "c", "cpu", "2")[0].clone();
    let twice = json!([one, one]);
    let told = told("DG302", &["status.nodeAllocatableResourceClaimStatuses"], "merge the two entries");
    told.refused(&patch(bed, kubectl, pod, &twice));
    let status = json!({ "status": { "nodeAllocatableResourceClaimStatuses": twice } });
    let answer = bed.cluster.scheduler().patch(&(path_of(pod) + "/status?dryRun=All"), Patch::Merge, &status);
    assert!(answer.warnings.iter().any(|text| text.starts_with("DG302 ")), "{:?}", answer.warnings);
    answer.must();
}

fn patch(bed: &Bed, kubectl: &Kubectl, pod: &Value, list: &Value) -> Printed {
    let name = pod["metadata"]["name"].as_str().expect("a name");
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } }).to_string();
    kubectl.run(&["-n", &bed.ns, "patch", "pod", name, "--subresource=status", "--type=merge", "-p", &patch])
}
