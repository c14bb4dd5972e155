//! What the ledger keeps of a `Node`.

use std::collections::BTreeMap;

use litemap::LiteMap;
use serde::{Deserialize, Serialize};

use super::{Key, Name, Stamp};
use crate::ledger::requests::written;
use crate::model::quantity::Quantity;

/// A `Node`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its name.
    pub key: Key,
    /// Its life and version.
    pub stamp: Stamp,
    /// False when its `Ready` condition is not `True`.
    pub is_ready: bool,
    /// What pods can take, by node-allocatable resource.
    #[serde(serialize_with = "written")]
    pub allocatable: LiteMap<Name, Quantity>,
    /// The features its kubelet declares; `None` where the cluster has no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Vec<Name>>,
    /// Labels, for the canary.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}
