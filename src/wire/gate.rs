//! The way of one review through the server: head, body, verdict, answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::extract::Request as HttpRequest;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::body::{self, Held};
use super::connection::Connection;
use super::limits::{Limits, Permits};
use super::refusal::{self, Refusal};
use super::respond::{self, Endpoint};
use super::{clock, review, timeout};
use crate::cluster::keeper::Keeper;
use crate::guard::{Doubts, Evidence, Guard, Proof, Validated};
use crate::ledger::excerpt::Seen;
use crate::model::access::{Answers, Rights};
use crate::model::request::{Caller, Request};
use crate::model::status_change::gives_devices;
use crate::model::text::escaped;
use crate::observe::metrics::Metrics;
use crate::observe::{decision_log, spans};

/// Bodies above this are judged away from the threads that serve connections.
const LARGE: usize = 256 << 10;

/// What is left of a deadline once the API server was asked.
const FOR_THE_ANSWER: Duration = Duration::from_millis(100);

/// What all requests of one server share.
#[derive(Debug)]
pub struct Gate {
    /// What decides; replaced as a whole when the settings change.
    pub guard: Arc<ArcSwap<Guard>>,
    /// The bounds.
    pub limits: Arc<Limits>,
    /// What is left of them.
    pub permits: Permits,
    /// Where everything is counted.
    pub metrics: Arc<Metrics>,
    /// True once the server is to go away.
    pub draining: AtomicBool,
    /// Keeps the ledger, where there is a cluster.
    pub keeper: Option<Arc<Keeper>>,
    /// When the server started.
    pub started: Instant,
}

/// What became of one review.
enum Settled {
    Reply(Reply),
    /// This is to be learned first, of what this caller writes.
    Doubtful(Doubts, Caller),
}

/// What is known beside a request.
enum Learned {
    /// There is no cluster to ask.
    NoCluster,
    /// Nothing yet.
    Nothing,
    /// The objects that could be read, and what the writer may do.
    Told(Option<Vec<Seen>>, Answers),
}

impl Learned {
    fn evidence(&self) -> Evidence<'_> {
        let (proof, rights) = match self {
            Self::NoCluster => (Proof::Ledger, Rights::Settings),
            Self::Nothing => (Proof::Wanted, Rights::Open),
            Self::Told(seen, answers) => (seen.as_deref().map_or(Proof::Unread, Proof::Live), Rights::Asked(answers)),
        };
        Evidence { proof, rights }
    }
}

