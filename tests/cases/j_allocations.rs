//! What a write gives to a claim, beside the ledger: each rule with the nearest allocation that passes.

use serde_json::{Value, json};

use crate::made::{allocates, claim, cpus, given, node, pod, result, share, slice, whole};
use crate::reviewed::review;
use crate::served::Cluster;

/// node-a with 64 CPUs in two zones, all offered by one pool.
fn two_zones() -> Vec<Value> {
    vec![node("node-a", "64"), slice("node-a", &json!([cpus("numa0", 0, "32"), cpus("numa1", 1, "32")]))]
}

fn with(objects: &[Value], more: &[Value]) -> Vec<Value> {
    [objects, more].concat()
}

#[test]
fn a_device_that_nobody_publishes_waits() {
    let cluster = Cluster::of(&two_zones());
    let new = given("c", "node-a", &json!([share("numa7", "s", "1")]), &[]);
    cluster.asked(allocates(&new)).held("DG304", "numa7");
}

#[test]
fn shares_beyond_the_capacity_of_their_device() {
    let holder = given("holder", "node-a", &json!([share("numa0", "s1", "20")]), &[]);
    let cluster = Cluster::of(&with(&two_zones(), &[holder]));
    let new = |cpu| given("c", "node-a", &json!([share("numa0", "s2", cpu)]), &[]);
    cluster
        .asked(allocates(&new("13")))
        .denied("DG305", "has 32 of capacity \"dra.cpu/cpu\"; with this claim's 13 its 2 shares would consume 33");
    cluster.asked(allocates(&new("12"))).is_clean();
}

#[test]
fn what_rests_on_more_claims_than_can_be_read_again_is_held() {
    let holder = |number: usize| {
        let name = format!("holder-{number}");
        given(&name, "node-a", &json!([share("numa0", &name, "1")]), &[])
    };
    let crowd = |many: usize| {
        let mut objects = vec![slice("node-a", &json!([cpus("numa0", 0, &many.to_string())]))];
        objects.extend((0..many).map(holder));
        Cluster::of(&objects)
    };
    let new = given("c", "node-a", &json!([share("numa0", "s", "1")]), &[]);
    crowd(64).asked(allocates(&new)).denied("DG305", "its 65 shares would consume 65");
    crowd(65).asked(allocates(&new)).held("DG305", "its 66 shares would consume 66");
}

#[test]
fn administration_consumes_nothing() {
    let mut results = json!([share("numa0", "s1", "30")]);
    results[0]["adminAccess"] = json!(true);
    let cluster = Cluster::of(&with(&two_zones(), &[given("admin", "node-a", &results, &[])]));
    cluster.asked(allocates(&given("c", "node-a", &json!([share("numa0", "s2", "32")]), &[]))).is_clean();
}

#[test]
fn a_node_is_not_charged_beyond_what_it_has() {
    let holder = given("holder", "node-a", &json!([share("numa1", "s1", "20")]), &["p0"]);
    let pods = |waiting: &str| [pod("p0", Some("node-a"), "10", &["holder"]), pod("p1", None, waiting, &["c"])];
    let cluster = |waiting| Cluster::of(&with(&two_zones(), &with(std::slice::from_ref(&holder), &pods(waiting))));
    let new = given("c", "node-a", &json!([share("numa0", "s2", "30")]), &["p1"]);
    let verdict = cluster("5").asked(allocates(&new));
    verdict
        .denied("DG307", "node \"node-a\" has 64 of cpu allocatable, and 65 would be charged, 30 of it by this claim");
    verdict.denied("DG307", "the scheduler does not see what is charged for claim ns/holder 20");
    cluster("4").asked(allocates(&new)).is_clean();
}

#[test]
fn what_the_scheduler_sees_is_not_called_unseen() {
    let holder = given("holder", "node-a", &json!([share("numa1", "s1", "20")]), &["p0"]);
    let mut listed = pod("p0", Some("node-a"), "20", &["holder"]);
    listed["status"]["nodeAllocatableResourceClaimStatuses"] =
        json!([{"resourceClaimName": "holder", "containers": ["c1"], "mapping": [{"name": "cpu", "quantity": "20"}]}]);
    let cluster = Cluster::of(&with(&two_zones(), &[holder, listed]));
    let verdict = cluster.asked(allocates(&given("c", "node-a", &json!([share("numa0", "s2", "30")]), &[])));
    verdict.denied("DG307", "70 would be charged, 30 of it by this claim; expected");
}

