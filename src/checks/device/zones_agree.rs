//! DG602: zone attributes that disagree.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::model::numa::zones;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG602",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "a device's NUMA zone attributes disagree",
        detail: "Before v1.37 made resource.kubernetes.io/numaNode standard, drivers published the zone under names of their own \
                 and of each other. Where they disagree the standard one is used, then the others in a fixed order.",
    },
    checks: &[Check::Device(check)],
};

fn check(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    let mut known = zones(view.device).into_iter().filter_map(|zone| Some((zone.name, zone.zone?)));
    let Some((used, zone)) = known.next() else { return };
    for (name, other) in known.filter(|(_, other)| *other != zone) {
        let path = view.path().field("attributes").entry(name);
        faults.push(
            Fault::at(
                path,
                other.to_string(),
                format!("{name} says zone {other}, {used} says zone {zone}: {zone} is used"),
            )
            .expected(format!("zone {zone}"))
            .mend(format!("publish one zone; {used} is the one that is believed")),
        );
    }
}
