//! A webhook that records what it is asked and answers as the test says.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::post;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use serde_json::Value;

use crate::{Authority, Phase, Review, Verdict};

type Behaviour = Box<dyn FnMut(&Review) -> Verdict + Send>;

/// The object that tells whether a configuration is in force already; its reviews are not recorded.
pub(crate) const PROBE: &str = "draguard-testbed-probe";

struct Shared {
    delay: Duration,
    behaviour: Mutex<Behaviour>,
    seen: Mutex<Vec<Review>>,
    probes: Mutex<Vec<Phase>>,
}

/// A running webhook; dropped means gone, also for the API server.
pub struct Webhook {
    shared: Arc<Shared>,
    authority: Authority,
    address: std::net::SocketAddr,
    handle: Handle<std::net::SocketAddr>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Webhook {
    /// A webhook that allows everything.
    pub fn recording() -> Webhook {
        Self::with(|_| Verdict::Allow)
    }

    /// A webhook that allows everything, each review this much later than it could.
    pub fn slow(delay: Duration) -> Webhook {
        Self::start(delay, |_| Verdict::Allow)
    }

    /// A webhook that answers by `behaviour`.
    pub fn with(behaviour: impl FnMut(&Review) -> Verdict + Send + 'static) -> Webhook {
        Self::start(Duration::ZERO, behaviour)
    }

    fn start(delay: Duration, behaviour: impl FnMut(&Review) -> Verdict + Send + 'static) -> Webhook {
        let authority = Authority::new("webhook");
        let shared = Arc::new(Shared {
            delay,
            behaviour: Mutex::new(Box::new(behaviour)),
            seen: Mutex::default(),
            probes: Mutex::default(),
        });
        let handle = Handle::new();
        let config = tls(&authority);
        let router = router(Arc::clone(&shared));
        let (sender, receiver) = channel();
        let control = handle.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
                listener.set_nonblocking(true).expect("a non-blocking socket");
                sender.send(listener.local_addr().expect("an address")).expect("the test waits");
                let server = axum_server::from_tcp_rustls(listener, config).expect("a server");
                let served = server.handle(control).serve(router.into_make_service()).await;
                served.expect("serve the webhook");
            });
        });
        Webhook {
            shared,
            authority,
            address: receiver.recv().expect("the webhook's address"),
            handle,
            thread: Some(thread),
        }
    }

    /// Answers otherwise from now on.
    pub fn behave(&self, behaviour: impl FnMut(&Review) -> Verdict + Send + 'static) {
        *lock(&self.shared.behaviour) = Box::new(behaviour);
    }

    /// Everything recorded so far, in order of arrival.
    pub fn seen(&self) -> Vec<Review> {
        lock(&self.shared.seen).clone()
    }

    /// Likewise, each write once, however often the server asked.
    pub fn writes(&self) -> Vec<Review> {
        let mut writes: Vec<Review> = Vec::new();
        for review in self.seen() {
            if !writes.iter().any(|earlier| review.is_again(earlier)) {
                writes.push(review);
            }
        }
        writes
    }

    /// Forgets what was recorded.
    pub fn forget(&self) {
        lock(&self.shared.seen).clear();
    }

    /// Where the API server finds a phase.
    pub fn url(&self, phase: Phase) -> String {
        format!("https://{}/{}", self.address, phase.path())
    }

    /// The certificate authority of the webhook, in PEM.
    pub fn authority(&self) -> &str {
        self.authority.pem()
    }

    pub(crate) fn probed(&self, phase: Phase) -> bool {
        lock(&self.shared.probes).contains(&phase)
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.handle.shutdown();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn tls(authority: &Authority) -> RustlsConfig {
    // Others in the process may have chosen the same provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let pair = authority.server(&["127.0.0.1"]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let config = RustlsConfig::from_pem(pair.certificate.into_bytes(), pair.key.into_bytes());
    runtime.block_on(config).expect("a TLS configuration")
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/mutate", post(mutate))
        .route("/validate", post(validate))
        .layer(DefaultBodyLimit::max(16 << 20))
        .with_state(shared)
}

async fn mutate(State(shared): State<Arc<Shared>>, body: Bytes) -> String {
    tokio::time::sleep(shared.delay).await;
    respond(&shared, Phase::Mutate, &body)
}

async fn validate(State(shared): State<Arc<Shared>>, body: Bytes) -> String {
    tokio::time::sleep(shared.delay).await;
    respond(&shared, Phase::Validate, &body)
}

fn respond(shared: &Shared, phase: Phase, body: &Bytes) -> String {
    let at = Instant::now();
    let text = String::from_utf8_lossy(body).into_owned();
    let body: Value = serde_json::from_str(&text).expect("a review");
    let review = Review { phase, body, text, at };
    let uid = review.request()["uid"].clone();
    if review.request()["name"] == PROBE {
        lock(&shared.probes).push(phase);
        return Verdict::Allow.answer(&uid).to_string();
    }
    lock(&shared.seen).push(review.clone());
    let mut behaviour = lock(&shared.behaviour);
    (behaviour)(&review).answer(&uid).to_string()
}

/// A closure that panicked in one review must not hide what the others show.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
