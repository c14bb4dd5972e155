//! Which NUMA zone a device says it is in (upstream.md, section 7).

use super::decode::Number;
use super::slice::{Attribute, Device};

/// The name that v1.37 made standard.
pub const STANDARD: &str = "resource.kubernetes.io/numaNode";

/// The names that drivers used before, in the order in which they are believed. A name without a domain is in the
/// driver's own.
const ALIASES: [&str; 7] = [
    STANDARD,
    "dra.cpu/numaNodeID",
    "dra.net/numaNode",
    "dra.cpu/numaNode",
    "dra.memory/numaNode",
    "numaNode",
    "numaNodeID",
];

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
    pub attribute: &'d Attribute,
}

/// What a device says of its zone: each known attribute, the standard one first.
pub fn zones<'d>(device: &'d Device<'d>) -> impl Iterator<Item = Zone<'d>> {
    let attributes = &device.body().attributes;
    ALIASES.iter().filter_map(move |alias| {
        let (name, attribute) = attributes.iter().find(|(name, _)| &**name == *alias)?;
        Some(Zone { name, zone: zone(attribute), attribute })
    })
}

/// The first of a list is the device's own zone; the rest are near ones.
fn zone(attribute: &Attribute) -> Option<i64> {
    let first = attribute.ints.first().and_then(Number::whole)?;
    (0..TOO_LARGE).contains(&first).then_some(first)
}
