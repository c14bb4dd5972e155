//! Which life of an object, and which version of it.

use serde::{Deserialize, Serialize};

use super::Name;

/// An object's uid and resource version.
///
/// Resource versions of one kind are ordered as numbers (KEP-5504). An object from a file has none: version 0, which
/// is never older than anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The uid; what names the object where a file has none.
    pub uid: Name,
    /// The resource version.
    #[serde(default)]
    pub version: u64,
}

impl Stamp {
    /// True when what is stamped so is older than `other`, or the same again.
    #[must_use]
    pub fn is_stale_beside(&self, other: u64) -> bool {
        self.version != 0 && self.version <= other
    }
}
