//! DG113: mappings that say nothing, or two things at once.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::MappingView;
use super::super::{Context, SLICE};
use crate::model::decode::Field;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG113",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Quarantine,
        fixed: false,
        title: "a mapping or overhead is empty, has two multipliers, or a key without its multiplier",
        detail: "v1.36 fills in an absent allocationMultiplier as 1, so that an empty mapping silently means one core or one \
                 byte: a warning. v1.37 fills in nothing and takes deviceMultiplier, or capacityKey with capacityMultiplier, \
                 never both; overhead needs perPod or perContainer. Source: kubernetes@1.36.3 \
                 pkg/apis/resource/v1/defaults.go:58, kubernetes@1.37.2 pkg/apis/resource/validation/validation.go.",
    },
    checks: &[Check::Mapping(check)],
};

fn check(view: &MappingView<'_>, _: &Context<'_>, faults: &mut Faults) {
    if view.mapping.shape.default_multiplier.is_some() {
        check_defaulted(view, faults);
    } else {
        check_nested(view, faults);
    }
}

fn check_defaulted(view: &MappingView<'_>, faults: &mut Faults) {
    let raw = view.mapping.raw;
    if raw.capacity_key.is_some() || raw.allocation_multiplier.is_some() || !raw.unknown.is_empty() || is_foreign(view)
    {
        return;
    }
    let one = if view.mapping.resource == "cpu" { "one core" } else { "one byte" };
    faults.push(
        Fault::at(view.path(), "{}", format!("the mapping is empty: a v1.36 server takes it for {one}"))
            .expected("allocationMultiplier, capacityKey, or both")
            .mend("write the amount as allocationMultiplier, or remove the entry")
            .warn(),
    );
}

fn check_nested(view: &MappingView<'_>, faults: &mut Faults) {
    let raw = view.mapping.raw;
    let is_empty = matches!((&raw.mapping, &raw.overhead), (Field::Absent | Field::Null, Field::Absent | Field::Null));
    if is_empty && raw.unknown.is_empty() && !is_foreign(view) {
        let fault = Fault::at(view.path(), "{}", "neither mapping nor overhead is set");
        faults.push(
            fault.expected("mapping, overhead, or both").mend("write what the device takes, or remove the entry"),
        );
    }
    check_mapping(view, faults);
    if let Some(overhead) = raw.overhead.get()
        && overhead.per_pod.is_none()
        && overhead.per_container.is_none()
        && overhead.unknown.is_empty()
    {
        let fault = Fault::at(view.path().field("overhead"), "{}", "overhead is empty");
        faults.push(fault.expected("perPod, perContainer, or both").mend("write the amount, or remove overhead"));
    }
}

fn check_mapping(view: &MappingView<'_>, faults: &mut Faults) {
    let Some(inner) = view.mapping.raw.mapping.get() else { return };
    let path = || view.path().field("mapping");
    let expected = "deviceMultiplier, or capacityKey with capacityMultiplier";
    let (device, key, factor) =
        (inner.device_multiplier.as_ref(), inner.capacity_key.as_ref(), inner.capacity_multiplier.as_ref());
    let problem = match (device, key, factor) {
        (None, None, None) if inner.unknown.is_empty() => Some(("{}", "the mapping is empty")),
        (Some(amount), Some(_), _) | (Some(amount), _, Some(_)) => {
            Some((&*amount.text, "the mapping counts both the device and a capacity"))
        }
        (None, Some(key), None) => {
            Some((&**key, "capacityKey is set without capacityMultiplier, which v1.37 does not fill in"))
        }
        (None, None, Some(amount)) => Some((&*amount.text, "capacityMultiplier is set without capacityKey")),
        _ => None,
    };
    if let Some((value, problem)) = problem {
        faults.push(Fault::at(path(), value, problem).expected(expected).mend("keep one of the two forms, complete"));
    }
}

/// True when the entry has fields of another shape, which DG121 tells.
fn is_foreign(view: &MappingView<'_>) -> bool {
    let raw = view.mapping.raw;
    let flat = raw.capacity_key.is_some() || raw.allocation_multiplier.is_some();
    let nested = raw.mapping.is_written() || raw.overhead.is_written();
    if view.mapping.shape.default_multiplier.is_some() { nested } else { flat }
}
