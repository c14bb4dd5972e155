//! Pods beside the ledger: what their lists say, and where they are put.

use std::sync::Arc;

use draguard::checks::stored;
use draguard::guard::{Doubts, Guard, Proof, Validated};
use draguard::ledger::book::Book;
use draguard::ledger::excerpt::Seen;
use draguard::ledger::object::{Key, Kind, Object};
use draguard::ledger::view::{Freshness, Ref};
use draguard::model::request::Resource;
use draguard::model::version::Version;
use serde_json::{Value, json};

use crate::reviewed::{Report, review};
use crate::served::{Verdict, ask};
use crate::world::{World, claim, consumer, cpu, entry, pod, request, world};

const SCHEDULER: &str = "system:kube-scheduler";

fn lists(world: &World, old: &Value, new: &Value) -> Verdict {
    ask("pods/status", SCHEDULER, Some(pod("p", "u1", old)), Some(pod("p", "u1", new))).send_to(&world.serve())
}

#[test]
fn dg406_a_binder_writes_what_the_ledger_charges() {
    lists(&world(), &json!([]), &entry("4")).is_clean();
    lists(&world(), &json!([]), &entry("4000m")).is_clean();
    let v136 = json!([{"resourceClaimName": "c", "containers": ["main"], "resources": {"cpu": "4"}}]);
    lists(&world(), &json!([]), &v136).is_clean();
}

#[test]
fn dg406_a_binder_writes_other_amounts() {
    let verdict = lists(&world(), &json!([]), &entry("3"));
    verdict.warned("DG406");
    verdict.warned("cpu 3; its devices come to cpu 4");
    let more = json!([{"resourceClaimName": "c", "containers": ["main"],
        "mapping": [{"name": "cpu", "quantity": "4"}, {"name": "memory", "quantity": "1Gi"}]}]);
    lists(&world(), &json!([]), &more).warned("memory 1Gi");
    // What was there before is not told again.
    lists(&world(), &entry("3"), &entry("3")).is_clean();
}

#[test]
fn dg406_a_binder_names_a_claim_or_a_container_that_the_pod_does_not_have() {
    let other =
        json!([{"resourceClaimName": "x", "containers": ["main"], "mapping": [{"name": "cpu", "quantity": "4"}]}]);
    lists(&world(), &json!([]), &other).warned("claim \"x\" is none of the pod's");
    let idle =
        json!([{"resourceClaimName": "c", "containers": ["idle"], "mapping": [{"name": "cpu", "quantity": "4"}]}]);
    lists(&world(), &json!([]), &idle).warned("container \"idle\" does not refer to claim \"c\"");
}

#[test]
fn d05_overhead_is_counted_for_each_container() {
    let mut world = world();
    world.slice["spec"]["devices"][0]["nodeAllocatableResources"] =
        json!({"memory": {"overhead": {"perPod": "1Gi", "perContainer": "500Mi"}}});
    let list = |each: &str| {
        json!([{"resourceClaimName": "c", "containers": ["main"],
            "overhead": [{"name": "memory", "perPod": "1Gi", "perContainer": each}]}])
    };
    lists(&world, &json!([]), &list("500Mi")).is_clean();
    lists(&world, &json!([]), &list("400Mi")).warned("overhead memory");
}

/// D03: the claim of extended resources is in no spec.
#[test]
fn d03_the_claim_of_extended_resources_is_the_pods() {
    let with = |list: &Value| {
        let mut pod = pod("p", "u1", list);
        pod["spec"]["resourceClaims"] = json!([]);
        pod["status"]["extendedResourceClaimStatus"] = json!({"resourceClaimName": "c"});
        pod
    };
    let mut world = world();
    world.pod = with(&json!([]));
    let written = ask("pods/status", SCHEDULER, Some(with(&json!([]))), Some(with(&entry("4"))));
    written.send_to(&world.serve()).is_clean();
}

/// The watch may be behind: what is not known to be the pod's is not compared.
#[test]
fn dg406_says_nothing_of_what_is_not_known() {
    let mut unknown = world();
    unknown.claim = Value::Null;
    lists(&unknown, &json!([]), &entry("3")).is_clean();
    let mut free = world();
    free.claim["status"] = json!({});
    lists(&free, &json!([]), &entry("3")).is_clean();
    let mut unpriced = world();
    unpriced.slice = Value::Null;
    lists(&unpriced, &json!([]), &entry("3")).is_clean();
    let mut others = world();
    others.claim["status"]["reservedFor"] = json!([consumer("p", "u0")]);
    lists(&others, &json!([]), &entry("3")).is_clean();
}

