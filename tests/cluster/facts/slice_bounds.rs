//! What the server checks of a slice, and above all what it does not check.

use draguard_testbed::objects::{device, fixed_device, shared_device};
use draguard_testbed::{Patch, Version, path_of};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(fact_multipliers_must_be_positive, "2", BOTH, "A multiplier of zero or less is a 422"),
    fact!(
        fact_capacity_key_must_be_a_capacity_of_the_device,
        "2",
        BOTH,
        "A `capacityKey` that the device does not have, byte for byte, is a 422"
    ),
    fact!(
        fact_capacity_key_is_stored_on_an_exclusive_device,
        "2, 3.2",
        BOTH,
        "A `capacityKey` mapping is stored on a device without `allowMultipleAllocations`"
    ),
    fact!(
        fact_units_are_not_checked,
        "2, 11.10",
        BOTH,
        "cpu `2Gi`, memory `400m`, `hugepages-bad` and memory `10E` are stored"
    ),
    fact!(fact_negative_capacity_is_stored, "2", BOTH, "A negative `capacity` of a device is stored"),
    fact!(
        fact_negative_counters_are_stored,
        "2, 10.4",
        BOTH,
        "A negative counter in `consumesCounters` is stored, also of a counter set that nobody declares"
    ),
    fact!(
        fact_device_names_are_unique_in_a_slice_only,
        "2",
        BOTH,
        "A device name twice in a slice is a 422; in two slices of a pool it is stored"
    ),
    fact!(
        fact_generation_may_fall,
        "2, 6",
        BOTH,
        "A pool's generation may fall, and slices of one pool may contradict each other in count and generation"
    ),
    fact!(
        fact_driver_pool_and_node_are_immutable,
        "2",
        BOTH,
        "`driver`, `pool.name` and `nodeName` of a slice cannot change"
    ),
    fact!(
        fact_slices_hold_128_devices_or_64_with_taints,
        "2",
        BOTH,
        "A slice holds up to 128 devices, up to 64 once one of them has taints"
    ),
    fact!(
        fact_stored_mapping_can_change_under_one_generation,
        "6",
        BOTH,
        "The mapping of a stored device can change without a new generation"
    ),
];

fn fact_multipliers_must_be_positive(bed: &Bed) {
    bed.add_node();
    for amount in ["0", "-1"] {
        let slice = bed.slice(&[fixed_device(bed.version, "dev-0", &[("cpu", amount)])]);
        assert_eq!(bed.create_dry(&slice).code, 422, "{amount}");
    }
}

fn fact_capacity_key_must_be_a_capacity_of_the_device(bed: &Bed) {
    bed.add_node();
    let mut wrong = shared_device(bed.version, "dev-0", "8");
    let qualified = format!("{}/cores", bed.driver);
    wrong["capacity"] = json!({ qualified: { "value": "8" } });
    assert_eq!(bed.create_dry(&bed.slice(&[wrong])).code, 422);
}

fn fact_capacity_key_is_stored_on_an_exclusive_device(bed: &Bed) {
    bed.add_node();
    let mut exclusive = shared_device(bed.version, "dev-0", "8");
    exclusive["allowMultipleAllocations"] = json!(false);
    bed.create_dry(&bed.slice(&[exclusive])).must();
}

fn fact_units_are_not_checked(bed: &Bed) {
    bed.add_node();
    let odd = [("cpu", "2Gi"), ("memory", "400m"), ("hugepages-bad", "3"), ("memory", "10E")];
    for (name, amount) in odd {
        let slice = bed.slice(&[fixed_device(bed.version, "dev-0", &[(name, amount)])]);
        assert!(bed.create_dry(&slice).ok(), "{name} {amount}");
    }
}

fn fact_negative_capacity_is_stored(bed: &Bed) {
    let mut negative = device("dev-0");
    negative["capacity"] = json!({ "x": { "value": "-1" } });
    let stored = bed.admin.create(&bed.slice(&[negative])).must();
    assert_eq!(stored["spec"]["devices"][0]["capacity"]["x"]["value"], "-1");
}

