//! A small HTTPS client: one kept-alive connection, as an API server holds it.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Why no answer came back.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ClientError {
    #[error("the authority's certificate cannot be used: {0:?}")]
    Authority(pem::Error),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error("connection: {0}")]
    Connection(#[from] io::Error),
    #[error("HTTP: {0}")]
    Http(#[from] hyper::Error),
    #[error("HTTP: {0}")]
    Request(#[from] hyper::http::Error),
    #[error("HTTP status {0}")]
    Status(StatusCode),
    #[error("the answer is not JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A connection to the webhook.
pub(super) struct Client(SendRequest<Full<Bytes>>);

impl Client {
    /// Connects, trusting only the authority in `ca`.
    pub(super) async fn connect(address: SocketAddr, ca: &Path) -> Result<Self, ClientError> {
        let tcp = TcpStream::connect(address).await?;
        tcp.set_nodelay(true)?;
        let name = ServerName::from(address.ip());
        let tls = TlsConnector::from(trusting(ca)?).connect(name, tcp).await?;
        let (sender, connection) = handshake(TokioIo::new(tls)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    /// Posts one review to `/validate` or `/mutate` and gives the answer back.
    pub(super) async fn post(&mut self, path: &str, body: &'static str) -> Result<serde_json::Value, ClientError> {
        let request = Request::post(format!("{path}?timeout=3s"))
            .header(HOST, "localhost")
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from_static(body.as_bytes())))?;
        let response = self.0.send_request(request).await?;
        if response.status() != StatusCode::OK {
            return Err(ClientError::Status(response.status()));
        }
        Ok(serde_json::from_slice(&response.into_body().collect().await?.to_bytes())?)
    }
}

fn trusting(ca: &Path) -> Result<Arc<ClientConfig>, ClientError> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca).map_err(ClientError::Authority)?)?;
    Ok(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}
