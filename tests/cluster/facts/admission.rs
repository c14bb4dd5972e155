//! How the API server reads what webhooks answer.

use draguard_testbed::objects::device;
use draguard_testbed::{Phase, Rule, Verdict, Webhook};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_denial_without_a_code_is_a_400,
        "5.4, surprise 21",
        BOTH,
        "A denial without a code is a 400 with the webhook's name and the message"
    ),
    fact!(fact_denial_codes_below_400_are_raised, "5.4", BOTH, "A denial with code 200 is a 400"),
    fact!(
        fact_denial_carries_code_reason_and_details,
        "5.4",
        BOTH,
        "Code, reason and `details.causes` of a denial reach the client"
    ),
    fact!(
        fact_kubectl_prints_the_whole_denial,
        "5.4",
        BOTH,
        "kubectl prints the webhook's name and the whole message, with its line breaks"
    ),
    fact!(fact_warnings_reach_the_client, "5.4", BOTH, "A warning of an allowing webhook reaches the client as it is"),
    fact!(fact_long_warnings_are_cut, "5.4", BOTH, "A warning longer than 4096 runes is cut to 256"),
    fact!(
        fact_unreachable_webhook_with_fail,
        "5.4",
        BOTH,
        "With failurePolicy Fail an unreachable webhook is a 500: failed calling webhook"
    ),
    fact!(
        fact_unreachable_webhook_with_ignore,
        "5.4",
        BOTH,
        "With failurePolicy Ignore an unreachable webhook lets everything through"
    ),
    fact!(fact_wrong_uid_is_a_failed_call, "5.4", BOTH, "An answer with another uid is a failed call, not a verdict"),
    fact!(
        fact_validating_webhooks_must_not_patch,
        "5.4",
        BOTH,
        "A patch in the answer of a validating webhook is a failed call"
    ),
];

fn slices() -> [Rule; 1] {
    [Rule::dra(&["resourceslices"])]
}

/// What the API server says to a client whose slice a webhook answers with `verdict`.
fn answered(bed: &Bed, verdict: Verdict) -> draguard_testbed::Answer {
    let webhook = Webhook::with(move |_| verdict.clone());
    let _hook = bed.hook(&webhook, Phase::Validate, &slices());
    bed.admin.create(&bed.slice(&[device("dev-0")]))
}

fn fact_denial_without_a_code_is_a_400(bed: &Bed) {
    let answer = answered(bed, Verdict::Deny(json!({ "message": "no" })));
    let text = format!("admission webhook \"validate.{}.example.com\" denied the request: no", bed.ns);
    answer.refused(400, &text);
}

fn fact_denial_codes_below_400_are_raised(bed: &Bed) {
    answered(bed, Verdict::deny(200, "no")).refused(400, "denied the request: no");
}

fn fact_denial_carries_code_reason_and_details(bed: &Bed) {
    let cause = json!({ "reason": "FieldValueInvalid", "field": "spec", "message": "DG000" });
    let status = json!({ "code": 403, "reason": "Forbidden", "message": "no",
        "details": { "causes": [cause] } });
    let answer = answered(bed, Verdict::Deny(status));
    answer.refused(403, "no");
    assert_eq!(answer.body["reason"], "Forbidden");
    assert_eq!(answer.body["details"]["causes"][0]["message"], "DG000");
}

fn fact_kubectl_prints_the_whole_denial(bed: &Bed) {
    let status = json!({ "code": 403, "reason": "Forbidden", "message": "first line\nsecond line" });
    let webhook = Webhook::with(move |_| Verdict::Deny(status.clone()));
    let _hook = bed.hook(&webhook, Phase::Validate, &slices());
    let slice = bed.slice(&[device("dev-0")]).to_string();
    let printed = bed.cluster.kubectl().run_with_input(&["create", "-f", "-"], &slice);
    assert_eq!(printed.code, 1);
    let name = format!("admission webhook \"validate.{}.example.com\" denied", bed.ns);
    assert!(printed.stderr.contains(&name), "{}", printed.stderr);
    assert!(printed.stderr.contains("first line\nsecond line"), "{}", printed.stderr);
}

fn fact_warnings_reach_the_client(bed: &Bed) {
    let answer = answered(bed, Verdict::Warn("DG000 beware".to_owned()));
    assert_eq!(answer.warnings, ["DG000 beware"]);
    answer.must();
}

fn fact_long_warnings_are_cut(bed: &Bed) {
    let answer = answered(bed, Verdict::Warn("w".repeat(5000)));
    let lengths: Vec<usize> = answer.warnings.iter().map(String::len).collect();
    assert_eq!(lengths, [256]);
}

/// A slice written while the webhook is gone.
fn written_while_gone(bed: &Bed, policy: &str) -> draguard_testbed::Answer {
    let webhook = Webhook::recording();
    let change = |entry: &mut Value| entry["failurePolicy"] = json!(policy);
    let _hook = bed.hook_with(&webhook, Phase::Validate, &slices(), change);
    drop(webhook);
    bed.admin.create(&bed.slice(&[device("dev-0")]))
}

fn fact_unreachable_webhook_with_fail(bed: &Bed) {
    let answer = written_while_gone(bed, "Fail");
    answer.refused(500, "failed calling webhook");
    assert_eq!(answer.body["reason"], "InternalError");
}

fn fact_unreachable_webhook_with_ignore(bed: &Bed) {
    written_while_gone(bed, "Ignore").must();
}

fn fact_wrong_uid_is_a_failed_call(bed: &Bed) {
    let answer = answered(bed, Verdict::Raw(json!({ "uid": "other", "allowed": true })));
    answer.refused(500, "expected response.uid");
}

fn fact_validating_webhooks_must_not_patch(bed: &Bed) {
    let patch = json!([{ "op": "remove", "path": "/spec/devices" }]);
    let answer = answered(bed, Verdict::Patch(patch));
    answer.refused(500, "may not return response.patch");
}
