//! DG205: one device on two nodes.

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{DeviceFacts, Inventory, SliceFacts};
use crate::ledger::view::Ref;
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG205",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Deny,
        fixed: false,
        title: "driver, pool and device are the same on two nodes",
        detail: "Driver, pool and device name a device in the whole cluster. Published on two nodes, the scheduler refuses the \
                 second allocation; with a mapping nobody can know which node is charged, so that it is refused, in a cluster after the \
                 pool was read again. Without a \
                 mapping it is a driver bug that exists in the field (cilium issue 48923): a warning.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let Some(node) = slice.node.as_deref() else { return };
    for (index, device) in slice.devices.iter().enumerate() {
        let twins = inventory.twins(slice, device).filter(|(other, _)| other.origin < slice.origin);
        let elsewhere =
            twins.filter_map(|(other, twin)| Some((other.node.as_deref().filter(|first| *first != node)?, twin)));
        // The graver of the twins is told.
        let Some((first, twin)) = elsewhere.max_by_key(|(_, twin)| !twin.mapped.is_empty()) else { continue };
        let is_mapped = !device.mapped.is_empty() || !twin.mapped.is_empty();
        let fault = on_two_nodes(slice, index, device, [first, node]).rests_on([Ref::Pool(slice.pool_key())]);
        faults.push(if is_mapped { fault } else { fault.warn() });
    }
}

fn on_two_nodes(slice: &SliceFacts, index: usize, device: &DeviceFacts, [first, second]: [&str; 2]) -> Fault {
    let path = Path::fields(&["spec", "devices"]).named(index, &*device.name).field("name");
    let problem = format!(
        "device {} of pool {} of driver {} is on node {} and on node {}: nobody can know which one to charge",
        quoted(&device.name),
        quoted(&slice.pool),
        quoted(&slice.driver),
        quoted(first),
        quoted(second),
    );
    Fault::at(path, &*device.name, problem)
        .expected("driver, pool and device together once in the cluster")
        .mend("name each node's pool after the node")
}
