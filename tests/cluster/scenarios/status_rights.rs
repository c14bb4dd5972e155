//! An API server that does not ask who may write which part of a claim's status, and draguard in front of it, which does.

use draguard_testbed::objects::{fixed_device, object};
use draguard_testbed::{Answer, Client, ControlPlane, Options, Version, path_of, wait_for};
use serde_json::{Value, json};

use super::full_life::silent;
use super::guard::Guard;
use crate::bed::{Bed, SOON};
use crate::facts::claim_status::{allocation, set_status};
use crate::facts::nodes::{driver_on_node, grant};

const GATE: &str = "DRAResourceClaimGranularStatusAuthorization";

/// A pod's life, then writes without rights, and the same writes with them.
pub fn run(version: Version) {
    let cluster = ControlPlane::start(&Options::new(version).api_gate(GATE, false));
    let bed = Bed::on(&cluster, "status-rights");
    bed.add_node();
    bed.add_class();
    let guard = Guard::before(&bed);
    let devices = ["dev-0", "dev-1", "dev-2"].map(|name| fixed_device(bed.version, name, &[("cpu", "1")]));
    bed.store_slice(&devices).must();
    one_life(&bed, &guard);
    binding(&bed);
    entries(&bed);
    several(&bed);
}

/// The scheduler and the claim controller are not even asked about.
fn one_life(bed: &Bed, guard: &Guard) {
    bed.add_claim("life");
    let pod = bed.bound(&silent(bed.admin.create(&bed.pod("life", &["life"]))));
    silent(bed.admin.delete(&path_of(&pod)));
    let claim = format!("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims/life", bed.ns);
    wait_for("the claim to be released", SOON, || {
        let now = bed.admin.get(&claim).result()?;
        let free = now["status"]["allocation"].is_null() && now["metadata"]["finalizers"].is_null();
        if free { Ok(()) } else { Err(now["status"].to_string()) }
    });
    silent(bed.admin.delete(&claim));
    guard.must_be_content();
    let asked = guard.metric("draguard_access_reviews_total");
    assert!(asked.iter().all(|line| line.ends_with(" 0")) && !asked.is_empty(), "{asked:?}");
}

fn binding(bed: &Bed) {
    let claim = bed.add_claim("bound");
    let allocated = json!({ "allocation": allocation(bed, "dev-0") });
    let name = format!("{}-somebody", bed.ns);
    let user = user(bed, &name);
    refused(&known(&user, &claim, &allocated), &["DG401"], "resourceclaims/binding in the whole cluster");
    assert!(bed.admin.again(&claim)["status"]["allocation"].is_null());
    namespaced(bed, &name);
    refused(&known(&user, &claim, &allocated), &["DG401"], "a RoleBinding does not help");
    let right = json!([right("resourceclaims/binding", &["update", "patch"], &[])]);
    grant(bed, &format!("{name}-binder"), subject(&name), right);
    wait_for("the right to count", SOON, || set_status(&user, &claim, allocated.clone()).result());
    let other = self::user(bed, &format!("{}-other", bed.ns));
    refused(&known(&other, &claim, &json!({ "allocation": null })), &["DG401"], "releases");
    silent(set_status(&user, &claim, json!({ "allocation": null })));
}

fn entries(bed: &Bed) {
    let claim = bed.add_claim("entries");
    let allocated = json!({ "allocation": allocation(bed, "dev-1") });
    let claim = silent(set_status(&bed.cluster.scheduler(), &claim, allocated));
    let elsewhere = format!("{}-elsewhere", bed.ns);
    bed.add_node_named(&elsewhere);
    let (here, there) = (driver_on_node(bed, "here", &bed.node), driver_on_node(bed, "there", &elsewhere));
    for account in ["here", "there"] {
        let rights = [right("resourceclaims/status", &["update", "patch"], &[]), associated(&bed.driver)];
        let account = json!({ "kind": "ServiceAccount", "name": account, "namespace": bed.ns });
        grant(
            bed,
            &format!("{}-{}-entries", bed.ns, account["name"].as_str().expect("a name")),
            account,
            json!(rights),
        );
    }
    let entry = json!({ "devices": [{ "driver": bed.driver, "pool": bed.node, "device": "dev-1" }] });
    refused(&known(&there, &claim, &entry), &["DG403"], "belongs to node");
    let user = user(bed, &format!("{}-mallory", bed.ns));
    refused(&known(&user, &claim, &entry), &["DG403"], "no service account");
    wait_for("the right to count", SOON, || set_status(&here, &claim, entry.clone()).result());
    refused(&known(&there, &claim, &json!({ "devices": [] })), &["DG403"], "arbitrary-node:update");
    let rights = json!([{ "apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims/driver"],
        "verbs": ["arbitrary-node:patch"], "resourceNames": [bed.driver] }]);
    let account = json!({ "kind": "ServiceAccount", "name": "there", "namespace": bed.ns });
    grant(bed, &format!("{}-there-arbitrary", bed.ns), account, rights);
    wait_for("the right to count", SOON, || set_status(&there, &claim, json!({ "devices": [] })).result());
}

fn several(bed: &Bed) {
    let claim = bed.add_claim("several");
    let user = user(bed, &format!("{}-syncer", bed.ns));
    let entry = json!({ "driver": bed.driver, "pool": bed.node, "device": "dev-2" });
    let both = json!({ "allocation": allocation(bed, "dev-2"), "devices": [entry] });
    refused(&known(&user, &claim, &both), &["DG401", "DG403", "DG404"], "lacks 2 rights");
}

/// A user who may write any part of a claim's status, as far as this API server asks.
fn user(bed: &Bed, name: &str) -> Client {
    grant(bed, name, subject(name), json!([right("resourceclaims/status", &["update", "patch"], &[])]));
    bed.cluster.user(name, None)
}

fn subject(name: &str) -> Value {
    json!({ "kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io" })
}

fn right(resource: &str, verbs: &[&str], names: &[&str]) -> Value {
    let mut rule = json!({ "apiGroups": ["resource.k8s.io"], "resources": [resource], "verbs": verbs });
    if !names.is_empty() {
        rule["resourceNames"] = json!(names);
    }
    rule
}

fn associated(driver: &str) -> Value {
    right("resourceclaims/driver", &["associated-node:update", "associated-node:patch"], &[driver])
}

/// The right in the claim's namespace alone, which does not help.
fn namespaced(bed: &Bed, user: &str) {
    let rbac = "rbac.authorization.k8s.io/v1";
    let mut role = object(rbac, "Role", Some(&bed.ns), "binder");
    role["rules"] = json!([right("resourceclaims/binding", &["update", "patch"], &[])]);
    bed.admin.create(&role).must();
    let mut binding = object(rbac, "RoleBinding", Some(&bed.ns), "binder");
    binding["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "binder" });
    binding["subjects"] = json!([subject(user)]);
    bed.admin.create(&binding).must();
}

/// The answer, once the user's right on the status is known and draguard has judged.
fn known(client: &Client, claim: &Value, status: &Value) -> Answer {
    wait_for("the right on the status to be known", SOON, || {
        let answer = set_status(client, claim, status.clone());
        let unknown = answer.message().contains("cannot patch resource");
        if unknown { Err(answer.message().to_owned()) } else { Ok(answer) }
    })
}

#[track_caller]
fn refused(answer: &Answer, rules: &[&str], words: &str) {
    assert_eq!(answer.code, 403, "{}", answer.message());
    let found = rules.iter().all(|rule| answer.message().contains(&format!("{rule} ")));
    assert!(found && answer.message().contains(words), "{rules:?} {words:?} not in {}", answer.message());
}
