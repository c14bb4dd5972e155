//! Area G: rollout and version skew.

use serde_json::json;

use crate::common::server::{Folder, Server};
use crate::made;
use crate::reviewed::{mapped, mapped_v136, one, pool_slice, review};
use crate::served::{Cluster, ask, slice};

const ROLLOUT: &str = "apiVersion: draguard.dev/v1alpha1\nkind: NodeAllocatableRollout\nmetadata: {name: default}\n";

#[test]
fn g01_the_shape_of_another_server_is_dropped_in_silence() {
    let v137 = mapped("cpu: {mapping: {deviceMultiplier: \"1\"}}");
    let v136 = mapped_v136("cpu: {allocationMultiplier: \"1\"}");
    let report = review(&[("slice.yaml", &v137)], &["--kube-version", "1.36"]);
    report.denies(&["DG122"]);
    report.says("DG122", "nodeAllocatableResourceMappings: {cpu: {allocationMultiplier: \\\"1\\\"}}");
    review(&[("slice.yaml", &v136)], &["--kube-version", "1.37"]).denies(&["DG122"]);
    one(&v136).is_clean();
    one(&v137).is_clean();
}

#[test]
fn g07_a_canary_label_that_a_kubelet_can_set() {
    let canary =
        |label: &str| format!("{ROLLOUT}spec: {{canary: {{nodeSelector: {{matchLabels: {{{label}: \"true\"}}}}}}}}\n");
    one(&canary("dra-canary")).denies(&["DG504"]);
    one(&canary("node-restriction.kubernetes.io/dra-canary")).is_clean();
}

#[test]
fn g04_mappings_that_the_server_drops_are_told_once_a_driver() {
    let server = Server::start(&["--standalone", Folder::new().path().to_str().unwrap()]);
    let write = |driver: &str, device: &str, is_mapped: bool| {
        let mut device = json!({ "name": device });
        if is_mapped {
            device["nodeAllocatableResources"] = json!({"cpu": {"mapping": {"deviceMultiplier": "1"}}});
        }
        ask("resourceslices", "admin", None, Some(slice(driver, "node-a", &json!([device]))))
    };
    let drop = |driver: &str, device: &str| {
        write(driver, device, true).mutating().send_to(&server).is_clean();
        write(driver, device, false).send_to(&server)
    };
    drop("d.example.com", "dev-0").warned("DG123");
    drop("d.example.com", "dev-1").is_clean();
    drop("other.example.com", "dev-0").warned("DG123");
    write("bare.example.com", "dev-0", false).mutating().send_to(&server).is_clean();
    write("bare.example.com", "dev-0", false).send_to(&server).is_clean();
    let unmapped = || server.metric("draguard_drivers_unmapped").to_string();
    assert_eq!(unmapped(), "2");
    write("d.example.com", "dev-0", true).mutating().send_to(&server).is_clean();
    write("d.example.com", "dev-0", true).send_to(&server).is_clean();
    assert_eq!(unmapped(), "1");
    drop("d.example.com", "dev-0").warned("DG123");
}

#[test]
fn an_invalid_rollout_names_the_field_that_was_meant() {
    let report = one(&format!("{ROLLOUT}spec: {{bindres: []}}\n"));
    report.denies(&["DG505"]);
    report.says("DG505", "binders");
}

