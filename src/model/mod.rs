//! The typed domain: what a request or a manifest says, independent of the API version it was written for.
//!
//! Everything here borrows from the JSON text it was read from. No I/O and no clock.

pub mod path;
pub mod request;
pub mod text;
