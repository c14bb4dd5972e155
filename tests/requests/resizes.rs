//! What counts of a running pod: what it asks for, what was set aside for it, and what it runs with.

use draguard::model::version::Version;
use serde_json::{Value, json};

use crate::shown::{BOTH, claim, container, requests, without_claims};

#[test]
fn a_container_that_shrinks_counts_with_what_it_still_has() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "1" }))] },
        "status": { "containerStatuses": [given("a", Some("1"), Some("3"))] },
    });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 3");
    }
}

#[test]
fn a_container_that_grows_counts_with_what_it_asks_for() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "5" }))] },
        "status": { "containerStatuses": [given("a", Some("3"), Some("1"))] },
    });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 5");
    }
}

#[test]
fn what_is_asked_for_does_not_count_while_the_resize_is_infeasible() {
    let pod = |reason: &str| {
        json!({
            "spec": { "containers": [container("a", &json!({ "cpu": "64" }))] },
            "status": {
                "conditions": [{ "type": "PodResizePending", "reason": reason }],
                "containerStatuses": [given("a", Some("2"), Some("1"))],
            },
        })
    };
    for version in BOTH {
        assert_eq!(requests(&pod("Infeasible"), version), "cpu 2");
        assert_eq!(requests(&pod("Deferred"), version), "cpu 64");
    }
}

#[test]
fn what_was_never_given_does_not_count_while_the_resize_is_infeasible() {
    let infeasible = json!([{ "type": "PodResizePending", "reason": "Infeasible" }]);
    let containers = [container("a", &json!({ "cpu": "64" })), container("b", &json!({ "cpu": "32" }))];
    let pod = json!({
        "spec": { "containers": containers, "resources": { "requests": { "memory": "9Gi" } } },
        "status": {
            "conditions": infeasible,
            "containerStatuses": [given("a", Some("2"), Some("2")), given("b", None, None)],
            "resources": {},
        },
    });
    // Where the status has no resources of a container, v1.36 takes what the container asks for.
    assert_eq!(requests(&pod, Version::V136), "cpu 34");
    assert_eq!(requests(&pod, Version::V137), "cpu 2");
}

#[test]
fn where_v137_does_not_see_what_a_container_runs_with_it_takes_what_was_set_aside() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "1" })), container("b", &json!({ "cpu": "1" }))] },
        "status": { "containerStatuses": [given("a", Some("3"), None), given("b", Some("1"), Some("4"))] },
    });
    assert_eq!(requests(&pod, Version::V137), "cpu 7");
}

#[test]
fn v137_adds_the_claims_to_what_was_set_aside_by_container() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "1" }))] },
        "status": {
            "containerStatuses": [given("a", Some("3"), Some("4"))],
            "nodeAllocatableResourceClaimStatuses": claim(Version::V137),
        },
    });
    assert_eq!(requests(&pod, Version::V137), "cpu 5, memory 1Gi");
}

#[test]
fn v136_takes_the_larger_for_each_container_and_v137_the_larger_sum() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "4" })), container("b", &json!({ "cpu": "1" }))] },
        "status": { "containerStatuses": [given("a", Some("1"), Some("1")), given("b", Some("4"), Some("4"))] },
    });
    assert_eq!(requests(&pod, Version::V136), "cpu 8");
    assert_eq!(requests(&pod, Version::V137), "cpu 5");
}

#[test]
fn v136_heeds_what_was_set_aside_only_beside_what_the_container_runs_with() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "1" }))] },
        "status": { "containerStatuses": [given("a", Some("3"), None)] },
    });
    assert_eq!(requests(&pod, Version::V136), "cpu 1");
    assert_eq!(requests(&pod, Version::V137), "cpu 3");
}

#[test]
fn only_v137_heeds_what_an_init_container_was_given() {
    let pod = json!({
        "spec": { "containers": [], "initContainers": [container("i", &json!({ "cpu": "1" }))] },
        "status": { "initContainerStatuses": [given("i", Some("3"), Some("3"))] },
    });
    assert_eq!(requests(&pod, Version::V136), "cpu 1");
    assert_eq!(requests(&pod, Version::V137), "cpu 3");
}

#[test]
fn of_two_statuses_v136_takes_the_last_and_v137_the_first() {
    let pod = json!({
        "spec": { "containers": [container("a", &json!({}))] },
        "status": { "containerStatuses": [given("a", Some("1"), Some("1"))],
                    "initContainerStatuses": [given("a", Some("2"), Some("2"))] },
    });
    assert_eq!(requests(&pod, Version::V136), "cpu 2");
    assert_eq!(requests(&pod, Version::V137), "cpu 1");
}

#[test]
fn in_v137_the_sums_of_the_status_hold_the_claims_already() {
    let pod = |sum: &str| running(Version::V137, &json!({ "cpu": sum, "memory": "1Gi" }), &json!({}));
    assert_eq!(requests(&pod("3"), Version::V137), "cpu 3, memory 1Gi");
    assert_eq!(requests(&pod("1"), Version::V137), "cpu 3, memory 1Gi");
    assert_eq!(requests(&pod("4"), Version::V137), "cpu 4, memory 1Gi");
}

