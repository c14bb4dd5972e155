//! DG501: mappings outside the canary.

use std::collections::BTreeMap;

use json_patch::PatchOperation;

use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use super::super::{Context, SLICE};
use crate::ledger::view::{Ref, Scene};
use crate::model::path::Path;
use crate::model::shape::SLICE_SHAPES;
use crate::model::slice::{Device, Slice, SliceSpec};
use crate::model::text::quoted;
use crate::settings::Outside;
use crate::verdict::patch;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG501",
        kinds: SLICE,
        phase: Phase::Mutate,
        effect: Effect::Mutate,
        fixed: false,
        title: "a mapping is published outside the canary",
        detail: "Outside the nodes that spec.canary.nodeSelector of the rollout selects, a slice keeps its devices and loses its \
                 mappings (outside: Strip): the feature is off there. The publishing library reports dropped fields once and \
                 goes on; seen on v1.36.3 with the real library and kubelet. outside: Deny and outside: Warn are the \
                 alternatives. Speaks only where the node and its labels are known.",
    },
    checks: &[Check::Slice(check)],
};

fn check(slice: &Slice<'_>, context: &Context<'_>, faults: &mut Faults) {
    let (Some(canary), Some(spec)) = (&context.settings.canary, &slice.spec) else { return };
    let Some(node) = spec.node_name.as_deref() else { return };
    let Some(labels) = labels(node, context) else { return };
    if canary.holds(labels) || !spec.devices.iter().any(Device::is_mapped) {
        return;
    }
    let fault = Fault::at(
        Path::fields(&["spec", "devices"]),
        mapped_devices(spec),
        format!("node {} is outside the canary, and the slice maps node resources", quoted(node)),
    )
    .expected("devices without mappings there")
    .mend("label the node into the canary, or publish without mappings on it")
    .rests_on([Ref::Node(node.into())]);
    faults.push(match canary.outside {
        Outside::Strip => fault.patch(strip(spec)),
        Outside::Deny => fault.effect(Effect::Deny),
        Outside::Warn => fault.warn(),
    });
}

/// The node's labels. A mapping that is taken away is not published again soon: what may be out of date does not count.
fn labels<'c>(node: &str, context: &Context<'c>) -> Option<&'c BTreeMap<String, String>> {
    match (context.inventory, context.scene) {
        (Some(inventory), _) => inventory.node(node).map(|node| &node.labels),
        (None, scene) => scene.filter(Scene::is_fresh)?.ledger.node(node).map(|node| &node.labels),
    }
}

/// The devices concerned: a write that adds one says something new.
fn mapped_devices(spec: &SliceSpec<'_>) -> String {
    let names: Vec<&str> = spec.devices.iter().filter(|device| device.is_mapped()).map(Device::shown_name).collect();
    names.join(", ")
}

/// The operations that remove every mapping.
fn strip(spec: &SliceSpec<'_>) -> Vec<PatchOperation> {
    let mapped = spec.devices.iter().enumerate().flat_map(|(index, device)| {
        let body = device.body();
        let fields = [&body.mappings_v136, &body.mappings_v137];
        let written = SLICE_SHAPES.iter().zip(fields).filter(|(_, field)| field.is_written());
        written.map(move |(shape, _)| patch::remove(&device.path(index).field(shape.field)))
    });
    mapped.collect()
}
