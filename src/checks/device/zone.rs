//! DG601: zones that are none.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::model::decode::Number;
use crate::model::numa::{Zone, zones};
use crate::model::slice::Attribute;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG601",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Warn,
        fixed: false,
        title: "a NUMA zone attribute is -1 or otherwise no zone",
        detail: "The kernel says -1 where it knows no zone. Published as it is, two such devices match each other under \
                 matchAttribute: a false alignment. The driver library refuses to publish it; draguard reads it as unknown. \
                 Source: dynamic-resource-allocation@0.37.2 deviceattribute/numa_linux.go.",
    },
    checks: &[Check::Device(check)],
};

fn check(view: &DeviceView<'_>, _: &Context<'_>, faults: &mut Faults) {
    for zone in zones(view.device).into_iter().filter(|zone| zone.zone.is_none() && *zone.attribute != Attribute::Unset)
    {
        let path = view.path().field("attributes").entry(zone.name);
        faults.push(
            Fault::at(
                path,
                shown(&zone),
                format!("{} is {}, which is no NUMA zone: it is read as unknown", zone.name, shown(&zone)),
            )
            .expected("an int, or a list of ints with the device's own zone first, from 0 to 1023")
            .mend("leave the attribute out where the zone is not known"),
        );
    }
}

fn shown(zone: &Zone<'_>) -> String {
    match zone.attribute.numbers().first() {
        Some(Number::Whole(number)) => number.to_string(),
        Some(Number::Other(text)) => text.clone(),
        None => "not an int".to_owned(),
    }
}
