//! Where the table is played: two nodes, two drivers with devices on both, pods, and claims in every state.

use draguard_testbed::objects::{self, DRA, object, request};
use draguard_testbed::{Client, Version, path_of};
use serde_json::{Value, json};

use super::claims::{CLAIMS, Claim};
use super::writers::Node;
use crate::bed::Bed;

/// The names of everything that is there.
pub struct Ground {
    pub namespace: String,
    pub gpu: String,
    pub nic: String,
    nodes: [String; 2],
    /// Two pods of node a.
    pub pods: Vec<Value>,
}

/// The pool that is no node's.
pub const NETWORK: &str = "network";
/// The device of which there are shares.
pub const SHARED: &str = "shared";

impl Ground {
    /// Lays it out; the bed's node, which is node a, must be there.
    pub fn lay(bed: &Bed) -> Ground {
        let other = format!("{}-b", bed.ns);
        bed.add_node_named(&other);
        let mut ground = Ground {
            namespace: bed.ns.clone(),
            gpu: format!("gpu.{}", bed.driver),
            nic: format!("nic.{}", bed.driver),
            nodes: [bed.node.clone(), other],
            pods: Vec::new(),
        };
        ground.pods = ["pod-1", "pod-2"].map(|name| ground.add_pod(&bed.admin, name)).into();
        for driver in [ground.gpu.clone(), ground.nic.clone()] {
            bed.admin.create(&objects::device_class(&driver, &driver)).must();
            for slice in ground.slices(bed.version, &driver) {
                bed.create_slice(&slice).must();
            }
        }
        for claim in CLAIMS {
            ground.add_claim(&bed.admin, claim);
        }
        ground
    }

    /// A node's name.
    pub fn node(&self, node: Node) -> &str {
        match node {
            Node::A => &self.nodes[0],
            Node::B => &self.nodes[1],
        }
    }

    /// A claim without content.
    pub fn claim(&self, name: &str) -> Value {
        object(DRA, "ResourceClaim", Some(&self.namespace), name)
    }

    /// A reservation for one of the pods.
    pub fn reservation(&self, pod: usize) -> Value {
        let meta = &self.pods[pod]["metadata"];
        json!({ "resource": "pods", "name": meta["name"], "uid": meta["uid"] })
    }

    fn add_pod(&self, admin: &Client, name: &str) -> Value {
        let mut pod = objects::pod(&self.namespace, name, &self.nodes[0], &[]);
        pod["spec"]["nodeName"] = json!(self.nodes[0]);
        admin.create(&pod).must()
    }

    /// A slice for each node, and one for the network. Nothing in them takes of a node.
    fn slices(&self, version: Version, driver: &str) -> Vec<Value> {
        let names = CLAIMS.iter().flat_map(Claim::devices);
        let mut devices: Vec<Value> = names.map(|name| objects::device(&name)).collect();
        let mut shared = objects::shared_device(version, SHARED, "8");
        shared.as_object_mut().expect("a device").remove(version.slice_field());
        devices.push(shared);
        let of_node = self.nodes.iter().map(|node| objects::slice(driver, node, &devices));
        let mut network = objects::slice(driver, NETWORK, &devices);
        let spec = network["spec"].as_object_mut().expect("a spec");
        spec.remove("nodeName");
        spec.insert("allNodes".to_owned(), json!(true));
        of_node.chain([network.clone()]).collect()
    }

    fn add_claim(&self, admin: &Client, claim: &Claim) {
        let requests = [request("gpu", &self.gpu), request("nic", &self.nic)];
        let made = admin.create(&objects::claim(&self.namespace, claim.name, &requests)).must();
        let mut allocated = made.clone();
        allocated["status"] = json!({});
        (claim.status)(&mut allocated["status"], self, claim);
        let entries = allocated["status"]["devices"].take();
        allocated["status"].as_object_mut().expect("a status").remove("devices");
        let mut stored = admin.put(&(path_of(&made) + "/status"), &allocated).must();
        if entries.is_array() {
            stored["status"]["devices"] = entries;
            admin.replace_status(&stored).must();
        }
    }
}
