//! A client of the API server that hides nothing: identity, content type and path are the caller's.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::http::{HeaderMap, Response};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};

use crate::{Answer, Pair};

/// Who asks.
#[derive(Clone)]
pub enum Identity {
    /// A client certificate.
    Certificate(Pair),
    /// A bearer token.
    Token(String),
    /// Another user, as seen by the API server through an administrator's impersonation.
    Impersonated {
        /// The administrator's certificate.
        by: Pair,
        /// The user.
        user: String,
        /// The user's groups.
        groups: Vec<String>,
        /// What else is known of the user: names with one value each, of which one name may have several.
        extra: Vec<(String, String)>,
    },
}

/// How a PATCH is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patch {
    /// A JSON merge patch.
    Merge,
    /// A strategic merge patch.
    Strategic,
    /// A JSON patch.
    Json,
    /// A server-side apply, forced, with the field manager `testbed`.
    Apply,
}

/// A client with one identity.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    server: String,
    headers: Vec<(String, String)>,
}

impl Client {
    /// A client of `server` (scheme, host and port), which must show a certificate of `authority`.
    pub fn new(server: &str, authority: &str, identity: &Identity) -> Client {
        let (pair, headers) = credentials(identity);
        Client { agent: agent(authority, pair), server: server.to_owned(), headers }
    }

    /// Reads an object, a list or any other path.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "application/json", None)
    }

    /// The items of a list.
    pub fn list(&self, path: &str) -> Vec<Value> {
        let items = self.get(path).must()["items"].take();
        items.as_array().cloned().unwrap_or_default()
    }

    /// What a watch tells that begins after a resource version and ends after a second, in its order.
    ///
    /// # Panics
    /// When the version is too old, or the API server does not answer.
    pub fn watch(&self, path: &str, after: u64) -> Vec<Value> {
        let path = with_query(path, &format!("watch=true&resourceVersion={after}&timeoutSeconds=1"));
        let mut response = self.send("GET", &path, "application/json", None).expect("a watch");
        let text = response.body_mut().with_config().limit(64 << 20).read_to_string().expect("events");
        let events = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        events
            .map(|event| event.expect("an event"))
            .inspect(|event| assert_ne!(event["type"], "ERROR", "{event}"))
            .collect()
    }

    /// Reads an object again.
    pub fn again(&self, object: &Value) -> Value {
        self.get(&path_of(object)).must()
    }

    /// Creates an object at the place that it names itself.
    pub fn create(&self, object: &Value) -> Answer {
        self.post(&collection_of(object), object)
    }

    /// Sends a POST.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, "application/json", Some(body))
    }

    /// Replaces an object.
    pub fn replace(&self, object: &Value) -> Answer {
        self.put(&path_of(object), object)
    }

    /// Replaces an object's status.
    pub fn replace_status(&self, object: &Value) -> Answer {
        self.put(&(path_of(object) + "/status"), object)
    }

    /// Sends a PUT.
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.request("PUT", path, "application/json", Some(body))
    }

    /// Sends a PATCH.
    pub fn patch(&self, path: &str, kind: Patch, body: &Value) -> Answer {
        match kind {
            Patch::Merge => self.request("PATCH", path, "application/merge-patch+json", Some(body)),
            Patch::Json => self.request("PATCH", path, "application/json-patch+json", Some(body)),
            Patch::Strategic => {
                let media = "application/strategic-merge-patch+json";
                self.request("PATCH", path, media, Some(body))
            }
            Patch::Apply => {
                let path = with_query(path, "fieldManager=testbed&force=true");
                self.request("PATCH", &path, "application/apply-patch+yaml", Some(body))
            }
        }
    }

    /// Deletes an object, or all of a collection.
    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path, "application/json", None)
    }

    fn request(&self, method: &str, path: &str, media: &str, body: Option<&Value>) -> Answer {
        let request = format!("{method} {path}");
        match self.send(method, path, media, body) {
            Ok(response) => read(response, request),
            Err(error) => Answer {
                code: 0,
                body: serde_json::json!({ "message": error.to_string() }),
                warnings: Vec::new(),
                request,
            },
        }
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        media: &str,
        body: Option<&Value>,
    ) -> Result<Response<ureq::Body>, ureq::Error> {
        let mut builder = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.server))
            .header("Content-Type", media);
        for (name, value) in &self.headers {
            builder = builder.header(name, value);
        }
        match body {
            Some(body) => self.agent.run(builder.body(body.to_string())?),
            None => self.agent.run(builder.body(())?),
        }
    }
}

/// The path of an object: `/api/v1/namespaces/n/pods/p`.
pub fn path_of(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    format!("{}/{name}", collection_of(object))
}

fn collection_of(object: &Value) -> String {
    let version = object["apiVersion"].as_str().expect("apiVersion");
    let root = if version.contains('/') { "apis" } else { "api" };
    let plural = plural_of(object["kind"].as_str().expect("kind"));
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("/{root}/{version}/namespaces/{namespace}/{plural}"),
        None => format!("/{root}/{version}/{plural}"),
    }
}

fn plural_of(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match (kind.strip_suffix('y'), kind.ends_with('s')) {
        (Some(stem), _) => format!("{stem}ies"),
        (None, true) => format!("{kind}es"),
        (None, false) => format!("{kind}s"),
    }
}

fn with_query(path: &str, query: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{query}")
}

fn credentials(identity: &Identity) -> (Option<&Pair>, Vec<(String, String)>) {
    match identity {
        Identity::Certificate(pair) => (Some(pair), Vec::new()),
        Identity::Token(token) => {
            let value = format!("Bearer {token}");
            (None, vec![("Authorization".to_owned(), value)])
        }
        Identity::Impersonated { by, user, groups, extra } => {
            let mut headers = vec![("Impersonate-User".to_owned(), user.clone())];
            let group = |g: &String| ("Impersonate-Group".to_owned(), g.clone());
            headers.extend(groups.iter().map(group));
            // A slash is no part of a header's name.
            let more = |(name, value): &(String, String)| {
                (format!("Impersonate-Extra-{}", name.replace('/', "%2f")), value.clone())
            };
            headers.extend(extra.iter().map(more));
            (Some(by), headers)
        }
    }
}

fn agent(authority: &str, pair: Option<&Pair>) -> Agent {
    let root = Certificate::from_pem(authority.as_bytes()).expect("the authority");
    let client = pair.map(|pair| {
        let certificate = Certificate::from_pem(pair.certificate.as_bytes()).expect("certificate");
        let key = PrivateKey::from_pem(pair.key.as_bytes()).expect("private key");
        ClientCert::new_with_certs(&[certificate], key)
    });
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&[root]))
        .client_cert(client)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .proxy(None)
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_mins(3)))
        .user_agent("draguard-testbed")
        .build()
        .new_agent()
}

fn read(mut response: Response<ureq::Body>, request: String) -> Answer {
    let code = response.status().as_u16();
    let warnings = warnings_of(response.headers());
    let text = response.body_mut().with_config().limit(64 << 20).read_to_string();
    let text = text.unwrap_or_else(|e| e.to_string());
    let body = serde_json::from_str(&text).unwrap_or_else(|_| serde_json::json!({ "message": text }));
    Answer { code, body, warnings, request }
}

/// The text of `299 - "text"`, unescaped.
fn warnings_of(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all("Warning").iter();
    let texts = values.filter_map(|value| value.to_str().ok()?.split_once('"'));
    texts.map(|(_, text)| text.trim_end_matches('"').replace("\\\"", "\"")).collect()
}
