//! What a webhook's denial does to a pod on its way.

use std::time::{Duration, Instant};

use draguard_testbed::objects::{recorded, recorded_amount, requesting, why_pending};
use draguard_testbed::{Hook, Phase, Review, Rule, Verdict, Webhook};
use serde_json::{Value, json};

use crate::bed::Bed;
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_denied_allocation_leaves_nothing_behind,
        "11.3",
        BOTH,
        "A 403 on `resourceclaims/status` stores no allocation, is told in full in the pod's condition (SchedulerError), and \
         the pod is bound with its list once the denial ends"
    ),
    fact!(
        fact_denied_list_ends_uncounted,
        "F10, 11.1, surprise 1",
        T36,
        "A 403 on the scheduler's `pods/status` ends in a bound pod without a list, and the node is filled beyond what it has"
    ),
    fact!(
        fact_denied_list_loops,
        "F10, F11, 11.1",
        T37,
        "A 403 on the scheduler's `pods/status` keeps the pod pending with its allocation, and it is bound with the list once \
         the denial ends"
    ),
    fact!(
        fact_denied_binding_loses_the_list,
        "F11, 11.2, surprise 1",
        T36,
        "A 403 on `pods/binding`, once, ends in a bound pod without a list"
    ),
    fact!(
        fact_denied_binding_keeps_the_list,
        "F11, 11.2",
        T37,
        "A 403 on `pods/binding`, once, ends in a bound pod with its list"
    ),
    fact!(
        fact_denied_binding_gives_the_reservation_back,
        "3.4, 11.2, surprise 2",
        BOTH,
        "While `pods/binding` is denied the allocation stays and the reservation is taken back"
    ),
    fact!(
        fact_unavailable_is_tried_four_times_at_once,
        "F25, surprise 21",
        BOTH,
        "A denial of the list with 503 and reason ServiceUnavailable is tried four times at once"
    ),
    fact!(
        fact_forbidden_is_tried_once_an_attempt,
        "F25, 11.23",
        BOTH,
        "A denial of the allocation with 403 is tried once an attempt, and attempts come ever more slowly"
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
        "With `retryAfterSeconds: 1` the scheduler's client tries again every second, and the pod shows no reason meanwhile"
    ),
    fact!(
        fact_conflict_is_retried_in_a_burst,
        "11.23",
        BOTH,
        "A denial of the allocation with 409 is tried several times at once"
    ),
];

const ALLOCATION: &str = "update resourceclaims/status";
const LIST: &str = "update pods/status";
const BINDING: &str = "create pods/binding";

/// Denies what `of` picks, as long as the webhook is not told otherwise.
fn denying(of: fn(&Review) -> bool, status: Value) -> Webhook {
    Webhook::with(move |review| match of(review) {
        true => Verdict::Deny(status.clone()),
        false => Verdict::Allow,
    })
}

fn forbidden() -> Value {
    json!({ "code": 403, "reason": "Forbidden", "message": "draguard says no" })
}

fn is_allocation(review: &Review) -> bool {
    review.what() == ALLOCATION && review.object()["status"]["allocation"].is_object()
}

/// The scheduler's write of the list, not of the nominated node.
fn is_list(review: &Review) -> bool {
    review.what() == LIST && recorded(review.object()).is_array()
}

fn is_binding(review: &Review) -> bool {
    review.what() == BINDING
}

/// Everything ready, the webhook in force, and a pod on its way.
fn on_its_way(bed: &Bed, webhook: &Webhook) -> (Hook, Value, Value) {
    bed.publish(&[bed.device()]);
    let rules = [Rule::dra(&["resourceclaims/status"]), Rule::core(&["pods/status", "pods/binding"])];
    let hook = bed.hook(webhook, Phase::Validate, &rules);
    let claim = bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    (hook, claim, pod)
}

fn allow_all(webhook: &Webhook) {
    webhook.behave(|_| Verdict::Allow);
}

fn fact_denied_allocation_leaves_nothing_behind(bed: &Bed) {
    let webhook = denying(is_allocation, forbidden());
    let (_hook, claim, pod) = on_its_way(bed, &webhook);
    let pending = bed.pending(&pod, "draguard says no");
    assert!(why_pending(&pending).starts_with("SchedulerError"));
    let status = bed.admin.again(&claim)["status"].take();
    assert!(status["allocation"].is_null() && status["reservedFor"].is_null(), "{status}");
    allow_all(&webhook);
    let pod = bed.bound(&pod);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
}

fn fact_denied_list_ends_uncounted(bed: &Bed) {
    let webhook = denying(is_list, forbidden());
    let (_hook, claim, pod) = on_its_way(bed, &webhook);
    let pod = bed.bound(&pod);
    assert!(recorded(&pod).is_null());
    assert!(bed.admin.again(&claim)["status"]["allocation"].is_object());
    let whole = requesting(bed.pod("whole", &[]), &[("cpu", "8")]);
    bed.bound(&bed.admin.create(&whole).must());
}

