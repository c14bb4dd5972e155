//! DG505 and DG504: the rollout document itself.

use super::super::fault::Fault;
use super::super::row::Row;
use crate::settings::problem::Problem;
use crate::settings::{canary, load, ready, rollout};
use crate::verdict::finding::Finding;
use crate::verdict::rule::{Effect, Phase, Rule};

const ROLLOUT: &[&str] = &["NodeAllocatableRollout"];

/// The row of DG505.
pub static INVALID: Row = Row {
    rule: Rule {
        id: "DG505",
        kinds: ROLLOUT,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the rollout document is invalid",
        detail: "An unknown field, a rule that does not exist or is fixed, a schema or version that means nothing: a server would \
                 not start with it, and a running one keeps the last good settings.",
    },
    checks: &[],
};

/// The row of DG504.
pub static SETTABLE: Row = Row {
    rule: Rule {
        id: "DG504",
        kinds: ROLLOUT,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the canary selector uses only labels that a kubelet can set on its own node",
        detail: "A kubelet may label its own Node object, except under node-restriction.kubernetes.io/: with any other label a \
                 compromised or misconfigured node joins the canary by itself. Source: NodeRestriction admission plugin.",
    },
    checks: &[],
};

/// What is wrong with a rollout document.
#[must_use]
pub fn judge(json: &str) -> Vec<Finding> {
    let typed = match rollout::parse(json) {
        Ok(typed) => typed,
        Err(problem) => return vec![finding(problem, &INVALID)],
    };
    let invalid = ready::ready(&typed, &load::known()).err().unwrap_or_default();
    let mut findings: Vec<Finding> = invalid.into_iter().map(|problem| finding(problem, &INVALID)).collect();
    findings.extend(canary::kubelet_settable(&typed).map(|problem| finding(problem, &SETTABLE)));
    findings
}

fn finding(problem: Problem, row: &'static Row) -> Finding {
    let Problem { path, value, problem, expected, remedy } = problem;
    Fault::at(path, value, problem).expected(expected).mend(remedy).of(&row.rule)
}
