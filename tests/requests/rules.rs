//! What counts while nothing is resized.

use draguard::ledger::requests::charged_claims;
use draguard::model::pod::Pod;
use draguard::model::read::read;
use draguard::model::version::Version;
use serde_json::json;

use crate::shown::{BOTH, claim, container, requests, sidecar, without_claims};

#[test]
fn containers_add_up() {
    let pod = json!({ "spec": { "containers": [
        container("a", &json!({ "cpu": "1", "memory": "1Gi" })),
        container("b", &json!({ "cpu": "500m" })),
    ] } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 1500m, memory 1Gi");
    }
}

#[test]
fn the_largest_init_container_is_the_least_for_each_resource() {
    let pod = json!({ "spec": {
        "containers": [container("a", &json!({ "cpu": "1", "memory": "1Gi" }))],
        "initContainers": [container("i", &json!({ "cpu": "3" })), container("j", &json!({ "cpu": "2", "memory": "1Mi" }))],
    } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 3, memory 1Gi");
    }
}

#[test]
fn a_sidecar_counts_beside_the_containers_and_beside_later_init_containers() {
    let with = |init: serde_json::Value| json!({ "spec": { "containers": [container("a", &json!({ "cpu": "1" }))], "initContainers": init } });
    let (side, init) = (sidecar("s", &json!({ "cpu": "2" })), container("i", &json!({ "cpu": "3" })));
    for version in BOTH {
        assert_eq!(requests(&with(json!([side])), version), "cpu 3");
        assert_eq!(requests(&with(json!([side, init])), version), "cpu 5");
        assert_eq!(requests(&with(json!([init, side])), version), "cpu 3");
    }
}

#[test]
fn always_makes_a_sidecar_only_of_an_init_container() {
    let pod = json!({ "spec": {
        "containers": [sidecar("a", &json!({ "cpu": "1" }))],
        "initContainers": [container("i", &json!({ "cpu": "3" }))],
    } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 3");
    }
}

#[test]
fn a_limit_stands_for_an_absent_request() {
    let resources = json!({ "limits": { "cpu": "4", "memory": "1Gi" }, "requests": { "cpu": "1" } });
    let pod = json!({ "spec": { "containers": [{ "name": "a", "resources": resources }] } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 1, memory 1Gi");
    }
}

#[test]
fn only_node_allocatable_resources_are_kept() {
    let asked = json!({ "cpu": "1", "example.com/gpu": "2", "ephemeral-storage": "3", "hugepages-2Mi": "4Mi" });
    let pod = json!({ "spec": { "containers": [container("a", &asked)] } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 1, ephemeral-storage 3, hugepages-2Mi 4Mi");
    }
}

#[test]
fn claims_come_on_top_of_the_peak() {
    for version in BOTH {
        let pod = json!({
            "spec": {
                "containers": [container("a", &json!({ "cpu": "1" }))],
                "initContainers": [container("i", &json!({ "cpu": "5" }))],
            },
            "status": { "nodeAllocatableResourceClaimStatuses": claim(version) },
        });
        assert_eq!(requests(&pod, version), "cpu 7, memory 1Gi");
        assert_eq!(without_claims(&pod, version), "cpu 5");
    }
}

#[test]
fn overhead_counts_once_for_the_pod_and_once_for_each_container_that_refers_to_the_claim() {
    let of = |containers: serde_json::Value| {
        let overhead = json!([{ "name": "memory", "perPod": "100Mi", "perContainer": "10Mi" }]);
        let claim = json!({ "resourceClaimName": "gpu", "containers": containers, "overhead": overhead });
        json!({ "status": { "nodeAllocatableResourceClaimStatuses": [claim] } })
    };
    assert_eq!(requests(&of(json!(["a", "b"])), Version::V137), "memory 120Mi");
    assert_eq!(requests(&of(json!([])), Version::V137), "memory 100Mi");
}

#[test]
fn a_pod_level_request_replaces_containers_and_claims() {
    for version in BOTH {
        let pod = json!({
            "spec": {
                "containers": [container("a", &json!({ "cpu": "1", "memory": "1Gi" }))],
                "resources": { "requests": { "cpu": "4" } },
            },
            "status": { "nodeAllocatableResourceClaimStatuses": claim(version) },
        });
        assert_eq!(requests(&pod, version), "cpu 4, memory 2Gi");
        assert_eq!(without_claims(&pod, version), "cpu 4, memory 1Gi");
    }
}

#[test]
fn ephemeral_storage_cannot_be_asked_for_by_the_pod_as_a_whole() {
    let pod = json!({ "spec": {
        "containers": [container("a", &json!({ "ephemeral-storage": "1G" }))],
        "resources": { "requests": { "ephemeral-storage": "4G" } },
    } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "ephemeral-storage 1G");
    }
}

#[test]
fn the_overhead_of_the_pod_comes_on_top_of_everything() {
    let pod = json!({ "spec": {
        "containers": [container("a", &json!({ "cpu": "1" }))],
        "resources": { "requests": { "cpu": "4" } },
        "overhead": { "cpu": "250m", "memory": "120Mi" },
    } });
    for version in BOTH {
        assert_eq!(requests(&pod, version), "cpu 4250m, memory 120Mi");
    }
}

#[test]
fn a_pod_that_has_ended_requests_nothing() {
    for (version, phase) in BOTH.into_iter().flat_map(|version| ["Succeeded", "Failed"].map(|phase| (version, phase))) {
        let pod = json!({
            "spec": { "containers": [container("a", &json!({ "cpu": "1" }))], "overhead": { "cpu": "1" } },
            "status": { "phase": phase, "nodeAllocatableResourceClaimStatuses": claim(version) },
        });
        assert_eq!((requests(&pod, version), without_claims(&pod, version)), (String::new(), String::new()));
    }
}

#[test]
fn the_list_reads_the_same_in_every_shape() {
    let mapping = json!([{ "name": "cpu", "quantity": "2" }, { "name": "memory", "quantity": "1Gi" }]);
    let planned =
        json!([{ "sourceKind": "ResourceClaim", "sourceName": "gpu", "containers": ["a"], "mapping": mapping }]);
    let lists = [
        json!({ "nodeAllocatableResourceClaimStatuses": claim(Version::V136) }),
        json!({ "nodeAllocatableResourceClaimStatuses": claim(Version::V137) }),
        json!({ "additionalNodeAllocatableResources": planned }),
    ];
    for status in lists {
        let text = json!({ "status": status }).to_string();
        let claims = charged_claims(&read::<Pod>(&text).expect("a pod"));
        assert_eq!((claims[0].claim.as_str(), claims[0].containers), ("gpu", 1));
        assert_eq!(requests(&json!({ "status": status }), Version::V137), "cpu 2, memory 1Gi");
    }
}

#[test]
fn amounts_beyond_every_node_stay_beyond_every_node() {
    let huge = json!([container("a", &json!({ "cpu": "1e100" })), container("b", &json!({ "cpu": "1n" }))]);
    for version in BOTH {
        let pod = json!({ "spec": { "containers": huge } });
        assert_eq!(requests(&pod, version), "cpu 10e99");
    }
}
