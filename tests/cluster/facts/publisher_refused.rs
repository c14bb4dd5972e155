//! What the publishing library does when a write is denied, changed or undone.

use draguard_testbed::objects::{fixed_device, recorded};
use draguard_testbed::{Phase, Publisher, Review, Rule, Verdict, Version, Webhook};
use serde_json::{Value, json};

use super::publisher::{QUIET, device, path_of_written, publish, ready, started, story, three, verb};
use crate::bed::{Bed, SOON};
use crate::fact::{self, Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_denied_slice_of_three_destroys_the_pool,
        "6, F14",
        BOTH,
        "Denying one of three slices for good makes the library delete the others' old generation and raise it at each try"
    ),
    fact!(
        fact_denied_only_slice_stays_as_it_was,
        "6",
        BOTH,
        "A denied UPDATE of a pool's only slice leaves the old slice alone and is tried again until it is allowed"
    ),
    fact!(
        fact_publisher_told_to_wait_keeps_it_to_itself,
        "F27, 11.23",
        BOTH,
        "429 with `retryAfterSeconds` is retried inside the call, and the driver learns nothing; without it, at once"
    ),
    fact!(
        fact_old_library_on_a_new_server_does_not_loop,
        "F18",
        T37,
        "A v1.36 library's mapping is dropped by a v1.37 server: one DroppedFieldsError (`unknown`), no further write"
    ),
    fact!(
        fact_stripped_mapping_does_not_loop,
        "F19, 11.24",
        BOTH,
        "A mapping taken away by a mutating webhook: DroppedFieldsError (`unknown`), no loop, a new try at the next publish"
    ),
    fact!(
        fact_defaulted_multiplier_looks_dropped,
        "1.1",
        T36,
        "A multiplier left out is defaulted by the server, which the library takes for dropped fields at each publish"
    ),
    fact!(
        fact_changed_node_selector_is_written_once_more,
        "6",
        BOTH,
        "A `nodeSelector` changed by a mutating webhook is not adopted: one UPDATE more, which stores nothing new and so wakes nobody",
        fact::Verdict::Differs("it is written again and again")
    ),
    fact!(
        fact_wiped_pool_starts_again_at_generation_one,
        "6, F23",
        BOTH,
        "After all slices were deleted a restarted driver creates them at generation 1; bound pods keep their numbers"
    ),
    fact!(
        fact_wiped_pool_is_refilled_by_a_running_driver,
        "6, F23",
        BOTH,
        "A running driver creates slices that were deleted behind its back, at generation 1 or the old one plus 1"
    ),
];

fn fact_denied_slice_of_three_destroys_the_pool(bed: &Bed) {
    let mut publisher = started(bed, &three(bed, "1", "1").each_ref().map(|s| &s[..]));
    let webhook =
        Webhook::with(|review| if has_device(review, "b") { Verdict::deny(403, "no") } else { Verdict::Allow });
    let _hook = bed.hook_with(&webhook, Phase::Validate, &[Rule::dra(&["resourceslices"])], |entry| {
        entry["rules"][0]["operations"] = json!(["CREATE", "UPDATE"]);
    });
    let slices = three(bed, "2", "2");
    publish(bed, &mut publisher, &slices.each_ref().map(|s| &s[..]), 12);
    let writes = publisher.writes();
    let denied: Vec<&Value> = writes.iter().filter(|w| w["code"] == 403).collect();
    let generations: Vec<i64> = denied.iter().filter_map(|w| w["generation"].as_i64()).collect();
    assert!(generations.windows(2).all(|w| w[0] <= w[1]), "{writes:#?}");
    assert!(generations.last() > generations.first(), "{writes:#?}");
    assert!(writes.iter().any(|w| verb(w) == "delete"), "{writes:#?}");
    let stored = stored(bed);
    assert!(!stored.iter().any(|s| s["spec"]["devices"][0]["name"] == "b"), "{stored:#?}");
    assert!(!publisher.errors().is_empty());
}

