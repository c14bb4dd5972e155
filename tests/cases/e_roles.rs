//! Area E, before a cluster: who is given the right to write which part of a claim's status.

use crate::common::server::Folder;
use crate::reviewed::{Report, one, review};

/// A role with these rules, each in YAML's flow style.
fn role(kind: &str, rules: &[&str]) -> String {
    let rules = rules.join("\n- ");
    format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: r}}\nrules:\n- {rules}\n")
}

fn cluster_role(rules: &[&str]) -> Report {
    one(&role("ClusterRole", rules))
}

/// One rule on this group, with these resources and verbs.
fn rule(groups: &str, resources: &str, verbs: &str) -> String {
    format!("{{apiGroups: [{groups}], resources: [{resources}], verbs: [{verbs}]}}")
}

fn dra(resources: &str, verbs: &str) -> String {
    rule("resource.k8s.io", resources, verbs)
}

/// Reviews a role under settings that know dra.cpu as node-local and net.example.com as cluster-wide.
fn with_drivers(document: &str) -> Report {
    let folder = Folder::new();
    let settings = folder.path().join("settings.yaml");
    let drivers = "[{name: dra.cpu, writer: NodeLocal}, {name: net.example.com, writer: ClusterWide}]";
    let text =
        "apiVersion: draguard.dev/v1alpha1\nkind: NodeAllocatableRollout\nmetadata: {name: default}\nspec: {drivers: ";
    std::fs::write(&settings, format!("{text}{drivers}}}\n")).unwrap();
    review(&[("role.yaml", document)], &["--config", settings.to_str().unwrap()])
}

const WRITE: &str = "update, patch";
const OWN_NODE: &str = "\"associated-node:update\", \"associated-node:patch\"";
const ANY_NODE: &str = "\"arbitrary-node:update\", \"arbitrary-node:patch\"";

#[test]
fn a_wildcard_that_takes_in_claim_status_is_denied_where_it_stands() {
    for (groups, resources, verbs, field, parts) in [
        (
            "'*'",
            "'*'",
            "'*'",
            "rules[0].resources[0]",
            "resourceclaims/status and resourceclaims/binding and resourceclaims/driver",
        ),
        (
            "resource.k8s.io",
            "'*'",
            "get, patch",
            "rules[0].resources[0]",
            "resourceclaims/status and resourceclaims/binding",
        ),
        ("resource.k8s.io", "resourceslices, '*/status'", "update", "rules[0].resources[1]", "resourceclaims/status"),
        ("'*'", "'*/binding'", "update", "rules[0].resources[0]", "resourceclaims/binding"),
        ("resource.k8s.io", "'*/driver'", OWN_NODE, "rules[0].resources[0]", "resourceclaims/driver"),
        ("resource.k8s.io", "resourceclaims/driver", "get, '*'", "rules[0].verbs[1]", "resourceclaims/driver"),
        ("resource.k8s.io", "resourceclaims/status", "'*'", "rules[0].verbs[0]", "resourceclaims/status"),
        ("apps, '*'", "resourceclaims/binding", "patch", "rules[0].apiGroups[1]", "resourceclaims/binding"),
    ] {
        let report = cluster_role(&[&rule(groups, resources, verbs)]);
        assert_eq!(report.rules("deny"), ["DG701"], "{groups} {resources} {verbs}: {report:?}");
        let finding = report.finding("DG701");
        assert_eq!(finding["path"], field, "{finding}");
        assert!(finding["message"].as_str().unwrap().contains(&format!("the right to write {parts};")), "{finding}");
        let remedy = finding["remedy"].as_str().unwrap();
        assert!(remedy.contains("verbs: [update, patch]") && remedy.ends_with(['}', ')']), "{remedy}");
    }
}

#[test]
fn a_wildcard_over_names_counts_only_where_names_are_drivers() {
    let named = |resources: &str, verbs: &str| {
        format!("{{apiGroups: [resource.k8s.io], resources: [{resources}], resourceNames: [x], verbs: [{verbs}]}}")
    };
    cluster_role(&[&named("'*'", "'*'")]).is_clean();
    cluster_role(&[&named("resourceclaims/driver", "'*'")]).denies(&["DG701"]);
}

