//! A row of the rule table: the rule, and the functions that check it.

use super::Context;
use super::allocation::view::AllocationView;
use super::fault::Faults;
use super::pod::placement::Placement;
use super::view::{DeviceView, MappingView};
use super::writer::claim::write::ClaimWrite;
use crate::ledger::inventory::{ClaimFacts, Inventory, PodFacts, SliceFacts};
use crate::model::claim::{Claim, ClaimSpec};
use crate::model::path::Path;
use crate::model::pod::Pod;
use crate::model::request::Caller;
use crate::model::slice::Slice;
use crate::verdict::rule::Rule;

/// A function that checks a rule, by what it looks at.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// A slice as a whole.
    Slice(fn(&Slice<'_>, &Context<'_>, &mut Faults)),
    /// Each device of a slice.
    Device(fn(&DeviceView<'_>, &Context<'_>, &mut Faults)),
    /// Each mapping of each device.
    Mapping(fn(&MappingView<'_>, &Context<'_>, &mut Faults)),
    /// The spec of a claim, or of a template's claims, and where it stands.
    ClaimSpec(fn(&ClaimSpec<'_>, &Path, &mut Faults)),
    /// The status of a claim.
    ClaimStatus(fn(&Claim<'_>, &mut Faults)),
    /// A pod as it is written.
    Pod(fn(&Pod<'_>, &mut Faults)),
    /// The status of a pod.
    PodStatus(fn(&Pod<'_>, &mut Faults)),
    /// Who writes a slice.
    SliceWriter(fn(&Caller, &Slice<'_>, &Context<'_>, &mut Faults)),
    /// Who changes a pod's status, and what it was before.
    PodWriter(fn(&Caller, &PodChange<'_>, &Context<'_>, &mut Faults)),
    /// Who changes a claim's status, and what of it.
    ClaimWriter(fn(&ClaimWrite<'_>, &mut Faults)),
    /// A slice among the others.
    Pools(fn(&SliceFacts, &Inventory, &mut Faults)),
    /// A claim among the others.
    Claims(fn(&ClaimFacts, &Inventory, &mut Faults)),
    /// A pod among claims and slices.
    Pods(fn(&PodFacts, &Inventory, &mut Faults)),
    /// What a write gives to a claim, beside the ledger.
    Allocation(fn(&AllocationView<'_>, &mut Faults)),
    /// A pod that is created for a node, beside the ledger.
    Placement(fn(&Placement<'_>, &mut Faults)),
    /// A pod that is bound to a node, beside the ledger.
    Binding(fn(&Placement<'_>, &mut Faults)),
}

/// A pod before and after a write.
#[derive(Debug, Clone, Copy)]
pub struct PodChange<'p> {
    /// As it would be stored.
    pub new: &'p Pod<'p>,
    /// As it is stored.
    pub old: &'p Pod<'p>,
    /// The stored object's text.
    pub old_text: &'p str,
}

/// One row. Everything the program knows of a rule is in it.
#[derive(Debug)]
pub struct Row {
    /// Identity and documentation.
    pub rule: Rule,
    /// The functions; none where another part of the program finds it.
    pub checks: &'static [Check],
}