fn fact_denied_only_slice_stays_as_it_was(bed: &Bed) {
    let mut publisher = started(bed, &[&[device(bed, "a", "1")]]);
    let before = stored(bed);
    let webhook = Webhook::with(|_| Verdict::deny(403, "stop"));
    let _hook = bed.hook(&webhook, Phase::Validate, &[Rule::dra(&["resourceslices"])]);
    let written = publish(bed, &mut publisher, &[&[device(bed, "a", "2")]], 3);
    assert!(written.iter().all(|w| verb(w) == "update" && w["code"] == 403), "{written:?}");
    assert_eq!(stored(bed), before);
    let message = publisher.wait_of_kind("error", 1, SOON)[0]["message"].to_string();
    assert!(message.contains("denied the request: stop"), "{message}");
    webhook.behave(|_| Verdict::Allow);
    let wait = || stored(bed)[0]["metadata"]["resourceVersion"].clone();
    let old = before[0]["metadata"]["resourceVersion"].clone();
    draguard_testbed::wait_until("the allowed update", SOON, wait, |now| *now != old);
    assert_eq!(stored(bed)[0]["spec"]["pool"], before[0]["spec"]["pool"]);
}

fn fact_publisher_told_to_wait_keeps_it_to_itself(bed: &Bed) {
    let mut publisher = started(bed, &[&[device(bed, "a", "1")]]);
    let wait = json!({ "code": 429, "message": "hold", "details": { "retryAfterSeconds": 1 } });
    let webhook = Webhook::with(move |_| Verdict::Deny(wait.clone()));
    let _hook = bed.hook(&webhook, Phase::Validate, &[Rule::dra(&["resourceslices"])]);
    let written = publish(bed, &mut publisher, &[&[device(bed, "a", "2")]], 3);
    assert!(written.iter().all(|w| w["code"] == 429), "{written:?}");
    assert_eq!(publisher.errors(), Vec::<Value>::new());
    webhook.behave(|_| Verdict::deny(429, "hold"));
    let errors = publisher.wait_of_kind("error", 1, SOON);
    assert!(errors[0]["message"].to_string().contains("hold"), "{errors:?}");
}

fn fact_old_library_on_a_new_server_does_not_loop(bed: &Bed) {
    ready(bed);
    let mut publisher = Publisher::start(bed.cluster, Version::V1_36);
    let devices = [fixed_device(Version::V1_36, "a", &[("cpu", "1")])];
    let written = publish(bed, &mut publisher, &[&devices], 1);
    assert_dropped_once(&mut publisher, 1, 1);
    let slice = bed.admin.get(&path_of_written(&written[0])).must();
    assert_eq!(slice["spec"]["devices"], json!([{ "name": "a" }]));
}

fn fact_stripped_mapping_does_not_loop(bed: &Bed) {
    ready(bed);
    let field = bed.version.slice_field();
    let strip = json!([{ "op": "remove", "path": format!("/spec/devices/0/{field}") }]);
    let webhook = Webhook::with(move |review| {
        let mapped = review.object()["spec"]["devices"][0][field].is_object();
        if mapped { Verdict::Patch(strip.clone()) } else { Verdict::Allow }
    });
    let _hook = bed.hook(&webhook, Phase::Mutate, &[Rule::dra(&["resourceslices"])]);
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    publish(bed, &mut publisher, &[&[device(bed, "a", "1")]], 1);
    assert_dropped_once(&mut publisher, 1, 1);
    publish(bed, &mut publisher, &[&[device(bed, "a", "1")]], 1);
    assert_dropped_once(&mut publisher, 2, 2);
}

fn fact_defaulted_multiplier_looks_dropped(bed: &Bed) {
    ready(bed);
    let devices = [json!({ "name": "a", bed.version.slice_field(): { "cpu": {} } })];
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    publish(bed, &mut publisher, &[&devices], 1);
    assert_dropped_once(&mut publisher, 1, 1);
    let written = publish(bed, &mut publisher, &[&devices], 1);
    assert_eq!(story(&written), ["update 0 g1"]);
    assert_dropped_once(&mut publisher, 2, 2);
}

