//! Bodies that no API server sends: each gets a clean answer in time, and the server lives on in bounded memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod common;

use std::time::{Duration, Instant};

use common::client::Client;
use common::server::Server;
use common::{deletion, fixture};
use serde_json::{Value, json};

const SLICE: &str = "v1.37/02-driver-publishes-gpu-02-validate-create-resourceslices.json";
const CLAIM: &str = "v1.36/20-pod-with-capacity-claim-10-validate-update-resourceclaims.status.json";
const POD: &str = "v1.36/36-pod-status-amount-shrunk-04-validate-update-pods.status.json";

/// A server and a connection that is opened again when the server closes it.
struct Target {
    server: Server,
    client: Client,
    sent: usize,
}

impl Target {
    fn new() -> Self {
        let server = Server::start(&[]);
        let client = server.client();
        Self { server, client, sent: 0 }
    }

    /// Sends a body and checks that the answer is a clean one: a review (of `uid`, if given), or a bare 400.
    fn send(&mut self, path: &str, body: &[u8], uid: Option<&str>) -> Value {
        self.sent += 1;
        let started = Instant::now();
        let answer = self.client.post(path, body).unwrap_or_else(|_| {
            self.client = self.server.client();
            self.client.post(path, body).unwrap()
        });
        let shown = String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
        assert!(started.elapsed() < Duration::from_secs(15), "{:?} for {shown}", started.elapsed());
        assert!(answer.body.len() < 64 << 10, "{} bytes for {shown}", answer.body.len());
        if answer.status == 400 {
            assert!(uid.is_none(), "no review: {shown}");
            return Value::Null;
        }
        assert_eq!(answer.status, 200, "{shown}");
        let review = answer.json();
        assert!(review["response"]["allowed"].is_boolean() && review["kind"] == "AdmissionReview", "{shown}");
        assert!(uid.is_none_or(|uid| review["response"]["uid"] == uid), "{shown}");
        review["response"].clone()
    }

    /// The server still works, no rule has failed, and memory is bounded.
    fn finish(self) {
        let answer = self.server.post("/validate", deletion().to_string().as_bytes());
        assert_eq!(answer.json()["response"]["allowed"], true);
        assert!(self.server.metric("draguard_shed_total{reason=\"fault\"}") < 1.0, "a rule has failed");
        assert_eq!(self.server.metric("draguard_bytes_in_flight").to_bits(), 0.0_f64.to_bits());
        let resident = self.server.resident();
        assert!(resident < 256 << 20, "{resident} bytes resident after {} requests", self.sent);
    }
}

#[test]
fn a_review_truncated_at_every_byte() {
    let mut target = Target::new();
    let review: Value = serde_json::from_slice(&fixture(SLICE)).unwrap();
    let uid = review["request"]["uid"].as_str().unwrap();
    let text = serde_json::to_vec(&json!({
        "kind": review["kind"], "apiVersion": review["apiVersion"], "request": review["request"]
    }))
    .unwrap();
    for end in 0..text.len() {
        let response = target.send("/validate", &text[..end], None);
        assert_ne!(response["allowed"], true, "truncated at {end}");
        assert!(response.is_null() || response["uid"] == uid);
    }
    assert_eq!(target.send("/validate", &text, Some(uid))["allowed"], true);
    assert!(target.sent > 2000);
    target.finish();
}

#[test]
fn every_field_of_every_type() {
    let mut target = Target::new();
    for file in [SLICE, CLAIM, POD] {
        let review: Value = serde_json::from_slice(&fixture(file)).unwrap();
        let uid = review["request"]["uid"].as_str().unwrap();
        for pointer in pointers(&review) {
            for wrong in wrong_values() {
                let mut changed = review.clone();
                *changed.pointer_mut(&pointer).unwrap() = wrong;
                let kept = changed["request"]["uid"] == uid;
                let body = serde_json::to_vec(&changed).unwrap();
                for path in ["/validate", "/mutate"] {
                    // The kind and version before the request may end the reading before the uid.
                    let early = ["", "/kind", "/apiVersion"].contains(&pointer.as_str());
                    target.send(path, &body, (kept && !early).then_some(uid));
                }
            }
        }
    }
    assert!(target.sent > 2000, "{}", target.sent);
    target.finish();
}

/// Where to put something wrong: everywhere, but in lists only into the first two items.
fn pointers(value: &Value) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => items.iter().take(2).enumerate().map(|(nth, item)| (nth.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    let inside = below
        .into_iter()
        .filter(|(key, _)| key != "managedFields")
        .flat_map(|(key, value)| pointers(value).into_iter().map(move |rest| format!("/{key}{rest}")));
    std::iter::once(String::new()).chain(inside).collect()
}

fn wrong_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(18_446_744_073_709_551_615_u64),
        json!(""),
        json!("\u{0}\u{202e}é"),
        json!("9".repeat(5000)),
        json!([]),
        json!([null, {}, [[]], "x"]),
        json!({}),
        json!({"": {"": {}}}),
    ]
}

