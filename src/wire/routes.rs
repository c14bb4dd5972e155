//! The two endpoints.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::post;

use super::gate::Gate;
use super::respond::Endpoint;

/// `/validate` and `/mutate`, POST only.
pub fn router(gate: Arc<Gate>) -> Router {
    Router::new()
        .route("/validate", post(validate))
        .route("/mutate", post(mutate))
        .layer(from_fn_with_state(gate.clone(), say_goodbye))
        .with_state(gate)
}

async fn validate(State(gate): State<Arc<Gate>>, request: Request) -> Response {
    gate.answer(Endpoint::Validate, request).await
}

async fn mutate(State(gate): State<Arc<Gate>>, request: Request) -> Response {
    gate.answer(Endpoint::Mutate, request).await
}

/// While draining, each answer asks the client to take its next request elsewhere.
async fn say_goodbye(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if gate.draining.load(Ordering::Relaxed) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
