//! Devices and pods in less ordinary company: lists of attributes, shared pool names, resizes, gates.

use draguard_testbed::objects::{claim, device_class, fixed_device, recorded_amount, request, requesting};
use draguard_testbed::{ControlPlane, Options, Patch, Version, path_of, wait_for};
use serde_json::{Value, json};

use crate::bed::{Bed, SOON};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_list_attributes_match,
        "F15, 7",
        BOTH,
        "With the list gate on, two devices whose list attributes have an element in common satisfy `matchAttribute` on v1.37 \
         and are not allocated on v1.36"
    ),
    fact!(
        fact_drivers_with_one_pool_name_are_mixed_up,
        "F21, 3.2",
        T36,
        "Where two drivers use one pool name and equal device names, some pods are charged the other driver's mapping"
    ),
    fact!(
        fact_drivers_with_one_pool_name_are_kept_apart,
        "F21, 3.2",
        T37,
        "Where two drivers use one pool name and equal device names, every pod is charged its own driver's mapping"
    ),
    fact!(
        fact_mappings_of_an_old_generation_are_charged,
        "F22, 3.2",
        BOTH,
        "While slices of two generations of a pool are there, some pods are charged the mapping of the old one"
    ),
    fact!(
        fact_resizing_a_pod_with_mapped_claims,
        "F26, 2",
        BOTH,
        "A resize of a pod with a list is refused on v1.36; on v1.37 the API server takes it even beyond the node"
    ),
    fact!(
        fact_taint_rules_are_v1_from_v1_37,
        "1.4",
        BOTH,
        "`devicetaintrules` are served as v1 on v1.37 only, and as v1beta2 on both where that version is switched on"
    ),
    fact!(
        fact_scheduling_gate_holds_a_pod_back,
        "5.3",
        BOTH,
        "A pod with a scheduling gate allocates nothing and is scheduled, with its list, once the gate is lifted"
    ),
    fact!(
        fact_claims_in_use_outlive_their_deletion,
        "3.4",
        BOTH,
        "A deleted claim that a bound pod uses keeps its allocation until the pod is gone"
    ),
    fact!(
        fact_template_claims_are_named_in_the_pods_status,
        "1.2, 4",
        BOTH,
        "A claim made from a template is recorded in the list under its generated name"
    ),
];

fn fact_list_attributes_match(bed: &Bed) {
    let options = Options::new(bed.version).gate("DRAListTypeAttributes", true);
    let own = ControlPlane::start(&options);
    let bed = Bed::on(&own, "lists");
    let device = |name: &str, zones: Value| {
        let mut device = fixed_device(bed.version, name, &[("cpu", "1")]);
        device["attributes"] = json!({ "zones": { "ints": zones } });
        device
    };
    bed.publish(&[device("dev-0", json!([0, 1])), device("dev-1", json!([1, 2]))]);
    bed.slices_known();
    let mut two = request("r", &bed.ns);
    two["exactly"]["count"] = json!(2);
    let mut claim = claim(&bed.ns, "c", &[two]);
    let attribute = format!("{}/zones", bed.driver);
    claim["spec"]["devices"]["constraints"] = json!([{ "matchAttribute": attribute }]);
    bed.admin.create(&claim).must();
    let pod = bed.add_pod("p", &["c"]);
    match bed.version {
        Version::V1_36 => drop(bed.pending(&pod, "cannot allocate all claims")),
        Version::V1_37 => drop(bed.bound(&pod)),
    }
}

/// Enough that not every pod meets its own driver first by chance.
const PODS: usize = 7;

/// What each of some pods should be charged and is, where two drivers share pool and device names.
fn charges_in_a_shared_pool(bed: &Bed) -> Vec<(&'static str, Option<String>)> {
    bed.add_node();
    let drivers = [("a", "10m"), ("x", "20m")];
    for (prefix, amount) in drivers {
        let (driver, class) = (format!("{prefix}{}", bed.driver), format!("{prefix}{}", bed.ns));
        bed.admin.create(&device_class(&class, &driver)).must();
        let device = |i: usize| fixed_device(bed.version, &format!("dev-{i}"), &[("cpu", amount)]);
        let devices: Vec<Value> = (0..PODS).map(device).collect();
        bed.create_slice(&draguard_testbed::objects::slice(&driver, &bed.node, &devices)).must();
    }
    let pod = |(prefix, amount): (&str, &'static str), i: usize| {
        let name = format!("{prefix}{i}");
        bed.add_claim_for(&name, &[request("r", &format!("{prefix}{}", bed.ns))]);
        (amount, bed.add_pod(&name, &[&name]), name)
    };
    let pods: Vec<_> = drivers.iter().flat_map(|driver| (0..PODS).map(|i| pod(*driver, i))).collect();
    let charged = |(amount, pod, claim): &(&'static str, Value, String)| {
        (*amount, recorded_amount(&bed.bound(pod), claim, "cpu"))
    };
    pods.iter().map(charged).collect()
}

fn fact_drivers_with_one_pool_name_are_mixed_up(bed: &Bed) {
    let charges = charges_in_a_shared_pool(bed);
    assert!(charges.iter().any(|(own, charged)| charged.as_deref() != Some(own)), "{charges:?}");
}

