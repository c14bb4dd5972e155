//! DG110: what no pod could ever have.

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::mapping::ceiling;
use super::super::row::{Check, Row};
use crate::ledger::inventory::{DeviceFacts, Inventory, MappedFacts, NodeFacts, SliceFacts};
use crate::model::path::Path;
use crate::model::quantity::Quantity;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG110",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Warn,
        fixed: false,
        title: "the smallest footprint of a device is more than its node has",
        detail: "No pod can ever use such a device: usually a unit is wrong. Where the node is not among the files, and in a \
                 cluster, only amounts that no machine has are told (a million cores, 1Pi).",
    },
    checks: &[Check::Mapping(ceiling::check), Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(node) = slice.node.as_deref().and_then(|name| inventory.node(name)) else { return };
    for (index, device) in slice.devices.iter().enumerate() {
        for mapped in &device.mapped {
            if let Some((smallest, has)) = excess(mapped, node) {
                faults.push(too_large(device, index, mapped, (&smallest, &has), node));
            }
        }
    }
}

fn excess(mapped: &MappedFacts, node: &NodeFacts) -> Option<(Quantity, Quantity)> {
    let has = node.allocatable.get(&mapped.resource)?;
    mapped.smallest.filter(|smallest| smallest > has).map(|smallest| (smallest, *has))
}

fn too_large(
    device: &DeviceFacts,
    index: usize,
    mapped: &MappedFacts,
    (smallest, has): (&Quantity, &Quantity),
    node: &NodeFacts,
) -> Fault {
    let path = Path::fields(&["spec", "devices"]).named(index, &*device.name).field(mapped.shape.field);
    let problem =
        format!("the device takes at least {smallest}, node {} has {has} of {}", quoted(&node.name), mapped.resource);
    Fault::at(path.entry(&*mapped.resource), smallest.to_string(), format!("{problem}: no pod can ever fit"))
        .expected(format!("at most {has}"))
        .mend("check the unit of the amount")
}
