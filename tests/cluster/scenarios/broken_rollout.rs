//! What the operator has decided of drivers and nodes, and who does not keep to it.

use draguard_testbed::objects::{self, fixed_device};
use draguard_testbed::{Identity, Kubectl, Patch, bound_token, driver_pod, path_of, wait_for};
use serde_json::{Value, json};

use super::Scene;
use super::shown::{create, told};
use crate::bed::{Bed, SOON};

const CANARY: &str = "node-restriction.kubernetes.io/canary";
const FOREIGN: &str = "foreign.example.com";

/// Resources, versions and writers of a configured driver; then a node outside the canary.
pub fn play(scene: &mut Scene) {
    let label = json!({ "metadata": { "labels": { CANARY: "true" } } });
    scene.bed.admin.patch(&format!("/api/v1/nodes/{}", scene.bed.node), Patch::Merge, &label).must();
    let outside = format!("{}-outside", scene.bed.node);
    scene.bed.add_node_named(&outside);
    let decided = decided(&scene.bed);
    scene.guard.change_settings(|text| text.replace("  mode: Enforce", &decided));
    allowed(&scene.bed);
    writers(&scene.bed);
    stripped(&scene.bed, &outside);
    scene.guard.change_settings(|text| text.replace("outside: Strip", "outside: Deny"));
    denied(&scene.bed, &outside);
    assert!(scene.bed.admin.list("/apis/resource.k8s.io/v1/resourceslices").is_empty(), "something was stored");
}

fn decided(bed: &Bed) -> String {
    let (driver, ns) = (&bed.driver, &bed.ns);
    format!(
        "  mode: Enforce
  canary: {{nodeSelector: {{matchLabels: {{{CANARY}: \"true\"}}}}, outside: Strip}}
  drivers:
  - name: {driver}
    writer: NodeLocal
    serviceAccounts: [{ns}/own]
    resources: [memory]
    minimumVersion: 2.0.0"
    )
}

fn allowed(bed: &Bed) {
    let kubectl = bed.cluster.kubectl();
    let path = ["spec.devices", bed.version.slice_field(), "cpu"];
    told("DG124", &path, "the driver's resources")
        .refused(&create(&kubectl, &bed.slice(&[device(bed, ("cpu", "2"), "2.0.0")])));
    let path = ["spec.devices", "attributes", "driverVersion"];
    told("DG124", &path, "upgrade the driver")
        .refused(&create(&kubectl, &bed.slice(&[device(bed, ("memory", "1Gi"), "1.9.9")])));
    silent(bed, &kubectl, &bed.slice(&[device(bed, ("memory", "1Gi"), "2.0.0")]));
}

/// Both run on the slice's node, so that only the account is wrong.
fn writers(bed: &Bed) {
    let (own, other) = (account(bed, "own"), account(bed, "other"));
    let mine = bed.slice(&[device(bed, ("memory", "1Gi"), "2.0.0")]);
    told("DG207", &["spec.driver"], "add this one to the driver's serviceAccounts").refused(&create(&other, &mine));
    let foreign = objects::slice(FOREIGN, &bed.node, &[json!({ "name": "dev-0" })]);
    told("DG207", &["spec.driver"], "list it under this driver in the rollout").refused(&create(&own, &foreign));
    silent(bed, &own, &mine);
    silent(bed, &other, &foreign);
}

/// The devices stay, their mappings go.
fn stripped(bed: &Bed, node: &str) {
    let slice = objects::slice(FOREIGN, node, &[bed.device()]);
    outside(bed, &slice, |code| code == 201);
    told("DG501", &["spec.devices"], "label the node into the canary").warned(&create(&bed.cluster.kubectl(), &slice));
    let stored = bed.admin.again(&slice);
    assert_eq!(stored["spec"]["devices"], json!([{ "name": "dev-0" }]));
    bed.admin.delete(&path_of(&slice)).must();
}

fn denied(bed: &Bed, node: &str) {
    let slice = objects::slice(FOREIGN, node, &[bed.device()]);
    outside(bed, &slice, |code| code == 403);
    told("DG501", &["spec.devices"], "label the node into the canary").refused(&create(&bed.cluster.kubectl(), &slice));
}

/// draguard learns of the node, and of its own settings, in its own time.
fn outside(bed: &Bed, slice: &Value, expected: fn(u16) -> bool) {
    wait_for("the node to be known as outside the canary", SOON, || {
        let answer = bed.create_dry(slice);
        let told = answer.message().to_owned() + &answer.warnings.join("\n");
        if expected(answer.code) && told.contains("DG501 ") { Ok(()) } else { Err(format!("{} {told}", answer.code)) }
    });
}

fn device(bed: &Bed, (resource, amount): (&str, &str), version: &str) -> Value {
    let mut device = fixed_device(bed.version, "dev-0", &[(resource, amount)]);
    device["attributes"] = json!({ "driverVersion": { "version": version } });
    device
}

/// kubectl with the token of an account that may write slices.
fn account(bed: &Bed, name: &str) -> Kubectl {
    let token = bound_token(&bed.admin, &driver_pod(&bed.admin, &bed.ns, name, &bed.node));
    let identity = Identity::Token(token);
    let client = bed.cluster.client(&identity);
    wait_for("the account's rights to be known", SOON, || {
        client.get("/apis/resource.k8s.io/v1/resourceslices").result()
    });
    bed.cluster.kubectl_as(name, &identity)
}

fn silent(bed: &Bed, kubectl: &Kubectl, slice: &Value) {
    let printed = create(kubectl, slice);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    bed.admin.delete(&path_of(slice)).must();
}
