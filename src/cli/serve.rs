//! `draguard serve`: the webhook.

mod watch;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use clap::Args;

use self::watch::Watch;
use crate::cluster::client::ConnectError;
use crate::files::walk::Unopened;
use crate::guard::Guard;
use crate::ledger::book::Book;
use crate::ledger::view::Freshness;
use crate::observe::log;
use crate::settings::load::{self, LoadError};
use crate::settings::reload::Watched;
use crate::wire::clock::millis;
use crate::wire::limits::Limits;
use crate::wire::listener::{Options, Server, ServerError};
use crate::wire::self_signed::SelfSigned;
use crate::wire::shutdown::{self, Signal};
use crate::wire::timeout;
use crate::wire::tls::Source;
use crate::{files, standalone};

/// What open connections get after the drain time, to finish what they are at.
const GRACE: Duration = Duration::from_secs(5);

/// Flags of `draguard serve`.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address of the webhook (HTTPS).
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8443")]
    listen: SocketAddr,
    /// Address of /livez and /readyz (plain HTTP).
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8081")]
    probe_listen: SocketAddr,
    /// Address of /metrics (plain HTTP).
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9090")]
    metrics_listen: SocketAddr,
    /// Leave the series by node out of /metrics.
    #[arg(long)]
    no_node_metrics: bool,
    /// Judge beside the nodes, slices, claims and pods in DIR instead of a cluster; settings from DIR/draguard.yaml.
    #[arg(long, value_name = "DIR")]
    standalone: Option<PathBuf>,
    /// Settings: one NodeAllocatableRollout document.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    tls: Tls,
    /// Look for a new certificate this often.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    reload_every: Duration,
    /// After SIGTERM, keep serving this long while not ready.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    drain: Duration,
    /// How log lines look.
    #[arg(long, value_enum, default_value_t)]
    log_format: log::Format,
    #[command(flatten)]
    bounds: Bounds,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Certificate")]
struct Tls {
    /// Certificate chain, PEM; re-read when it changes.
    #[arg(long = "tls-cert", value_name = "FILE", requires = "key", required_unless_present = "self_signed")]
    cert: Option<PathBuf>,
    /// Private key, PEM.
    #[arg(long = "tls-key", value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Make an authority and a certificate in DIR; an authority that is there is used again.
    #[arg(long, value_name = "DIR", conflicts_with = "cert")]
    self_signed: Option<PathBuf>,
    /// Host name or address in the certificate made by --self-signed (repeatable).
    #[arg(long, value_name = "NAME", default_values = ["localhost", "127.0.0.1", "::1"])]
    host: Vec<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
struct Bounds {
    /// Largest body, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().body)]
    max_body: usize,
    /// Bytes of bodies in memory at a time.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes_in_flight)]
    max_bytes_in_flight: usize,
    /// Requests judged at a time; none at all is a drill for overload.
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().requests)]
    max_requests: usize,
    /// Open connections.
    #[arg(long, value_name = "COUNT", default_value_t = Limits::default().connections)]
    max_connections: usize,
    /// Time for a handshake, and for a request's head.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    head_timeout: Duration,
    /// Time an open connection may wait for its next request; API servers close theirs after 90s.
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = duration)]
    idle_timeout: Duration,
}

/// Why the server ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServeError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Settings(#[from] LoadError),
    #[error("--standalone: {0}")]
    Standalone(#[from] Unopened),
    #[error(transparent)]
    Cluster(#[from] ConnectError),
    #[error("cannot start: {0}")]
    Runtime(#[from] io::Error),
}

impl Serve {
    /// Serves until a signal comes.
    pub(super) fn run(self) -> Result<(), ServeError> {
        log::start(self.log_format);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let served = runtime.block_on(self.serve());
        // A judgement that outlived its deadline must not keep the process.
        runtime.shutdown_background();
        served
    }

    async fn serve(self) -> Result<(), ServeError> {
        let guard = self.guard()?;
        let drain = self.drain;
        let keeper = self.watch.start(&guard).await?;
        let server = Server::start(self.into_options(), guard, keeper)?;
        tracing::info!(webhook = %server.address, probes = %server.probes, metrics = %server.metrics, "listening");
        let drain = match shutdown::requested().await? {
            Signal::Terminate => drain,
            Signal::Interrupt => Duration::ZERO,
        };
        tracing::info!(?drain, "draining");
        server.stop(drain, GRACE).await;
        tracing::info!("stopped");
        Ok(())
    }

    /// What the server decides with; without any file the defaults.
    fn guard(&self) -> Result<Arc<ArcSwap<Guard>>, ServeError> {
        let known = known(self.standalone.as_deref())?;
        let Some(file) = settings_file(self.config.as_deref(), self.standalone.as_deref()) else {
            return Ok(Arc::new(ArcSwap::from_pointee(known)));
        };
        let watched = Watched::open(file, files::single, load::known())?;
        let settings = watched.live().load_full();
        let guard = Arc::new(ArcSwap::from_pointee(known.with(settings, millis())));
        follow(watched, &guard);
        Ok(guard)
    }

    fn into_options(self) -> Options {
        Options {
            listen: self.listen,
            probe_listen: self.probe_listen,
            metrics_listen: self.metrics_listen,
            metrics_by_node: !self.no_node_metrics,
            certificate: self.tls.into_source(),
            reload_every: self.reload_every,
            limits: self.bounds.into_limits(),
        }
    }
}

impl Tls {
    fn into_source(self) -> Source {
        match (self.self_signed, self.cert, self.key) {
            (None, Some(cert), Some(key)) => Source::Files { cert, key },
            (dir, ..) => Source::SelfSigned(SelfSigned { dir: dir.unwrap_or_default(), hosts: self.host }),
        }
    }
}

impl Bounds {
    fn into_limits(self) -> Limits {
        Limits {
            body: self.max_body,
            bytes_in_flight: self.max_bytes_in_flight,
            requests: self.max_requests,
            connections: self.max_connections,
            handshake: self.head_timeout,
            head: self.head_timeout,
            idle: self.idle_timeout,
            ..Limits::default()
        }
    }
}

/// The objects beside which requests are judged, from `--standalone DIR`.
fn known(standalone: Option<&Path>) -> Result<Guard, ServeError> {
    let Some(dir) = standalone else { return Ok(Guard::default()) };
    let loaded = standalone::load(dir)?;
    let book = Book::of(loaded.ledger, Freshness::Fresh);
    Ok(Guard { inventory: Some(Arc::new(loaded.inventory)), book: Some(Arc::new(book)), ..Guard::default() })
}

/// The settings file: `--config`, else `DIR/draguard.yaml` where there is one.
fn settings_file(config: Option<&Path>, standalone: Option<&Path>) -> Option<PathBuf> {
    let beside = || standalone.map(|dir| dir.join(standalone::SETTINGS)).filter(|file| file.exists());
    config.map(Path::to_owned).or_else(beside)
}

/// Replaces the settings of `guard` whenever the file changes.
fn follow(watched: Watched, guard: &Arc<ArcSwap<Guard>>) {
    let guard = Arc::clone(guard);
    tokio::spawn(watched.follow(move |settings| {
        guard.rcu(|known| known.with(Arc::clone(&settings), millis()));
    }));
}

fn duration(text: &str) -> Result<Duration, String> {
    timeout::parse(text).ok_or_else(|| "expected a duration such as 500ms, 10s or 1m30s".to_owned())
}