#[test]
fn what_claims_add_in_v137_is_taken_off_the_sums_of_the_status() {
    let pod = |sum: &str| running(Version::V137, &json!({ "cpu": sum, "memory": "1Gi" }), &json!({}));
    assert_eq!(without_claims(&pod("3"), Version::V137), "cpu 1");
    assert_eq!(without_claims(&pod("1"), Version::V137), "cpu 1");
    assert_eq!(without_claims(&pod("4"), Version::V137), "cpu 2");
}

#[test]
fn nothing_is_taken_off_what_the_pod_asks_for_as_a_whole() {
    for version in BOTH {
        let pod = running(version, &json!({ "cpu": "6", "memory": "1Gi" }), &json!({ "requests": { "cpu": "4" } }));
        assert_eq!(requests(&pod, version), "cpu 6, memory 1Gi");
        assert_eq!(without_claims(&pod, version), "cpu 6");
    }
}

#[test]
fn in_v136_the_sums_of_the_status_count_only_for_what_the_pod_asks_for_as_a_whole() {
    let pod = |whole: &Value| running(Version::V136, &json!({ "cpu": "9" }), whole);
    assert_eq!(requests(&pod(&json!({})), Version::V136), "cpu 3, memory 1Gi");
    assert_eq!(requests(&pod(&json!({ "requests": { "cpu": "4" } })), Version::V136), "cpu 9, memory 1Gi");
}

#[test]
fn in_v137_a_pod_level_request_makes_the_sums_count_for_other_resources_instead_of_the_claims() {
    let whole = json!({ "requests": { "cpu": "4" } });
    let pod = running(Version::V137, &json!({ "cpu": "4", "memory": "100Mi" }), &whole);
    assert_eq!(requests(&pod, Version::V137), "cpu 4, memory 100Mi");
}

#[test]
fn ephemeral_storage_is_never_taken_from_the_sums_in_place_of_the_containers() {
    let whole = json!({ "requests": { "cpu": "4" } });
    let mut pod = running(Version::V137, &json!({ "cpu": "4", "ephemeral-storage": "1G" }), &whole);
    pod["spec"]["containers"] = json!([container("a", &json!({ "ephemeral-storage": "2G" }))]);
    assert_eq!(requests(&pod, Version::V137), "cpu 4, ephemeral-storage 2G, memory 1Gi");
}

#[test]
fn what_was_set_aside_for_the_pod_counts_only_beside_what_it_runs_with() {
    let mut pod = running(Version::V136, &json!({ "cpu": "9" }), &json!({ "requests": { "cpu": "4" } }));
    pod["status"].as_object_mut().expect("a status").remove("resources");
    for version in BOTH {
        pod["status"]["nodeAllocatableResourceClaimStatuses"] = claim(version);
        assert_eq!(requests(&pod, version), "cpu 4, memory 1Gi");
    }
}

/// An error of v1.37 that others must expect: the kubelet's sums hold the overhead, and the scheduler adds it again.
#[test]
fn in_v137_the_overhead_of_the_pod_counts_twice_once_the_kubelet_has_written_its_sums() {
    let mut pod = running(Version::V137, &json!({ "cpu": "4", "memory": "1Gi" }), &json!({}));
    pod["spec"]["overhead"] = json!({ "cpu": "1" });
    assert_eq!(requests(&pod, Version::V137), "cpu 5, memory 1Gi");
}

#[test]
fn an_empty_map_is_an_absent_one() {
    let pod = running(Version::V137, &json!({}), &json!({ "requests": {} }));
    assert_eq!(requests(&pod, Version::V137), "cpu 3, memory 1Gi");
}

/// A map that holds only what is not counted is there all the same, and says that nothing of the rest was given.
#[test]
fn a_map_without_node_allocatable_resources_is_not_an_absent_one() {
    let mut pod = running(Version::V137, &json!({ "example.com/gpu": "1" }), &json!({}));
    pod["status"]["conditions"] = json!([{ "type": "PodResizePending", "reason": "Infeasible" }]);
    assert_eq!(requests(&pod, Version::V137), "");
}

/// A pod of one core with a claim of 2 cores and 1Gi of memory, and these sums in its status.
fn running(version: Version, sums: &Value, whole: &Value) -> Value {
    json!({
        "spec": { "containers": [container("a", &json!({ "cpu": "1" }))], "resources": whole },
        "status": {
            "phase": "Running",
            "allocatedResources": sums,
            "resources": { "requests": sums },
            "nodeAllocatableResourceClaimStatuses": claim(version),
        },
    })
}

fn given(name: &str, allocated: Option<&str>, actuated: Option<&str>) -> Value {
    let mut status = json!({ "name": name });
    if let Some(cpu) = allocated {
        status["allocatedResources"] = json!({ "cpu": cpu });
    }
    if let Some(cpu) = actuated {
        status["resources"] = json!({ "requests": { "cpu": cpu } });
    }
    status
}
