//! What a device declares of its use of a node: one internal form for both served shapes.

use super::decode::{Amount, Entries, Field, Text, object};
use super::path::Path;
use super::shape::{SLICE_SHAPES, SliceShape};
use super::slice::Device;

object! {
    /// One entry of the map, as written, in any shape.
    RawMapping {
        /// v1.36: the mapped capacity.
        capacity_key: Option<Text<'a>> = "capacityKey",
        /// v1.36: the amount of the device, or what the consumed capacity is multiplied with.
        allocation_multiplier: Option<Amount<'a>> = "allocationMultiplier",
        /// v1.37: what allocations take.
        mapping: Field<Box<RawInner<'a>>> = "mapping",
        /// v1.37: what pods and containers take on top.
        overhead: Field<Box<RawOverhead<'a>>> = "overhead",
    }
    known: []
}

object! {
    /// `mapping` of v1.37.
    RawInner {
        /// The amount of the whole device.
        device_multiplier: Option<Amount<'a>> = "deviceMultiplier",
        /// The mapped capacity.
        capacity_key: Option<Text<'a>> = "capacityKey",
        /// What the consumed capacity is multiplied with.
        capacity_multiplier: Option<Amount<'a>> = "capacityMultiplier",
    }
    known: []
}

object! {
    /// `overhead` of v1.37.
    RawOverhead {
        /// Once for each pod and allocated device.
        per_pod: Option<Amount<'a>> = "perPod",
        /// Once for each container that refers to the claim.
        per_container: Option<Amount<'a>> = "perContainer",
    }
    known: []
}

/// Which of a mapping's amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The amount of the whole device, for each allocation result.
    Device,
    /// What the consumed capacity is multiplied with.
    Multiplier,
    /// Overhead for each pod.
    PerPod,
    /// Overhead for each container.
    PerContainer,
}

/// One resource that a device maps, in the internal form.
#[derive(Debug, Clone)]
pub struct Mapping<'m> {
    /// The resource, such as `cpu`.
    pub resource: &'m str,
    /// The spelling it was written in.
    pub shape: &'static SliceShape,
    /// The amount of the whole device.
    pub device: Option<Amount<'m>>,
    /// The mapped capacity.
    pub capacity_key: Option<&'m str>,
    /// What the consumed capacity is multiplied with.
    pub multiplier: Option<Amount<'m>>,
    /// Overhead for each pod.
    pub per_pod: Option<&'m Amount<'m>>,
    /// Overhead for each container.
    pub per_container: Option<&'m Amount<'m>>,
    /// As written.
    pub raw: &'m RawMapping<'m>,
}

impl Device<'_> {
    /// Every mapping of the device, in both shapes.
    pub fn mappings(&self) -> impl Iterator<Item = Mapping<'_>> {
        let body = self.body();
        let [v136, v137] = &SLICE_SHAPES;
        entries(&body.mappings_v136, v136, from_v136).chain(entries(&body.mappings_v137, v137, from_v137))
    }
}

fn entries<'m>(
    field: &'m Field<Entries<'m, RawMapping<'m>>>,
    shape: &'static SliceShape,
    form: fn(&'m str, &'m RawMapping<'m>, &'static SliceShape) -> Mapping<'m>,
) -> impl Iterator<Item = Mapping<'m>> {
    let map = field.get().map(|map| &**map).unwrap_or_default();
    map.iter().map(move |(resource, raw)| form(resource, raw, shape))
}

/// v1.36 has one multiplier for both uses, and the server writes `1` where it is absent.
fn from_v136<'m>(resource: &'m str, raw: &'m RawMapping<'m>, shape: &'static SliceShape) -> Mapping<'m> {
    let multiplier = raw.allocation_multiplier.clone().or_else(|| shape.default_multiplier.map(Amount::read));
    let capacity_key = raw.capacity_key.as_deref();
    let (device, multiplier) = if capacity_key.is_some() { (None, multiplier) } else { (multiplier, None) };
    Mapping { resource, shape, device, capacity_key, multiplier, per_pod: None, per_container: None, raw }
}

fn from_v137<'m>(resource: &'m str, raw: &'m RawMapping<'m>, shape: &'static SliceShape) -> Mapping<'m> {
    let inner = raw.mapping.get();
    let overhead = raw.overhead.get();
    Mapping {
        resource,
        shape,
        device: inner.and_then(|inner| inner.device_multiplier.clone()),
        capacity_key: inner.and_then(|inner| inner.capacity_key.as_deref()),
        multiplier: inner.and_then(|inner| inner.capacity_multiplier.clone()),
        per_pod: overhead.and_then(|overhead| overhead.per_pod.as_ref()),
        per_container: overhead.and_then(|overhead| overhead.per_container.as_ref()),
        raw,
    }
}

impl Mapping<'_> {
    /// Every amount that is written, or that the server will write.
    pub fn amounts(&self) -> impl Iterator<Item = (Role, &Amount<'_>)> {
        [
            (Role::Device, self.device.as_ref()),
            (Role::Multiplier, self.multiplier.as_ref()),
            (Role::PerPod, self.per_pod),
            (Role::PerContainer, self.per_container),
        ]
        .into_iter()
        .filter_map(|(role, amount)| Some((role, amount?)))
    }

    /// The path of this mapping below its device.
    #[must_use]
    pub fn path(&self, device: Path) -> Path {
        device.field(self.shape.field).entry(self.resource)
    }

    /// The path of one of its amounts below its device.
    #[must_use]
    pub fn amount_path(&self, device: Path, role: Role) -> Path {
        let path = self.path(device);
        match role {
            Role::Device => path.then(self.shape.device),
            Role::Multiplier => path.then(self.shape.multiplier),
            Role::PerPod => path.then(&["overhead", "perPod"]),
            Role::PerContainer => path.then(&["overhead", "perContainer"]),
        }
    }

    /// The path of the capacity key below its device.
    #[must_use]
    pub fn key_path(&self, device: Path) -> Path {
        self.path(device).then(self.shape.capacity_key)
    }
}
