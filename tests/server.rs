//! The server's answers, over real TLS: envelope, errors, limits. Names carry the case ids of `cases/README.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use common::client::{Answer, get, head};
use common::server::{Folder, Server};
use common::{deletion, fixture};
use serde_json::{Value, json};

const CREATE: &str = "v1.36/01-driver-publishes-cpu-02-validate-create-resourceslices.json";
const UPDATE: &str = "v1.36/04-driver-updates-generation-02-validate-update-resourceslices.json";
const DEVICE_STATUS: &str = "v1.36/30-driver-writes-its-device-status-02-validate-update-resourceclaims.status.json";
const ALLOCATE: &str = "v1.36/20-pod-with-capacity-claim-10-validate-update-resourceclaims.status.json";
const RELEASE: &str = "v1.36/50-pod-gone-claim-released-04-validate-update-resourceclaims.status.json";
const LIST: &str = "v1.36/20-pod-with-capacity-claim-12-validate-update-pods.status.json";
const BAD_UNITS: &str = "v1.36/10-upstream-accepts-wrong-units-02-validate-create-resourceslices.json";

/// The review in an answer; its form is checked.
fn review(answer: &Answer, uid: &str) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.head.to_ascii_lowercase().contains("content-type: application/json"), "{answer:?}");
    let review = answer.json();
    assert_eq!(review["apiVersion"], "admission.k8s.io/v1");
    assert_eq!(review["kind"], "AdmissionReview");
    assert_eq!(review["response"]["uid"], uid);
    review["response"].clone()
}

fn uid(body: &[u8]) -> String {
    let review: Value = serde_json::from_slice(body).unwrap();
    review["request"]["uid"].as_str().unwrap().to_owned()
}

fn bytes(review: &Value) -> Vec<u8> {
    serde_json::to_vec(review).unwrap()
}

#[test]
fn i04_every_answer_carries_the_uid_also_errors() {
    let server = Server::start(&[]);
    let denied = fixture(BAD_UNITS);
    let response = review(&server.post("/validate?timeout=3s", &denied), &uid(&denied));
    assert_eq!(response["allowed"], false);
    assert_eq!(response["status"]["code"], 403);
    assert_eq!(response["status"]["reason"], "Forbidden");
    assert!(response["status"]["message"].as_str().unwrap().contains("DG104"));
    assert!(response["status"]["message"].as_str().unwrap().contains("DG105"));
    let causes = response["status"]["details"]["causes"].as_array().unwrap();
    assert!(causes.iter().all(|cause| !cause["field"].as_str().unwrap().is_empty()));

    let mut wrong = deletion();
    wrong["request"]["operation"] = json!(5);
    let response = review(&server.post("/validate", &bytes(&wrong)), "d-1");
    assert_eq!((&response["allowed"], &response["status"]["code"]), (&json!(false), &json!(400)));

    wrong["request"]["operation"] = json!("PATCH");
    let response = review(&server.post("/mutate", &bytes(&wrong)), "d-1");
    assert!(response["status"]["message"].as_str().unwrap().contains("\"PATCH\""));
}

#[test]
fn i04_an_object_that_cannot_be_read_is_refused_under_its_uid() {
    let server = Server::start(&[]);
    let mut wrong: Value = serde_json::from_slice(&fixture(CREATE)).unwrap();
    wrong["request"]["object"]["spec"]["devices"] = json!("none");
    let response = review(&server.post("/validate", &bytes(&wrong)), wrong["request"]["uid"].as_str().unwrap());
    assert_eq!(response["allowed"], false, "{response}");
}

#[test]
fn without_a_uid_the_answer_is_bare() {
    let server = Server::start(&[]);
    for uid in [json!(null), json!(""), json!(7), json!("u".repeat(300))] {
        let mut body = deletion();
        body["request"]["uid"] = uid;
        assert_eq!(server.post("/validate", &bytes(&body)).status, 400);
    }
    for body in ["", "{}", "null", "[]", "{\"request\":null}", "{\"request\":5}", "\u{feff}{}"] {
        assert_eq!(server.post("/validate", body.as_bytes()).status, 400, "{body}");
    }
}

