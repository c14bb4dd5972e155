//! DG604: more is mapped in a NUMA zone than it is known to have.

use std::collections::BTreeMap;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::view::{AllocationView, ResultView};
use crate::ledger::amounts::add;
use crate::ledger::contribution::{Contribution, Entry};
use crate::ledger::object::Name;
use crate::ledger::requests::Amounts;
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG604",
        kinds: &["ResourceClaim"],
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "devices map more of a NUMA zone than it is known to have",
        detail: "What a zone has is known from devices that offer it by capacity: the largest total that one pool maps there. What \
                 all claims together map in the zone, overhead and administration aside, is compared with it. The node as a whole \
                 may have room all the same, so it is only told: part of it then comes from another zone.",
    },
    checks: &[Check::Allocation(check)],
};

fn check(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() || !view.is_mapped() {
        return;
    }
    for (node, lines) in &view.charges().nodes {
        for (zone, own) in zones(lines.iter()) {
            for (resource, taken) in own {
                faults.found.extend(exceeded(view, node, zone, &resource, taken));
            }
        }
    }
}

/// What is mapped by zone.
fn zones<'l>(lines: impl Iterator<Item = (&'l Entry, &'l Contribution)>) -> BTreeMap<i64, Amounts> {
    let mut zones: BTreeMap<i64, Amounts> = BTreeMap::new();
    for (entry, line) in lines.filter(|(entry, line)| entry.pod.is_none() && !line.is_admin) {
        if let Some(zone) = line.zone {
            add(zones.entry(zone).or_default(), &entry.resource, &line.amount);
        }
    }
    zones
}

fn exceeded(view: &AllocationView<'_>, node: &Name, zone: i64, resource: &str, own: Quantity) -> Option<Fault> {
    let ledger = view.scene.ledger;
    let there = ledger.zone_capacity(node, zone, resource)?;
    let contributions = ledger.account(node).map(|account| account.contributions().iter());
    let others = contributions.into_iter().flatten().filter(|(entry, _)| entry.claim != view.claim.key);
    let taken = zones(others).get(&zone).and_then(|zone| zone.get(resource).copied());
    let sum = taken.map_or(Some(own), |taken| taken.checked_add(&own))?;
    let kind = Kind::of(resource)?;
    if kind.counted(&sum)? <= kind.counted(&there)? {
        return None;
    }
    let result = view.results.iter().find(|result| maps(result, zone, resource))?;
    let problem = format!(
        "zone {zone} of node {} is known to have {there} of {resource}, and with this claim's {own} devices map {sum} there",
        quoted(node),
    );
    let fault = Fault::at(result.path().field("device"), &*result.given.key.device, problem);
    Some(fault.expected("devices whose mappings fit their zone together").mend("allocate a device of another zone"))
}

fn maps(result: &ResultView<'_>, zone: i64, resource: &str) -> bool {
    result.device.is_some_and(|(_, device)| {
        device.zone == Some(zone) && device.mapped.iter().any(|mapped| *mapped.resource == *resource)
    })
}
