//! From a decision to the bytes of an AdmissionReview.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::lines;
use super::review::{API_VERSION, KIND};
use crate::model::request::{Operation, Request};
use crate::verdict::decision::{Decision, Ruling};
use crate::verdict::finding::Severity;
use crate::verdict::patch;

/// The API server's own bound on what a patch may copy.
const LARGEST_PATCH: usize = 3 << 20;
const MOST_CAUSES: usize = 256;
const PATCH_TOO_LARGE: &str = "draguard left the object as it is: its patch would exceed 3 MiB";

/// Which of the two endpoints was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// `/validate`: only decides.
    Validate,
    /// `/mutate`: only patches.
    Mutate,
}

impl Endpoint {
    /// The path's last part, also the metric label.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validate => "validate",
            Self::Mutate => "mutate",
        }
    }
}

/// The answer that carries a decision.
#[must_use]
pub fn decided(endpoint: Endpoint, request: &Request<'_>, decision: &Decision) -> Vec<u8> {
    let mut response = Response::to(&request.uid, decision.allowed());
    response.status = decision.refusal.map(|(code, reason)| Status::of(code, reason, &decision.rulings));
    response.warnings = lines::warnings(&decision.rulings);
    if !decision.rulings.is_empty() {
        response.audit_annotations.insert("findings", lines::annotation(&decision.rulings));
    }
    if may_patch(endpoint, request.operation, decision) {
        response.add_patch(decision);
    }
    response.into_bytes()
}

/// The answer to a body that is no review but has a uid.
#[must_use]
pub fn malformed(uid: &str, problem: &str) -> Vec<u8> {
    let mut response = Response::to(uid, false);
    response.status = Some(Status::plain(400, "BadRequest", problem));
    response.into_bytes()
}

/// The answer when draguard itself could not judge: no room, no time, or a fault of its own.
///
/// HTTP 200 with a review never reaches the failurePolicy, so the answer is here: what gives devices is held (429, tried
/// again by every writer); all else passes with a warning, and the watch looks at it again. A mutating call never
/// refuses.
#[must_use]
pub fn unjudged(endpoint: Endpoint, uid: &str, gives_devices: bool, why: &str) -> Vec<u8> {
    let text = format!("draguard could not judge this request: {why}");
    let held = endpoint == Endpoint::Validate && gives_devices;
    let mut response = Response::to(uid, !held);
    if held {
        response.status = Some(Status::plain(429, "TooManyRequests", &text));
    } else {
        response.warnings.push(lines::single(&text));
    }
    response.into_bytes()
}

fn may_patch(endpoint: Endpoint, operation: Operation, decision: &Decision) -> bool {
    endpoint == Endpoint::Mutate
        && matches!(operation, Operation::Create | Operation::Update)
        && decision.allowed()
        && !decision.patch.is_empty()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    api_version: &'static str,
    kind: &'static str,
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    audit_annotations: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl<'a> Response<'a> {
    const fn to(uid: &'a str, allowed: bool) -> Self {
        Self {
            uid,
            allowed,
            status: None,
            patch: None,
            patch_type: None,
            audit_annotations: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    fn add_patch(&mut self, decision: &Decision) {
        let document = serde_json::to_vec(&patch::document(decision.patch.clone())).unwrap_or_default();
        if document.len() > LARGEST_PATCH {
            self.warnings.push(PATCH_TOO_LARGE.to_owned());
            return;
        }
        self.patch = Some(STANDARD.encode(document));
        self.patch_type = Some("JSONPatch");
    }

    fn into_bytes(self) -> Vec<u8> {
        let review = Review { api_version: API_VERSION, kind: KIND, response: self };
        // Maps with string keys and strings only: serialisation cannot fail.
        serde_json::to_vec(&review).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct Status {
    code: u16,
    reason: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
}

#[derive(Serialize)]
struct Details {
    causes: Vec<Cause>,
}

#[derive(Serialize)]
struct Cause {
    reason: &'static str,
    message: String,
    field: String,
}

impl Status {
    fn of(code: u16, reason: &'static str, rulings: &[Ruling]) -> Self {
        let denials = rulings.iter().filter(|ruling| ruling.severity == Severity::Deny);
        let causes = denials.take(MOST_CAUSES).map(Cause::of).collect();
        Self { code, reason, message: lines::message(rulings), details: Some(Details { causes }) }
    }

    fn plain(code: u16, reason: &'static str, message: &str) -> Self {
        Self { code, reason, message: message.to_owned(), details: None }
    }
}

impl Cause {
    fn of(ruling: &Ruling) -> Self {
        let finding = &ruling.finding;
        Self { reason: finding.rule.id, message: finding.message(), field: finding.path.to_string() }
    }
}
