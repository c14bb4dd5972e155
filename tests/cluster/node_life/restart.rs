//! The kubelet starts again: it wipes the slices of its node, and pods run on.

use std::time::{Duration, Instant};

use draguard_testbed::{path_of, runnable, wait_for, wait_until};
use serde_json::{Value, json};

use super::stage::Stage;
use crate::bed::SOON;
use crate::scenarios::full_life::silent;

/// The kubelet wipes, and the driver's library looks again half a minute after that.
const REPUBLISHED: Duration = Duration::from_mins(4);
/// So many writes of one claim nobody makes who gets on.
const LOOPED: usize = 20;

/// What was seen.
pub struct Restarted {
    /// The running pod afterwards.
    pub pod: Value,
    /// Its claim before and after.
    pub claims: [Value; 2],
    /// The driver's slices before and after.
    pub slices: [Vec<Value>; 2],
    /// The names of the slices that the kubelet deleted.
    pub wiped: Vec<Value>,
    /// A pod that the kubelet rejected.
    pub rejected: Value,
    /// How long the claim controller took for [`LOOPED`] writes about that pod.
    pub looped: Duration,
}

/// Kills and starts the kubelet. While the driver is not back yet, a pod comes that the kubelet rejects.
pub fn play(stage: &mut Stage, running: &Value) -> Restarted {
    let bed = stage.bed;
    let claim = format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/stays", bed.ns);
    let claim_before = bed.admin.get(&claim).must();
    let before = stage.slices(&bed.driver);
    let seen = stage.webhook.seen().len();
    stage.node.stop_kubelet();
    stage.node.start_kubelet();
    wait_until("the wipe", SOON, || stage.slices(&bed.driver).len(), |count| *count == 0);
    let (rejected, looped) = reject(stage);
    let after = published_again(stage, &before);
    let reviews = stage.webhook.seen().split_off(seen);
    let of_driver = |r: &&draguard_testbed::Review| r.old_object()["spec"]["driver"] == json!(bed.driver);
    let wiped = reviews.iter().filter(|r| r.what() == "delete resourceslices").filter(of_driver);
    Restarted {
        pod: stage.runs(running),
        claims: [claim_before, bed.admin.get(&claim).must()],
        slices: [before, after],
        wiped: wiped.map(|r| r.old_object()["metadata"]["name"].clone()).collect(),
        rejected,
        looped,
    }
}

/// A pod that asks for more than the node has, put there by hand, with the claim of the running pod. draguard refuses
/// that, unless it is told to look away.
fn reject(stage: &mut Stage) -> (Value, Duration) {
    let bed = stage.bed;
    stage.guard.change_settings(|old| old.replace("mode: Enforce", "mode: Enforce\n  rules: {DG308: Off, DG411: Off}"));
    let stage = &*stage;
    let mut pod = runnable(bed.pod("rider", &["stays"]));
    pod["spec"]["nodeName"] = json!(bed.node);
    pod["spec"]["containers"][0]["resources"]["requests"] = json!({ "cpu": "1000" });
    let pod = silent(bed.admin.create(&pod));
    let rejected = wait_for("the pod to be rejected", SOON, || {
        let now = bed.admin.again(&pod);
        if now["status"]["phase"] == json!("Failed") { Ok(now) } else { Err(now["status"].to_string()) }
    });
    let writes = || stage.webhook.seen().iter().filter(|r| is_reservation(r)).count();
    let (start, before) = (Instant::now(), writes());
    wait_until("the claim controller's loop", SOON, writes, |count| *count >= before + LOOPED);
    let looped = start.elapsed();
    silent(bed.admin.delete(&(path_of(&pod) + "?gracePeriodSeconds=0")));
    stage.gone(&pod);
    (rejected, looped)
}

fn is_reservation(review: &draguard_testbed::Review) -> bool {
    review.what() == "update resourceclaims/status" && review.user().ends_with(":resource-claim-controller")
}

fn published_again(stage: &Stage, before: &[Value]) -> Vec<Value> {
    wait_for("the driver's new slices", REPUBLISHED, || {
        let now = stage.slices(&stage.bed.driver);
        let old = |slice: &Value| before.iter().any(|old| old["metadata"]["name"] == slice["metadata"]["name"]);
        let new = now.len() == before.len() && !now.iter().any(old);
        if new { Ok(now) } else { Err(format!("{} slices", now.len())) }
    })
}
