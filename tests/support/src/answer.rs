//! What the API server said.

use serde_json::Value;

/// An answer of the API server.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status code.
    pub code: u16,
    /// The object or the Status.
    pub body: Value,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
    /// Method, path and user, for messages.
    pub request: String,
}

impl Answer {
    /// Whether the request succeeded.
    pub fn ok(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// The message of a failure.
    pub fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or_default()
    }

    /// The object of a request that has to succeed.
    ///
    /// # Panics
    /// When it was refused.
    #[track_caller]
    pub fn must(self) -> Value {
        let (code, message) = (self.code, self.message());
        assert!(self.ok(), "{}: {code} {message}", self.request);
        self.body
    }

    /// Requires a refusal with this code and with this text in its message.
    ///
    /// # Panics
    /// When it was something else.
    #[track_caller]
    pub fn refused(&self, code: u16, text: &str) {
        let (request, message) = (&self.request, self.message());
        assert_eq!(self.code, code, "{request}: {message}");
        assert!(message.contains(text), "{request}: no {text:?} in {message:?}");
    }

    /// The object, or code and message as text: for use in a wait.
    pub fn result(self) -> Result<Value, String> {
        match self.ok() {
            true => Ok(self.body),
            false => Err(format!("{} {}", self.code, self.message())),
        }
    }
}