fn fact_drivers_with_one_pool_name_are_kept_apart(bed: &Bed) {
    let charges = charges_in_a_shared_pool(bed);
    assert!(charges.iter().all(|(own, charged)| charged.as_deref() == Some(own)), "{charges:?}");
}

fn fact_mappings_of_an_old_generation_are_charged(bed: &Bed) {
    // The scheduler takes whichever slice comes first in a hash table, which depends on both names.
    const ROUNDS: usize = 20;
    bed.add_node();
    bed.add_class();
    let mut charges = (0..ROUNDS).map(|round| charge_beside_an_old_slice(bed, round));
    assert!(charges.any(|charge| charge == "10m"));
}

/// What a pod is charged for a device that the newest slice prices at 20m, and one of an older generation at 10m.
fn charge_beside_an_old_slice(bed: &Bed, round: usize) -> String {
    let name = format!("dev-{round}");
    // The older one comes last: who has seen it has seen both.
    let slices = [(2, "20m"), (1, "10m")].map(|(generation, amount)| {
        let mut slice = bed.slice(&[fixed_device(bed.version, &name, &[("cpu", amount)])]);
        slice["metadata"]["name"] = json!(format!("{}-{round}-{generation}", bed.ns));
        slice["spec"]["pool"]["generation"] = json!(generation);
        bed.create_slice(&slice).must()
    });
    bed.add_claim(&name);
    let pod = bed.bound(&bed.add_pod(&name, &[&name]));
    for slice in &slices {
        bed.admin.delete(&path_of(slice)).must();
    }
    recorded_amount(&pod, &name, "cpu").expect("a charge")
}

fn fact_resizing_a_pod_with_mapped_claims(bed: &Bed) {
    bed.publish(&[bed.device()]);
    bed.add_claim("c");
    let pod = requesting(bed.pod("p", &["c"]), &[("cpu", "1")]);
    let pod = bed.bound(&bed.admin.create(&pod).must());
    let more = json!({ "name": "main", "resources": { "requests": { "cpu": "7" } } });
    let patch = json!({ "spec": { "containers": [more] } });
    let answer = bed.admin.patch(&(path_of(&pod) + "/resize"), Patch::Strategic, &patch);
    match bed.version {
        Version::V1_36 => answer.refused(422, "cannot be resized"),
        Version::V1_37 => drop(answer.must()),
    }
}

fn fact_taint_rules_are_v1_from_v1_37(bed: &Bed) {
    let served = |version: &str| {
        let resources = bed.admin.get(&format!("/apis/resource.k8s.io/{version}")).must();
        let resources = resources["resources"].as_array().cloned().unwrap_or_default();
        resources.iter().any(|r| r["name"] == "devicetaintrules")
    };
    assert_eq!(served("v1"), bed.version == Version::V1_37);
    assert!(served("v1beta2"));
}

fn fact_scheduling_gate_holds_a_pod_back(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let mut pod = bed.pod("p", &["c"]);
    pod["spec"]["schedulingGates"] = json!([{ "name": "draguard.dev/hold" }]);
    let pod = bed.admin.create(&pod).must();
    bed.pending(&pod, "SchedulingGated");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(bed.admin.again(&claim)["status"]["allocation"].is_null());
    let go = json!({ "spec": { "schedulingGates": null } });
    bed.admin.patch(&path_of(&pod), Patch::Merge, &go).must();
    let pod = bed.bound(&pod);
    assert_eq!(recorded_amount(&pod, "c", "cpu").as_deref(), Some("2"));
}

fn fact_claims_in_use_outlive_their_deletion(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let claim = bed.add_claim("c");
    let pod = bed.bound(&bed.add_pod("p", &["c"]));
    bed.admin.delete(&path_of(&claim)).must();
    let now = bed.admin.again(&claim);
    assert!(now["metadata"]["deletionTimestamp"].is_string());
    assert!(now["status"]["allocation"].is_object());
    bed.admin.delete(&(path_of(&pod) + "?gracePeriodSeconds=0")).must();
    wait_for("the claim to be gone", SOON, || match bed.admin.get(&path_of(&claim)).code {
        404 => Ok(()),
        code => Err(code.to_string()),
    });
}

fn fact_template_claims_are_named_in_the_pods_status(bed: &Bed) {
    bed.publish(&[bed.device()]);
    let requests = [request("r", &bed.ns)];
    let template = draguard_testbed::objects::claim_template(&bed.ns, "t", &requests);
    bed.admin.create(&template).must();
    let mut pod = bed.pod("p", &["gpu"]);
    pod["spec"]["resourceClaims"] = json!([{ "name": "gpu", "resourceClaimTemplateName": "t" }]);
    let pod = bed.bound(&bed.admin.create(&pod).must());
    let generated = pod["status"]["resourceClaimStatuses"][0]["resourceClaimName"].as_str();
    let generated = generated.expect("a generated name");
    assert!(generated.starts_with("p-gpu-"), "{generated}");
    assert_eq!(recorded_amount(&pod, generated, "cpu").as_deref(), Some("2"));
}
