//! `draguard ledger` through the binary: what it writes, reads and compares, and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

mod scratch;

use std::sync::Arc;

use draguard::journal::{endpoint, read_file};
use scratch::{Ended, Scratch, command};

const CLUSTER: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: node-a, uid: n1, resourceVersion: "1"}
status:
  allocatable: {cpu: "16", memory: 64Gi}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-a-cpu, uid: s1, resourceVersion: "2"}
spec:
  driver: dra.cpu
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices:
  - name: zone-0
    attributes: {dra.cpu/numaNodeID: {int: 0}}
    nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: "4"}}}
  - name: zone-1
    attributes: {dra.cpu/numaNodeID: {int: 1}}
    nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: "4"}}, memory: {overhead: {perPod: 512Mi}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {namespace: default, name: train, uid: c1, resourceVersion: "3"}
spec: {devices: {requests: [{name: cpu, exactly: {deviceClassName: cpu, count: 2}}]}}
status:
  allocation:
    devices:
      results:
      - {request: cpu, driver: dra.cpu, pool: node-a, device: zone-0}
      - {request: cpu, driver: dra.cpu, pool: node-a, device: zone-1}
    nodeSelector:
      nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node-a]}]}]
  reservedFor: [{resource: pods, name: train, uid: p1}]
---
apiVersion: v1
kind: Pod
metadata: {namespace: default, name: train, uid: p1, resourceVersion: "4"}
spec:
  nodeName: node-a
  resourceClaims: [{name: cpu, resourceClaimName: train}]
  containers:
  - name: main
    resources: {requests: {cpu: "1", memory: 1Gi}, claims: [{name: cpu}]}
status:
  phase: Running
  nodeAllocatableResourceClaimStatuses:
  - resourceClaimName: train
    containers: [main]
    mapping: [{name: cpu, quantity: "8"}]
    overhead: [{name: memory, perPod: 512Mi}]
"#;

const TABLE: &str = "\
NODE    VERSION  RESOURCE  ZONE  MAPPING  OVERHEAD  REQUESTS  CHARGED  ALLOCATABLE
node-a  2        cpu       all   8        0         1         9        16
                           0     4
                           1     4
node-a  2        memory    all   0        512Mi     1Gi       1536Mi   64Gi
Kubernetes v1.37, 3 contributions, 0 events after the export: every law holds
";

fn export(scratch: &Scratch, name: &str, cluster: &str) -> String {
    scratch.write(&format!("{name}/cluster.yaml"), cluster);
    let ended = command(&["ledger", "export", "--standalone", &format!("{}/{name}", scratch.path())]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    scratch.write(&format!("{name}.jsonl"), ended.out)
}

fn ledger(args: &[&str]) -> Ended {
    command(&[&["ledger"], args].concat())
}

#[test]
fn an_export_is_replayed_with_every_sum() {
    let scratch = Scratch::new("ledger-replay");
    let file = export(&scratch, "a", CLUSTER);
    let ended = ledger(&["replay", &file]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert_eq!(ended.out, TABLE);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("{\"draguard\":\"ledger\",\"format\":1,\"kubernetes\":\"v1.37\"}\n"));
}

#[test]
fn what_does_not_come_out_as_written_ends_with_1() {
    let scratch = Scratch::new("ledger-broken");
    let file = export(&scratch, "a", CLUSTER);
    let gone = r#"{"accepted":{"event":{"at":9,"deleted":{"kind":"pod","key":{"namespace":"default","name":"train"},"stamp":{"uid":"p1","version":9}}},"nodes":{"node-a":7}}}"#;
    let file = scratch.write("tampered.jsonl", format!("{}{gone}\n", std::fs::read_to_string(file).unwrap()));
    let ended = ledger(&["replay", &file]);
    assert_eq!((ended.code, ended.err.as_str()), (1, ""));
    assert!(ended.out.contains("broken: line "), "{}", ended.out);
    assert!(ended.out.contains(": the version of node node-a: 7 was written, it comes to 3\n"), "{}", ended.out);
    assert!(ended.out.ends_with("1 events after the export: 1 broken\n"), "{}", ended.out);
}

#[test]
fn what_was_taken_out_of_an_export_or_changed_in_it_ends_with_1() {
    let scratch = Scratch::new("ledger-changed");
    let text = std::fs::read_to_string(export(&scratch, "a", CLUSTER)).unwrap();
    let without_pod: String =
        text.split_inclusive('\n').filter(|line| !line.starts_with("{\"listed\":{\"pod\"")).collect();
    let asks_more = text.replacen(r#""cpu":"1""#, r#""cpu":"3""#, 1);
    let lists_more = text.replacen(r#""mapping":"8""#, r#""mapping":"9""#, 1);
    for (changed, says) in [
        (without_pod, "the number of pods: 1 was written, it comes to 0"),
        (asks_more, "cpu 9, "),
        (lists_more, "cpu 9, "),
    ] {
        assert_ne!(changed, text);
        let ended = ledger(&["replay", &scratch.write("changed.jsonl", changed)]);
        assert_eq!(ended.code, 1, "{}", ended.out);
        assert!(ended.out.contains(says), "{}", ended.out);
    }
}

#[test]
fn g10_a_newer_format_ends_with_2_and_names_file_and_line() {
    let scratch = Scratch::new("ledger-newer");
    let file = scratch.write("new.jsonl", "{\"draguard\":\"ledger\",\"format\":2,\"kubernetes\":\"v1.38\"}\n");
    for args in [["replay", &file].as_slice(), &["diff", &file, "--pods"]] {
        let ended = ledger(args);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""));
        let said =
            format!("draguard: {file}: line 1: written in format 2 by a newer draguard; this one reads format 1\n");
        assert_eq!(ended.err, said);
    }
}

#[test]
fn a_torn_file_is_replayed_and_says_so() {
    let scratch = Scratch::new("ledger-torn");
    let file = export(&scratch, "a", CLUSTER);
    let torn = format!("{}{{\"accepted\":{{\"ev", std::fs::read_to_string(file).unwrap());
    let file = scratch.write("torn.jsonl", torn);
    let ended = ledger(&["replay", &file]);
    assert_eq!((ended.code, ended.out.as_str()), (0, TABLE));
    assert_eq!(ended.err, format!("draguard: {file}: the last line is torn and left out\n"));
    assert_eq!(ledger(&["replay", "/nonexistent"]).code, 2);
}

#[test]
fn two_ledgers_are_compared_by_node_and_by_claim() {
    let scratch = Scratch::new("ledger-diff");
    let one = export(&scratch, "a", CLUSTER);
    let less = CLUSTER.replace("      - {request: cpu, driver: dra.cpu, pool: node-a, device: zone-0}\n", "");
    let less = less.replace("mapping: [{name: cpu, quantity: \"8\"}]", "mapping: [{name: cpu, quantity: \"4\"}]");
    let other = export(&scratch, "b", &less);
    let copy = export(&scratch, "c", CLUSTER);
    let ended = ledger(&["diff", &one, &other]);
    assert_eq!((ended.code, ended.err.as_str()), (1, ""));
    assert_eq!(
        ended.out,
        "node node-a cpu charged: 9 in A, 5 in B\n\
         node node-a cpu mapping: 8 in A, 4 in B\n\
         claim default/train (c1) on node node-a, cpu of dra.cpu/node-a/zone-0: 4 in A, nothing in B\n\
         3 differences\n"
    );
    let ended = ledger(&["diff", &one, &copy]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "no difference\n"));
    assert_eq!(ledger(&["diff", &one, &one]).code, 2);
    assert_eq!(ledger(&["diff", &one]).code, 2);
}

