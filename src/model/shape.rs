//! The table of shapes: the spellings of one feature in the releases that serve it. A new release is one more row.

/// How a release spells what a device maps (upstream.md, section 1.1).
#[derive(Debug, PartialEq, Eq)]
pub struct SliceShape {
    /// The release that serves it.
    pub name: &'static str,
    /// The field of a device that holds the map from resource to mapping.
    pub field: &'static str,
    /// Below one mapping: the amount of the whole device.
    pub device: &'static [&'static str],
    /// Below one mapping: the capacity that is mapped.
    pub capacity_key: &'static [&'static str],
    /// Below one mapping: what the consumed capacity is multiplied with.
    pub multiplier: &'static [&'static str],
    /// Below one mapping: where overhead stands; `None` where it cannot be expressed.
    pub overhead: Option<&'static str>,
    /// The keys that may stand directly below one mapping.
    pub keys: &'static [&'static str],
    /// What the server writes for an absent multiplier, before any webhook sees it.
    pub default_multiplier: Option<&'static str>,
    /// True when the server takes a mapping of `ephemeral-storage`.
    pub ephemeral_storage: bool,
}

/// Every slice shape ever served.
pub static SLICE_SHAPES: [SliceShape; 2] = [
    SliceShape {
        name: "v1.36",
        field: "nodeAllocatableResourceMappings",
        device: &["allocationMultiplier"],
        capacity_key: &["capacityKey"],
        multiplier: &["allocationMultiplier"],
        overhead: None,
        keys: &["capacityKey", "allocationMultiplier"],
        default_multiplier: Some("1"),
        ephemeral_storage: true,
    },
    SliceShape {
        name: "v1.37",
        field: "nodeAllocatableResources",
        device: &["mapping", "deviceMultiplier"],
        capacity_key: &["mapping", "capacityKey"],
        multiplier: &["mapping", "capacityMultiplier"],
        overhead: Some("overhead"),
        keys: &["mapping", "overhead"],
        default_multiplier: None,
        ephemeral_storage: false,
    },
];

/// How a release spells what a pod was charged (upstream.md, sections 1.2 and 1.7).
#[derive(Debug, PartialEq, Eq)]
pub struct StatusShape {
    /// The release that writes it.
    pub name: &'static str,
    /// The field of the pod's status.
    pub field: &'static str,
    /// The field of an entry that names the claim.
    pub claim: &'static str,
    /// The field of an entry that only this shape has.
    pub mark: &'static str,
    /// True when the server itself restores a list that a client leaves out.
    pub restored_by_server: bool,
}

/// Every pod-status shape known, the planned one of 1.38 included.
pub static STATUS_SHAPES: [StatusShape; 3] = [
    StatusShape {
        name: "v1.36",
        field: "nodeAllocatableResourceClaimStatuses",
        claim: "resourceClaimName",
        mark: "resources",
        restored_by_server: false,
    },
    StatusShape {
        name: "v1.37",
        field: "nodeAllocatableResourceClaimStatuses",
        claim: "resourceClaimName",
        mark: "mapping",
        restored_by_server: true,
    },
    StatusShape {
        name: "v1.38",
        field: "additionalNodeAllocatableResources",
        claim: "sourceName",
        mark: "sourceKind",
        restored_by_server: true,
    },
];
