//! Liveness, readiness and metrics, on ports of their own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::certificate::now;
use super::clock::millis;
use super::gate::Gate;
use super::tls::Identity;
use crate::journal::endpoint;
use crate::ledger::holds::Reason;
use crate::ledger::state::Ledger;
use crate::model::version::Version;
use crate::observe::{self, ledger};

/// How long a server waits for its ledger before it takes requests without.
const PATIENCE: Duration = Duration::from_secs(30);

const REBUILDING: &str = "the ledger is being built";

/// What the probes look at.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The server.
    pub gate: Arc<Gate>,
    /// Its certificate.
    pub identity: Arc<Identity>,
    /// Whether the metrics have series by node.
    pub metrics_by_node: bool,
}

impl Watched {
    /// Why the server should get no traffic, if so. The clock is asked each time: a certificate expires by itself.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if self.gate.draining.load(Ordering::Relaxed) {
            return Some("shutting down".to_owned());
        }
        self.identity.validity().fault(now()).or_else(|| self.is_rebuilding().then(|| REBUILDING.to_owned()))
    }

    /// True at the start, until the ledger is built; without one, the server answers with holds after a while.
    fn is_rebuilding(&self) -> bool {
        let book = self.gate.guard.load().book.clone();
        let is_empty = book.is_some_and(|book| book.freshness().hold() == Some(Reason::Rebuilding));
        is_empty && self.gate.started.elapsed() < PATIENCE
    }
}

/// `/livez` and `/readyz`.
pub fn health(watched: Watched) -> Router {
    Router::new().route("/livez", get(|| async { "ok\n" })).route("/readyz", get(ready)).with_state(watched)
}

/// `/metrics`, and the ledger: all of it at `/ledger`, its holds at `/ledger/holds`.
pub fn metrics(watched: Watched) -> Router {
    let gate = watched.gate.clone();
    let snapshot = move || {
        let guard = gate.guard.load_full();
        let ledger = guard.book.as_ref().map(|book| book.read().clone());
        Arc::new(ledger.unwrap_or_else(|| Ledger::new(Version::V137)))
    };
    let router = Router::new().route("/metrics", get(scrape)).route("/ledger/holds", get(holds));
    router.with_state(watched).merge(endpoint::router(snapshot))
}

async fn ready(State(watched): State<Watched>) -> Response {
    match watched.fault() {
        Some(fault) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {fault}\n")).into_response(),
        None => "ok\n".into_response(),
    }
}

async fn scrape(State(watched): State<Watched>) -> Response {
    let expiry = watched.identity.validity().not_after.saturating_sub(now());
    let guard = watched.gate.guard.load_full();
    let bytes = watched.gate.permits.bytes_held();
    let mut text = watched.gate.metrics.text(bytes, expiry, guard.offers.unmapped(millis()));
    if let Some(book) = &guard.book {
        text.push_str(&ledger::text(book, &guard.holds(), watched.metrics_by_node, millis()));
    }
    if let Some(keeper) = &watched.gate.keeper {
        text.push_str(&observe::cluster::text(keeper, millis()));
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// Every hold with its reason, since when, and what would end it, as JSON.
async fn holds(State(watched): State<Watched>) -> Response {
    let guard = watched.gate.guard.load_full();
    if guard.book.is_none() {
        return StatusCode::NOT_FOUND.into_response();
    }
    // Nothing in it can fail to be written.
    let text = serde_json::to_string(&guard.holds()).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
