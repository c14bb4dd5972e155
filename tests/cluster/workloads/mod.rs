//! Random workloads on the real scheduler: what the ledger has of them beside what the scheduler has.

mod compare;
mod history;
mod kubelet;
mod left_out;
mod life;
mod mapping;
mod pods;
mod random;
mod world;

use std::sync::Arc;

use draguard_testbed::Version;
use libtest_mimic::Trial;

use crate::planes::Planes;

/// One test a version, and those of what v1.36 gets wrong.
pub fn trials(planes: &Arc<Planes>) -> Vec<Trial> {
    let random = |version: &Version| {
        let version = *version;
        Trial::test(format!("workloads::{version}"), move || {
            life::live(version);
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = Version::ALL.iter().map(random).collect();
    trials.extend(left_out::trials(planes));
    trials
}