#[test]
fn a_ledger_is_compared_with_what_the_pods_record() {
    let scratch = Scratch::new("ledger-pods");
    let right = export(&scratch, "a", CLUSTER);
    let ended = ledger(&["diff", &right, "--pods"]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "no difference\n"));
    let wrong = export(&scratch, "b", &CLUSTER.replace("quantity: \"8\"", "quantity: \"6\""));
    let ended = ledger(&["diff", &wrong, "--pods"]);
    let said = "node node-a: pod default/train lists 6 of cpu for claim train, which takes 8\n1 difference\n";
    assert_eq!((ended.code, ended.out.as_str()), (1, said));
    let (kept, _) = CLUSTER.split_once("  nodeAllocatableResourceClaimStatuses").unwrap();
    let lost = export(&scratch, "c", kept);
    let ended = ledger(&["diff", &lost, "--pods"]);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (
            1,
            "node node-a: pod default/train lists nothing of cpu for claim train, which takes 8\n\
             node node-a: pod default/train lists nothing of memory for claim train, which takes 512Mi\n2 differences\n"
        )
    );
    let mapped_anew = CLUSTER.replace("deviceMultiplier: \"4\"", "deviceMultiplier: \"5\"");
    assert_eq!(ledger(&["diff", &export(&scratch, "d", &mapped_anew), "--pods"]).code, 1);
}

#[test]
fn manifests_that_cannot_be_read_are_no_ledger() {
    let scratch = Scratch::new("ledger-unreadable");
    scratch.write("a/cluster.yaml", CLUSTER.replace("devices:\n  - name: zone-0", "devices:\n  - name: [zone-0]"));
    let ended = ledger(&["export", "--standalone", &format!("{}/a", scratch.path())]);
    assert_eq!((ended.code, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.contains("not a complete ledger") && ended.err.contains("ResourceSlice node-a-cpu"),
        "{}",
        ended.err
    );
}

#[test]
fn a_running_server_gives_its_ledger() {
    let scratch = Scratch::new("ledger-server");
    let file = export(&scratch, "a", CLUSTER);
    let served = Arc::new(read_file(file.as_ref()).unwrap().ledger);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(async { axum::serve(listener, endpoint::router(move || served.clone())).await });
    let ended = ledger(&["export", "--from", &url]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let fetched = scratch.write("fetched.jsonl", &ended.out);
    assert_eq!(ledger(&["replay", &fetched]).out, TABLE);
    assert_eq!(ledger(&["diff", &file, &fetched]).code, 0);
    let ended = ledger(&["export", "--from", &format!("{url}/other")]);
    assert_eq!((ended.code, ended.out.as_str()), (2, ""));
    assert_eq!(ended.err, format!("draguard: {url}/other: HTTP status 404 Not Found\n"));
    assert_eq!(ledger(&["export", "--from", "https://127.0.0.1:1"]).code, 2);
}
