//! Sums and maxima of amounts by resource (`component-helpers@0.37.2 resource/helpers.go`, `addResourceList` and
//! `maxResourceList`).

use litemap::LiteMap;
use serde::{Serialize, Serializer};

use crate::model::decode::{Amount, Entries};
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;

/// Amounts by resource. A resource that is absent counts as zero. There are millions of these, with an entry or three
/// each: a tree would take ten times the room.
pub type Amounts = LiteMap<String, Quantity>;

/// The amounts of node-allocatable resources in a map, without those beyond the bounds of a [`Quantity`].
pub(super) fn counted(entries: &Entries<'_, Amount<'_>>) -> Amounts {
    let amounts = entries.iter().filter(|(name, _)| Kind::of(name).is_some());
    compact(amounts.filter_map(|(name, amount)| Some(((**name).to_owned(), amount.quantity()?))).collect())
}

/// Writes a map as one: left to itself, an empty one is written as a list.
pub fn written<K: Serialize, V: Serialize, S: Serializer>(
    map: &LiteMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map)
}

/// The same for a map that may be absent.
#[expect(clippy::ref_option, reason = "serde hands it over so")]
pub(super) fn optional<S: Serializer>(map: &Option<Amounts>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Map<'a>(#[serde(serialize_with = "written")] &'a Amounts);
    map.as_ref().map(Map).serialize(serializer)
}

/// The same without room for more, for what is kept.
#[must_use]
pub fn compact<K: Ord, V>(map: LiteMap<K, V>) -> LiteMap<K, V> {
    let mut entries = map.into_tuple_vec();
    entries.shrink_to_fit();
    LiteMap::from_sorted_store_unchecked(entries)
}

/// Adds every amount of `other`.
pub(super) fn add(sum: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        let before = sum.get(resource).copied().unwrap_or(Quantity::whole(0));
        sum.insert(resource.clone(), plus(before, *amount));
    }
}

/// Takes the larger of both for every resource.
pub(super) fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, amount) in other {
        if most.get(resource).is_none_or(|before| before < amount) {
            most.insert(resource.clone(), *amount);
        }
    }
}

/// The larger of `first` and all others for every resource.
pub(super) fn largest<'a>(first: Amounts, others: impl IntoIterator<Item = &'a Amounts>) -> Amounts {
    others.into_iter().fold(first, |mut most, other| {
        raise(&mut most, other);
        most
    })
}

/// The exact sum. Where its digits do not fit, no node has as much, and the larger part stands for it.
pub(super) fn plus(one: Quantity, other: Quantity) -> Quantity {
    one.checked_add(&other).unwrap_or(one.max(other))
}