#[test]
fn a_pod_that_asks_as_a_whole_contains_its_claims() {
    let mut waiting = pod("p1", None, "5", &["c"]);
    waiting["spec"]["resources"] = json!({"requests": {"cpu": "40"}});
    let beside = |cpu| pod("p0", Some("node-a"), cpu, &[]);
    let new = given("c", "node-a", &json!([share("numa0", "s", "30")]), &["p1"]);
    Cluster::of(&with(&two_zones(), &[waiting.clone(), beside("24")])).asked(allocates(&new)).is_clean();
    let verdict = Cluster::of(&with(&two_zones(), &[waiting, beside("25")])).asked(allocates(&new));
    verdict.denied("DG307", "65 would be charged");
}

#[test]
fn administration_is_not_charged_to_the_node() {
    let busy = pod("p0", Some("node-a"), "50", &[]);
    let cluster = Cluster::of(&with(&two_zones(), &[busy]));
    let mut results = json!([share("numa0", "s", "30")]);
    cluster.asked(allocates(&given("c", "node-a", &results, &[]))).denied("DG307", "80 would be charged");
    results[0]["adminAccess"] = json!(true);
    cluster.asked(allocates(&given("c", "node-a", &results, &[]))).is_clean();
}

#[test]
fn a_pod_that_ended_takes_nothing() {
    let mut over = pod("p0", Some("node-a"), "60", &[]);
    over["status"]["phase"] = json!("Succeeded");
    let cluster = Cluster::of(&with(&two_zones(), &[over]));
    cluster.asked(allocates(&given("c", "node-a", &json!([share("numa0", "s", "30")]), &[]))).is_clean();
}

#[test]
fn the_same_request_twice_is_counted_once() {
    let new = given("c", "node-a", &json!([share("numa0", "s", "32")]), &["p1"]);
    let waiting = pod("p1", None, "1", &["c"]);
    let cluster = Cluster::of(&with(&two_zones(), &[claim("c", &json!({})), waiting.clone()]));
    cluster.asked(allocates(&new).dry_run()).is_clean();
    cluster.asked(allocates(&new)).is_clean();
    cluster.asked(allocates(&new)).is_clean();
    // The old object of a review may be older than what the watch has shown.
    let busy = pod("p0", Some("node-a"), "30", &[]);
    let cluster = Cluster::of(&with(&two_zones(), &[new.clone(), waiting, busy]));
    cluster.asked(allocates(&new)).is_clean();
}

#[test]
fn two_that_come_at_once_do_not_both_get_the_last_room() {
    let busy = pod("p0", Some("node-a"), "20", &[]);
    let free = [claim("one", &json!({})), claim("two", &json!({})), busy];
    let cluster = Cluster::of(&with(&two_zones(), &free));
    let new = |name, device| given(name, "node-a", &json!([share(device, name, "30")]), &[]);
    cluster.asked(allocates(&new("one", "numa0")).dry_run()).is_clean();
    cluster.asked(allocates(&new("two", "numa1"))).is_clean();
    cluster.asked(allocates(&new("one", "numa0"))).held("DG307", "80 would be charged");
}

#[test]
fn consumed_capacity_is_there_where_a_capacity_is_mapped() {
    let cluster = Cluster::of(&two_zones());
    let new = |result: Value| given("c", "node-a", &json!([result]), &[]);
    cluster
        .asked(allocates(&new(result("numa0"))))
        .denied("DG309", "consumedCapacity is absent, but capacity dra.cpu/cpu is mapped");
    cluster.asked(allocates(&new(share("numa0", "s", "1")))).is_clean();
}

