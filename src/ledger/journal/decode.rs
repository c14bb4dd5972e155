//! One line after the first, read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ledger::account::Sums;
use crate::ledger::event::Event;
use crate::ledger::holds::{Reason, Subject};
use crate::ledger::object::{DeviceKey, Key, Kind, Name, Object};
use crate::ledger::price::{Price, Priced};
use crate::ledger::requests::Amounts;
use crate::model::quantity::Quantity;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Record {
    /// One object of the list that follows.
    Listed(Object),
    /// An event that changed something, and the versions of the accounts that it changed.
    Accepted {
        /// The event. The objects of a list stand in the lines before.
        event: Event,
        /// The versions.
        #[serde(default)]
        nodes: BTreeMap<Name, u64>,
    },
    /// The objects of a kind that are known to be gone.
    Deleted {
        /// The kind.
        kind: Kind,
        /// What is not newer than this and not listed is gone.
        floor: u64,
        /// Single deletions by name, with their versions.
        #[serde(default)]
        gone: Vec<(Key, u64)>,
    },
    /// A device that is published no more.
    Unpublished {
        /// The device.
        device: DeviceKey,
        /// As it was last.
        price: Price,
    },
    /// The prices under which an allocation is charged.
    Priced {
        /// The claim.
        claim: Key,
        /// Its prices.
        prices: Priced,
    },
    /// Since when something is held.
    Held {
        /// What.
        subject: Subject,
        /// Why.
        reason: Reason,
        /// Since when, in milliseconds since 1970.
        since: i64,
        /// What was seen.
        seen: String,
    },
    /// The end of an export.
    Whole(Whole),
}

/// The end of an export: what is not followed by it is not whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
    /// The versions of all accounts.
    pub nodes: BTreeMap<Name, u64>,
    /// The highest version of an account that was closed.
    #[serde(default)]
    pub closed: u64,
    /// How many objects of each kind there are.
    pub objects: Vec<(Kind, usize)>,
    /// What is charged to each node, in each resource's own unit.
    pub charged: BTreeMap<Name, Totals>,
}

/// The sums of one account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// By resource.
    pub all: BTreeMap<String, Quantity>,
    /// What the devices of each NUMA zone take, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub zones: BTreeMap<i64, BTreeMap<String, Quantity>>,
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let zones = self.zones.iter().flat_map(|(zone, amounts)| amounts.iter().map(move |one| (Some(zone), one)));
        let all = self.all.iter().map(|one| (None, one));
        for (nth, (zone, (resource, amount))) in all.chain(zones).enumerate() {
            let comma = if nth == 0 { "" } else { ", " };
            let zone = zone.map(|zone| format!(" in zone {zone}")).unwrap_or_default();
            write!(f, "{comma}{resource}{zone} {amount}")?;
        }
        Ok(())
    }
}

impl From<&Sums> for Totals {
    fn from(sums: &Sums) -> Self {
        let map = |amounts: &Amounts| amounts.iter().map(|(name, amount)| (name.clone(), *amount)).collect();
        Self {
            all: map(&sums.charged),
            zones: sums.zones.iter().map(|(zone, amounts)| (*zone, map(amounts))).collect(),
        }
    }
}
