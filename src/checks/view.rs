//! What a check gets to see: one part of an object, and the way back to its place.

use crate::model::decode::Amount;
use crate::model::mapping::{Mapping, Role};
use crate::model::path::Path;
use crate::model::quantity::Quantity;
use crate::model::reach::Reach;
use crate::model::resource::Kind;
use crate::model::slice::{Device, SliceSpec};
use crate::model::text::quoted;

/// One device of a slice.
#[derive(Debug, Clone, Copy)]
pub struct DeviceView<'s> {
    /// The slice's content.
    pub spec: &'s SliceSpec<'s>,
    /// The device as written.
    pub device: &'s Device<'s>,
    /// Its place in the list.
    pub index: usize,
}

impl<'s> DeviceView<'s> {
    /// Where the device's content is.
    #[must_use]
    pub fn body(&self) -> &'s Device<'s> {
        self.device.body()
    }

    /// The path of its content.
    #[must_use]
    pub fn path(&self) -> Path {
        self.device.path(self.index)
    }

    /// The driver, or nothing.
    #[must_use]
    pub fn driver(&self) -> &'s str {
        self.spec.driver.as_deref().unwrap_or_default()
    }
}

/// One resource that a device maps.
#[derive(Debug, Clone, Copy)]
pub struct MappingView<'s> {
    /// The device.
    pub on: &'s DeviceView<'s>,
    /// The mapping.
    pub mapping: &'s Mapping<'s>,
    /// What the resource is counted in; `None` when it is not node-allocatable.
    pub kind: Option<Kind>,
    /// The footprints it can reach.
    pub reaches: &'s [Reach<'s>],
}

impl<'s> MappingView<'s> {
    /// The path of the mapping.
    #[must_use]
    pub fn path(&self) -> Path {
        self.mapping.path(self.on.path())
    }

    /// The path of one of its amounts.
    #[must_use]
    pub fn amount_path(&self, role: Role) -> Path {
        self.mapping.amount_path(self.on.path(), role)
    }

    /// The amounts that are footprints by themselves: all but the multiplier of a capacity.
    pub fn footprints(&self) -> impl Iterator<Item = (Role, &'s Amount<'s>, Quantity)> {
        let amounts = self.mapping.amounts().filter(|(role, _)| *role != Role::Multiplier);
        amounts.filter_map(|(role, amount)| Some((role, amount, amount.quantity()?)))
    }
}

/// How a reached footprint reads in a message: `4Ki of capacity size (requestPolicy default) × 0.5 = 2Ki`.
#[must_use]
pub fn shown(reach: &Reach<'_>, key: Option<&str>) -> String {
    let footprint = reach.footprint.map_or_else(|| "beyond every bound".to_owned(), |amount| amount.to_string());
    match &reach.consumed {
        None => quoted(&reach.written),
        Some(consumed) => format!(
            "{} ({} of capacity {}) × {} = {footprint}",
            quoted(consumed.written),
            consumed.bound,
            quoted(key.unwrap_or_default()),
            quoted(&reach.written),
        ),
    }
}
