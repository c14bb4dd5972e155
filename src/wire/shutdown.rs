//! The signals that end a server.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Who wants the server to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// An orchestrator, which still has to tell others that no more requests should come.
    Terminate,
    /// A person at a terminal, who does not want to wait.
    Interrupt,
}

/// Waits for the first signal.
///
/// # Errors
/// When signals cannot be listened for.
pub async fn requested() -> io::Result<Signal> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => Ok(Signal::Terminate),
        _ = interrupt.recv() => Ok(Signal::Interrupt),
    }
}
