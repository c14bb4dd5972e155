//! Slices.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::super::{Consumes, Counters, Device, Mapped, Name, Place, PoolKey, Rate, Slice, Traits};
use super::{key, name, stamp};
use crate::model::decode::{Amount, Entries, Number, Text};
use crate::model::mapping::Mapping;
use crate::model::numa::zones;
use crate::model::quantity::Quantity;
use crate::model::resource::Kind;
use crate::model::slice as written;

impl From<&written::Slice<'_>> for Slice {
    fn from(slice: &written::Slice<'_>) -> Self {
        let meta = slice.meta.as_ref();
        let spec = slice.spec.as_ref();
        let pool = spec.and_then(|spec| spec.pool.as_ref());
        let key_of_pool = PoolKey::from(slice);
        let devices = spec.map(|spec| &*spec.devices).unwrap_or_default();
        let counters = spec.map(|spec| &*spec.shared_counters).unwrap_or_default();
        Self {
            key: key(meta),
            stamp: stamp(meta),
            generation: pool.and_then(|pool| pool.generation.as_ref()).and_then(Number::whole),
            count: pool.and_then(|pool| pool.slice_count.as_ref()).and_then(Number::whole),
            place: place(spec.and_then(|spec| spec.node_name.as_ref())),
            faults: Vec::new(),
            devices: sorted(devices_of(devices, &key_of_pool.driver, spec)),
            counters: counters.iter().map(|set| (name(set.name.as_ref()), counted(&set.counters))).collect(),
            pool: key_of_pool,
        }
    }
}

impl From<&written::Slice<'_>> for PoolKey {
    fn from(slice: &written::Slice<'_>) -> Self {
        let spec = slice.spec.as_ref();
        let pool = spec.and_then(|spec| spec.pool.as_ref()?.name.as_ref());
        Self { driver: name(spec.and_then(|spec| spec.driver.as_ref())), pool: name(pool) }
    }
}

/// By name, so that one is found without looking at all; the order means nothing to the API.
fn sorted(mut devices: Vec<Device>) -> Vec<Device> {
    devices.sort_by(|one, other| one.name.cmp(&other.name));
    devices
}

/// Devices that were read one after the other, and what they have in common.
#[derive(Default)]
struct Shared {
    traits: VecDeque<Arc<Traits>>,
    names: HashSet<Name>,
    mapped: Arc<[Mapped]>,
    capacity: Arc<[(Name, Quantity)]>,
}

impl Shared {
    /// How many kinds of devices a slice has at a time, as far as they are looked for.
    const KINDS: usize = 8;

    /// The device, holding what one before it holds already.
    fn device(&mut self, name: Name, mut traits: Traits) -> Device {
        if let Some(same) = self.traits.iter().find(|known| ***known == traits) {
            return Device { name, traits: Arc::clone(same) };
        }
        self.parts(&mut traits);
        let traits = Arc::new(traits);
        self.traits.truncate(Self::KINDS - 1);
        self.traits.push_front(Arc::clone(&traits));
        Device { name, traits }
    }

    /// Where each device has something of its own, such as a serial number, the parts are held together.
    fn parts(&mut self, traits: &mut Traits) {
        if traits.mapped == self.mapped {
            traits.mapped = Arc::clone(&self.mapped);
        }
        if traits.capacity == self.capacity {
            traits.capacity = Arc::clone(&self.capacity);
        }
        (self.mapped, self.capacity) = (Arc::clone(&traits.mapped), Arc::clone(&traits.capacity));
        for (name, values) in &mut traits.attributes {
            std::iter::once(name).chain(values.iter_mut()).for_each(|name| self.once(name));
            values.shrink_to_fit();
        }
        traits.attributes.shrink_to_fit();
    }

    fn once(&mut self, name: &mut Name) {
        match self.names.get(name) {
            Some(same) => *name = Arc::clone(same),
            None => drop(self.names.insert(Arc::clone(name))),
        }
    }
}

