//! The newest version of each object of one kind. What is older than what is known changes nothing.

use std::collections::{BTreeSet, HashMap};

use super::object::{Claim, Key, Node, Pod, Slice, Stamp};

/// The most deletions remembered one by one.
const MOST_GONE: usize = 65_536;

/// An object's life and version.
pub trait Stamped {
    /// Both.
    fn stamp(&self) -> &Stamp;
}

macro_rules! stamped {
    ($($kind:ty),+) => {
        $(impl Stamped for $kind {
            fn stamp(&self) -> &Stamp {
                &self.stamp
            }
        })+
    };
}

stamped!(Node, Slice, Claim, Pod);

/// What is known of the versions of one kind's objects, whichever kind it is.
pub trait Kept {
    /// Every name, in order.
    fn keys(&self) -> Vec<Key>;

    /// Life and version of the object of this name.
    fn stamp(&self, key: &Key) -> Option<&Stamp>;

    /// True when an object of this name and stamp says nothing new.
    fn is_stale(&self, key: &Key, stamp: &Stamp) -> bool;

    /// True when a deletion newer than `version` was told, or a list.
    fn is_ahead_of(&self, version: u64) -> bool;

    /// Everything up to `version` was told: single deletions need not be remembered. True when that was not known.
    fn told(&mut self, version: u64) -> bool;

    /// What is known of objects that are gone: everything up to a version, and single ones by name.
    fn deletions(&self) -> (u64, Vec<(Key, u64)>);

    /// Takes over what [`Kept::deletions`] gave.
    fn set_deletions(&mut self, floor: u64, gone: Vec<(Key, u64)>);
}

/// Objects by name, and what is known of those that are gone.
#[derive(Debug, Clone)]
pub struct Store<T> {
    live: HashMap<Key, T>,
    gone: HashMap<Key, u64>,
    /// What is not older than this and not live is gone.
    floor: u64,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self { live: HashMap::new(), gone: HashMap::new(), floor: 0 }
    }
}

impl<T: Stamped> Store<T> {
    /// The object of this name.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&T> {
        self.live.get(key)
    }

    /// Every object, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.live.values()
    }

    /// Puts an object in, in place of what had its name.
    pub fn put(&mut self, key: Key, object: T) {
        self.gone.remove(&key);
        self.live.insert(key, object);
    }

    /// Takes an object out that another version is to replace.
    pub fn take(&mut self, key: &Key) -> Option<T> {
        self.live.remove(key)
    }

    /// Takes an object out that was deleted at this version.
    pub fn remove(&mut self, key: &Key, version: u64) -> Option<T> {
        let known = self.gone.entry(key.clone()).or_default();
        *known = version.max(*known);
        self.forget();
        self.live.remove(key)
    }

    /// Keeps the memory of deletions bounded, the newest half one by one.
    fn forget(&mut self) {
        if self.gone.len() <= MOST_GONE {
            return;
        }
        let by_version: BTreeSet<u64> = self.gone.values().copied().collect();
        let middle = by_version.iter().nth(by_version.len() / 2).copied();
        self.told(middle.unwrap_or_default());
    }
}

impl<T: Stamped> Kept for Store<T> {
    fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = self.live.keys().cloned().collect();
        keys.sort_unstable();
        keys
    }

    fn stamp(&self, key: &Key) -> Option<&Stamp> {
        self.live.get(key).map(Stamped::stamp)
    }

    fn is_stale(&self, key: &Key, stamp: &Stamp) -> bool {
        if let Some(known) = self.live.get(key) {
            return stamp.is_stale_beside(known.stamp().version);
        }
        let gone = self.gone.get(key).copied().unwrap_or_default();
        stamp.is_stale_beside(gone.max(self.floor))
    }

    fn is_ahead_of(&self, version: u64) -> bool {
        self.floor > version || self.gone.values().any(|gone| *gone > version)
    }

    fn told(&mut self, version: u64) -> bool {
        let is_new = version > self.floor;
        self.floor = self.floor.max(version);
        self.gone.retain(|_, gone| *gone > version);
        is_new
    }

    fn deletions(&self) -> (u64, Vec<(Key, u64)>) {
        let mut gone: Vec<(Key, u64)> = self.gone.iter().map(|(key, version)| (key.clone(), *version)).collect();
        gone.sort_unstable();
        (self.floor, gone)
    }

    fn set_deletions(&mut self, floor: u64, gone: Vec<(Key, u64)>) {
        self.floor = floor;
        self.gone = gone.into_iter().collect();
    }
}
