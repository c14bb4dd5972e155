//! What the checks see of the ledger while they judge one request.

use serde::Serialize;

use super::holds::Reason;
use super::object::{Key, Name, PoolKey};
use super::state::Ledger;

/// How old draguard's own view may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Freshness {
    /// Not every kind was listed yet.
    #[default]
    Rebuilding,
    /// Every stream gave a sign of life inside its window.
    Fresh,
    /// A stream has been silent for longer.
    Stale,
    /// What was remembered of old allocations cannot be read.
    Unreadable,
}

impl Freshness {
    /// What would end it, where the reason alone does not tell.
    #[must_use]
    pub const fn ends(self) -> Option<&'static str> {
        match self {
            Self::Unreadable => Some("the journal that cannot be read is moved away, and draguard starts again"),
            Self::Rebuilding | Self::Fresh | Self::Stale => None,
        }
    }

    /// The hold on the whole cluster that follows.
    #[must_use]
    pub const fn hold(self) -> Option<Reason> {
        match self {
            Self::Fresh => None,
            Self::Rebuilding | Self::Unreadable => Some(Reason::Rebuilding),
            Self::Stale => Some(Reason::ViewStale),
        }
    }
}

/// The ledger at the moment of a request.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// What was seen.
    pub ledger: &'a Ledger,
    /// How old that may be.
    pub freshness: Freshness,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

impl Scene<'_> {
    /// False as long as the release that the cluster runs may not be known, or objects may have been missed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.freshness == Freshness::Fresh
    }
}

/// Objects to read from the API server before a finding that rests on them is spoken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ref {
    /// A claim.
    Claim(Key),
    /// A pod.
    Pod(Key),
    /// A node.
    Node(Name),
    /// Every pod that is bound to a node.
    PodsOn(Name),
    /// Every slice of a pool.
    Pool(PoolKey),
}
