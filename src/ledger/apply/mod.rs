//! `apply(event) -> changes`: pure and deterministic. The same events, in any order that respects each object's resource
//! version, with repeats and relists, end in the same ledger.

mod count;
mod link;

use std::collections::BTreeSet;

use super::event::{Change, Deleted, Event, Relisted};
use super::object::{Key, Kind, Name, Object, PoolKey};
use super::price::Priced;
use super::state::Ledger;
use crate::model::version::Version;

/// What an event changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// False when all of it was known already, or older than what is known.
    pub is_new: bool,
    /// The nodes whose accounts changed.
    pub nodes: BTreeSet<Name>,
}

/// What has to be counted again.
#[derive(Debug, Default)]
struct Touched {
    is_new: bool,
    claims: BTreeSet<Key>,
    pods: BTreeSet<Key>,
    nodes: BTreeSet<Name>,
    /// Pools and nodes whose holds may have changed.
    pools: BTreeSet<PoolKey>,
    held: BTreeSet<Name>,
    /// When the objects were seen.
    at: i64,
}

impl Ledger {
    /// Takes in what was seen.
    pub fn apply(&mut self, event: Event) -> Changes {
        let mut touched = Touched { at: event.at, ..Touched::default() };
        match event.change {
            Change::Applied(object) => self.put(object, &mut touched),
            Change::Deleted(deleted) => self.delete(&deleted, &mut touched),
            Change::Relisted(relisted) => self.relist(relisted, &mut touched),
        }
        self.count(touched, event.at)
    }

    /// Counts as this release does from now on.
    pub fn serve(&mut self, version: Version) {
        self.version = version;
        let pods = self.kept(Kind::Pod).keys().into_iter().collect();
        self.count(Touched { pods, ..Touched::default() }, 0);
    }

    fn put(&mut self, object: Object, touched: &mut Touched) {
        if !self.kept(object.kind()).is_stale(object.key(), object.stamp()) {
            self.accept(object, touched);
        }
    }

    fn accept(&mut self, object: Object, touched: &mut Touched) {
        touched.is_new = true;
        self.link(object, touched);
    }

    fn delete(&mut self, deleted: &Deleted, touched: &mut Touched) {
        let Deleted { kind, key, stamp } = deleted;
        let kept = self.kept(*kind);
        let known = kept.stamp(key).map(|known| known.version);
        // A deletion has the version of the deletion, or that of the object as it was last seen.
        let is_repeat = known != Some(stamp.version) && kept.is_stale(key, stamp);
        if !is_repeat {
            touched.is_new = true;
            self.unlink(*kind, key, stamp.version, touched);
        }
    }

    /// What is not in the list is gone. A list that holds what should be gone, or older than it was, or that is older
    /// than what was told, is of storage that was set back: it is right, and what was known is not.
    fn relist(&mut self, relisted: Relisted, touched: &mut Touched) {
        let Relisted { kind, mut objects, unread, version } = relisted;
        let listed = objects.iter().map(|object| object.key().clone()).chain(unread).collect();
        self.drop_unlisted(kind, &listed, touched);
        let is_behind = version != 0 && self.kept(kind).is_ahead_of(version);
        let is_set_back = is_behind || objects.iter().any(|object| self.is_set_back(object));
        if is_set_back {
            // What is gone is forgotten: its versions are of another time.
            self.kept_mut(kind).set_deletions(0, Vec::new());
            touched.is_new = true;
        }
        let newest = objects.iter().map(|object| object.stamp().version).max().unwrap_or_default();
        objects.retain(|object| object.kind() == kind);
        for object in objects {
            if is_set_back || self.reads_otherwise(&object) {
                self.accept(object, touched);
            } else {
                self.put(object, touched);
            }
        }
        if !is_set_back {
            touched.is_new |= self.kept_mut(kind).told(newest);
        }
    }

    fn drop_unlisted(&mut self, kind: Kind, listed: &BTreeSet<Key>, touched: &mut Touched) {
        for key in self.kept(kind).keys().into_iter().filter(|key| !listed.contains(key)) {
            touched.is_new = true;
            let version = self.kept(kind).stamp(&key).map_or(0, |stamp| stamp.version);
            self.unlink(kind, &key, version, touched);
        }
    }

    /// True for a version that is known with another content: another release of the API server serves it, or another
    /// release of draguard had read it.
    fn reads_otherwise(&self, object: &Object) -> bool {
        match object {
            Object::Node(new) => self.nodes.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
            Object::Slice(new) => self.slices.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
            Object::Claim(new) => self.claims.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
            Object::Pod(new) => self.pods.get(&new.key).is_some_and(|old| old.stamp == new.stamp && old != new),
        }
    }

    fn is_set_back(&self, object: &Object) -> bool {
        let kept = self.kept(object.kind());
        kept.stamp(object.key()) != Some(object.stamp()) && kept.is_stale(object.key(), object.stamp())
    }

    /// Puts an object in, whatever its version: for ledgers that are not kept.
    pub(super) fn put_object(&mut self, object: Object) {
        // What is put in so has no time: it is as new as can be.
        let mut touched = Touched { at: i64::MAX, ..Touched::default() };
        self.link(object, &mut touched);
        self.count(touched, 0);
    }

    /// Takes an object out, whatever its version: for ledgers that are not kept.
    pub(super) fn drop_object(&mut self, kind: Kind, key: &Key) {
        let mut touched = Touched::default();
        self.unlink(kind, key, 0, &mut touched);
        self.count(touched, 0);
    }

    /// Sets the prices of an allocation that is known from elsewhere.
    pub(super) fn set_price(&mut self, key: &Key, priced: Priced) {
        self.priced.insert(key.clone(), priced);
        let touched = Touched { claims: BTreeSet::from([key.clone()]), ..Touched::default() };
        self.count(touched, 0);
    }
}
