//! What reviews look like, and for what there are any.

use draguard_testbed::objects::device;
use draguard_testbed::{Patch, Phase, Rule, Verdict, Version, Webhook, path_of};
use serde_json::{Value, json};

use super::claim_status::{allocation, set_status};
use crate::bed::{Bed, stories};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_v1beta1_clients_are_converted,
        "5.2, surprise 15",
        BOTH,
        "A rule for v1 is given a v1beta1 client's slice as v1, with `requestKind` telling the original"
    ),
    fact!(
        fact_exact_match_is_bypassed,
        "5.2",
        BOTH,
        "With `matchPolicy: Exact` a rule for v1 does not see a v1beta1 client's slice"
    ),
    fact!(
        fact_collections_are_deleted_one_review_each,
        "5.3, 11.12",
        BOTH,
        "`deletecollection` is reviewed once an object, without `request.name`, with the old object"
    ),
    fact!(fact_dry_runs_are_reviewed, "5.4", BOTH, "A dry run is reviewed with `dryRun: true`, and nothing is stored"),
    fact!(
        fact_apply_is_a_create_or_an_update,
        "5.3",
        BOTH,
        "A server-side apply is reviewed as CREATE where it creates and as UPDATE where it changes"
    ),
    fact!(
        fact_mutating_status_review_sees_the_forged_spec,
        "5.1, surprise 14",
        BOTH,
        "On a write of `…/status` a mutating webhook sees the client's spec, a validating one the stored spec"
    ),
    fact!(
        fact_plain_update_shows_the_clients_status_to_mutating_webhooks,
        "5.1",
        BOTH,
        "On a plain update of a claim a mutating webhook sees the client's status, a validating one the stored status"
    ),
    fact!(
        fact_unknown_fields_are_gone_before_webhooks,
        "5.1",
        BOTH,
        "An unknown field is gone before a mutating webhook is called"
    ),
    fact!(
        fact_patched_unknown_fields_are_lost,
        "5.1",
        BOTH,
        "A webhook's patch that adds an unknown field is taken and silently lost"
    ),
    fact!(
        fact_default_multiplier_is_there_before_webhooks,
        "1.1",
        T36,
        "The multiplier's default is in the object that a mutating webhook sees"
    ),
    fact!(
        fact_stripped_mapping_is_stored_as_absent,
        "F19, 11.24",
        BOTH,
        "A mutating webhook can take the mapping out of a slice; the device is stored without it"
    ),
    fact!(
        fact_update_reviews_carry_the_stored_object,
        "5.1",
        BOTH,
        "`oldObject` of a status update is the whole stored object, and absent on a create"
    ),
];

const PHASES: [Phase; 2] = [Phase::Mutate, Phase::Validate];

fn slices() -> [Rule; 1] {
    [Rule::dra(&["resourceslices"])]
}

fn beta_slice(bed: &Bed) -> Value {
    let mut slice = bed.slice(&[]);
    slice["apiVersion"] = json!("resource.k8s.io/v1beta1");
    let basic = json!({ "capacity": { "x": { "value": "1" } } });
    slice["spec"]["devices"] = json!([{ "name": "dev-0", "basic": basic }]);
    slice
}

fn fact_v1beta1_clients_are_converted(bed: &Bed) {
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &slices());
    bed.admin.create(&beta_slice(bed)).must();
    let seen = webhook.writes();
    let request = seen[0].request();
    assert_eq!(request["kind"]["version"], "v1");
    assert_eq!(request["requestKind"]["version"], "v1beta1");
    let capacity = &seen[0].object()["spec"]["devices"][0]["capacity"];
    assert_eq!(capacity["x"]["value"], "1");
}

fn fact_exact_match_is_bypassed(bed: &Bed) {
    let webhook = Webhook::recording();
    let exact = |entry: &mut Value| entry["matchPolicy"] = json!("Exact");
    let _hook = bed.hook_with(&webhook, Phase::Validate, &slices(), exact);
    bed.admin.create(&beta_slice(bed)).must();
    assert!(webhook.writes().is_empty());
}

fn fact_collections_are_deleted_one_review_each(bed: &Bed) {
    bed.add_node();
    for name in ["a", "b"] {
        let mut slice = bed.slice(&[device("dev-0")]);
        slice["metadata"]["name"] = json!(format!("{}-{name}", bed.ns));
        bed.admin.create(&slice).must();
    }
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &slices());
    let kubelet = bed.cluster.kubelet(&bed.node);
    let selector = format!("fieldSelector=spec.nodeName%3D{}", bed.node);
    kubelet.delete(&format!("/apis/resource.k8s.io/v1/resourceslices?{selector}")).must();
    let seen = webhook.writes();
    assert_eq!(stories(&seen), ["delete resourceslices"; 2]);
    for review in &seen {
        assert!(review.request()["name"].is_null());
        assert!(review.object().is_null());
        assert_eq!(review.old_object()["spec"]["nodeName"], json!(bed.node));
    }
}

