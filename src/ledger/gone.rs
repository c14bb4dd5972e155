//! Mapped devices that are published no more. An allocation may be seen after the slice of its device is gone; it is
//! charged all the same.

use std::collections::{BTreeSet, HashMap};

use super::object::{DeviceKey, Fit, Selected, Slice};
use super::price::Price;

/// The most devices remembered.
const MOST: usize = 65_536;

/// Devices as they were last published, one for each place where a device of that name was.
#[derive(Debug, Clone, Default)]
pub(super) struct GoneDevices(HashMap<DeviceKey, Vec<Price>>);

impl GoneDevices {
    /// Remembers the mapped devices of a slice that is gone, or that were in an older version of it.
    pub(super) fn remember(&mut self, slice: &Slice) {
        for device in slice.devices.iter().filter(|device| !device.mapped.is_empty()) {
            let key = DeviceKey { pool: slice.pool.clone(), device: device.name.clone() };
            self.keep(key, Price::of(slice, device, 0));
        }
        self.forget();
    }

    /// Keeps a device in the place where it was, unless a newer version of it there is known.
    pub(super) fn keep(&mut self, key: DeviceKey, price: Price) {
        let places = self.0.entry(key).or_default();
        match places.iter_mut().find(|known| known.place == price.place) {
            Some(known) if known.version <= price.version => *known = price,
            Some(_) => {}
            None => places.push(price),
        }
    }

    /// What a device cost last, in the place that suits the allocation best.
    pub(super) fn price(&self, key: &DeviceKey, selected: &Selected, seen: i64) -> Option<Price> {
        let places = self.0.get(key).into_iter().flatten();
        let suitable = places.filter(|price| price.place.fits(selected) != Fit::Elsewhere);
        let best = suitable.max_by_key(|price| (price.place.fits(selected), price.generation, price.version))?;
        Some(Price { seen, ..best.clone() })
    }

    /// Every device that is remembered, by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&DeviceKey, &Price)> {
        let mut devices: Vec<_> = self.0.iter().collect();
        devices.sort_unstable_by_key(|(key, _)| *key);
        devices.into_iter().flat_map(|(key, places)| places.iter().map(move |price| (key, price)))
    }

    /// Forgets the older half when there are too many.
    fn forget(&mut self) {
        if self.0.len() <= MOST {
            return;
        }
        let versions: BTreeSet<u64> = self.0.values().flatten().map(|price| price.version).collect();
        let middle = versions.iter().nth(versions.len() / 2).copied().unwrap_or_default();
        self.0.retain(|_, places| {
            places.retain(|price| price.version > middle);
            !places.is_empty()
        });
    }
}
