//! The settings document: what it may say, what is said of its faults, and how its file is followed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use std::fs;
use std::path::PathBuf;

use draguard::settings::canary::kubelet_settable;
use draguard::settings::ready::{Known, read};
use draguard::settings::reload::Watched;
use draguard::settings::rollout::parse;
use draguard::settings::{Action, Mode, Operator, Outside, Settings, Writer, load};
use draguard::verdict::rule::{Effect, Phase, Rule};
use serde_json::{Value, json};

const fn rule(id: &'static str, fixed: bool) -> Rule {
    let (kinds, phase, effect) = (&["ResourceSlice"], Phase::Validate, Effect::Warn);
    Rule { id, kinds, phase, effect, fixed, title: "", detail: "" }
}

static DG109: Rule = rule("DG109", true);
static DG115: Rule = rule("DG115", false);

fn known() -> Known {
    Known { rules: vec![&DG109, &DG115], schemas: vec!["v1.36", "v1.37"] }
}

#[allow(clippy::needless_pass_by_value, reason = "callers write it in place")]
fn document(spec: Value) -> Value {
    json!({"apiVersion": "draguard.dev/v1alpha1", "kind": "NodeAllocatableRollout",
           "metadata": {"name": "default"}, "spec": spec})
}

fn settings(spec: Value) -> Settings {
    read(&document(spec).to_string(), &known()).unwrap()
}

/// Every problem, as one line each.
fn faults(document: &Value) -> Vec<String> {
    let problems = read(&document.to_string(), &known()).expect_err("this document is faulty");
    problems.iter().map(ToString::to_string).collect()
}