/// G09: v1.36 replaces the list where v1.37 merges it.
#[test]
fn g09_an_entry_of_a_claim_that_is_still_allocated_is_lost() {
    let mut world = world();
    world.slice["spec"]["devices"][1]["nodeAllocatableResources"] = cpu("2");
    world.others.push(claim("c2", "plain", &json!([consumer("p", "u1")])));
    let with = |names: &[(&str, &str)]| -> Value {
        let list: Vec<Value> = names
            .iter()
            .map(|(name, cpu)| json!({"resourceClaimName": name, "containers": ["main"], "mapping": [{"name": "cpu", "quantity": cpu}]}))
            .collect();
        let mut pod = pod("p", "u1", &json!(list));
        pod["spec"]["containers"][0]["resources"]["claims"] = json!([{"name": "dev"}, {"name": "dev2"}]);
        pod["spec"]["resourceClaims"] =
            json!([{"name": "dev", "resourceClaimName": "c"}, {"name": "dev2", "resourceClaimName": "c2"}]);
        pod
    };
    world.pod = with(&[("c", "4")]);
    let server = world.serve();
    let write = |user: &str, new| ask("pods/status", user, Some(with(&[("c", "4")])), Some(new)).send_to(&server);
    write(SCHEDULER, with(&[("c2", "2")])).warned("claim \"c\" is left out");
    write("tenant", with(&[("c2", "2")])).denied("DG405", "tenant");
    write(SCHEDULER, with(&[("c", "4"), ("c2", "2")])).is_clean();
    // A binding that failed takes all of it back.
    write(SCHEDULER, with(&[])).is_clean();
}

fn binding(uid: &str, node: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p", "namespace": "ns", "uid": uid},
        "target": {"kind": "Node", "name": node}})
}

fn bind(world: &World, node: &str) -> Verdict {
    ask("pods/binding", SCHEDULER, None, Some(binding("u1", node))).send_to(&world.serve())
}

#[test]
fn dg410_a_pod_is_bound_where_its_claims_are() {
    bind(&world(), "node-a").is_clean();
    bind(&world(), "node-b").denied("DG410", "allocated on node \"node-a\"");
    let legacy = ask("bindings", SCHEDULER, None, Some(binding("u1", "node-b"))).send_to(&world().serve());
    legacy.denied("DG410", "ns/c");
}

#[test]
fn dg410_a_pod_is_bound_before_its_claim_is_reserved_for_it() {
    let mut world = world();
    world.claim["status"]["reservedFor"] = json!([consumer("p", "u0")]);
    bind(&world, "node-a").denied("DG410", "not reserved for it");
    world.claim["status"]["reservedFor"] =
        json!([{"apiGroup": "x.example.com", "resource": "groups", "name": "g", "uid": "g1"}]);
    bind(&world, "node-a").is_clean();
}

#[test]
fn dg410_says_nothing_of_what_is_not_known() {
    let mut world = world();
    let other_life = ask("pods/binding", SCHEDULER, None, Some(binding("u2", "node-b")));
    other_life.send_to(&world.serve()).is_clean();
    world.claim["status"] = json!({});
    bind(&world, "node-b").is_clean();
    world.pod = Value::Null;
    bind(&world, "node-b").is_clean();
}

/// A claim without a mapping may be used from wherever its driver says.
#[test]
fn dg410_claims_without_a_mapping_are_nobodys_business() {
    let mut world = world();
    world.slice["spec"]["devices"][0] = json!({"name": "cpus"});
    bind(&world, "node-b").is_clean();
}

#[test]
fn dg412_a_pod_is_bound_uncounted() {
    let mut world = world();
    world.pod = pod("p", "u1", &json!([]));
    let verdict = bind(&world, "node-a");
    verdict.warned("DG412");
    verdict.warned("takes cpu 4 of the node");
    // What an upgrade leaves of an entry counts nothing.
    world.pod = pod("p", "u1", &json!([{"resourceClaimName": "c", "containers": ["main"]}]));
    bind(&world, "node-a").warned("DG412");
}

fn object(kind: Kind, object: &Value) -> Object {
    Object::read(kind, &object.to_string()).unwrap()
}

/// A guard that watched this world.
fn guard(world: &World) -> Guard {
    let objects = [(Kind::Slice, &world.slice), (Kind::Claim, &world.claim), (Kind::Pod, &world.pod)];
    let ledger = stored::ledger(objects.map(|(kind, one)| object(kind, one)), Version::V137);
    Guard { book: Some(Arc::new(Book::of(ledger, Freshness::Fresh))), ..Guard::default() }
}

/// What was read of this world's claim and pod.
fn seen(world: &World) -> [Seen; 2] {
    [
        Seen { asked: claim_ref(), objects: vec![object(Kind::Claim, &world.claim)] },
        Seen { asked: Ref::Pod(Key::new("ns", "p")), objects: vec![object(Kind::Pod, &world.pod)] },
    ]
}

fn claim_ref() -> Ref {
    Ref::Claim(Key::new("ns", "c"))
}

/// The rules that speak, and whether they refuse.
fn said(validated: Validated) -> Vec<(&'static str, bool)> {
    let rulings = validated.decision().unwrap().rulings;
    rulings.iter().map(|one| (one.finding.rule.id, one.refuses())).collect()
}

