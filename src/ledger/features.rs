//! Whether a node's kubelet knows what is charged to it.

use super::state::Ledger;
use crate::model::version::Version;

/// What a kubelet of v1.37 declares in `status.declaredFeatures` while its gate is on.
pub const FEATURE: &str = "DRANodeAllocatableResources";

impl Ledger {
    /// True when this node is known and does not declare the feature. v1.36 has no such declaration, and where no node
    /// declares anything the cluster may not have it either.
    #[must_use]
    pub fn cannot_map(&self, node: &str) -> bool {
        if self.version == Version::V136 {
            return false;
        }
        self.node(node).is_some_and(|node| match &node.declared {
            Some(features) => !features.iter().any(|feature| **feature == *FEATURE),
            None => self.has_declared,
        })
    }
}
