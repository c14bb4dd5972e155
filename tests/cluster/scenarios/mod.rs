//! The real webhook, as shipped and in enforce mode, in front of the real API servers.
//!
//! Each scenario has a control plane and a draguard of its own: the configurations are cluster-wide, and its metrics
//! tell what it was asked.

mod broken_claims;
mod broken_slices;
mod driver;
mod full_life;
mod guard;
mod lost_list;
mod operation;
mod shown;

use std::sync::{Mutex, MutexGuard, PoisonError};

use draguard_testbed::{ControlPlane, Options, Version};
use libtest_mimic::Trial;

use crate::bed::Bed;
use crate::fact::{BOTH, T36};
use crate::scenarios::guard::Guard;

pub use guard::apply;

/// What a scenario is played on.
pub struct Scene<'a> {
    /// draguard. Before the cluster: what the cluster still writes at its end must not wait for it.
    pub guard: Guard,
    /// A node, a class and a driver's name on a cluster of the scenario's own.
    pub bed: Bed<'a>,
}

struct Scenario {
    name: &'static str,
    on: &'static [Version],
    play: fn(&mut Scene),
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "scenario_full_life", on: BOTH, play: full_life::play },
    Scenario { name: "scenario_broken_slices", on: BOTH, play: broken_slices::play },
    Scenario { name: "scenario_broken_claims", on: BOTH, play: broken_claims::play },
    Scenario { name: "scenario_lost_list", on: T36, play: lost_list::play_loss },
    Scenario { name: "scenario_heartbeats", on: BOTH, play: lost_list::play_heartbeats },
    Scenario { name: "scenario_outage", on: BOTH, play: operation::play_outage },
    Scenario { name: "scenario_audit", on: BOTH, play: operation::play_audit },
];

/// One test a scenario and version.
pub fn trials() -> Vec<Trial> {
    SCENARIOS.iter().flat_map(|scenario| scenario.on.iter().map(|version| trial(scenario, *version))).collect()
}

fn trial(scenario: &'static Scenario, version: Version) -> Trial {
    Trial::test(format!("{}::{version}", scenario.name), move || {
        let _turn = turn(version);
        run(scenario, version);
        Ok(())
    })
}

/// Waits for the turn to start a whole control plane: more than one a version would only slow each other down.
pub fn turn(version: Version) -> MutexGuard<'static, ()> {
    static TURNS: [Mutex<()>; 2] = [Mutex::new(()), Mutex::new(())];
    TURNS[usize::from(version == Version::V1_37)].lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(scenario: &Scenario, version: Version) {
    let cluster = ControlPlane::start(&Options::new(version));
    let bed = Bed::on(&cluster, scenario.name.trim_start_matches("scenario_"));
    bed.add_node();
    bed.add_class();
    let guard = Guard::before(&bed);
    (scenario.play)(&mut Scene { guard, bed });
}
