//! Pods as real schedulers and kubelets of both releases wrote them (`tests/fixtures`).

use std::fs;
use std::path::Path;

use draguard::ledger::requests::{
    Amounts, PodNeeds, charged_claims, claims_total, pod_requests, pod_requests_without_claims,
};
use draguard::model::pod::Pod;
use draguard::model::read::read;
use draguard::model::version::Version;
use serde_json::Value;

use crate::shown::BOTH;

#[test]
fn what_claims_add_to_a_real_pod_is_what_its_list_says() {
    for version in BOTH {
        let (mut living, mut settled) = (0, 0);
        for text in pods(version) {
            let pod: Pod = read(&text).expect("a pod");
            let (needs, claims) = (PodNeeds::from(&pod), charged_claims(&pod));
            if claims.is_empty() || needs.is_terminal {
                continue;
            }
            let with = pod_requests(&needs, &claims, version);
            let without = pod_requests_without_claims(&needs, &claims, version);
            assert_eq!(with, sum(&without, &claims_total(&claims)), "{text}");
            living += 1;
            settled += u32::from(needs.given.allocated.is_some());
        }
        assert!(living >= 20 && settled >= 5, "{version:?}: {living} living, {settled} with sums in their status");
    }
}

/// Why leaving the list out does not tell what the claims add.
#[test]
fn the_sums_of_a_real_kubelet_hold_the_claims_only_in_v137() {
    for version in BOTH {
        let held = pods(version).iter().any(|text| {
            let pod: Pod = read(text).expect("a pod");
            let needs = PodNeeds::from(&pod);
            let without = pod_requests_without_claims(&needs, &charged_claims(&pod), version);
            !needs.is_terminal && pod_requests(&needs, &[], version) != without
        });
        assert_eq!(held, version == Version::V137, "{version:?}");
    }
}

/// The pods of every recorded review, as they were and as they became.
fn pods(version: Version) -> Vec<String> {
    let folders = if version == Version::V136 { ["v1.36", "node-v1.36"] } else { ["v1.37", "node-v1.37"] };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let files = folders.iter().flat_map(|folder| fs::read_dir(fixtures.join(folder)).expect("fixtures"));
    files
        .flat_map(|file| {
            let text = fs::read_to_string(file.expect("a file").path()).expect("a review");
            let review: Value = serde_json::from_str(&text).expect("JSON");
            ["object", "oldObject"].map(|side| review["request"][side].clone())
        })
        .filter(|object| object["kind"] == "Pod")
        .map(|pod| pod.to_string())
        .collect()
}

fn sum(one: &Amounts, other: &Amounts) -> Amounts {
    let mut sum = one.clone();
    for (resource, amount) in other {
        let before = sum.get(resource).copied();
        sum.insert(resource.clone(), before.map_or(Some(*amount), |one| one.checked_add(amount)).expect("it fits"));
    }
    sum
}
