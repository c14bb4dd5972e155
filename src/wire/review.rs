//! From the bytes of an AdmissionReview to a [`Request`], in one pass and with the objects left raw.

use serde::Deserialize;
use serde::de::DeserializeSeed as _;
use serde_json::value::RawValue;

use super::envelope::{Envelope, Inner};
use super::strict::{Fill, Text};
use crate::model::request::{Caller, Operation, Request, Resource};
use crate::model::text::quoted;

/// The one version of the review that is spoken.
pub const API_VERSION: &str = "admission.k8s.io/v1";

/// The kind of the envelope.
pub const KIND: &str = "AdmissionReview";

/// The API server's uids are 36 bytes; a bound, since the uid comes back in the answer.
const LONGEST_UID: usize = 256;

/// A body that is no review, and the uid to answer to if it could be read all the same.
#[derive(Debug)]
pub struct Fault {
    /// The uid, where it was read before the fault and stands only once.
    pub uid: Option<String>,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with an envelope.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// No JSON, a wrong type, a key twice.
    #[error("the body is not an AdmissionReview: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Another kind.
    #[error("the body is not an AdmissionReview: kind is {}", quoted(.0))]
    Kind(String),
    /// Another version.
    #[error("apiVersion is {}; draguard speaks {API_VERSION} only: set admissionReviewVersions: [\"v1\"]", quoted(.0))]
    Version(String),
    /// Nothing to answer to.
    #[error("request.uid is missing, empty or longer than {LONGEST_UID} bytes")]
    Uid,
    /// An operation that admission does not know.
    #[error("request.operation is {}; expected CREATE, UPDATE, DELETE or CONNECT", quoted(.0))]
    Operation(String),
    /// No resource.
    #[error("request.resource.resource is missing")]
    Resource,
    /// An object that is a string, a number or a list.
    #[error("request.{0} is not an object")]
    Object(&'static str),
}

/// Reads one review.
///
/// # Errors
/// When the body is no review that a Kubernetes API server would send.
pub fn read(body: &[u8]) -> Result<Request<'_>, Fault> {
    let mut envelope = Envelope::default();
    let parsed = parse(body, &mut envelope);
    let uid = envelope.request.uid.take().or_else(|| parsed.as_ref().err().and_then(|_| rescue(body)));
    let uid = uid.filter(|uid| is_usable(uid));
    let read = parsed.map_err(Problem::from).and_then(|()| check(&envelope)).and_then(|()| request(envelope.request));
    match (read, uid) {
        (Ok(request), Some(uid)) => Ok(Request { uid, ..request }),
        (Ok(_), None) => Err(Fault { uid: None, problem: Problem::Uid }),
        (Err(problem), uid) => Err(Fault { uid, problem }),
    }
}

fn parse<'a>(body: &'a [u8], envelope: &mut Envelope<'a>) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    Fill(envelope).deserialize(&mut deserializer)?;
    deserializer.end()
}

/// The uid behind the fault, if the rest is well-formed: a second pass, which only faulty bodies get.
fn rescue(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Outer {
        request: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        uid: String,
    }
    serde_json::from_slice(body).ok().map(|outer: Outer| outer.request.uid)
}

fn is_usable(uid: &str) -> bool {
    !uid.is_empty() && uid.len() <= LONGEST_UID
}

fn check(envelope: &Envelope<'_>) -> Result<(), Problem> {
    match str_of(envelope.kind.as_ref()) {
        KIND => {}
        other => return Err(Problem::Kind(other.to_owned())),
    }
    match str_of(envelope.api_version.as_ref()) {
        API_VERSION => Ok(()),
        other => Err(Problem::Version(other.to_owned())),
    }
}

fn request(inner: Inner<'_>) -> Result<Request<'_>, Problem> {
    Ok(Request {
        uid: String::new(),
        operation: operation(str_of(inner.operation.as_ref()))?,
        resource: resource(&inner)?,
        object: object("object", inner.object)?,
        old_object: object("oldObject", inner.old_object)?,
        name: inner.name.unwrap_or_default(),
        namespace: inner.namespace.unwrap_or_default(),
        caller: Caller {
            username: inner.user.username.unwrap_or_default(),
            uid: inner.user.uid.unwrap_or_default(),
            groups: inner.user.groups.unwrap_or_default(),
            extra: inner.user.extra.0,
        },
        dry_run: inner.dry_run.unwrap_or_default(),
    })
}

fn operation(word: &str) -> Result<Operation, Problem> {
    match word {
        "CREATE" => Ok(Operation::Create),
        "UPDATE" => Ok(Operation::Update),
        "DELETE" => Ok(Operation::Delete),
        "CONNECT" => Ok(Operation::Connect),
        other => Err(Problem::Operation(other.to_owned())),
    }
}

fn resource(inner: &Inner<'_>) -> Result<Resource, Problem> {
    let plural = str_of(inner.resource.resource.as_ref());
    if plural.is_empty() {
        return Err(Problem::Resource);
    }
    Ok(Resource::of(str_of(inner.resource.group.as_ref()), plural, str_of(inner.subresource.as_ref())))
}

fn object<'a>(field: &'static str, raw: Option<&'a RawValue>) -> Result<Option<&'a str>, Problem> {
    match raw.map(RawValue::get) {
        Some(text) if !text.starts_with('{') => Err(Problem::Object(field)),
        text => Ok(text),
    }
}

fn str_of<'a>(text: Option<&'a Text<'_>>) -> &'a str {
    text.map_or("", |text| &text.0)
}
