//! How often, and how soon, a denied writer comes back.

use std::collections::HashSet;
use std::time::Duration;

use draguard_testbed::objects::why_pending;
use draguard_testbed::{Phase, Review, Rule, Verdict, Version, Webhook, path_of, wait_until};
use serde_json::{Value, json};

use super::denials::{ALLOCATION, LIST, allow_all, is_allocation, is_list, on_its_way};
use crate::bed::{Bed, SOON};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_unavailable_is_tried_four_times_at_once,
        "F25, surprise 21",
        BOTH,
        "A denial of the list with 503 and reason ServiceUnavailable is tried four times within an attempt"
    ),
    fact!(
        fact_forbidden_is_tried_once_an_attempt,
        "F25, 11.23",
        BOTH,
        "A denial of the allocation with 403 is tried once an attempt, and attempts come ever more slowly: the scheduler \
         backs off for 1, 2, 4 and 8 s"
    ),
    fact!(
        fact_429_without_seconds_is_like_403,
        "F27, 11.23",
        BOTH,
        "A denial of the allocation with 429 and no `retryAfterSeconds` is tried once an attempt, and the pod's condition \
         carries the message"
    ),
    fact!(
        fact_429_with_seconds_waits_inside_the_call,
        "F27, 11.23",
        BOTH,
        "With `retryAfterSeconds: 1` the scheduler's client tries again every second, ten times within one attempt, and the \
         pod shows no reason meanwhile"
    ),
    fact!(
        fact_conflict_is_retried_in_a_burst,
        "11.23",
        BOTH,
        "A denial of the allocation with 409 is tried five times within an attempt"
    ),
    fact!(
        fact_429_holds_the_release_back,
        "F27, 11.23",
        BOTH,
        "A release denied with 429 and no `retryAfterSeconds` leaves the claim as it was; the claim controller tries again, \
         and releases it once the denial ends"
    ),
];

/// Denies what `of` picks, and numbers the denials: the pod's condition tells which of them ended an attempt.
fn numbering(of: fn(&Review) -> bool, status: Value) -> Webhook {
    let mut calls = 0;
    Webhook::with(move |review| {
        if !of(review) {
            return Verdict::Allow;
        }
        calls += 1;
        let mut status = status.clone();
        status["message"] = json!(format!("{NUMBER}{calls}"));
        Verdict::Deny(status)
    })
}

const NUMBER: &str = "denial number ";