#[test]
fn only_the_first_version_of_the_review_is_spoken() {
    let server = Server::start(&[]);
    for (key, value) in [("apiVersion", "admission.k8s.io/v1beta1"), ("kind", "Pod"), ("apiVersion", "v1")] {
        let mut body = deletion();
        body[key] = json!(value);
        let response = review(&server.post("/validate", &bytes(&body)), "d-1");
        assert_eq!(response["status"]["code"], 400);
        assert!(response["status"]["message"].as_str().unwrap().contains(value), "{response}");
    }
}

#[test]
fn i03_the_content_type_is_looked_at_before_the_body() {
    let server = Server::start(&[]);
    for kind in ["text/plain", "application/vnd.kubernetes.protobuf", "application/jsonp", "application/yaml", ""] {
        let mut client = server.client();
        // The body never comes: an answer can only be about the head.
        client.raw(head("/validate", kind, 100).as_bytes()).unwrap();
        assert_eq!(client.answer().unwrap().status, 415, "{kind}");
    }
    let mut client = server.client();
    client.raw(b"POST /validate HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n").unwrap();
    assert_eq!(client.answer().unwrap().status, 415);
    let body = bytes(&deletion());
    for kind in ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"] {
        let answer = server.client().send(&head("/validate", kind, body.len()), &body).unwrap();
        assert_eq!(review(&answer, "d-1")["allowed"], true, "{kind}");
    }
}

#[test]
fn other_methods_and_paths_are_refused() {
    let server = Server::start(&[]);
    let mut client = server.client();
    for (line, status) in [("GET /validate", 405), ("PUT /mutate", 405), ("POST /", 404), ("POST /metrics", 404)] {
        let answer = client.send(&format!("{line} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"), b"").unwrap();
        assert_eq!(answer.status, status, "{line}");
    }
    assert_eq!(get(server.probes, "/livez").status, 200);
    assert_eq!(get(server.probes, "/metrics").status, 404);
}

