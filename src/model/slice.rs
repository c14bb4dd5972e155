//! `ResourceSlice`, of every served version.

use super::decode::{Amount, Entries, Field, Items, Number, Text, object};
use super::mapping::RawMapping;
use super::meta::Meta;
use super::path::Path;

object! {
    /// A `ResourceSlice`.
    Slice {
        /// Such as `resource.k8s.io/v1`.
        api_version: Option<Text<'a>> = "apiVersion",
        /// Name, owners, version.
        meta: Option<Meta<'a>> = "metadata",
        /// The content.
        spec: Option<SliceSpec<'a>> = "spec",
    }
    known: ["kind", "status"]
}

object! {
    /// `spec` of a slice.
    SliceSpec {
        /// Who publishes it.
        driver: Option<Text<'a>> = "driver",
        /// The pool it is part of.
        pool: Option<Pool<'a>> = "pool",
        /// The one node it belongs to, if it is one.
        node_name: Option<Text<'a>> = "nodeName",
        /// True when each device says where it is.
        per_device: Option<bool> = "perDeviceNodeSelection",
        /// The devices.
        devices: Items<Device<'a>> = "devices",
        /// Sets of counters that devices of the pool consume.
        shared_counters: Items<CounterSet<'a>> = "sharedCounters",
    }
    known: ["nodeSelector", "allNodes", "partitionTypeAttribute", "skipNodeOperations"]
}

object! {
    /// `spec.pool`.
    Pool {
        /// Together with the driver it names the pool.
        name: Option<Text<'a>> = "name",
        /// Only slices of the highest generation count.
        generation: Option<Number> = "generation",
        /// How many slices a complete pool has.
        slice_count: Option<Number> = "resourceSliceCount",
    }
    known: []
}

object! {
    /// One device. v1beta1 keeps everything but the name under `basic`; see [`Device::body`].
    Device {
        /// Unique in the pool.
        name: Option<Text<'a>> = "name",
        /// What selectors look at.
        attributes: Entries<'a, Attribute<'a>> = "attributes",
        /// What claims consume.
        capacity: Entries<'a, Capacity<'a>> = "capacity",
        /// The mapping as v1.36 spells it.
        mappings_v136: Field<Entries<'a, RawMapping<'a>>> = "nodeAllocatableResourceMappings",
        /// The mapping as v1.37 spells it.
        mappings_v137: Field<Entries<'a, RawMapping<'a>>> = "nodeAllocatableResources",
        /// True when several claims may use it.
        multiple: Option<bool> = "allowMultipleAllocations",
        /// The one node it is on, where the slice leaves that to its devices.
        node_name: Option<Text<'a>> = "nodeName",
        /// The counters it consumes.
        consumes: Items<Consumption<'a>> = "consumesCounters",
        /// v1beta1's body.
        basic: Option<Box<Device<'a>>> = "basic",
    }
    known: [
        "taints", "nodeSelector", "allNodes", "bindsToNode", "bindingConditions",
        "bindingFailureConditions", "derivedAttributes", "compatibilityGroups",
    ]
}

/// The value of one attribute.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Attribute<'a> {
    /// No value at all.
    #[default]
    Unset,
    /// `int`.
    Int(Number),
    /// `ints`, at least one.
    Ints(Vec<Number>),
    /// `version`.
    Version(Text<'a>),
    /// `string`.
    String(Text<'a>),
    /// `bool`.
    Bool(bool),
    /// `strings`, at least one.
    Strings(Vec<Text<'a>>),
    /// `versions`, at least one.
    Versions(Vec<Text<'a>>),
    /// `bools`, at least one.
    Bools(Vec<bool>),
}

impl Attribute<'_> {
    /// The whole numbers; none for any other kind.
    #[must_use]
    pub fn numbers(&self) -> &[Number] {
        match self {
            Self::Int(number) => std::slice::from_ref(number),
            Self::Ints(numbers) => numbers,
            _ => &[],
        }
    }
}

object! {
    /// One capacity.
    Capacity {
        /// The full amount.
        value: Option<Amount<'a>> = "value",
        /// Which parts of it a claim may take.
        policy: Option<Policy<'a>> = "requestPolicy",
    }
    known: []
}

object! {
    /// `requestPolicy` of a capacity.
    Policy {
        /// Taken when a claim asks for nothing.
        default: Option<Amount<'a>> = "default",
        /// The only amounts that can be taken.
        valid_values: Items<Amount<'a>> = "validValues",
        /// Bounds and step of the amounts that can be taken.
        range: Option<Range<'a>> = "validRange",
    }
    known: []
}

object! {
    /// `validRange` of a request policy.
    Range {
        /// The smallest amount.
        min: Option<Amount<'a>> = "min",
        /// The largest amount.
        max: Option<Amount<'a>> = "max",
        /// The distance between two amounts.
        step: Option<Amount<'a>> = "step",
    }
    known: []
}

object! {
    /// A set of counters.
    CounterSet {
        /// Its name in the pool.
        name: Option<Text<'a>> = "name",
        /// What it holds.
        counters: Entries<'a, Counter<'a>> = "counters",
    }
    known: ["compatibilityGroups"]
}

object! {
    /// What one device takes from a set of counters.
    Consumption {
        /// The set.
        set: Option<Text<'a>> = "counterSet",
        /// How much of each.
        counters: Entries<'a, Counter<'a>> = "counters",
    }
    known: ["compatibilityGroups"]
}

object! {
    /// One counter.
    Counter {
        /// The amount.
        value: Option<Amount<'a>> = "value",
    }
    known: []
}

impl Device<'_> {
    /// Where the content is: the device itself, or what v1beta1 keeps under `basic`.
    #[must_use]
    pub fn body(&self) -> &Self {
        self.basic.as_deref().unwrap_or(self)
    }

    /// True when content stands directly in the device, where v1beta1 does not look.
    #[must_use]
    pub fn has_flat_content(&self) -> bool {
        let is_mapped = self.mappings_v136.is_written() || self.mappings_v137.is_written();
        is_mapped || self.multiple.is_some() || !self.attributes.is_empty() || !self.capacity.is_empty()
    }

    /// True when the device has a mapping in any shape.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        let body = self.body();
        [&body.mappings_v136, &body.mappings_v137].iter().any(|field| field.get().is_some_and(|map| !map.is_empty()))
    }

    /// The path of the content of device `index`.
    #[must_use]
    pub fn path(&self, index: usize) -> Path {
        let path = Path::fields(&["spec", "devices"]).named(index, self.shown_name());
        if self.basic.is_some() { path.field("basic") } else { path }
    }

    /// The name, or nothing.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }
}

impl Slice<'_> {
    /// How many slices the pool is said to have; 1 where that cannot be read.
    #[must_use]
    pub fn pool_size(&self) -> i64 {
        let count = self.spec.as_ref().and_then(|spec| spec.pool.as_ref()?.slice_count.as_ref()?.whole());
        count.unwrap_or(1)
    }
}
