//! The role that `draguard render rbac` prints, and what RBAC makes of the forms that people write.

use std::process::Command;

use draguard_testbed::objects::{device, object};
use draguard_testbed::{Answer, Client, Patch, path_of, wait_for};
use serde_json::{Value, json};

use super::claim_status::{allocation, set_status};
use crate::bed::{Bed, SOON};
use crate::fact::{Fact, Verdict, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_rendered_role_is_enough,
        "4, issue 6.5",
        BOTH,
        "With the role of `draguard render rbac --node-local` a driver's pod publishes, changes and withdraws its slice, and \
         writes its device status (by PUT and by server-side apply) for claims of its own node; for another node's claim, \
         another driver's entry and an allocation it gets a 422",
        Verdict::Found
    ),
    fact!(
        fact_rendered_cluster_wide_role_reaches_every_node,
        "4, issue 6.5",
        BOTH,
        "With the role of `draguard render rbac --cluster-wide` an account whose token names no node writes its driver's \
         device status for claims of any node, and not another driver's",
        Verdict::Found
    ),
    fact!(
        fact_rbac_has_no_wildcard_over_subresources,
        "-",
        BOTH,
        "In a role `*` takes in every subresource and `*/status` one of every resource; `resourceclaims/*` and `*/*` grant \
         nothing",
        Verdict::Found
    ),
];

/// Gives the fact's account the role that draguard prints for the fact's driver.
fn print_role(bed: &Bed, place: &str) {
    bed.admin.create(&object("v1", "ServiceAccount", Some(&bed.ns), "driver")).must();
    let account = format!("{}/driver", bed.ns);
    let output = Command::new(env!("CARGO_BIN_EXE_draguard"))
        .args(["render", "rbac", "--driver", &bed.driver, place, "--service-account", &account])
        .output()
        .expect("run draguard");
    let role = String::from_utf8(output.stdout).expect("text");
    let printed = bed.cluster.kubectl().run_with_input(&["apply", "-f", "-"], &role);
    assert_eq!(printed.code, 0, "{role}{}", printed.stderr);
}

/// The account, in a pod on `node`.
fn driver_on(bed: &Bed, node: &str) -> Client {
    let mut pod = bed.pod(&format!("on-{node}"), &[]);
    pod["spec"]["nodeName"] = json!(node);
    pod["spec"]["serviceAccountName"] = json!("driver");
    let pod = bed.admin.create(&pod).must();
    bed.cluster.service_account(&bed.ns, "driver", &pod)
}

/// A claim of `node` that is allocated to a device of `driver`.
fn allocated(bed: &Bed, name: &str, driver: &str, node: &str) -> Value {
    let claim = bed.add_claim(name);
    let mut allocation = allocation(bed, "dev-0");
    allocation["devices"]["results"][0]["driver"] = json!(driver);
    allocation["nodeSelector"]["nodeSelectorTerms"][0]["matchFields"][0]["values"] = json!([node]);
    set_status(&bed.admin, &claim, json!({ "allocation": allocation })).must()
}

/// Writes a device status of `driver`, again while RBAC has not noticed the rights.
fn speak(client: &Client, bed: &Bed, claim: &Value, driver: &str) -> Answer {
    let mut claim = claim.clone();
    claim["status"]["devices"] = json!([{ "driver": driver, "pool": bed.node, "device": "dev-0" }]);
    patiently(|| client.put(&(path_of(&claim) + "/status"), &claim))
}

/// Writes again while RBAC has not noticed the rights.
pub fn patiently(write: impl Fn() -> Answer) -> Answer {
    wait_for("the rights to be known", SOON, || {
        let answer = write();
        if answer.code == 403 { Err(answer.message().to_owned()) } else { Ok(answer) }
    })
}