#[test]
fn wildcards_about_other_things_are_nobodys_business() {
    cluster_role(&[&rule("gpu.example.com, nvidia.com", "'*'", "'*'"), &rule("\"\", apps", "'*', '*/status'", "'*'")])
        .is_clean();
    cluster_role(&[&rule("'*'", "'*'", "get, list, watch")]).is_clean();
    cluster_role(&[&rule("'*'", "'*/finalizers', '*/scale'", "update")]).is_clean();
    cluster_role(&[&dra("resourceclaims, resourceslices", "'*'")]).is_clean();
    cluster_role(&["{nonResourceURLs: ['*'], verbs: ['*']}"]).is_clean();
}

#[test]
fn roles_without_rules_are_clean() {
    for rules in [
        "",
        "rules:\n",
        "rules: []\n",
        "rules: null\n",
        "rules: [{}]\n",
        "rules: [{apiGroups: null, resources: [], verbs: null}]\n",
    ] {
        one(&format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: r}}\n{rules}"))
            .is_clean();
    }
}

#[test]
fn roles_that_the_cluster_brings_along_are_not_accused() {
    let admin = |name: &str| {
        let labels = "labels: {kubernetes.io/bootstrapping: rbac-defaults}";
        let head = format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}, {labels}}}\n"
        );
        one(&format!("{head}rules: [{}, {{nonResourceURLs: ['*'], verbs: ['*']}}]\n", rule("'*'", "'*'", "'*'")))
    };
    admin("cluster-admin").is_clean();
    admin("'system:controller:generic-garbage-collector'").is_clean();
    admin("mine").denies(&["DG701"]);
}

#[test]
fn what_is_put_together_from_other_roles_is_judged_there() {
    let head = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: monitoring}\n";
    let from = "aggregationRule: {clusterRoleSelectors: [{matchLabels: {rbac.example.com/aggregate: 'true'}}]}\n";
    one(&format!("{head}{from}rules: []\n")).is_clean();
    one(&format!("{head}{from}rules: [{}]\n", rule("'*'", "'*'", "'*'"))).is_clean();
    let part = "metadata: {name: part, labels: {rbac.authorization.k8s.io/aggregate-to-edit: 'true'}}\n";
    let part =
        format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n{part}rules: [{}]\n", dra("'*'", "'*'"));
    one(&part).denies(&["DG701"]);
}

#[test]
fn each_document_and_each_item_of_a_list_is_judged() {
    let wide = role("ClusterRole", &[&dra("'*'", "'*'")]);
    let narrow = role("ClusterRole", &[&dra("resourceclaims", "get")]);
    let report = one(&format!("{narrow}---\n{wide}---\n{}", role("Role", &[&dra("'*'", "'*'")])));
    assert_eq!(report.json["findings"].as_array().unwrap().len(), 2, "{report:?}");
    let item = wide.replace("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n", "").replace('\n', "\n  ");
    let list =
        format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleList\nitems:\n- {}\n", item.trim_end());
    let report = one(&list);
    report.denies(&["DG701"]);
    assert_eq!(report.finding("DG701")["line"], 6);
}

#[test]
fn e08_the_syncer_of_a_virtual_cluster_is_warned_and_nothing_more() {
    let report = cluster_role(&[
        &dra("resourceclaims", "create, delete, get, list, patch, update, watch"),
        &dra("resourceclaims/status", WRITE),
        &dra("resourceclaims/binding", WRITE),
        &dra("resourceclaims/driver", ANY_NODE),
    ]);
    report.warns(&["DG701", "DG702"]);
    report.says("DG701", "virtual cluster");
    assert_eq!(report.finding("DG701")["path"], "rules[3].resources[0]");
}

#[test]
fn e01_a_scheduler_with_the_binding_right_is_clean() {
    // KAI's binder, and a scheduler that only patches.
    cluster_role(&[
        &dra("deviceclasses, resourceclaims, resourceslices", "get, list, watch"),
        &dra("resourceclaims/status", "get, list, patch, update, watch"),
        &dra("resourceclaims/binding", "patch, update"),
    ])
    .is_clean();
    cluster_role(&[&dra("resourceclaims/status", "patch"), &dra("resourceclaims/binding", "patch")]).is_clean();
}

