//! Why no new mapped allocation may land on a pool or a node. A hold touches nothing that is allocated already, and
//! never times out into free capacity.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::object::{Name, PoolKey};
use super::state::Ledger;
use crate::model::resource::Kind;

/// What a hold is on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// Every pool and node.
    Cluster,
    /// One node.
    Node(Name),
    /// One pool.
    Pool(PoolKey),
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// The newest generation lacks slices.
    PoolIncomplete,
    /// No slice is left, and devices are still allocated.
    PoolGone,
    /// The slices of the newest generation contradict each other.
    PoolInvalid,
    /// A stored mapping breaks a rule.
    Quarantined,
    /// A device that claims use with a mapping is published without one.
    MappingVanished,
    /// The node is not ready.
    NodeNotReady,
    /// More is charged to the node than it has.
    Overcommitted,
    /// draguard's own view is older than its window.
    ViewStale,
    /// draguard has not seen all objects yet.
    Rebuilding,
    /// The operator said so.
    Halted,
}

/// One reason on one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// What is held.
    pub subject: Subject,
    /// Why.
    pub reason: Reason,
    /// Since when, in milliseconds since 1970.
    pub since: i64,
    /// What was seen.
    pub seen: String,
    /// What would end it.
    pub ends: &'static str,
}

/// A reason and what was seen.
pub type Cause = (Reason, String);

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::PoolIncomplete,
        Self::PoolGone,
        Self::PoolInvalid,
        Self::Quarantined,
        Self::MappingVanished,
        Self::NodeNotReady,
        Self::Overcommitted,
        Self::ViewStale,
        Self::Rebuilding,
        Self::Halted,
    ];

    /// The word, as in messages and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PoolIncomplete => "PoolIncomplete",
            Self::PoolGone => "PoolGone",
            Self::PoolInvalid => "PoolInvalid",
            Self::Quarantined => "Quarantined",
            Self::MappingVanished => "MappingVanished",
            Self::NodeNotReady => "NodeNotReady",
            Self::Overcommitted => "Overcommitted",
            Self::ViewStale => "ViewStale",
            Self::Rebuilding => "Rebuilding",
            Self::Halted => "Halted",
        }
    }

    /// What would end it.
    #[must_use]
    pub const fn ends(self) -> &'static str {
        match self {
            Self::PoolIncomplete => "the driver publishes the missing slices of the newest generation",
            Self::PoolGone => "the driver publishes the pool again",
            Self::PoolInvalid => "the driver publishes a generation whose slices agree",
            Self::Quarantined => "the driver publishes a generation without these faults",
            Self::MappingVanished => "the driver publishes the mapping again, or the claims that use it are gone",
            Self::NodeNotReady => "the node is Ready again",
            Self::Overcommitted => "pods or claims leave the node until what is charged fits its allocatable",
            Self::ViewStale => "draguard hears from the API server again",
            Self::Rebuilding => "draguard has listed nodes, slices, claims and pods once",
            Self::Halted => "the operator sets spec.claimAdmission.state of the rollout to Open",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster => f.write_str("the cluster"),
            Self::Node(node) => write!(f, "node {node}"),
            Self::Pool(pool) => write!(f, "pool {pool}"),
        }
    }
}

impl Ledger {
    /// Every hold, by subject and reason, those of draguard's own view aside.
    #[must_use]
    pub fn holds(&self) -> Vec<Hold> {
        let hold = |((subject, reason), (since, seen)): (&(Subject, Reason), &(i64, String))| Hold {
            subject: subject.clone(),
            reason: *reason,
            since: *since,
            seen: seen.clone(),
            ends: reason.ends(),
        };
        self.held.iter().map(hold).collect()
    }

