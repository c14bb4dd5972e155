//! DG701: the right to write the status of claims, given by wildcard or as a whole.

use super::super::Context;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::{ROLES, item, smallest};
use crate::model::decode::Text;
use crate::model::role::{Grant, Part, Role};
use crate::model::text::quoted;
use crate::settings::Writer;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG701",
        kinds: ROLES,
        phase: Phase::Review,
        effect: Effect::Deny,
        fixed: false,
        title: "a role gives away the status of claims by wildcard",
        detail: "Since v1.36 the parts of a claim's status have rights of their own: resourceclaims/binding for allocation and \
                 reservedFor, resourceclaims/driver for what a driver says of its devices. A wildcard among the groups, \
                 resources or verbs gives them all to whoever has the role, and with them every device of the cluster. Name \
                 the part and the verbs. Both parts in one role are a warning: a virtual cluster's syncer needs both, hardly \
                 anybody else does. Roles that the cluster brings along or puts together from others, and rules that are \
                 about other things, are not judged. RBAC knows the wildcards * and */status; resourceclaims/* is none, see \
                 DG706.",
    },
    checks: &[Check::Role(check)],
};

fn check(role: &Role<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (index, grant) in role.rules.iter().enumerate() {
        if let Some(fault) = by_wildcard(index, grant) {
            faults.push(fault);
        }
    }
    if let Some(fault) = both(role).filter(|_| faults.found.is_empty()) {
        faults.push(fault);
    }
}

fn by_wildcard(index: usize, grant: &Grant<'_>) -> Option<Fault> {
    let swept: Vec<(Part, Wildcard<'_>)> =
        Part::ALL.into_iter().filter_map(|part| Some((part, wildcard(grant, part)?))).collect();
    let (_, (list, at, value)) = swept.first()?;
    let parts: Vec<Part> = swept.iter().map(|(part, _)| *part).collect();
    let names: Vec<&str> = parts.iter().map(|part| part.resource()).collect();
    let problem = format!("{} gives away the right to write {}", quoted(value), names.join(" and "));
    let fault = Fault::at(item(index, list, *at), *value, problem);
    Some(fault.expected("groups, resources and verbs by name").mend(needed(grant, &parts)))
}

/// What a scheduler or a driver needs of these parts.
fn needed(grant: &Grant<'_>, parts: &[Part]) -> String {
    let is_about = |part| parts.contains(&part) || parts == [Part::Status];
    let scheduler = format!("a scheduler {}", smallest::allocation());
    let driver = grant.names.first().map_or("NAME", |name| name);
    let [status, entries] = smallest::device_status(driver, Writer::NodeLocal);
    let driver = format!("a driver {status}, {entries} (`{}`)", command(driver, Writer::NodeLocal));
    let needs = [(Part::Binding, scheduler), (Part::Driver, driver)];
    let needs: Vec<String> = needs.into_iter().filter(|(part, _)| is_about(*part)).map(|(_, need)| need).collect();
    format!("give {}", needs.join("; "))
}

/// A list of a rule, the index in it, and the wildcard there.
type Wildcard<'r> = (&'static str, usize, &'r str);

/// The wildcard by which a rule gives this part away.
fn wildcard<'r>(grant: &'r Grant<'_>, part: Part) -> Option<Wildcard<'r>> {
    // The names in a rule about drivers are drivers' names; elsewhere they narrow it down to a few claims.
    let is_of_all = grant.names.is_empty() || (part == Part::Driver && grant.names(part).is_some());
    if !is_of_all || !grant.grants(part) {
        return None;
    }
    let star = |entries: &[Text<'_>]| entries.iter().position(|entry| **entry == *"*");
    let swept = grant.sweeps(part).map(|at| ("resources", at, &grant.resources));
    let any = || star(&grant.verbs).map(|at| ("verbs", at, &grant.verbs));
    let everywhere = || star(&grant.groups).map(|at| ("apiGroups", at, &grant.groups));
    let (list, at, entries) = swept.or_else(any).or_else(everywhere)?;
    Some((list, at, entries.get(at)?))
}

/// Both parts, each by name.
fn both(role: &Role<'_>) -> Option<Fault> {
    let grants = |part| role.rules.iter().position(move |grant: &Grant<'_>| grant.grants(part));
    let (binding, driver) = (grants(Part::Binding)?, grants(Part::Driver)?);
    let index = binding.max(driver);
    let part = if index == driver { Part::Driver } else { Part::Binding };
    let at = role.rules.get(index)?.names(part)?;
    let problem = "resourceclaims/binding and resourceclaims/driver in one role: whoever has it allocates devices and \
                   speaks for their drivers";
    Some(
        Fault::at(item(index, "resources", at), part.resource(), problem)
            .expected("one of the two, unless the role is for the syncer of a virtual cluster")
            .mend("make two roles of it, for two accounts")
            .warn(),
    )
}

/// The command that prints the role of this driver.
pub(super) fn command(driver: &str, writer: Writer) -> String {
    let place = if writer == Writer::NodeLocal { "--node-local" } else { "--cluster-wide" };
    format!("draguard render rbac --driver {driver} {place}")
}
