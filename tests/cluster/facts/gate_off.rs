//! An API server without the gate, beside one that has it, on the same etcd.

use draguard_testbed::objects::{FEATURE, device, recorded};
use draguard_testbed::{ControlPlane, Options, Patch, Phase, Rule, Webhook, path_of};
use serde_json::{Value, json};

use crate::bed::{Bed, SOON};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[fact!(
    fact_gate_off_drops_what_is_not_in_use,
    "1.5, 5.1, F17",
    BOTH,
    "Without the gate the API server drops a new mapping after mutating webhooks have seen it and before validating \
     ones do; keeps it in a slice that has one; and answers 200 to the scheduler's status patch while storing nothing"
)];

fn fact_gate_off_drops_what_is_not_in_use(bed: &Bed) {
    bed.add_node();
    let kept = bed.store_slice(&[bed.device()]).must();
    let options = Options::new(bed.version).api_only().gate(FEATURE, false);
    let off = ControlPlane::start(&options.on_etcd_of(bed.cluster));
    drops_a_new_mapping(bed, &off);
    keeps_a_stored_mapping(bed, &off, &kept);
    stores_no_status(bed, &off);
}

fn drops_a_new_mapping(bed: &Bed, off: &ControlPlane) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceslices"])];
    let _hooks = [Phase::Mutate, Phase::Validate]
        .map(|phase| draguard_testbed::Hook::install(&off.admin(), &webhook, phase, &bed.ns, &rules, |_| {}));
    let mut slice = bed.slice(&[bed.device()]);
    slice["metadata"]["name"] = json!(format!("{}-new", bed.ns));
    let stored = off.admin().create(&slice).must();
    let field = bed.version.slice_field();
    assert!(stored["spec"]["devices"][0][field].is_null());
    let seen: Vec<(Phase, bool)> = webhook
        .writes()
        .iter()
        .map(|review| (review.phase, review.object()["spec"]["devices"][0][field].is_object()))
        .collect();
    assert_eq!(seen, [(Phase::Mutate, true), (Phase::Validate, false)]);
}

fn keeps_a_stored_mapping(bed: &Bed, off: &ControlPlane, kept: &Value) {
    let mut slice = off.admin().again(kept);
    let another = device("dev-1");
    slice["spec"]["devices"].as_array_mut().expect("devices").push(another);
    let stored = off.admin().replace(&slice).must();
    assert!(stored["spec"]["devices"][0][bed.version.slice_field()].is_object());
}

fn stores_no_status(bed: &Bed, off: &ControlPlane) {
    bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    // Nobody schedules it meanwhile.
    pod["spec"]["schedulerName"] = json!("nobody");
    let pod = bed.admin.create(&pod).must();
    let list = super::pod_status::list(bed.version, "c", "cpu", "2");
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": list } });
    let path = path_of(&pod) + "/status";
    draguard_testbed::wait_for("the patch to pass", SOON, || {
        off.admin().patch(&path, Patch::Strategic, &patch).result()
    });
    assert!(recorded(&bed.admin.again(&pod)).is_null());
}
