//! DG503: mappings for a node whose kubelet does not know them.

use std::collections::BTreeSet;

use super::super::Context;
use super::super::allocation::view::AllocationView;
use super::super::fault::{Fault, Faults};
use super::super::row::{Check, Row};
use crate::ledger::features::FEATURE;
use crate::ledger::view::{Ref, Scene};
use crate::model::path::Path;
use crate::model::slice::{Device, Slice, SliceSpec};
use crate::model::text::quoted;
use crate::verdict::rule::{Effect, Phase, Rule};

/// The row.
pub static ROW: Row = Row {
    rule: Rule {
        id: "DG503",
        kinds: &["ResourceClaim", "ResourceSlice"],
        phase: Phase::Validate,
        effect: Effect::Deny,
        fixed: false,
        title: "a mapped device on a node that does not declare DRANodeAllocatableResources",
        detail: "The kubelet of such a node does not enforce what its pods are charged, and the scheduler does not look at \
                 status.declaredFeatures. A v1.37 server refuses new slices for it by itself; slices from before stay: writing them \
                 is warned about, allocating their mapped devices is refused. Speaks only on v1.37, where the cluster has declared \
                 features, and while draguard's view is fresh; the node is read again from the API server before a refusal.",
    },
    checks: &[Check::Slice(published), Check::Allocation(allocated)],
};

fn allocated(view: &AllocationView<'_>, faults: &mut Faults) {
    if !view.is_new() || !view.scene.is_fresh() {
        return;
    }
    for (node, result) in view.mapped_nodes().into_iter().filter(|(node, _)| view.scene.ledger.cannot_map(node)) {
        let device = &result.given.key;
        let problem = format!(
            "device {} takes from node {}, whose status.declaredFeatures does not have {FEATURE}",
            quoted(&device.to_string()),
            quoted(&node),
        );
        let fault = Fault::at(result.path().field("device"), &*device.device, problem);
        faults.push(mended(fault).rests_on([Ref::Node(node)]));
    }
}

fn published(slice: &Slice<'_>, context: &Context<'_>, faults: &mut Faults) {
    let (Some(scene), Some(spec)) = (context.scene.filter(Scene::is_fresh), &slice.spec) else { return };
    let nodes: BTreeSet<&str> = spec.devices.iter().filter_map(|device| node(spec, device)).collect();
    for node in nodes.into_iter().filter(|node| scene.ledger.cannot_map(node)) {
        let problem = format!(
            "the slice maps resources of node {}, whose status.declaredFeatures does not have {FEATURE}",
            quoted(node),
        );
        faults.push(mended(Fault::at(Path::fields(&["spec", "devices"]), node, problem)).warn());
    }
}

/// The node that a mapped device is on.
fn node<'s>(spec: &'s SliceSpec<'s>, device: &'s Device<'s>) -> Option<&'s str> {
    let own = device.body().node_name.as_deref();
    own.or(spec.node_name.as_deref()).filter(|_| device.is_mapped())
}

fn mended(fault: Fault) -> Fault {
    fault.expected("a node whose kubelet has the feature").mend(
        "update the kubelet or switch its feature gate DRANodeAllocatableResources on, or publish no mapping there",
    )
}
