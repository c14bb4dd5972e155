//! Who may write which part of a claim's status: the synthetic subresources `binding` and `driver`.

use draguard_testbed::objects::object;
use draguard_testbed::{Answer, Client, Patch, Phase, Rule, Webhook, path_of, wait_for};
use serde_json::{Value, json};

use super::claim_status::{allocation, set_status};
use super::nodes::{driver_on_node, grant};
use crate::bed::{Bed, SOON};
use crate::fact::{Fact, fact};

pub const FACTS: &[Fact] = &[
    fact!(
        fact_allocating_needs_the_binding_right,
        "4",
        BOTH,
        "Writing `allocation` needs the right on `resourceclaims/binding`, for the request's own verb; without it a 422"
    ),
    fact!(
        fact_namespaced_binding_right_does_not_help,
        "4, surprise 13",
        BOTH,
        "The binding right is asked for cluster-wide: a RoleBinding in the claim's namespace does not help"
    ),
    fact!(
        fact_driver_rights_follow_the_node,
        "F24, 11.11",
        BOTH,
        "A driver with the associated-node right may write its device's status for a claim of its own node; for another \
         node's claim it gets a 422 naming `[arbitrary-node:update]`"
    ),
    fact!(
        fact_driver_rights_follow_the_name,
        "4, 11.11",
        BOTH,
        "A driver that writes another driver's device status gets a 422 naming the verbs it lacks"
    ),
    fact!(
        fact_clearing_needs_no_driver_right,
        "F24, 4",
        BOTH,
        "A binder that clears an allocation drops the drivers' device status without any driver right"
    ),
    fact!(
        fact_claim_rights_are_checked_between_the_phases,
        "5.1, 11.11",
        BOTH,
        "The refusal comes after mutating webhooks were called and before validating ones are"
    ),
    fact!(
        fact_synthetic_subresources_are_never_requests,
        "4",
        BOTH,
        "Webhook rules for `resourceclaims/binding` and `/driver` never match, but access reviews know them"
    ),
    fact!(
        fact_scheduler_and_claim_controller_may_bind,
        "4, surprise 26",
        BOTH,
        "kube-scheduler and the account `kube-system/resource-claim-controller` (so spelt) have the binding right"
    ),
];

/// A user with these rights in the whole cluster.
fn user_with(bed: &Bed, name: &str, rules: Value) -> Client {
    let user = format!("{}-{name}", bed.ns);
    let group = "rbac.authorization.k8s.io";
    let subject = json!({ "kind": "User", "name": user, "apiGroup": group });
    grant(bed, &user, subject, rules);
    bed.cluster.user(&user, None)
}

fn right(resource: &str, verbs: &[&str]) -> Value {
    json!({ "apiGroups": ["resource.k8s.io"], "resources": [resource], "verbs": verbs })
}

/// Writes a claim's status by PUT, again while RBAC has not noticed the user's rights.
fn put_status(client: &Client, claim: &Value) -> Answer {
    wait_for("the rights to be known", SOON, || {
        let answer = client.put(&(path_of(claim) + "/status"), claim);
        match answer.code {
            403 => Err(answer.message().to_owned()),
            _ => Ok(answer),
        }
    })
}

fn fact_allocating_needs_the_binding_right(bed: &Bed) {
    let status = right("resourceclaims/status", &["update", "patch"]);
    let mut claim = bed.add_claim("c");
    claim["status"] = json!({ "allocation": allocation(bed, "dev-0") });
    let without = user_with(bed, "without", json!([status]));
    let text = "requires resource=\"resourceclaims/binding\", verb=\"update\" permission";
    put_status(&without, &claim).refused(422, text);

    let update = right("resourceclaims/binding", &["update"]);
    let updater = user_with(bed, "updater", json!([status, update]));
    let patch = json!({ "allocation": allocation(bed, "dev-0") });
    let answer = wait_for("the rights to be known", SOON, || {
        let answer = set_status(&updater, &claim, patch.clone());
        if answer.code == 403 { Err(answer.message().to_owned()) } else { Ok(answer) }
    });
    answer.refused(422, "verb=\"patch\"");
    let stored = put_status(&updater, &claim);
    assert!(stored.ok(), "{}", stored.message());
}

fn fact_namespaced_binding_right_does_not_help(bed: &Bed) {
    let user = user_with(bed, "u", json!([right("resourceclaims/status", &["update"])]));
    let rbac = "rbac.authorization.k8s.io/v1";
    let mut role = object(rbac, "Role", Some(&bed.ns), "binder");
    role["rules"] = json!([right("resourceclaims/binding", &["*"])]);
    bed.admin.create(&role).must();
    let mut binding = object(rbac, "RoleBinding", Some(&bed.ns), "binder");
    let group = "rbac.authorization.k8s.io";
    binding["roleRef"] = json!({ "apiGroup": group, "kind": "Role", "name": "binder" });
    let subject = json!({ "kind": "User", "apiGroup": group, "name": format!("{}-u", bed.ns) });
    binding["subjects"] = json!([subject]);
    bed.admin.create(&binding).must();
    wait_for("the namespaced right to be known", SOON, || {
        match allowed(bed, &format!("{}-u", bed.ns), "binding", "update", Some(&bed.ns)) {
            true => Ok(()),
            false => Err("not yet".to_owned()),
        }
    });
    let mut claim = bed.add_claim("c");
    claim["status"] = json!({ "allocation": allocation(bed, "dev-0") });
    put_status(&user, &claim).refused(422, "resourceclaims/binding");
}

