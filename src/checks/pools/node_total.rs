//! DG111: more mapped than the node has.

use std::collections::BTreeMap;

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{Inventory, NodeFacts, SliceFacts};
use crate::model::path::Path;
use crate::model::quantity::Quantity;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG111",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Warn,
        fixed: false,
        title: "the mappings of a node's devices together are more than the node has",
        detail: "Advice only: a node that reserves CPUs for the system has fewer to allocate than its devices have together. Only \
                 the newest generation of each pool counts, and devices that draw on shared counters are left out, since they \
                 exclude each other. Speaks of files, where the node is among them.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(node) = slice.node.as_deref().and_then(|name| inventory.node(name)) else { return };
    let is_last = inventory.beside(slice).all(|other| other.origin < slice.origin);
    if !is_last {
        return;
    }
    let live = inventory.beside(slice).chain([slice]).filter(|one| is_newest(one, inventory));
    for (resource, sum) in sums(live) {
        if let Some(has) = node.allocatable.get(&resource).filter(|has| sum > **has) {
            faults.push(too_much(node, &resource, &sum, has));
        }
    }
}

fn is_newest(slice: &SliceFacts, inventory: &Inventory) -> bool {
    inventory.pool_of(slice).all(|other| other.generation <= slice.generation)
}

fn sums<'i>(slices: impl Iterator<Item = &'i SliceFacts>) -> BTreeMap<String, Quantity> {
    let mut sums: BTreeMap<String, Quantity> = BTreeMap::new();
    for device in slices.flat_map(|slice| &slice.devices).filter(|device| !device.shares_counters) {
        for mapped in &device.mapped {
            let Some(amount) = mapped.largest else { continue };
            let sum = sums.entry(mapped.resource.clone()).or_insert(Quantity::whole(0));
            *sum = sum.checked_add(&amount).unwrap_or(*sum);
        }
    }
    sums
}

fn too_much(node: &NodeFacts, resource: &str, sum: &Quantity, has: &Quantity) -> Fault {
    let name = quoted(&node.name);
    let problem = format!("the devices of node {name} map {sum} of {resource} together, the node has {has}");
    Fault::at(Path::fields(&["spec", "devices"]), sum.to_string(), problem)
        .expected(format!("at most {has}, or a node that reserves the difference for the system"))
        .mend("normal where CPUs are reserved; otherwise check the amounts")
}
