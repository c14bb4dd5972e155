//! Names in groups: how objects are found by what they speak of.

use std::collections::HashMap;
use std::hash::Hash;

use litemap::LiteMap;

/// Groups of names, each in order and none empty. Most have one member, and there are hundreds of thousands.
#[derive(Debug, Clone)]
pub(super) struct Groups<K, V>(HashMap<K, LiteMap<V, ()>>);

impl<K, V> Default for Groups<K, V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Hash + Eq, V: Ord> Groups<K, V> {
    /// The members of a group, in order.
    pub(super) fn of<Q>(&self, group: &Q) -> impl Iterator<Item = &V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.get(group).into_iter().flat_map(LiteMap::keys)
    }

    /// Adds a member.
    pub(super) fn put(&mut self, group: K, member: V) {
        self.0.entry(group).or_insert_with(|| LiteMap::with_capacity(1)).insert(member, ());
    }

    /// Takes a member out.
    pub(super) fn take(&mut self, group: &K, member: &V) {
        let Some(members) = self.0.get_mut(group) else { return };
        members.remove(member);
        if members.is_empty() {
            self.0.remove(group);
        }
    }
}