/// An answer with a uid.
struct Reply(Vec<u8>);

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl Gate {
    /// Answers one HTTP request.
    pub async fn answer(self: Arc<Self>, endpoint: Endpoint, request: HttpRequest) -> Response {
        let (parts, mut body) = request.into_parts();
        let since = parts.extensions.get::<Arc<Connection>>().map_or_else(Instant::now, |it| it.ask(endpoint));
        let deadline = since + timeout::budget(parts.uri.query());
        let read = async {
            let declared = refusal::check_head(&parts.headers, self.limits.body)?;
            body::read(&mut body, declared, self.limits.body, &self.permits, deadline).await
        };
        let answer = match read.await {
            Ok(held) => self.clone().judge(endpoint, held, deadline).await,
            Err(refusal) => {
                body::discard(body);
                Err(refusal)
            }
        };
        match answer {
            Ok(reply) => reply.into_response(),
            Err(refusal) => self.refuse(refusal),
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        match refusal.shed() {
            Some(reason) => self.metrics.shed(reason),
            None => self.metrics.refused(refusal.label()),
        }
        tracing::debug!(target: "draguard::wire", %refusal, "turned away");
        refusal.into_response()
    }

    async fn judge(self: Arc<Self>, endpoint: Endpoint, held: Held, deadline: Instant) -> Result<Reply, Refusal> {
        let Some(turn) = self.turn(deadline).await else {
            return self.unjudged(endpoint, &held.bytes, "requests", "too many requests at a time");
        };
        let first = if self.keeper.is_some() { Learned::Nothing } else { Learned::NoCluster };
        let turn = Arc::new((held, turn));
        let (doubts, caller) = match self.settled(endpoint, &turn, first, deadline).await? {
            Settled::Reply(reply) => return Ok(reply),
            Settled::Doubtful(doubts, caller) => (doubts, caller),
        };
        let learned = self.learn(doubts, &caller, deadline).await;
        match self.settled(endpoint, &turn, learned, deadline).await? {
            Settled::Reply(reply) => Ok(reply),
            Settled::Doubtful(..) => Err(Refusal::Late),
        }
    }

    /// Reads what a refusal rests on, and asks what the caller may do.
    async fn learn(&self, doubts: Doubts, caller: &Caller, deadline: Instant) -> Learned {
        let time = deadline.saturating_duration_since(Instant::now()).saturating_sub(FOR_THE_ANSWER);
        let Some(keeper) = &self.keeper else { return Learned::NoCluster };
        let live = keeper.live();
        let answers = keeper.access().answers(caller, doubts.questions, time);
        let (seen, answers) = tokio::join!(live.prove(doubts.refs, time), answers);
        Learned::Told(seen, answers)
    }

    async fn turn(&self, deadline: Instant) -> Option<OwnedSemaphorePermit> {
        if let Ok(turn) = self.permits.requests.clone().try_acquire_owned() {
            return Some(turn);
        }
        timeout_at(deadline, self.permits.requests.clone().acquire_owned()).await.ok()?.ok()
    }

    /// Judges with what was learned. A large body is judged on a thread of its own, so that the deadline can pass it by:
    /// body and turn stay taken until that thread is really done.
    async fn settled(
        self: &Arc<Self>,
        endpoint: Endpoint,
        turn: &Arc<(Held, OwnedSemaphorePermit)>,
        learned: Learned,
        deadline: Instant,
    ) -> Result<Settled, Refusal> {
        if turn.0.bytes.len() <= LARGE {
            return self.settle(endpoint, &turn.0.bytes, &OnceLock::new(), learned.evidence());
        }
        let known: Arc<OnceLock<(String, bool)>> = Arc::default();
        let (gate, turn, learning) = (Arc::clone(self), Arc::clone(turn), Arc::clone(&known));
        let work =
            tokio::task::spawn_blocking(move || gate.settle(endpoint, &turn.0.bytes, &learning, learned.evidence()));
        if let Ok(Ok(settled)) = timeout_at(deadline, work).await {
            return settled;
        }
        self.metrics.shed("deadline");
        let (uid, gives_devices) = known.get().ok_or(Refusal::Late)?;
        Ok(Settled::Reply(Reply(respond::unjudged(endpoint, uid, *gives_devices, "it took too long"))))
    }

    fn settle(
        &self,
        endpoint: Endpoint,
        body: &[u8],
        known: &OnceLock<(String, bool)>,
        evidence: Evidence<'_>,
    ) -> Result<Settled, Refusal> {
        let request = match review::read(body) {
            Ok(request) => request,
            Err(fault) => return self.malformed(fault).map(Settled::Reply),
        };
        if body.len() > LARGE {
            let _ = known.set((request.uid.clone(), gives_devices(&request)));
        }
        let span = spans::review(endpoint, &request);
        let decision = match span.in_scope(|| self.decide(endpoint, &request, evidence)) {
            Some(Validated::Decided(decision)) => decision,
            Some(Validated::Doubtful(doubts)) => return Ok(Settled::Doubtful(doubts, request.caller)),
            None => return Ok(Settled::Reply(self.failed(endpoint, &request))),
        };
        spans::record(&span, &decision);
        self.metrics.judged(endpoint, &request, &decision);
        decision_log::write(endpoint, &request, &decision);
        Ok(Settled::Reply(Reply(respond::decided(endpoint, &request, &decision))))
    }

    /// A panic is a fault of draguard, and must cost its request a verdict but not its connection an answer.
    fn decide(&self, endpoint: Endpoint, request: &Request<'_>, evidence: Evidence<'_>) -> Option<Validated> {
        let guard = self.guard.load();
        catch_unwind(AssertUnwindSafe(|| match endpoint {
            Endpoint::Validate => guard.validate(request, evidence, clock::millis()),
            Endpoint::Mutate => Validated::Decided(guard.mutate(request, clock::millis())),
        }))
        .ok()
    }

    fn failed(&self, endpoint: Endpoint, request: &Request<'_>) -> Reply {
        tracing::error!(target: "draguard::wire", uid = %escaped(&request.uid), "a rule failed");
        self.metrics.unjudged(endpoint, request, "fault");
        Reply(respond::unjudged(endpoint, &request.uid, gives_devices(request), "a rule failed, which is a bug"))
    }

    fn unjudged(&self, endpoint: Endpoint, body: &[u8], reason: &'static str, why: &str) -> Result<Reply, Refusal> {
        match review::read(body) {
            Ok(request) => {
                self.metrics.unjudged(endpoint, &request, reason);
                Ok(Reply(respond::unjudged(endpoint, &request.uid, gives_devices(&request), why)))
            }
            Err(fault) => self.malformed(fault),
        }
    }

    fn malformed(&self, fault: review::Fault) -> Result<Reply, Refusal> {
        let problem = escaped(&fault.problem.to_string());
        let Some(uid) = fault.uid else {
            return Err(Refusal::NoReview(problem));
        };
        tracing::debug!(target: "draguard::wire", uid = %escaped(&uid), problem, "no review");
        self.metrics.refused("malformed");
        Ok(Reply(respond::malformed(&uid, &problem)))
    }
}
