//! Nodes and drivers: what the workloads run on.

use draguard_testbed::objects::{DRA, add_namespace, add_node, device_class, node, object};
use draguard_testbed::{Client, Patch, Version, path_of, wait_for};
use serde_json::{Value, json};

use super::mapping::{CAPACITY, by_capacity, on_top, whole};
use super::random::Random;
use crate::bed::SOON;

/// The namespace of all workloads; it may have admin access.
pub const NAMESPACE: &str = "workloads";
/// How many nodes there are.
pub const NODES: usize = 6;
/// The runtime class whose pods take something on top.
pub const HEAVY: &str = "heavy";

/// The drivers, each with a class of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Whole devices of a node.
    Fixed,
    /// Shared devices of a node, charged by capacity.
    Shared,
    /// Whole devices with overhead, and a mapping.
    Heavy,
    /// Shared devices with nothing but overhead.
    Light,
    /// Shared devices of a pool of all nodes.
    Everywhere,
    /// Whole devices of a pool of half of the nodes.
    Somewhere,
    /// Whole devices of one pool, each of which says on which node it is.
    Each,
    /// Whole devices without any mapping.
    Plain,
}

impl Driver {
    pub const ALL: [Driver; 8] = [
        Driver::Fixed,
        Driver::Shared,
        Driver::Heavy,
        Driver::Light,
        Driver::Everywhere,
        Driver::Somewhere,
        Driver::Each,
        Driver::Plain,
    ];

