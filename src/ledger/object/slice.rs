//! What the ledger keeps of a `ResourceSlice`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Key, Name, Selected, Stamp};
use crate::model::quantity::Quantity;

/// Driver and pool name together name a pool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PoolKey {
    /// Who publishes it.
    pub driver: Name,
    /// Its name among the driver's.
    pub pool: Name,
}

impl std::fmt::Display for PoolKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.driver, self.pool)
    }
}

/// A device, whatever slice it is published in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DeviceKey {
    /// The pool.
    #[serde(flatten)]
    pub pool: PoolKey,
    /// Its name in the pool.
    pub device: Name,
}

impl std::fmt::Display for DeviceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.pool, self.device)
    }
}

/// The nodes from which a device can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// One node.
    Node(Name),
    /// Any that a selector names, or all: each pod is charged on its own.
    #[default]
    Many,
}

/// How well a place suits the nodes that an allocation selects, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is another node.
    Elsewhere,
    /// Nothing speaks against it.
    Open,
    /// It is the node selected.
    Selected,
}

impl Place {
    /// How well it suits the nodes that an allocation selects.
    #[must_use]
    pub fn fits(&self, selected: &Selected) -> Fit {
        match (self, selected) {
            (Self::Node(node), Selected::Node(wanted)) if node == wanted => Fit::Selected,
            (Self::Node(_), Selected::Node(_)) => Fit::Elsewhere,
            _ => Fit::Open,
        }
    }
}

/// A `ResourceSlice`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// Its name.
    pub key: Key,
    /// Its life and version.
    pub stamp: Stamp,
    /// The pool it is part of.
    pub pool: PoolKey,
    /// The pool's generation, when it is a whole number.
    pub generation: Option<i64>,
    /// How many slices the pool is said to have.
    pub count: Option<i64>,
    /// Where its devices are.
    pub place: Place,
    /// The ids of the rules that refuse what it maps: it was stored before, or past, the webhook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Name>,
    /// The devices, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Device>,
    /// Sets of counters, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<(Name, Counters)>,
}

/// Counters of one set, by name.
pub type Counters = Vec<(Name, Quantity)>;

/// One device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its name in the pool.
    pub name: Name,
    /// All else: most devices of a slice differ in their names alone, so they hold it together.
    #[serde(flatten)]
    pub traits: Arc<Traits>,
}

impl std::ops::Deref for Device {
    type Target = Traits;

    fn deref(&self) -> &Traits {
        &self.traits
    }
}

/// What a device is, apart from its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Traits {
    /// Where it is, when that differs from device to device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its NUMA zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<i64>,
    /// True when several claims may have it at a time.
    #[serde(default)]
    pub is_shared: bool,
    /// What it takes of a node.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub mapped: Arc<[Mapped]>,
    /// Its capacities: the full amount of each.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub capacity: Arc<[(Name, Quantity)]>,
    /// What it takes of counters that other devices take from too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumes: Vec<Consumes>,
    /// Its attributes by qualified name, each as text that differs in type or value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(Name, Vec<Name>)>,
}

/// True when there is nothing to write down.
pub(crate) fn is_empty<T>(list: &Arc<[T]>) -> bool {
    list.is_empty()
}

/// What a device takes of one set of counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consumes {
    /// The set.
    pub set: Name,
    /// How much of each counter.
    pub counters: Counters,
}

/// One resource of the node that a device takes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mapped {
    /// The resource, such as `cpu`.
    pub resource: Name,
    /// The release whose shape it was written in.
    pub schema: Name,
    /// What each allocation result takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// What each pod takes on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_pod: Option<Quantity>,
    /// What each container that refers to the claim takes on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_container: Option<Quantity>,
}

/// What one allocation result takes of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rate {
    /// A fixed amount.
    Device(Quantity),
    /// The consumed amount of a capacity, times a factor.
    Capacity {
        /// The capacity, as spelled in the device.
        key: Name,
        /// The factor.
        factor: Quantity,
    },
}
