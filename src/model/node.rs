//! `Node`, as far as its allocatable resources are concerned.

use super::decode::{Amount, Entries, Field, Items, Text, object};
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
        /// Among them `Ready`.
        conditions: Items<Condition<'a>> = "conditions",
        /// The features the kubelet declares, from v1.37.
        declared: Field<Items<Text<'a>>> = "declaredFeatures",
    }
    known: []
}

object! {
    /// One condition.
    Condition {
        /// What it is about.
        kind: Option<Text<'a>> = "type",
        /// `True`, `False` or `Unknown`.
        status: Option<Text<'a>> = "status",
    }
    known: []
}

impl Node<'_> {
    /// False when the node's `Ready` condition is there and not `True`: a node from a file may have none.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let conditions = self.status.as_ref().map(|status| &*status.conditions).unwrap_or_default();
        let ready = conditions.iter().find(|condition| condition.kind.as_deref() == Some("Ready"));
        ready.is_none_or(|ready| ready.status.as_deref() == Some("True"))
    }
}
