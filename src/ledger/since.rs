//! Since when each slice has had its generation: a mix of generations is normal while a driver publishes.

use std::collections::HashMap;

use super::object::{Key, Name, Slice};

/// The live slices, each with the moment from which on it was seen with its generation.
#[derive(Debug, Clone, Default)]
pub(super) struct Generations(HashMap<Key, Since>);

#[derive(Debug, Clone)]
struct Since {
    uid: Name,
    generation: Option<i64>,
    at: i64,
}

impl Generations {
    /// Takes note of a slice that was seen at this moment.
    pub(super) fn note(&mut self, slice: &Slice, at: i64) {
        if self.since(slice).is_none() {
            let since = Since { uid: slice.stamp.uid.clone(), generation: slice.generation, at };
            self.0.insert(slice.key.clone(), since);
        }
    }

    /// From when on the slice was seen with the generation it has.
    pub(super) fn since(&self, slice: &Slice) -> Option<i64> {
        let known = self.0.get(&slice.key)?;
        let is_same = known.uid == slice.stamp.uid && known.generation == slice.generation;
        is_same.then_some(known.at)
    }

    /// Forgets a slice that is gone.
    pub(super) fn forget(&mut self, slice: &Key) {
        self.0.remove(slice);
    }
}
