//! The live slices of one pool, for the rules that compare a slice with others.

use std::collections::BTreeSet;

use super::{DeviceFacts, Inventory, MappedFacts, SliceFacts};
use crate::ledger::object::{Device, Mapped, Name, Place, Rate, Slice};
use crate::ledger::view::Scene;
use crate::model::shape::SLICE_SHAPES;

/// The most slices of a pool that one slice is compared with.
const MOST: usize = 1_024;

impl Inventory {
    /// The stored slices of the pool that `slice` is written for. Of their devices only those are kept that `slice` has
    /// too: no rule asks for others.
    #[must_use]
    pub fn live(slice: &SliceFacts, scene: Scene<'_>) -> Self {
        let names: BTreeSet<&str> = slice.devices.iter().map(|device| device.name.as_str()).collect();
        let mut inventory = Self { is_live: true, ..Self::default() };
        for (origin, other) in scene.ledger.pool(&slice.pool_key()).take(MOST).enumerate() {
            let age = scene.ledger.since(other).map(|since| scene.now.saturating_sub(since));
            inventory.add_slice(SliceFacts { origin, age, ..facts(other, &names) });
        }
        inventory
    }
}

fn facts(slice: &Slice, names: &BTreeSet<&str>) -> SliceFacts {
    SliceFacts {
        origin: 0,
        name: slice.key.name.to_string(),
        is_named: true,
        driver: slice.pool.driver.to_string(),
        pool: slice.pool.pool.to_string(),
        generation: slice.generation,
        count: slice.count,
        node: node(&slice.place).map(Name::to_string),
        is_stored: true,
        age: None,
        devices: names.iter().filter_map(|name| slice.device(name)).map(device).collect(),
    }
}

const fn node(place: &Place) -> Option<&Name> {
    match place {
        Place::Node(node) => Some(node),
        Place::Many => None,
    }
}

fn device(device: &Device) -> DeviceFacts {
    DeviceFacts {
        name: device.name.to_string(),
        shares_counters: !device.consumes.is_empty(),
        mapped: device.mapped.iter().filter_map(mapped).collect(),
    }
}

/// What is reached is told when a slice is written; of stored ones it is not asked again.
fn mapped(mapped: &Mapped) -> Option<MappedFacts> {
    let shape = SLICE_SHAPES.iter().find(|shape| *shape.name == *mapped.schema)?;
    let (capacity, device) = match &mapped.rate {
        Some(Rate::Capacity { key, factor }) => (Some((key.to_string(), *factor)), None),
        Some(Rate::Device(amount)) => (None, Some(*amount)),
        None => (None, None),
    };
    let resource = mapped.resource.to_string();
    Some(MappedFacts { resource, shape, capacity, device, smallest: None, largest: None })
}
