//! What draguard adds to writes in the real API server, next to no webhook at all and to an in-tree
//! ValidatingAdmissionPolicy that only reads the object. Prints figures; never fails by time.

mod figures;
mod policy;
mod throughput;
mod work;

use std::time::Instant;

use draguard_testbed::{ControlPlane, Front, Options, Version, draguard_program};

use crate::figures::Figures;
use crate::policy::Policy;
use crate::work::{KINDS, Work};

/// Each round measures all three guards, so that noise hits them alike; the first only warms up.
const ROUNDS: usize = 6;

/// What stands in the way of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    None,
    /// draguard, through the shipped configurations.
    Draguard,
    /// The in-tree policy.
    Policy,
}

/// All of them, the one compared with first.
pub const GUARDS: [Guard; 3] = [Guard::None, Guard::Draguard, Guard::Policy];

fn main() {
    let program = draguard_program(flag("--draguard").as_deref()).expect("draguard");
    let start = Instant::now();
    let cluster = ControlPlane::start(&Options::new(Version::V1_37));
    let front = Front::start(&cluster, &program).expect("start draguard");
    let policy = Policy::new(cluster.admin());
    let mut work = Work::new(&cluster);
    let mut figures = Figures::default();
    for round in 0..ROUNDS {
        // Nobody is always the first after something else has run.
        for guard in (0..GUARDS.len()).map(|nth| GUARDS[(nth + round) % GUARDS.len()]) {
            put_up(guard, &front, &policy);
            let measured = work.measure();
            take_down(guard, &front, &policy);
            if round > 0 {
                figures.add(guard, &measured);
            }
        }
    }
    println!("Kubernetes {}, {} rounds in {:.0} s", cluster.version(), ROUNDS - 1, start.elapsed().as_secs_f64());
    figures.print(&KINDS);
    throughput::print(&cluster);
}

fn put_up(guard: Guard, front: &Front, policy: &Policy) {
    match guard {
        Guard::None => {}
        Guard::Draguard => front.install().expect("install draguard's configurations"),
        Guard::Policy => policy.install(),
    }
}

fn take_down(guard: Guard, front: &Front, policy: &Policy) {
    match guard {
        Guard::None => {}
        Guard::Draguard => front.remove().expect("remove draguard's configurations"),
        Guard::Policy => policy.remove(),
    }
}

fn flag(name: &str) -> Option<String> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.nth(1)
}
