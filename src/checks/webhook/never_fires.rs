//! DG704: a rule for what is never a request.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::{ASKED, Asked};
use crate::model::role::Part;
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
                 UPDATE of resourceclaims/status.",
    },
    checks: &[Check::Asked(check)],
};

fn check(asked: &Asked<'_>, faults: &mut Faults) {
    for (index, rule) in asked.rules.iter().enumerate().filter(|(_, rule)| rule.is_dra()) {
        let is_right = |resource: &str| [Part::Binding, Part::Driver].iter().any(|part| part.resource() == resource);
        for (at, resource) in rule.resources.iter().enumerate().filter(|(_, resource)| is_right(resource)) {
            let path = asked.at.clone().item(index).field("resources").item(at);
            let problem =
                format!("{} is the name of a right and never a request: this entry never matches", &**resource);
            let fault = Fault::at(path, &**resource, problem).expected("resourceclaims/status");
            faults.push(
                fault.mend("match UPDATE of resourceclaims/status, and compare object.status with oldObject.status"),
            );
        }
    }
}
