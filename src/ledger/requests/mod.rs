//! What an ordinary pod asks of its node.

use serde::{Deserialize, Serialize};

/// What a pod asks for beside its claims.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodNeeds {}

impl From<&crate::model::pod::Pod<'_>> for PodNeeds {
    fn from(_: &crate::model::pod::Pod<'_>) -> Self {
        Self {}
    }
}
