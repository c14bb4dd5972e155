//! What is in the cluster, and what to try with it.

use std::io;
use std::time::Duration;

use draguard_testbed::objects::{
    add_node, claim, device_class, fixed_device, node, object, pod, request, slice, wait_bound,
};
use draguard_testbed::{Client, ControlPlane, Front, Version, wait_for};

const SOON: Duration = Duration::from_mins(2);
const DRIVER: &str = "cpu.example.com";
const NODES: [&str; 2] = ["node-a", "node-b"];

/// Two nodes with slices of a driver, a claim for one device, and a pod that the real scheduler binds.
pub fn fill(cluster: &ControlPlane) -> Result<(), String> {
    let admin = cluster.admin();
    admin.create(&device_class("cpu", DRIVER)).result()?;
    for name in NODES {
        add_node(&admin, &node(cluster.version(), name, "8", "16Gi"));
        publish(&admin, cluster.version(), name);
    }
    admin.create(&claim("default", "two-cores", &[request("cpu", "cpu")])).result()?;
    // The controller manager may be quicker.
    admin.create(&object("v1", "ServiceAccount", Some("default"), "default"));
    let worker = admin.create(&pod("default", "worker", "node-a", &["two-cores"])).result()?;
    wait_bound(&admin, &worker, SOON);
    Ok(())
}

/// Writes the manifests to try, and says how.
pub fn guide(cluster: &ControlPlane, front: &Front) -> io::Result<String> {
    let kubectl = cluster.kubectl();
    let program = kubectl.program().display();
    let refused = front.workspace().write("refused.yaml", &refused(cluster.version()))?;
    let doubtful = front.workspace().write("doubtful.yaml", &doubtful(cluster.version()))?;
    Ok(format!(
        "\
export KUBECONFIG={kubeconfig} KUBECACHEDIR={cache}

# 2Gi of cpu, which Kubernetes alone would store: refused
{program} apply -f {refused}

# what the scheduler counts for the claim of pod worker
{program} get pod worker -o jsonpath-as-json='{{.status.nodeAllocatableResourceClaimStatuses}}'

# a doubtful slice: stored, with warnings
{program} apply -f {doubtful}

Kubernetes {version} with draguard in front: nodes, slices, a claim and a pod are there. Ctrl-C ends it.",
        kubeconfig = kubectl.kubeconfig(),
        cache = kubectl.cache().display(),
        version = cluster.version(),
    ))
}

/// A server looks for a new node in a cache that may be behind.
fn publish(admin: &Client, version: Version, node: &str) {
    let devices = ["cpu-0", "cpu-1", "cpu-2", "cpu-3"].map(|name| fixed_device(version, name, &[("cpu", "2")]));
    let slice = slice(DRIVER, node, &devices);
    wait_for("the slice to be stored", SOON, || admin.create(&slice).result());
}

fn refused(version: Version) -> String {
    slice_of("refused", &format!("  - name: cpu-0\n{}", mapping(version, "cpu", "2Gi")))
}

fn doubtful(version: Version) -> String {
    let attribute = "    attributes:\n      numaNode: {int: -1}\n";
    slice_of("doubtful", &format!("  - name: mem-0\n{attribute}{}", mapping(version, "memory", "400")))
}

fn slice_of(name: &str, devices: &str) -> String {
    format!(
        "\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: {name}
spec:
  driver: {DRIVER}
  nodeName: node-b
  pool: {{name: {name}, generation: 1, resourceSliceCount: 1}}
  devices:
{devices}"
    )
}

fn mapping(version: Version, resource: &str, amount: &str) -> String {
    let content = match version {
        Version::V1_36 => format!("{{allocationMultiplier: {amount:?}}}"),
        Version::V1_37 => format!("{{mapping: {{deviceMultiplier: {amount:?}}}}}"),
    };
    format!("    {}:\n      {resource}: {content}\n", version.slice_field())
}
