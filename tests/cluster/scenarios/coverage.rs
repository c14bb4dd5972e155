//! Each rule is broken by a real client in some scenario, or a reason is written down here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use draguard::checks;
use libtest_mimic::Failed;

/// Where real clients break rules; this file names rules that nobody breaks.
const PLAYED: &[&str] = &["tests/cluster/scenarios", "tests/cluster/status_table/guarded.rs"];
const HERE: &str = "coverage.rs";

/// Why no scenario breaks a rule.
const UNBROKEN: &[(&str, &[&str])] = &[
    (
        "the API server refuses it, or drops it, before a webhook is called",
        &["DG001", "DG107", "DG113", "DG114", "DG116", "DG121", "DG122", "DG126", "DG208"],
    ),
    ("it speaks of files only", &["DG111", "DG203", "DG311", "DG701", "DG702", "DG703", "DG704", "DG705", "DG706"]),
    ("it speaks of the settings, which no API server stores", &["DG504", "DG505"]),
    (
        "it needs the ledger: played beside one in tests/cases",
        &["DG305", "DG306", "DG308", "DG309", "DG310", "DG312", "DG410", "DG412", "DG503", "DG603", "DG604"],
    ),
];

/// Fails for a rule with neither, for one with both, and for a name that is none.
pub fn check() -> Result<(), Failed> {
    finds_what_is_wrong();
    let faults = faults(&checks::rules().map(|rule| rule.id).collect(), &broken(), UNBROKEN);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

fn faults(rules: &BTreeSet<&str>, broken: &BTreeSet<String>, unbroken: &[(&str, &[&str])]) -> Vec<String> {
    let reasons: BTreeMap<&str, &str> =
        unbroken.iter().flat_map(|(reason, ids)| ids.iter().map(|id| (*id, *reason))).collect();
    let of = |id: &&str| match (broken.contains(*id), reasons.get(id)) {
        (false, None) => Some(format!("{id}: no scenario breaks it, and no reason is given in {HERE}")),
        (true, Some(reason)) => Some(format!("{id}: a scenario breaks it, although {HERE} says: {reason}")),
        _ => None,
    };
    let named = reasons.keys().copied().chain(broken.iter().map(String::as_str));
    let unknown = named.filter(|id| !rules.contains(id)).map(|id| format!("{id}: there is no such rule"));
    rules.iter().filter_map(of).chain(unknown).collect()
}

fn broken() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = PLAYED.iter().flat_map(|place| sources(&root.join(place)));
    sources.flat_map(|source| expected(&fs::read_to_string(source).expect("read a scenario"))).collect()
}

fn sources(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let entries = fs::read_dir(place).expect("list the scenarios").map(|entry| entry.expect("a scenario").path());
    entries.filter(|path| !path.ends_with(HERE)).collect()
}

/// The rules with which a string begins: what an answer is compared with. Comments and settings name them otherwise.
fn expected(source: &str) -> BTreeSet<String> {
    let digits = |id: &&str| id.len() == 5 && id[2..].bytes().all(|byte| byte.is_ascii_digit());
    let starts = source.match_indices("\"DG").filter_map(|(at, _)| source.get(at + 1..at + 6));
    starts.filter(digits).map(str::to_owned).collect()
}

/// A check that finds nothing proves little.
fn finds_what_is_wrong() {
    let rules = BTreeSet::from(["DG001", "DG002", "DG003", "DG004"]);
    let broken = expected("told(\"DG001\", x); text.starts_with(\"DG002 \"); // DG003\n \"rules: {DG004: Off}\"");
    let found = faults(&rules, &broken, &[("why", &["DG002", "DG004", "DG009"])]);
    let starts: Vec<&str> = found.iter().filter_map(|fault| fault.split(' ').next()).collect();
    assert_eq!(starts, ["DG002:", "DG003:", "DG009:"], "{found:?}");
}