#[test]
fn bytes_that_are_no_utf8_at_many_places() {
    let mut target = Target::new();
    let text = fixture(SLICE);
    for position in (0..text.len()).step_by(29) {
        for byte in [0x00, 0xff, 0xc3] {
            let mut body = text.clone();
            body[position] = byte;
            target.send("/validate", &body, None);
        }
    }
    target.finish();
}

#[test]
fn every_key_twice() {
    let mut target = Target::new();
    let text = String::from_utf8(fixture(CLAIM)).unwrap();
    for (position, _) in text.match_indices("{\n") {
        let rest = &text[position + 1..];
        let Some(key) = rest.split('"').nth(1) else { continue };
        let body = format!("{}{{\"{key}\": null,{rest}", &text[..position]);
        target.send("/validate", body.as_bytes(), None);
    }
    assert!(target.sent > 40, "{}", target.sent);
    target.finish();
}

#[test]
fn too_deep_too_long_too_many() {
    let mut target = Target::new();
    let text = String::from_utf8(fixture(SLICE)).unwrap();
    for filler in fillers() {
        for key in
            ["\"uid\":", "\"object\":", "\"operation\":", "\"driver\":", "\"devices\":", "\"extra\":", "\"name\":"]
        {
            let body = text.replacen(key, &format!("\"odd\": {filler},\n{key}"), 1);
            target.send("/validate", body.as_bytes(), None);
            let body = text.replacen(key, &format!("{key} {filler}, \"rest\":"), 1);
            target.send("/validate", body.as_bytes(), None);
        }
    }
    assert!(target.sent > 200, "{}", target.sent);
    target.finish();
}

/// Values that are valid JSON, or nearly, and far too large in one way.
fn fillers() -> Vec<String> {
    const MANY: usize = 300_000;
    let keys = |name: fn(usize) -> String| {
        let keys: Vec<String> = (0..MANY / 10).map(|nth| format!("\"{}\":{nth}", name(nth))).collect();
        format!("{{{}}}", keys.join(","))
    };
    vec![
        "[".repeat(MANY),
        format!("{}{}", "[".repeat(MANY), "]".repeat(MANY)),
        "{\"a\":".repeat(MANY),
        format!("{}1{}", "{\"a\":".repeat(MANY), "}".repeat(MANY)),
        format!("\"{}\"", "x".repeat(MANY)),
        format!("\"{}\"", "\\u0000".repeat(MANY / 6)),
        format!("\"{}\"", "\\ud83d\\ude00".repeat(MANY / 12)),
        "\"\\ud800\"".to_owned(),
        "9".repeat(MANY),
        format!("0.{}1", "0".repeat(MANY)),
        "1e999999999".to_owned(),
        "-1e-999999999".to_owned(),
        "-0".to_owned(),
        "NaN".to_owned(),
        "01".to_owned(),
        format!("[{}1]", "1,".repeat(MANY)),
        // Each of them may be a device with findings of its own.
        format!("[{}{{}}]", "{},".repeat(MANY)),
        keys(|nth| format!("k{nth}")),
        keys(|_| "same".to_owned()),
    ]
}

#[test]
fn quantities_that_never_end() {
    let mut target = Target::new();
    let review: Value = serde_json::from_slice(&fixture(SLICE)).unwrap();
    let uid = review["request"]["uid"].as_str().unwrap().to_owned();
    let long = "1".repeat(1_000_000);
    for quantity in [
        long.as_str(),
        "1e2147483648",
        "1e-2147483648",
        "1E",
        "9223372036854775808Ei",
        "0.0000000000000000000000000001",
        "--1",
        "1 Gi",
        "１",
        "1e99999999999999999999",
        "+.5",
        ".",
        "0x10",
        "∞",
    ] {
        let text = review.to_string().replace("\"4Gi\"", &json!(quantity).to_string());
        assert!(text.contains(quantity));
        target.send("/validate", text.as_bytes(), Some(&uid));
    }
    target.finish();
}

#[test]
fn what_is_no_json_at_all() {
    let mut target = Target::new();
    let yaml = b"kind: AdmissionReview\na: &a [x,x]\nb: &b [*a,*a]\n".as_slice();
    let utf16: Vec<u8> = deletion().to_string().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 5, 0, 0x43, 0xbf, 0xa6, 0xa3, 2, 0, 0, 0];
    let trailing = format!("{} x", deletion());
    let twice = format!("{}{}", deletion(), deletion());
    let comment = format!("/* */{}", deletion());
    for body in [
        b"".as_slice(),
        b" ",
        b"\0",
        b"k8s\0\n\x0badmission",
        b"{'kind': 'AdmissionReview'}",
        b"{\"kind\":\"AdmissionReview\",}",
        b"<xml/>",
        b"{\"request\":{\"uid\":\"u\"",
        yaml,
        &utf16,
        &gzip,
        trailing.as_bytes(),
        twice.as_bytes(),
        comment.as_bytes(),
    ] {
        assert_ne!(target.send("/validate", body, None)["allowed"], true);
    }
    target.finish();
}
