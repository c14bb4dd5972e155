//! Nodes: declared features, and who may write whose slices.

use draguard_testbed::objects::{self, FEATURE, device, object};
use draguard_testbed::{Client, Patch, path_of, wait_for};
use serde_json::{Value, json};

use super::roles::patiently;
use crate::bed::{Bed, SOON};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_mapping_needs_a_declaring_node,
        "F3, 11.8",
        T37,
        "A slice with a mapping for a node that does not declare the feature is a 403; once it does, the slice is stored"
    ),
    fact!(
        fact_mapping_needs_a_known_node,
        "2.1",
        T37,
        "A slice with a mapping for an unknown node is a 403, one without a mapping is stored"
    ),
    fact!(
        fact_one_old_node_blocks_slices_for_all_nodes,
        "2.1",
        T37,
        "A mapping in a slice selecting several nodes is a 403 as long as one of them does not declare the feature"
    ),
    fact!(fact_nobody_asks_the_node, "2.1", T36, "A slice with a mapping is stored for a node that does not exist"),
    fact!(
        fact_new_nodes_are_tainted,
        "11",
        BOTH,
        "A new node carries the not-ready taint until somebody takes it away"
    ),
    fact!(
        fact_kubelets_write_slices_of_their_own_node_only,
        "4",
        BOTH,
        "A kubelet may create slices of its own node; another node's is a 403"
    ),
    fact!(
        fact_drivers_write_slices_of_any_node,
        "4, 11.10",
        BOTH,
        "A driver's service account with a token bound to one node may write the slices of another"
    ),
];

fn undeclared(bed: &Bed, name: &str) -> Value {
    let mut node = objects::node(bed.version, name, "8", "16Gi");
    node["status"]["declaredFeatures"] = json!([]);
    objects::add_node(&bed.admin, &node);
    node
}

fn fact_mapping_needs_a_declaring_node(bed: &Bed) {
    let node = undeclared(bed, &bed.node);
    let text = format!("does not support {FEATURE} feature");
    bed.store_slice(&[bed.device()]).refused(403, &text);
    let declared = json!({ "status": { "declaredFeatures": [FEATURE] } });
    let status = path_of(&node) + "/status";
    bed.admin.patch(&status, Patch::Merge, &declared).must();
    let slice = bed.slice(&[bed.device()]);
    wait_for("the slice to be stored", SOON, || bed.admin.create(&slice).result());
}

fn fact_mapping_needs_a_known_node(bed: &Bed) {
    let answer = bed.admin.create(&bed.slice(&[bed.device()]));
    answer.refused(403, "not found for device");
    bed.admin.create(&bed.slice(&[device("dev-0")])).must();
}

fn fact_one_old_node_blocks_slices_for_all_nodes(bed: &Bed) {
    let second = format!("{}-old", bed.ns);
    bed.add_node();
    undeclared(bed, &second);
    let mut slice = bed.slice(&[bed.device()]);
    let spec = slice["spec"].as_object_mut().expect("a spec");
    spec.remove("nodeName");
    let names = json!([bed.node, second]);
    let term = json!({ "key": "kubernetes.io/hostname", "operator": "In", "values": names });
    spec.insert("nodeSelector".to_owned(), json!({ "nodeSelectorTerms": [{ "matchExpressions": [term] }] }));
    wait_for("both nodes to be known", SOON, || {
        let answer = bed.admin.create(&slice);
        let text = answer.message().to_owned();
        match answer.code == 403 && text.contains(&second) && text.contains("does not support") {
            true => Ok(()),
            false => Err(format!("{} {text}", answer.code)),
        }
    });
}

fn fact_nobody_asks_the_node(bed: &Bed) {
    bed.admin.create(&bed.slice(&[bed.device()])).must();
}

fn fact_new_nodes_are_tainted(bed: &Bed) {
    let node = bed.admin.create(&objects::node(bed.version, &bed.node, "8", "16Gi")).must();
    assert_eq!(node["spec"]["taints"][0]["key"], "node.kubernetes.io/not-ready");
}

fn fact_kubelets_write_slices_of_their_own_node_only(bed: &Bed) {
    bed.add_node();
    let slice = bed.slice(&[device("dev-0")]);
    let other = bed.cluster.kubelet(&format!("{}-other", bed.ns));
    let text = "can only create ResourceSlice with the same NodeName";
    other.create(&slice).refused(403, text);
    let own = bed.cluster.kubelet(&bed.node);
    own.create(&slice).must();
}

fn fact_drivers_write_slices_of_any_node(bed: &Bed) {
    bed.add_node();
    let client = driver_on_node(bed, "driver", &bed.node);
    let mut slice = bed.slice(&[device("dev-0")]);
    slice["spec"]["nodeName"] = json!(format!("{}-other", bed.ns));
    patiently(|| client.create(&slice)).must();
}

/// A driver: a service account with a token bound to its pod on `node`, which may write slices.
pub fn driver_on_node(bed: &Bed, name: &str, node: &str) -> Client {
    let account = object("v1", "ServiceAccount", Some(&bed.ns), name);
    bed.admin.create(&account).must();
    let rules = json!([{ "apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"],
        "verbs": ["*"] }]);
    allow(bed, name, rules);
    let mut pod = bed.pod(name, &[]);
    pod["spec"]["serviceAccountName"] = json!(name);
    pod["spec"]["nodeName"] = json!(node);
    let pod = bed.admin.create(&pod).must();
    bed.cluster.service_account(&bed.ns, name, &pod)
}

/// Gives a service account of the fact's namespace cluster-wide rights.
pub fn allow(bed: &Bed, account: &str, rules: Value) {
    let subject = json!({ "kind": "ServiceAccount", "name": account, "namespace": bed.ns });
    grant(bed, &format!("{}-{account}", bed.ns), subject, rules);
}

/// Gives anybody cluster-wide rights, and waits for nothing: RBAC reads them within moments.
pub fn grant(bed: &Bed, name: &str, subject: Value, rules: Value) {
    let rbac = "rbac.authorization.k8s.io/v1";
    let mut role = object(rbac, "ClusterRole", None, name);
    role["rules"] = rules;
    bed.admin.create(&role).must();
    let mut binding = object(rbac, "ClusterRoleBinding", None, name);
    binding["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name });
    binding["subjects"] = json!([subject]);
    bed.admin.create(&binding).must();
}
