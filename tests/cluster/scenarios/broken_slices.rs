//! A driver's author breaks the rules of slices, and reads in the terminal what is wrong.

use draguard_testbed::objects::{fixed_device, shared_device};
use draguard_testbed::{Identity, Version, bound_token, driver_pod, path_of, wait_for};
use serde_json::{Value, json};

use super::Scene;
use super::shown::{Told, create, told};
use crate::bed::{Bed, SOON};

/// Refused with all that is to be known, and not stored.
pub fn play(scene: &mut Scene) {
    let bed = &scene.bed;
    wrong_units(bed);
    wrong_keys(bed);
    wrong_signs(bed);
    too_many_resources(bed);
    doubtful(bed);
    doubtful_zones(bed);
    if bed.version == Version::V1_36 {
        let told = ("DG101", "hugepages-bad", "name the node resource that the device takes");
        refused(bed, told, &fixed(bed, "hugepages-bad", "2Mi"));
    }
    wrong_node(bed);
    larger_pool(bed);
    assert!(bed.admin.list("/apis/resource.k8s.io/v1/resourceslices").is_empty(), "something was stored");
}

fn wrong_units(bed: &Bed) {
    refused(bed, ("DG102", "cpu", "write a number with one of the known suffixes"), &fixed(bed, "cpu", "2E6024"));
    refused(bed, ("DG104", "cpu", "write 2 for 2 cores"), &fixed(bed, "cpu", "2Gi"));
    refused(bed, ("DG105", "memory", "did you mean 400Mi or 400M?"), &fixed(bed, "memory", "400m"));
    refused(bed, ("DG106", "hugepages-2Mi", "round it to a multiple of 2Mi"), &fixed(bed, "hugepages-2Mi", "5Mi"));
    refused(bed, ("DG109", "memory", "write the real amount"), &fixed(bed, "memory", "10E"));
}

fn wrong_keys(bed: &Bed) {
    let mut exclusive = shared_device(bed.version, "dev-0", "4");
    exclusive["allowMultipleAllocations"] = json!(false);
    refused(bed, ("DG108", "cpu", "capacityKey"), &exclusive);
    // The server itself knows better before DG107 is asked.
    let mut keyless = shared_device(bed.version, "dev-0", "4");
    keyless["capacity"] = json!({ "slots": { "value": "4" } });
    let printed = create(&bed.cluster.kubectl(), &bed.slice(&[keyless]));
    assert!(printed.code != 0 && printed.stderr.contains("is invalid"), "{printed:?}");
}

fn wrong_signs(bed: &Bed) {
    let capacity = shared_device(bed.version, "dev-0", "-4");
    refused_at(bed, "DG103", &["spec.devices", "capacity"], "without the sign", &capacity);
    let mut counters = bed.device();
    counters["consumesCounters"] = json!([{ "counterSet": "set", "counters": { "cores": { "value": "-1" } } }]);
    refused_at(bed, "DG103", &["spec.devices", "consumesCounters"], "without the sign", &counters);
}

/// Page sizes that no machine has, one more than is bounded: the server takes any number of them.
fn too_many_resources(bed: &Bed) {
    let sizes: Vec<String> = (2..19).map(|power| format!("hugepages-{}Ki", 1 << power)).collect();
    let amounts: Vec<(&str, &str)> = sizes.iter().map(|size| (size.as_str(), "1Gi")).collect();
    let device = fixed_device(bed.version, "dev-0", &amounts);
    let path = ["spec.devices", bed.version.slice_field()];
    refused_at(bed, "DG112", &path, "map only the resources that the device takes", &device);
}

/// Stored, with a word about it.
fn doubtful(bed: &Bed) {
    let mapped = |resource| ["spec.devices", bed.version.slice_field(), resource];
    warned(bed, "DG110", &mapped("cpu"), "check the unit", &fixed(bed, "cpu", "2M"));
    let pages = fixed_device(bed.version, "dev-0", &[("hugepages-2Mi", "2Mi"), ("hugepages-2048Ki", "2Mi")]);
    warned(bed, "DG115", &mapped("hugepages"), "keep one of the two", &pages);
}

/// Of zones and their names, too.
fn doubtful_zones(bed: &Bed) {
    let (zone, misspelt) = ("resource.kubernetes.io/numaNode", "resource.kubernetes.io/numanode");
    let other = "dra.cpu/numaNodeID";
    let cases = [
        ("DG115", misspelt, "write resource.kubernetes.io/numaNode, exactly", json!({ misspelt: { "int": 0 } })),
        ("DG601", zone, "leave the attribute out where the zone is not known", json!({ zone: { "int": -1 } })),
        ("DG602", other, "publish one zone", json!({ zone: { "int": 0 }, other: { "int": 1 } })),
    ];
    for (rule, name, remedy, attributes) in cases {
        let device = json!({ "name": "dev-0", "attributes": attributes });
        warned(bed, rule, &["spec.devices", "attributes", name], remedy, &device);
    }
}

/// A token that is bound to a pod on one node writes the slice of another.
fn wrong_node(bed: &Bed) {
    let other = format!("{}-b", bed.node);
    bed.add_node_named(&other);
    let token = bound_token(&bed.admin, &driver_pod(&bed.admin, &bed.ns, "driver", &bed.node));
    let identity = Identity::Token(token);
    let driver = bed.cluster.client(&identity);
    wait_for("the driver's rights to be known", SOON, || {
        driver.get("/apis/resource.k8s.io/v1/resourceslices").result()
    });
    let slice = draguard_testbed::objects::slice(&bed.driver, &other, &[json!({ "name": "dev-0" })]);
    let printed = create(&bed.cluster.kubectl_as("driver", &identity), &slice);
    told("DG206", &["spec.nodeName"], "publish from a pod on that node").refused(&printed);
}

/// A refusal would make the publishing library delete the pool's good slices: this one is stored, and told.
fn larger_pool(bed: &Bed) {
    let mut slice = bed.slice(&[fixed(bed, "memory", "400m")]);
    slice["spec"]["pool"]["resourceSliceCount"] = json!(2);
    let path = ["spec.devices", bed.version.slice_field(), "memory"];
    stored(bed, &told("DG105", &path, "did you mean 400Mi or 400M?"), &slice);
}

fn fixed(bed: &Bed, resource: &str, amount: &str) -> Value {
    fixed_device(bed.version, "dev-0", &[(resource, amount)])
}

/// Rule, resource and remedy of a mapping's finding.
fn refused(bed: &Bed, (rule, resource, remedy): (&str, &str, &str), device: &Value) {
    refused_at(bed, rule, &["spec.devices", bed.version.slice_field(), resource], remedy, device);
}

fn refused_at(bed: &Bed, rule: &str, path: &[&str], remedy: &str, device: &Value) {
    let slice = bed.slice(std::slice::from_ref(device));
    told(rule, path, remedy).refused(&create(&bed.cluster.kubectl(), &slice));
    assert_eq!(bed.admin.get(&path_of(&slice)).code, 404, "{rule}: stored all the same");
}

fn warned(bed: &Bed, rule: &str, path: &[&str], remedy: &str, device: &Value) {
    stored(bed, &told(rule, path, remedy), &bed.slice(std::slice::from_ref(device)));
}

fn stored(bed: &Bed, finding: &Told, slice: &Value) {
    finding.warned(&create(&bed.cluster.kubectl(), slice));
    bed.admin.delete(&path_of(slice)).must();
}
