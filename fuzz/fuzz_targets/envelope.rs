//! Any bytes as the body of a request: read or refused, and what is read agrees with an independent JSON parser.
#![no_main]

use draguard::guard::{Guard, Proof};
use draguard::wire::respond::{Endpoint, decided};
use draguard::wire::review;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|body: &[u8]| {
    let Ok(request) = review::read(body) else { return };
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        assert_eq!(value["request"]["uid"], *request.uid);
        assert_eq!(value["request"]["object"].is_null(), request.object.is_none());
    }
    let guard = Guard::default();
    let validated = guard.validate(&request, Proof::Ledger, 0).decision().unwrap();
    for (endpoint, decision) in [(Endpoint::Validate, validated), (Endpoint::Mutate, guard.mutate(&request, 0))] {
        let answer: Value = serde_json::from_slice(&decided(endpoint, &request, &decision)).unwrap();
        assert_eq!(answer["response"]["uid"], *request.uid);
        assert!(endpoint == Endpoint::Mutate || answer["response"]["patch"].is_null());
    }
});
