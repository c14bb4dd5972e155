//! One request to the API server, bounded in bytes and time.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde::Deserialize;
use tokio::time::timeout;

/// What a message of the server may be long.
const MESSAGE: usize = 64 << 10;

/// Why there is no answer to use.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The server said so.
    #[error("the API server answered {code}: {message}")]
    Refused {
        /// Its status code.
        code: u16,
        /// Its words.
        message: String,
    },
    /// Nothing came in time.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// More came than is read.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// The connection failed.
    #[error("the API server cannot be reached: {0}")]
    Transport(#[source] kube::Error),
    /// The answer is none.
    #[error("the answer has another form: {0}")]
    Form(String),
    /// The request cannot be made.
    #[error("the request cannot be made: {0}")]
    Request(#[from] kube::core::request::Error),
    /// The server's storage is older than what it has sent before.
    #[error("the API server's storage was set back")]
    SetBack,
    /// The server does not serve what is asked for.
    #[error("the API server serves no version of resource.k8s.io that draguard knows")]
    NotServed,
}

impl FetchError {
    /// True when the server no longer has the versions that were asked for: a new list is needed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Refused { code: 410, .. })
    }

    /// True when the server says that there is no such thing.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { code: 404, .. })
    }
}

/// A request without a body.
pub(super) fn get(path: &str) -> Result<Request<Vec<u8>>, FetchError> {
    Request::get(path).body(Vec::new()).map_err(|error| kube::core::request::Error::BuildRequest(error).into())
}

/// The answer to a request.
pub(super) async fn fetch(
    client: &Client,
    request: Request<Vec<u8>>,
    longest: usize,
    time: Duration,
) -> Result<Bytes, FetchError> {
    let whole = async { read(open(client, request).await?, longest).await };
    timeout(time, whole).await.unwrap_or(Err(FetchError::Late(time)))
}

/// The body of an answer that says yes.
pub(super) async fn open(client: &Client, request: Request<Vec<u8>>) -> Result<Body, FetchError> {
    let response = client.send(request.map(Body::from)).await.map_err(FetchError::Transport)?;
    if response.status().is_success() { Ok(response.into_body()) } else { Err(refused(response).await) }
}

async fn refused(response: Response<Body>) -> FetchError {
    let code = response.status().as_u16();
    let body = read(response.into_body(), MESSAGE).await.unwrap_or_default();
    FetchError::Refused { code, message: message(&body) }
}

/// The message of a `Status`, or what else the body says.
fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Status {
        message: String,
    }
    let status = serde_json::from_slice::<Status>(body).map(|status| status.message);
    let text = status.unwrap_or_else(|_| String::from_utf8_lossy(body).into_owned());
    text.trim().chars().take(1000).collect()
}

async fn read(body: Body, longest: usize) -> Result<Bytes, FetchError> {
    let whole = Limited::new(body, longest).collect().await.map_err(|error| broken(error, longest))?;
    Ok(whole.to_bytes())
}

fn broken(error: Box<dyn std::error::Error + Send + Sync>, longest: usize) -> FetchError {
    if error.is::<LengthLimitError>() {
        return FetchError::TooLong(longest);
    }
    FetchError::Transport(error.downcast::<kube::Error>().map_or_else(kube::Error::Service, |error| *error))
}