fn fact_rendered_role_is_enough(bed: &Bed) {
    bed.add_node();
    let elsewhere = format!("{}-other", bed.ns);
    bed.add_node_named(&elsewhere);
    print_role(bed, "--node-local");
    let (own, other) = (driver_on(bed, &bed.node), driver_on(bed, &elsewhere));
    publishes(&own, bed);

    let claim = allocated(bed, "mine", &bed.driver, &bed.node);
    let name = claim["metadata"]["name"].as_str().expect("a name");
    let read = patiently(|| own.get(&path_of(&claim))).must();
    assert_eq!(read["metadata"]["name"], name);
    speak(&other, bed, &claim, &bed.driver).refused(422, "verb=\"[arbitrary-node:update]\"");
    speak(&own, bed, &claim, &bed.driver).must();
    let entry =
        json!({ "driver": bed.driver, "pool": bed.node, "device": "dev-0", "networkData": { "interfaceName": "e0" } });
    let apply = json!({ "apiVersion": claim["apiVersion"], "kind": "ResourceClaim", "status": { "devices": [entry] },
        "metadata": { "name": name, "namespace": bed.ns } });
    own.patch(&(path_of(&claim) + "/status"), Patch::Apply, &apply).must();
    set_status(&own, &claim, json!({ "allocation": null })).refused(422, "resourceclaims/binding");

    let foreign = allocated(bed, "foreign", "other.example.com", &bed.node);
    let text = "verb=\"[associated-node:update arbitrary-node:update]\"";
    speak(&own, bed, &foreign, "other.example.com").refused(422, text);
}

fn publishes(client: &Client, bed: &Bed) {
    let stored = patiently(|| client.create(&bed.slice(&[device("dev-0")]))).must();
    let mut slice = stored;
    slice["spec"]["devices"] = json!([device("dev-0"), device("dev-1")]);
    client.put(&path_of(&slice), &slice).must();
    client.get("/apis/resource.k8s.io/v1/resourceslices").must();
    client.delete(&path_of(&slice)).must();
}

fn fact_rendered_cluster_wide_role_reaches_every_node(bed: &Bed) {
    print_role(bed, "--cluster-wide");
    let token = bed.cluster.token(&bed.ns, "driver");
    let client = bed.cluster.client(&draguard_testbed::Identity::Token(token));
    for node in ["node-x", "node-y"] {
        let claim = allocated(bed, node, &bed.driver, node);
        speak(&client, bed, &claim, &bed.driver).must();
    }
    let foreign = allocated(bed, "foreign", "other.example.com", "node-x");
    speak(&client, bed, &foreign, "other.example.com").refused(422, "verb=\"[arbitrary-node:update]\"");
}

fn fact_rbac_has_no_wildcard_over_subresources(bed: &Bed) {
    for (name, resource, status, binding) in [
        ("all", "*", true, true),
        ("statuses", "*/status", true, false),
        ("parts", "resourceclaims/*", false, false),
        ("every", "*/*", false, false),
    ] {
        let user = format!("{}-{name}", bed.ns);
        let subject = json!({ "kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io" });
        // The second rule tells when the role is known.
        let known = json!({ "apiGroups": [""], "resources": ["nodes"], "verbs": ["get"] });
        let rule = json!({ "apiGroups": ["resource.k8s.io"], "resources": [resource], "verbs": ["*"] });
        super::nodes::grant(bed, &user, subject, json!([rule, known]));
        wait_for("the role to be known", SOON, || {
            if allowed(bed, &user, ["", "nodes", "", "get"]) { Ok(()) } else { Err("not yet".to_owned()) }
        });
        let may = |part| allowed(bed, &user, ["resource.k8s.io", "resourceclaims", part, "update"]);
        assert_eq!((may("status"), may("binding")), (status, binding), "{resource}");
    }
}

/// Asks an access review.
fn allowed(bed: &Bed, user: &str, [group, resource, part, verb]: [&str; 4]) -> bool {
    let attributes = json!({ "group": group, "resource": resource, "subresource": part, "verb": verb });
    let review = json!({ "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": { "user": user, "resourceAttributes": attributes } });
    bed.admin.create(&review).must()["status"]["allowed"] == true
}
