//! DG404: one write that lacks several rights is told of all of them.

use super::super::super::fault::{Fault, Faults};
use super::super::super::row::{Check, Row};
use super::binding;
use super::driver::role;
use super::node::is_local;
use super::place::Place;
use super::write::ClaimWrite;
use crate::model::access::Question;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::settings::Action;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG404",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "one write of a claim's status lacks several rights",
        detail: "A write may change the allocation and the entries of several drivers at once, as the syncer of a virtual cluster \
                 does, and needs a right for each. What is missing is told one by one by DG401, DG402 and DG403, and here as a \
                 whole, with the role that would be enough, so that nobody mends one and meets the next. Rights whose rule is \
                 switched to Off or Warn do not count here. Source: kubernetes pkg/registry/resource/utils.go, whose answer \
                 has one cause for each; vcluster pull 3770.",
    },
    checks: &[Check::ClaimWriter(check)],
};

fn check(write: &ClaimWrite<'_>, faults: &mut Faults) {
    let missing: Vec<&Question> = write.missing().filter(|question| is_refused(write, question)).collect();
    if missing.len() < 2 {
        return;
    }
    let rights: Vec<String> = missing.iter().map(|question| right(question)).collect();
    let rights = rights.join(", ");
    let problem = format!("{} lacks {} rights: {rights}", quoted(&write.caller.username), missing.len());
    faults.push(
        Fault::at(Path::fields(&["status"]), rights, problem)
            .expected("a writer that may change every part that it changes")
            .mend(mend(write, &missing)),
    );
}

/// No role helps where there is no cluster to ask, nor a driver that the rollout binds to its node.
fn mend(write: &ClaimWrite<'_>, missing: &[&Question]) -> String {
    let is_of_node = write.place != Place::Anywhere;
    let is_bound =
        |question: &&Question| matches!(question, Question::Driver { name, .. } if is_of_node && is_local(write, name));
    if !write.is_asked || missing.iter().any(is_bound) {
        return "mend each part as the finding beside this one says: a role alone is not enough".to_owned();
    }
    let roles: Vec<String> = missing.iter().map(|question| rule(question)).collect();
    format!("grant all of them in one ClusterRole, by a ClusterRoleBinding: {}", roles.join("; "))
}

fn is_refused(write: &ClaimWrite<'_>, question: &Question) -> bool {
    let rule = match (question, write.place) {
        (Question::Binding, _) => "DG401",
        (Question::Driver { .. }, Place::Here(_) | Place::Anywhere) => "DG402",
        (Question::Driver { .. }, _) => "DG403",
    };
    !matches!(write.settings.action(rule), Some(Action::Off | Action::Warn))
}

fn right(question: &Question) -> String {
    match question {
        Question::Binding => "resourceclaims/binding".to_owned(),
        Question::Driver { name, .. } => format!("resourceclaims/driver {}", quoted(name)),
    }
}

fn rule(question: &Question) -> String {
    match question {
        Question::Binding => binding::ROLE.to_owned(),
        Question::Driver { .. } => role(question),
    }
}
