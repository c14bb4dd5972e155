//! Claims and their status: what the server lets a binder write.

use draguard_testbed::objects::{claim, object, request};
use draguard_testbed::{Answer, Client, Patch, Version, path_of};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_negative_requests_are_stored,
        "2, 11.10",
        BOTH,
        "A claim or template that asks for a negative capacity is stored"
    ),
    fact!(fact_claim_specs_are_immutable, "2", BOTH, "The spec of a claim and of a template cannot change"),
    fact!(fact_status_is_wiped_on_create, "5.1", BOTH, "A status in a created claim is wiped"),
    fact!(
        fact_one_device_can_be_allocated_twice,
        "2, 11.10",
        BOTH,
        "One exclusive device can be allocated to two claims"
    ),
    fact!(
        fact_allocated_devices_need_not_exist,
        "2",
        BOTH,
        "A device that no slice has can be allocated, with any node, and with a negative `consumedCapacity`"
    ),
    fact!(
        fact_requests_of_results_must_exist,
        "2",
        BOTH,
        "A result for a request that the claim does not have is a 422"
    ),
    fact!(fact_allocations_only_come_and_go, "2", BOTH, "A stored allocation cannot change; it can be cleared"),
    fact!(
        fact_consumers_need_not_exist,
        "2",
        BOTH,
        "`reservedFor` may name a pod that does not exist, but needs an allocation"
    ),
    fact!(
        fact_device_status_needs_an_allocated_device,
        "2",
        BOTH,
        "`status.devices` may only hold devices that are allocated to the claim"
    ),
    fact!(
        fact_admin_access_needs_a_labelled_namespace,
        "2, 11.13",
        BOTH,
        "A claim with admin access is refused unless its namespace carries the admin-access label"
    ),
];

/// An allocation of one device of the fact's driver on the fact's node.
pub fn allocation(bed: &Bed, device: &str) -> Value {
    let result = json!({ "request": "r", "driver": bed.driver, "pool": bed.node,
        "device": device });
    let field = json!({ "key": "metadata.name", "operator": "In", "values": [bed.node] });
    let terms = json!([{ "matchFields": [field] }]);
    json!({ "devices": { "results": [result] }, "nodeSelector": { "nodeSelectorTerms": terms } })
}

/// Merges into a claim's status.
pub fn set_status(client: &Client, claim: &Value, status: Value) -> Answer {
    let path = path_of(claim) + "/status";
    client.patch(&path, Patch::Merge, &json!({ "status": status }))
}

fn negative(bed: &Bed) -> Value {
    draguard_testbed::objects::cores_request("r", &bed.ns, "-4")
}

fn fact_negative_requests_are_stored(bed: &Bed) {
    let claim = bed.add_claim_for("negative", &[negative(bed)]);
    let requests = &claim["spec"]["devices"]["requests"][0]["exactly"]["capacity"]["requests"];
    assert_eq!(requests["cores"], "-4");
    let template = draguard_testbed::objects::claim_template(&bed.ns, "t", &[negative(bed)]);
    bed.admin.create(&template).must();
}

fn fact_claim_specs_are_immutable(bed: &Bed) {
    let claim = bed.add_claim("c");
    let requests = json!([request("other", &bed.ns)]);
    let patch = json!({ "spec": { "devices": { "requests": requests } } });
    let answer = bed.admin.patch(&path_of(&claim), Patch::Merge, &patch);
    answer.refused(422, "field is immutable");
}

fn fact_status_is_wiped_on_create(bed: &Bed) {
    let mut claim = claim(&bed.ns, "c", &[request("r", &bed.ns)]);
    claim["status"] = json!({ "allocation": allocation(bed, "dev-0") });
    let stored = bed.admin.create(&claim).must();
    assert!(stored["status"]["allocation"].is_null());
}

fn fact_one_device_can_be_allocated_twice(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let scheduler = bed.cluster.scheduler();
    for name in ["first", "second"] {
        let claim = bed.add_claim(name);
        let status = json!({ "allocation": allocation(bed, "dev-0") });
        set_status(&scheduler, &claim, status).must();
    }
}

fn fact_allocated_devices_need_not_exist(bed: &Bed) {
    let claim = bed.add_claim("c");
    let mut allocation = allocation(bed, "nothing");
    allocation["devices"]["results"][0]["consumedCapacity"] = json!({ "cores": "-5" });
    let stored = set_status(&bed.admin, &claim, json!({ "allocation": allocation })).must();
    let result = &stored["status"]["allocation"]["devices"]["results"][0];
    assert_eq!(result["consumedCapacity"]["cores"], "-5");
}

fn fact_requests_of_results_must_exist(bed: &Bed) {
    let claim = bed.add_claim("c");
    let mut allocation = allocation(bed, "dev-0");
    allocation["devices"]["results"][0]["request"] = json!("other");
    let answer = set_status(&bed.admin, &claim, json!({ "allocation": allocation }));
    answer.refused(422, "must be the name of a request");
}

fn fact_allocations_only_come_and_go(bed: &Bed) {
    let claim = bed.add_claim("c");
    let changed = match bed.version {
        Version::V1_36 => "field is immutable",
        Version::V1_37 => "field cannot be modified once set",
    };
    let set = |status: Value| set_status(&bed.admin, &claim, status);
    set(json!({ "allocation": allocation(bed, "dev-0") })).must();
    set(json!({ "allocation": allocation(bed, "dev-1") })).refused(422, changed);
    set(json!({ "allocation": null })).must();
    set(json!({ "allocation": allocation(bed, "dev-1") })).must();
}

fn fact_consumers_need_not_exist(bed: &Bed) {
    let claim = bed.add_claim("c");
    let ghost = json!([{ "resource": "pods", "name": "ghost", "uid": "1-2-3" }]);
    let unallocated = set_status(&bed.admin, &claim, json!({ "reservedFor": ghost }));
    assert_eq!(unallocated.code, 422, "{}", unallocated.message());
    let status = json!({ "allocation": allocation(bed, "dev-0"), "reservedFor": ghost });
    set_status(&bed.admin, &claim, status).must();
}

fn fact_device_status_needs_an_allocated_device(bed: &Bed) {
    let claim = bed.add_claim("c");
    let allocated = json!({ "allocation": allocation(bed, "dev-0") });
    set_status(&bed.admin, &claim, allocated).must();
    for (device, code) in [("dev-1", 422), ("dev-0", 200)] {
        let entry = json!({ "driver": bed.driver, "pool": bed.node, "device": device });
        let answer = set_status(&bed.admin, &claim, json!({ "devices": [entry] }));
        assert_eq!(answer.code, code, "{device}: {}", answer.message());
    }
}

fn fact_admin_access_needs_a_labelled_namespace(bed: &Bed) {
    let mut asking = request("r", &bed.ns);
    asking["exactly"]["adminAccess"] = json!(true);
    let claim = claim(&bed.ns, "c", &[asking]);
    let answer = bed.admin.create(&claim);
    assert!(matches!(answer.code, 403 | 422), "{}", answer.message());
    label_for_admin_access(bed);
    bed.admin.create(&claim).must();
}

/// Lets claims of the fact's namespace have admin access.
pub fn label_for_admin_access(bed: &Bed) {
    let labels = json!({ "resource.kubernetes.io/admin-access": "true" });
    let patch = json!({ "metadata": { "labels": labels } });
    let namespace = object("v1", "Namespace", None, &bed.ns);
    bed.admin.patch(&path_of(&namespace), Patch::Merge, &patch).must();
}