/// The list is written a moment before the pod is bound.
#[test]
fn dg412_and_dg410_are_spoken_only_after_a_live_read() {
    let mut behind = world();
    behind.pod = pod("p", "u1", &json!([]));
    let (here, there) = (binding("u1", "node-a").to_string(), binding("u1", "node-b").to_string());
    let guard = guard(&behind);
    for binding in [&here, &there] {
        let request = request(Resource::Binding, binding, None);
        let Validated::Doubtful(Doubts { refs, .. }) = guard.validate(&request, Proof::Wanted, 0) else {
            panic!("nothing to read")
        };
        assert_eq!(refs, [claim_ref(), Ref::Pod(Key::new("ns", "p"))].into());
        assert_eq!(said(guard.validate(&request, Proof::Unread, 0)), []);
    }
    let judge = |binding: &str, seen: &[Seen]| {
        said(guard.validate(&request(Resource::Binding, binding, None), Proof::Live(seen), 0))
    };
    assert_eq!(judge(&here, &seen(&behind)), [("DG412", false)]);
    assert_eq!(judge(&here, &seen(&world())), []);
    assert_eq!(judge(&there, &seen(&world())), [("DG410", true)]);
    let mut gone = seen(&world());
    gone[0].objects.clear();
    assert_eq!(judge(&there, &gone), []);
}

#[test]
fn dg411_is_spoken_only_after_a_live_read() {
    let mut behind = world();
    behind.claim["status"] = json!({});
    let (guard, new) = (guard(&behind), preset("node-a").to_string());
    let request = request(Resource::Pod, &new, None);
    let Validated::Doubtful(Doubts { refs, .. }) = guard.validate(&request, Proof::Wanted, 0) else {
        panic!("nothing to read")
    };
    assert_eq!(refs, [claim_ref()].into());
    assert_eq!(said(guard.validate(&request, Proof::Unread, 0)), [("DG411", false)]);
    assert_eq!(said(guard.validate(&request, Proof::Live(&seen(&behind)[..1]), 0)), [("DG411", true)]);
    let mut plain = world();
    plain.claim = claim("c", "plain", &json!([consumer("p", "u1")]));
    assert_eq!(said(guard.validate(&request, Proof::Live(&seen(&plain)[..1]), 0)), []);
}

fn preset(node: &str) -> Value {
    let mut pod = pod("new", "u9", &json!([]));
    pod["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    pod["spec"]["nodeName"] = json!(node);
    pod
}

fn create(world: &World, pod: Value) -> Verdict {
    ask("pods", "tenant", None, Some(pod)).send_to(&world.serve())
}

#[test]
fn dg411_a_claim_that_nobody_allocates() {
    let mut world = world();
    world.claim["status"] = json!({});
    let verdict = create(&world, preset("node-a"));
    verdict.denied("DG411", "claim \"ns/c\" is not allocated");
    verdict.denied("DG411", "remove spec.nodeName");
    let mut of_template = preset("node-a");
    of_template["spec"]["resourceClaims"] = json!([{"name": "dev", "resourceClaimTemplateName": "t"}]);
    create(&world, of_template.clone()).denied("DG411", "made from a template");
    of_template["spec"].as_object_mut().unwrap().remove("nodeName");
    create(&world, of_template).is_clean();
}

#[test]
fn dg411_a_claim_of_another_node_or_of_another_pod() {
    create(&world(), preset("node-b")).denied("DG411", "allocated on node \"node-a\"");
    create(&world(), preset("node-a")).denied("DG411", "pod \"ns/p\" uses it");
    let mut plain = world();
    plain.claim = claim("c", "plain", &json!([consumer("p", "u1")]));
    create(&plain, preset("node-a")).is_clean();
}

/// D08: pods are told apart by uid.
#[test]
fn d08_a_reservation_for_a_pod_that_is_gone_refuses_nobody() {
    let mut world = world();
    world.claim["status"]["reservedFor"] = json!([consumer("p", "u0")]);
    create(&world, preset("node-a")).is_clean();
}

#[test]
fn dg411_a_mapped_claim_that_is_free_runs_uncounted() {
    let mut world = world();
    world.claim["status"]["reservedFor"] = json!([]);
    create(&world, preset("node-a")).warned("nobody writes what it takes");
}

#[test]
fn dg411_says_nothing_of_claims_that_are_not_there_yet() {
    let mut world = world();
    world.claim = Value::Null;
    create(&world, preset("node-a")).is_clean();
    let mut plain = preset("node-a");
    plain["spec"]["resourceClaims"] = json!([]);
    create(&world, plain).is_clean();
}

fn reviewed(world: &World) -> Report {
    let files = world.files();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    review(&files, &[])
}

#[test]
fn dg411_among_files() {
    let mut world = world();
    reviewed(&world).is_clean();
    world.pod = preset("node-b");
    world.pod["status"] = json!({});
    let report = reviewed(&world);
    report.denies(&["DG411"]);
    report.says("DG411", "allocated on node");
    assert_eq!(report.finding("DG411")["path"], "spec.resourceClaims[0]", "{report:?}");
    // A stored pod has its node from a scheduler.
    world.pod = pod("p", "u1", &entry("4"));
    world.pod["spec"]["nodeName"] = json!("node-a");
    reviewed(&world).is_clean();
}