#[test]
fn g11_cpus_asked_for_in_the_claim_and_again_in_the_container() {
    let shared = "[{name: numa-0, allowMultipleAllocations: true, capacity: {dra.cpu/cpu: {value: \"62\"}}, \
                  nodeAllocatableResources: {cpu: {mapping: {capacityKey: dra.cpu/cpu, capacityMultiplier: \"1\"}}}}]";
    let slice = pool_slice("s", "node-a", "{name: node-a, generation: 1, resourceSliceCount: 1}", shared);
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: four, namespace: ns}\nspec: {devices: \
                 {requests: [{name: r, exactly: {deviceClassName: cpu, capacity: {requests: {dra.cpu/cpu: \"4\"}}}}]}}\n";
    let pod = |cpu: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: ns}}\nspec:\n  resourceClaims: [{{name: c, \
             resourceClaimName: four}}]\n  containers:\n  - name: main\n    resources: {{requests: {{cpu: \"{cpu}\"}}, \
             claims: [{{name: c}}]}}\n"
        )
    };
    let all = |pod: &str| review(&[("slice.yaml", &slice), ("claim.yaml", claim), ("pod.yaml", pod)], &[]);
    let report = all(&pod("4"));
    report.warns(&["DG311"]);
    report.says("DG311", "cpu requested twice: 4");
    all(&pod("1")).is_clean();
}

fn cluster(label: &str, outside: &str) -> Folder {
    let dir = Folder::new();
    let node = format!("apiVersion: v1\nkind: Node\nmetadata: {{name: node-a, labels: {{{label}: \"true\"}}}}\n");
    let selector = "nodeSelector: {matchLabels: {node-restriction.kubernetes.io/canary: \"true\"}}";
    let rollout = format!("{ROLLOUT}spec: {{canary: {{{selector}, outside: {outside}}}}}\n");
    std::fs::write(dir.path().join("node.yaml"), node).unwrap();
    std::fs::write(dir.path().join("draguard.yaml"), rollout).unwrap();
    dir
}

#[test]
fn outside_the_canary_a_slice_loses_its_mapping_and_keeps_its_devices() {
    let devices = json!([{"name": "a"}, {"name": "b", "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "1"}}}}]);
    let write = || ask("resourceslices", "admin", None, Some(slice("d.example.com", "node-a", &devices)));
    let start = |dir: &Folder| Server::start(&["--standalone", dir.path().to_str().unwrap()]);
    let outside = cluster("other", "Strip");
    let patch = write().mutating().send_to(&start(&outside)).patch();
    assert_eq!(patch, json!([{"op": "remove", "path": "/spec/devices/1/nodeAllocatableResources"}]));
    let inside = cluster("node-restriction.kubernetes.io/canary", "Strip");
    write().mutating().send_to(&start(&inside)).is_clean();
    let strict = cluster("other", "Deny");
    write().send_to(&start(&strict)).denied("DG501", "node-a");
}

#[test]
fn a_slice_that_is_mapped_already_is_stripped_on_its_next_update() {
    let mapped =
        |name: &str| json!({"name": name, "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "1"}}}});
    let of = |devices: serde_json::Value| slice("d.example.com", "node-a", &devices);
    let update =
        || ask("resourceslices", "admin", Some(of(json!([mapped("a")]))), Some(of(json!([mapped("a"), mapped("b")]))));
    let start = |dir: &Folder| Server::start(&["--standalone", dir.path().to_str().unwrap()]);
    let patch = update().mutating().send_to(&start(&cluster("other", "Strip"))).patch();
    assert_eq!(patch.as_array().unwrap().len(), 2);
    update().send_to(&start(&cluster("other", "Deny"))).denied("DG501", "node-a");
}

#[test]
fn a_rule_is_switched_off_with_the_bare_word_that_yaml_takes_for_false() {
    one(&format!("{ROLLOUT}spec: {{rules: {{DG115: Off}}}}\n")).is_clean();
    let report = one(&format!("{ROLLOUT}spec: {{rules: {{DG115: On}}}}\n"));
    report.denies(&["DG505"]);
}

#[test]
fn amounts_that_cannot_be_read_are_refused_even_where_their_rule_is_off() {
    let config = Folder::new();
    let file = config.path().join("settings.yaml");
    std::fs::write(&file, format!("{ROLLOUT}spec: {{rules: {{DG102: Off}}}}\n")).unwrap();
    let flags = ["--config", file.to_str().unwrap()];
    review(&[("s.yaml", &mapped("memory: {mapping: {deviceMultiplier: '1e101'}}"))], &flags).denies(&["DG109"]);
}

#[test]
fn a_standalone_server_judges_beside_the_objects_of_its_folder() {
    let dir = Folder::new();
    let pool = "{name: node-a, generation: 9, resourceSliceCount: 1}";
    std::fs::write(dir.path().join("slice.yaml"), pool_slice("stored", "node-a", pool, "[]")).unwrap();
    let server = Server::start(&["--standalone", dir.path().to_str().unwrap()]);
    let write = |name: &str| {
        let mut written = slice("d.example.com", "node-a", &json!([]));
        written["metadata"]["name"] = json!(name);
        ask("resourceslices", "admin", None, Some(written)).send_to(&server)
    };
    write("other").denied("DG201", "generation 9");
    write("stored").is_clean();
}

#[test]
fn g06_a_mapping_for_a_kubelet_that_does_not_know_it() {
    let declares = |name: &str, features: &[&str]| {
        let mut node = made::node(name, "64");
        node["status"]["declaredFeatures"] = json!(features);
        node
    };
    let devices = json!([made::whole("dev-0", "1")]);
    let slices = [made::slice("node-old", &devices), made::slice("node-new", &devices)];
    let nodes = [declares("node-old", &[]), declares("node-new", &["DRANodeAllocatableResources"])];
    let cluster = Cluster::of(&[nodes, slices.clone()].concat());
    let publish = |slice: &serde_json::Value| cluster.asked(ask("resourceslices", "admin", None, Some(slice.clone())));
    publish(&slices[0]).warned_of("DG503", "node-old");
    publish(&slices[1]).is_clean();
    let allocate = |node: &str| {
        let mut result = made::result("dev-0");
        result["pool"] = json!(node);
        cluster.asked(made::allocates(&made::given("c", node, &json!([result]), &[])))
    };
    allocate("node-old").denied("DG503", "declaredFeatures does not have DRANodeAllocatableResources");
    allocate("node-new").is_clean();
}

#[test]
fn g06_an_old_kubelet_declares_nothing_at_all() {
    let devices = json!([made::whole("dev-0", "1")]);
    let new = made::given("c", "node-a", &json!([made::result("dev-0")]), &[]);
    let old = [made::node("node-a", "64"), made::slice("node-a", &devices)];
    // Where no node declares anything, the cluster may not have declared features.
    Cluster::of(&old).asked(made::allocates(&new)).is_clean();
    let mut other = made::node("node-b", "64");
    other["status"]["declaredFeatures"] = json!(["DRANodeAllocatableResources"]);
    let cluster = Cluster::of(&[&old[..], &[other]].concat());
    cluster.asked(made::allocates(&new)).denied("DG503", "node-a");
}

#[test]
fn g06_no_mapped_device_is_allocated_outside_the_canary() {
    let mut inside = made::node("node-b", "64");
    inside["metadata"]["labels"] = json!({"node-restriction.kubernetes.io/canary": "true"});
    let devices = json!([made::whole("dev-0", "1"), {"name": "plain"}]);
    let slices = [made::slice("node-a", &devices), made::slice("node-b", &devices)];
    let objects = [vec![made::node("node-a", "64"), inside], slices.to_vec()].concat();
    let canary = |outside: &str| {
        let selector = json!({"matchLabels": {"node-restriction.kubernetes.io/canary": "true"}});
        Cluster::with(&objects, &json!({"canary": {"nodeSelector": selector, "outside": outside}}))
    };
    let new = |node: &str, device: &str| {
        let mut result = made::result(device);
        result["pool"] = json!(node);
        made::allocates(&made::given("c", node, &json!([result]), &[]))
    };
    let cluster = canary("Strip");
    cluster.asked(new("node-a", "dev-0")).denied("DG502", "\"node-a\", which is outside the canary");
    cluster.asked(new("node-b", "dev-0")).is_clean();
    cluster.asked(new("node-a", "plain")).is_clean();
    canary("Warn").asked(new("node-a", "dev-0")).warned("DG502");
}
