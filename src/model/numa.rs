//! Which NUMA zone a device says it is in (upstream.md, section 7).

use super::decode::Number;
use super::slice::{Attribute, Device};

/// The name that v1.37 made standard.
pub const STANDARD: &str = "resource.kubernetes.io/numaNode";

/// How much a name is believed, the standard one most; `None` for attributes that say nothing of zones. A name without
/// a domain is in the driver's own.
fn rank(name: &str) -> Option<usize> {
    match name {
        STANDARD => Some(0),
        "dra.cpu/numaNodeID" => Some(1),
        "dra.net/numaNode" => Some(2),
        "dra.cpu/numaNode" => Some(3),
        "dra.memory/numaNode" => Some(4),
        "numaNode" => Some(5),
        "numaNodeID" => Some(6),
        _ => None,
    }
}

/// The library refuses to publish ids from here on (`dynamic-resource-allocation@0.37.2 deviceattribute/numa_linux.go`).
const TOO_LARGE: i64 = 1024;

/// One statement of a device about its zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zone<'d> {
    /// The attribute.
    pub name: &'d str,
    /// The zone; `None` when the value is no zone.
    pub zone: Option<i64>,
    /// The value.
    pub attribute: &'d Attribute<'d>,
}

/// What a device says of its zone: each known attribute, the most believed first.
#[must_use]
pub fn zones<'d>(device: &'d Device<'d>) -> Vec<Zone<'d>> {
    let attributes = device.body().attributes.iter();
    let mut known: Vec<_> =
        attributes.filter_map(|(name, attribute)| Some((rank(name)?, &**name, attribute))).collect();
    known.sort_unstable_by_key(|(rank, ..)| *rank);
    known.into_iter().map(|(_, name, attribute)| Zone { name, zone: zone(attribute), attribute }).collect()
}

/// The first of a list is the device's own zone; the rest are near ones.
fn zone(attribute: &Attribute<'_>) -> Option<i64> {
    let first = attribute.numbers().first().and_then(Number::whole)?;
    (0..TOO_LARGE).contains(&first).then_some(first)
}
