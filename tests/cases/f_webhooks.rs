//! Area F, before a cluster: webhook configurations that lock it, never fire, or are gone past.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::reviewed::{Report, one, review};

const CLAIM_STATUS: &str =
    "{apiGroups: [resource.k8s.io], apiVersions: [v1], resources: [resourceclaims/status], operations: [UPDATE]}";
const ELSEWHERE: &str =
    "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [guard]}]}";

/// A configuration with one webhook: its rule, and its other fields, in YAML's flow style.
fn webhook(rule: &str, fields: &str) -> Report {
    one(&configuration("ValidatingWebhookConfiguration", rule, fields))
}

fn configuration(kind: &str, rule: &str, fields: &str) -> String {
    let client = "clientConfig: {service: {namespace: guard, name: guard, path: /validate}}";
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: {kind}\nmetadata: {{name: guard}}\nwebhooks:\n- {{name: \
         w.example.com, sideEffects: None, admissionReviewVersions: [v1], {client}, rules: [{rule}], {fields}}}\n"
    )
}

fn rule(groups: &str, resources: &str, operations: &str) -> String {
    format!("{{apiGroups: [{groups}], apiVersions: [v1], resources: [{resources}], operations: [{operations}]}}")
}

fn policy(kind: &str, constraints: &str) -> Report {
    one(&format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec: {{failurePolicy: Fail, \
         matchConstraints: {{{constraints}}}, validations: []}}\n"
    ))
}

