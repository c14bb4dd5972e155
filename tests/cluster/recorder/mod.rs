//! Replays the stories of `tests/fixtures` on a control plane of its own and records the reviews.
//!
//! `UPDATE_FIXTURES=1` rewrites the stored reviews; otherwise their shape is compared with them.

mod pods;
mod shape;
mod slices;
mod stage;

use std::path::PathBuf;

use draguard_testbed::Version;
use libtest_mimic::{Failed, Trial};

use crate::recorder::stage::{Recorded, Stage};

/// One test a version.
pub fn trials() -> Vec<Trial> {
    let trial = |version| Trial::test(format!("fixtures_have_the_recorded_shape::{version}"), move || run(version));
    Version::ALL.map(trial).into()
}

fn run(version: Version) -> Result<(), Failed> {
    let mut stage = Stage::set(version);
    slices::play(&mut stage);
    pods::play(&mut stage);
    slices::play_the_end(&mut stage);
    let recorded = stage.recorded();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(version.name());
    match std::env::var_os("UPDATE_FIXTURES") {
        Some(_) => rewrite(&folder, recorded),
        None => shape::compare(&folder, recorded),
    }
}

fn rewrite(folder: &PathBuf, recorded: &[Recorded]) -> Result<(), Failed> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    for Recorded { name, review } in recorded {
        std::fs::write(folder.join(format!("{name}.json")), &review.text)?;
    }
    Ok(())
}
