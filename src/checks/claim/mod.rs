//! Claims and templates.

pub mod duplicate;
pub mod request;
