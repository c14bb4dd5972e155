//! The rules, one file each, and the one table from which dispatch and documentation come.
//!
//! A check reads typed objects and says what is wrong as [`fault::Fault`]s; the table puts the rule's id on them. No
//! check knows the mode, or what becomes of what it says.

pub mod document;
mod fault;
mod findings;
mod row;
mod table;
mod view;

mod dispatch;
mod manifest;
mod request;
pub mod stored;

mod allocation;
mod claim;
mod device;
mod mapping;
mod pod;
mod pools;
mod rollout;
mod slice;
mod writer;

pub use manifest::{Inspected, ObjectRef, inspect};
pub use request::{Allocation, Judged, judge};

use self::findings::Findings;
use crate::ledger::inventory::Inventory;
use crate::ledger::view::Scene;
use crate::model::access::Rights;
use crate::settings::Settings;
use crate::verdict::finding::Finding;
use crate::verdict::rule::Rule;

const SLICE: &[&str] = &["ResourceSlice"];
const CLAIMS: &[&str] = &["ResourceClaim", "ResourceClaimTemplate"];
const POD: &[&str] = &["Pod"];
const BINDING: &[&str] = &["Binding"];

/// What the checks may ask beside the object itself.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What the operator decided.
    pub settings: &'a Settings,
    /// The name of the schema that the target server serves (`v1.36`, `v1.37`), where it is known.
    pub target: Option<&'a str>,
    /// The other objects, where they lie in files.
    pub inventory: Option<&'a Inventory>,
    /// The ledger of the cluster, where there is one.
    pub scene: Option<Scene<'a>>,
    /// Where it is known from who may write what.
    pub rights: Rights<'a>,
}

/// Every rule, sorted by id.
#[must_use]
pub fn rules() -> impl ExactSizeIterator<Item = &'static Rule> {
    table::TABLE.iter().map(|row| &row.rule)
}

/// The rule of this id.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// Judges the objects of an inventory by each other. The number is the origin given to [`Inventory::add`].
#[must_use]
pub fn together(inventory: &Inventory) -> Vec<(usize, Finding)> {
    let mut all = Vec::new();
    for slice in inventory.slices() {
        all.extend(of(slice.origin, |findings| dispatch::pools(slice, inventory, findings)));
    }
    for claim in inventory.claims() {
        all.extend(of(claim.origin, |findings| dispatch::claims(claim, inventory, findings)));
    }
    for pod in inventory.pods() {
        all.extend(of(pod.origin, |findings| dispatch::pods(pod, inventory, findings)));
    }
    all
}

fn of(origin: usize, judge: impl Fn(&mut Findings)) -> impl Iterator<Item = (usize, Finding)> {
    let mut findings = Findings::default();
    judge(&mut findings);
    findings.into_vec().into_iter().map(move |finding| (origin, finding))
}
