//! What the ledger keeps of a `Pod`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Key, Name, Stamp};
use crate::ledger::requests::PodNeeds;
use crate::model::quantity::Quantity;

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
    /// True once it has ended: it takes nothing of its node any more.
    #[serde(default)]
    pub is_over: bool,
    /// The claims it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<PodClaim>,
    /// What its status says that its claims take of the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<Listed>,
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

/// One entry of the list in a pod's status, in whatever shape it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// The claim's own name.
    pub claim: Name,
    /// How many containers it names.
    pub containers: u32,
    /// What the devices take, by resource; v1.36 has nothing else.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mapping: BTreeMap<Name, Quantity>,
    /// What the pod takes on top, once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per_pod: BTreeMap<Name, Quantity>,
    /// What each of the containers takes on top.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per_container: BTreeMap<Name, Quantity>,
}
