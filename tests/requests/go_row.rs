//! What Go says of one pod, and the check of draguard's answers against it.

use std::collections::BTreeMap;

use draguard::ledger::requests::{Amounts, PodNeeds, charged_claims, pod_requests, pod_requests_without_claims};
use draguard::model::pod::Pod;
use draguard::model::quantity::Quantity;
use draguard::model::read::read;
use draguard::model::resource::Kind;
use draguard::model::version::Version;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Written = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) pod: Value,
    pub(crate) answer: Answer,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Answer {
    /// With the gate.
    pub(crate) with: Written,
    /// Without it.
    pub(crate) off: Written,
    /// Once the kubelet has written its sums into the status.
    pub(crate) settled: Settled,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Settled {
    pub(crate) sums: Written,
    pub(crate) with: Written,
    /// For the same pod if it never had claims.
    pub(crate) never: Written,
}

/// Every way in which draguard and Go disagree about a row; empty when they agree.
pub(crate) fn disagreements(row: &Row, version: Version) -> Vec<String> {
    let answer = &row.answer;
    let (with, off, _) = ours(&row.pod, version);
    let (settled, _, never) = ours(&settled(row), version);
    [
        ("with", with, &answer.with),
        ("off", off, &answer.off),
        ("settled", settled, &answer.settled.with),
        ("never", never, &answer.settled.never),
    ]
    .into_iter()
    .filter_map(|(what, ours, go)| {
        let (ours, go) = (without_zeros(ours), counted(go));
        (ours != go).then(|| format!("{what}: ours {ours:?}, Go {go:?}"))
    })
    .collect()
}

/// With its claims, with the gate off, and as if the pod had no claims.
fn ours(pod: &Value, version: Version) -> (Amounts, Amounts, Amounts) {
    let text = pod.to_string();
    let pod: Pod = read(&text).expect("a pod");
    let (needs, claims) = (PodNeeds::from(&pod), charged_claims(&pod));
    (
        pod_requests(&needs, &claims, version),
        pod_requests(&needs, &[], version),
        pod_requests_without_claims(&needs, &claims, version),
    )
}

/// The pod with the sums in its status that the kubelet wrote.
fn settled(row: &Row) -> Value {
    let mut pod = row.pod.clone();
    let sums = &row.answer.settled.sums;
    pod["status"]["allocatedResources"] = json!(sums);
    pod["status"]["resources"] = json!({ "requests": sums });
    pod
}

pub(crate) fn counted(written: &Written) -> Amounts {
    let node_allocatable = written.iter().filter(|(name, _)| Kind::of(name).is_some());
    node_allocatable.map(|(name, text)| (name.clone(), Quantity::parse(text).expect("a decimal"))).collect()
}

fn without_zeros(mut amounts: Amounts) -> Amounts {
    amounts.retain(|_, amount| !amount.is_zero());
    amounts
}
