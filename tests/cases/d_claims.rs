//! Area D: the life of a claim.

use serde_json::{Value, json};

use crate::made;
use crate::served::{Cluster, ask, pod};
use crate::told::Told;

const SCHEDULER: &str = "system:kube-scheduler";

fn writes_list(list: &Value) {
    ask("pods/status", SCHEDULER, Some(pod(&Value::Null)), Some(pod(list))).send().is_clean();
}

fn claim(status: &Value) -> Value {
    let request = json!({"name": "r", "firstAvailable": [{"name": "gpu", "deviceClassName": "g"}, {"name": "cpu", "deviceClassName": "c"}]});
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ns", "uid": "u1"},
        "spec": {"devices": {"requests": [request]}}, "status": status,
    })
}

fn allocation(request: &str, consumed: &Value) -> Value {
    json!({"devices": {"results": [
        {"request": request, "driver": "dra.cpu", "pool": "node-a", "device": "cpudevnuma000", "shareID": "s1", "consumedCapacity": consumed}
    ]}})
}

#[test]
fn d03_a_claim_of_an_extended_resource_is_listed() {
    writes_list(&json!([{
        "resourceClaimName": "pod-x-extended-resources-abc12", "containers": ["c1"],
        "mapping": [{"name": "cpu", "quantity": "1"}],
    }]));
}

#[test]
fn d07_a_zombie_claim_loses_its_finalizer() {
    let mut old = claim(&json!({"allocation": allocation("r/cpu", &json!({}))}));
    old["metadata"]["finalizers"] = json!(["resource.kubernetes.io/delete-protection"]);
    old["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let mut new = old.clone();
    new["metadata"]["finalizers"] = json!([]);
    ask("resourceclaims", "system:serviceaccount:kube-system:resource-claim-controller", Some(old), Some(new))
        .send()
        .is_clean();
}

#[test]
fn d10_a_user_that_is_no_pod() {
    let users = json!([
        {"apiGroup": "example.com", "resource": "workloads", "name": "w", "uid": "w1"},
        {"resource": "pods", "name": "p1", "uid": "u1"},
    ]);
    let old = claim(&json!({"allocation": allocation("r/cpu", &json!({})), "reservedFor": []}));
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({})), "reservedFor": users}));
    ask("resourceclaims/status", SCHEDULER, Some(old), Some(new)).send().is_clean();
}

#[test]
fn d12_the_chosen_alternative_is_allocated() {
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({"dra.cpu/cpu": "30"}))}));
    ask("resourceclaims/status", SCHEDULER, Some(claim(&json!({}))), Some(new)).send().is_clean();
}

#[test]
fn d15_a_claim_that_no_container_refers_to_is_listed() {
    writes_list(&json!([{"resourceClaimName": "c", "mapping": [{"name": "cpu", "quantity": "16"}]}]));
}

#[test]
fn d16_a_claim_is_reserved_again() {
    let allocated = allocation("r/cpu", &json!({"dra.cpu/cpu": "30"}));
    let old = claim(&json!({"allocation": allocated, "reservedFor": []}));
    let new =
        claim(&json!({"allocation": allocated, "reservedFor": [{"resource": "pods", "name": "p1", "uid": "u1"}]}));
    ask("resourceclaims/status", SCHEDULER, Some(old), Some(new)).send().is_clean();
}

#[test]
fn negative_consumption_is_refused_whoever_writes_it() {
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({"dra.cpu/cpu": "-4"}))}));
    ask("resourceclaims/status", SCHEDULER, Some(claim(&json!({}))), Some(new)).send().denied("DG301", "-4");
}

#[test]
fn f09_a_dry_run_gets_the_real_verdict() {
    let new = claim(&json!({"allocation": allocation("r/cpu", &json!({"dra.cpu/cpu": "-4"}))}));
    ask("resourceclaims/status", SCHEDULER, Some(claim(&json!({}))), Some(new)).dry_run().send().denied("DG301", "-4");
}

/// node-a with one exclusive device that takes a CPU.
fn exclusive() -> Vec<Value> {
    vec![made::node("node-a", "64"), made::slice("node-a", &json!([made::whole("cpudev003", "1")]))]
}

