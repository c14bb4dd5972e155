//! One log line a decision, under the target `draguard::decision`.

use crate::model::request::Request;
use crate::model::text::escaped;
use crate::verdict::decision::Decision;
use crate::wire::respond::Endpoint;

use super::metrics::{operation, verdict};

/// Logs what was decided: findings at `info`, requests without any at `debug`, since a cluster sends hundreds a second.
pub fn write(endpoint: Endpoint, request: &Request<'_>, decision: &Decision) {
    if decision.rulings.is_empty() {
        clean(endpoint, request, decision);
    } else {
        found(endpoint, request, decision);
    }
}

fn clean(endpoint: Endpoint, request: &Request<'_>, decision: &Decision) {
    tracing::debug!(
        target: "draguard::decision",
        uid = %escaped(&request.uid),
        endpoint = endpoint.as_str(),
        resource = request.resource.as_str(),
        operation = operation(request.operation),
        namespace = %escaped(&request.namespace),
        name = %escaped(&request.name),
        user = %escaped(&request.caller.username),
        dry_run = request.dry_run,
        verdict = verdict(decision),
    );
}

fn found(endpoint: Endpoint, request: &Request<'_>, decision: &Decision) {
    tracing::info!(
        target: "draguard::decision",
        uid = %escaped(&request.uid),
        endpoint = endpoint.as_str(),
        resource = request.resource.as_str(),
        operation = operation(request.operation),
        namespace = %escaped(&request.namespace),
        name = %escaped(&request.name),
        user = %escaped(&request.caller.username),
        dry_run = request.dry_run,
        verdict = verdict(decision),
        rules = %rules(decision),
        first = %first(decision),
    );
}

/// Each rule once, in the order of severity.
fn rules(decision: &Decision) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for ruling in &decision.rulings {
        if !ids.contains(&ruling.finding.rule.id) {
            ids.push(ruling.finding.rule.id);
        }
    }
    ids.join(",")
}

fn first(decision: &Decision) -> String {
    decision.rulings.first().map(|ruling| ruling.finding.to_string()).unwrap_or_default()
}
