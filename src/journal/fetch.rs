//! The ledger of a running server.

use std::io::{self, Write};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http1::handshake;
use hyper::header::HOST;
use hyper::{Request, Response, StatusCode, Uri, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long each step may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why nothing, or not everything, was fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address is not one that is spoken to.
    #[error("expected a URL such as http://127.0.0.1:9090/ledger")]
    Url,
    /// The connection.
    #[error("connection: {0}")]
    Io(#[from] io::Error),
    /// The exchange.
    #[error("HTTP: {0}")]
    Http(#[from] hyper::Error),
    /// The request.
    #[error("HTTP: {0}")]
    Request(#[from] hyper::http::Error),
    /// Another answer.
    #[error("HTTP status {0}")]
    Status(StatusCode),
    /// No answer.
    #[error("nothing came for {} s", PATIENCE.as_secs())]
    Slow(#[from] tokio::time::error::Elapsed),
}

/// Copies the ledger at `url` to `out`.
///
/// # Errors
///
/// When it does not arrive in full.
pub async fn fetch(url: &str, out: &mut dyn Write) -> Result<(), FetchError> {
    let response = timeout(PATIENCE, get(&parse(url)?)).await??;
    if response.status() != StatusCode::OK {
        return Err(FetchError::Status(response.status()));
    }
    let mut body = response.into_body();
    while let Some(frame) = timeout(PATIENCE, body.frame()).await? {
        if let Ok(piece) = frame?.into_data() {
            out.write_all(&piece)?;
        }
    }
    Ok(out.flush()?)
}

/// The address; the path is `/ledger` where none is given.
fn parse(url: &str) -> Result<Uri, FetchError> {
    let uri: Uri = url.parse().map_err(|_| FetchError::Url)?;
    if uri.scheme_str() != Some("http") || uri.host().is_none() {
        return Err(FetchError::Url);
    }
    if uri.path() != "/" {
        return Ok(uri);
    }
    format!("{}/ledger", url.trim_end_matches('/')).parse().map_err(|_| FetchError::Url)
}

async fn get(uri: &Uri) -> Result<Response<Incoming>, FetchError> {
    let host = uri.host().unwrap_or_default();
    let address = format!("{host}:{}", uri.port_u16().unwrap_or(80));
    let (mut sender, connection) = handshake(TokioIo::new(TcpStream::connect(&address).await?)).await?;
    tokio::spawn(connection);
    let request = Request::get(uri.path()).header(HOST, &address).body(Empty::<Bytes>::new())?;
    Ok(sender.send_request(request).await?)
}