fn fact_changed_node_selector_is_written_once_more(bed: &Bed) {
    let change = json!([{ "op": "replace", "path": VALUE, "value": "other" }]);
    let webhook = Webhook::with(move |review| {
        let selects = review.object()["spec"]["nodeSelector"].is_object();
        if selects { Verdict::Patch(change.clone()) } else { Verdict::Allow }
    });
    let _hook = bed.hook(&webhook, Phase::Mutate, &[Rule::dra(&["resourceslices"])]);
    let mut publisher = Publisher::start(bed.cluster, bed.version);
    let term = json!({ "key": "zone", "operator": "In", "values": ["wanted"] });
    let selector = json!({ "nodeSelectorTerms": [{ "matchExpressions": [term] }] });
    let slices = json!([{ "devices": [{ "name": "a" }] }]);
    publisher.send(json!({ "do": "publish", "driver": bed.driver, "syncDelayMs": 100,
        "pools": { "net": { "nodeSelector": selector, "slices": slices } } }));
    publisher.wait_of_kind("write", 2, SOON);
    std::thread::sleep(QUIET);
    assert_eq!(story(&publisher.writes()), ["create 0 g1", "update 0 g1"]);
    assert!(publisher.errors().is_empty());
}

const VALUE: &str = "/spec/nodeSelector/nodeSelectorTerms/0/matchExpressions/0/values/0";

fn fact_wiped_pool_starts_again_at_generation_one(bed: &Bed) {
    let slices = three(bed, "1", "1");
    let mut publisher = started(bed, &slices.each_ref().map(|s| &s[..]));
    publish(bed, &mut publisher, &three(bed, "2", "2").each_ref().map(|s| &s[..]), 3);
    bed.add_class();
    bed.add_claim("claim");
    let pod = bed.bound(&bed.add_pod("pod", &["claim"]));
    publisher.stop(&bed.driver, &bed.node);
    publisher.wait_of_kind("stopped", 1, SOON);
    wipe(bed);
    let mut again = Publisher::start(bed.cluster, bed.version);
    let written = publish(bed, &mut again, &three(bed, "5", "5").each_ref().map(|s| &s[..]), 3);
    assert_eq!(story(&written), ["create 0 g1", "create 1 g1", "create 2 g1"]);
    assert!(recorded(&pod).is_array(), "{pod:#}");
    assert_eq!(recorded(&bed.admin.again(&pod)), recorded(&pod));
}

fn fact_wiped_pool_is_refilled_by_a_running_driver(bed: &Bed) {
    let slices = three(bed, "1", "1");
    let publisher = started(bed, &slices.each_ref().map(|s| &s[..]));
    let before = publisher.writes().len();
    wipe(bed);
    draguard_testbed::wait_until("three slices", SOON, || stored(bed).len(), |count| *count == 3);
    // The process tells a write a moment after the server has stored it.
    let created = || {
        let mut written = publisher.writes().split_off(before);
        written.retain(|w| verb(w) == "create" && w["code"] == 201);
        written
    };
    let created = draguard_testbed::wait_until("the writes to be told", SOON, created, |created| created.len() >= 3);
    assert!(created.iter().all(|w| w["generation"] == 1 || w["generation"] == 2), "{created:#?}");
}

/// All errors so far are `unknown` dropped fields, and the publisher has come to rest.
fn assert_dropped_once(publisher: &mut Publisher, errors: usize, writes: usize) {
    publisher.wait_of_kind("error", errors, SOON);
    std::thread::sleep(QUIET);
    let met = publisher.errors();
    assert_eq!(met.len(), errors, "{met:#?}");
    for error in &met {
        assert_eq!(error["reason"], "droppedFields", "{error}");
        assert!(error["message"].as_str().is_some_and(|m| m.ends_with("disabled: unknown")), "{error}");
    }
    assert_eq!(publisher.writes().len(), writes, "{:#?}", publisher.writes());
}

fn has_device(review: &Review, name: &str) -> bool {
    let devices = review.object()["spec"]["devices"].as_array();
    devices.is_some_and(|devices| devices.iter().any(|d| d["name"] == name))
}

fn stored(bed: &Bed) -> Vec<Value> {
    bed.admin.list(&of_driver(bed))
}

fn wipe(bed: &Bed) {
    bed.admin.delete(&of_driver(bed)).must();
}

fn of_driver(bed: &Bed) -> String {
    format!("/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.driver%3D{}", bed.driver)
}
