//! What every object has.

use super::decode::{Entries, Items, MOST_OF_METADATA, Text, object};

object! {
    /// `metadata`, as far as rules read it.
    Meta {
        /// The name; absent while a generated one is not chosen yet.
        name: Option<Text<'a>> = "name",
        /// The prefix of a name the server chooses.
        generate_name: Option<Text<'a>> = "generateName",
        /// The namespace, of namespaced kinds.
        namespace: Option<Text<'a>> = "namespace",
        /// The object's own id, once stored.
        uid: Option<Text<'a>> = "uid",
        /// Set on everything that was ever stored.
        resource_version: Option<Text<'a>> = "resourceVersion",
        /// Set once the object is to be deleted.
        deletion: Option<Text<'a>> = "deletionTimestamp",
        /// Labels.
        labels: Entries<'a, Text<'a>, MOST_OF_METADATA> = "labels",
        /// The objects it belongs to.
        owners: Items<Owner<'a>, MOST_OF_METADATA> = "ownerReferences",
    }
    known: []
}

object! {
    /// One owner reference.
    Owner {
        /// Such as `v1`.
        api_version: Option<Text<'a>> = "apiVersion",
        /// Such as `Node`.
        kind: Option<Text<'a>> = "kind",
        /// The owner's name.
        name: Option<Text<'a>> = "name",
    }
    known: []
}

object! {
    /// The head of any object.
    Head {
        /// Such as `resource.k8s.io/v1`.
        api_version: Option<Text<'a>> = "apiVersion",
        /// Such as `ResourceSlice`.
        kind: Option<Text<'a>> = "kind",
        /// Name and namespace.
        metadata: Option<Meta<'a>> = "metadata",
    }
    known: []
}

impl Meta<'_> {
    /// The name, or the prefix of the generated one.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().or(self.generate_name.as_deref()).unwrap_or_default()
    }

    /// The node this object belongs to by ownership.
    #[must_use]
    pub fn owner_node(&self) -> Option<&str> {
        let node = self
            .owners
            .iter()
            .find(|owner| owner.kind.as_deref() == Some("Node") && owner.api_version.as_deref() == Some("v1"))?;
        node.name.as_deref()
    }
}
