//! Which requests a webhook's rules and conditions pick.

use draguard_testbed::objects::device;
use draguard_testbed::{Patch, Phase, Rule, Webhook, path_of};
use serde_json::{Value, json};

use super::claim_status::{allocation, set_status};
use super::pod_status::list;
use crate::bed::{Bed, stories};
use crate::fact::{Fact, Verdict, fact};

pub const FACTS: &[Fact] = &[
    fact!(fact_star_does_not_mean_subresources, "5.3", BOTH, "A rule for `*` does not pick subresources; `*/*` does"),
    fact!(
        fact_namespace_selectors_do_not_hold_for_slices,
        "5.4, surprise 22",
        BOTH,
        "A namespaceSelector that picks nothing still lets a webhook be called for ResourceSlices"
    ),
    fact!(
        fact_match_conditions_spare_heartbeats,
        "11, issue 6h",
        BOTH,
        "With a condition that compares the list of old and new object, a kubelet's ordinary status writes cause no call, and \
         a write of the list causes one"
    ),
    fact!(
        fact_broken_match_condition_with_fail_denies,
        "5.4",
        BOTH,
        "A matchCondition that fails to evaluate is a 403 with failurePolicy Fail"
    ),
    fact!(
        fact_broken_match_condition_with_ignore_skips,
        "5.4",
        BOTH,
        "A matchCondition that fails to evaluate skips the webhook with failurePolicy Ignore"
    ),
    fact!(
        fact_cluster_scoped_requests_have_no_namespace,
        "-",
        BOTH,
        "In a matchCondition `request.namespace` of a cluster-scoped object is absent, not empty: to read it is an error, so \
         a 403 with failurePolicy Fail",
        Verdict::Found
    ),
    fact!(
        fact_legacy_bindings_are_reviewed_as_bindings,
        "5.3",
        BOTH,
        "A binding by POST to `bindings` is reviewed as `bindings`, which a rule for `pods/binding` does not pick"
    ),
    fact!(
        fact_claim_rules_do_not_see_status_writes,
        "5.3",
        BOTH,
        "A rule for `resourceclaims` alone does not see an allocation"
    ),
];

fn condition(expression: &'static str) -> impl FnOnce(&mut Value) {
    move |entry: &mut Value| {
        let conditions = entry["matchConditions"].as_array_mut().expect("conditions");
        conditions.push(json!({ "name": "more", "expression": expression }));
    }
}

fn allocate(bed: &Bed) {
    let claim = bed.add_claim("c");
    let status = json!({ "allocation": allocation(bed, "dev-0") });
    set_status(&bed.admin, &claim, status).must();
}

fn fact_star_does_not_mean_subresources(bed: &Bed) {
    let (plain, all) = (Webhook::recording(), Webhook::recording());
    let _plain = bed.hook(&plain, Phase::Validate, &[Rule::dra(&["*"])]);
    let _all = bed.hook(&all, Phase::Validate, &[Rule::dra(&["*/*"])]);
    allocate(bed);
    let status = "update resourceclaims/status";
    assert_eq!(stories(&plain.writes()), ["create resourceclaims"]);
    assert_eq!(stories(&all.writes()), ["create resourceclaims", status]);
}

fn fact_claim_rules_do_not_see_status_writes(bed: &Bed) {
    let webhook = Webhook::recording();
    let _hook = bed.hook(&webhook, Phase::Validate, &[Rule::dra(&["resourceclaims"])]);
    allocate(bed);
    assert_eq!(stories(&webhook.writes()), ["create resourceclaims"]);
}

fn fact_namespace_selectors_do_not_hold_for_slices(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceslices", "resourceclaims"])];
    // The probe that tells when a configuration is in force is namespaced, so the selector comes later.
    let hook = bed.hook(&webhook, Phase::Validate, &rules);
    let labels = json!({ "matchLabels": { "nobody": "has-this" } });
    let patch = json!([{ "op": "add", "path": "/webhooks/0/namespaceSelector", "value": labels }]);
    bed.admin.patch(hook.path(), Patch::Json, &patch).must();
    draguard_testbed::wait_for("the selector to be in force", crate::bed::SOON, || {
        webhook.forget();
        let name = format!("c-{}", std::process::id());
        let claim = draguard_testbed::objects::claim(&bed.ns, &name, &[]);
        let collection = path_of(&claim).trim_end_matches(&name).trim_end_matches('/').to_owned();
        bed.admin.post(&(collection + "?dryRun=All"), &claim).must();
        if webhook.writes().is_empty() { Ok(()) } else { Err("still called".to_owned()) }
    });
    bed.admin.create(&bed.slice(&[device("dev-0")])).must();
    assert_eq!(stories(&webhook.writes()), ["create resourceslices"]);
}

