//! One entry of the ledger: what one claim takes of one resource of one node.

use litemap::LiteMap;

use super::object::{DeviceKey, Key, Name};
use crate::model::quantity::Quantity;

/// What a contribution is counted under, once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The claim.
    pub claim: Key,
    /// The device; `None` for what a pod's status says of the claim as a whole.
    pub device: Option<DeviceKey>,
    /// Which share of the device.
    pub share: Option<Name>,
    /// The resource.
    pub resource: Name,
    /// The uid of the pod, for overhead.
    pub pod: Option<Name>,
}

/// Contributions by what they are counted under.
pub type Lines = LiteMap<Entry, Contribution>;

/// Why a contribution has the amount it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The pod's status says so.
    Recorded,
    /// The mapping first seen with the allocation says so, and no status says anything.
    Mapping,
}

/// One amount on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contribution {
    /// The claim's uid.
    pub uid: Name,
    /// The amount, in the resource's own unit.
    pub amount: Quantity,
    /// The NUMA zone; overhead has none.
    pub zone: Option<i64>,
    /// True for a device that is used beside its owner.
    pub is_admin: bool,
    /// Where the amount comes from.
    pub basis: Basis,
    /// The pod in whose requests the scheduler counts it; `None` while no pod uses the claim there.
    pub payer: Option<Name>,
}