#[test]
fn the_roles_of_released_drivers_are_clean() {
    let own = |driver: &str| {
        format!(
            "{{apiGroups: [resource.k8s.io], resources: [resourceclaims/driver], resourceNames: [{driver}], verbs: [{OWN_NODE}]}}"
        )
    };
    let cpu = role(
        "ClusterRole",
        &[
            &rule("\"\"", "nodes", "get"),
            &dra("resourceslices", "list, watch, create, update, delete"),
            &dra("resourceclaims, deviceclasses", "get"),
            &dra("resourceclaims/status", "patch, update"),
            &rule("\"\"", "pods", "get, list, watch"),
            &own("dra.cpu"),
        ],
    );
    with_drivers(&cpu).is_clean();
    // dra-example-driver; dra-driver-nvidia-gpu, which writes no status at all.
    cluster_role(&[&dra("resourceclaims", "get"), &dra("resourceclaims/status", "update"), &own("gpu.example.com")])
        .is_clean();
    cluster_role(&[
        &rule("resource.nvidia.com", "computedomains", "get, list, watch"),
        &dra("resourceclaims", "get, list, watch"),
        &dra("resourceslices", "get, list, watch, create, update, delete"),
        &rule("\"\"", "nodes", "get, list, watch, update, patch"),
    ])
    .is_clean();
    // As released for v1.35, without the new rights.
    cluster_role(&[&dra("resourceclaims/status", "patch, update")]).is_clean();
}

#[test]
fn a_node_local_driver_needs_no_right_on_other_nodes() {
    let named = |name: &str, verbs: &str| {
        role(
            "ClusterRole",
            &[&format!(
                "{{apiGroups: [resource.k8s.io], resources: [resourceclaims/driver], resourceNames: [{name}], verbs: [{verbs}]}}"
            )],
        )
    };
    let report = with_drivers(&named("dra.cpu", &format!("{OWN_NODE}, {ANY_NODE}")));
    report.denies(&["DG702"]);
    assert_eq!(report.finding("DG702")["path"], "rules[0].verbs[2]");
    report.says("DG702", "associated-node:update");
    report.says("DG702", "draguard render rbac --driver dra.cpu --node-local");
    with_drivers(&named("other.example.com, dra.cpu", ANY_NODE)).denies(&["DG702"]);
    with_drivers(&named("dra.cpu", "'*'")).denies(&["DG701", "DG702"]);
    with_drivers(&named("dra.cpu", OWN_NODE)).is_clean();
    with_drivers(&named("net.example.com", ANY_NODE)).is_clean();
    with_drivers(&named("unknown.example.com", ANY_NODE)).is_clean();
}

#[test]
fn a_driver_right_without_names_is_one_for_every_driver() {
    let report = cluster_role(&[&dra("resourceclaims/status, resourceclaims/driver", &format!("{WRITE}, {OWN_NODE}"))]);
    report.warns(&["DG702"]);
    report.says("DG702", "resourceNames");
    with_drivers(&role("Role", &[&dra("resourceclaims/driver", ANY_NODE)])).warns(&["DG702"]);
}

