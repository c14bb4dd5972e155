//! How writers come to their rights, and to a client.

use draguard_testbed::objects::object;
use draguard_testbed::{Client, Identity, bound_token, wait_for};
use serde_json::{Value, json};

use super::ground::Ground;
use super::writers::{Node, Role, WRITERS, Who, Writer};
use crate::bed::{Bed, SOON};

const GROUP: &str = "rbac.authorization.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io/v1";
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

/// Gives all writers their rights; a client each, once the API server knows of all.
pub fn admit(bed: &Bed, ground: &Ground) -> Vec<Client> {
    for (nth, writer) in WRITERS.iter().enumerate() {
        grant(bed, ground, writer, &format!("table-{nth}"));
    }
    for writer in WRITERS {
        wait_until_known(bed, ground, writer);
    }
    WRITERS.iter().map(|writer| client(bed, ground, writer)).collect()
}

/// The whole role by one binding, so that the right to write status shows that the rest is known, too.
fn grant(bed: &Bed, ground: &Ground, writer: &Writer, name: &str) {
    let (prefix, namespace, rights) = match writer.role {
        Role::Builtin => return,
        Role::Everywhere(rights) => ("Cluster", None, rights),
        Role::InNamespace(rights) => ("", Some(ground.namespace.as_str()), rights),
    };
    let mut role = object(RBAC, &format!("{prefix}Role"), namespace, name);
    role["rules"] = rights.iter().map(|right| right.rule(ground)).collect();
    bed.admin.create(&role).must();
    let mut binding = object(RBAC, &format!("{prefix}RoleBinding"), namespace, name);
    binding["roleRef"] = json!({ "apiGroup": GROUP, "kind": role["kind"], "name": name });
    binding["subjects"] = json!([subject(ground, writer)]);
    bed.admin.create(&binding).must();
}

/// The user, or the group where they have one that is not the cluster's.
fn subject(ground: &Ground, writer: &Writer) -> Value {
    let own = groups(writer).iter().find(|group| !group.starts_with("system:"));
    match own {
        Some(group) => json!({ "apiGroup": GROUP, "kind": "Group", "name": group }),
        None => json!({ "apiGroup": GROUP, "kind": "User", "name": user(ground, writer) }),
    }
}

fn wait_until_known(bed: &Bed, ground: &Ground, writer: &Writer) {
    if matches!(writer.role, Role::Builtin) {
        return;
    }
    let asked = json!({ "group": "resource.k8s.io", "resource": "resourceclaims", "subresource": "status",
        "verb": "update", "namespace": ground.namespace });
    let mut review = object("authorization.k8s.io/v1", "SubjectAccessReview", None, "");
    review["spec"] = json!({ "user": user(ground, writer), "groups": groups(writer), "resourceAttributes": asked });
    wait_for(&format!("the rights of {}", writer.says), SOON, || {
        let answer = bed.admin.create(&review).must();
        if answer["status"]["allowed"] == true { Ok(()) } else { Err(answer["status"].to_string()) }
    });
}

fn user(ground: &Ground, writer: &Writer) -> String {
    match writer.who {
        Who::Admin => "admin".to_owned(),
        Who::User(name, ..) => name.replace("{a}", ground.node(Node::A)),
        Who::Account(name, _) | Who::Token(name, _) => format!("system:serviceaccount:{}:{name}", ground.namespace),
    }
}

fn groups(writer: &Writer) -> &'static [&'static str] {
    match writer.who {
        Who::User(_, groups, _) => groups,
        _ => &[],
    }
}

fn client(bed: &Bed, ground: &Ground, writer: &Writer) -> Client {
    let nodes = match writer.who {
        Who::Admin => return bed.cluster.admin(),
        Who::Token(name, node) => return bed.cluster.client(&Identity::Token(token(bed, ground, name, node))),
        Who::User(_, _, nodes) | Who::Account(_, nodes) => nodes,
    };
    let extra: Vec<(&str, &str)> = nodes.iter().map(|node| (NODE_NAME, ground.node(*node))).collect();
    bed.cluster.impersonate_with(&user(ground, writer), groups(writer), &extra)
}

fn token(bed: &Bed, ground: &Ground, account: &str, node: Option<Node>) -> String {
    bed.admin.create(&object("v1", "ServiceAccount", Some(&ground.namespace), account)).must();
    let Some(node) = node else {
        return bed.cluster.token(&ground.namespace, account);
    };
    let mut pod = bed.pod(account, &[]);
    pod["spec"]["serviceAccountName"] = json!(account);
    pod["spec"]["nodeName"] = json!(ground.node(node));
    bound_token(&bed.admin, &bed.admin.create(&pod).must())
}
