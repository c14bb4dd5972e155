//! Answers to requests that have no uid yet: bare HTTP.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Why a request is turned away before its review could be read.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Not JSON.
    #[error("content type must be application/json")]
    MediaType,
    /// More than the limit.
    #[error("the body exceeds {0} bytes")]
    TooLarge(usize),
    /// The body did not arrive before the deadline.
    #[error("the body did not arrive in time")]
    Slow,
    /// The connection broke.
    #[error("the body could not be read")]
    Broken,
    /// No room for the body. A bare 503, so that failurePolicy decides: nothing is known of the request.
    #[error("too many bytes in flight")]
    Full,
    /// Judged too late to know even the uid.
    #[error("the review could not be read in time")]
    Late,
    /// No review, and no uid to answer to.
    #[error("{0}")]
    NoReview(String),
}

impl Refusal {
    const fn status(&self) -> StatusCode {
        match self {
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Full | Self::Late => StatusCode::SERVICE_UNAVAILABLE,
            Self::Broken | Self::NoReview(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// The metric label.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            Self::MediaType => "media_type",
            Self::TooLarge(_) => "too_large",
            Self::Slow => "slow",
            Self::Broken => "broken",
            Self::Full => "bytes",
            Self::Late => "deadline",
            Self::NoReview(_) => "malformed",
        }
    }

    /// The metric label where the server itself is the reason.
    #[must_use]
    pub const fn shed(&self) -> Option<&'static str> {
        match self {
            Self::Full | Self::Late => Some(self.label()),
            _ => None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        (self.status(), kind, format!("{self}\n")).into_response()
    }
}

/// What can be said of a body before any of it is read.
///
/// # Errors
/// When the headers alone rule the body out.
pub fn check_head(headers: &HeaderMap, longest: usize) -> Result<Option<usize>, Refusal> {
    if !is_json(headers) {
        return Err(Refusal::MediaType);
    }
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match declared.map(usize::try_from) {
        Some(Ok(length)) if length <= longest => Ok(Some(length)),
        Some(_) => Err(Refusal::TooLarge(longest)),
        None => Ok(None),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return false;
    };
    let essence = only.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}
