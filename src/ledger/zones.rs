//! What is known of a node's NUMA zones: only devices tell.

use super::object::{Device, Rate};
use super::price::Price;
use super::state::Ledger;
use crate::model::quantity::Quantity;

impl Ledger {
    /// What a zone has of a resource, where devices offer it by capacity: the largest total of one pool.
    #[must_use]
    pub fn zone_capacity(&self, node: &str, zone: i64, resource: &str) -> Option<Quantity> {
        let pools = self.index.node_pools.of(node);
        let offered = pools.filter_map(|pool| {
            let generation = self.pool(pool).filter_map(|slice| slice.generation).max();
            let newest = self.pool(pool).filter(|slice| slice.generation == generation);
            let devices = newest.flat_map(|slice| slice.devices.iter().map(move |device| (slice, device)));
            let here = devices.filter(|(slice, device)| {
                device.zone == Some(zone) && Price::of(slice, device, 0).node().is_some_and(|on| **on == *node)
            });
            let amounts = here.filter_map(|(_, device)| offer(device, resource));
            amounts.reduce(|sum, amount| sum.checked_add(&amount).unwrap_or(sum))
        });
        offered.max()
    }
}

/// The whole of what a device maps by capacity.
fn offer(device: &Device, resource: &str) -> Option<Quantity> {
    let mapped = device.mapped.iter().find(|mapped| *mapped.resource == *resource)?;
    let Some(Rate::Capacity { key, factor }) = &mapped.rate else { return None };
    let (_, full) = device.capacity.iter().find(|(name, _)| name == key)?;
    full.checked_mul(factor)
}
