//! What is installed: the files say what `draguard render` prints, and neither can lock a cluster.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const FOLDERS: [&str; 2] = ["manifests/base", "manifests/webhooks"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The documents of the files that the two kustomizations list, in their order.
fn in_files() -> Vec<Value> {
    FOLDERS.iter().flat_map(|folder| listed(folder)).flat_map(|file| yaml(&fs::read_to_string(file).unwrap())).collect()
}

fn listed(folder: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let list = yaml(&fs::read_to_string(folder.join("kustomization.yaml")).unwrap()).remove(0);
    list["resources"].as_array().unwrap().iter().map(|name| folder.join(name.as_str().unwrap())).collect()
}

fn draguard(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_draguard")).args(arguments).output().unwrap()
}

fn rendered(flags: &[&str]) -> Vec<Value> {
    let output = draguard(&[&["render"], flags].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    yaml(std::str::from_utf8(&output.stdout).unwrap())
}

fn refused(flags: &[&str]) -> String {
    let output = draguard(&[&["render"], flags].concat());
    assert_eq!(output.status.code(), Some(2), "{flags:?}");
    assert!(output.stdout.is_empty(), "{flags:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn kinds(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["kind"].as_str().unwrap()).collect()
}

/// Every webhook, with the kind of its configuration.
fn webhooks(documents: &[Value]) -> Vec<(&str, &Value)> {
    let configurations = documents.iter().filter(|document| document["webhooks"].is_array());
    configurations
        .flat_map(|configuration| {
            let kind = if configuration["kind"] == "MutatingWebhookConfiguration" { "mutating" } else { "validating" };
            configuration["webhooks"].as_array().unwrap().iter().map(move |webhook| (kind, webhook))
        })
        .collect()
}

fn words(list: &Value) -> Vec<&str> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

/// True when an API server would ask the webhook about such a request; conditions are left out of account.
fn asked(webhook: &Value, group: &str, resource: &str, operation: &str, namespace: Option<&str>) -> bool {
    let any = |list: &Value, word: &str| words(list).iter().any(|entry| *entry == word || *entry == "*");
    let is_whole = !resource.contains('/');
    let named = |list: &Value| any(list, resource) && (is_whole || words(list).contains(&resource));
    let rules = webhook["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    let matched = rules
        .iter()
        .any(|rule| any(&rule["apiGroups"], group) && named(&rule["resources"]) && any(&rule["operations"], operation));
    matched && !namespace.is_some_and(|namespace| excluded(webhook).contains(namespace))
}

fn excluded(webhook: &Value) -> BTreeSet<&str> {
    let expressions =
        webhook["namespaceSelector"]["matchExpressions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let by_name =
        expressions.iter().filter(|one| one["key"] == "kubernetes.io/metadata.name" && one["operator"] == "NotIn");
    by_name.flat_map(|expression| words(&expression["values"])).collect()
}

/// What could lock a cluster, or could never work.
fn lint(documents: &[Value], own: &str) -> Vec<String> {
    let hooks = webhooks(documents);
    let mut faults: Vec<String> = hooks.iter().flat_map(|(_, webhook)| lint_one(webhook, own)).collect();
    let closed = hooks.iter().filter(|(_, webhook)| webhook["failurePolicy"] != "Ignore").count();
    if closed > 1 {
        faults.push(format!("{closed} webhooks fail closed"));
    }
    if hooks.iter().any(|(kind, webhook)| *kind == "mutating" && webhook["failurePolicy"] != "Ignore") {
        faults.push("a mutating webhook fails closed".to_owned());
    }
    faults
}

fn lint_one(webhook: &Value, own: &str) -> Vec<String> {
    let rules = webhook["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lists = ["apiGroups", "apiVersions", "resources", "operations"];
    let every: Vec<&str> = rules.iter().flat_map(|rule| lists.iter().flat_map(|list| words(&rule[*list]))).collect();
    let is_namespaced = rules.iter().any(|rule| rule["scope"] != "Cluster");
    let is_busy = every.iter().any(|word| ["pods", "pods/status", "resourceclaims/status"].contains(word));
    let closed = webhook["failurePolicy"] != "Ignore";
    let faults = [
        (every.iter().any(|word| word.contains('*')), "wildcard"),
        (every.iter().any(|word| ["DELETE", "CONNECT"].contains(word)), "deletes or connects are matched"),
        (webhook["timeoutSeconds"].as_u64().is_none_or(|seconds| !(1..=3).contains(&seconds)), "timeout"),
        (
            closed && every.iter().any(|word| *word != "resourceclaims/status" && word.contains("pod")),
            "pods fail closed",
        ),
        (closed && !every.contains(&"resourceclaims/status"), "fails closed elsewhere than at the main gate"),
        (is_namespaced && !excluded(webhook).is_superset(&BTreeSet::from(["kube-system", own])), "selector"),
        (is_busy && webhook["matchConditions"].as_array().is_none_or(Vec::is_empty), "busy without a condition"),
        (webhook["matchPolicy"] != "Equivalent", "matchPolicy"),
        (webhook["sideEffects"] != "None", "sideEffects"),
        (webhook["admissionReviewVersions"] != json!(["v1"]), "admissionReviewVersions"),
        (rules.iter().any(|rule| rule["apiVersions"] != json!(["v1"])), "apiVersions"),
        (every.iter().any(|word| ["resourceclaims/binding", "resourceclaims/driver"].contains(word)), "never fires"),
    ];
    let name = webhook["name"].as_str().unwrap_or_default();
    faults.iter().filter(|(is_so, _)| *is_so).map(|(_, fault)| format!("{name}: {fault}")).collect()
}

#[test]
fn render_prints_the_files() {
    assert_eq!(rendered(&[]), in_files());
}

/// Off by default; on demand, one configuration of its own that never fails closed, and nothing else changes.
#[test]
fn bindings_are_asked_about_only_on_demand() {
    let with = rendered(&["--check-bindings"]);
    let (last, others) = with.split_last().unwrap();
    assert_eq!(others, in_files());
    assert_eq!(*last, yaml(&fs::read_to_string(root().join("manifests/bindings/validating.yaml")).unwrap())[0]);
    assert_eq!(listed("manifests/bindings"), [root().join("manifests/bindings/validating.yaml")]);
    assert_eq!(lint(&with, "draguard-system"), Vec::<String>::new());
    let moved = rendered(&["--check-bindings", "--namespace", "guard", "--only", "webhooks"]);
    assert_eq!(lint(&moved, "guard"), Vec::<String>::new());
    for resource in ["pods/binding", "bindings"] {
        let asking = |documents: &[Value]| {
            let hooks = webhooks(documents);
            hooks.iter().filter(|(_, hook)| asked(hook, "", resource, "CREATE", Some("any"))).count()
        };
        assert_eq!((asking(&with), asking(&in_files())), (1, 0), "{resource}");
    }
    let workload = ["--only", "workload"];
    assert_eq!(rendered(&[&workload[..], &["--check-bindings"]].concat()), rendered(&workload));
}

#[test]
fn no_file_is_left_out() {
    for folder in FOLDERS {
        let mut found: Vec<PathBuf> =
            fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.retain(|file| file.file_name().unwrap() != "kustomization.yaml");
        assert_eq!(BTreeSet::from_iter(found), BTreeSet::from_iter(listed(folder)));
    }
}

#[test]
fn nothing_that_is_shipped_can_lock_a_cluster() {
    assert_eq!(lint(&in_files(), "draguard-system"), Vec::<String>::new());
    assert_eq!(lint(&rendered(&["--namespace", "guard"]), "guard"), Vec::<String>::new());
    assert_eq!(lint(&rendered(&["--url", "https://10.0.0.1:8443"]), "draguard-system"), Vec::<String>::new());
}

#[test]
fn the_lint_sees_what_it_is_there_for() {
    let shipped = in_files();
    for (pointer, bad, fault) in [
        ("/rules/0/apiGroups", json!(["*"]), "wildcard"),
        ("/rules/0/resources", json!(["pods/*"]), "wildcard"),
        ("/rules/0/operations", json!(["UPDATE", "DELETE"]), "deletes"),
        ("/timeoutSeconds", json!(10), "timeout"),
        ("/timeoutSeconds", Value::Null, "timeout"),
        ("/failurePolicy", Value::Null, "fail"),
        ("/namespaceSelector", Value::Null, "selector"),
        ("/namespaceSelector/matchExpressions/0/values", json!(["kube-system"]), "selector"),
        ("/matchConditions", json!([]), "condition"),
        ("/matchPolicy", json!("Exact"), "matchPolicy"),
        ("/sideEffects", json!("Some"), "sideEffects"),
        ("/rules/0/apiVersions", json!(["v1beta1"]), "apiVersions"),
        ("/rules/0/resources", json!(["resourceclaims/binding"]), "never fires"),
    ] {
        let mut documents = shipped.clone();
        let pods = documents.iter_mut().flat_map(|document| document["webhooks"].as_array_mut().into_iter().flatten());
        let webhook = pods.into_iter().find(|webhook| webhook["name"] == "pods.draguard.dev").unwrap();
        *webhook.pointer_mut(pointer).unwrap() = bad;
        let faults = lint(&documents, "draguard-system");
        assert!(faults.iter().any(|one| one.contains(fault)), "{pointer}: {faults:?}");
    }
}

/// F01: a CNI pod, and draguard's own, start whatever happens to draguard.
#[test]
fn f01_no_pod_waits_for_the_webhook() {
    let documents = rendered(&[]);
    for (_, webhook) in webhooks(&documents) {
        for namespace in ["kube-system", "draguard-system"] {
            assert!(!asked(webhook, "", "pods", "CREATE", Some(namespace)), "{webhook}");
            assert!(!asked(webhook, "", "pods/status", "UPDATE", Some(namespace)), "{webhook}");
        }
        let touches_pods = ["pods", "pods/status", "pods/binding"].iter().any(|resource| {
            ["CREATE", "UPDATE"].iter().any(|operation| asked(webhook, "", resource, operation, Some("any")))
        });
        assert!(!touches_pods || webhook["failurePolicy"] == "Ignore", "{webhook}");
    }
}

/// F02: what keeps a control plane alive is never matched, not even by a webhook that may be ignored.
#[test]
fn f02_leases_events_and_endpoints_are_never_matched() {
    let documents = rendered(&[]);
    for (_, webhook) in webhooks(&documents) {
        for (group, resource) in [
            ("coordination.k8s.io", "leases"),
            ("", "events"),
            ("events.k8s.io", "events"),
            ("", "endpoints"),
            ("discovery.k8s.io", "endpointslices"),
            ("", "nodes"),
            ("", "nodes/status"),
            ("", "secrets"),
            ("", "serviceaccounts"),
            ("", "pods/binding"),
            ("apps", "deployments"),
            ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
            ("rbac.authorization.k8s.io", "clusterroles"),
        ] {
            let operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
            assert!(!operations.iter().any(|operation| asked(webhook, group, resource, operation, None)), "{resource}");
        }
    }
}

/// F09: API servers send dry runs only to webhooks without side effects.
#[test]
fn f09_dry_runs_are_sent() {
    assert!(webhooks(&rendered(&[])).iter().all(|(_, webhook)| webhook["sideEffects"] == "None"));
}

/// F11: API servers must not call what is not there yet.
#[test]
fn f11_webhook_configurations_come_last() {
    let documents = rendered(&[]);
    let kinds = kinds(&documents);
    assert_eq!(kinds[0], "Namespace");
    assert_eq!(kinds[kinds.len() - 2..], ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
    assert_eq!(kinds.iter().filter(|kind| kind.ends_with("WebhookConfiguration")).count(), 2);
    assert_eq!([rendered(&["--only", "workload"]), rendered(&["--only", "webhooks"])].concat(), documents);
}

/// F12: kubelets' status traffic stays between them and the API server.
#[test]
fn f12_pod_status_is_matched_only_where_the_list_differs() {
    let documents = rendered(&[]);
    let busy: Vec<_> = webhooks(&documents)
        .into_iter()
        .filter(|(_, hook)| asked(hook, "", "pods/status", "UPDATE", Some("any")))
        .collect();
    assert_eq!(busy.len(), 2);
    for (_, webhook) in busy {
        let expression = webhook["matchConditions"][0]["expression"].as_str().unwrap();
        for field in ["nodeAllocatableResourceClaimStatuses", "additionalNodeAllocatableResources"] {
            for object in ["object", "oldObject"] {
                assert!(expression.contains(&format!("{object}.?status.?{field}")), "{expression}");
            }
        }
    }
}

/// F14: an answer in time beats a right one late, and one entry failing closed has the longest time.
#[test]
fn f14_timeouts_are_short() {
    assert!(webhooks(&rendered(&[])).iter().all(|(_, webhook)| webhook["timeoutSeconds"].as_u64().unwrap() <= 3));
}

#[test]
fn one_webhook_fails_closed_and_it_is_the_main_gate() {
    let documents = rendered(&[]);
    let hooks = webhooks(&documents);
    let closed: Vec<_> = hooks.iter().filter(|(_, webhook)| webhook["failurePolicy"] != "Ignore").collect();
    let (kind, gate) = closed[0];
    assert_eq!((closed.len(), *kind), (1, "validating"));
    assert_eq!(gate["rules"][0]["resources"], json!(["resourceclaims/status"]));
    assert_eq!(gate["rules"][0]["operations"], json!(["UPDATE"]));
    let release = gate["matchConditions"][1]["expression"].as_str().unwrap();
    for user in ["kube-scheduler'", "kube-controller-manager'", "serviceaccount:kube-system:resource-claim-controller'"]
    {
        assert!(release.contains(&format!("'system:{user}")), "{release}");
    }
}

#[test]
fn each_webhook_calls_the_path_of_its_kind() {
    let path = |hook: &Value| hook["clientConfig"]["service"]["path"].as_str().unwrap().to_owned();
    for (kind, webhook) in webhooks(&rendered(&[])) {
        assert_eq!(path(webhook), if kind == "mutating" { "/mutate" } else { "/validate" });
    }
}

#[test]
fn flags_say_where_it_runs() {
    let moved = rendered(&["--namespace", "guard", "--image", "registry.example/draguard:2"]);
    let text = Value::from(moved.clone()).to_string();
    assert!(!text.contains("draguard-system") && !text.contains("\"draguard:0.1.0\""));
    let deployment = moved.iter().find(|document| document["kind"] == "Deployment").unwrap();
    assert_eq!(deployment["spec"]["template"]["spec"]["containers"][0]["image"], "registry.example/draguard:2");
    assert!(webhooks(&moved).iter().all(|(_, webhook)| webhook["clientConfig"]["service"]["namespace"] == "guard"));
}

#[test]
fn a_webhook_outside_the_cluster_is_called_by_url() {
    let outside = rendered(&["--url", "https://guard.example:8443/"]);
    assert_eq!(kinds(&outside), ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
    for (kind, webhook) in webhooks(&outside) {
        let path = if kind == "mutating" { "mutate" } else { "validate" };
        assert_eq!(webhook["clientConfig"], json!({"url": format!("https://guard.example:8443/{path}")}));
    }
}

#[test]
fn the_authority_is_told_to_the_api_server_and_a_key_never_is() {
    let dir = std::env::temp_dir().join(format!("draguard-render-{}", std::process::id()));
    assert!(draguard(&["certs", dir.to_str().unwrap()]).status.success());
    let (ca, key) = (dir.join("ca.crt"), dir.join("tls.key"));
    let bundled = rendered(&["--only", "webhooks", "--ca-bundle", ca.to_str().unwrap()]);
    for (_, webhook) in webhooks(&bundled) {
        use base64::Engine as _;
        let encoded = webhook["clientConfig"]["caBundle"].as_str().unwrap();
        assert_eq!(base64::engine::general_purpose::STANDARD.decode(encoded).unwrap(), fs::read(&ca).unwrap());
    }
    assert!(refused(&["--ca-bundle", key.to_str().unwrap()]).contains("private key"));
    fs::write(&ca, "nothing").unwrap();
    assert!(refused(&["--ca-bundle", ca.to_str().unwrap()]).contains("no certificate"));
    fs::remove_dir_all(&dir).unwrap();
    assert!(refused(&["--ca-bundle", ca.to_str().unwrap()]).contains("ca.crt"));
}

#[test]
fn flags_that_would_break_the_manifests_are_refused() {
    for flags in [
        ["--namespace", "Guard"],
        ["--namespace", "a: b"],
        ["--image", "a b"],
        ["--image", "a\nkind: Secret"],
        ["--url", "http://guard.example"],
        ["--url", "https://"],
        ["--url", "https://a/b?c"],
        ["--url", "https://u@a"],
        ["--only", "everything"],
    ] {
        assert!(refused(&flags).contains(flags[0]), "{flags:?}");
    }
}

#[test]
fn a_drivers_role_is_printed_for_the_account_that_is_named() {
    let flags = ["rbac", "--driver", "dra.cpu", "--service-account", "dra/cpu-driver"];
    for (place, verbs) in [
        ("--node-local", json!(["associated-node:update", "associated-node:patch"])),
        ("--cluster-wide", json!(["arbitrary-node:update", "arbitrary-node:patch"])),
    ] {
        let documents = rendered(&[&flags[..], &[place]].concat());
        assert_eq!(kinds(&documents), ["ClusterRole", "ClusterRoleBinding"]);
        let rules = documents[0]["rules"].as_array().unwrap();
        let driver = rules.iter().find(|rule| rule["resources"] == json!(["resourceclaims/driver"])).unwrap();
        assert_eq!((&driver["verbs"], &driver["resourceNames"]), (&verbs, &json!(["dra.cpu"])));
        assert!(rules.iter().all(|rule| !rule.to_string().contains('*')), "{rules:?}");
        let subjects = json!([{"kind": "ServiceAccount", "name": "cpu-driver", "namespace": "dra"}]);
        assert_eq!((&documents[1]["subjects"], &documents[1]["roleRef"]["name"]), (&subjects, &json!("dra.cpu")));
    }
    // A name that YAML would take for a number.
    let documents = rendered(&["rbac", "--driver", "1.5", "--node-local"]);
    assert_eq!(documents[1]["subjects"][0]["name"], "1.5");
    // Kubernetes takes capitals in a driver's name, and none in an account's.
    let documents = rendered(&["rbac", "--driver", "GPU.example.com", "--node-local"]);
    assert!(documents[0]["rules"].to_string().contains("GPU.example.com"));
    assert_eq!(documents[1]["subjects"][0]["name"], "gpu.example.com");
}

#[test]
fn a_role_is_printed_only_for_a_driver_in_one_place() {
    for (flags, named) in [
        (&["--driver", "dra.cpu"][..], "--node-local|--cluster-wide"),
        (&["--node-local"], "--driver"),
        (&["--driver", "dra.cpu", "--node-local", "--cluster-wide"], "--cluster-wide"),
        (&["--driver", "a\"]\nkind: Secret", "--node-local"], "--driver"),
        (&["--driver", "dra.cpu", "--node-local", "--service-account", "cpu"], "--service-account"),
    ] {
        assert!(refused(&[&["rbac"], flags].concat()).contains(named), "{flags:?}");
    }
    assert!(refused(&["--image", "a", "rbac", "--driver", "a", "--node-local"]).contains("--image"));
}

#[test]
fn the_pod_is_restricted_and_may_only_read() {
    let documents = rendered(&[]);
    let of = |kind: &str| documents.iter().find(|document| document["kind"] == kind).unwrap();
    assert_eq!(of("Namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"], "restricted");
    assert_eq!(of("ServiceAccount")["automountServiceAccountToken"], false);
    let pod = &of("Deployment")["spec"]["template"]["spec"];
    let role = of("ClusterRole")["rules"].as_array().unwrap();
    let may_ask =
        |rule: &Value| rule["resources"] == json!(["subjectaccessreviews"]) && rule["verbs"] == json!(["create"]);
    assert!(role.iter().all(|rule| rule["verbs"] == json!(["get", "list", "watch"]) || may_ask(rule)), "{role:?}");
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
    let container = &pod["containers"][0]["securityContext"];
    assert_eq!(container["readOnlyRootFilesystem"], true);
    assert_eq!(container["allowPrivilegeEscalation"], false);
    assert_eq!(container["capabilities"], json!({"drop": ["ALL"]}));
}

/// It may read what the ledger is made from, ask what others may do, and nothing else: no secret, and no write at all.
#[test]
fn its_account_may_only_read_and_ask() {
    let documents = rendered(&["--namespace", "guard"]);
    let of = |kind: &str| -> Vec<&Value> { documents.iter().filter(|document| document["kind"] == kind).collect() };
    let (roles, bindings) = (of("ClusterRole"), of("ClusterRoleBinding"));
    assert_eq!((roles.len(), bindings.len(), of("Role").len(), of("RoleBinding").len()), (1, 1, 0, 0));
    let rule = |group: &str, resources: [&str; 2]| json!({"apiGroups": [group], "resources": resources, "verbs": ["get", "list", "watch"]});
    let read = [rule("", ["nodes", "pods"]), rule("resource.k8s.io", ["resourceclaims", "resourceslices"])];
    let ask =
        json!({"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]});
    let [nodes, claims] = read;
    assert_eq!(roles[0]["rules"], json!([nodes, claims, ask]));
    assert_eq!(bindings[0]["roleRef"]["name"], roles[0]["metadata"]["name"]);
    let account = json!([{"kind": "ServiceAccount", "name": "draguard", "namespace": "guard"}]);
    assert_eq!(bindings[0]["subjects"], account);
}

/// The pod's flags are flags of `draguard serve`.
#[test]
fn the_pod_starts_with_flags_that_exist() {
    let documents = rendered(&[]);
    let deployment = documents.iter().find(|document| document["kind"] == "Deployment").unwrap();
    let arguments = words(&deployment["spec"]["template"]["spec"]["containers"][0]["args"]);
    let help = String::from_utf8(draguard(&["serve", "--help"]).stdout).unwrap();
    assert_eq!(arguments[0], "serve");
    for flag in &arguments[1..] {
        let name = flag.split('=').next().unwrap();
        let named = if flag.contains('=') { format!("{name} <") } else { format!("{name}\n") };
        assert!(help.contains(&named), "{flag}");
    }
}

/// The grace period holds the wait before the signal, the drain, and what the server then gives to open connections.
#[test]
fn the_pod_has_time_to_drain() {
    let documents = rendered(&[]);
    let deployment = documents.iter().find(|document| document["kind"] == "Deployment").unwrap();
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"].as_u64().unwrap();
    let drain = words(&container["args"]).into_iter().find_map(|flag| flag.strip_prefix("--drain=")).unwrap();
    let drain: u64 = drain.strip_suffix('s').unwrap().parse().unwrap();
    let open = 5;
    assert!(sleep + drain + open < pod["terminationGracePeriodSeconds"].as_u64().unwrap());
}

/// The settings that are installed are settings.
#[test]
fn the_shipped_settings_are_read() {
    use draguard::settings::{Settings, ready};
    let documents = in_files();
    let map = documents.iter().find(|document| document["kind"] == "ConfigMap").unwrap();
    let document = yaml(map["data"]["draguard.yaml"].as_str().unwrap()).remove(0);
    let known = ready::Known { rules: vec![], schemas: vec![] };
    assert_eq!(ready::read(&document.to_string(), &known).unwrap(), Settings::default());
}
