//! Every recorded review, over real TLS, to the endpoint of its phase: what its README says is right.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::server::Server;
use serde_json::Value;

/// Story, phase, and the rules that deny or patch there; in all other reviews nothing is found.
const DENIED: [(&str, &[&str]); 4] =
    [("05-", &["DG206"]), ("10-", &["DG104", "DG105"]), ("22-", &["DG301"]), ("36-", &["DG405"])];

#[test]
fn every_recorded_review_of_both_versions_gets_its_verdict() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let mut wrong = Vec::new();
    for version in ["v1.36", "v1.37", "node-v1.36", "node-v1.37"] {
        for (name, body) in common::fixtures(version) {
            let path = if name.contains("-mutate-") { "/mutate" } else { "/validate" };
            let answer = client.post(path, &body).unwrap();
            assert_eq!(answer.status, 200, "{version}/{name}");
            let review = answer.json();
            check_form(&review, &body);
            let (expected, seen) = (expected(version, &name), verdict(&review["response"]));
            if expected != seen {
                wrong.push(format!("{version}/{name}: expected {expected}, got {seen}: {review}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check_form(review: &Value, body: &[u8]) {
    let sent: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(review["apiVersion"], "admission.k8s.io/v1");
    assert_eq!(review["kind"], "AdmissionReview");
    assert_eq!(review["response"]["uid"], sent["request"]["uid"]);
    if let Some(patch) = review["response"]["patch"].as_str() {
        assert_eq!(review["response"]["patchType"], "JSONPatch");
        let patch: json_patch::Patch = serde_json::from_slice(&STANDARD.decode(patch).unwrap()).unwrap();
        let mut object = sent["request"]["object"].clone();
        json_patch::patch(&mut object, &patch).unwrap();
        let list = &object["status"]["nodeAllocatableResourceClaimStatuses"];
        assert_eq!(*list, sent["request"]["oldObject"]["status"]["nodeAllocatableResourceClaimStatuses"]);
    }
}

fn expected(version: &str, name: &str) -> String {
    if version.starts_with("node-") {
        // What `admin` wrote by hand into a pod's status.
        let forged = name.contains("-admin-update-pods.status");
        return if forged { "denied by DG405" } else { "clean" }.to_owned();
    }
    if name.starts_with("38-") {
        return if name.contains("-mutate-") { "patched" } else { "allowed, DG407" }.to_owned();
    }
    // Deletions in story 36 clear the ground; the write to the status is what it is about.
    let rules = DENIED.iter().find(|(story, _)| name.starts_with(story) && !name.contains("-delete-"));
    match rules {
        Some((_, rules)) if name.contains("-validate-") => format!("denied by {}", rules.join(",")),
        _ => "clean".to_owned(),
    }
}

fn verdict(response: &Value) -> String {
    if response["allowed"] == false {
        let causes = response["status"]["details"]["causes"].as_array().unwrap();
        let mut rules: Vec<&str> = causes.iter().map(|cause| cause["reason"].as_str().unwrap()).collect();
        rules.sort_unstable();
        rules.dedup();
        return format!("denied by {}", rules.join(","));
    }
    if response.get("patch").is_some() {
        return "patched".to_owned();
    }
    match response["auditAnnotations"]["findings"].as_str() {
        Some(findings) => format!("allowed, {}", findings.split(' ').nth(1).unwrap()),
        None => "clean".to_owned(),
    }
}
