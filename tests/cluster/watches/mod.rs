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

struct Play {
    name: &'static str,
    play: fn(&Bed),
}

/// What the shared control plane of a version is enough for.
const SHARED: &[Play] = &[
    Play { name: "watch_all_kinds_arrive", play: story::all_kinds_arrive },
    Play { name: "watch_same_name_other_life", play: story::same_name_other_life },
    Play { name: "watch_pods_that_end_are_gone", play: story::pods_that_end_are_gone },
    Play { name: "watch_live_reads_see_a_write_at_once", play: live::sees_a_write_at_once },
    Play { name: "watch_live_reads_find_what_belongs_together", play: live::finds_what_belongs_together },
];

/// One test a play and version.
pub fn trials(planes: &Arc<Planes>) -> Vec<Trial> {
    Version::ALL.into_iter().flat_map(|version| on_shared(planes, version).chain([outage(version)])).collect()
}

fn on_shared(planes: &Arc<Planes>, version: Version) -> impl Iterator<Item = Trial> {
    let planes = Arc::clone(planes);
    SHARED.iter().map(move |Play { name, play }| {
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
