//! The resources of a node that a device can map.

use super::quantity::Quantity;

/// What a resource is counted in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `cpu`, in thousandths of a core.
    Cpu,
    /// `memory`, in bytes.
    Memory,
    /// `ephemeral-storage`, in bytes.
    EphemeralStorage,
    /// `hugepages-SIZE`, in bytes, of which only whole pages of this size can be had.
    Hugepages(Quantity),
}

impl Kind {
    /// The kind of a resource name; `None` for anything that is not node-allocatable
    /// (`kubernetes@1.37.2 pkg/apis/core/helper/helpers.go:212`).
    #[must_use]
    pub fn of(resource: &str) -> Option<Self> {
        match resource {
            "cpu" => Some(Self::Cpu),
            "memory" => Some(Self::Memory),
            "ephemeral-storage" => Some(Self::EphemeralStorage),
            _ => resource.strip_prefix("hugepages-").and_then(page).map(Self::Hugepages),
        }
    }

    /// The amount in the unit the scheduler counts, rounded up as it rounds; `None` when it does not fit 64 bits, which
    /// the scheduler then reads as zero or as a negative amount (upstream.md, section 3.5).
    #[must_use]
    pub fn counted(self, amount: &Quantity) -> Option<i64> {
        match self {
            Self::Cpu => amount.milli_ceil(),
            _ => amount.whole_ceil(),
        }
    }

    /// True for everything that is counted in bytes.
    #[must_use]
    pub fn is_bytes(self) -> bool {
        self != Self::Cpu
    }
}

fn page(size: &str) -> Option<Quantity> {
    Quantity::parse(size).ok().filter(|page| page.signum() > 0 && page.is_whole())
}
