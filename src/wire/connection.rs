//! Where a connection stands in its exchange of request and answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::limits::Limits;
use super::respond::Endpoint;

/// The state of one connection, shared by its stream and its handler.
#[derive(Debug)]
pub struct Connection(Mutex<State>);

#[derive(Debug, Clone, Copy)]
struct State {
    stage: Stage,
    since: Instant,
    endpoint: Option<Endpoint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing has been asked yet.
    Fresh,
    /// Between two requests.
    Idle,
    /// Part of a head has arrived.
    Head,
    /// A handler is at work; it has a deadline of its own.
    Busy,
    /// The answer is there, not all of it is sent.
    Answered,
}

impl Default for Connection {
    fn default() -> Self {
        Self(Mutex::new(State { stage: Stage::Fresh, since: Instant::now(), endpoint: None }))
    }
}

impl Connection {
    /// Bytes came in: the first ones of a connection or after an answer start a request.
    pub fn received(&self) {
        let mut state = self.lock();
        if matches!(state.stage, Stage::Fresh | Stage::Idle) {
            *state = State { stage: Stage::Head, since: Instant::now(), endpoint: None };
        }
    }

    /// A head is complete.
    pub fn called(&self) {
        self.lock().stage = Stage::Busy;
    }

    /// What is being asked for, and since when.
    pub fn ask(&self, endpoint: Endpoint) -> Instant {
        let mut state = self.lock();
        state.endpoint = Some(endpoint);
        state.since
    }

    /// The handler is done.
    pub fn answered(&self) {
        self.lock().stage = Stage::Answered;
    }

    /// Everything is sent: gives the endpoint and the start of an exchange that ends here.
    pub fn flushed(&self) -> Option<(Endpoint, Instant)> {
        let mut state = self.lock();
        if state.stage != Stage::Answered {
            return None;
        }
        let ended = *state;
        *state = State { stage: Stage::Idle, since: Instant::now(), endpoint: None };
        Some((ended.endpoint?, ended.since))
    }

    /// When the client has let too much time pass, if it is its turn.
    #[must_use]
    pub fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let state = *self.lock();
        match state.stage {
            Stage::Idle => Some(state.since + limits.idle),
            Stage::Fresh | Stage::Head => Some(state.since + limits.head),
            Stage::Busy | Stage::Answered => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
