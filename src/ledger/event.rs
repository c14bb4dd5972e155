//! What the ledger is told: nothing else changes it.

use serde::{Deserialize, Serialize};

use super::object::{Key, Kind, Object, Stamp};

/// One thing seen of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When it was seen, in milliseconds since 1970.
    pub at: i64,
    /// What was seen.
    #[serde(flatten)]
    pub change: Change,
}

/// What was seen.
#[expect(clippy::large_enum_variant, reason = "it is moved once, and the large one is the usual one")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// An object is as follows.
    Applied(Object),
    /// An object is gone.
    Deleted(Deleted),
    /// These are all the objects of one kind.
    Relisted(Relisted),
}

/// An object that is gone, as it was at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deleted {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub key: Key,
    /// Its life, and the version of its deletion.
    pub stamp: Stamp,
}

/// Every object of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relisted {
    /// The kind.
    pub kind: Kind,
    /// The objects, all of that kind.
    pub objects: Vec<Object>,
    /// Listed as well, but not read: what is known of them stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Key>,
    /// The version of the storage at which the list was right; 0 where it has none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub version: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_none(version: &u64) -> bool {
    *version == 0
}

impl Relisted {
    /// A list of which everything was read, at no version.
    #[must_use]
    pub const fn of(kind: Kind, objects: Vec<Object>) -> Self {
        Self { kind, objects, unread: Vec::new(), version: 0 }
    }
}