#[test]
fn the_selector_names_the_node_of_the_devices() {
    let cluster = Cluster::of(&two_zones());
    let results = json!([share("numa0", "s", "1")]);
    let verdict = cluster.asked(allocates(&given("c", "node-b", &results, &[])));
    verdict.denied("DG310", "the selector names node \"node-b\", and device \"dra.cpu/node-a/numa0\" is on \"node-a\"");
    let mut nowhere = given("c", "node-a", &results, &[]);
    nowhere["status"]["allocation"].as_object_mut().unwrap().remove("nodeSelector");
    cluster.asked(allocates(&nowhere)).warned_of("DG310", "there is no selector");
    let terms = json!([{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z"]}]}]);
    nowhere["status"]["allocation"]["nodeSelector"] = json!({"nodeSelectorTerms": terms});
    cluster.asked(allocates(&nowhere)).is_clean();
}

fn constrained(results: &Value, constraint: &Value) -> Value {
    let mut new = given("c", "node-a", results, &[]);
    new["spec"]["devices"]["constraints"] = json!([constraint]);
    new
}

#[test]
fn a_constraint_holds_over_all_its_requests() {
    let cluster = Cluster::of(&two_zones());
    let zone = json!({"matchAttribute": "resource.kubernetes.io/numaNode"});
    let apart = json!([share("numa0", "s1", "1"), share("numa1", "s2", "1")]);
    let verdict = cluster.asked(allocates(&constrained(&apart, &zone)));
    verdict.denied("DG603", "\"numa1\" has int:1, and those before it have int:0");
    let together = json!([share("numa0", "s1", "1"), share("numa0", "s2", "1")]);
    cluster.asked(allocates(&constrained(&together, &zone))).is_clean();
    cluster.asked(allocates(&given("c", "node-a", &apart, &[]))).is_clean();
    let elsewhere = json!({"matchAttribute": "resource.kubernetes.io/numaNode", "requests": ["other"]});
    cluster.asked(allocates(&constrained(&apart, &elsewhere))).is_clean();
}

#[test]
fn a_constraint_on_a_request_covers_its_alternatives() {
    let cluster = Cluster::of(&two_zones());
    let mut apart = json!([share("numa0", "s1", "1"), share("numa1", "s2", "1")]);
    apart[0]["request"] = json!("r/cpu");
    let zone = json!({"matchAttribute": "resource.kubernetes.io/numaNode", "requests": ["r"]});
    cluster.asked(allocates(&constrained(&apart, &zone))).denied("DG603", "must agree");
}

#[test]
fn lists_match_where_they_intersect_and_nothing_matches_nothing() {
    let device = |name: &str, value: Value| json!({"name": name, "attributes": {"near": value}});
    let devices = json!([
        device("a", json!({"ints": [0, 1]})), device("b", json!({"ints": [1, 2]})), device("c", json!({"int": 2})),
        {"name": "none"},
    ]);
    let cluster = Cluster::of(&[slice("node-a", &devices)]);
    let near = json!({"matchAttribute": "dra.cpu/near"});
    let new = |names: &[&str]| {
        let results: Vec<Value> = names.iter().map(|name| result(name)).collect();
        allocates(&constrained(&json!(results), &near))
    };
    cluster.asked(new(&["a", "b"])).is_clean();
    cluster.asked(new(&["b", "c"])).is_clean();
    cluster.asked(new(&["a", "b", "c"])).denied("DG603", "\"c\" has int:2, and those before it have int:1");
    cluster.asked(new(&["a", "none"])).denied("DG603", "\"none\" has no value");
    cluster.asked(new(&["none"])).is_clean();
}

#[test]
fn a_zone_takes_more_than_it_is_known_to_have() {
    let mut gpu = whole("gpu", "4");
    gpu["attributes"] = json!({"resource.kubernetes.io/numaNode": {"int": 0}});
    let devices = json!([cpus("numa0", 0, "32"), cpus("numa1", 1, "32"), gpu]);
    let holder = |cpu| given("holder", "node-a", &json!([share("numa0", "s1", cpu)]), &[]);
    let cluster = |cpu| Cluster::of(&[node("node-a", "64"), slice("node-a", &devices), holder(cpu)]);
    let new = given("c", "node-a", &json!([result("gpu")]), &[]);
    let verdict = cluster("29").asked(allocates(&new));
    verdict.warned_of(
        "DG604",
        "zone 0 of node \\\"node-a\\\" is known to have 32 of cpu, and with this claim's 4 devices map 33 there",
    );
    cluster("28").asked(allocates(&new)).is_clean();
}

#[test]
fn files_are_judged_beside_each_other() {
    let text = |object: &Value| object.to_string();
    let [node, slice] = [text(&two_zones()[0]), text(&two_zones()[1])];
    let one = text(&given("one", "node-a", &json!([share("numa0", "s1", "20")]), &[]));
    let two = |cpu| text(&given("two", "node-a", &json!([share("numa0", "s2", cpu)]), &[]));
    let all = |two: &str| review(&[("n.json", &node), ("s.json", &slice), ("1.json", &one), ("2.json", two)], &[]);
    let report = all(&two("13"));
    report.denies(&["DG305"]);
    report.says("DG305", "would consume 33");
    all(&two("12")).is_clean();
    let unknown = text(&given("c", "node-a", &json!([share("numa7", "s", "1")]), &[]));
    review(&[("s.json", &slice), ("c.json", &unknown)], &[]).warns(&["DG304"]);
    review(&[("c.json", &unknown)], &[]).is_clean();
}
