//! DG706: a right that no API server ever asks for.

use super::super::Context;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::{nothing, smallest};
use crate::ledger::inventory::{BoundFacts, Inventory};
use crate::model::decode::Text;
use crate::model::path::Path;
use crate::model::role::{DRA, Grant, Part, Role};
use crate::model::text::quoted;
use crate::settings::Writer;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG706",
        kinds: &["ClusterRole", "Role", "RoleBinding"],
        phase: Phase::Review,
        effect: Effect::Warn,
        fixed: false,
        title: "a role that could never work",
        detail: "An API server asks for resourceclaims/binding in the whole cluster and without a name, with the verb of the \
                 request: a Role, a RoleBinding and resourceNames are of no use. For resourceclaims/driver it asks with the \
                 verbs associated-node:update and so on, in the claim's namespace, and for the driver's name: update alone is \
                 of no use. RBAC has no form resourceclaims/* either, no wildcard among resourceNames, and compares \
                 names letter by letter: such an entry grants nothing. A RoleBinding counts where its ClusterRole is \
                 among the reviewed files and nothing there binds it in the whole cluster.",
    },
    checks: &[Check::Role(check), Check::Bound(bound)],
};

fn check(role: &Role<'_>, _: &Context<'_>, faults: &mut Faults) {
    for (index, grant) in role.rules.iter().enumerate().filter(|(_, grant)| grant.is_dra()) {
        if let Some(fault) = nothing::entry(index, grant) {
            faults.push(fault);
        }
    }
    for part in [Part::Binding, Part::Driver] {
        let mut named =
            role.rules.iter().enumerate().filter_map(|(index, grant)| Some((index, grant, grant.names(part)?)));
        let Some((index, grant, at)) = named.next() else { continue };
        if !role.rules.iter().any(|grant| works(role, grant, part)) {
            faults.push(useless(role, (index, grant, at), part));
        }
    }
}

fn works(role: &Role<'_>, grant: &Grant<'_>, part: Part) -> bool {
    grant.grants(part) && (part != Part::Binding || (role.is_cluster() && grant.names.is_empty()))
}

fn useless(role: &Role<'_>, (index, grant, at): (usize, &Grant<'_>, usize), part: Part) -> Fault {
    let of = Path::fields(&["rules"]).item(index);
    if !grant.is_dra() {
        return never(of.field("apiGroups"), &grant.groups, part, "it is none of these groups")
            .expected(DRA)
            .mend("write apiGroups: [resource.k8s.io]");
    }
    if grant.verb(part).is_none() {
        return never(of.field("verbs"), &grant.verbs, part, "the API server asks for other verbs")
            .expected(part.verbs().join(", "))
            .mend(format!("write {}", needed(grant, part)));
    }
    if role.is_cluster() {
        return never(of.field("resourceNames"), &grant.names, part, "the API server asks without a name")
            .expected("no resourceNames")
            .mend(format!("write {}", needed(grant, part)));
    }
    let problem = "the API server asks for it in the whole cluster, and a Role is of one namespace";
    never(of.field("resources").item(at), &[], part, problem)
        .expected("a ClusterRole with a ClusterRoleBinding")
        .mend(format!("write a ClusterRole with {} and bind it by a ClusterRoleBinding", needed(grant, part)))
}

fn never(path: Path, values: &[Text<'_>], part: Part, problem: &str) -> Fault {
    let values: Vec<&str> = values.iter().map(|value| &**value).collect();
    let value = if values.is_empty() { part.resource().to_owned() } else { values.join(", ") };
    Fault::at(path, value, format!("this right on {} is never asked for: {problem}", part.resource()))
}

/// The rule that would work.
fn needed(grant: &Grant<'_>, part: Part) -> smallest::Grant {
    let driver = grant.names.first().map_or("NAME", |name| name);
    let [_, entries] = smallest::device_status(driver, Writer::NodeLocal);
    if part == Part::Driver { entries } else { smallest::allocation() }
}

/// A binding in one namespace of a role that only works in the whole cluster.
fn bound(binding: &BoundFacts, inventory: &Inventory, faults: &mut Faults) {
    if !inventory.is_binder(&binding.role) || inventory.is_bound_everywhere(&binding.role) {
        return;
    }
    let problem = format!(
        "ClusterRole {} grants resourceclaims/binding, which the API server asks for in the whole cluster: bound in one \
         namespace it does not help",
        quoted(&binding.role)
    );
    let fault = Fault::at(Path::fields(&["roleRef", "name"]), &*binding.role, problem).expected("a ClusterRoleBinding");
    faults.push(fault.mend("bind the role by a ClusterRoleBinding"));
}