const LIST_CHANGED: &str = "!has(object.status) || !has(oldObject.status) || \
    object.status.?nodeAllocatableResourceClaimStatuses.orValue([]) != \
    oldObject.status.?nodeAllocatableResourceClaimStatuses.orValue([])";

fn fact_match_conditions_spare_heartbeats(bed: &Bed) {
    bed.add_node();
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["nodeName"] = json!(bed.node);
    bed.add_claim("c");
    let pod = bed.admin.create(&pod).must();
    let webhook = Webhook::recording();
    let rules = [Rule::core(&["pods/status"])];
    // The condition cannot be asked of the probe, which has no status.
    let only_pods = condition_for_pods();
    let _hook = bed.hook_with(&webhook, Phase::Validate, &rules, only_pods);
    let kubelet = bed.cluster.kubelet(&bed.node);
    let status = path_of(&pod) + "/status";
    for beat in 0..20 {
        let patch = json!({ "status": { "message": format!("beat {beat}") } });
        kubelet.patch(&status, Patch::Strategic, &patch).must();
    }
    assert!(webhook.writes().is_empty());
    let amounts = list(bed.version, "c", "cpu", "2");
    let patch = json!({ "status": { "nodeAllocatableResourceClaimStatuses": amounts } });
    bed.admin.patch(&status, Patch::Strategic, &patch).must();
    assert_eq!(stories(&webhook.writes()), ["update pods/status"]);
}

fn condition_for_pods() -> impl FnOnce(&mut Value) {
    move |entry: &mut Value| {
        let expression = format!("request.resource.resource != 'pods' || {LIST_CHANGED}");
        let conditions = entry["matchConditions"].as_array_mut().expect("conditions");
        conditions.push(json!({ "name": "list-changed", "expression": expression }));
    }
}

const BROKEN: &str = "request.resource.resource == 'configmaps' || object.spec.nothing == 'x'";

fn fact_broken_match_condition_with_fail_denies(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceslices"])];
    let _hook = bed.hook_with(&webhook, Phase::Validate, &rules, condition(BROKEN));
    let answer = bed.admin.create(&bed.slice(&[device("dev-0")]));
    assert_eq!(answer.code, 403, "{}", answer.message());
    assert!(webhook.writes().is_empty());
}

fn fact_broken_match_condition_with_ignore_skips(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceslices"])];
    let _hook = bed.hook_with(&webhook, Phase::Validate, &rules, |entry| {
        entry["failurePolicy"] = json!("Ignore");
        condition(BROKEN)(entry);
    });
    bed.admin.create(&bed.slice(&[device("dev-0")])).must();
    assert!(webhook.writes().is_empty());
}

fn fact_cluster_scoped_requests_have_no_namespace(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceslices"])];
    let reading = condition("request.namespace != 'x'");
    let _hook = bed.hook_with(&webhook, Phase::Validate, &rules, reading);
    let answer = bed.admin.create(&bed.slice(&[device("dev-0")]));
    answer.refused(403, "no such key: namespace");
}

fn fact_legacy_bindings_are_reviewed_as_bindings(bed: &Bed) {
    bed.add_node();
    let webhook = Webhook::recording();
    let rules = [Rule::core(&["pods/binding", "bindings"])];
    let _hook = bed.hook(&webhook, Phase::Validate, &rules);
    let mut pod = bed.pod("p", &[]);
    pod["spec"]["schedulerName"] = json!("nobody");
    bed.admin.create(&pod).must();
    let target = json!({ "kind": "Node", "name": bed.node });
    let binding = json!({ "apiVersion": "v1", "kind": "Binding",
        "metadata": { "name": "p", "namespace": bed.ns }, "target": target });
    bed.admin.create(&binding).must();
    assert_eq!(stories(&webhook.writes()), ["create bindings"]);
}
