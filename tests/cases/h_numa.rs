//! Area H: NUMA.

use crate::reviewed::{one, slice, slice_of};

fn zones(attributes: &str) -> String {
    slice(&format!("attributes: {{{attributes}}}"))
}

#[test]
fn h01_no_zone_is_not_zone_zero() {
    one(&slice_of("[{name: gpu-0, attributes: {type: {string: gpu}}}]")).is_clean();
}

#[test]
fn h02_the_kernels_minus_one() {
    one(&zones("resource.kubernetes.io/numaNode: {int: -1}")).warns(&["DG601"]);
    one(&zones("resource.kubernetes.io/numaNode: {ints: [-1]}")).warns(&["DG601"]);
    one(&zones("resource.kubernetes.io/numaNode: {ints: [1, 0]}")).is_clean();
}

#[test]
fn h04_a_claim_splits_its_cpus_on_purpose() {
    one("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: split}\nspec:\n  devices:\n    requests:\n    - {name: \
         numa0-cpus, exactly: {deviceClassName: cpu, capacity: {requests: {dra.cpu/cpu: \"10\"}}}}\n    - {name: numa1-cpus, \
         exactly: {deviceClassName: cpu, capacity: {requests: {dra.cpu/cpu: \"10\"}}}}\n    constraints: [{distinctAttribute: \
         resource.kubernetes.io/numaNode}]\n")
    .is_clean();
}

#[test]
fn h05_and_h06_exclusive_cpus_beside_a_claim_cannot_be_judged_here() {
    one("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims: [{name: c, resourceClaimName: nic}]\n  containers: \
         [{name: main, resources: {requests: {cpu: \"4\", memory: 1Gi}, limits: {cpu: \"4\", memory: 1Gi}, claims: [{name: c}]}}]\n")
    .is_clean();
}

#[test]
fn h08_attribute_names_that_are_no_identifiers() {
    let report = one(&zones("numa-1: {int: 31}, socket-268435456: {int: 62}"));
    report.denies(&["DG116"]);
    report.says("DG116", "numa_1");
    one(&zones("numa_1: {int: 31}, socket_268435456: {int: 268435456}")).is_clean();
}

#[test]
fn h09_three_spellings_of_one_zone() {
    let three = |standard: i64, net: i64| {
        format!(
            "resource.kubernetes.io/numaNode: {{int: {standard}}}, dra.cpu/numaNodeID: {{int: 1}}, dra.net/numaNode: {{int: {net}}}"
        )
    };
    one(&zones(&three(1, 1))).is_clean();
    let report = one(&zones(&three(1, 0)));
    report.warns(&["DG602"]);
    report.says("DG602", "zone 1");
}