    /// Why no new mapped allocation may land on a pool.
    #[must_use]
    pub fn causes_of_pool(&self, pool: &PoolKey) -> Vec<Cause> {
        let state = self.pool_state(pool);
        let mut causes = Vec::new();
        if state.found == 0 {
            causes.push((Reason::PoolGone, "no slice of the pool exists".to_owned()));
            return causes;
        }
        if let Some((one, other)) = &state.disagreement {
            let seen = format!("slices {one} and {other} disagree on resourceSliceCount");
            causes.push((Reason::PoolInvalid, seen));
        } else if !state.is_complete() {
            let expected = state.expected.unwrap_or_default();
            let generation = state.generation.unwrap_or_default();
            let seen = format!("{} of {expected} slices of generation {generation} exist", state.found);
            causes.push((Reason::PoolIncomplete, seen));
        }
        if let Some(device) = &state.twin {
            causes.push((Reason::PoolInvalid, format!("device {device} stands in two slices")));
        }
        if !state.faults.is_empty() {
            let rules: Vec<&str> = state.faults.iter().map(|rule| &**rule).collect();
            causes.push((Reason::Quarantined, format!("its slices break {}", rules.join(", "))));
        }
        causes.extend(self.vanished(pool).map(|seen| (Reason::MappingVanished, seen)));
        causes
    }

    /// Why no new mapped allocation may land on a node.
    #[must_use]
    pub fn causes_of_node(&self, name: &Name) -> Vec<Cause> {
        let Some(node) = self.node(name) else { return Vec::new() };
        let mut causes = Vec::new();
        if !node.is_ready {
            causes.push((Reason::NodeNotReady, "its Ready condition is not True".to_owned()));
        }
        let Some(account) = self.account(name).filter(|account| !account.contributions().is_empty()) else {
            return causes;
        };
        for (resource, charged) in account.counted() {
            let Some(kind) = Kind::of(&resource) else { continue };
            let Some(allocatable) = node.allocatable.get(&*resource) else { continue };
            if kind.counted(&charged) > kind.counted(allocatable) {
                let seen = format!("{charged} of {resource} is charged, {allocatable} is allocatable");
                causes.push((Reason::Overcommitted, seen));
            }
        }
        causes
    }

    /// A device of the pool that a claim was charged for, and that is published without a mapping now. One that is gone
    /// altogether keeps its charge, and holds nothing.
    fn vanished(&self, pool: &PoolKey) -> Option<String> {
        self.holders_in(pool).find_map(|claim| {
            let prices = self.priced(&claim.key)?;
            let given = claim.given.iter().flatten().zip(&prices.results);
            let lost = given.filter(|(given, _)| given.key.pool == *pool).find(|(given, price)| {
                let was_mapped = price.as_ref().is_some_and(|price| !price.mapped.is_empty());
                let live = self.device(&given.key, &claim.selected);
                was_mapped && live.is_some_and(|(_, device)| device.mapped.is_empty())
            })?;
            Some(format!("device {} of claim {} has no mapping any more", lost.0.key.device, claim.key))
        })
    }

    /// Brings the holds of these pools and nodes up to date.
    pub(super) fn hold(&mut self, pools: &BTreeSet<PoolKey>, nodes: &BTreeSet<Name>, at: i64) {
        for pool in pools {
            let is_watched = self.is_mapped(pool);
            let causes = if is_watched { self.causes_of_pool(pool) } else { Vec::new() };
            self.set_holds(&Subject::Pool(pool.clone()), &causes, at);
        }
        for node in nodes {
            let is_watched = self.index.node_pools.of(node).any(|pool| self.is_mapped(pool));
            let causes = if is_watched { self.causes_of_node(node) } else { Vec::new() };
            self.set_holds(&Subject::Node(node.clone()), &causes, at);
        }
    }

    fn set_holds(&mut self, subject: &Subject, causes: &[Cause], at: i64) {
        for reason in Reason::ALL {
            let key = (subject.clone(), reason);
            match causes.iter().find(|(cause, _)| *cause == reason) {
                None => {
                    self.held.remove(&key);
                }
                Some((_, seen)) => {
                    let since = self.held.get(&key).map_or(at, |(since, _)| *since);
                    self.held.insert(key, (since, seen.clone()));
                }
            }
        }
    }

    /// True when the pool takes from nodes: by what it publishes, or by what claims were charged for.
    fn is_mapped(&self, pool: &PoolKey) -> bool {
        let publishes = self.pool(pool).any(|slice| slice.devices.iter().any(|device| !device.mapped.is_empty()));
        publishes
            || self.holders_in(pool).any(|claim| self.priced(&claim.key).is_some_and(super::price::Priced::is_mapped))
    }
}
