//! What an allocation takes of a node, computed as the scheduler computes it
//! (`kubernetes@1.37.2 pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go:190`; upstream.md, section 3.1).

use super::object::{Given, Mapped, Rate};
use crate::model::quantity::Quantity;

/// Why a footprint cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The device maps a capacity, and the result does not say what it consumes at all.
    #[error("consumedCapacity is absent, but capacity {0} is mapped")]
    NothingConsumed(super::object::Name),
    /// The product leaves 128 bits.
    #[error("the amount is beyond every bound")]
    TooLarge,
}

/// What one allocation result takes of one resource, without overhead, in the resource's own unit. Each share of a
/// device is a result of its own. A capacity that the result does not list counts nothing, as in the scheduler.
pub fn mapping(given: &Given, mapped: &Mapped) -> Result<Option<Quantity>, Unknown> {
    let (key, factor) = match &mapped.rate {
        None => return Ok(None),
        Some(Rate::Device(amount)) => return Ok(Some(*amount)),
        Some(Rate::Capacity { key, factor }) => (key, factor),
    };
    let consumed = given.consumed.as_ref().ok_or_else(|| Unknown::NothingConsumed(key.clone()))?;
    let Some((_, amount)) = consumed.iter().find(|(name, _)| name == key) else { return Ok(None) };
    amount.checked_mul(factor).map(Some).ok_or(Unknown::TooLarge)
}

/// What one pod takes of one resource on top for one result: once, and for each of its containers that refer to the
/// claim. The scheduler sums both over the results.
pub fn overhead(mapped: &Mapped, containers: u32) -> Result<Option<Quantity>, Unknown> {
    let each = mapped.per_container.map(|each| each.checked_mul(&Quantity::whole(i64::from(containers))));
    let each = each.map(|each| each.ok_or(Unknown::TooLarge)).transpose()?.filter(|each| !each.is_zero());
    match (mapped.per_pod, each) {
        (Some(once), Some(each)) => once.checked_add(&each).map(Some).ok_or(Unknown::TooLarge),
        (once, each) => Ok(once.or(each)),
    }
}

impl Mapped {
    /// True when the resource is charged for the device itself, not only for the pods that use it.
    #[must_use]
    pub const fn is_mapping(&self) -> bool {
        self.rate.is_some()
    }
}