#[test]
fn rights_that_no_api_server_asks_for_are_told() {
    let named = |resource: &str, verbs: &str| {
        format!("{{apiGroups: [resource.k8s.io], resources: [{resource}], resourceNames: [x], verbs: [{verbs}]}}")
    };
    let any_name = |resource: &str, verbs: &str| named(resource, verbs).replace("[x]", "['*']");
    for (document, field) in [
        (role("Role", &[&dra("resourceclaims/status, resourceclaims/binding", WRITE)]), "rules[0].resources[1]"),
        (role("ClusterRole", &[&named("resourceclaims/binding", WRITE)]), "rules[0].resourceNames"),
        (role("ClusterRole", &[&dra("resourceclaims/binding", "get, create")]), "rules[0].verbs"),
        (role("ClusterRole", &[&dra("resourceclaims/binding", OWN_NODE)]), "rules[0].verbs"),
        (role("ClusterRole", &[&named("resourceclaims/driver", WRITE)]), "rules[0].verbs"),
        (role("ClusterRole", &[&named("resourceclaims/driver", "'associated-node:*'")]), "rules[0].verbs"),
        (role("ClusterRole", &[&rule("\"\"", "resourceclaims/binding", WRITE)]), "rules[0].apiGroups"),
        (role("ClusterRole", &[&dra("'resourceclaims/*'", "'*'")]), "rules[0].resources[0]"),
        (role("ClusterRole", &[&rule("'*'", "'*/*'", "'*'")]), "rules[0].resources[0]"),
        (role("ClusterRole", &[&dra("resourceslices, resourceClaims", "get")]), "rules[0].resources[1]"),
        (role("ClusterRole", &[&dra("resourceclaims/drivers", OWN_NODE)]), "rules[0].resources[0]"),
        (role("ClusterRole", &[&any_name("resourceclaims/driver", OWN_NODE)]), "rules[0].resourceNames[0]"),
        (role("Role", &[&any_name("resourceclaims", "get")]), "rules[0].resourceNames[0]"),
    ] {
        let report = one(&document);
        report.warns(&["DG706"]);
        assert_eq!(report.finding("DG706")["path"], field, "{document}");
    }
}

#[test]
fn a_right_that_another_rule_gives_in_a_form_that_works_is_no_matter() {
    cluster_role(&[
        &dra(
            "resourceclaims, resourceclaims/status, resourceclaims/driver, resourceclaims/binding",
            "get, list, watch",
        ),
        &dra("resourceclaims/binding", WRITE),
    ])
    .warns(&["DG706"]);
    cluster_role(&[&dra("resourceclaims/binding", "get"), &dra("resourceclaims/binding", WRITE)]).is_clean();
    // A namespaced driver right works: the API server asks in the claim's namespace.
    let own = format!(
        "{{apiGroups: [resource.k8s.io], resources: [resourceclaims/driver], resourceNames: [x], verbs: [{OWN_NODE}]}}"
    );
    one(&role("Role", &[&own])).is_clean();
    // Names of other groups, and of a version to come.
    cluster_role(&[&rule("resource.k8s.io, example.com", "resourceclaim", "get")]).is_clean();
    cluster_role(&[&dra("resourceclaims/finalizers, deviceprofiles", "update")]).is_clean();
}

/// A binding of the role r.
fn binding(kind: &str, role: &str) -> String {
    let head =
        format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: b, namespace: ns}}\n");
    let subject = "subjects: [{kind: ServiceAccount, name: scheduler, namespace: ns}]";
    format!("{head}roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {role}, name: r}}\n{subject}\n")
}

#[test]
fn a_binding_in_one_namespace_does_not_give_the_binding_right() {
    let binder = role("ClusterRole", &[&dra("resourceclaims/binding", WRITE)]);
    let narrow = binding("RoleBinding", "ClusterRole");
    let report = review(&[("a.yaml", &narrow), ("b.yaml", &binder)], &[]);
    report.warns(&["DG706"]);
    report.says("DG706", "ClusterRoleBinding");
    assert_eq!(report.finding("DG706")["path"], "roleRef.name");
    let wide = binding("ClusterRoleBinding", "ClusterRole");
    review(&[("a.yaml", &narrow), ("b.yaml", &binder), ("c.yaml", &wide)], &[]).is_clean();
    review(&[("b.yaml", &binder), ("c.yaml", &wide)], &[]).is_clean();
    one(&narrow).is_clean();
    review(&[("a.yaml", &binding("RoleBinding", "Role")), ("b.yaml", &binder)], &[]).is_clean();
    let reader = role("ClusterRole", &[&dra("resourceclaims", "get")]);
    review(&[("a.yaml", &narrow), ("b.yaml", &reader)], &[]).is_clean();
}

#[test]
fn the_rendered_roles_are_clean() {
    for (driver, place) in [("dra.cpu", "--node-local"), ("net.example.com", "--cluster-wide"), ("1.5", "--node-local")]
    {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_draguard"))
            .args(["render", "rbac", "--driver", driver, place, "--service-account", "dra/driver"])
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        with_drivers(&printed).is_clean();
    }
}
