//! Allocations on their way: between a verdict and the watch event that shows it, nobody else gets the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use std::sync::Arc;
use std::thread;

use draguard::guard::{Guard, Proof};
use draguard::ledger::book::Book;
use draguard::ledger::event::{Change, Event};
use draguard::ledger::object::{Kind, Object};
use draguard::ledger::reservation::{LIFETIME, MOST};
use draguard::ledger::view::Freshness;
use draguard::model::version::Version;
use draguard::verdict::decision::Decision;
use draguard::wire::review;
use serde_json::{Value, json};

const NOW: i64 = 1_000_000;

/// One node with two exclusive devices, and as many unallocated claims as asked for.
struct Bed {
    guard: Guard,
    book: Arc<Book>,
}

impl Bed {
    fn with_claims(count: usize) -> Self {
        let book = Arc::new(Book::new(Version::V137));
        let bed = Self { guard: Guard { book: Some(Arc::clone(&book)), ..Guard::default() }, book };
        let device = |name: &str| json!({"name": name, "nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "1"}}}});
        bed.see(
            Kind::Slice,
            &json!({
                "metadata": {"name": "s", "uid": "s", "resourceVersion": "1"},
                "spec": {"driver": "d.example.com", "nodeName": "node-a", "devices": [device("dev-0"), device("dev-1")],
                    "pool": {"name": "node-a", "generation": 1, "resourceSliceCount": 1}},
            }),
        );
        for nth in 0..count {
            bed.see(Kind::Claim, &claim(nth, 10, None));
        }
        bed.book.set_freshness(Freshness::Fresh, NOW);
        bed
    }

    fn see(&self, kind: Kind, object: &Value) {
        let object = Object::read(kind, &object.to_string()).unwrap();
        self.book.apply(Event { at: NOW, change: Change::Applied(object) });
    }

    /// What is said of giving a device to a claim.
    fn allocate(&self, nth: usize, device: &str, at: i64) -> Decision {
        self.ask(&claim(nth, 10, None), &claim(nth, 10, Some(device)), false, at)
    }

    fn ask(&self, old: &Value, new: &Value, dry_run: bool, at: i64) -> Decision {
        let review = json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {
                "uid": "u", "operation": "UPDATE", "subResource": "status", "name": new["metadata"]["name"],
                "namespace": "ns", "resource": {"group": "resource.k8s.io", "version": "v1", "resource": "resourceclaims"},
                "userInfo": {"username": "system:kube-scheduler"}, "object": new, "oldObject": old, "dryRun": dry_run,
            },
        })
        .to_string();
        let request = review::read(review.as_bytes()).unwrap();
        self.guard.validate(&request, Proof::Ledger, at).decision().unwrap()
    }

    fn reserved(&self, at: i64) -> usize {
        let (ledger, mut reservations) = (self.book.read(), self.book.reservations());
        reservations.forget(&ledger, at);
        reservations.len()
    }
}

fn claim(nth: usize, version: u64, device: Option<&str>) -> Value {
    let mut claim = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": format!("c{nth}"), "namespace": "ns", "uid": format!("u{nth}"), "resourceVersion": version.to_string()},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "g"}}]}},
    });
    if let Some(device) = device {
        let terms = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]}]);
        claim["status"] = json!({"allocation": {
            "devices": {"results": [{"request": "r", "driver": "d.example.com", "pool": "node-a", "device": device}]},
            "nodeSelector": {"nodeSelectorTerms": terms},
        }});
    }
    claim
}

/// Held, not denied: the first may never arrive.
fn is_held(decision: &Decision) {
    assert_eq!(decision.refusal.map(|(code, _)| code), Some(429), "{decision:?}");
    assert!(decision.rulings.iter().any(|ruling| ruling.finding.rule.id == "DG303"), "{decision:?}");
}

#[test]
fn of_two_that_want_one_device_at_a_time_one_waits() {
    let bed = Bed::with_claims(2);
    assert!(bed.allocate(0, "dev-0", NOW).allowed());
    is_held(&bed.allocate(1, "dev-0", NOW + 1));
    assert!(bed.allocate(1, "dev-1", NOW + 2).allowed());
}

