//! The mapping under which an allocation is charged: the one first seen with it. A slice that changes later re-prices
//! nothing, as in the scheduler (upstream.md, section 3.3).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::object::{Device, Key, Mapped, Name, Place, Slice, slice};

/// The prices of an allocation, one for each result in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Priced {
    /// `None` while the result's device was never seen.
    pub results: Vec<Option<Price>>,
}

/// What is known of one allocated device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// The slice it was read from.
    pub slice: Key,
    /// That slice's resource version.
    pub version: u64,
    /// The pool's generation at that time.
    pub generation: Option<i64>,
    /// When the allocation and the device were first seen together, in milliseconds since 1970.
    pub seen: i64,
    /// Where the device is.
    pub place: Place,
    /// Its NUMA zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<i64>,
    /// What it takes of a node.
    #[serde(default, skip_serializing_if = "slice::is_empty")]
    pub mapped: Arc<[Mapped]>,
}

impl Price {
    /// The price of a device as this slice has it.
    #[must_use]
    pub fn of(slice: &Slice, device: &Device, seen: i64) -> Self {
        Self {
            slice: slice.key.clone(),
            version: slice.stamp.version,
            generation: slice.generation,
            seen,
            place: device.place.clone().unwrap_or_else(|| slice.place.clone()),
            zone: device.zone,
            mapped: Arc::clone(&device.mapped),
        }
    }

    /// The one node that the device is on.
    #[must_use]
    pub const fn node(&self) -> Option<&Name> {
        match &self.place {
            Place::Node(node) => Some(node),
            Place::Many => None,
        }
    }
}

impl Priced {
    /// True when every device was seen.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.results.iter().all(Option::is_some)
    }

    /// True when a device takes from the node itself, or from the pods that use it.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        self.results.iter().flatten().any(|price| !price.mapped.is_empty())
    }
}
