//! `Binding`: which pod is bound to which node.

use super::decode::{Text, object};
use super::meta::Meta;

object! {
    /// A `Binding`.
    Binding {
        /// The pod's name, and its uid where the writer knows it.
        meta: Option<Meta<'a>> = "metadata",
        /// The node.
        target: Option<Target<'a>> = "target",
    }
    known: ["apiVersion", "kind"]
}

object! {
    /// What the pod is bound to.
    Target {
        /// `Node`, or nothing.
        kind: Option<Text<'a>> = "kind",
        /// Its name.
        name: Option<Text<'a>> = "name",
    }
    known: ["apiVersion", "namespace", "uid", "resourceVersion", "fieldPath"]
}

impl Binding<'_> {
    /// The node that the pod is bound to.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        let target = self.target.as_ref()?;
        let is_node = target.kind.as_deref().is_none_or(|kind| kind.is_empty() || kind == "Node");
        target.name.as_deref().filter(|name| is_node && !name.is_empty())
    }
}