/// The one problem of this spec.
fn fault(spec: Value) -> String {
    let mut faults = faults(&document(spec));
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[test]
fn a_halt_says_why() {
    let halt = |state: &str, reason: &str| json!({"claimAdmission": {"state": state, "reason": reason}});
    assert_eq!(settings(halt("Halted", "node-a overheats")).halt.as_deref(), Some("node-a overheats"));
    assert_eq!(settings(halt("Open", "node-a overheats")).halt, None);
    let told = fault(halt("Halted", " "));
    assert!(told.contains("spec.claimAdmission.reason") && told.contains("why pods wait"), "{told}");
    assert!(fault(halt("Closed", "x")).contains("spec.claimAdmission.state"));
}

#[test]
fn an_empty_document_is_the_default() {
    assert_eq!(settings(json!({})), Settings::default());
    assert_eq!(settings(Value::Null), Settings::default());
    let nulls = json!({"mode": null, "canary": null, "rules": null, "drivers": null, "binders": null, "schemas": null});
    assert_eq!(settings(nulls), Settings::default());
}

#[test]
fn a_full_document_is_ready_to_use() {
    let ready = settings(json!({
        "mode": "Audit",
        "canary": {"outside": "Deny", "nodeSelector": {
            "matchLabels": {"node-restriction.kubernetes.io/dra-canary": "true"},
            "matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["spot"]}]}},
        "rules": {"DG115": "Off"},
        "drivers": [{"name": "dra.cpu", "serviceAccounts": ["dra/cpu"], "writer": "NodeLocal",
                     "resources": ["cpu", "hugepages-2Mi"], "minimumVersion": "0.4.12"}],
        "binders": ["system:serviceaccount:kube-system:batch-scheduler"],
        "schemas": ["v1.37"]}));
    assert_eq!(ready.mode, Mode::Audit);
    assert_eq!(ready.action("DG115"), Some(Action::Off));
    assert_eq!(ready.schemas, Some(vec!["v1.37".to_owned()]));
    let canary = ready.canary.unwrap();
    assert_eq!((canary.outside, canary.requirements.len()), (Outside::Deny, 2));
    assert_eq!(canary.requirements[1].operator, Operator::NotIn);
    let driver = &ready.drivers["dra.cpu"];
    assert_eq!((driver.writer, driver.minimum_version), (Writer::NodeLocal, Some([0, 4, 12])));
    assert_eq!(driver.writers, ["system:serviceaccount:dra:cpu"]);
}

#[test]
fn the_stock_binder_stays() {
    let listed = settings(json!({"binders": ["other", "system:kube-scheduler"]})).binders;
    assert_eq!(listed, ["system:kube-scheduler", "other"]);
    assert_eq!(settings(json!({"binders": []})).binders, ["system:kube-scheduler"]);
}

#[test]
fn unknown_fields_are_refused_with_their_path_and_a_guess() {
    for (spec, path, guess) in [
        (json!({"modes": "Audit"}), "spec.modes", "`mode`"),
        (
            json!({"canary": {"nodeSelector": {"matchlabels": {}}}}),
            "spec.canary.nodeSelector.matchlabels",
            "`matchLabels`",
        ),
        (json!({"drivers": [{"nmae": "dra.cpu"}]}), "spec.drivers[0].nmae", "`name`"),
        (
            json!({"canary": {"nodeSelector": {"matchExpressions": [{"operater": "In"}]}}}),
            "spec.canary.nodeSelector.matchExpressions[0].operater",
            "`operator`",
        ),
    ] {
        let line = fault(spec);
        assert!(line.starts_with(&format!("{path}: unknown field")), "{line}");
        assert!(line.ends_with(&format!("did you mean {guess}?")), "{line}");
    }
}

#[test]
fn unknown_words_are_refused_with_their_path_and_a_guess() {
    for (spec, path, guess) in [
        (json!({"mode": "Enforced"}), "spec.mode", "`Enforce`"),
        (json!({"rules": {"DG115": "warn"}}), "spec.rules[DG115]", "`Warn`"),
        (json!({"rules": {"DG15": "Warn"}}), "spec.rules[DG15]", "`DG115`"),
        (json!({"rules": {"dg115": "Warn"}}), "spec.rules[dg115]", "`DG115`"),
        (json!({"schemas": ["1.37"]}), "spec.schemas[0]", "`v1.37`"),
        (
            json!({"canary": {"nodeSelector": {"matchLabels": {"a": "b"}}, "outside": "Stripe"}}),
            "spec.canary.outside",
            "`Strip`",
        ),
    ] {
        let line = fault(spec);
        assert!(line.starts_with(&format!("{path}: unknown ")), "{line}");
        assert!(line.ends_with(&format!("did you mean {guess}?")), "{line}");
    }
}

#[test]
fn wrong_types_are_refused_with_their_path() {
    for (spec, path) in [
        (json!({"mode": 5}), "spec.mode: "),
        (json!({"drivers": {"name": "dra.cpu"}}), "spec.drivers: "),
        (
            json!({"canary": {"nodeSelector": {"matchLabels": {"name": true}}}}),
            "spec.canary.nodeSelector.matchLabels[name]: ",
        ),
        (json!({"binders": ["a", 7]}), "spec.binders[1]: "),
        (json!([]), "spec: "),
    ] {
        let line = fault(spec);
        assert!(line.starts_with(path) && !line.contains(" at line "), "{line}");
    }
}

#[test]
fn missing_fields_are_named() {
    let line = fault(json!({"drivers": [{"name": "dra.cpu", "serviceAccounts": ["dra/cpu"]}]}));
    assert!(line.starts_with("spec.drivers[0]: missing field `writer`"), "{line}");
}

#[test]
fn fixed_rules_cannot_be_changed() {
    let line = fault(json!({"rules": {"DG109": "Deny"}}));
    assert!(line.starts_with("spec.rules[DG109]: DG109 protects the cluster itself"), "{line}");
}

#[test]
fn every_error_of_meaning_is_shown_not_the_first() {
    let mut bad = document(json!({
        "rules": {"DG109": "Off", "DG998": "Off"},
        "drivers": [
            {"name": "dra.cpu", "serviceAccounts": ["cpu"], "writer": "NodeLocal", "resources": ["pods"], "minimumVersion": "v1.2.3"},
            {"name": "dra.cpu", "serviceAccounts": [], "writer": "ClusterWide"},
            {"name": "dra_cpu", "serviceAccounts": ["system:serviceaccount:dra:cpu"], "writer": "ClusterWide"}],
        "binders": ["kube-system/batch"],
        "canary": {"nodeSelector": {"matchExpressions": [{"key": "a b", "operator": "In"}]}},
        "schemas": []}));
    bad["metadata"]["name"] = json!("prod");
    bad["kind"] = json!("GuardPolicy");
    bad["apiVersion"] = json!("draguard.dev/v1");
    let faults = faults(&bad);
    let paths: Vec<&str> = faults.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "apiVersion",
            "kind",
            "metadata.name",
            "spec.rules[DG109]",
            "spec.rules[DG998]",
            "spec.drivers[0].serviceAccounts[0]",
            "spec.drivers[0].resources[0]",
            "spec.drivers[0].minimumVersion",
            "spec.drivers[1].serviceAccounts",
            "spec.drivers[1].name",
            "spec.drivers[2].name",
            "spec.drivers[2].serviceAccounts[0]",
            "spec.binders[0]",
            "spec.schemas",
            "spec.canary.nodeSelector.matchExpressions[0].key",
            "spec.canary.nodeSelector.matchExpressions[0].values",
        ]
    );
    for remedy in ["write dra/cpu", "write system:serviceaccount:kube-system:batch", "write 1.2.3"] {
        assert!(faults.iter().any(|line| line.ends_with(remedy)), "{remedy}: {faults:#?}");
    }
}

#[test]
fn a_driver_without_accounts_may_be_published_by_anyone() {
    let ready = settings(json!({"drivers": [{"name": "dra.cpu", "writer": "NodeLocal"}]}));
    assert!(ready.drivers["dra.cpu"].admits("anyone"));
    let ready =
        settings(json!({"drivers": [{"name": "dra.cpu", "writer": "NodeLocal", "serviceAccounts": ["dra/cpu"]}]}));
    assert!(ready.drivers["dra.cpu"].admits("system:serviceaccount:dra:cpu"));
    assert!(!ready.drivers["dra.cpu"].admits("system:serviceaccount:dra:other"));
}

#[test]
fn the_rules_and_schemas_of_this_version_may_be_named() {
    let document = document(json!({"rules": {"DG104": "Warn"}, "schemas": ["v1.36", "v1.37"]}));
    assert!(read(&document.to_string(), &load::known()).is_ok());
}

#[test]
fn selectors_that_cannot_be_are_refused() {
    let line = fault(json!({"canary": {"nodeSelector": {}}}));
    assert!(line.starts_with("spec.canary.nodeSelector: the selector is empty"), "{line}");
    let expression = json!({"key": "a", "operator": "Exists", "values": ["b"]});
    let line = fault(json!({"canary": {"nodeSelector": {"matchExpressions": [expression]}}}));
    assert!(line.contains("take no values"), "{line}");
}

#[test]
fn objects_as_the_api_server_returns_them_are_read() {
    let mut stored = document(json!({"mode": "Audit"}));
    stored["metadata"] =
        json!({"name": "default", "uid": "u", "generation": 3, "labels": {"a": "b"}, "managedFields": []});
    assert_eq!(read(&stored.to_string(), &known()).unwrap().mode, Mode::Audit);
}

#[test]
fn text_that_is_no_document_is_refused() {
    for text in ["", "{", "[]", "null", "5", r#"{"apiVersion": "draguard.dev/v1alpha1"} {}"#] {
        assert!(parse(text).is_err(), "{text}");
    }
}

/// G07: a label that a kubelet can set on its own node would let the node join the canary.
#[test]
fn g07_canary_label_out_of_the_kubelets_reach() {
    let finding = |selector: Value| {
        kubelet_settable(&parse(&document(json!({"canary": {"nodeSelector": selector}})).to_string()).unwrap())
    };
    let restricted = "node-restriction.kubernetes.io/dra-canary";
    let absent = json!({"matchExpressions": [{"key": restricted, "operator": "DoesNotExist"}]});
    for open in [json!({"matchLabels": {"dra-canary": "true"}}), absent] {
        let problem = finding(open).unwrap();
        assert_eq!(problem.path.to_string(), "spec.canary.nodeSelector");
        assert!(problem.to_string().contains("node-restriction.kubernetes.io/"), "{problem}");
    }
    assert_eq!(finding(json!({"matchLabels": {restricted: "true", "pool": "a"}})), None);
    assert_eq!(finding(json!({"matchExpressions": [{"key": restricted, "operator": "Exists"}]})), None);
    assert_eq!(kubelet_settable(&parse(&document(json!({})).to_string()).unwrap()), None);
}

/// A scratch folder of one test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("draguard-settings-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, text: &str) -> PathBuf {
        let file = self.0.join("draguard.yaml");
        fs::write(&file, text).unwrap();
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[allow(clippy::unnecessary_wraps, reason = "other readers fail")]
fn as_it_is(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

fn in_mode(mode: &str) -> String {
    document(json!({"mode": mode})).to_string()
}

#[test]
fn errors_name_the_file() {
    let scratch = Scratch::new("errors");
    let absent = load::load(&scratch.0.join("absent.yaml"), as_it_is, &known()).unwrap_err().to_string();
    assert!(absent.contains("absent.yaml: "), "{absent}");
    let file = scratch.write(&document(json!({"rules": {"DG1": "Off", "DG2": "Off"}})).to_string());
    let lines = load::load(&file, as_it_is, &known()).unwrap_err().to_string();
    assert_eq!(lines.lines().filter(|line| line.contains("draguard.yaml: spec.rules[")).count(), 2, "{lines}");
    let unread = load::load(&file, |_| Err("line 3".to_owned()), &known()).unwrap_err().to_string();
    assert!(unread.ends_with("draguard.yaml: line 3"), "{unread}");
}

#[test]
fn a_file_too_large_to_be_settings_is_not_read() {
    let scratch = Scratch::new("large");
    let file = scratch.write(&" ".repeat(2 << 20));
    assert!(load::load(&file, as_it_is, &known()).unwrap_err().to_string().contains("more than"));
}

#[test]
fn a_changed_file_changes_the_settings_and_a_broken_one_does_not() {
    let scratch = Scratch::new("reload");
    let file = scratch.write(&in_mode("Enforce"));
    let mut watched = Watched::open(file.clone(), as_it_is, known()).unwrap();
    let live = watched.live();
    assert!(!watched.poll().unwrap());
    scratch.write(&in_mode("Audit"));
    assert!(watched.poll().unwrap());
    assert_eq!(live.load().mode, Mode::Audit);
    for broken in ["{", &in_mode("Adit")] {
        scratch.write(broken);
        assert!(watched.poll().is_err(), "told once");
        assert!(!watched.poll().unwrap(), "and only once");
        assert_eq!(live.load().mode, Mode::Audit);
    }
    fs::remove_file(&file).unwrap();
    assert!(watched.poll().is_err());
    assert!(!watched.poll().unwrap());
    scratch.write(&in_mode("Enforce"));
    assert!(watched.poll().unwrap());
    assert_eq!(live.load().mode, Mode::Enforce);
}

#[test]
fn a_broken_file_is_an_error_at_the_start() {
    let scratch = Scratch::new("start");
    assert!(Watched::open(scratch.write("{"), as_it_is, known()).is_err());
}

/// The way a mounted `ConfigMap` changes: the folder behind a symbolic link is swapped.
#[cfg(unix)]
#[test]
fn a_swapped_mount_is_followed_three_times() {
    let scratch = Scratch::new("swap");
    let link = scratch.0.join("..data");
    let swap = |version: &str, mode: &str| {
        let folder = scratch.0.join(version);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("draguard.yaml"), in_mode(mode)).unwrap();
        let next = scratch.0.join("..next");
        std::os::unix::fs::symlink(&folder, &next).unwrap();
        fs::rename(&next, &link).unwrap();
    };
    swap("v0", "Enforce");
    std::os::unix::fs::symlink("..data/draguard.yaml", scratch.0.join("draguard.yaml")).unwrap();
    let mut watched = Watched::open(scratch.0.join("draguard.yaml"), as_it_is, known()).unwrap();
    for (version, mode, expected) in
        [("v1", "Audit", Mode::Audit), ("v2", "Enforce", Mode::Enforce), ("v3", "Audit", Mode::Audit)]
    {
        swap(version, mode);
        assert!(watched.poll().unwrap());
        assert_eq!(watched.live().load().mode, expected);
    }
}
