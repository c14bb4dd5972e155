//! Who a driver is: a service account with a driver's rights, and a token bound to its pod.

use serde_json::{Value, json};

use crate::objects::object;
use crate::{Client, path_of};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Creates a service account `name` with the rights of a driver and a pod of it on `node`; gives the
/// pod. On a node without a kubelet the pod never runs, but its tokens are as good.
pub fn driver_pod(admin: &Client, namespace: &str, name: &str, node: &str) -> Value {
    let account = object("v1", "ServiceAccount", Some(namespace), name);
    admin.create(&account).must();
    grant(admin, namespace, name);
    let mut pod = object("v1", "Pod", Some(namespace), name);
    pod["spec"] = json!({
        "nodeName": node, "serviceAccountName": name, "automountServiceAccountToken": false,
        "hostNetwork": true, "terminationGracePeriodSeconds": 0,
        "tolerations": [{ "operator": "Exists" }],
        "containers": [{ "name": "main", "image": "draguard.test/workload:1",
            "imagePullPolicy": "Never" }],
    });
    admin.create(&pod).must()
}

/// A token of the pod's service account that ends with the pod, and names it and its node.
pub fn bound_token(admin: &Client, pod: &Value) -> String {
    let namespace = pod["metadata"]["namespace"].as_str().expect("a namespace");
    let account = pod["spec"]["serviceAccountName"].as_str().expect("an account");
    token(admin, namespace, account, Some(pod))
}

/// A service account's token, bound to a pod or to nothing.
pub(crate) fn token(admin: &Client, namespace: &str, account: &str, pod: Option<&Value>) -> String {
    // A cluster to play with may be left alone for days.
    let mut spec = json!({ "audiences": [], "expirationSeconds": 7 * 24 * 3600 });
    if let Some(Value::Object(meta)) = pod.map(|pod| &pod["metadata"]) {
        spec["boundObjectRef"] = json!({ "kind": "Pod", "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"] });
    }
    let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec });
    let account = object("v1", "ServiceAccount", Some(namespace), account);
    let answer = admin.post(&(path_of(&account) + "/token"), &request).must();
    answer["status"]["token"].as_str().expect("a token").to_owned()
}

fn grant(admin: &Client, namespace: &str, name: &str) {
    let full = format!("{namespace}-{name}");
    let mut role = object(RBAC, "ClusterRole", None, &full);
    role["rules"] = json!([
        { "apiGroups": [""], "resources": ["nodes"], "verbs": ["get"] },
        { "apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims"], "verbs": ["get"] },
        { "apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"],
            "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"] },
    ]);
    admin.create(&role).must();
    let mut binding = object(RBAC, "ClusterRoleBinding", None, &full);
    binding["roleRef"] = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
        "name": full });
    binding["subjects"] = json!([{ "kind": "ServiceAccount", "namespace": namespace,
        "name": name }]);
    admin.create(&binding).must();
}
