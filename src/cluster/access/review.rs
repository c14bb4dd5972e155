//! One `SubjectAccessReview`.

use std::collections::BTreeMap;
use std::time::Duration;

use hyper::Request;
use hyper::header::CONTENT_TYPE;
use kube::Client;
use serde::{Deserialize, Serialize};

use super::super::fetch::{FetchError, fetch};
use crate::model::access::Question;
use crate::model::request::Caller;

const PATH: &str = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
/// Bytes of an answer: it repeats the identity.
const LONGEST: usize = 4 << 20;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    api_version: &'static str,
    kind: &'static str,
    spec: Spec<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    user: &'a str,
    uid: &'a str,
    groups: &'a [String],
    extra: &'a BTreeMap<String, Vec<String>>,
    resource_attributes: Attributes<'a>,
}

#[derive(Serialize)]
struct Attributes<'a> {
    group: &'static str,
    version: &'static str,
    resource: &'static str,
    subresource: &'static str,
    verb: &'a str,
    namespace: &'a str,
    name: &'a str,
}

#[derive(Deserialize)]
struct Reviewed {
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    allowed: bool,
}

/// True when the API server says that the caller may. An error of its evaluation counts for a no, as it does there.
pub(super) async fn allowed(
    client: &Client,
    caller: &Caller,
    question: &Question,
    verb: &str,
    time: Duration,
) -> Result<bool, FetchError> {
    let form = |error: serde_json::Error| FetchError::Form(error.to_string());
    let body = serde_json::to_vec(&review(caller, question, verb)).map_err(form)?;
    let request = Request::post(PATH)
        .header(CONTENT_TYPE, "application/json")
        .body(body)
        .map_err(kube::core::request::Error::BuildRequest)?;
    let answer = fetch(client, request, LONGEST, time).await?;
    let reviewed: Reviewed = serde_json::from_slice(&answer).map_err(form)?;
    Ok(reviewed.status.allowed)
}

fn review<'a>(caller: &'a Caller, question: &'a Question, verb: &'a str) -> Review<'a> {
    let resource_attributes = Attributes {
        group: "resource.k8s.io",
        version: "v1",
        resource: "resourceclaims",
        subresource: question.subresource(),
        verb,
        namespace: question.namespace(),
        name: question.name(),
    };
    let Caller { username, uid, groups, extra } = caller;
    let spec = Spec { user: username, uid, groups, extra, resource_attributes };
    Review { api_version: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec }
}
