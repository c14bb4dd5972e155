//! What draguard sees of the real cluster through its watches and live reads.

mod live;
mod outage;
mod story;
mod view;

use std::sync::Arc;

use draguard_testbed::{ControlPlane, Options, Version};
use libtest_mimic::Trial;

use crate::bed::Bed;
use crate::planes::Planes;
use crate::scenarios;

/// Plays on the shared control plane of a version.
const SHARED: &[(&str, fn(&Bed))] = &[
    ("watch_all_kinds_arrive", story::all_kinds_arrive),
    ("watch_same_name_other_life", story::same_name_other_life),
    ("watch_pods_that_end_are_gone", story::pods_that_end_are_gone),
    ("watch_live_reads_see_a_write_at_once", live::sees_a_write_at_once),
    ("watch_live_reads_find_what_belongs_together", live::finds_what_belongs_together),
];

/// One test a play and version.
pub fn trials(planes: &Arc<Planes>) -> Vec<Trial> {
    Version::ALL.into_iter().flat_map(|version| on_shared(planes, version).chain([outage(version)])).collect()
}

fn on_shared(planes: &Arc<Planes>, version: Version) -> impl Iterator<Item = Trial> {
    let planes = Arc::clone(planes);
    SHARED.iter().map(move |(name, play)| {
        let planes = Arc::clone(&planes);
        Trial::test(format!("{name}::{version}"), move || {
            play(&Bed::new(&planes, version, name));
            Ok(())
        })
    })
}

/// Ends servers, so it has its own.
fn outage(version: Version) -> Trial {
    Trial::test(format!("watch_outage::{version}"), move || {
        let _turn = scenarios::turn(version);
        outage::play(ControlPlane::start(&Options::new(version).api_only()));
        Ok(())
    })
}
