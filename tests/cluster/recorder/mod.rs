//! Replays the stories of `tests/fixtures` on a control plane of its own and records the reviews.
//!
//! `UPDATE_FIXTURES=1` rewrites the stored reviews; otherwise their shape is compared with them.

mod pods;
pub mod shape;
mod slices;
mod stage;

use std::collections::BTreeSet;
use std::path::PathBuf;

use draguard_testbed::Version;
use libtest_mimic::{Failed, Trial};

pub use crate::recorder::stage::Recorded;
use crate::recorder::stage::Stage;

/// One test a version.
pub fn trials() -> Vec<Trial> {
    let trial = |version| Trial::test(format!("fixtures_have_the_recorded_shape::{version}"), move || run(version));
    Version::ALL.map(trial).into()
}

fn run(version: Version) -> Result<(), Failed> {
    let folder = folder(version.name());
    let updating = updating();
    let mut stage = Stage::set(version, if updating { BTreeSet::new() } else { shape::stored_names(&folder) });
    slices::play(&mut stage);
    pods::play(&mut stage);
    slices::play_the_end(&mut stage);
    let recorded = stage.recorded();
    if updating { rewrite(&folder, recorded) } else { shape::compare(&folder, recorded) }
}

/// Whether the recordings are to be stored, not compared.
pub fn updating() -> bool {
    std::env::var_os("UPDATE_FIXTURES").is_some()
}

/// The folder of a cluster's recordings.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Stores the recordings in the place of what was there.
pub fn rewrite(folder: &PathBuf, recorded: &[Recorded]) -> Result<(), Failed> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    for Recorded { name, review } in recorded {
        std::fs::write(folder.join(format!("{name}.json")), indented(&review.text))?;
    }
    Ok(())
}

/// JSON as it is, one value a line, so that a change can be read.
fn indented(text: &str) -> String {
    let (mut out, mut depth, mut quoted, mut escaped) = (String::new(), 0, false, false);
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        let opens = !quoted && matches!(c, '{' | '[');
        let closes = !quoted && matches!(c, '}' | ']');
        let empty = opens && matches!(chars.peek(), Some('}' | ']'));
        depth = depth + usize::from(opens) - usize::from(closes);
        if closes && !out.ends_with(['{', '[']) {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', depth));
        }
        out.push(c);
        if (opens && !empty) || (!quoted && c == ',') {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', depth));
        }
        if !quoted && c == ':' {
            out.push(' ');
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    out
}
