//! Liveness, readiness and metrics, on ports of their own.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::certificate::now;
use super::gate::Gate;
use super::tls::Identity;

/// What the probes look at.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The server.
    pub gate: Arc<Gate>,
    /// Its certificate.
    pub identity: Arc<Identity>,
}

impl Watched {
    /// Why the server should get no traffic, if so. The clock is asked each time: a certificate expires by itself.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if self.gate.draining.load(Ordering::Relaxed) {
            return Some("shutting down".to_owned());
        }
        self.identity.validity().fault(now())
    }
}

/// `/livez` and `/readyz`.
pub fn health(watched: Watched) -> Router {
    Router::new().route("/livez", get(|| async { "ok\n" })).route("/readyz", get(ready)).with_state(watched)
}

/// `/metrics`.
pub fn metrics(watched: Watched) -> Router {
    Router::new().route("/metrics", get(scrape)).with_state(watched)
}

async fn ready(State(watched): State<Watched>) -> Response {
    match watched.fault() {
        Some(fault) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {fault}\n")).into_response(),
        None => "ok\n".into_response(),
    }
}

async fn scrape(State(watched): State<Watched>) -> Response {
    let expiry = watched.identity.validity().not_after.saturating_sub(now());
    let text = watched.gate.metrics.text(watched.gate.permits.bytes_held(), expiry);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
