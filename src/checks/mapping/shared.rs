//! DG108: a mapped capacity needs a device that several claims may use.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::MappingView;
use super::super::{Context, SLICE};
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG108",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "capacityKey on a device without allowMultipleAllocations: true",
        detail: "The allocator records consumed capacity only for devices that allow several allocations. Without it the \
                 scheduler finds no amount and gives up: no pod can ever use the device. Source: kubernetes \
                 dynamic-resource-allocation structured/internal/incubating.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let body = view.on.body();
    let Some(key) = view.mapping.capacity_key else { return };
    if body.multiple == Some(true) {
        return;
    }
    let seen = body.multiple.map_or("absent", |_| "false");
    let path = view.mapping.key_path(view.on.path());
    let device = view.mapping.shape.device.last().copied().unwrap_or_default();
    faults.push(
        Fault::at(
            path,
            key,
            format!("allowMultipleAllocations is {seen}: no consumed capacity is recorded, so no pod can ever use it"),
        )
        .expected("allowMultipleAllocations: true on the device")
        .mend(format!("set it, or map the device as a whole with {device} and without capacityKey")),
    );
}
