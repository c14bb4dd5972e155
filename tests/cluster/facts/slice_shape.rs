//! The shape of a mapping in a ResourceSlice.

use draguard_testbed::objects::{DRA, device};
use draguard_testbed::{Version, path_of};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_other_shape_is_dropped_with_a_warning,
        "1.3",
        BOTH,
        "The other version's field is an unknown field: a JSON client is warned, and it is not stored"
    ),
    fact!(
        fact_other_shape_is_refused_when_strict,
        "1.3",
        BOTH,
        "With `fieldValidation=Strict` the other version's field is a 400"
    ),
    fact!(
        fact_multiplier_defaults_to_one,
        "1.1",
        T36,
        "An absent `allocationMultiplier` is stored as \"1\", also in an empty mapping and next to a `capacityKey`"
    ),
    fact!(
        fact_nothing_defaults,
        "1.1",
        T37,
        "Nothing is defaulted: an empty entry, or a `capacityKey` without `capacityMultiplier`, is a 422"
    ),
    fact!(
        fact_mapping_is_one_of_two,
        "2",
        T37,
        "`deviceMultiplier` and `capacityKey` exclude each other, and one of them is required"
    ),
    fact!(
        fact_overhead_may_be_zero_but_not_negative,
        "2",
        T37,
        "`perPod` and `perContainer` may be zero, not negative, and one of them is required"
    ),
    fact!(fact_mapping_and_overhead_go_together, "1.1", T37, "`mapping` and `overhead` are allowed together and alone"),
    fact!(
        fact_any_name_without_a_slash_is_mappable,
        "2",
        T36,
        "`pods`, `foo`, `requests.cpu` and `ephemeral-storage` are accepted as names of node resources"
    ),
    fact!(
        fact_only_cpu_memory_and_hugepages_are_mappable,
        "2",
        T37,
        "Only `cpu`, `memory` and `hugepages-…` are accepted; `ephemeral-storage` is not"
    ),
    fact!(
        fact_slices_are_stored_as_v1,
        "1.4",
        BOTH,
        "A v1beta1 client finds the mapping under `basic`, and what it writes there is a v1 mapping"
    ),
    fact!(
        fact_slices_are_selected_by_pool,
        "1.4",
        BOTH,
        "A list of slices can be that of one driver; that of one pool of it only on v1.37, v1.36 answers with a 400"
    ),
];

/// Sends a slice with one device that has this mapping, without storing it.
fn try_mapping(bed: &Bed, mapping: Value) -> draguard_testbed::Answer {
    bed.create_dry(&bed.slice(&[with(bed, bed.version.slice_field(), mapping)]))
}

fn with(bed: &Bed, field: &str, mapping: Value) -> Value {
    let _ = bed;
    let mut device = device("dev-0");
    device["capacity"] = json!({ "cores": { "value": "8" } });
    device[field] = mapping;
    device
}

fn other(bed: &Bed) -> Value {
    let (field, entry) = match bed.version {
        Version::V1_36 => ("nodeAllocatableResources", json!({ "mapping": { "deviceMultiplier": "1" } })),
        Version::V1_37 => ("nodeAllocatableResourceMappings", json!({ "allocationMultiplier": "1" })),
    };
    bed.slice(&[with(bed, field, json!({ "cpu": entry }))])
}

fn fact_other_shape_is_dropped_with_a_warning(bed: &Bed) {
    let answer = bed.admin.create(&other(bed));
    let warnings = answer.warnings.join("\n");
    assert!(warnings.contains("unknown field \"spec.devices[0].nodeAllocatable"), "{warnings}");
    let stored = bed.admin.again(&answer.must());
    let device = stored["spec"]["devices"][0].as_object().expect("a device");
    let keys: Vec<&String> = device.keys().collect();
    assert_eq!(keys, ["capacity", "name"]);
}

fn fact_other_shape_is_refused_when_strict(bed: &Bed) {
    let path = "/apis/resource.k8s.io/v1/resourceslices?fieldValidation=Strict";
    bed.admin.post(path, &other(bed)).refused(400, "unknown field");
}

fn fact_multiplier_defaults_to_one(bed: &Bed) {
    let mappings = json!({ "cpu": {}, "memory": { "capacityKey": "cores" } });
    let stored = bed.admin.create(&bed.slice(&[with(bed, bed.version.slice_field(), mappings)]));
    let stored = bed.admin.again(&stored.must());
    let mappings = &stored["spec"]["devices"][0][bed.version.slice_field()];
    assert_eq!(mappings["cpu"], json!({ "allocationMultiplier": "1" }));
    let memory = json!({ "capacityKey": "cores", "allocationMultiplier": "1" });
    assert_eq!(mappings["memory"], memory);
}

