//! DG705: a rule that misses versions under which the same objects are written.

use std::collections::BTreeSet;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::{ASKED, Asked};
use crate::model::webhook::Matched;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG705",
        kinds: ASKED,
        phase: Phase::Review,
        effect: Effect::Warn,
        fixed: false,
        title: "a rule misses versions that are served",
        detail: "The same slice or claim can be written as resource.k8s.io/v1, v1beta2 and v1beta1. With matchPolicy: \
                 Equivalent, the default, a rule for v1 is asked about all of them, converted. With Exact it is asked about \
                 those it lists, and a client of another version goes past it. A rule that lists no v1 is asked about nothing \
                 where the server serves only v1, which is its default. List v1 and leave matchPolicy alone.",
    },
    checks: &[Check::Asked(check)],
};

/// What has these versions; other resources of the group have had others.
const RESOURCES: [&str; 5] =
    ["resourceslices", "resourceclaims", "resourceclaims/status", "resourceclaimtemplates", "deviceclasses"];
const VERSIONS: [&str; 3] = ["v1", "v1beta2", "v1beta1"];

fn check(asked: &Asked<'_>, faults: &mut Faults) {
    let needed = if asked.policy == Some("Exact") { &VERSIONS[..] } else { &["v1"] };
    let mut told = BTreeSet::new();
    for resource in RESOURCES {
        let about = |rule: &&Matched<'_>| rule.is_dra() && rule.takes_in(resource);
        let Some(first) = asked.rules.iter().position(|rule| about(&rule)) else { continue };
        let lists = |version: &str| asked.rules.iter().filter(about).any(|rule| has_version(rule, version));
        let missed: Vec<&str> = needed.iter().copied().filter(|version| !lists(version)).collect();
        if !missed.is_empty() && told.insert(first) {
            faults.push(misses(asked, first, resource, &missed));
        }
    }
}

fn has_version(rule: &Matched<'_>, version: &str) -> bool {
    rule.versions.iter().any(|listed| **listed == *version || **listed == *"*")
}

fn misses(asked: &Asked<'_>, rule: usize, resource: &str, missed: &[&str]) -> Fault {
    let path = asked.at.clone().item(rule).field("apiVersions");
    let listed: Vec<&str> =
        asked.rules.get(rule).map(|rule| rule.versions.iter().map(|one| &**one).collect()).unwrap_or_default();
    let missed = missed.join(" and ");
    let problem = match asked.policy {
        Some("Exact") => {
            format!("with matchPolicy: Exact a client that writes {resource} as {missed} goes past this rule")
        }
        _ => format!(
            "without {missed} this rule is asked about no {resource} on a server that serves only {missed}, as by default"
        ),
    };
    Fault::at(path, listed.join(", "), problem)
        .expected("v1 and matchPolicy: Equivalent, which is asked about every version")
        .mend("write apiVersions: [v1] and matchPolicy: Equivalent, or leave matchPolicy out")
}
