//! What a webhook is asked and what it answers.

use std::time::Instant;

use serde_json::{Value, json};

use crate::Phase;
use crate::kubeconfig::base64;

/// One AdmissionReview as it arrived.
#[derive(Clone, Debug)]
pub struct Review {
    /// The phase, told by the path that the API server called.
    pub phase: Phase,
    /// The whole review.
    pub body: Value,
    /// The same, as the API server sent it.
    pub text: String,
    /// When it arrived.
    pub at: Instant,
}

impl Review {
    /// The request in it.
    pub fn request(&self) -> &Value {
        &self.body["request"]
    }

    /// The object, `null` on a delete.
    pub fn object(&self) -> &Value {
        &self.request()["object"]
    }

    /// The stored object, `null` on a create.
    pub fn old_object(&self) -> &Value {
        &self.request()["oldObject"]
    }

    /// The user.
    pub fn user(&self) -> &str {
        self.request()["userInfo"]["username"].as_str().unwrap_or_default()
    }

    /// Whether both are about one write, for which the server asked twice because its first try had met
    /// an old object from its cache.
    pub(crate) fn is_again(&self, earlier: &Review) -> bool {
        let key = |review: &Review| {
            let mut object = review.object().clone();
            if let Some(meta) = object["metadata"].as_object_mut() {
                meta.retain(|name, _| name != "resourceVersion" && name != "managedFields");
            }
            (review.phase, review.what(), review.old_object()["metadata"]["uid"].clone(), object)
        };
        self.user() == earlier.user() && key(self) == key(earlier)
    }

    /// Operation and resource in one word: `update pods/status`.
    pub fn what(&self) -> String {
        let request = self.request();
        let operation = request["operation"].as_str().unwrap_or_default();
        let resource = request["resource"]["resource"].as_str().unwrap_or_default();
        let operation = operation.to_lowercase();
        match request["subResource"].as_str() {
            Some(sub) if !sub.is_empty() => format!("{operation} {resource}/{sub}"),
            _ => format!("{operation} {resource}"),
        }
    }
}

/// What a webhook answers.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Allowed.
    Allow,
    /// Allowed with a warning.
    Warn(String),
    /// Allowed with a JSON patch.
    Patch(Value),
    /// Denied with this Status, where `code` and `message` are the usual fields.
    Deny(Value),
    /// A response as it is, for answers that no webhook should give.
    Raw(Value),
}

impl Verdict {
    /// A denial with a code and a message.
    pub fn deny(code: u16, message: &str) -> Verdict {
        Verdict::Deny(json!({ "code": code, "message": message }))
    }

    pub(crate) fn answer(self, uid: &Value) -> Value {
        let response = match self {
            Verdict::Allow => json!({ "uid": uid, "allowed": true }),
            Verdict::Warn(text) => json!({ "uid": uid, "allowed": true, "warnings": [text] }),
            Verdict::Raw(response) => response,
            Verdict::Deny(status) => json!({ "uid": uid, "allowed": false, "status": status }),
            Verdict::Patch(patch) => json!({ "uid": uid, "allowed": true,
                "patchType": "JSONPatch", "patch": base64(patch.to_string().as_bytes()) }),
        };
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "response": response })
    }
}
