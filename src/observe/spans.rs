//! Spans around the judging of a request; at the default level they cost nothing.

use tracing::{Span, debug_span, field};

use crate::model::request::Request;
use crate::model::text::escaped;
use crate::verdict::decision::Decision;
use crate::wire::respond::Endpoint;

use super::metrics::verdict;

/// The span of one review, its outcome still empty.
#[must_use]
pub fn review(endpoint: Endpoint, request: &Request<'_>) -> Span {
    debug_span!(
        "review",
        endpoint = endpoint.as_str(),
        resource = request.resource.as_str(),
        uid = %escaped(&request.uid),
        verdict = field::Empty,
        findings = field::Empty,
    )
}

/// Notes the outcome.
pub fn record(span: &Span, decision: &Decision) {
    span.record("verdict", verdict(decision));
    span.record("findings", decision.rulings.len());
}
