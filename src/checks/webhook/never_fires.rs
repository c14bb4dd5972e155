//! DG704: a rule for what is never a request.

use super::super::fault::{Fault, Faults};
use super::super::role::resources::{is_namespaced, meant};
use super::super::row::{Check, Row};
use super::{ASKED, Asked};
use crate::model::path::Path;
use crate::model::role::{DRA, Part};
use crate::model::text::quoted;
use crate::model::webhook::Matched;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG704",
        kinds: ASKED,
        phase: Phase::Review,
        effect: Effect::Deny,
        fixed: false,
        title: "a webhook rule that never fires",
        detail: "resourceclaims/binding and resourceclaims/driver are names of rights: no request has them, so that a webhook or \
                 a policy with such a rule is never asked, and what it is there for goes on unguarded. The write comes as an \
                 UPDATE of resourceclaims/status. Names are compared letter by letter, and a scope without such objects matches \
                 nothing either.",
    },
    checks: &[Check::Asked(check)],
};

fn check(asked: &Asked<'_>, faults: &mut Faults) {
    for (index, rule) in asked.rules.iter().enumerate().filter(|(_, rule)| rule.is_dra()) {
        let of_rule = asked.at.clone().item(index);
        for (at, resource) in rule.resources.iter().enumerate() {
            let at = of_rule.clone().field("resources").item(at);
            let fault = right(&at, resource).or_else(|| misspelt(&at, rule, resource));
            faults.take(fault.or_else(|| elsewhere(&of_rule, rule, resource)));
        }
    }
}

fn right(at: &Path, resource: &str) -> Option<Fault> {
    let is_right = [Part::Binding, Part::Driver].iter().any(|part| part.resource() == resource);
    let problem = format!("{resource} is the name of a right and never a request: this entry never matches");
    let fault = Fault::at(at.clone(), resource, problem).expected("resourceclaims/status");
    is_right
        .then(|| fault.mend("match UPDATE of resourceclaims/status, and compare object.status with oldObject.status"))
}

/// Judged where the rule is about nothing but DRA: other groups have names of their own.
fn misspelt(at: &Path, rule: &Matched<'_>, resource: &str) -> Option<Fault> {
    let near = meant(resource).filter(|_| rule.groups.iter().all(|group| **group == *DRA))?;
    let problem = format!("{DRA} has no resource {}: this entry never matches", quoted(resource));
    Some(Fault::at(at.clone(), resource, problem).expected(quoted(near)).mend(format!("write {near}")))
}

/// A scope in which there are no such objects.
fn elsewhere(of_rule: &Path, rule: &Matched<'_>, resource: &str) -> Option<Fault> {
    let scope = rule.scope.as_deref().filter(|scope| matches!(*scope, "Cluster" | "Namespaced"))?;
    let is_namespaced = is_namespaced(resource).filter(|is_namespaced| *is_namespaced != (scope == "Namespaced"))?;
    let [have, right] =
        if is_namespaced { ["have a namespace", "Namespaced"] } else { ["have no namespace", "Cluster"] };
    let problem = format!("{resource} {have}: a rule of scope {scope} never matches them");
    let fault = Fault::at(of_rule.clone().field("scope"), scope, problem);
    Some(fault.expected(format!("{right}, or \"*\"")).mend("leave scope out, or write what is expected"))
}
