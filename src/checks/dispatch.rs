//! The table's functions, sorted by what they look at.

use std::sync::LazyLock;

use super::Context;
use super::allocation::view::AllocationView;
use super::fault::Faults;
use super::findings::Findings;
use super::pod::placement::Placement;
use super::row::{Check, PodChange};
use super::table::TABLE;
use super::view::{DeviceView, MappingView};
use super::writer::claim::write::ClaimWrite;
use crate::ledger::inventory::{ClaimFacts, Inventory, PodFacts, SliceFacts};
use crate::model::claim::{Claim, ClaimSpec};
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::request::Caller;
use crate::model::slice::Slice;
use crate::verdict::rule::Rule;

type Rows<F> = Vec<(&'static Rule, F)>;

/// The functions of each kind, in the order of the table.
#[derive(Default)]
struct Dispatch {
    slice: Rows<fn(&Slice<'_>, &Context<'_>, &mut Faults)>,
    device: Rows<fn(&DeviceView<'_>, &Context<'_>, &mut Faults)>,
    mapping: Rows<fn(&MappingView<'_>, &Context<'_>, &mut Faults)>,
    claim_spec: Rows<fn(&ClaimSpec<'_>, &Path, &mut Faults)>,
    claim_status: Rows<fn(&Claim<'_>, &mut Faults)>,
    pod: Rows<fn(&Pod<'_>, &mut Faults)>,
    pod_status: Rows<fn(&Pod<'_>, &mut Faults)>,
    slice_writer: Rows<fn(&Caller, &Slice<'_>, &Context<'_>, &mut Faults)>,
    pod_writer: Rows<fn(&Caller, &PodChange<'_>, &Context<'_>, &mut Faults)>,
    claim_writer: Rows<fn(&ClaimWrite<'_>, &mut Faults)>,
    pools: Rows<fn(&SliceFacts, &Inventory, &mut Faults)>,
    claims: Rows<fn(&ClaimFacts, &Inventory, &mut Faults)>,
    pods: Rows<fn(&PodFacts, &Inventory, &mut Faults)>,
    allocation: Rows<fn(&AllocationView<'_>, &mut Faults)>,
    placement: Rows<fn(&Placement<'_>, &mut Faults)>,
    binding: Rows<fn(&Placement<'_>, &mut Faults)>,
}

static DISPATCH: LazyLock<Dispatch> = LazyLock::new(|| {
    let mut dispatch = Dispatch::default();
    for row in TABLE {
        for check in row.checks {
            dispatch.add(&row.rule, *check);
        }
    }
    dispatch
});

impl Dispatch {
    fn add(&mut self, rule: &'static Rule, check: Check) {
        match check {
            Check::Slice(run) => self.slice.push((rule, run)),
            Check::Device(run) => self.device.push((rule, run)),
            Check::Mapping(run) => self.mapping.push((rule, run)),
            Check::ClaimSpec(run) => self.claim_spec.push((rule, run)),
            Check::ClaimStatus(run) => self.claim_status.push((rule, run)),
            Check::Pod(run) => self.pod.push((rule, run)),
            Check::PodStatus(run) => self.pod_status.push((rule, run)),
            Check::SliceWriter(run) => self.slice_writer.push((rule, run)),
            Check::PodWriter(run) => self.pod_writer.push((rule, run)),
            Check::ClaimWriter(run) => self.claim_writer.push((rule, run)),
            Check::Pools(run) => self.pools.push((rule, run)),
            Check::Claims(run) => self.claims.push((rule, run)),
            Check::Pods(run) => self.pods.push((rule, run)),
            Check::Allocation(run) => self.allocation.push((rule, run)),
            Check::Placement(run) => self.placement.push((rule, run)),
            Check::Binding(run) => self.binding.push((rule, run)),
        }
    }
}

/// Runs every function of one kind and puts the rules' ids on what they find.
fn run<F: Copy>(rows: &Rows<F>, findings: &mut Findings, call: impl Fn(F, &mut Faults)) {
    let mut faults = Faults::default();
    for (rule, check) in rows {
        call(*check, &mut faults);
        findings.extend(faults.found.drain(..).map(|fault| fault.of(rule)));
    }
}

/// Everything that can be said of a slice alone.
pub fn slice(slice: &Slice<'_>, context: &Context<'_>, findings: &mut Findings) {
    run(&DISPATCH.slice, findings, |check, faults| check(slice, context, faults));
    let Some(spec) = &slice.spec else { return };
    for (index, device) in spec.devices.iter().enumerate() {
        let view = DeviceView { spec, device, index };
        run(&DISPATCH.device, findings, |check, faults| check(&view, context, faults));
        for mapping in device.mappings() {
            let reaches = mapping.reaches(device);
            let kind = crate::model::resource::Kind::of(mapping.resource);
            let view = MappingView { on: &view, mapping: &mapping, kind, reaches: &reaches };
            run(&DISPATCH.mapping, findings, |check, faults| check(&view, context, faults));
        }
    }
}

/// Everything that can be said of the spec of a claim, or of a template's claims.
pub fn claim_spec(spec: &ClaimSpec<'_>, at: &Path, findings: &mut Findings) {
    run(&DISPATCH.claim_spec, findings, |check, faults| check(spec, at, faults));
}

/// Everything that can be said of the status of a claim.
pub fn claim_status(claim: &Claim<'_>, findings: &mut Findings) {
    run(&DISPATCH.claim_status, findings, |check, faults| check(claim, faults));
}

/// Everything that can be said of a pod's spec.
pub fn pod(pod: &Pod<'_>, findings: &mut Findings) {
    run(&DISPATCH.pod, findings, |check, faults| check(pod, faults));
}

/// Everything that can be said of a pod's status.
pub fn pod_status(pod: &Pod<'_>, findings: &mut Findings) {
    run(&DISPATCH.pod_status, findings, |check, faults| check(pod, faults));
}

/// Whether this caller may write this slice.
pub fn slice_writer(caller: &Caller, slice: &Slice<'_>, context: &Context<'_>, findings: &mut Findings) {
    run(&DISPATCH.slice_writer, findings, |check, faults| check(caller, slice, context, faults));
}

/// Whether this caller may change this pod's status so.
pub fn pod_writer(caller: &Caller, change: &PodChange<'_>, context: &Context<'_>, findings: &mut Findings) {
    run(&DISPATCH.pod_writer, findings, |check, faults| check(caller, change, context, faults));
}

/// Whether this caller may change this claim's status so.
pub fn claim_writer(write: &ClaimWrite<'_>, findings: &mut Findings) {
    run(&DISPATCH.claim_writer, findings, |check, faults| check(write, faults));
}

/// What a slice looks like among the others.
pub fn pools(slice: &SliceFacts, inventory: &Inventory, findings: &mut Findings) {
    run(&DISPATCH.pools, findings, |check, faults| check(slice, inventory, faults));
}

/// What a claim looks like among the others.
pub fn claims(claim: &ClaimFacts, inventory: &Inventory, findings: &mut Findings) {
    run(&DISPATCH.claims, findings, |check, faults| check(claim, inventory, faults));
}

/// What a pod looks like among claims and slices.
pub fn pods(pod: &PodFacts, inventory: &Inventory, findings: &mut Findings) {
    run(&DISPATCH.pods, findings, |check, faults| check(pod, inventory, faults));
}

/// What is to be said of what a write gives to a claim.
pub fn allocation(view: &AllocationView<'_>, findings: &mut Findings) {
    run(&DISPATCH.allocation, findings, |check, faults| check(view, faults));
}

/// What is to be said of a pod that is created for a node.
pub fn placement(placement: &Placement<'_>, findings: &mut Findings) {
    run(&DISPATCH.placement, findings, |check, faults| check(placement, faults));
}

/// What is to be said of a pod that is bound to a node.
pub fn binding(placement: &Placement<'_>, findings: &mut Findings) {
    run(&DISPATCH.binding, findings, |check, faults| check(placement, faults));
}
