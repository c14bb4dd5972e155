//! The rules, one file each, and the one table from which dispatch and documentation come.

use crate::ledger::inventory::{Facts, Inventory};
use crate::model::request::Request;
use crate::settings::Settings;
use crate::verdict::finding::Finding;
use crate::verdict::rule::Rule;

/// What the checks may ask beside the object itself.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What the operator decided.
    pub settings: &'a Settings,
    /// The name of the schema that the target server serves (`v1.36`, `v1.37`), where it is known.
    pub target: Option<&'a str>,
    /// The other objects, where they are known.
    pub inventory: Option<&'a Inventory>,
}

/// The object a report speaks of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectRef {
    /// Such as `resource.k8s.io/v1`.
    pub api_version: String,
    /// Such as `ResourceSlice`.
    pub kind: String,
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// The name, or the generated name's prefix.
    pub name: String,
}

/// What one manifest came to.
#[derive(Debug)]
pub struct Inspected {
    /// Which object it is.
    pub object: ObjectRef,
    /// What the rules say of it alone.
    pub findings: Vec<Finding>,
    /// What it contributes to the rules that look at several objects; `None` for kinds that none of them reads.
    pub facts: Option<Facts>,
}

/// The table, sorted by id.
#[must_use]
pub fn rules() -> &'static [&'static Rule] {
    todo!("lead")
}

/// Judges one manifest, given as JSON, by every rule that needs nothing else.
#[must_use]
pub fn inspect(_json: &str, _context: &Context<'_>) -> Inspected {
    todo!("lead")
}

/// Judges the objects of an inventory by each other. The number is the origin given to [`Inventory::add`].
#[must_use]
pub fn together(_inventory: &Inventory, _context: &Context<'_>) -> Vec<(usize, Finding)> {
    todo!("lead")
}

/// Judges one admission request by the rules of the validating phase.
#[must_use]
pub fn validate(_request: &Request<'_>, _context: &Context<'_>) -> Vec<Finding> {
    todo!("lead")
}
