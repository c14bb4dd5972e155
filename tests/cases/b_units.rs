//! Area B: units and quantities.

use std::time::{Duration, Instant};

use crate::reviewed::{mapped, mapped_v136, one};

#[test]
fn b01_memory_in_thousandths_of_a_byte() {
    let report = one(&mapped("memory: {mapping: {deviceMultiplier: 400m}}"));
    report.denies(&["DG105"]);
    report.says("DG105", "400Mi or 400M");
    one(&mapped_v136("memory: {allocationMultiplier: 400m}")).denies(&["DG105"]);
}

#[test]
fn b02_overhead_in_thousandths_of_a_byte() {
    let report = one(&mapped("memory: {overhead: {perPod: 128m}}"));
    report.denies(&["DG105"]);
    report.says("DG105", "128Mi or 128M");
    one(&mapped("memory: {overhead: {perPod: 0, perContainer: 64Mi}}")).is_clean();
}

#[test]
fn b03_cpu_with_a_binary_suffix() {
    for document in [mapped("cpu: {mapping: {deviceMultiplier: 2Gi}}"), mapped_v136("cpu: {allocationMultiplier: 2Gi}")]
    {
        let report = one(&document);
        report.denies(&["DG104"]);
        report.says("DG104", "2147483648");
    }
}

#[test]
fn b06_memory_beyond_64_bits() {
    one(&mapped("memory: {mapping: {deviceMultiplier: 50E}}")).denies(&["DG109"]);
    one(&mapped("memory: {mapping: {deviceMultiplier: \"9223372036854775808\"}}")).denies(&["DG109"]);
    one(&mapped_v136("memory: {allocationMultiplier: 100E}")).denies(&["DG109"]);
}

#[test]
fn b07_cpu_that_overflows_in_thousandths() {
    one(&mapped("cpu: {mapping: {deviceMultiplier: 1E}}")).denies(&["DG109"]);
    one(&mapped("cpu: {mapping: {deviceMultiplier: 10P}}")).denies(&["DG109"]);
}

#[test]
fn b08_the_same_hole_through_overhead() {
    one(&mapped("cpu: {overhead: {perPod: \"9223372036854775807\"}}")).denies(&["DG109"]);
    one(&mapped("cpu: {overhead: {perContainer: \"9223372036854775807\"}}")).denies(&["DG109"]);
}

#[test]
fn b08_sums_of_parts_that_each_fit() {
    let half = "memory: {mapping: {deviceMultiplier: 5E}, overhead: {perPod: 5E}}";
    let report = one(&mapped(half));
    assert_eq!(report.rules("deny"), ["DG109"], "{report:?}");
}

#[test]
fn b10_an_exponent_beyond_every_bound_takes_no_time() {
    let since = Instant::now();
    one(&mapped("cpu: {mapping: {deviceMultiplier: 2E6024865272343}}")).denies(&["DG102"]);
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn b11_exponents_and_suffixes_are_told_apart() {
    one(&mapped("cpu: {mapping: {deviceMultiplier: 1e0}}")).is_clean();
    one(&mapped("memory: {mapping: {deviceMultiplier: '1E9'}}")).warns(&["DG105"]);
    // Without quotes YAML itself makes it the number 1000000000, which is all that kubectl sends.
    one(&mapped("memory: {mapping: {deviceMultiplier: 1E9}}")).is_clean();
    one(&mapped("memory: {mapping: {deviceMultiplier: 1E}}")).warns(&["DG110"]);
    for cpu in ["1e3", "1E3", "0.5", "'.5'", "'5.'", "'+1'"] {
        one(&mapped(&format!("cpu: {{mapping: {{deviceMultiplier: {cpu}}}}}"))).is_clean();
    }
}

#[test]
fn b12_hugepages_that_are_not_whole_pages() {
    let report = one(&mapped("hugepages-2Mi: {mapping: {deviceMultiplier: 5Mi}}"));
    report.denies(&["DG106"]);
    report.says("DG106", "2Mi");
    one(&mapped("hugepages-2Mi: {mapping: {deviceMultiplier: 6Mi}}")).is_clean();
}

#[test]
fn b14_decimal_hugepages_never_line_up_decimal_memory_is_fine() {
    one(&mapped("hugepages-1Gi: {mapping: {deviceMultiplier: 1G}}")).denies(&["DG106"]);
    one(&mapped("memory: {mapping: {deviceMultiplier: 128M}}")).is_clean();
}

#[test]
fn amounts_of_which_a_few_together_leave_64_bits() {
    for resources in [
        "memory: {overhead: {perContainer: 5Ei}}",
        "cpu: {overhead: {perContainer: 5P}}",
        "memory: {mapping: {deviceMultiplier: 5E}}",
        "memory: {mapping: {deviceMultiplier: 1Ei}}",
    ] {
        one(&mapped(resources)).denies(&["DG109"]);
    }
}

#[test]
fn signs_in_the_request_policy() {
    for policy in ["validValues: ['-1', '1']", "validRange: {min: '1', max: '-8'}", "validRange: {min: '1', step: '0'}"]
    {
        let device = format!(
            "allowMultipleAllocations: true, capacity: {{c: {{value: '8', requestPolicy: {{default: '1', {policy}}}}}}}"
        );
        one(&crate::reviewed::slice(&device)).denies(&["DG103"]);
    }
}