fn fact_dry_runs_are_reviewed(bed: &Bed) {
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &slices());
    let slice = bed.slice(&[device("dev-0")]);
    bed.create_dry(&slice).must();
    assert_eq!(webhook.writes()[0].request()["dryRun"], true);
    assert_eq!(bed.admin.get(&path_of(&slice)).code, 404);
}

fn fact_apply_is_a_create_or_an_update(bed: &Bed) {
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &slices());
    for devices in [[device("dev-0")].as_slice(), &[device("dev-0"), device("dev-1")]] {
        let slice = bed.slice(devices);
        bed.admin.patch(&path_of(&slice), Patch::Apply, &slice).must();
    }
    let expected = ["create resourceslices", "update resourceslices"];
    assert_eq!(stories(&webhook.writes()), expected);
}

fn fact_mutating_status_review_sees_the_forged_spec(bed: &Bed) {
    let mut claim = bed.add_claim("c");
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceclaims/status"])];
    let _hooks = PHASES.map(|phase| bed.hook(&webhook, phase, &rules));
    claim["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = json!("forged");
    claim["status"] = json!({ "allocation": allocation(bed, "dev-0") });
    bed.admin.replace_status(&claim).must();
    let class = |review: &draguard_testbed::Review| {
        let request = &review.object()["spec"]["devices"]["requests"][0];
        request["exactly"]["deviceClassName"].as_str().unwrap_or_default().to_owned()
    };
    let seen: Vec<String> = webhook.writes().iter().map(class).collect();
    assert_eq!(seen, ["forged", bed.ns.as_str()]);
}

fn fact_plain_update_shows_the_clients_status_to_mutating_webhooks(bed: &Bed) {
    let mut claim = bed.add_claim("c");
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceclaims"])];
    let _hooks = PHASES.map(|phase| bed.hook(&webhook, phase, &rules));
    claim["metadata"]["labels"] = json!({ "touched": "yes" });
    claim["status"] = json!({ "allocation": allocation(bed, "dev-0") });
    bed.admin.replace(&claim).must();
    let shown = |review: &draguard_testbed::Review| review.object()["status"]["allocation"].is_object();
    let seen: Vec<bool> = webhook.writes().iter().map(shown).collect();
    assert_eq!(seen, [true, false]);
}

fn other_field(bed: &Bed) -> &'static str {
    match bed.version {
        Version::V1_36 => Version::V1_37.slice_field(),
        Version::V1_37 => Version::V1_36.slice_field(),
    }
}

fn fact_unknown_fields_are_gone_before_webhooks(bed: &Bed) {
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Mutate, &slices());
    let mut slice = bed.slice(&[device("dev-0")]);
    slice["spec"]["devices"][0][other_field(bed)] = json!({ "cpu": {} });
    bed.admin.create(&slice).must();
    let seen = webhook.writes();
    assert_eq!(seen[0].object()["spec"]["devices"], json!([{ "name": "dev-0" }]));
}

fn fact_patched_unknown_fields_are_lost(bed: &Bed) {
    let path = format!("/spec/devices/0/{}", other_field(bed));
    let patch = json!([{ "op": "add", "path": path, "value": { "cpu": {} } }]);
    let webhook = Webhook::with(move |_| Verdict::Patch(patch.clone()));
    let _hook = bed.hook(&webhook, Phase::Mutate, &slices());
    let answer = bed.admin.create(&bed.slice(&[device("dev-0")]));
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
    assert_eq!(answer.must()["spec"]["devices"], json!([{ "name": "dev-0" }]));
}

fn fact_default_multiplier_is_there_before_webhooks(bed: &Bed) {
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Mutate, &slices());
    let mut slice = bed.slice(&[device("dev-0")]);
    slice["spec"]["devices"][0][bed.version.slice_field()] = json!({ "cpu": {} });
    bed.admin.create(&slice).must();
    let seen = webhook.writes();
    let mapping = &seen[0].object()["spec"]["devices"][0][bed.version.slice_field()];
    assert_eq!(*mapping, json!({ "cpu": { "allocationMultiplier": "1" } }));
}

fn fact_stripped_mapping_is_stored_as_absent(bed: &Bed) {
    bed.add_node();
    let path = format!("/spec/devices/0/{}", bed.version.slice_field());
    let patch = json!([{ "op": "remove", "path": path }]);
    let webhook = Webhook::with(move |_| Verdict::Patch(patch.clone()));
    let _hook = bed.hook(&webhook, Phase::Mutate, &slices());
    let stored = bed.store_slice(&[bed.device()]).must();
    assert_eq!(stored["spec"]["devices"], json!([{ "name": "dev-0" }]));
}

fn fact_update_reviews_carry_the_stored_object(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceclaims", "resourceclaims/status"])];
    let _hook = bed.hook(&webhook, Phase::Validate, &rules);
    let claim = bed.add_claim("c");
    let status = json!({ "allocation": allocation(bed, "dev-0") });
    set_status(&bed.admin, &claim, status).must();
    let seen = webhook.writes();
    assert!(seen[0].old_object().is_null());
    assert_eq!(seen[1].old_object()["spec"], claim["spec"]);
    assert!(seen[1].old_object()["status"]["allocation"].is_null());
}