#[test]
fn i02_a_body_beyond_the_limit_is_refused() {
    let server = Server::start(&[]);
    let mut client = server.client();
    client.raw(head("/validate", "application/json", (8 << 20) + 1).as_bytes()).unwrap();
    assert_eq!(client.answer().unwrap().status, 413, "announced, not sent");

    let body = vec![b' '; (8 << 20) + 1];
    let answer = server.client().send(&head("/validate", "application/json", body.len()), &body).unwrap();
    assert_eq!(answer.status, 413, "sent");

    let mut client = server.client();
    client
        .raw(b"POST /validate HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        .unwrap();
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    let mut sent = 0;
    while client.raw(&chunk).is_ok() && sent < 140 {
        sent += 1;
    }
    assert_eq!(client.answer().unwrap().status, 413, "without end");
}

#[test]
fn i02_a_legitimate_update_of_3_2_mib_is_allowed_in_time() {
    let server = Server::start(&[]);
    let mut body: Value = serde_json::from_slice(&fixture(UPDATE)).unwrap();
    for object in ["object", "oldObject"] {
        body["request"][object]["metadata"]["annotations"] = json!({ "big": "x".repeat(1_677_000) });
    }
    let sent = bytes(&body);
    assert!(sent.len() > 3_355_000);
    let started = Instant::now();
    let response = review(&server.post("/validate?timeout=3s", &sent), &uid(&sent));
    assert_eq!(response["allowed"], true, "{response}");
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn i06_deletes_pass_whatever_is_in_them() {
    let server = Server::start(&[]);
    let mut body = deletion();
    for (operation, object, old) in [
        ("DELETE", json!(null), json!({"kind": "ResourceSlice"})),
        ("DELETE", json!(null), json!(null)),
        ("CONNECT", json!({"kind": "PodExecOptions"}), json!(null)),
    ] {
        body["request"]["operation"] = json!(operation);
        body["request"]["object"] = object;
        body["request"]["oldObject"] = old;
        for path in ["/validate", "/mutate"] {
            let response = review(&server.post(path, &bytes(&body)), "d-1");
            assert_eq!(response["allowed"], true, "{body}");
            assert!(response.get("patch").is_none());
        }
    }
    body["request"].as_object_mut().unwrap().retain(|key, _| !key.ends_with("bject"));
    assert_eq!(review(&server.post("/validate", &bytes(&body)), "d-1")["allowed"], true);
}

#[test]
fn i08_keys_that_stand_twice_are_refused_in_the_envelope_only() {
    let server = Server::start(&[]);
    let text = deletion().to_string();
    for (once, twice) in [
        (r#""operation":"DELETE""#, r#""operation":"CREATE","operation":"DELETE""#),
        (r#""operation":"DELETE""#, r#""oper\u0061tion":"CREATE","operation":"DELETE""#),
        (r#""group":"resource.k8s.io""#, r#""group":"","group":"resource.k8s.io""#),
        (r#""username":"#, r#""username":"admin","username":"#),
        (r#""extra":{"k":["v"]"#, r#""extra":{"k":["v"],"k":["w"]"#),
        (r#""extra":"#, r#""extra":{},"extra":"#),
        (r#""oldObject":"#, r#""oldObject":null,"oldObject":"#),
        (r#""dryRun":"#, r#""dryRun":true,"dryRun":"#),
        (r#""dryRun":"#, r#""new":1,"new":2,"dryRun":"#),
        (r#""kind":"AdmissionReview""#, r#""kind":"Pod","kind":"AdmissionReview""#),
    ] {
        let body = text.replacen(once, twice, 1);
        assert_ne!(body, text, "{once}");
        let answer = server.post("/validate", body.as_bytes());
        if answer.status == 200 {
            let response = review(&answer, "d-1");
            assert_eq!((&response["allowed"], &response["status"]["code"]), (&json!(false), &json!(400)), "{twice}");
        } else {
            // The kind stands before the uid in this text.
            assert_eq!(answer.status, 400, "{twice}");
        }
    }
    for (once, twice) in
        [(r#""uid":"d-1""#, r#""uid":"d-1","uid":"d-2""#), (r#""request":{"#, r#""request":{"uid":"d-0"},"request":{"#)]
    {
        assert_eq!(server.post("/validate", text.replacen(once, twice, 1).as_bytes()).status, 400, "{twice}");
    }
    let inside = text.replacen(r#"{"kind":"ResourceSlice"}"#, r#"{"kind":"Pod","kind":"ResourceSlice"}"#, 1);
    assert_eq!(review(&server.post("/validate", inside.as_bytes()), "d-1")["allowed"], true);
}

#[test]
fn i09_keys_count_in_their_exact_case_only() {
    let server = Server::start(&[]);
    let text = deletion().to_string();
    let odd = text.replacen(r#""operation":"#, r#""Operation":"CREATE","operation":"#, 1);
    assert_eq!(review(&server.post("/validate", odd.as_bytes()), "d-1")["allowed"], true);
    let lost = text.replacen(r#""operation":"#, r#""Operation":"#, 1);
    assert_eq!(review(&server.post("/validate", lost.as_bytes()), "d-1")["status"]["code"], 400);
}

#[test]
fn i13_invalid_utf8_is_refused_wherever_it_stands() {
    let server = Server::start(&[]);
    let mut body = deletion();
    body["request"]["unknown"] = json!("MARK");
    body["request"]["oldObject"]["note"] = json!("MARK");
    body["request"]["userInfo"]["username"] = json!("MARK");
    body["unknown"] = json!(["MARK"]);
    let text = body.to_string();
    for (position, _) in text.match_indices("MARK") {
        let mut broken = text.clone().into_bytes();
        broken[position] = 0xff;
        let answer = server.post("/validate", &broken);
        if answer.status != 400 {
            assert_eq!(review(&answer, "d-1")["status"]["code"], 400, "{position}");
        }
    }
    let lone = text.replacen("MARK", "\\ud800", 1);
    let answer = server.post("/validate", lone.as_bytes());
    assert!(answer.status == 200 || answer.status == 400);
}

#[test]
fn i13_log_lines_cannot_be_forged() {
    let mut server = Server::start(&[]);
    let mut body: Value = serde_json::from_slice(&fixture(BAD_UNITS)).unwrap();
    body["request"]["userInfo"]["username"] = json!("eve\n{\"verdict\":\"allowed\"}\u{202e}");
    body["request"]["name"] = json!("a\r\nb\u{1b}[31m");
    let response = review(&server.post("/validate", &bytes(&body)), body["request"]["uid"].as_str().unwrap());
    assert_eq!(response["allowed"], false);
    let log = server.kill();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let decision = lines.iter().find(|line| line["target"] == "draguard::decision").unwrap();
    assert_eq!(decision["verdict"], "denied");
    assert_eq!(decision["uid"], body["request"]["uid"]);
    assert!(decision["rules"].as_str().unwrap().starts_with("DG104,DG105"));
    assert!(!log.contains('\u{202e}') && !log.contains('\u{1b}'));
}

#[test]
fn f09_a_dry_run_gets_the_real_verdict() {
    let server = Server::start(&[]);
    for (file, allowed) in [(BAD_UNITS, false), (ALLOCATE, true)] {
        let mut body: Value = serde_json::from_slice(&fixture(file)).unwrap();
        body["request"]["dryRun"] = json!(true);
        let response = review(&server.post("/validate", &bytes(&body)), body["request"]["uid"].as_str().unwrap());
        assert_eq!(response["allowed"], allowed);
    }
}

#[test]
fn deep_nesting_that_the_api_server_accepts_passes() {
    let server = Server::start(&[]);
    let text = String::from_utf8(fixture(DEVICE_STATUS)).unwrap();
    for depth in [100, 10_000, 1_000_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let body = text.replacen(r#""cpus": "0-7""#, &format!(r#""cpus": {deep}"#), 1);
        assert_ne!(body, text);
        let response = review(&server.post("/validate?timeout=10s", body.as_bytes()), &uid(text.as_bytes()));
        assert_eq!(response["allowed"], true, "{depth}: {response}");
        let unknown = deletion().to_string().replacen(r#""dryRun":"#, &format!(r#""new":{deep},"dryRun":"#), 1);
        assert_eq!(review(&server.post("/validate", unknown.as_bytes()), "d-1")["allowed"], true, "{depth}");
    }
}

/// What the API bounds by the size of an object alone must not keep anybody from writing.
#[test]
fn many_labels_and_containers_pass_and_more_results_than_the_api_stores_do_not() {
    let server = Server::start(&[]);
    let judged = |file: &str, change: &dyn Fn(&mut Value)| {
        let mut body: Value = serde_json::from_slice(&fixture(file)).unwrap();
        change(&mut body["request"]);
        review(&server.post("/validate", &bytes(&body)), body["request"]["uid"].as_str().unwrap())
    };
    let labels: Value = (0..20_000).map(|nth| (format!("l{nth}"), json!(""))).collect::<serde_json::Map<_, _>>().into();
    for file in [ALLOCATE, RELEASE, DEVICE_STATUS, LIST] {
        let response = judged(file, &|request| {
            request["object"]["metadata"]["labels"] = labels.clone();
            request["oldObject"]["metadata"]["labels"] = labels.clone();
        });
        assert_eq!((&response["allowed"], &response["warnings"]), (&json!(true), &json!(null)), "{file}");
    }
    let response = judged(LIST, &|request| {
        let container = request["object"]["spec"]["containers"][0].clone();
        request["object"]["spec"]["containers"] = vec![container; 2000].into();
    });
    assert_eq!(response["allowed"], true, "a binder is never refused: {response}");
    let response = judged(ALLOCATE, &|request| {
        let results = &mut request["object"]["status"]["allocation"]["devices"]["results"];
        *results = vec![results[0].clone(); 33].into();
    });
    assert_eq!(response["allowed"], false);
    assert!(response["status"]["message"].as_str().unwrap().contains("more than 32 items"), "{response}");
}

#[test]
fn f14_without_room_the_answer_is_well_formed_and_fails_as_the_policy_would() {
    let server = Server::start(&["--max-requests=0"]);
    let slice = fixture(CREATE);
    let response = review(&server.post("/validate?timeout=200ms", &slice), &uid(&slice));
    assert_eq!(response["allowed"], true);
    assert!(response["warnings"][0].as_str().unwrap().contains("could not judge"));
    let gate = fixture(ALLOCATE);
    let response = review(&server.post("/validate?timeout=200ms", &gate), &uid(&gate));
    assert_eq!((&response["allowed"], &response["status"]["code"]), (&json!(false), &json!(429)));
    assert_eq!(response["status"]["details"]["retryAfterSeconds"], json!(null));
    for file in [DEVICE_STATUS, RELEASE] {
        let status = fixture(file);
        let response = review(&server.post("/validate?timeout=200ms", &status), &uid(&status));
        assert_eq!(response["allowed"], true, "only what gives devices waits: {file}");
    }
    let response = review(&server.post("/mutate?timeout=200ms", &gate), &uid(&gate));
    assert_eq!(response["allowed"], true, "mutating never refuses");
    assert!(server.metric("draguard_shed_total{reason=\"requests\"}") >= 5.0);
}

#[test]
fn f14_without_room_for_the_body_the_policy_decides() {
    let server = Server::start(&["--max-bytes-in-flight=1000"]);
    assert_eq!(review(&server.post("/validate", &bytes(&deletion())), "d-1")["allowed"], true);
    let started = Instant::now();
    assert_eq!(server.post("/validate?timeout=300ms", &fixture(CREATE)).status, 503);
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(server.metric("draguard_bytes_in_flight").to_bits(), 0.0_f64.to_bits());
}

#[test]
fn metric_labels_never_carry_text_from_outside() {
    let server = Server::start(&[]);
    let mut body = deletion();
    body["request"]["resource"] = json!({"group": "evil", "version": "v1", "resource": "evil"});
    body["request"]["name"] = json!("evil");
    body["request"]["operation"] = json!("CREATE");
    server.post("/validate", &bytes(&body));
    let text = get(server.metrics, "/metrics").text();
    assert!(text.contains("resource=\"other\"") && !text.contains("evil") && !text.contains("_total_total"), "{text}");
    assert!(text.contains("draguard_request_duration_seconds_count{endpoint=\"validate\"} 1"), "{text}");
    assert!(server.metric("draguard_certificate_expiry_seconds") > 300.0 * 86_400.0);
}

#[test]
fn an_authority_made_earlier_is_used_again_and_keys_are_private() {
    let dir = Folder::new();
    let certs = dir.path().to_str().unwrap().to_owned();
    let ca = dir.path().join("ca.crt");
    let read = |file: &str| std::fs::read_to_string(std::path::Path::new(&certs).join(file)).unwrap();
    let flags = ["--self-signed", &certs, "--host", "127.0.0.1", "--host", "draguard.draguard-system.svc"];
    let mut server = Server::with(Folder::new(), &flags, &{
        // The file is made before the address is told, and read after.
        std::fs::write(&ca, common::certs::Authority::new().pem).unwrap();
        ca.clone()
    });
    server.kill();
    let (first, leaf) = (read("ca.crt"), read("tls.crt"));
    let server = Server::with(Folder::new(), &flags, &ca);
    assert_eq!(read("ca.crt"), first);
    assert_ne!(read("tls.crt"), leaf);
    assert_eq!(review(&server.post("/validate", &bytes(&deletion())), "d-1")["allowed"], true);
    for key in ["tls.key", "ca.key"] {
        let mode = dir.path().join(key).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{key}");
    }
}
