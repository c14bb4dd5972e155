//! `GET /ledger`: the whole ledger, as it is at that moment.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use bytes::Bytes;
use hyper::body::Frame;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ledger::journal::export;
use crate::ledger::state::Ledger;
use crate::wire::clock::millis;

/// Exports at a time.
const AT_A_TIME: usize = 2;
/// Lines are sent in pieces of about this size.
const PIECE: usize = 64 << 10;
/// Pieces that may wait for the reader.
const WAITING: usize = 4;
/// A reader that takes nothing for this long is given up.
const PATIENCE: Duration = Duration::from_secs(30);

type Snapshot = Arc<dyn Fn() -> Arc<Ledger> + Send + Sync>;

#[derive(Clone)]
struct Exporting {
    snapshot: Snapshot,
    places: Arc<Semaphore>,
}

/// `/ledger`, from what `snapshot` gives when it is asked. To be mounted where only the operator can reach it.
pub fn router(snapshot: impl Fn() -> Arc<Ledger> + Send + Sync + 'static) -> Router {
    let exporting = Exporting { snapshot: Arc::new(snapshot), places: Arc::new(Semaphore::new(AT_A_TIME)) };
    Router::new().route("/ledger", get(answer)).with_state(exporting)
}

async fn answer(State(exporting): State<Exporting>) -> Response {
    let Ok(place) = exporting.places.try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "other exports are under way\n").into_response();
    };
    let (sender, receiver) = channel(WAITING);
    let runtime = Handle::current();
    let snapshot = exporting.snapshot;
    tokio::task::spawn_blocking(move || send(&snapshot(), &sender, &runtime, &place));
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::new(Pieces(receiver))).into_response()
}

/// Sends all lines, as long as somebody reads.
fn send(ledger: &Ledger, to: &Sender<Bytes>, runtime: &Handle, _place: &OwnedSemaphorePermit) {
    let mut piece = String::with_capacity(PIECE);
    let send = |piece: String| runtime.block_on(to.send_timeout(piece.into(), PATIENCE)).is_ok();
    for line in export(ledger, millis()) {
        piece.push_str(&line);
        if piece.len() >= PIECE && !send(std::mem::take(&mut piece)) {
            return;
        }
    }
    send(piece);
}

struct Pieces(Receiver<Bytes>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}
