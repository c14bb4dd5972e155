//! A driver is gone for longer than the kubelet waits for it, and comes back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use draguard_testbed::objects::request;
use draguard_testbed::{path_of, runnable, wait_until};
use serde_json::Value;

use super::stage::Stage;
use crate::bed::SOON;
use crate::scenarios::full_life::silent;

/// How many wipes are refused before one is let through.
const REFUSED: usize = 2;
/// A pod that can end does so within this time, or on a slow machine within three times what others needed.
const HANGING: Duration = Duration::from_secs(4);

/// A driver that has just gone.
pub struct Leaving {
    stopped: Instant,
    wipes: Arc<Mutex<Vec<Instant>>>,
    pod: Value,
    claim: Value,
}

/// What was seen of it.
pub struct Left {
    /// When each deletion of its slice was asked for, from the moment that it had stopped.
    pub wipes: Vec<Duration>,
    /// How many slices of the other driver there were before and after.
    pub others: [usize; 2],
    /// Its pod after the wipe, and after a deletion while the driver was away.
    pub running: Value,
    pub hanging: Value,
    /// The pod's claim at that time.
    pub held: Value,
    /// Its slices once it was back.
    pub slices: Vec<Value>,
}

/// A pod of the driver runs; then the driver stops.
pub fn go(stage: &mut Stage) -> Leaving {
    let bed = stage.bed;
    let claim = bed.add_claim_for("leaving", &[request("r", &stage.leaving_class())]);
    let pod = silent(bed.admin.create(&runnable(bed.pod("leaving", &["leaving"]))));
    stage.runs(&pod);
    let driver = stage.leaving_driver();
    let wipes = stage.refuse_wipes(&driver, REFUSED);
    stage.leaver.stop(&driver, &bed.node);
    stage.leaver.wait_of_kind("stopped", 1, SOON);
    Leaving { stopped: Instant::now(), wipes, pod, claim }
}

/// Waits for the wipe; the pod of the driver cannot end before the driver is back.
pub fn wait(stage: &mut Stage, leaving: Leaving, ended_in: Duration) -> Left {
    let bed = stage.bed;
    let driver = stage.leaving_driver();
    let before = stage.slices(&bed.driver).len();
    wait_until("the driver's slices to be wiped", SOON, || stage.slices(&driver).len(), |count| *count == 0);
    let others = [before, stage.slices(&bed.driver).len()];
    let running = bed.admin.again(&leaving.pod);
    silent(bed.admin.delete(&path_of(&leaving.pod)));
    std::thread::sleep(HANGING.max(ended_in * 3));
    let (hanging, held) = (bed.admin.again(&leaving.pod), bed.admin.again(&leaving.claim));
    stage.publish_leaver();
    let slices = stage.slices(&driver);
    stage.gone(&leaving.pod);
    stage.released(&leaving.claim);
    silent(bed.admin.delete(&path_of(&leaving.claim)));
    let wipes = leaving.wipes.lock().unwrap_or_else(PoisonError::into_inner);
    let wipes = wipes.iter().map(|time| time.duration_since(leaving.stopped)).collect();
    Left { wipes, others, running, hanging, held, slices }
}
