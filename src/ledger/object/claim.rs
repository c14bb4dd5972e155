//! What the ledger keeps of a `ResourceClaim`.

use serde::{Deserialize, Serialize};

use super::{DeviceKey, Key, Name, Stamp};
use crate::model::quantity::Quantity;

/// A `ResourceClaim`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Its name.
    pub key: Key,
    /// Its life and version.
    pub stamp: Stamp,
    /// True once it is to be deleted: that alone releases nothing.
    #[serde(default)]
    pub is_leaving: bool,
    /// The devices given; `None` while nothing is allocated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<Given>>,
    /// The nodes on which the allocation can be used.
    #[serde(default)]
    pub selected: Selected,
    /// Who may use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reserved: Vec<Consumer>,
    /// What the devices must have in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
}

/// The node selector of an allocation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Selected {
    /// None: any node.
    #[default]
    Any,
    /// Exactly this node, by name: what the allocator writes for devices of one node.
    Node(Name),
    /// Some other selector.
    Selector,
}

/// One allocation result: a device, or a share of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Given {
    /// The request it answers: `name`, or `name/subrequest`.
    pub request: Name,
    /// The device.
    #[serde(flatten)]
    pub key: DeviceKey,
    /// Which share of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Name>,
    /// True when it is used beside its owner, for administration.
    #[serde(default)]
    pub is_admin: bool,
    /// What it takes of each capacity; `None` when the map is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<Vec<(Name, Quantity)>>,
}

/// One entry of `reservedFor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Consumer {
    /// True for a pod; anything else, such as a pod group, uses the claim on behalf of its pods.
    pub is_pod: bool,
    /// The consumer's name.
    pub name: Name,
    /// The consumer's uid.
    pub uid: Name,
}

/// A `matchAttribute` constraint of the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// The requests whose devices must agree; all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Name>,
    /// The attribute, by its qualified name.
    pub attribute: Name,
}