fn fact_denied_list_loops(bed: &Bed) {
    let webhook = denying(is_list, forbidden());
    let (_hook, claim, pod) = on_its_way(bed, &webhook);
    bed.pending(&pod, "draguard says no");
    let attempts = |at_least: usize| {
        let count = || webhook.seen().iter().filter(|r| is_list(r)).count();
        draguard_testbed::wait_until("attempts", crate::bed::SOON, count, |n| *n >= at_least);
    };
    attempts(2);
    assert!(bed.admin.again(&claim)["status"]["allocation"].is_object());
    assert!(bed.admin.again(&pod)["spec"]["nodeName"].is_null());
    allow_all(&webhook);
    let pod = bed.bound(&pod);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
}

/// A pod whose first binding was denied, now bound.
fn bound_at_the_second_try(bed: &Bed) -> Value {
    let mut denied = false;
    let webhook = Webhook::with(move |review| {
        if denied || !is_binding(review) {
            return Verdict::Allow;
        }
        denied = true;
        Verdict::Deny(forbidden())
    });
    let (_hook, _, pod) = on_its_way(bed, &webhook);
    let pod = bed.bound(&pod);
    let bindings = webhook.seen().iter().filter(|r| is_binding(r)).count();
    assert_eq!(bindings, 2);
    pod
}

fn fact_denied_binding_loses_the_list(bed: &Bed) {
    let pod = bound_at_the_second_try(bed);
    assert!(recorded(&pod).is_null(), "{}", recorded(&pod));
}

fn fact_denied_binding_keeps_the_list(bed: &Bed) {
    let pod = bound_at_the_second_try(bed);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
}

fn fact_denied_binding_gives_the_reservation_back(bed: &Bed) {
    let webhook = denying(is_binding, forbidden());
    let (_hook, claim, pod) = on_its_way(bed, &webhook);
    bed.pending(&pod, "draguard says no");
    draguard_testbed::wait_until(
        "the reservation to go and the allocation to stay",
        crate::bed::SOON,
        || bed.admin.again(&claim)["status"].take(),
        |status| status["allocation"].is_object() && status["reservedFor"].is_null(),
    );
}

/// How long after the first denied call the `nth` one came.
fn time_to(bed: &Bed, nth: usize, of: fn(&Review) -> bool, status: Value) -> Duration {
    let (sender, receiver) = std::sync::mpsc::channel();
    let webhook = Webhook::with(move |review| {
        if !of(review) {
            return Verdict::Allow;
        }
        // The test may have stopped listening.
        let _ = sender.send(Instant::now());
        Verdict::Deny(status.clone())
    });
    let _on_its_way = on_its_way(bed, &webhook);
    let call = || receiver.recv_timeout(crate::bed::SOON).expect("one more call");
    let calls: Vec<Instant> = (0..nth).map(|_| call()).collect();
    calls[nth - 1] - calls[0]
}

/// Attempts of the scheduler are one second apart, then two, then four: four of them take longer than this.
const ATTEMPTS_APART: Duration = Duration::from_secs(6);

fn fact_unavailable_is_tried_four_times_at_once(bed: &Bed) {
    let busy = json!({ "code": 503, "reason": "ServiceUnavailable", "message": "busy" });
    let took = time_to(bed, 4, is_list, busy);
    assert!(took < ATTEMPTS_APART, "{took:?}");
}

fn fact_forbidden_is_tried_once_an_attempt(bed: &Bed) {
    let took = time_to(bed, 4, is_allocation, forbidden());
    assert!(took > ATTEMPTS_APART, "{took:?}");
}

fn fact_429_without_seconds_is_like_403(bed: &Bed) {
    let hold = json!({ "code": 429, "reason": "TooManyRequests", "message": "draguard holds" });
    let webhook = denying(is_allocation, hold);
    let (_hook, _, pod) = on_its_way(bed, &webhook);
    bed.pending(&pod, "draguard holds");
}

fn fact_429_with_seconds_waits_inside_the_call(bed: &Bed) {
    let hold = json!({ "code": 429, "reason": "TooManyRequests", "message": "draguard holds",
        "details": { "retryAfterSeconds": 1 } });
    let webhook = denying(is_allocation, hold);
    let (_hook, _, pod) = on_its_way(bed, &webhook);
    let calls = || webhook.seen().iter().filter(|r| is_allocation(r)).count();
    draguard_testbed::wait_until("four calls", crate::bed::SOON, calls, |n| *n >= 4);
    assert!(!why_pending(&bed.admin.again(&pod)).contains("draguard holds"));
}

fn fact_conflict_is_retried_in_a_burst(bed: &Bed) {
    let conflict = json!({ "code": 409, "reason": "Conflict", "message": "again" });
    let took = time_to(bed, 4, is_allocation, conflict);
    assert!(took < ATTEMPTS_APART, "{took:?}");
}
