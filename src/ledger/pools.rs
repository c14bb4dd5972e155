//! What the live slices of a pool come to. Generations follow the safe rule of upstream.md, section 6: what exists now
//! counts, not what once was.

use std::collections::{BTreeMap, BTreeSet};

use super::object::{Device, Name, Place, PoolKey, Slice};
use super::state::Ledger;

/// The state of one pool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoolState {
    /// The highest generation among its live slices.
    pub generation: Option<i64>,
    /// How many slices it should have, as its newest slices say.
    pub expected: Option<i64>,
    /// How many of that generation there are.
    pub found: usize,
    /// Two slices of the newest generation that disagree on how many there are.
    pub disagreement: Option<(Name, Name)>,
    /// A device that two slices of the newest generation have in one place.
    pub twin: Option<Name>,
    /// The rules that refuse what slices of the newest generation map.
    pub faults: BTreeSet<Name>,
}

impl PoolState {
    /// True when every slice of the newest generation is there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.expected.is_some_and(|expected| i64::try_from(self.found) == Ok(expected))
    }
}

impl Ledger {
    /// The state of a pool; the default one where it has no live slice.
    #[must_use]
    pub fn pool_state(&self, pool: &PoolKey) -> PoolState {
        let generation = self.pool(pool).filter_map(|slice| slice.generation).max();
        let newest: Vec<&Slice> = self.pool(pool).filter(|slice| slice.generation == generation).collect();
        let Some(first) = newest.first() else { return PoolState::default() };
        let other = newest.iter().find(|slice| slice.count != first.count);
        PoolState {
            generation,
            expected: first.count,
            found: newest.len(),
            disagreement: other.map(|other| (first.key.name.clone(), other.key.name.clone())),
            twin: twin(&newest),
            faults: newest.iter().flat_map(|slice| slice.faults.iter().cloned()).collect(),
        }
    }
}

/// A single slice is checked for twins by the API server.
fn twin(slices: &[&Slice]) -> Option<Name> {
    if slices.len() < 2 {
        return None;
    }
    let mut seen: BTreeMap<&Name, Vec<&Place>> = BTreeMap::new();
    for (slice, device) in slices.iter().flat_map(|slice| slice.devices.iter().map(move |device| (slice, device))) {
        let place = place(slice, device);
        let places = seen.entry(&device.name).or_default();
        if places.iter().any(|other| overlap(other, place)) {
            return Some(device.name.clone());
        }
        places.push(place);
    }
    None
}

fn place<'s>(slice: &'s Slice, device: &'s Device) -> &'s Place {
    device.place.as_ref().unwrap_or(&slice.place)
}

fn overlap(one: &Place, other: &Place) -> bool {
    matches!((one, other), (Place::Many, _) | (_, Place::Many)) || one == other
}
