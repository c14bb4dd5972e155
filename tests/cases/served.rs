//! Admission requests, over TLS to the real server.

use serde_json::{Value, json};

use crate::common::server::{Folder, Server};

/// What one request came to.
#[derive(Debug)]
pub struct Verdict(pub Value);

/// A request in the making.
pub struct Ask {
    request: Value,
    settings: Option<String>,
    path: &'static str,
}

/// An update or a creation of an object, by a user.
pub fn ask(resource: &str, username: &str, old: Option<Value>, new: Option<Value>) -> Ask {
    let (plural, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let group = if ["pods", "bindings"].contains(&plural) { "" } else { "resource.k8s.io" };
    let operation = match (&old, &new) {
        (None, _) => "CREATE",
        (_, None) => "DELETE",
        _ => "UPDATE",
    };
    let request = json!({
        "uid": "case",
        "resource": {"group": group, "version": "v1", "resource": plural},
        "subResource": subresource,
        "operation": operation,
        "userInfo": {"username": username, "groups": groups(username)},
        "object": new,
        "oldObject": old,
        "dryRun": false,
    });
    Ask { request, settings: None, path: "/validate" }
}

fn groups(username: &str) -> Vec<&'static str> {
    match username {
        "admin" => vec!["system:masters", "system:authenticated"],
        name if name.starts_with("system:node:") => vec!["system:nodes", "system:authenticated"],
        _ => vec!["system:authenticated"],
    }
}

impl Ask {
    /// The writer's token is bound to a pod on this node.
    pub fn on_node(mut self, node: &str) -> Self {
        self.request["userInfo"]["extra"] = json!({"authentication.kubernetes.io/node-name": [node]});
        self
    }

    /// The object is in this namespace.
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        self.request["namespace"] = json!(namespace);
        self
    }

    /// The `spec` of the settings.
    pub fn with(mut self, spec: &Value) -> Self {
        self.settings = Some(settings(spec));
        self
    }

    /// Asks the mutating endpoint.
    pub fn mutating(mut self) -> Self {
        self.path = "/mutate";
        self
    }

    /// Nothing is to be stored.
    pub fn dry_run(mut self) -> Self {
        self.request["dryRun"] = Value::Bool(true);
        self
    }

    /// The review that is sent.
    pub fn body(&self) -> String {
        review(&self.request).to_string()
    }

    /// Sends it to a server of its own.
    pub fn send(self) -> Verdict {
        let folder = Folder::new();
        let file = folder.path().join("settings.yaml");
        let flags = self.settings.map(|settings| {
            std::fs::write(&file, settings).unwrap();
            format!("--config={}", file.display())
        });
        let flags: Vec<&str> = flags.as_deref().into_iter().collect();
        post(&Server::start(&flags), self.path, &self.request)
    }

    /// Sends it to a server that knows the objects in `dir`.
    pub fn send_to(self, server: &Server) -> Verdict {
        post(server, self.path, &self.request)
    }
}

/// A server that knows these objects and has this `spec` as its settings.
pub struct Cluster {
    server: Server,
    _folder: Folder,
}

impl Cluster {
    /// Its objects, and no settings.
    pub fn of(objects: &[Value]) -> Self {
        Self::with(objects, &json!({}))
    }

    /// Its objects and settings.
    pub fn with(objects: &[Value], spec: &Value) -> Self {
        let folder = Folder::new();
        for (number, object) in objects.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.json")), object.to_string()).unwrap();
        }
        std::fs::write(folder.path().join("draguard.yaml"), settings(spec)).unwrap();
        Self { server: Server::start(&["--standalone", folder.path().to_str().unwrap()]), _folder: folder }
    }

    /// Asks it.
    pub fn asked(&self, ask: Ask) -> Verdict {
        ask.send_to(&self.server)
    }
}

fn settings(spec: &Value) -> String {
    let document = json!({
        "apiVersion": "draguard.dev/v1alpha1", "kind": "NodeAllocatableRollout",
        "metadata": {"name": "default"}, "spec": spec,
    });
    document.to_string()
}

fn review(request: &Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
}

fn post(server: &Server, path: &str, request: &Value) -> Verdict {
    let answer = server.post(path, review(request).to_string().as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    let response = answer.json()["response"].clone();
    assert_eq!(response["uid"], "case");
    Verdict(response)
}

impl Verdict {
    /// Allowed, and nothing said.
    pub fn is_clean(&self) {
        assert_eq!(self.0["allowed"], true, "{self:?}");
        assert!(self.0.get("warnings").is_none() && self.0.get("patch").is_none(), "{self:?}");
    }

    /// Refused with 403 by exactly this rule, in these words.
    pub fn denied(&self, rule: &str, words: &str) {
        self.refused(403, rule, words);
    }

    /// Refused with 429 by exactly this rule, in these words.
    pub fn held(&self, rule: &str, words: &str) {
        self.refused(429, rule, words);
    }

    fn refused(&self, code: u16, rule: &str, words: &str) {
        assert_eq!((&self.0["allowed"], &self.0["status"]["code"]), (&json!(false), &json!(code)), "{self:?}");
        let causes = self.0["status"]["details"]["causes"].as_array().unwrap();
        assert!(causes.iter().all(|cause| cause["reason"] == rule), "{self:?}");
        let message = self.0["status"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{words:?} not in {message:?}");
    }

    /// Allowed, with a warning of this rule.
    pub fn warned(&self, rule: &str) {
        assert_eq!(self.0["allowed"], true, "{self:?}");
        let warnings = self.0["warnings"].as_array().unwrap();
        assert!(warnings.iter().any(|warning| warning.as_str().unwrap().contains(rule)), "{self:?}");
    }

    /// Allowed, with a warning of this rule in these words.
    pub fn warned_of(&self, rule: &str, words: &str) {
        self.warned(rule);
        assert!(self.0["warnings"].to_string().contains(words), "{words:?} not in {self:?}");
    }

    /// The patch, as JSON.
    pub fn patch(&self) -> Value {
        use base64::Engine as _;
        let patch = self.0["patch"].as_str().unwrap_or_else(|| panic!("no patch in {self:?}"));
        serde_json::from_slice(&base64::engine::general_purpose::STANDARD.decode(patch).unwrap()).unwrap()
    }
}

/// A slice of a node; `devices` as JSON.
pub fn slice(driver: &str, node: &str, devices: &Value) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": format!("{node}-{driver}")},
        "spec": {
            "driver": driver, "nodeName": node, "devices": devices,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
        },
    })
}

/// A pod whose status holds this list; `null` for none.
pub fn pod(list: &Value) -> Value {
    let mut status = json!({"phase": "Running"});
    if !list.is_null() {
        status["nodeAllocatableResourceClaimStatuses"] = list.clone();
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, "status": status})
}
