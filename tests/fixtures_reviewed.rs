//! Every recorded review as a file: `draguard review` runs the rules of both phases on each, as the README of the
//! fixtures says is right.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Story, and the rules that refuse it in either phase; 38 on v1.36 is mended, which counts as a warning.
const STORIES: [(&str, &[&str]); 4] =
    [("05-", &["DG206"]), ("10-", &["DG104", "DG105"]), ("22-", &["DG301"]), ("36-", &["DG405"])];

#[test]
fn every_recorded_review_is_judged_as_a_file() {
    for version in ["v1.36", "v1.37", "node-v1.36", "node-v1.37"] {
        let found = denied(version);
        let expected: BTreeMap<String, Vec<String>> = names(version)
            .into_iter()
            .filter_map(|name| {
                Some((name.clone(), expected(version, &name)?.iter().map(ToString::to_string).collect()))
            })
            .collect();
        assert_eq!(found, expected, "{version}");
    }
}

fn expected(version: &str, name: &str) -> Option<&'static [&'static str]> {
    if version.starts_with("node-") {
        return name.contains("-admin-update-pods.status").then_some(&["DG405"]);
    }
    // Deletions in story 36 clear the ground; the write to the status is what it is about.
    let story = STORIES.iter().find(|(story, _)| name.starts_with(story) && !name.contains("-delete-"));
    story.map(|(_, rules)| *rules)
}

/// The rules that deny, by file.
fn denied(version: &str) -> BTreeMap<String, Vec<String>> {
    let mut denied: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in findings(version) {
        if finding["severity"] == "deny" {
            let name = finding["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let rules = denied.entry(name).or_default();
            rules.push(finding["rule"].as_str().unwrap().to_owned());
            rules.dedup();
        }
    }
    denied
}

fn findings(version: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_draguard"))
        .args(["review", "--format", "json", &folder(version)])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["summary"]["objects"], names(version).len());
    report["findings"].as_array().unwrap().clone()
}

fn names(version: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder(version)).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

fn folder(version: &str) -> String {
    format!("{}/tests/fixtures/{version}", env!("CARGO_MANIFEST_DIR"))
}
