//! What the ledger keeps of a `Pod`.

use serde::{Deserialize, Serialize};

use super::{Key, Name, Stamp};
use crate::ledger::requests::{ChargedClaim, PodNeeds};

/// A `Pod`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    /// Its name.
    pub key: Key,
    /// Its life and version.
    pub stamp: Stamp,
    /// The node it is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Name>,
    /// The claims it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<PodClaim>,
    /// What its status says that its claims take of the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<ChargedClaim>,
    /// What it asks for beside its claims.
    pub needs: PodNeeds,
}

/// One claim that a pod uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodClaim {
    /// Its name in the pod.
    pub name: Name,
    /// The claim's own name; `None` while a claim of a template is not made yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Name>,
    /// How many times containers refer to it, each container once.
    pub containers: u32,
}

impl Pod {
    /// True when nothing but the version differs.
    #[must_use]
    pub fn takes_the_same(&self, other: &Self) -> bool {
        let Self { key, stamp, node, claims, listed, needs } = self;
        let same = (key, &stamp.uid, node, claims, listed, needs);
        same == (&other.key, &other.stamp.uid, &other.node, &other.claims, &other.listed, &other.needs)
    }

    /// True once it has ended: it takes nothing of its node any more.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.needs.is_terminal
    }
}