#[test]
fn of_many_threads_one_gets_the_device() {
    let bed = Arc::new(Bed::with_claims(16));
    let threads: Vec<_> = (0..16)
        .map(|nth| {
            let bed = Arc::clone(&bed);
            thread::spawn(move || bed.allocate(nth, "dev-0", NOW).allowed())
        })
        .collect();
    let allowed = threads.into_iter().map(|thread| thread.join().unwrap()).filter(|yes| *yes).count();
    assert_eq!(allowed, 1);
}

#[test]
fn the_same_request_again_is_no_conflict() {
    let bed = Bed::with_claims(1);
    assert!(bed.allocate(0, "dev-0", NOW).allowed());
    assert!(bed.allocate(0, "dev-0", NOW + 1).allowed());
    assert_eq!(bed.reserved(NOW), 1);
}

#[test]
fn it_ends_with_the_event_that_shows_the_allocation() {
    let bed = Bed::with_claims(3);
    assert!(bed.allocate(0, "dev-0", NOW).allowed());
    bed.see(Kind::Claim, &claim(0, 20, Some("dev-0")));
    let denied = bed.allocate(1, "dev-0", NOW + 1);
    assert_eq!(denied.refusal.map(|(code, _)| code), Some(403), "{denied:?}");
    assert!(bed.allocate(2, "dev-1", NOW + 2).allowed());
    assert_eq!(bed.reserved(NOW), 1, "only the last one is still on its way");
}

#[test]
fn it_ends_with_its_time() {
    let bed = Bed::with_claims(2);
    assert!(bed.allocate(0, "dev-0", NOW).allowed());
    is_held(&bed.allocate(1, "dev-0", NOW + LIFETIME - 1));
    assert!(bed.allocate(1, "dev-0", NOW + LIFETIME).allowed());
}

#[test]
fn it_ends_when_the_claim_goes_another_way() {
    let bed = Bed::with_claims(2);
    assert!(bed.allocate(0, "dev-0", NOW).allowed());
    bed.see(Kind::Claim, &claim(0, 11, None));
    assert!(bed.allocate(1, "dev-0", NOW + 1).allowed());
}

#[test]
fn a_dry_run_reserves_nothing() {
    let bed = Bed::with_claims(1);
    let decision = bed.ask(&claim(0, 10, None), &claim(0, 10, Some("dev-0")), true, NOW);
    assert!(decision.allowed());
    assert_eq!(bed.reserved(NOW), 0);
}

#[test]
fn made_up_reviews_hold_nothing() {
    let bed = Bed::with_claims(2);
    let mut unknown = claim(0, 10, Some("dev-0"));
    unknown["metadata"]["name"] = json!("nobody");
    let stale = [claim(0, 9, None), claim(0, 9, Some("dev-0"))];
    let mut other = claim(0, 10, Some("dev-0"));
    other["metadata"]["uid"] = json!("another");
    for (old, new) in [(&claim(0, 10, None), &unknown), (&stale[0], &stale[1]), (&claim(0, 10, None), &other)] {
        let _ = bed.ask(old, new, false, NOW);
        assert_eq!(bed.reserved(NOW), 0, "{new}");
    }
    assert!(bed.allocate(1, "dev-0", NOW).allowed());
}

#[test]
fn a_version_reserves_once_however_often_it_is_sent() {
    let bed = Bed::with_claims(2);
    for round in 0..100 {
        let at = NOW + round * LIFETIME;
        assert!(bed.allocate(0, "dev-0", at).allowed());
    }
    // A made-up review that is sent again and again holds the device for one lifetime only.
    assert!(bed.allocate(1, "dev-0", NOW + 100 * LIFETIME).allowed());
}

#[test]
fn a_flood_does_not_grow_memory() {
    let bed = Bed::with_claims(MOST + 50);
    let (ledger, mut reservations) = (bed.book.read(), bed.book.reservations());
    for nth in 0..MOST + 50 {
        let wanted = claim(nth, 10, Some(&format!("none-{nth}"))).to_string();
        let Object::Claim(wanted) = Object::read(Kind::Claim, &wanted).unwrap() else { unreachable!() };
        assert_eq!(reservations.take(wanted, 10, &ledger, NOW), nth < MOST, "{nth}");
    }
    assert_eq!(reservations.len(), MOST);
}
