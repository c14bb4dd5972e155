//! A running server: three listeners, their limits, and the way they end.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::Router;
use axum::http::Request;
use axum::response::Response;
use axum_server::accept::{Accept, DefaultAcceptor};
use axum_server::tls_rustls::RustlsAcceptor;
use axum_server::{Control, Handle};
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower_service::Service;

use super::accept::Doorkeeper;
use super::gate::Gate;
use super::limits::{Limits, Permits};
use super::probes::{self, Watched};
use super::routes;
use super::tls::{self, Identity, Source, TlsError};
use crate::cluster::keeper::Keeper;
use crate::guard::Guard;
use crate::observe::metrics::Metrics;

/// Room for one request head, and for what is read of a body at a time.
const BUFFER: usize = 64 << 10;
const MOST_HEADERS: usize = 64;
/// Probes and scrapes are few.
const PLAIN_CONNECTIONS: usize = 64;

/// Where and how to serve.
#[derive(Debug, Clone)]
pub struct Options {
    /// The webhook, over TLS.
    pub listen: SocketAddr,
    /// `/livez` and `/readyz`, plain.
    pub probe_listen: SocketAddr,
    /// `/metrics`, plain.
    pub metrics_listen: SocketAddr,
    /// Whether the metrics have series by node.
    pub metrics_by_node: bool,
    /// The certificate.
    pub certificate: Source,
    /// How often the certificate is looked at.
    pub reload_every: Duration,
    /// The bounds.
    pub limits: Limits,
}

/// Why a server did not start or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// An address.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Which one.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
}

/// A server that runs until it is stopped.
#[derive(Debug)]
pub struct Server {
    /// Where the webhook listens.
    pub address: SocketAddr,
    /// Where the probes are answered.
    pub probes: SocketAddr,
    /// Where metrics are read.
    pub metrics: SocketAddr,
    gate: Arc<Gate>,
    webhook: Running,
    plain: [Running; 2],
    watch: JoinHandle<()>,
}

#[derive(Debug)]
struct Running {
    control: Control,
    task: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Loads the certificate, opens the ports and serves. `keeper` keeps the guard's ledger, where there is a cluster.
    ///
    /// # Errors
    /// When there is no usable certificate or an address is taken.
    pub fn start(
        options: Options,
        guard: Arc<ArcSwap<Guard>>,
        keeper: Option<Arc<Keeper>>,
    ) -> Result<Self, ServerError> {
        let identity = Arc::new(Identity::load(options.certificate)?);
        let gate = gate(options.limits, guard, keeper);
        let watched =
            Watched { gate: gate.clone(), identity: identity.clone(), metrics_by_node: options.metrics_by_node };
        let secure = RustlsAcceptor::new(identity.config()).handshake_timeout(gate.limits.handshake);
        let keeper = doorkeeper(secure, gate.permits.connections.clone(), &gate);
        let (address, webhook) = open(options.listen, keeper, routes::router(gate.clone()))?;
        let (probes, health) = open(options.probe_listen, plain(&gate), probes::health(watched.clone()))?;
        let (metrics, scrapes) = open(options.metrics_listen, plain(&gate), probes::metrics(watched))?;
        let watch = tokio::spawn(tls::watch(identity, options.reload_every, gate.metrics.clone()));
        Ok(Self { address, probes, metrics, gate, webhook, plain: [health, scrapes], watch })
    }

    /// Not ready from now on, but serving, each answer with `Connection: close`, for as long as it takes Services to
    /// notice; then no new connections, and `grace` for the open ones.
    pub async fn stop(self, drain: Duration, grace: Duration) {
        self.gate.draining.store(true, Ordering::Relaxed);
        tokio::time::sleep(drain).await;
        self.webhook.control.graceful_shutdown(Some(grace));
        let _ = self.webhook.task.await;
        self.watch.abort();
        for running in self.plain {
            running.control.shutdown();
            let _ = running.task.await;
        }
    }
}

fn gate(limits: Limits, guard: Arc<ArcSwap<Guard>>, keeper: Option<Arc<Keeper>>) -> Arc<Gate> {
    Arc::new(Gate {
        guard,
        permits: Permits::of(&limits),
        limits: Arc::new(limits),
        metrics: Arc::default(),
        draining: AtomicBool::new(false),
        keeper,
        started: Instant::now(),
    })
}

fn plain(gate: &Gate) -> Doorkeeper<DefaultAcceptor> {
    doorkeeper(DefaultAcceptor::new(), Arc::new(Semaphore::new(PLAIN_CONNECTIONS)), gate)
}

fn doorkeeper<A>(inner: A, places: Arc<Semaphore>, gate: &Gate) -> Doorkeeper<A> {
    let metrics: Arc<Metrics> = gate.metrics.clone();
    Doorkeeper { inner, places, limits: gate.limits.clone(), metrics }
}

fn open<A>(address: SocketAddr, keeper: Doorkeeper<A>, router: Router) -> Result<(SocketAddr, Running), ServerError>
where
    A: Accept<TcpStream, Router> + Clone + Send + Sync + 'static,
    A::Future: Send,
    A::Stream: AsyncRead + AsyncWrite + Unpin + Send,
    A::Service: Service<Request<Incoming>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    <A::Service as Service<Request<Incoming>>>::Future: Send,
{
    let failed = |error| ServerError::Listen { address, error };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let control = Control::new();
    let mut server = axum_server::from_tcp(listener)
        .map_err(failed)?
        .acceptor(keeper)
        .handle(Handle::with_control(control.clone()))
        .http1_only();
    server.http_builder().http1().max_buf_size(BUFFER).max_headers(MOST_HEADERS);
    let task = tokio::spawn(server.serve(router.into_make_service()));
    Ok((bound, Running { control, task }))
}