/// The denial that a write of the pod's status tells as the reason for which the pod is pending.
fn told(review: &Review) -> Option<usize> {
    let why = why_pending(review.object());
    let number = why.split(NUMBER).nth(1)?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The calls of each attempt that has ended.
fn attempts(webhook: &Webhook, of: fn(&Review) -> bool) -> Vec<Vec<Review>> {
    let seen = webhook.seen();
    let ends: HashSet<usize> = seen.iter().filter(|r| r.what() == LIST).filter_map(told).collect();
    let (mut attempts, mut attempt) = (Vec::new(), Vec::new());
    for (number, call) in (1..).zip(seen.into_iter().filter(of)) {
        // A denied write that met an old object in the server's cache is asked about once more.
        attempt.retain(|earlier| version(earlier) == version(&call));
        attempt.push(call);
        if ends.contains(&number) {
            attempts.push(std::mem::take(&mut attempt));
        }
    }
    attempts
}

fn version(review: &Review) -> &Value {
    &review.old_object()["metadata"]["resourceVersion"]
}

/// The first attempts of a pod whose writes are denied with this status.
fn denied_attempts(bed: &Bed, count: usize, of: fn(&Review) -> bool, status: Value) -> Vec<Vec<Review>> {
    let webhook = numbering(of, status);
    let _on_its_way = on_its_way(bed, &webhook);
    wait_until("attempts", SOON, || sizes(&attempts(&webhook, of)), |sizes| sizes.len() >= count);
    let mut attempts = attempts(&webhook, of);
    attempts.truncate(count);
    attempts
}

/// How many calls each attempt made.
fn sizes(attempts: &[Vec<Review>]) -> Vec<usize> {
    attempts.iter().map(Vec::len).collect()
}

/// The time from each call to the next.
fn gaps<'a>(calls: impl Iterator<Item = &'a Review>) -> Vec<Duration> {
    let times: Vec<_> = calls.map(|call| call.at).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn fact_unavailable_is_tried_four_times_at_once(bed: &Bed) {
    let busy = json!({ "code": 503, "reason": "ServiceUnavailable" });
    // A second attempt writes no list on v1.36.
    let count = if bed.version == Version::V1_36 { 1 } else { 2 };
    let attempts = denied_attempts(bed, count, is_list, busy);
    assert_eq!(sizes(&attempts), vec![4; count]);
}

fn fact_forbidden_is_tried_once_an_attempt(bed: &Bed) {
    let forbidden = json!({ "code": 403, "reason": "Forbidden" });
    let attempts = denied_attempts(bed, 5, is_allocation, forbidden);
    assert_eq!(sizes(&attempts), [1; 5]);
    let gaps = gaps(attempts.iter().flatten());
    // The scheduler counts from its last full second, so a pod may come back up to a second early.
    let least = [0, 1, 3, 7].map(Duration::from_secs);
    assert!(gaps.iter().zip(least).all(|(gap, least)| *gap >= least), "{gaps:?}");
    assert!(gaps.last() > gaps.first(), "{gaps:?}");
}

fn fact_429_without_seconds_is_like_403(bed: &Bed) {
    let hold = json!({ "code": 429, "reason": "TooManyRequests" });
    let attempts = denied_attempts(bed, 3, is_allocation, hold);
    assert_eq!(sizes(&attempts), [1; 3]);
}

fn fact_429_with_seconds_waits_inside_the_call(bed: &Bed) {
    let hold = json!({ "code": 429, "reason": "TooManyRequests", "details": { "retryAfterSeconds": 1 } });
    let attempts = denied_attempts(bed, 1, is_allocation, hold);
    // That its last call is the first to be told is how an attempt is known.
    assert_eq!(sizes(&attempts), [11]);
    let gaps = gaps(attempts[0].iter());
    let second = Duration::from_secs(1);
    assert!(gaps.iter().all(|gap| *gap >= second) && gaps.iter().any(|gap| *gap < 2 * second), "{gaps:?}");
}

fn fact_conflict_is_retried_in_a_burst(bed: &Bed) {
    let conflict = json!({ "code": 409, "reason": "Conflict" });
    let attempts = denied_attempts(bed, 2, is_allocation, conflict);
    assert_eq!(sizes(&attempts), [5; 2]);
}

fn fact_429_holds_the_release_back(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    let webhook =
        Webhook::with(|_| Verdict::Deny(json!({ "code": 429, "reason": "TooManyRequests", "message": "hold" })));
    let _hook = bed.hook(&webhook, Phase::Validate, &[Rule::dra(&["resourceclaims/status"])]);
    let before = bed.admin.again(&claim);
    bed.admin.delete(&(path_of(&pod) + "?gracePeriodSeconds=0")).must();
    wait_until("three tries", SOON, || webhook.seen().len(), |calls| *calls >= 3);
    assert_eq!(bed.admin.again(&claim), before);
    allow_all(&webhook);
    wait_until("the release", SOON, || bed.admin.again(&claim)["status"].take(), is_released);
    let seen = webhook.seen();
    assert!(seen.iter().all(|call| call.what() == ALLOCATION && call.user() == CONTROLLER));
    assert!(seen.iter().all(|call| is_released(&call.object()["status"])));
}

const CONTROLLER: &str = "system:serviceaccount:kube-system:resource-claim-controller";

fn is_released(status: &Value) -> bool {
    status["allocation"].is_null() && status["reservedFor"].is_null()
}
