//! The wire: bytes to a [`Request`](crate::model::request::Request), a decision to bytes, and the server around both.
//!
//! Read `listener` (what runs), `routes`, `gate` (the way of one review), `review` (in) and `respond` (out).

pub mod accept;
pub mod body;
pub mod certificate;
pub mod clock;
pub mod connection;
mod envelope;
pub mod gate;
pub mod limits;
pub mod lines;
pub mod listener;
pub mod probes;
pub mod refusal;
pub mod respond;
pub mod review;
pub mod routes;
pub mod self_signed;
pub mod shutdown;
pub mod stream;
mod strict;
pub mod timeout;
pub mod tls;
