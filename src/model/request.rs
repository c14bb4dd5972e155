//! One admission request, its objects still raw.

use std::collections::BTreeMap;

/// What the writer wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A new object.
    Create,
    /// A change of a stored object, or of one of its subresources.
    Update,
    /// A removal: never refused.
    Delete,
    /// An `exec` or a proxy call: never ours.
    Connect,
}

/// What draguard knows how to judge, by resource and subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// `resourceslices`.
    Slice,
    /// `resourceclaims`.
    Claim,
    /// `resourceclaims/status`.
    ClaimStatus,
    /// `resourceclaimtemplates`.
    Template,
    /// `pods`.
    Pod,
    /// `pods/status`.
    PodStatus,
    /// `pods/binding`, and `bindings`, which runs the same code.
    Binding,
    /// `nodeallocatablerollouts.draguard.dev`.
    Rollout,
    /// Anything else: allowed without a look at the object.
    Other,
}

impl Resource {
    /// The resource that an API group, a plural name and a subresource stand for.
    #[must_use]
    pub fn of(group: &str, resource: &str, subresource: &str) -> Self {
        match (group, resource, subresource) {
            ("resource.k8s.io", "resourceslices", "") => Self::Slice,
            ("resource.k8s.io", "resourceclaims", "") => Self::Claim,
            ("resource.k8s.io", "resourceclaims", "status") => Self::ClaimStatus,
            ("resource.k8s.io", "resourceclaimtemplates", "") => Self::Template,
            ("", "pods", "") => Self::Pod,
            ("", "pods", "status") => Self::PodStatus,
            ("", "pods", "binding") | ("", "bindings", "") => Self::Binding,
            ("draguard.dev", "nodeallocatablerollouts", "") => Self::Rollout,
            _ => Self::Other,
        }
    }

    /// The word used as a metric label and in the decision log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slice => "resourceslices",
            Self::Claim => "resourceclaims",
            Self::ClaimStatus => "resourceclaims/status",
            Self::Template => "resourceclaimtemplates",
            Self::Pod => "pods",
            Self::PodStatus => "pods/status",
            Self::Binding => "pods/binding",
            Self::Rollout => "nodeallocatablerollouts",
            Self::Other => "other",
        }
    }
}

/// Who writes, as the API server authenticated it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// `system:serviceaccount:NAMESPACE:NAME`, `system:node:NAME`, or any other user name.
    pub username: String,
    /// The user's id, where it has one.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// Extra facts of the authenticator, such as the node of a bound token.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// One admission request. The objects are JSON text that is known to be well formed, and nothing more.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// To be given back in the answer.
    pub uid: String,
    /// What the writer wants to do.
    pub operation: Operation,
    /// What it writes.
    pub resource: Resource,
    /// The object's name; empty on generated names and on `deletecollection`.
    pub name: String,
    /// The object's namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Who writes.
    pub caller: Caller,
    /// True when nothing will be stored.
    pub dry_run: bool,
    /// The object as it would be stored; `None` on a delete.
    pub object: Option<&'a str>,
    /// The stored object; `None` on a create.
    pub old_object: Option<&'a str>,
}