fn with(objects: &[Value], more: &[Value]) -> Vec<Value> {
    [objects, more].concat()
}

#[test]
fn d01_one_device_for_two_claims() {
    let given = |name| made::given(name, "node-a", &json!([made::result("cpudev003")]), &[]);
    let cluster = Cluster::of(&with(&exclusive(), &[given("claim-1")]));
    cluster.asked(made::allocates(&given("claim-2"))).denied("DG303", "ns/claim-1");
    cluster.asked(made::allocates(&given("claim-1"))).is_clean();
}

#[test]
fn d01_one_device_for_two_claims_at_once() {
    let given = |name| made::given(name, "node-a", &json!([made::result("cpudev003")]), &[]);
    let free = [made::claim("claim-1", &json!({})), made::claim("claim-2", &json!({}))];
    let cluster = Cluster::of(&with(&exclusive(), &free));
    cluster.asked(made::allocates(&given("claim-2")).dry_run()).is_clean();
    cluster.asked(made::allocates(&given("claim-1"))).is_clean();
    cluster.asked(made::allocates(&given("claim-2"))).held("DG303", "ns/claim-1");
    cluster.asked(made::allocates(&given("claim-1"))).is_clean();
}

#[test]
fn d02_counters_are_drawn_once_for_each_device() {
    let draws = json!([{"counterSet": "pf", "counters": {"x": {"value": "1"}}}]);
    let device = |name| json!({"name": name, "allowMultipleAllocations": true, "consumesCounters": draws});
    let mut published = made::slice("node-a", &json!([device("vf-1"), device("vf-2")]));
    published["spec"]["sharedCounters"] = json!([{"name": "pf", "counters": {"x": {"value": "1"}}}]);
    let given = |name: &str, device: &str| {
        let mut result = made::result(device);
        result["shareID"] = json!(name);
        made::given(name, "node-a", &json!([result]), &[])
    };
    let empty = Cluster::of(std::slice::from_ref(&published));
    empty.asked(made::allocates(&given("claim-1", "vf-1"))).is_clean();
    let cluster = Cluster::of(&[published, given("claim-1", "vf-1")]);
    cluster.asked(made::allocates(&given("claim-2", "vf-1"))).is_clean();
    let verdict = cluster.asked(made::allocates(&given("claim-3", "vf-2")));
    verdict.denied("DG306", "has 1, and the devices in use would draw 2: vf-1 1, vf-2 1");
}

#[test]
fn d04_a_mapped_claim_serves_one_pod() {
    let given = |pods: &[&str]| made::given("c", "node-a", &json!([made::result("cpudev003")]), pods);
    let running = made::pod("p1", Some("node-a"), "1", &["c"]);
    let second = made::pod("p2", None, "1", &["c"]);
    let known = |first: &Value| Cluster::of(&with(&exclusive(), &[given(&["p1"]), first.clone(), second.clone()]));
    let adds = || made::changes(&given(&["p1"]), &given(&["p1", "p2"]));
    known(&running).asked(adds()).denied("DG308", "beside pod \"p1\", which is alive");
    let mut over = running.clone();
    over["status"]["phase"] = json!("Failed");
    known(&over).asked(adds()).warned_of("DG312", "it has ended");
    let mut again = running.clone();
    again["metadata"]["uid"] = json!("uid-of-another-life");
    known(&again).asked(adds()).warned_of("DG312", "uid-of-another-life");
    // Releasing one of two, and the write that changes nothing, pass.
    known(&running).asked(made::changes(&given(&["p1", "p2"]), &given(&["p2"]))).is_clean();
    known(&running).asked(made::changes(&given(&["p1", "p2"]), &given(&["p1", "p2"]))).is_clean();
}

#[test]
fn d04_two_pods_in_one_write() {
    let pods = [made::pod("p1", None, "1", &["c"]), made::pod("p2", None, "1", &["c"])];
    let cluster = Cluster::of(&with(&exclusive(), &pods));
    let given = |pods: &[&str]| made::given("c", "node-a", &json!([made::result("cpudev003")]), pods);
    cluster.asked(made::allocates(&given(&["p1", "p2"]))).denied("DG308", "pod \"p2\" would use device");
    cluster.asked(made::allocates(&given(&["p1"]))).is_clean();
}

