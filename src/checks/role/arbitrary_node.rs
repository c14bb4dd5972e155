//! DG702: more of a driver's right than the driver needs.

use super::super::Context;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::wildcard::command;
use super::{ROLES, item, smallest};
use crate::model::role::{Grant, Part, Role};
use crate::model::text::quoted;
use crate::settings::Writer;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG702",
        kinds: ROLES,
        phase: Phase::Review,
        effect: Effect::Deny,
        fixed: false,
        title: "a driver may write device status that is not its own",
        detail: "With the verbs arbitrary-node:update and arbitrary-node:patch an account writes the device status of claims on \
                 every node: one node that is broken into then speaks for all. A driver whose settings say writer: NodeLocal \
                 needs associated-node:update and associated-node:patch; its pods' tokens name their node. Without \
                 resourceNames the right is one for the entries of every driver, which is a warning: some take their name from \
                 their configuration, and a virtual cluster's syncer speaks for all.",
    },
    checks: &[Check::Role(check)],
};

fn check(role: &Role<'_>, context: &Context<'_>, faults: &mut Faults) {
    for (index, grant) in role.rules.iter().enumerate() {
        let Some(at) = grant.names(Part::Driver).filter(|_| grant.grants(Part::Driver)) else { continue };
        if grant.names.is_empty() {
            faults.push(of_every_driver(index, at));
        }
        if let Some(fault) = of_every_node(index, grant, context) {
            faults.push(fault);
        }
    }
}

fn of_every_driver(rule: usize, at: usize) -> Fault {
    let part = Part::Driver.resource();
    let problem = format!("{part} without resourceNames is a right on every driver's entries");
    let [_, smallest] = smallest::device_status("NAME", Writer::NodeLocal);
    Fault::at(item(rule, "resources", at), part, problem)
        .expected("resourceNames with the name of the driver, as in spec.driver of its slices")
        .mend(format!("write {smallest}; the whole role: `{}`", command("NAME", Writer::NodeLocal)))
        .warn()
}

fn of_every_node(index: usize, grant: &Grant<'_>, context: &Context<'_>) -> Option<Fault> {
    let is_local = |name: &&str| {
        let driver = context.settings.drivers.get(*name);
        driver.is_some_and(|driver| driver.writer == Writer::NodeLocal)
    };
    let driver = grant.names.iter().map(|name| &**name).find(is_local)?;
    let at = grant.verbs.iter().position(|verb| **verb == *"*" || verb.starts_with("arbitrary-node:"))?;
    let verb = &**grant.verbs.get(at)?;
    let problem =
        format!("{} lets driver {}, which is node-local, write for claims of every node", quoted(verb), quoted(driver));
    let [_, smallest] = smallest::device_status(driver, Writer::NodeLocal);
    let remedy = format!("write {smallest}; the whole role: `{}`", command(driver, Writer::NodeLocal));
    let expected = "associated-node:update and associated-node:patch";
    Some(Fault::at(item(index, "verbs", at), verb, problem).expected(expected).mend(remedy))
}
