//! The pools that drivers publish, and what their devices map. A device's mapping never changes: which one an allocation
//! is charged under when it does depends on what was seen first, and has a test of its own.

use draguard::ledger::object::{Mapped, Name, Place, PoolKey, Rate};
use draguard::model::quantity::Quantity;
use proptest::prelude::*;
use proptest::sample::select;

/// Every node.
pub const NODES: usize = 3;

/// The pools of a world.
#[derive(Debug, Clone)]
pub struct Layout {
    pub pools: Vec<PoolSpec>,
}

/// One pool, in one or two slices.
#[derive(Debug, Clone)]
pub struct PoolSpec {
    pub key: PoolKey,
    pub place: Place,
    pub slices: usize,
    pub devices: Vec<DeviceSpec>,
}

/// One device.
#[derive(Debug, Clone)]
pub struct DeviceSpec {
    pub name: Name,
    pub place: Option<Place>,
    pub zone: Option<i64>,
    pub is_shared: bool,
    pub mapped: Vec<Mapped>,
}

impl PoolSpec {
    /// Where a device of it is.
    pub fn place_of<'a>(&'a self, device: &'a DeviceSpec) -> &'a Place {
        device.place.as_ref().unwrap_or(&self.place)
    }
}

pub fn node(nth: usize) -> Name {
    format!("node-{}", nth % NODES).into()
}

/// Two drivers with pools of one name, two nodes with pools of one name, a pool of many nodes, and one whose devices say
/// for themselves where they are.
pub fn layout() -> impl Strategy<Value = Layout> {
    let pools = [
        pool("cpu.example.com", "node-0", Place::Node(node(0)), false),
        pool("gpu.example.com", "node-0", Place::Node(node(0)), false),
        pool("cpu.example.com", "same", Place::Node(node(0)), false),
        pool("cpu.example.com", "same", Place::Node(node(1)), false),
        pool("fabric.example.com", "fabric", Place::Many, false),
        pool("each.example.com", "each", Place::Many, true),
    ];
    pools.to_vec().prop_map(|pools| Layout { pools })
}

fn pool(driver: &'static str, pool: &'static str, place: Place, is_each: bool) -> BoxedStrategy<PoolSpec> {
    let devices = prop::collection::vec(device(is_each), 1..4);
    let spec = (1..3_usize, devices).prop_map(move |(slices, mut devices)| {
        for (nth, device) in devices.iter_mut().enumerate() {
            device.name = format!("dev-{nth}").into();
        }
        let key = PoolKey { driver: driver.into(), pool: pool.into() };
        PoolSpec { key, place: place.clone(), slices, devices }
    });
    spec.boxed()
}

fn device(is_each: bool) -> impl Strategy<Value = DeviceSpec> {
    let place = (0..=NODES).prop_map(|nth| if nth == NODES { Place::Many } else { Place::Node(node(nth)) });
    let zone = select(vec![None, Some(0), Some(1)]);
    (place, zone, any::<bool>(), mappings()).prop_map(move |(place, zone, is_shared, mapped)| DeviceSpec {
        name: Name::from(""),
        place: is_each.then_some(place),
        zone,
        is_shared,
        mapped,
    })
}

fn mappings() -> impl Strategy<Value = Vec<Mapped>> {
    let resources = prop::sample::subsequence(vec!["cpu", "hugepages-2Mi", "memory"], 0..=3);
    (resources, prop::collection::vec(mapped(), 3)).prop_map(|(resources, mapped)| {
        let named = resources.into_iter().zip(mapped);
        named.map(|(resource, mapped)| Mapped { resource: resource.into(), ..mapped }).collect()
    })
}

/// What a device takes of a resource. Stored before draguard came, it may be negative.
fn mapped() -> impl Strategy<Value = Mapped> {
    let amount = || select(vec!["1", "2500m", "1Gi", "-3", "0", "100u", "7"]).prop_map(quantity);
    let capacity = ("[a-c]", amount()).prop_map(|(key, factor)| Rate::Capacity { key: key.into(), factor });
    let rate = prop_oneof![amount().prop_map(Rate::Device), capacity];
    let (rate, pod, container) = (prop::option::of(rate), prop::option::weighted(0.3, amount()), amount());
    (rate, pod, prop::option::weighted(0.3, container)).prop_map(|(rate, per_pod, per_container)| Mapped {
        resource: Name::from(""),
        schema: "v1.37".into(),
        rate,
        per_pod,
        per_container,
    })
}

pub fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}