fn fact_negative_counters_are_stored(bed: &Bed) {
    let mut negative = device("dev-0");
    negative["consumesCounters"] = json!([{ "counterSet": "nobody", "counters": { "slots": { "value": "-1" } } }]);
    let stored = bed.admin.create(&bed.slice(&[negative])).must();
    let counters = &stored["spec"]["devices"][0]["consumesCounters"][0]["counters"];
    assert_eq!(counters["slots"]["value"], "-1");
}

fn fact_device_names_are_unique_in_a_slice_only(bed: &Bed) {
    let twice = bed.slice(&[device("dev-0"), device("dev-0")]);
    bed.admin.create(&twice).refused(422, "Duplicate value");
    for suffix in ["a", "b"] {
        bed.admin.create(&part(bed, suffix, 1)).must();
    }
}

fn fact_generation_may_fall(bed: &Bed) {
    bed.admin.create(&part(bed, "a", 5)).must();
    let lower = json!({ "spec": { "pool": { "generation": 1, "resourceSliceCount": 7 } } });
    let path = path_of(&part(bed, "a", 5));
    let stored = bed.admin.patch(&path, Patch::Merge, &lower).must();
    assert_eq!(stored["spec"]["pool"]["generation"], 1);
    bed.admin.create(&part(bed, "b", 3)).must();
}

fn fact_driver_pool_and_node_are_immutable(bed: &Bed) {
    let path = path_of(&bed.admin.create(&bed.slice(&[device("dev-0")])).must());
    let changes = [
        json!({ "spec": { "driver": "other.example.com" } }),
        json!({ "spec": { "pool": { "name": "other" } } }),
        json!({ "spec": { "nodeName": "other" } }),
    ];
    for change in changes {
        bed.admin.patch(&path, Patch::Merge, &change).refused(422, "field is immutable");
    }
}

fn fact_slices_hold_128_devices_or_64_with_taints(bed: &Bed) {
    let devices = |count: usize| -> Vec<Value> { (0..count).map(|i| device(&format!("dev-{i}"))).collect() };
    bed.create_dry(&bed.slice(&devices(128))).must();
    assert_eq!(bed.create_dry(&bed.slice(&devices(129))).code, 422);
    for (count, code) in [(64, 201), (65, 422)] {
        let mut tainted = devices(count);
        tainted[0]["taints"] = json!([{ "key": "example.com/broken", "effect": "NoSchedule" }]);
        assert_eq!(bed.create_dry(&bed.slice(&tainted)).code, code, "{count}");
    }
}

fn fact_stored_mapping_can_change_under_one_generation(bed: &Bed) {
    bed.add_node();
    let mut slice = bed.store_slice(&[bed.device()]).must();
    let changed = fixed_device(bed.version, "dev-0", &[("cpu", "7")]);
    slice["spec"]["devices"][0] = changed;
    let stored = bed.admin.replace(&slice).must();
    let cpu = &stored["spec"]["devices"][0][bed.version.slice_field()]["cpu"];
    let amount = match bed.version {
        Version::V1_36 => &cpu["allocationMultiplier"],
        Version::V1_37 => &cpu["mapping"]["deviceMultiplier"],
    };
    assert_eq!(amount, "7");
    assert_eq!(stored["spec"]["pool"]["generation"], 1);
}

/// One of two slices of the node's pool, each with a device of the same name.
fn part(bed: &Bed, suffix: &str, generation: u64) -> Value {
    let mut slice = bed.slice(&[device("dev-0")]);
    slice["metadata"]["name"] = json!(format!("{}-{suffix}", bed.ns));
    slice["spec"]["pool"]["generation"] = json!(generation);
    slice["spec"]["pool"]["resourceSliceCount"] = json!(2);
    slice
}
