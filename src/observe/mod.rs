//! What can be seen of a running server: metrics, the decision log, spans.

pub mod cluster;
pub mod decision_log;
pub mod ledger;
pub mod log;
pub mod metrics;
pub mod spans;
