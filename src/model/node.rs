//! `Node`, as far as its allocatable resources are concerned.

use super::decode::{Amount, Entries, object};
use super::meta::Meta;

object! {
    /// A `Node`.
    Node {
        /// Name and labels.
        meta: Option<Meta<'a>> = "metadata",
        /// What it offers.
        status: Option<NodeStatus<'a>> = "status",
    }
    known: ["apiVersion", "kind", "spec"]
}

object! {
    /// `status` of a node.
    NodeStatus {
        /// What pods can take, by resource.
        allocatable: Entries<'a, Amount<'a>> = "allocatable",
    }
    known: []
}
