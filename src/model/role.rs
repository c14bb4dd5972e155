//! Roles and what binds them, read as RBAC reads them.

use serde::de::IgnoredAny;

use super::access;
use super::decode::{Items, Text, object};
use super::meta::Meta;

/// The group of all that belongs to DRA.
pub const DRA: &str = "resource.k8s.io";

object! {
    /// A `Role` or `ClusterRole`.
    Role {
        /// Name, namespace and labels.
        meta: Option<Meta<'a>> = "metadata",
        /// `ClusterRole`, or `Role`.
        kind: Option<Text<'a>> = "kind",
        /// What it grants.
        rules: Items<Grant<'a>> = "rules",
        /// There where a controller fills in the rules from other roles.
        aggregation: Option<IgnoredAny> = "aggregationRule",
    }
    known: ["apiVersion"]
}

object! {
    /// One rule of a role.
    Grant {
        /// API groups.
        groups: Items<Text<'a>> = "apiGroups",
        /// Resources, or resource and subresource.
        resources: Items<Text<'a>> = "resources",
        /// Names; all when empty.
        names: Items<Text<'a>> = "resourceNames",
        /// Verbs.
        verbs: Items<Text<'a>> = "verbs",
    }
    known: ["nonResourceURLs"]
}

object! {
    /// A `RoleBinding` or `ClusterRoleBinding`.
    RoleBinding {
        /// Name and namespace.
        meta: Option<Meta<'a>> = "metadata",
        /// `ClusterRoleBinding`, or `RoleBinding`.
        kind: Option<Text<'a>> = "kind",
        /// The role.
        role: Option<RoleRef<'a>> = "roleRef",
    }
    known: ["apiVersion", "subjects"]
}

object! {
    /// The role that a binding grants.
    RoleRef {
        /// `ClusterRole`, or `Role`.
        kind: Option<Text<'a>> = "kind",
        /// Its name.
        name: Option<Text<'a>> = "name",
    }
    known: ["apiGroup"]
}

/// A part of a claim's status that has a right of its own (`kubernetes@1.36.3 pkg/registry/resource/utils.go`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The status as a whole: without it nothing of it is written.
    Status,
    /// Allocation and reservations.
    Binding,
    /// What a driver says of its devices.
    Driver,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::Status, Self::Binding, Self::Driver];

    /// As a role names it.
    #[must_use]
    pub const fn resource(self) -> &'static str {
        match self {
            Self::Status => "resourceclaims/status",
            Self::Binding => "resourceclaims/binding",
            Self::Driver => "resourceclaims/driver",
        }
    }

    /// The same of any resource.
    const fn of_any(self) -> &'static str {
        match self {
            Self::Status => "*/status",
            Self::Binding => "*/binding",
            Self::Driver => "*/driver",
        }
    }

    /// The verbs that an API server asks about.
    #[must_use]
    pub const fn verbs(self) -> &'static [&'static str] {
        match self {
            Self::Status | Self::Binding => access::PLAIN,
            Self::Driver => access::ITS_NODE,
        }
    }
}

impl Role<'_> {
    /// True for a role of the whole cluster.
    #[must_use]
    pub fn is_cluster(&self) -> bool {
        self.kind.as_deref() == Some("ClusterRole")
    }

    /// True for a role that its cluster brings along, or puts together from others.
    #[must_use]
    pub fn is_given(&self) -> bool {
        const USERS: [&str; 4] = ["cluster-admin", "admin", "edit", "view"];
        let Some(meta) = &self.meta else { return self.aggregation.is_some() };
        let label = meta.labels.value("kubernetes.io/bootstrapping").map(|label| &**label);
        let name = meta.shown_name();
        let is_named = name.starts_with("system:") || USERS.contains(&name);
        self.aggregation.is_some() || (label == Some("rbac-defaults") && is_named)
    }
}

impl Grant<'_> {
    /// True when the rule is about DRA, by name or by wildcard.
    #[must_use]
    pub fn is_dra(&self) -> bool {
        self.groups.iter().any(|group| matches!(&**group, DRA | "*"))
    }

    /// The entry that names exactly this part.
    #[must_use]
    pub fn names(&self, part: Part) -> Option<usize> {
        self.resources.iter().position(|resource| **resource == *part.resource())
    }

    /// The entry that takes in this part by wildcard. `resourceclaims/*` does not: RBAC has no such form.
    #[must_use]
    pub fn sweeps(&self, part: Part) -> Option<usize> {
        self.resources.iter().position(|resource| **resource == *"*" || **resource == *part.of_any())
    }

    /// The first verb that is of use for this part.
    #[must_use]
    pub fn verb(&self, part: Part) -> Option<usize> {
        self.verbs.iter().position(|verb| **verb == *"*" || part.verbs().contains(&&**verb))
    }

    /// True when the rule is of use for this part, of whatever name.
    #[must_use]
    pub fn grants(&self, part: Part) -> bool {
        let is_covered = self.names(part).is_some() || self.sweeps(part).is_some();
        self.is_dra() && is_covered && self.verb(part).is_some()
    }
}