/// A device that takes nothing itself, and two pods that use it: one in two containers.
fn overhead_only() -> ([Value; 4], Value) {
    let overhead = json!({"memory": {"overhead": {"perPod": "1Gi", "perContainer": "500Mi"}}});
    let published = made::slice("node-a", &json!([{"name": "gpu", "nodeAllocatableResources": overhead}]));
    let mut p1 = made::pod("p1", Some("node-a"), "1", &["c"]);
    let mut twin = p1["spec"]["containers"][0].clone();
    twin["name"] = json!("c2");
    p1["spec"]["containers"].as_array_mut().unwrap().push(twin);
    let p2 = made::pod("p2", Some("node-a"), "1", &["c"]);
    let given = made::given("c", "node-a", &json!([made::result("gpu")]), &["p1", "p2"]);
    ([made::node("node-a", "64"), published, p1, p2], given)
}

#[test]
fn d05_a_claim_with_overhead_only_is_shared_and_each_pod_pays() {
    let (objects, shared) = overhead_only();
    let mut first = shared.clone();
    first["status"]["reservedFor"].as_array_mut().unwrap().pop();
    Cluster::of(&with(&objects, std::slice::from_ref(&first))).asked(made::changes(&first, &shared)).is_clean();
    let told = Told::of(&with(&objects, &[shared]));
    assert_eq!(told.charged("c"), ["memory for uid-p1: 2024Mi", "memory for uid-p2: 1524Mi"]);
}

#[test]
fn d07_a_claim_that_is_to_be_deleted_stays_charged_until_it_is_released() {
    let given = made::given("c", "node-a", &json!([made::result("cpudev003")]), &["p"]);
    let mut leaving = given.clone();
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let mut told = Told::of(&with(&exclusive(), &[given]));
    told.applied(&leaving);
    assert_eq!(told.charged("c"), ["cpu: 1"]);
    leaving["status"] = json!({});
    told.applied(&leaving);
    assert!(told.charged("c").is_empty());
}

#[test]
fn d07_a_claim_that_is_gone_takes_nothing() {
    let given = made::given("c", "node-a", &json!([made::result("cpudev003")]), &["p"]);
    let mut told = Told::of(&with(&exclusive(), std::slice::from_ref(&given)));
    told.deleted(&given);
    assert!(told.charged("c").is_empty());
}

#[test]
fn d08_a_pod_of_the_same_name_is_another_pod() {
    let mut stale = made::given("app-x", "node-a", &json!([made::result("cpudev003")]), &["app-0"]);
    stale["status"]["reservedFor"][0]["uid"] = json!("OLD");
    let mut wanted = stale.clone();
    let new = json!({"resource": "pods", "name": "app-0", "uid": "uid-app-0"});
    wanted["status"]["reservedFor"].as_array_mut().unwrap().push(new);
    let pod = made::pod("app-0", None, "1", &["app-x"]);
    let cluster = Cluster::of(&with(&exclusive(), &[stale.clone(), pod.clone()]));
    cluster.asked(made::changes(&stale, &wanted)).warned_of("DG312", "with uid \\\"OLD\\\" does not run any more");
    // The release of the stale entry, and device status beside it, say nothing.
    let mut released = stale.clone();
    released["status"]["reservedFor"] = json!([]);
    cluster.asked(made::changes(&stale, &released)).is_clean();
    assert_eq!(Told::of(&with(&exclusive(), &[stale, pod])).charged("app-x"), ["cpu: 1"]);
}

#[test]
fn d08_a_pod_that_is_added_and_not_seen_yet_is_not_gone() {
    let free = made::given("c", "node-a", &json!([made::result("cpudev003")]), &[]);
    let wanted = made::given("c", "node-a", &json!([made::result("cpudev003")]), &["new"]);
    Cluster::of(&with(&exclusive(), std::slice::from_ref(&free))).asked(made::changes(&free, &wanted)).is_clean();
    let both = made::given("c", "node-a", &json!([made::result("cpudev003")]), &["new", "newer"]);
    let cluster = Cluster::of(&with(&exclusive(), std::slice::from_ref(&wanted)));
    cluster.asked(made::changes(&wanted, &both)).warned_of("DG312", "there is no pod of that name");
}