fn place(node: Option<&Text<'_>>) -> Place {
    node.filter(|node| !node.is_empty()).map_or(Place::Many, |node| Place::Node(Name::from(&**node)))
}

fn devices_of(devices: &[written::Device<'_>], driver: &str, spec: Option<&written::SliceSpec<'_>>) -> Vec<Device> {
    let mut shared = Shared::default();
    devices.iter().map(|one| shared.device(name(one.name.as_ref()), traits(one, driver, spec))).collect()
}

fn traits(device: &written::Device<'_>, driver: &str, spec: Option<&written::SliceSpec<'_>>) -> Traits {
    let body = device.body();
    let per_device = spec.and_then(|spec| spec.per_device) == Some(true);
    Traits {
        place: per_device.then(|| place(body.node_name.as_ref())),
        zone: zones(device).into_iter().find_map(|zone| zone.zone),
        is_shared: body.multiple == Some(true),
        mapped: device.mappings().filter_map(|mapping| mapped(&mapping)).collect(),
        capacity: capacity(&body.capacity),
        consumes: body.consumes.iter().map(consumes).collect(),
        attributes: body.attributes.iter().filter_map(|(name, value)| attribute(name, value, driver)).collect(),
    }
}

/// A resource that no node has is told by DG101 and charges nothing: the scheduler leaves it out of its sums too.
fn mapped(mapping: &Mapping<'_>) -> Option<Mapped> {
    Kind::of(mapping.resource)?;
    let factor = mapping.multiplier.as_ref().and_then(Amount::quantity);
    let whole = mapping.device.as_ref().and_then(Amount::quantity);
    let rate = match mapping.capacity_key {
        Some(key) => factor.map(|factor| Rate::Capacity { key: key.into(), factor }),
        None => whole.map(Rate::Device),
    };
    Some(Mapped {
        resource: mapping.resource.into(),
        schema: mapping.shape.name.into(),
        rate,
        per_pod: mapping.per_pod.and_then(Amount::quantity),
        per_container: mapping.per_container.and_then(Amount::quantity),
    })
}

fn capacity(entries: &Entries<'_, written::Capacity<'_>>) -> Arc<[(Name, Quantity)]> {
    let value = |one: &written::Capacity<'_>| one.value.as_ref().and_then(Amount::quantity);
    entries.iter().filter_map(|(key, one)| Some((Name::from(&**key), value(one)?))).collect()
}

fn consumes(consumption: &written::Consumption<'_>) -> Consumes {
    Consumes { set: name(consumption.set.as_ref()), counters: counted(&consumption.counters) }
}

fn counted(counters: &Entries<'_, written::Counter<'_>>) -> Counters {
    let value = |counter: &written::Counter<'_>| counter.value.as_ref().and_then(Amount::quantity);
    counters.iter().filter_map(|(key, counter)| Some((Name::from(&**key), value(counter)?))).collect()
}

/// A name without a domain is in the driver's own. The values are told apart by type: `1` as a number is not `1` as text.
fn attribute(key: &str, value: &written::Attribute<'_>, driver: &str) -> Option<(Name, Vec<Name>)> {
    use written::Attribute as A;
    let number = |number: &Number| number.whole().map(|number| Name::from(format!("int:{number}")));
    let text = |kind: &str, text: &Text<'_>| Name::from(format!("{kind}:{}", &**text));
    let flag = |flag: &bool| Name::from(format!("bool:{flag}"));
    let values = match value {
        A::Unset => return None,
        A::Int(_) | A::Ints(_) => value.numbers().iter().filter_map(number).collect(),
        A::String(one) => vec![text("string", one)],
        A::Version(one) => vec![text("version", one)],
        A::Bool(one) => vec![flag(one)],
        A::Strings(all) => all.iter().map(|one| text("string", one)).collect(),
        A::Versions(all) => all.iter().map(|one| text("version", one)).collect(),
        A::Bools(all) => all.iter().map(flag).collect(),
    };
    let qualified = if key.contains('/') { Name::from(key) } else { Name::from(format!("{driver}/{key}")) };
    Some((qualified, values))
}