#[test]
fn f02_a_rule_for_everything_is_denied_although_it_ignores_failures() {
    let report = webhook(&rule("'*'", "'*'", "CREATE, UPDATE"), "timeoutSeconds: 10, failurePolicy: Ignore");
    report.denies(&["DG703"]);
    let found: Vec<&Value> = report.json["findings"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(found, [&json!("webhooks[0].rules[0].resources[0]"), &json!("webhooks[0].timeoutSeconds")]);
}

#[test]
fn f01_what_is_about_other_things_is_not_judged() {
    webhook(&rule("\"\"", "pods", "CREATE"), "failurePolicy: Fail").is_clean();
    webhook(&rule("\"\"", "'*'", "CREATE, UPDATE, DELETE"), "failurePolicy: Fail").is_clean();
    webhook(&rule("apps, gpu.example.com", "'*/*'", "'*'"), "timeoutSeconds: 30").is_clean();
    webhook(&rule("'*'", "'*'", "CONNECT"), "timeoutSeconds: 30").is_clean();
    // A policy engine as it is shipped: about everything, and nobody waits for it.
    webhook(
        &rule("'*'", "'*', pods/ephemeralcontainers", "CREATE, UPDATE"),
        "failurePolicy: Ignore, timeoutSeconds: 3",
    )
    .is_clean();
    one("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: empty}\n")
        .is_clean();
}

#[test]
fn f14_a_long_wait_is_denied_where_schedulers_kubelets_and_drivers_wait() {
    for (group, resource) in [
        ("resource.k8s.io", "resourceclaims/status"),
        ("resource.k8s.io", "resourceslices"),
        ("\"\"", "pods/status"),
        ("\"\"", "pods/binding"),
        ("\"\"", "bindings"),
    ] {
        for fields in ["failurePolicy: Ignore", "failurePolicy: Ignore, timeoutSeconds: 4"] {
            let report = webhook(&rule(group, resource, "CREATE, UPDATE"), fields);
            report.denies(&["DG703"]);
            report.says("DG703", "timeoutSeconds: 3");
        }
        webhook(&rule(group, resource, "CREATE, UPDATE"), "failurePolicy: Ignore, timeoutSeconds: 3").is_clean();
    }
}

#[test]
fn f01_its_own_namespace_must_come_back_without_it() {
    let report = webhook(CLAIM_STATUS, "timeoutSeconds: 3");
    report.denies(&["DG703"]);
    report.says("DG703", "values: [kube-system, guard]");
    webhook(&rule("\"\"", "pods/binding", "CREATE"), "timeoutSeconds: 3, failurePolicy: Fail").denies(&["DG703"]);
    let other = "timeoutSeconds: 3, namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}";
    webhook(CLAIM_STATUS, other).denies(&["DG703"]);
    for fields in [
        format!("timeoutSeconds: 3, {ELSEWHERE}"),
        "timeoutSeconds: 3, failurePolicy: Ignore".to_owned(),
        "timeoutSeconds: 3, namespaceSelector: {matchLabels: {guarded: 'true'}}".to_owned(),
        "timeoutSeconds: 3, namespaceSelector: {matchExpressions: [{key: unguarded, operator: DoesNotExist}]}"
            .to_owned(),
        "timeoutSeconds: 3, matchConditions: [{name: n, expression: \"request.namespace != 'guard'\"}]".to_owned(),
    ] {
        webhook(CLAIM_STATUS, &fields).is_clean();
    }
    webhook(&rule("resource.k8s.io", "resourceslices", "CREATE"), "timeoutSeconds: 3").is_clean();
}

#[test]
fn deletes_do_not_wait_for_a_webhook() {
    for operations in ["CREATE, DELETE", "'*'"] {
        let slices = rule("resource.k8s.io", "resourceslices", operations);
        webhook(&slices, "timeoutSeconds: 3").denies(&["DG703"]);
        webhook(&slices, "timeoutSeconds: 3, failurePolicy: Ignore").is_clean();
    }
    let claims = rule("resource.k8s.io", "resourceclaims", "DELETE");
    webhook(&claims, &format!("timeoutSeconds: 3, {ELSEWHERE}")).denies(&["DG703"]);
}

#[test]
fn wildcards_beside_dra_are_denied_wherever_they_are() {
    for (groups, resources) in [
        ("resource.k8s.io", "'*'"),
        ("resource.k8s.io", "'resourceclaims/*'"),
        ("\"\"", "'pods/*'"),
        ("'*'", "'*/status'"),
        ("'*'", "resourceclaims/status"),
    ] {
        webhook(&rule(groups, resources, "UPDATE"), "failurePolicy: Ignore, timeoutSeconds: 2").denies(&["DG703"]);
    }
}

/// dra-example-driver and dra-driver-cpu check their users' parameters so.
#[test]
fn the_webhooks_of_released_drivers_are_not_denied() {
    let versions = "{apiGroups: [resource.k8s.io], apiVersions: [v1beta1, v1beta2, v1], operations: [CREATE, UPDATE], resources: \
                    [resourceclaims, resourceclaimtemplates], scope: Namespaced}";
    webhook(versions, "").warns(&["DG703"]);
    let cpu = format!(
        "{}, {}",
        rule("resource.k8s.io", "resourceclaims", "CREATE, UPDATE"),
        rule("\"\"", "pods", "CREATE, UPDATE")
    );
    webhook(&cpu, &format!("timeoutSeconds: 5, failurePolicy: Ignore, {ELSEWHERE}")).warns(&["DG703"]);
}

#[test]
fn f12_what_is_shipped_is_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifests = root.join("manifests");
    let output = Command::new(env!("CARGO_BIN_EXE_draguard"))
        .args(["review", "--fail-on", "warn", "--format", "json"])
        .arg(manifests)
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &json["findings"]), (Some(0), &json!([])));
}

#[test]
fn a_rule_for_a_synthetic_subresource_never_fires() {
    for resource in ["resourceclaims/binding", "resourceclaims/driver"] {
        let report = webhook(
            &rule("resource.k8s.io", &format!("resourceclaims/status, {resource}"), "UPDATE"),
            &format!("timeoutSeconds: 3, {ELSEWHERE}"),
        );
        report.denies(&["DG704"]);
        report.says("DG704", "resourceclaims/status");
        assert_eq!(report.finding("DG704")["path"], "webhooks[0].rules[0].resources[1]");
        let never = rule("resource.k8s.io", resource, "'*'");
        one(&configuration("MutatingWebhookConfiguration", &never, "failurePolicy: Ignore")).denies(&["DG704"]);
        policy("ValidatingAdmissionPolicy", &format!("resourceRules: [{never}]")).denies(&["DG704"]);
    }
    webhook(&rule("example.com", "resourceclaims/binding", "UPDATE"), "").is_clean();
}

