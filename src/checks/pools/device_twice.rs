//! DG204: one device in two slices of a pool.

use std::collections::BTreeSet;

use super::super::SLICE;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::inventory::{Inventory, SliceFacts};
use crate::model::path::Path;
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG204",
        kinds: SLICE,
        phase: Phase::Together,
        effect: Effect::Warn,
        fixed: false,
        title: "one device name stands twice in a pool generation",
        detail: "Kubernetes checks names inside one slice only; the allocator then takes the whole pool for invalid. Source: \
                 kubernetes dynamic-resource-allocation structured/internal/incubating/pools_incubating.go.",
    },
    checks: &[Check::Pools(check)],
};

fn check(slice: &SliceFacts, inventory: &Inventory, faults: &mut Faults) {
    let mut own = BTreeSet::new();
    for (index, device) in slice.devices.iter().enumerate() {
        if !own.insert(&device.name) {
            faults.push(twice(index, &device.name, "this slice"));
        }
    }
    for (index, device) in slice.devices.iter().enumerate() {
        let mut twins = inventory.twins(slice, device);
        let twin = twins.find(|(other, _)| is_earlier_beside(other, slice));
        if let Some((other, _)) = twin {
            faults.push(twice(index, &device.name, &format!("slice {}", quoted(&other.name))));
        }
    }
}

fn is_earlier_beside(other: &SliceFacts, slice: &SliceFacts) -> bool {
    other.origin < slice.origin && other.generation == slice.generation && other.node == slice.node
}

fn twice(index: usize, name: &str, place: &str) -> Fault {
    let path = Path::fields(&["spec", "devices"]).named(index, name).field("name");
    Fault::at(path, name, format!("device {} of the same pool generation stands in {place} too", quoted(name)))
        .expected("each device once in a pool generation")
        .mend("rename one of them, or publish the device in one slice only")
}
