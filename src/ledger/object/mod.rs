//! What the ledger keeps of each object: owned, version-neutral, and no more than it needs.

mod claim;
mod node;
mod pod;
mod read;
pub(crate) mod slice;
mod stamp;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use claim::{Claim, Constraint, Consumer, Given, Selected};
pub use node::Node;
pub use pod::{Pod, PodClaim};
pub use slice::{Consumes, Counters, Device, DeviceKey, Fit, Mapped, Place, PoolKey, Rate, Slice, Traits};
pub use stamp::Stamp;

/// A name, shared by everything that speaks of the same thing.
pub type Name = Arc<str>;

/// The kinds of objects that the ledger is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// `Node`.
    Node,
    /// `ResourceSlice`.
    Slice,
    /// `ResourceClaim`.
    Claim,
    /// `Pod`.
    Pod,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Node, Self::Slice, Self::Claim, Self::Pod];

    /// The resource's plural name, as in URLs and metric labels.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Node => "nodes",
            Self::Slice => "resourceslices",
            Self::Claim => "resourceclaims",
            Self::Pod => "pods",
        }
    }
}

/// What names an object among those of its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The namespace; empty for kinds of the whole cluster.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub namespace: Name,
    /// The name.
    pub name: Name,
}

impl Key {
    /// The key of an object in a namespace.
    #[must_use]
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of an object of the whole cluster.
    #[must_use]
    pub fn cluster(name: &str) -> Self {
        Self::new("", name)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &*self.namespace {
            "" => f.write_str(&self.name),
            namespace => write!(f, "{namespace}/{}", self.name),
        }
    }
}

fn is_blank(name: &Name) -> bool {
    name.is_empty()
}

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Object {
    /// A `Node`.
    Node(Node),
    /// A `ResourceSlice`.
    Slice(Slice),
    /// A `ResourceClaim`.
    Claim(Claim),
    /// A `Pod`.
    Pod(Pod),
}

impl Object {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Node(_) => Kind::Node,
            Self::Slice(_) => Kind::Slice,
            Self::Claim(_) => Kind::Claim,
            Self::Pod(_) => Kind::Pod,
        }
    }

    /// Its name among those of its kind.
    #[must_use]
    pub const fn key(&self) -> &Key {
        match self {
            Self::Node(node) => &node.key,
            Self::Slice(slice) => &slice.key,
            Self::Claim(claim) => &claim.key,
            Self::Pod(pod) => &pod.key,
        }
    }

    /// Which life, and which version of it.
    #[must_use]
    pub const fn stamp(&self) -> &Stamp {
        match self {
            Self::Node(node) => &node.stamp,
            Self::Slice(slice) => &slice.stamp,
            Self::Claim(claim) => &claim.stamp,
            Self::Pod(pod) => &pod.stamp,
        }
    }
}
