//! What the API server's authorizer is asked of a writer of a claim's status: rights on the synthetic subresources
//! (`kubernetes@1.36.3 pkg/registry/resource/utils.go`).

use std::collections::BTreeMap;

/// One question. Of several verbs any is enough: the review does not say whether the write is a PUT or a PATCH, and a
/// writer on the claim's node may use the right for that node or the one for all nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// May it write `allocation` and `reservedFor`? Asked for the whole cluster and without a name.
    Binding,
    /// May it write this driver's device entries?
    Driver {
        /// The driver.
        name: String,
        /// The claim's namespace.
        namespace: String,
        /// True when the writer is on the claim's node.
        is_associated: bool,
    },
}

/// What is known of a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The writer has it.
    Allowed,
    /// The writer has it not.
    Denied,
    /// Nobody could say.
    Unknown,
}

/// The answers so far.
pub type Answers = BTreeMap<Question, Answer>;

/// Where the answers come from.
#[derive(Debug, Clone, Copy)]
pub enum Rights<'a> {
    /// There is no cluster to ask: the settings alone say who may do what.
    Settings,
    /// Nothing was asked yet.
    Open,
    /// These were asked; what is missing is not known.
    Asked(&'a Answers),
}

/// The verbs for what is no driver's.
pub const PLAIN: &[&str] = &["update", "patch"];
/// The verbs for a driver's entries of a claim on any node.
pub const ANY_NODE: &[&str] = &["arbitrary-node:update", "arbitrary-node:patch"];
/// The verbs that are enough for a driver on the claim's node.
pub const ITS_NODE: &[&str] =
    &["associated-node:update", "associated-node:patch", "arbitrary-node:update", "arbitrary-node:patch"];

/// The subresource for `allocation` and `reservedFor`.
pub const BINDING: &str = "binding";
/// The subresource for device entries.
pub const DRIVER: &str = "driver";

impl Question {
    /// The verbs, any of which is enough, in the order in which they are asked.
    #[must_use]
    pub const fn verbs(&self) -> &'static [&'static str] {
        match self {
            Self::Binding => PLAIN,
            Self::Driver { is_associated: true, .. } => ITS_NODE,
            Self::Driver { is_associated: false, .. } => ANY_NODE,
        }
    }

    /// The subresource of `resourceclaims`.
    #[must_use]
    pub const fn subresource(&self) -> &'static str {
        match self {
            Self::Binding => BINDING,
            Self::Driver { .. } => DRIVER,
        }
    }

    /// The name of the object; empty for all.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Binding => "",
            Self::Driver { name, .. } => name,
        }
    }

    /// The namespace; empty for the whole cluster.
    #[must_use]
    pub fn namespace(&self) -> &str {
        match self {
            Self::Binding => "",
            Self::Driver { namespace, .. } => namespace,
        }
    }
}
