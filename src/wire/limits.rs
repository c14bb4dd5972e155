//! What one server lets in at a time, and for how long.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// The bounds, as the operator set them.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The largest body, in bytes.
    pub body: usize,
    /// Bytes of bodies held in memory at a time.
    pub bytes_in_flight: usize,
    /// Requests judged at a time.
    pub requests: usize,
    /// Open connections.
    pub connections: usize,
    /// Time for a TLS handshake.
    pub handshake: Duration,
    /// Time for the first byte of a new connection, and for a request's head from its first byte.
    pub head: Duration,
    /// How long a connection may wait for its next request. Above the 90 s after which API servers close idle
    /// connections themselves: whoever closes first never loses a request.
    pub idle: Duration,
    /// How long a client may take to read an answer.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 8 << 20,
            bytes_in_flight: 64 << 20,
            requests: 256,
            connections: 1024,
            handshake: Duration::from_secs(5),
            head: Duration::from_secs(5),
            idle: Duration::from_mins(2),
            write: Duration::from_secs(10),
        }
    }
}

/// The permits that the limits come to.
#[derive(Debug, Clone)]
pub struct Permits {
    /// One a byte.
    pub bytes: Arc<Semaphore>,
    /// One a request that is being judged.
    pub requests: Arc<Semaphore>,
    /// One a connection.
    pub connections: Arc<Semaphore>,
    total: usize,
}

impl Permits {
    /// All permits free.
    #[must_use]
    pub fn of(limits: &Limits) -> Self {
        let bytes = limits.bytes_in_flight.min(Semaphore::MAX_PERMITS);
        Self {
            bytes: Arc::new(Semaphore::new(bytes)),
            requests: Arc::new(Semaphore::new(limits.requests)),
            connections: Arc::new(Semaphore::new(limits.connections)),
            total: bytes,
        }
    }

    /// Bytes of bodies held right now.
    #[must_use]
    pub fn bytes_held(&self) -> usize {
        self.total.saturating_sub(self.bytes.available_permits())
    }
}
