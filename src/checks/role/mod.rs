//! Roles: who may write which part of a claim's status.

pub mod arbitrary_node;
pub mod never_works;
mod nothing;
pub mod resources;
pub mod smallest;
pub mod wildcard;

use crate::model::path::Path;

/// The kinds that grant something.
const ROLES: &[&str] = &["ClusterRole", "Role"];

/// An item of one of the lists of a role's rule.
fn item(rule: usize, list: &'static str, index: usize) -> Path {
    Path::fields(&["rules"]).item(rule).field(list).item(index)
}
