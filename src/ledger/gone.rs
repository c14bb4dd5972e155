//! Mapped devices that are published no more. An allocation may be seen after the slice of its device is gone; it is
//! charged all the same.

use std::collections::{BTreeMap, HashMap};

use super::object::{DeviceKey, Slice};
use super::price::Price;

/// The most devices remembered.
const MOST: usize = 65_536;

/// Devices as they were last published.
#[derive(Debug, Clone, Default)]
pub(super) struct GoneDevices(HashMap<DeviceKey, Price>);

impl GoneDevices {
    /// Remembers the mapped devices of a slice that is gone, or that were in an older version of it.
    pub(super) fn remember(&mut self, slice: &Slice) {
        for device in slice.devices.iter().filter(|device| !device.mapped.is_empty()) {
            let key = DeviceKey { pool: slice.pool.clone(), device: device.name.clone() };
            let known = self.0.get(&key).map(|price| price.version);
            if known.is_none_or(|known| known <= slice.stamp.version) {
                self.0.insert(key, Price::of(slice, device, 0));
            }
        }
        self.forget();
    }

    /// What a device cost last.
    pub(super) fn price(&self, key: &DeviceKey, seen: i64) -> Option<Price> {
        self.0.get(key).map(|price| Price { seen, ..price.clone() })
    }

    /// Forgets the older half when there are too many.
    fn forget(&mut self) {
        if self.0.len() <= MOST {
            return;
        }
        let versions: BTreeMap<u64, ()> = self.0.values().map(|price| (price.version, ())).collect();
        let middle = versions.keys().nth(versions.len() / 2).copied().unwrap_or_default();
        self.0.retain(|_, price| price.version > middle);
    }
}
