//! DG112: how many resources one device maps.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::verdict::rule::{Effect, Phase, Rule};

/// cpu, memory, storage and every page size a machine has are far fewer.
const MOST: usize = 16;

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG112",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "more than 16 mapped resources on a device",
        detail: "Kubernetes does not bound the number of keys, and hugepages-<size> makes any number of them. Each is counted \
                 for every allocation on every node.",
    },
    checks: &[Check::Device(check)],
};

fn check(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let body = view.body();
    for (field, map) in
        [("nodeAllocatableResourceMappings", &body.mappings_v136), ("nodeAllocatableResources", &body.mappings_v137)]
    {
        let count = map.get().map_or(0, |map| map.len());
        if count > MOST {
            let fault =
                Fault::at(view.path().field(field), count.to_string(), format!("the device maps {count} resources"));
            faults.push(fault.expected(format!("at most {MOST}")).mend("map only the resources that the device takes"));
        }
    }
}
