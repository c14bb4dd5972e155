//! The certificate that is served, and its replacement while the server runs.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use axum_server::tls_rustls::RustlsConfig;
use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::certificate::{Validity, now};
use super::self_signed::{self, SelfSigned};
use crate::observe::metrics::Metrics;

/// Certificate chains and keys are a few kilobytes.
const LARGEST_FILE: u64 = 1 << 20;

/// Where the certificate comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// PEM files that somebody else keeps fresh.
    Files {
        /// The leaf and its intermediates.
        cert: PathBuf,
        /// The leaf's key.
        key: PathBuf,
    },
    /// Files that draguard makes itself.
    SelfSigned(SelfSigned),
}

/// Why a certificate cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Not PEM, or not what was expected in it.
    #[error("no usable {what} in PEM form: {error:?}")]
    Pem {
        /// Certificate or key.
        what: &'static str,
        /// Why.
        error: pem::Error,
    },
    /// Key and certificate do not belong together, or are of an unknown kind.
    #[error("certificate and key cannot be used: {0}")]
    Pair(#[from] rustls::Error),
    /// The leaf is no X.509 certificate.
    #[error("the certificate's validity cannot be read")]
    Validity,
    /// The own certificate could not be made.
    #[error(transparent)]
    SelfSigned(#[from] self_signed::SelfSignedError),
}

#[derive(PartialEq, Eq)]
struct Pair {
    cert: Vec<u8>,
    key: Vec<u8>,
}

/// Never the key.
impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").finish_non_exhaustive()
    }
}

/// The certificate being served.
#[derive(Debug)]
pub struct Identity {
    source: Source,
    config: RustlsConfig,
    validity: ArcSwap<Validity>,
    /// What was last tried, good or bad, so that one broken file is reported once.
    tried: Mutex<Pair>,
}

impl Identity {
    /// Loads, or makes, the first certificate.
    ///
    /// # Errors
    /// When there is no pair that could be served at all; an expired one can, but the server is not ready.
    pub fn load(source: Source) -> Result<Self, TlsError> {
        if let Source::SelfSigned(own) = &source {
            own.make(now())?;
        }
        let pair = read(&source)?;
        let (config, validity) = build(&pair)?;
        let config = RustlsConfig::from_config(config);
        Ok(Self { source, config, validity: ArcSwap::from_pointee(validity), tried: Mutex::new(pair) })
    }

    /// The configuration that new connections use.
    #[must_use]
    pub fn config(&self) -> RustlsConfig {
        self.config.clone()
    }

    /// The validity of the certificate being served.
    #[must_use]
    pub fn validity(&self) -> Validity {
        **self.validity.load()
    }

    /// Looks at the source once more; the pair in use stays on any error. True when another pair is served now.
    ///
    /// # Errors
    /// When there is something new that cannot be used.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        if let Source::SelfSigned(own) = &self.source
            && self.validity().is_old(now())
        {
            own.make(now())?;
        }
        let pair = read(&self.source)?;
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if *tried == pair {
            return Ok(false);
        }
        *tried = pair;
        let (config, validity) = build(&tried)?;
        self.config.reload_from_config(config);
        self.validity.store(Arc::new(validity));
        Ok(true)
    }
}

/// Polls the source for ever. Comparing contents sees every kind of replacement: the symbolic-link swap of a mounted
/// Secret, a rename, a rewrite in place. A pair read half old, half new fails here and is whole at the next turn.
pub async fn watch(identity: Arc<Identity>, every: Duration, metrics: Arc<Metrics>) {
    loop {
        tokio::time::sleep(every).await;
        let looked = identity.clone();
        match tokio::task::spawn_blocking(move || looked.refresh()).await {
            Ok(Ok(false)) => {}
            Ok(Ok(true)) => tracing::info!(expires = identity.validity().not_after, "serving a new certificate"),
            Ok(Err(error)) => {
                metrics.reload_failed();
                tracing::warn!(%error, "keeping the last good certificate");
            }
            Err(_) => return,
        }
    }
}

fn read(source: &Source) -> Result<Pair, TlsError> {
    match source {
        Source::Files { cert, key } => Ok(Pair { cert: read_file(cert)?, key: read_file(key)? }),
        Source::SelfSigned(own) => Ok(Pair { cert: read_file(&own.cert())?, key: read_file(&own.key())? }),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, TlsError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes))
        .map_err(|error| TlsError::File { path: path.to_owned(), error })?;
    Ok(bytes)
}

fn build(pair: &Pair) -> Result<(Arc<ServerConfig>, Validity), TlsError> {
    let chain = CertificateDer::pem_slice_iter(&pair.cert)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| TlsError::Pem { what: "certificate", error })?;
    let key = PrivateKeyDer::from_pem_slice(&pair.key).map_err(|error| TlsError::Pem { what: "key", error })?;
    let validity = chain.first().and_then(|leaf| Validity::of(leaf)).ok_or(TlsError::Validity)?;
    let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
    // API servers speak HTTP/1.1 to webhooks; nothing else is offered.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((Arc::new(config), validity))
}