/// A driver on `node` with the associated-node right for the fact's driver name.
fn driver(bed: &Bed, node: &str) -> Client {
    let client = driver_on_node(bed, "driver", node);
    let mut own = right("resourceclaims/driver", &["associated-node:update"]);
    own["resourceNames"] = json!([bed.driver]);
    let subject = json!({ "kind": "ServiceAccount", "name": "driver", "namespace": bed.ns });
    let status = right("resourceclaims/status", &["update", "patch"]);
    grant(bed, &format!("{}-status", bed.ns), subject, json!([own, status]));
    client
}

/// A claim allocated to the fact's node, with a device status of `driver` written into it.
fn with_device_status(bed: &Bed, driver: &str) -> Value {
    let claim = bed.add_claim("c");
    let mut allocation = allocation(bed, "dev-0");
    allocation["devices"]["results"][0]["driver"] = json!(driver);
    let allocated = json!({ "allocation": allocation });
    let mut claim = set_status(&bed.admin, &claim, allocated).must();
    let entry = json!({ "driver": driver, "pool": bed.node, "device": "dev-0" });
    claim["status"]["devices"] = json!([entry]);
    claim
}

fn fact_driver_rights_follow_the_node(bed: &Bed) {
    bed.add_node();
    let elsewhere = format!("{}-other", bed.ns);
    bed.add_node_named(&elsewhere);
    let claim = with_device_status(bed, &bed.driver);
    let client = driver(bed, &elsewhere);
    put_status(&client, &claim).refused(422, "verb=\"[arbitrary-node:update]\"");

    let mut pod = bed.pod("local", &[]);
    pod["spec"]["nodeName"] = json!(bed.node);
    pod["spec"]["serviceAccountName"] = json!("driver");
    let pod = bed.admin.create(&pod).must();
    let local = bed.cluster.service_account(&bed.ns, "driver", &pod);
    put_status(&local, &claim).must();
}

fn fact_driver_rights_follow_the_name(bed: &Bed) {
    bed.add_node();
    let claim = with_device_status(bed, "other.example.com");
    let client = driver(bed, &bed.node);
    let text = "verb=\"[associated-node:update arbitrary-node:update]\"";
    put_status(&client, &claim).refused(422, text);
}

fn fact_clearing_needs_no_driver_right(bed: &Bed) {
    let claim = with_device_status(bed, &bed.driver);
    let stored = bed.admin.replace_status(&claim).must();
    assert!(stored["status"]["devices"].is_array());
    let scheduler = bed.cluster.scheduler();
    let cleared = set_status(&scheduler, &claim, json!({ "allocation": null })).must();
    assert!(cleared["status"]["devices"].is_null(), "{}", cleared["status"]);
}

fn fact_claim_rights_are_checked_between_the_phases(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceclaims/status"])];
    let _hooks = [Phase::Mutate, Phase::Validate].map(|phase| bed.hook(&webhook, phase, &rules));
    let user = user_with(bed, "u", json!([right("resourceclaims/status", &["update"])]));
    let mut claim = bed.add_claim("c");
    claim["status"] = json!({ "allocation": allocation(bed, "dev-0") });
    put_status(&user, &claim).refused(422, "resourceclaims/binding");
    let phases: Vec<Phase> = webhook.seen().iter().map(|review| review.phase).collect();
    assert!(phases.iter().all(|p| *p == Phase::Mutate) && !phases.is_empty(), "{phases:?}");
}

fn fact_synthetic_subresources_are_never_requests(bed: &Bed) {
    let webhook = Webhook::recording();
    let rules = [Rule::dra(&["resourceclaims/binding", "resourceclaims/driver"])];
    let _hook = bed.hook(&webhook, Phase::Validate, &rules);
    let claim = bed.add_claim("c");
    let status = json!({ "allocation": allocation(bed, "dev-0") });
    set_status(&bed.cluster.scheduler(), &claim, status).must();
    assert!(webhook.seen().is_empty());
    let path = path_of(&claim) + "/binding";
    assert_eq!(bed.admin.patch(&path, Patch::Merge, &json!({})).code, 404);
}

fn fact_scheduler_and_claim_controller_may_bind(bed: &Bed) {
    let controller = "system:serviceaccount:kube-system:resource-claim-controller";
    for user in ["system:kube-scheduler", controller] {
        for verb in ["update", "patch"] {
            assert!(allowed(bed, user, "binding", verb, None), "{user} {verb}");
        }
    }
    let misspelt = "system:serviceaccount:kube-system:resourceclaim-controller";
    assert!(!allowed(bed, misspelt, "binding", "update", None));
}

/// Asks an access review about a part of a claim.
fn allowed(bed: &Bed, user: &str, part: &str, verb: &str, namespace: Option<&str>) -> bool {
    let attributes = json!({ "group": "resource.k8s.io", "resource": "resourceclaims",
        "subresource": part, "verb": verb, "namespace": namespace.unwrap_or_default() });
    let review = json!({ "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": { "user": user, "resourceAttributes": attributes } });
    let answer = bed.admin.create(&review).must();
    answer["status"]["allowed"] == true
}
