//! DG122: the shape of another release than the server's.

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::view::DeviceView;
use super::super::{Context, SLICE};
use crate::model::decode::Field;
use crate::model::mapping::Mapping;
use crate::model::shape::{SLICE_SHAPES, SliceShape};
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG122",
        kinds: SLICE,
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "the mapping is written for another Kubernetes version than the target's",
        detail: "v1.36 serves nodeAllocatableResourceMappings, v1.37 from its release candidate nodeAllocatableResources. Each \
                 drops the other's field in silence, and the device then takes nothing. In review the target is \
                 --kube-version; without it each served shape is accepted.",
    },
    checks: &[Check::Device(check)],
};

fn check(view: &DeviceView<'_>, context: &Context<'_>, faults: &mut Faults) {
    let Some(target) = context.target else { return };
    let body = view.body();
    let fields = [&body.mappings_v136, &body.mappings_v137];
    for (shape, field) in SLICE_SHAPES.iter().zip(fields) {
        if shape.name != target && !matches!(field, Field::Absent | Field::Null) {
            faults.push(foreign(view, shape, target));
        }
    }
}

fn foreign(view: &DeviceView<'_>, shape: &'static SliceShape, target: &str) -> Fault {
    let served = SLICE_SHAPES.iter().find(|served| served.name == target);
    let remedy = served.map_or_else(
        || "write the field that the server serves".to_owned(),
        |served| {
            let mapping = view.device.mappings().find(|mapping| mapping.shape == shape);
            mapping.map_or_else(|| format!("write {}", served.field), |mapping| rewritten(&mapping, served))
        },
    );
    let expected = served.map_or("the target's field", |served| served.field);
    let problem = format!("{} is {}'s field: a {target} server drops it in silence", shape.field, shape.name);
    Fault::at(view.path().field(shape.field), shape.field, problem).expected(expected).mend(remedy)
}

/// The same mapping as the served shape writes it.
fn rewritten(mapping: &Mapping<'_>, served: &SliceShape) -> String {
    let amount = |amount: &Option<crate::model::decode::Amount<'_>>| {
        amount.as_ref().map_or_else(|| "1".to_owned(), |amount| amount.text.to_string())
    };
    let body = match (mapping.capacity_key, served.overhead) {
        (Some(key), None) => {
            format!("{{capacityKey: {key}, allocationMultiplier: \"{}\"}}", amount(&mapping.multiplier))
        }
        (None, None) if mapping.device.is_none() => {
            return format!("{} cannot express overhead: remove it", served.name);
        }
        (None, None) => format!("{{allocationMultiplier: \"{}\"}}", amount(&mapping.device)),
        (Some(key), Some(_)) => {
            format!("{{mapping: {{capacityKey: {key}, capacityMultiplier: \"{}\"}}}}", amount(&mapping.multiplier))
        }
        (None, Some(_)) => format!("{{mapping: {{deviceMultiplier: \"{}\"}}}}", amount(&mapping.device)),
    };
    format!("write {}: {{{}: {body}}}", served.field, mapping.resource)
}
