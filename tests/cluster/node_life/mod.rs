//! One life of a real node, lived once a version, with draguard in front until the last act.
//!
//! The facts about nodes, the scenario and the recordings of `tests/fixtures/node-…` all look at its record.

mod end;
mod leave;
mod limits;
mod recording;
mod restart;
mod run;
mod stage;

use std::sync::{Mutex, OnceLock, PoisonError};

use draguard_testbed::{ControlPlane, Options, Review, Version};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::bed::Bed;
use crate::planes::kept;

pub use crate::node_life::end::End;
pub use crate::node_life::leave::Left;
pub use crate::node_life::limits::Limits;
pub use crate::node_life::restart::Restarted;
pub use crate::node_life::run::Ran;
use crate::node_life::stage::Stage;

/// What was seen.
pub struct Life {
    /// The node, once it was ready.
    pub node: Value,
    /// Pods run and end.
    pub ran: Ran,
    /// What the kubelet makes of a running pod's list.
    pub limits: Limits,
    /// What the driver wrote after its own restart.
    pub writes_after_restart: Vec<Value>,
    /// A driver is gone for half a minute.
    pub left: Left,
    /// The kubelet starts again.
    pub restarted: Restarted,
    /// What draguard had found wrong by then.
    pub objections: Vec<String>,
    /// How many reviews draguard had been asked by then.
    pub asked: u64,
    /// What should not be done to a node's pods.
    pub end: End,
    ns: String,
    reviews: Vec<Review>,
}

impl Life {
    /// The kubelet's writes of one kind.
    pub fn by_kubelet(&self, what: &str) -> Vec<&Review> {
        self.by(&format!("system:node:{}", self.node["metadata"]["name"].as_str().expect("name")), what)
    }

    /// The drivers' writes of one kind.
    pub fn by_driver(&self, what: &str) -> Vec<&Review> {
        self.by(&format!("system:serviceaccount:{}:driver", self.ns), what)
    }

    fn by(&self, user: &str, what: &str) -> Vec<&Review> {
        self.reviews.iter().filter(|r| r.user() == user && r.what() == what).collect()
    }
}

/// The record of a version's node. Whoever asks first lives it; only one node runs at a time.
pub fn life(version: Version) -> &'static Life {
    static LIVES: [OnceLock<Result<Life, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    static TURN: Mutex<()> = Mutex::new(());
    let told = LIVES[usize::from(version == Version::V1_37)].get_or_init(|| {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        kept(|| live(version))
    });
    told.as_ref().unwrap_or_else(|why| panic!("the node's life went wrong: {why}"))
}

fn live(version: Version) -> Life {
    let cluster = ControlPlane::start(&Options::new(version));
    let bed = Bed::on(&cluster, "real_node");
    let mut stage = Stage::set(&bed);
    let node = stage.node.object();
    let mut ran = run::start(&mut stage);
    let limits = limits::of(&stage, &ran.running);
    let leaving = leave::go(&mut stage);
    run::end(&stage, &mut ran);
    let writes_after_restart = stage.driver.restart(&bed);
    let left = leave::wait(&mut stage, leaving, ran.ended_in);
    let restarted = restart::play(&mut stage, &ran.running);
    let (objections, asked) = (stage.guard.objections(), stage.guard.requests(&[]));
    let end = end::play(&mut stage, &ran.running);
    let (reviews, ns) = (stage.webhook.seen(), bed.ns.clone());
    Life { node, ran, limits, writes_after_restart, left, restarted, objections, asked, end, ns, reviews }
}

/// The scenario, one test a version.
pub fn scenarios(skip: Option<&str>) -> Vec<Trial> {
    trials("scenario_real_node", scenario, skip)
}

/// The recording, one test a version.
pub fn recordings(skip: Option<&str>) -> Vec<Trial> {
    trials("node_fixtures_have_the_recorded_shape", recording::check, skip)
}

fn trials(name: &str, test: fn(Version) -> Result<(), Failed>, skip: Option<&str>) -> Vec<Trial> {
    let kind = skip.map(|why| format!("no node here, {why}")).unwrap_or_default();
    let trial = |version| {
        let trial = Trial::test(format!("{name}::{version}"), move || test(version));
        trial.with_ignored_flag(skip.is_some()).with_kind(kind.clone())
    };
    Version::ALL.map(trial).into()
}

/// Not one rightful write was denied, mended or warned about.
fn scenario(version: Version) -> Result<(), Failed> {
    let life = life(version);
    match life.objections.is_empty() && life.asked > 0 {
        true => Ok(()),
        false => Err(format!("asked {} times; {:#?}", life.asked, life.objections).into()),
    }
}
