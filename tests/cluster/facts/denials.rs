//! What a webhook's denial does to a pod on its way.

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
];

/// The write of a claim's allocation.
pub const ALLOCATION: &str = "update resourceclaims/status";
/// The write of a pod's list, and of its conditions.
pub const LIST: &str = "update pods/status";
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

/// A write after which the claim has an allocation.
pub fn is_allocation(review: &Review) -> bool {
    review.what() == ALLOCATION && review.object()["status"]["allocation"].is_object()
}

/// The scheduler's write of the list, not of the nominated node.
pub fn is_list(review: &Review) -> bool {
    review.what() == LIST && recorded(review.object()).is_array()
}

fn is_binding(review: &Review) -> bool {
    review.what() == BINDING
}

/// Everything ready, the webhook in force, and a pod on its way.
pub fn on_its_way(bed: &Bed, webhook: &Webhook) -> (Hook, Value, Value) {
    bed.publish(&[bed.device()]);
    let rules = [Rule::dra(&["resourceclaims/status"]), Rule::core(&["pods/status", "pods/binding"])];
    let hook = bed.hook(webhook, Phase::Validate, &rules);
    let claim = bed.add_claim("c");
    let pod = bed.add_pod("p", &["c"]);
    (hook, claim, pod)
}

/// Ends the denials.
pub fn allow_all(webhook: &Webhook) {
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
