//! The real webhook, as shipped and in enforce mode, in front of the real API servers.
//!
//! Each scenario has a control plane and a draguard of its own: the configurations are cluster-wide, and its metrics
//! tell what it was asked.
//!
//! Played elsewhere, because draguard has no verdict there or needs more than a scene:
//! - a real node's life with draguard in front: `node_life`, as `scenario_real_node`;
//! - what becomes of a pod whose status or binding a webhook denies, which is why draguard never does: the facts
//!   `fact_denied_list_…` and `fact_denied_binding_…`; that a denied allocation leaves nothing behind:
//!   `fact_denied_allocation_leaves_nothing_behind`, and with draguard in front `scenario_outage`;
//! - taint rules steer the scheduler: `fact_taint_rules_steer_the_scheduler`;
//! - data of v1.36 under a v1.37 server: `fact_upgrade_erases_mappings_and_numbers`, and with draguard in front
//!   `scenario_upgrade`;
//! - an API server that does not ask who may write which part of a claim's status: `scenario_status_rights`.

mod broken_claims;
mod broken_ledger;
mod broken_rollout;
mod broken_slices;
pub mod coverage;
pub mod driver;
pub mod full_life;
mod gate_off;
pub mod guard;
mod lost_list;
mod operation;
mod shown;
mod status_rights;
mod upgrade;
mod wrong_scheduler;

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
    Scenario { name: "scenario_broken_ledger", on: BOTH, play: broken_ledger::play },
    Scenario { name: "scenario_broken_rollout", on: BOTH, play: broken_rollout::play },
    Scenario { name: "scenario_lost_list", on: T36, play: lost_list::play_loss },
    Scenario { name: "scenario_heartbeats", on: BOTH, play: lost_list::play_heartbeats },
    Scenario { name: "scenario_outage", on: BOTH, play: operation::play_outage },
    Scenario { name: "scenario_wrong_scheduler", on: BOTH, play: wrong_scheduler::play },
    Scenario { name: "scenario_audit", on: BOTH, play: operation::play_audit },
];

/// One test a scenario and version.
pub fn trials() -> Vec<Trial> {
    let of = |scenario: &'static Scenario| {
        scenario.on.iter().map(|version| trial(scenario.name, *version, || run(scenario, *version)))
    };
    let upgrade = trial("scenario_upgrade", Version::V1_37, upgrade::run);
    let gate_off = BOTH.iter().map(|version| trial("scenario_gate_off", *version, || gate_off::run(*version)));
    let rights = BOTH.iter().map(|version| trial("scenario_status_rights", *version, || status_rights::run(*version)));
    SCENARIOS.iter().flat_map(of).chain([upgrade]).chain(gate_off).chain(rights).collect()
}

fn trial(name: &str, version: Version, run: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(format!("{name}::{version}"), move || {
        let _turn = turn(version);
        run();
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
