//! Where log lines go: standard error, as text or as JSON.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// How log lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// The client's own log of failed requests.
const QUIET: &str = "kube_client::client::builder=off";

/// Starts logging; `RUST_LOG` chooses what is said. A second call changes nothing.
pub fn start(format: Format) {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env_lossy();
    // It tells each failed request as an error, which the watches tell better, and as what it is.
    let filter = QUIET.parse().map_or(filter.clone(), |quiet| filter.add_directive(quiet));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let _ = match format {
        Format::Text => lines.with_ansi(io::stderr().is_terminal()).try_init(),
        Format::Json => lines.json().flatten_event(true).with_current_span(false).with_span_list(false).try_init(),
    };
}