#[test]
fn d10_overhead_ends_with_its_pod_and_the_mapping_stays() {
    let resources = json!({
        "cpu": {"mapping": {"deviceMultiplier": "2"}}, "memory": {"overhead": {"perPod": "1Gi"}},
    });
    let published = made::slice("node-a", &json!([{"name": "d", "nodeAllocatableResources": resources}]));
    let mut given = made::given("c", "node-a", &json!([made::result("d")]), &["p1"]);
    let workload = json!({"apiGroup": "example.com", "resource": "workloads", "name": "w", "uid": "w1"});
    given["status"]["reservedFor"].as_array_mut().unwrap().push(workload);
    let mut pod = made::pod("p1", Some("node-a"), "1", &["c"]);
    let mut told = Told::of(&[made::node("node-a", "64"), published, given.clone(), pod.clone()]);
    assert_eq!(told.charged("c"), ["cpu: 2", "memory for uid-p1: 1Gi"]);
    pod["status"]["phase"] = json!("Succeeded");
    told.applied(&pod);
    assert_eq!(told.charged("c"), ["cpu: 2"]);
    let mut more = given.clone();
    let other = json!({"apiGroup": "example.com", "resource": "workloads", "name": "v", "uid": "v1"});
    more["status"]["reservedFor"].as_array_mut().unwrap().push(other);
    Cluster::of(&[given.clone(), pod]).asked(made::changes(&given, &more)).warned_of("DG312", "it has ended");
}

#[test]
fn d12_only_the_chosen_alternative_is_charged() {
    let mut result = made::share("cpudevnuma000", "s", "30");
    result["request"] = json!("r/cpu");
    let given = made::given("c", "node-a", &json!([result]), &[]);
    let objects = [made::node("node-a", "64"), made::slice("node-a", &json!([made::cpus("cpudevnuma000", 0, "62")]))];
    Cluster::of(&objects).asked(made::allocates(&given)).is_clean();
    assert_eq!(Told::of(&with(&objects, &[given])).charged("c"), ["cpu: 30"]);
}

#[test]
fn d15_a_claim_that_no_container_refers_to_is_charged_once() {
    let resources = json!({
        "cpu": {"mapping": {"deviceMultiplier": "16"}, "overhead": {"perContainer": "1"}},
    });
    let published = made::slice("node-a", &json!([{"name": "d", "nodeAllocatableResources": resources}]));
    let given = made::given("c", "node-a", &json!([made::result("d")]), &["p"]);
    let mut pod = made::pod("p", Some("node-a"), "1", &["c"]);
    pod["spec"]["containers"][0]["resources"].as_object_mut().unwrap().remove("claims");
    pod["status"]["nodeAllocatableResourceClaimStatuses"] =
        json!([{"resourceClaimName": "c", "mapping": [{"name": "cpu", "quantity": "16"}]}]);
    let told = Told::of(&[made::node("node-a", "64"), published, given, pod]);
    assert_eq!(told.charged("c"), ["cpu: 16"]);
}

#[test]
fn d16_reserving_again_charges_nothing_more() {
    let given = |pods: &[&str]| made::given("c", "node-a", &json!([made::result("cpudev003")]), pods);
    let pod = made::pod("p1", None, "1", &["c"]);
    let mut told = Told::of(&with(&exclusive(), &[given(&["p1"]), pod.clone()]));
    for pods in [&[][..], &["p1"][..]] {
        told.applied(&given(pods));
        assert_eq!(told.charged("c"), ["cpu: 1"]);
    }
    // Not even a node that is full keeps a claim from its own pod.
    let full = made::pod("p0", Some("node-a"), "64", &[]);
    let cluster = Cluster::of(&with(&exclusive(), &[given(&[]), pod, full]));
    cluster.asked(made::changes(&given(&[]), &given(&["p1"]))).is_clean();
}