    /// The name of its class.
    pub fn class(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// True when several claims may have one of its devices, each a part.
    pub fn is_shared(self) -> bool {
        matches!(self, Driver::Shared | Driver::Light | Driver::Everywhere)
    }

    fn name(self) -> String {
        format!("{}.example.com", self.class())
    }

    fn is_local(self) -> bool {
        !matches!(self, Driver::Everywhere | Driver::Somewhere | Driver::Each)
    }
}

/// The name of a node.
pub fn node_name(nth: usize) -> String {
    format!("node-{nth}")
}

/// Makes everything but the workloads.
pub fn build(admin: &Client, version: Version, random: &mut Random) {
    add_namespace(admin, NAMESPACE);
    let labels = json!({ "metadata": { "labels": { "resource.kubernetes.io/admin-access": "true" } } });
    admin.patch(&path_of(&object("v1", "Namespace", None, NAMESPACE)), Patch::Merge, &labels).must();
    let mut heavy = object("node.k8s.io/v1", "RuntimeClass", None, HEAVY);
    heavy["handler"] = json!(HEAVY);
    heavy["overhead"] = json!({ "podFixed": { "cpu": "70m", "memory": "33Mi" } });
    admin.create(&heavy).must();
    (0..NODES).for_each(|nth| build_node(admin, version, nth));
    for driver in Driver::ALL {
        admin.create(&device_class(&driver.class(), &driver.name())).must();
        for slice in slices(driver, version, random) {
            // A server looks for a new node in a cache that may be behind.
            wait_for("the slice to be stored", SOON, || admin.create(&slice).result());
        }
    }
}

fn build_node(admin: &Client, version: Version, nth: usize) {
    let mut node = node(version, &node_name(nth), "96", "384Gi");
    node["metadata"]["labels"]["zone"] = json!(if nth.is_multiple_of(2) { "even" } else { "odd" });
    for resources in ["capacity", "allocatable"] {
        node["status"][resources]["hugepages-2Mi"] = json!("1Gi");
    }
    add_node(admin, &node);
}

fn slices(driver: Driver, version: Version, random: &mut Random) -> Vec<Value> {
    if driver.is_local() {
        return (0..NODES).flat_map(|nth| local_pool(driver, version, nth, random)).collect();
    }
    let mut devices: Vec<Value> =
        (0..2 * NODES).map(|nth| device(driver, version, &format!("dev-{nth}"), nth, random)).collect();
    let place = match driver {
        Driver::Everywhere => ("allNodes", json!(true)),
        Driver::Somewhere => ("nodeSelector", selector("zone", "even")),
        _ => {
            place_each(&mut devices);
            ("perDeviceNodeSelection", json!(true))
        }
    };
    vec![slice(driver, &driver.class(), "wide", place, &devices, 1)]
}

/// The first devices are on one node each, the last ones on half of all nodes.
fn place_each(devices: &mut [Value]) {
    for (nth, device) in devices.iter_mut().enumerate() {
        match nth < NODES {
            true => device["nodeName"] = json!(node_name(nth)),
            false => device["nodeSelector"] = selector("zone", "odd"),
        }
    }
}

fn selector(label: &str, value: &str) -> Value {
    let expression = json!({ "key": label, "operator": "In", "values": [value] });
    json!({ "nodeSelectorTerms": [{ "matchExpressions": [expression] }] })
}

/// One or two slices. v1.36 looks for devices by pool alone, so there no two drivers have pools of one name.
fn local_pool(driver: Driver, version: Version, nth: usize, random: &mut Random) -> Vec<Value> {
    let node = node_name(nth);
    let pool = match version {
        Version::V1_36 => format!("{}-{node}", driver.class()),
        Version::V1_37 => node.clone(),
    };
    let count = if driver.is_shared() { 4 } else { 10 };
    let devices: Vec<Value> =
        (0..count).map(|nth| device(driver, version, &format!("dev-{nth}"), nth, random)).collect();
    let parts: Vec<&[Value]> = if random.chance(40) { devices.chunks(count / 2).collect() } else { vec![&devices[..]] };
    let part = |(nth, part): (usize, &&[Value])| {
        slice(driver, &pool, &format!("{node}-{nth}"), ("nodeName", json!(node)), part, parts.len())
    };
    parts.iter().enumerate().map(part).collect()
}

fn slice(driver: Driver, pool: &str, suffix: &str, place: (&str, Value), devices: &[Value], count: usize) -> Value {
    let mut slice = object(DRA, "ResourceSlice", None, &format!("{}-{suffix}", driver.class()));
    slice["spec"] = json!({ "driver": driver.name(), "devices": devices, place.0: place.1,
        "pool": { "name": pool, "generation": 1, "resourceSliceCount": count } });
    slice
}

fn device(driver: Driver, version: Version, name: &str, nth: usize, random: &mut Random) -> Value {
    let mut device = json!({ "name": name });
    if random.chance(60) {
        device["attributes"] = json!({ "resource.kubernetes.io/numaNode": { "int": nth % 2 } });
    }
    if driver.is_shared() {
        device["allowMultipleAllocations"] = json!(true);
        for (key, value) in CAPACITY {
            device["capacity"][key] = json!({ "value": value });
        }
        if random.chance(30) {
            let range = json!({ "min": "1", "step": "1" });
            device["capacity"]["cores"]["requestPolicy"] = json!({ "default": "1", "validRange": range });
        }
    }
    remap(&mut device, driver, version, random);
    device
}

/// Gives a device the mapping of its driver, or a new one.
pub fn remap(device: &mut Value, driver: Driver, version: Version, random: &mut Random) {
    let mapping = match driver {
        Driver::Fixed | Driver::Somewhere => whole(random, version),
        Driver::Shared | Driver::Everywhere => by_capacity(random, version),
        Driver::Heavy | Driver::Each => on_top(random, version, true),
        Driver::Light => on_top(random, version, false),
        Driver::Plain => Value::Null,
    };
    if !mapping.is_null() {
        device[version.slice_field()] = mapping;
    }
}

/// Publishes some slices anew, in the next generation of their pools: other amounts, a mapping less, a device less.
/// Gives the number of slices.
pub fn republish(admin: &Client, version: Version, random: &mut Random) -> usize {
    let slices = admin.list("/apis/resource.k8s.io/v1/resourceslices");
    let drivers = Driver::ALL.iter().filter(|driver| **driver != Driver::Plain);
    let mut changed = 0;
    for driver in drivers {
        let pools: Vec<&Value> = slices.iter().filter(|slice| slice["spec"]["driver"] == driver.name()).collect();
        let pool = random.pick(&pools)["spec"]["pool"]["name"].clone();
        for slice in pools.into_iter().filter(|slice| slice["spec"]["pool"]["name"] == pool) {
            let mut slice = slice.clone();
            // Lists leave this out.
            (slice["apiVersion"], slice["kind"]) = (json!(DRA), json!("ResourceSlice"));
            change(&mut slice, *driver, version, random);
            admin.replace(&slice).must();
            changed += 1;
        }
    }
    changed
}

fn change(slice: &mut Value, driver: Driver, version: Version, random: &mut Random) {
    let generation = slice["spec"]["pool"]["generation"].as_i64().expect("a generation");
    slice["spec"]["pool"]["generation"] = json!(generation + 1);
    let devices = slice["spec"]["devices"].as_array_mut().expect("devices");
    // A device that had no mapping keeps none: whoever begins anew could not tell that its claims are charged nothing.
    for device in devices.iter_mut().filter(|device| !device[version.slice_field()].is_null()) {
        match random.below(10) {
            0 => device[version.slice_field()] = Value::Null,
            1..=6 => remap(device, driver, version, random),
            _ => {}
        }
    }
    if devices.len() > 4 && random.chance(50) {
        devices.pop();
    }
}