fn fact_nothing_defaults(bed: &Bed) {
    bed.add_node();
    try_mapping(bed, json!({ "cpu": {} })).refused(422, "at least one of mapping or overhead");
    let bare = json!({ "cpu": { "mapping": { "capacityKey": "cores" } } });
    try_mapping(bed, bare).refused(422, "capacityMultiplier");
}

fn fact_mapping_is_one_of_two(bed: &Bed) {
    bed.add_node();
    let both = json!({ "capacityKey": "cores", "capacityMultiplier": "1", "deviceMultiplier": "1" });
    try_mapping(bed, json!({ "cpu": { "mapping": both } })).refused(422, "must specify");
    try_mapping(bed, json!({ "cpu": { "mapping": {} } })).refused(422, "must specify");
}

fn fact_overhead_may_be_zero_but_not_negative(bed: &Bed) {
    bed.add_node();
    try_mapping(bed, json!({ "cpu": { "overhead": { "perPod": "0" } } })).must();
    let negative = json!({ "cpu": { "overhead": { "perContainer": "-1" } } });
    try_mapping(bed, negative).refused(422, "must be non-negative");
    let empty = json!({ "cpu": { "overhead": {} } });
    try_mapping(bed, empty).refused(422, "at least one of perPod or perContainer");
}

fn fact_mapping_and_overhead_go_together(bed: &Bed) {
    bed.add_node();
    let mapping = json!({ "deviceMultiplier": "1" });
    let overhead = json!({ "perPod": "100m", "perContainer": "10m" });
    try_mapping(bed, json!({ "cpu": { "mapping": mapping, "overhead": overhead } })).must();
    try_mapping(bed, json!({ "cpu": { "mapping": mapping } })).must();
    try_mapping(bed, json!({ "cpu": { "overhead": overhead } })).must();
}

fn fact_any_name_without_a_slash_is_mappable(bed: &Bed) {
    for name in ["pods", "foo", "requests.cpu", "ephemeral-storage"] {
        try_mapping(bed, json!({ name: { "allocationMultiplier": "1" } })).must();
    }
    let slashed = json!({ "example.com/foo": { "allocationMultiplier": "1" } });
    assert_eq!(try_mapping(bed, slashed).code, 422);
}

fn fact_only_cpu_memory_and_hugepages_are_mappable(bed: &Bed) {
    bed.add_node();
    let entry = json!({ "mapping": { "deviceMultiplier": "1" } });
    for name in ["cpu", "memory", "hugepages-2Mi"] {
        try_mapping(bed, json!({ name: entry })).must();
    }
    for name in ["pods", "foo", "ephemeral-storage", "example.com/foo"] {
        assert_eq!(try_mapping(bed, json!({ name: entry })).code, 422, "{name}");
    }
}

fn fact_slices_are_stored_as_v1(bed: &Bed) {
    bed.add_node();
    let field = bed.version.slice_field();
    let mut slice = bed.slice(&[bed.device()]);
    let mut basic = bed.device();
    basic.as_object_mut().expect("a device").remove("name");
    slice["apiVersion"] = json!("resource.k8s.io/v1beta1");
    slice["spec"]["devices"] = json!([{ "name": "dev-0", "basic": basic }]);
    let stored = bed.create_slice(&slice).must();
    let old = &stored["spec"]["devices"][0]["basic"][field];
    let path = path_of(&stored).replace("v1beta1", "v1");
    let new = bed.admin.get(&path).must()["spec"]["devices"][0][field].take();
    assert!(new.is_object() && new == *old, "{old} {new}");
}

fn fact_slices_are_selected_by_pool(bed: &Bed) {
    for pool in ["other", "wanted"] {
        let mut slice = bed.slice(&[device("dev-0")]);
        slice["metadata"]["name"] = json!(format!("{}-{pool}", bed.ns));
        slice["spec"]["pool"]["name"] = json!(pool);
        bed.create_slice(&slice).must();
    }
    let of_driver = format!("/apis/{DRA}/resourceslices?fieldSelector=spec.driver%3D{}", bed.driver);
    let of_pool = format!("{of_driver}%2Cspec.pool.name%3Dwanted");
    let pools = |path: &str| -> Vec<Value> {
        bed.admin.list(path).iter().map(|slice| slice["spec"]["pool"]["name"].clone()).collect()
    };
    assert_eq!(pools(&of_driver), ["other", "wanted"]);
    match bed.version {
        Version::V1_36 => bed.admin.get(&of_pool).refused(400, "Kind=ResourceSlice: spec.pool.name"),
        Version::V1_37 => assert_eq!(pools(&of_pool), ["wanted"]),
    }
}
