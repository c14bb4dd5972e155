//! The footprints that allocations of a device can reach.

use std::borrow::Cow;

use super::decode::Amount;
use super::mapping::{Mapping, Role};
use super::quantity::Quantity;
use super::slice::{Capacity, Device};

/// One footprint that an allocation, a pod or a container can be charged.
#[derive(Debug, Clone)]
pub struct Reach<'m> {
    /// The amount of the mapping it comes from.
    pub role: Role,
    /// That amount, as written.
    pub written: Cow<'m, str>,
    /// For a mapped capacity: which amount of it is consumed.
    pub consumed: Option<Consumed<'m>>,
    /// The footprint; `None` when the product leaves every bound.
    pub footprint: Option<Quantity>,
}

/// An amount of a capacity that an allocation can consume.
#[derive(Debug, Clone)]
pub struct Consumed<'m> {
    /// What sets it: `value`, `requestPolicy.default` and so on.
    pub bound: &'static str,
    /// As written.
    pub written: &'m str,
    /// True when it is the distance between amounts rather than an amount.
    pub is_step: bool,
    /// What it comes to.
    pub amount: Quantity,
}

impl<'m> Mapping<'m> {
    /// Every footprint that can be told from the device alone, unreadable amounts left out. A multiplier reaches what
    /// it makes of each bound of the capacity; without a request policy only the full amount is known.
    #[must_use]
    pub fn reaches(&self, device: &'m Device<'m>) -> Vec<Reach<'m>> {
        let mut reaches = Vec::with_capacity(2);
        for (role, amount) in [
            (Role::Device, self.device.as_ref()),
            (Role::PerPod, self.per_pod),
            (Role::PerContainer, self.per_container),
        ] {
            let Some((amount, quantity)) = amount.and_then(|amount| Some((amount, amount.quantity()?))) else {
                continue;
            };
            let written = amount.text.clone();
            reaches.push(Reach { role, written, consumed: None, footprint: Some(quantity) });
        }
        reaches.extend(self.capacity_reaches(device));
        reaches
    }

    fn capacity_reaches(&self, device: &'m Device<'m>) -> Vec<Reach<'m>> {
        let Some(multiplier) = &self.multiplier else { return Vec::new() };
        let Some(factor) = multiplier.quantity() else { return Vec::new() };
        let Some(capacity) = self.capacity_key.and_then(|key| device.body().capacity.value(key)) else {
            return Vec::new();
        };
        let reach = |consumed: Consumed<'m>| Reach {
            role: Role::Multiplier,
            written: multiplier.text.clone(),
            footprint: consumed.amount.checked_mul(&factor),
            consumed: Some(consumed),
        };
        consumable(capacity).into_iter().map(reach).collect()
    }
}

/// The amounts of a capacity that can be consumed, as far as they are fixed by the device
/// (`api@0.37.2 resource/v1/types.go`, `CapacityRequestPolicy`).
fn consumable<'m>(capacity: &'m Capacity<'m>) -> Vec<Consumed<'m>> {
    let Some(policy) = &capacity.policy else {
        return capacity.value.as_ref().and_then(|value| consumed("value", value)).into_iter().collect();
    };
    let mut all: Vec<Consumed<'m>> = policy.valid_values.iter().filter_map(|v| consumed("validValues", v)).collect();
    all.extend(policy.default.as_ref().and_then(|amount| consumed("default", amount)));
    let range = policy.range.as_ref();
    if let Some(range) = range {
        all.extend(range.min.as_ref().and_then(|amount| consumed("validRange.min", amount)));
        all.extend(range.max.as_ref().and_then(|amount| consumed("validRange.max", amount)));
        let step = range.step.as_ref().and_then(|amount| consumed("validRange.step", amount));
        all.extend(step.map(|step| Consumed { is_step: true, ..step }));
    }
    let is_bounded = !policy.valid_values.is_empty() || range.is_some_and(|range| range.max.is_some());
    if !is_bounded {
        all.extend(capacity.value.as_ref().and_then(|value| consumed("value", value)));
    }
    all
}

fn consumed<'m>(bound: &'static str, amount: &'m Amount<'m>) -> Option<Consumed<'m>> {
    Some(Consumed { bound, written: &amount.text, is_step: false, amount: amount.quantity()? })
}