#[test]
fn names_and_scopes_that_no_request_has_never_match() {
    let of = |resources: &str, scope: &str| {
        let rule = rule("resource.k8s.io", resources, "UPDATE").replace('}', &format!(", scope: {scope}}}"));
        webhook(&rule, &format!("timeoutSeconds: 3, {ELSEWHERE}"))
    };
    for (resources, scope, field, says) in [
        ("resourceclaims/status", "Cluster", "scope", "Namespaced"),
        ("resourceclaims/status, resourceslices", "Namespaced", "scope", "resourceslices have no namespace"),
        ("resourceslices, resourceclaim/status", "'*'", "resources[1]", "write resourceclaims/status"),
        ("ResourceSlices", "'*'", "resources[0]", "write resourceslices"),
    ] {
        let report = of(resources, scope);
        report.denies(&["DG704"]);
        report.says("DG704", says);
        assert_eq!(report.finding("DG704")["path"], format!("webhooks[0].rules[0].{field}"));
    }
    of("resourceslices", "Cluster").is_clean();
    of("resourceclaims/status", "Namespaced").is_clean();
    webhook(&rule("resource.k8s.io, example.com", "resourceslice", "UPDATE"), "").is_clean();
}

#[test]
fn a25_a_policy_for_one_version_leaves_the_others_unguarded() {
    let slices = |versions: &str| {
        format!(
            "{{apiGroups: [resource.k8s.io], apiVersions: [{versions}], operations: [CREATE], resources: [resourceslices]}}"
        )
    };
    for kind in ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"] {
        let of = |policy_of: &str, versions: &str| {
            policy(kind, &format!("{policy_of}resourceRules: [{}]", slices(versions)))
        };
        of("", "v1").is_clean();
        of("", "'*'").is_clean();
        of("matchPolicy: Equivalent, ", "v1, v1beta1").is_clean();
        of("matchPolicy: Exact, ", "v1, v1beta2, v1beta1").is_clean();
        let exact = of("matchPolicy: Exact, ", "v1");
        exact.warns(&["DG705"]);
        exact.says("DG705", "v1beta2 and v1beta1");
        // As dra-example-driver had it: a server that serves v1 only is never asked about.
        let old = of("", "v1beta1");
        old.warns(&["DG705"]);
        assert_eq!(old.finding("DG705")["path"], "spec.matchConstraints.resourceRules[0].apiVersions");
    }
    let exact = "timeoutSeconds: 3, failurePolicy: Ignore, matchPolicy: Exact";
    webhook(&slices("v1"), exact).warns(&["DG705"]);
    let parted = ["v1", "v1beta1", "v1beta2"].map(slices).join(", ");
    webhook(&parted, exact).is_clean();
    webhook("{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}", exact).is_clean();
}

#[test]
fn both_rules_of_a_webhook_that_misses_versions_are_told_once() {
    let both = "{apiGroups: [resource.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [resourceslices, deviceclasses]}";
    let report = webhook(both, "timeoutSeconds: 3, failurePolicy: Ignore, matchPolicy: Exact");
    assert_eq!(report.json["findings"].as_array().unwrap().len(), 1, "{report:?}");
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let text = configuration("ValidatingWebhookConfiguration", CLAIM_STATUS, "failurePolicy: Ignore")
        .replace("resources: [resourceclaims/status]", "resources: resourceclaims/status");
    let report = review(&[("w.yaml", &text)], &[]);
    report.denies(&["DG001"]);
    assert_eq!(report.finding("DG001")["path"], "webhooks[0].rules[0].resources");
}
